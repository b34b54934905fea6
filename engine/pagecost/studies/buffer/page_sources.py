"""Where a study's page references come from: recordings, generated loads, and trace files of your own, by one name."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from pagecost.errors import ModelError, require
from pagecost.requests import Requests
from pagecost.workload import PATTERNS, DebitCredit, TpcC, debit_credit_matrix, traces

DEBIT_CREDIT = "debit-credit-1992"
TRANSACTIONS, WARM_UP_TRANSACTIONS = 500_000, 50_000  # the hit ratios of Rahm's Table 4.2 settle to 0.1 points
REFERENCES = 500_000  # of a pattern
TPCC_TRANSACTIONS, TPCC_WARM_UP = 60_000, 500_000  # TPC-C: transactions, and references until the hot pages are known
FILE_PAGE_BYTES = 4096  # pages that the byte addresses of a file are cut into, where nothing else is asked for
PIECE = 1 << 18  # requests of a generated load that are handed on at once


@dataclass(frozen=True, eq=False)
class PageSource:
    """Page requests under a name. The first `warm_up` page references fill the buffer and are not counted."""

    name: str
    requests: Requests
    warm_up: int = 0
    note: str = ""


class Generated(NamedTuple):
    """A load that is generated: its title, and what makes its requests, how many warm up, and a note."""

    title: str
    requests: Callable[[], Requests]
    warm_up: int
    note: str


_TRANSACTIONS_NOTE = (
    f"{TRANSACTIONS} transactions with the settings of Table 4.1, the first {WARM_UP_TRANSACTIONS} not counted."
)


def _pattern(name: str) -> Generated:
    pattern = PATTERNS[name]()
    note = f"{REFERENCES} references, generated: {(type(pattern).__doc__ or '').splitlines()[0].rstrip('.')}."
    return Generated(f"{pattern.title}, generated", lambda: pattern.requests(REFERENCES), 0, note)


def _tpcc(mix: str) -> Generated:
    load = TpcC(mix=mix)
    note = (
        f"{TPCC_TRANSACTIONS} transactions on {load.warehouses} warehouses (Wang et al. 2011, Table 3), the first "
        f"{TPCC_WARM_UP} references not counted."
    )
    return Generated(f"TPC-C, {mix} mix, generated", lambda: load.requests(TPCC_TRANSACTIONS), TPCC_WARM_UP, note)


GENERATED: dict[str, Generated] = {
    DEBIT_CREDIT: Generated(
        "Debit-Credit of Rahm 1992, generated",
        lambda: DebitCredit().requests(TRANSACTIONS),
        4 * WARM_UP_TRANSACTIONS,
        _TRANSACTIONS_NOTE,
    ),
    "debit-credit-matrix": Generated(
        "Debit-Credit as a reference matrix, generated",
        lambda: debit_credit_matrix().requests(TRANSACTIONS),
        4 * WARM_UP_TRANSACTIONS,
        _TRANSACTIONS_NOTE,
    ),
    "tpc-c": _tpcc("normal"),
    "tpc-c-write-intensive": _tpcc("write-intensive"),
    **{name: _pattern(name) for name in PATTERNS},
}
"""Every generated load by its name."""


def titles() -> dict[str, str]:
    """Every source that comes with pagecost: name -> title."""
    recorded = {name: recording.title for name, recording in traces.recordings().items()}
    return recorded | {name: generated.title for name, generated in GENERATED.items()}


def load(name: str, progress: Callable[[float], None] = traces.no_progress, format: str | None = None) -> PageSource:
    """A source by its name, or a trace file by its path; progress(share) is called while a file is read.

    format: of a file, where its first lines do not tell.

    Raises ModelError for an unknown name, and whatever reading the file raises.
    """
    if name in GENERATED:
        return _generated(name)
    try:
        trace = traces.load(name, progress, format)
    except ModelError as error:
        raise ModelError(str(error).replace("known: ", f"known: {', '.join(GENERATED)}, ", 1)) from None
    return _of_trace(name, trace)


def check(name: str) -> None:
    """Raise ModelError, as `Pieces` does, unless it is a source; of a file only the first lines are read."""
    if name not in GENERATED:
        Pieces(name)


def page_bytes_of(name: str) -> int:
    """Bytes of a page of a source, without reading it."""
    if name in GENERATED:
        return load(name).requests.page_bytes
    recording = traces.recordings().get(name)
    return recording.page_bytes if recording else FILE_PAGE_BYTES


class Pieces:
    """A source piece by piece, whatever its size: iterate once over `Requests`; `tally` counts what was no request.

    The first `warm_up` page references are not to be counted.

    name: as for `load`. format, page_bytes: of a trace file; recordings and generated loads have their own.
    progress(share) is called between pieces and may raise. Raises ModelError as `load` does, but reads no more than
    the first lines before it is iterated.
    """

    def __init__(
        self, name: str, format: str | None = None, page_bytes: int = FILE_PAGE_BYTES, progress=traces.no_progress
    ):
        self._requests, self._progress, self.tally = None, progress, traces.Tally()
        self.path, self.format, self._reading = None, "generated", None
        self.warm_up = GENERATED[name].warm_up if name in GENERATED else 0
        if name in GENERATED:
            self._requests = load(name).requests
            self.page_bytes, self.tally.notes = self._requests.page_bytes, (f"{name}: {GENERATED[name].note}",)
            return
        recording = traces.recordings().get(name)
        require(
            recording is not None or traces.path_of(name).exists() or traces.looks_like_a_path(name),
            f"unknown trace {name!r}; known: {', '.join(titles())}, or the path of a trace file",
        )
        self.page_bytes = recording.page_bytes if recording else page_bytes
        self.path = recording.path if recording else traces.path_of(name)
        self._reading = traces.Reading(self.path, format, self.page_bytes, progress)
        self.format, self.tally = self._reading.format.name, self._reading.tally

    def refuse_nothing(self, requests: int) -> None:
        """Raise ModelError, with the first line that was rejected, when there were no requests."""
        if self._reading:
            self._reading.refuse_nothing(requests)

    def __iter__(self) -> Iterator[Requests]:
        if self._reading:
            yield from self._reading
            return
        for start in range(0, self._requests.size, PIECE):
            self._progress(start / self._requests.size)
            yield self._requests.chosen(slice(start, start + PIECE))


@functools.lru_cache(maxsize=8)
def _of_trace(name: str, trace: traces.Trace) -> PageSource:
    notes = list(trace.notes)
    if trace.rejected_lines:
        first = trace.rejected[0]
        notes.append(
            f"{trace.rejected_lines} lines were not understood; the first is line {first.line}, {first.text[:60]!r}: "
            f"{first.reason}."
        )
    return PageSource(name, trace.requests, note=" ".join(notes))


@functools.lru_cache(maxsize=4)
def _generated(name: str) -> PageSource:
    generated = GENERATED[name]
    return PageSource(name, generated.requests(), generated.warm_up, generated.note)
