"""The loads that are generated, by name, each at the size that questions about a buffer ask of it."""

from collections.abc import Callable
from typing import NamedTuple

from pagecost.requests import Requests
from pagecost.units import grouped
from pagecost.workload.debit_credit import DebitCredit
from pagecost.workload.patterns import HotCold, Loop, Pattern, ScanPolluted, ShiftingLocality, Zipf
from pagecost.workload.reference_matrix import debit_credit_matrix
from pagecost.workload.tpcc import TpcC

PATTERNS: dict[str, type[Pattern]] = {
    "zipf": Zipf,
    "hot-cold": HotCold,
    "scan-polluted": ScanPolluted,
    "shifting-locality": ShiftingLocality,
    "loop": Loop,
}
"""Every generator of single references by its name."""

DEBIT_CREDIT = "debit-credit-1992"
TRANSACTIONS, WARM_UP_TRANSACTIONS = 500_000, 50_000  # the hit ratios of Rahm's Table 4.2 settle to 0.1 points
REFERENCES = 500_000  # of a pattern
TPCC_TRANSACTIONS, TPCC_WARM_UP = 60_000, 500_000  # TPC-C: transactions, and references until the hot pages are known


class Generated(NamedTuple):
    """A load that is generated: its title, what makes its requests, and what one must know of it.

    page_bytes: of its pages. The first `warm_up` page references fill the buffer and are not counted.
    """

    title: str
    requests: Callable[[], Requests]
    page_bytes: int
    warm_up: int
    note: str


_TRANSACTIONS_NOTE = (
    f"{grouped(TRANSACTIONS)} transactions with the settings of Table 4.1, the first {grouped(WARM_UP_TRANSACTIONS)} "
    "not counted."
)


def _transactions(title: str, load) -> Generated:
    return Generated(
        title, lambda: load.requests(TRANSACTIONS), load.page_bytes, 4 * WARM_UP_TRANSACTIONS, _TRANSACTIONS_NOTE
    )


def _pattern(name: str) -> Generated:
    pattern = PATTERNS[name]()
    note = f"{grouped(REFERENCES)} references, generated: {(type(pattern).__doc__ or '').splitlines()[0].rstrip('.')}."
    return Generated(f"{pattern.title}, generated", lambda: pattern.requests(REFERENCES), pattern.page_bytes, 0, note)


def _tpcc(mix: str) -> Generated:
    load = TpcC(mix=mix)
    note = (
        f"{TPCC_TRANSACTIONS} transactions on {load.warehouses} warehouses (Wang et al. 2011, Table 3), the first "
        f"{TPCC_WARM_UP} references not counted."
    )
    title = f"TPC-C, {mix} mix, generated"
    return Generated(title, lambda: load.requests(TPCC_TRANSACTIONS), load.page_bytes, TPCC_WARM_UP, note)


LOADS: dict[str, Generated] = {
    DEBIT_CREDIT: _transactions("Debit-Credit of Rahm 1992, generated", DebitCredit()),
    "debit-credit-matrix": _transactions("Debit-Credit as a reference matrix, generated", debit_credit_matrix()),
    "tpc-c": _tpcc("normal"),
    "tpc-c-write-intensive": _tpcc("write-intensive"),
    **{name: _pattern(name) for name in PATTERNS},
}
"""Every generated load by its name."""
