"""Where a study's page references come from: recordings, generated loads, and trace files of your own, by one name."""

import functools
from dataclasses import dataclass

from pagecost.errors import ModelError
from pagecost.requests import Requests
from pagecost.workload import DebitCredit, traces

DEBIT_CREDIT = "debit-credit-1992"
TRANSACTIONS, WARM_UP_TRANSACTIONS = 500_000, 50_000  # the hit ratios of Rahm's Table 4.2 settle to 0.1 points


@dataclass(frozen=True, eq=False)
class PageSource:
    """Page requests under a name. The first `warm_up` page references fill the buffer and are not counted."""

    name: str
    requests: Requests
    warm_up: int = 0
    note: str = ""


def titles() -> dict[str, str]:
    """Every source that comes with pagecost: name -> title."""
    recorded = {name: recording.title for name, recording in traces.recordings().items()}
    return recorded | {DEBIT_CREDIT: "Debit-Credit of Rahm 1992, generated"}


def load(name: str) -> PageSource:
    """A source by its name, or a trace file by its path.

    Raises ModelError for an unknown name, and whatever reading the file raises.
    """
    if name == DEBIT_CREDIT:
        return _debit_credit()
    try:
        trace = traces.load(name)
    except ModelError as error:
        raise ModelError(str(error).replace("known: ", f"known: {DEBIT_CREDIT}, ", 1)) from None
    return _of_trace(name, trace)


@functools.lru_cache(maxsize=8)
def _of_trace(name: str, trace: traces.Trace) -> PageSource:
    note = ""
    if trace.rejected_lines:
        first = trace.rejected[0]
        note = f"{trace.rejected_lines} lines were not understood; the first is line {first.line}: {first.reason}."
    return PageSource(name, trace.requests, note=note)


@functools.cache
def _debit_credit() -> PageSource:
    requests = DebitCredit().requests(TRANSACTIONS)
    note = f"{TRANSACTIONS} transactions with the settings of Table 4.1, the first {WARM_UP_TRANSACTIONS} not counted."
    return PageSource(DEBIT_CREDIT, requests, warm_up=4 * WARM_UP_TRANSACTIONS, note=note)
