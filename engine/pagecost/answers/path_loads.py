"""What the whole path may be asked to carry, by value: TPC-C, Debit-Credit, TPoX, a trace, a pattern of single pages.

`KINDS` says of each kind of value how it becomes transactions, how long the processor works on each type, and what its
log takes. A new kind is a frozen dataclass with `page_bytes` and `pages_of`, and a line there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from pagecost import oltp
from pagecost.answers.xml_runs import Processor, database
from pagecost.errors import known, require
from pagecost.oltp.loads import NO_LOCK
from pagecost.remembering import remembered, shared
from pagecost.units import format_bytes
from pagecost.workload import sources, tpox, traces
from pagecost.workload.debit_credit import DebitCredit
from pagecost.workload.patterns import Pattern
from pagecost.workload.tpcc import TRANSACTIONS, TpcC
from pagecost.xmlstore import MAPPINGS
from pagecost.xmlstore.storage import PAGE_SIZES

SCALED_WAREHOUSES = 4  # at most; with twice as many, what is written below comes out within 2 %
SCALED_BRANCHES, SCALED_TPOX_BYTES = 8, 2.5e8  # as large
USUAL_REFERENCES = 10  # of a transaction, where neither a person nor the trace says it
TPOX_PROCESSOR = Processor(0.009, 1e-5, 2e-6)
"""Of a TPoX transaction, fitted to the 100 a second of Schmidt 2009, Fig. 7; here only shares of the types count."""

Times: TypeAlias = float | tuple[tuple[str, float], ...]
"""Processor times [s] as `oltp.Processors` takes them: one of all types, or one of each."""


@dataclass(frozen=True, kw_only=True)
class Tpox:
    """TPoX in a database of so many bytes as text. mix: as `workload.tpox.parts_of` knows it. Raises ModelError for a
    mix that does not add up, an unknown mapping, and sizes outside their ranges."""

    plain_bytes: float = 1e9
    mapping: str = "fs"
    mix: str = "half writes"
    page_bytes: int = 4096

    def __post_init__(self):
        known("storage mapping", self.mapping, MAPPINGS)
        tpox.parts_of(self.mix)
        require(self.plain_bytes >= 1e6, f"TPoX: a database has at least 1 MB of text; got {self.plain_bytes:g} bytes")
        require(
            self.page_bytes in PAGE_SIZES,
            f"TPoX: a page has {', '.join(map(str, PAGE_SIZES))} bytes; got {self.page_bytes}",
        )

    def database(self) -> tpox.Database:
        """Its collections, laid out."""
        return database(self.mapping, self.plain_bytes, self.page_bytes)

    def pages_of(self) -> dict[str, int]:
        """Pages of all collections and their indexes together."""
        return {"TPoX": self.database().pages}


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """A trace that users replay, each from a place of his own. references: of a transaction; None: as the trace marks
    them, or as its recording counts them, else `USUAL_REFERENCES`. log_stream: of which a write is a commit; None: as
    its recording says. timed: users think as the times of the trace say, where it has any.
    touched_only: pages that it never asks for are no part of the file, and the others are numbered anew in their order.
    """

    source: sources.Source
    references: int | None = None
    log_stream: int | None = None
    users: int = 1
    timed: bool = True
    touched_only: bool = False

    @property
    def page_bytes(self) -> int:
        """Of a page of the trace."""
        return self.source.page_bytes

    @property
    def cut(self) -> oltp.Cut:
        """Where its transactions end. Raises ModelError as `oltp.Cut`."""
        recording = traces.recordings().get(self.source.name)
        log_stream = recording.log_stream if self.log_stream is None and recording else self.log_stream
        if self.references is not None:
            return oltp.Cut(references=self.references)
        if log_stream is not None:
            return oltp.Cut(log_stream=log_stream)
        return oltp.Cut(transactions=recording.transactions) if recording else oltp.Cut(references=USUAL_REFERENCES)

    def pages_of(self) -> dict[str, int]:
        """Pages of the file."""
        return {self.source.name: recorded(self.source, self.cut).pages}

    @property
    def thinks(self) -> bool:
        """Whether users think as the trace says."""
        return self.timed and recorded(self.source, self.cut).think_s is not None


@shared(2)
def recorded(source: sources.Source, cut: oltp.Cut) -> oltp.Recorded:
    """A trace cut into transactions. Raises ModelError as reading it does, and as `oltp.recorded`."""
    return oltp.recorded(source.name, source.read().requests, cut)


Load: TypeAlias = TpcC | DebitCredit | Tpox | Replayed
"""Transactions that a system is asked for, by value."""

AnyLoad: TypeAlias = Load | Pattern
"""The same, or a pattern, of which every page that is referenced is a transaction of its own."""


class Logged(NamedTuple):
    """Bytes of log of a transaction that changes anything, and of each page that it changes."""

    transaction_bytes: int
    change_bytes: int


class Smaller(NamedTuple):
    """The same load on a share of its data, 0..1, and what that is in words: 2 warehouses."""

    load: Any
    share: float
    in_words: str


def _fewer_warehouses(load: TpcC) -> Smaller:
    fewer = min(SCALED_WAREHOUSES, load.warehouses)
    words = f"{fewer} warehouse{'s' if fewer > 1 else ''}"
    return Smaller(replace(load, warehouses=fewer), fewer / load.warehouses, words)


def _fewer_branches(load: DebitCredit) -> Smaller:
    fewer = min(SCALED_BRANCHES, load.branches)
    return Smaller(replace(load, branches=fewer), fewer / load.branches, f"{fewer} branch{'es' if fewer > 1 else ''}")


def _fewer_documents(load: Tpox) -> Smaller:
    fewer = min(SCALED_TPOX_BYTES, load.plain_bytes)
    return Smaller(replace(load, plain_bytes=fewer), fewer / load.plain_bytes, f"{format_bytes(fewer)} of XML as text")


def _whole(load: AnyLoad) -> Smaller:
    return Smaller(load, 1.0, "all pages")


def usually_logged() -> Logged:
    """What the log takes of a load that says nothing of it."""
    usual = oltp.Log()
    return Logged(usual.transaction_bytes, usual.change_bytes)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What is known of a kind of load. made(load, transactions, seed). shares(load): the processor time of each type,
    times the mean; None: one time for all. logged(load): what its log takes. smaller(load): the same on less data, for
    what is found without time."""

    made: Callable[[Any, int, int], oltp.Load]
    shares: Callable[[Any], tuple[tuple[str, float], ...]] | None = None
    logged: Callable[[Any], Logged] = lambda load: usually_logged()
    smaller: Callable[[Any], Smaller] = _whole


@shared(8)
def _single_pages(pattern: Pattern, transactions: int, seed: int) -> oltp.Load:
    """Transactions of one page each, without locks; the file has all pages of the pattern, asked for or not."""
    requests = pattern.requests(transactions, seed)
    lock = np.full(transactions, NO_LOCK)
    made = oltp.of_requests(pattern.title, requests, np.arange(transactions + 1), lock=lock)
    return replace(made, pages=max(made.pages, pattern.pages))


@shared(4)
def _tpox(load: Tpox, transactions: int, seed: int) -> oltp.Load:
    return oltp.tpox(load.database(), load.mix, transactions, seed)


@shared(4)
def _replayed(load: Replayed, transactions: int) -> oltp.Load:
    trace = recorded(load.source, load.cut)
    made = oltp.replayed(trace, users=load.users, transactions=transactions, timed=load.thinks)
    if not load.touched_only:
        return made
    touched, page = np.unique(made.page, return_inverse=True)
    return replace(made, page=page, pages=touched.size)


@remembered
def demands(load: TpcC) -> tuple[tuple[str, float], ...]:
    """Share of the mean processor time that each type has, by the pages that it touches: type -> times the mean."""
    run = load.run(4000, 1)
    touched = np.diff(np.append(0, run.ends))
    found = {}
    for number, name in enumerate(TRANSACTIONS):
        of_type = touched[run.kinds == number]
        found[name] = float(of_type.mean() / touched.mean()) if of_type.size else 1.0
    return tuple(found.items())


@remembered
def _tpox_demands(load: Tpox) -> tuple[tuple[str, float], ...]:
    """The same of TPoX, by the records that a type looks at and the labels that it decodes (`TPOX_PROCESSOR`)."""
    made, parts = tpox.workload(load.database(), 4000, mix=load.mix), np.array(tpox.parts_of(load.mix), float)
    of_transaction_s, record_s, decode_s = TPOX_PROCESSOR[:3]
    each_s = of_transaction_s + made.records * record_s + made.decoded * decode_s
    times_s = [each_s[made.which == number] for number in range(parts.size)]
    means_s = np.array([of_type.mean() if of_type.size else np.nan for of_type in times_s])
    mean_s = float(np.nansum(parts * means_s) / parts[np.isfinite(means_s)].sum())
    titles = [each.title for each in tpox.TRANSACTIONS.values()]
    return tuple(zip(titles, np.nan_to_num(means_s / mean_s, nan=1.0).tolist(), strict=True))


@remembered
def _tpox_logged(load: Tpox) -> Logged:
    """Text that is written, as the mapping stores it: the mean of those that write, whatever pages that touches."""
    made = tpox.workload(load.database(), 4000, mix=load.mix)
    logged = made.log_bytes[made.log_bytes > 0]
    return Logged(round(float(logged.mean())), 0) if logged.size else usually_logged()


KINDS: Mapping[type, Kind] = {
    TpcC: Kind(made=oltp.tpcc, shares=demands, smaller=_fewer_warehouses),
    DebitCredit: Kind(made=oltp.debit_credit, smaller=_fewer_branches),
    Tpox: Kind(made=_tpox, shares=_tpox_demands, logged=_tpox_logged, smaller=_fewer_documents),
    Replayed: Kind(
        made=lambda load, transactions, seed: _replayed(load, transactions),
        smaller=lambda load: Smaller(replace(load, touched_only=True), 1.0, "the pages that the trace asks for"),
    ),
    Pattern: Kind(made=_single_pages),
}
"""What is known of each kind of load, by its class."""


def _kind(load: AnyLoad) -> Kind:
    return next(KINDS[each] for each in type(load).__mro__ if each in KINDS)


def loaded(load: AnyLoad, transactions: int, seed: int) -> oltp.Load:
    """So many transactions of a load. Raises ModelError as the load does."""
    return _kind(load).made(load, transactions, seed)


def processor_times(load: AnyLoad, mean_s: float) -> Times:
    """Processor times of transactions of this mean [s], as `oltp.Processors` takes them: by type, if it has several."""
    shares = _kind(load).shares
    return mean_s if shares is None else tuple((kind, share * mean_s) for kind, share in shares(load))


def logged(load: AnyLoad) -> Logged:
    """What the log of its transactions takes."""
    return _kind(load).logged(load)


def smaller(load: AnyLoad) -> Smaller:
    """The same load on less data, in which as large a share of it is asked for."""
    return _kind(load).smaller(load)
