"""What a load asks of its devices at each size of the caches: reads and writes of a transaction, by hot and cold pages.

Counted, not modelled: the load's own references go through the buffer's own policy, and the page cache below it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagecost import oltp
from pagecost.answers import path_loads, replays
from pagecost.answers.path_loads import Tpox
from pagecost.buffer import References, Replay, replay
from pagecost.errors import present, require
from pagecost.oltp.loads import NO_LOCK
from pagecost.remembering import remembered
from pagecost.requests import WRITE, Requests
from pagecost.system import System
from pagecost.workload import sources, tpox
from pagecost.workload.debit_credit import DebitCredit
from pagecost.workload.loads import DEBIT_CREDIT
from pagecost.workload.tpcc import TpcC

TRANSACTIONS = 40_000  # that are looked at, the first half of which fills the caches; of large ones more
MOST_MADE = 4_000_000  # references of those, where more are made
MOST_REFERENCES = 1_000_000  # of a trace
USUAL_PAGE_BYTES = 4096  # of loads that are generated
TPCC, TPCC_WRITES = "tpc-c", "tpc-c-write-intensive"


@dataclass(frozen=True)
class Asked:
    """Which transactions are meant, by value: those that are generated, or a source in so many references each."""

    generated: TpcC | DebitCredit | Tpox | None = None
    source: sources.Source | None = None
    references: int = 1
    seed: int = 1

    @property
    def page_bytes(self) -> int:
        """Of a page."""
        return self.generated.page_bytes if self.generated is not None else self._read.page_bytes

    @property
    def debit_credit(self) -> DebitCredit | None:
        """The load, where it is Debit-Credit: which of its pages are hot is known."""
        return self.generated if isinstance(self.generated, DebitCredit) else None

    @property
    def logged(self) -> path_loads.Logged:
        """What its log takes; of a trace what is usual."""
        return path_loads.usually_logged() if self.generated is None else path_loads.logged(self.generated)

    def processor_times(self, mean_s: float) -> path_loads.Times:
        """Processor times of the types of this mean [s]; of a trace one for all."""
        return mean_s if self.generated is None else path_loads.processor_times(self.generated, mean_s)

    def load(self, transactions: int = TRANSACTIONS, seed: int | None = None) -> oltp.Load:
        """The transactions as arrays, as many as that; of a trace as many as it has. seed: where they are generated."""
        seed = self.seed if seed is None else seed
        if self.generated is not None:
            return path_loads.loaded(self.generated, transactions, seed)
        return _of_trace(self._read, self.references)

    def left_out(self) -> Iterator[str]:
        """What of a trace is not in its load: its trims."""
        if self.source is not None:
            yield from replays.left_out(replays.opened(self.source).trims)

    @property
    def _read(self) -> sources.Source:
        return present(self.source, "a plan has a load that is generated, or a source")


def asked(system: System) -> Asked:
    """The transactions of a system, on pages of its size. A trace that knows the size of its own keeps that.

    Raises ModelError as reading its source does, for a trace too short for one, and for pages it cannot lie on.
    """
    load, asked_bytes = system.load, system.memory.page_bytes
    page_bytes = asked_bytes or USUAL_PAGE_BYTES
    if load.source in (TPCC, TPCC_WRITES):
        mix = "write-intensive" if load.source == TPCC_WRITES else load.mix
        return Asked(TpcC(warehouses=load.warehouses, mix=mix, page_bytes=page_bytes))
    if load.source == DEBIT_CREDIT:
        return Asked(DebitCredit().on_pages(page_bytes))
    if load.source == tpox.SOURCE:
        mapping, mix = load.tpox_mapping, load.tpox_mix
        return Asked(Tpox(plain_bytes=load.tpox_bytes, mapping=mapping, mix=mix, page_bytes=page_bytes))
    references = max(1, round(load.rate_hz / load.transaction_rate_hz))
    return Asked(source=sources.named(load.source, page_bytes=asked_bytes), references=references)


@remembered
def _of_trace(source: sources.Source, references: int) -> oltp.Load:
    found = replays.opened(source).references
    size = min(found.size, MOST_REFERENCES) // references * references
    require(
        size >= 20 * references,
        f"{source.name}: it has {found.size} page references, too few for 20 transactions of {references} each",
    )
    requests = Requests(
        arrival_s=np.zeros(size),
        op=np.where(found.writes[:size], WRITE, 0).astype(np.uint8),
        page=found.pages[:size].astype(np.int64),
        pages=np.ones(size, np.int32),
        stream=np.zeros(size, np.int16),
        page_bytes=source.page_bytes,
    )
    unlocked = np.full(size, NO_LOCK)  # a trace says nothing of locks, and whole pages would be held far too long
    return oltp.of_requests(source.name, requests, np.arange(0, size + 1, references), lock=unlocked)


class Visits(NamedTuple):
    """Pages per transaction of a level, cold and hot. of_type, variance: float64[types], of all pages together, over
    the transactions of a type."""

    cold: float
    hot: float
    of_type: np.ndarray
    variance: np.ndarray


class Shape(NamedTuple):
    """What does not depend on the caches. updates: share of the transactions that change something. changed: pages that
    such a one changes. hot_pages: how many there are, pages: in all.
    """

    updates: float
    changed: float
    hot_pages: int
    pages: int


class Types(NamedTuple):
    """The types of a load's transactions, arrays of one entry each. share: of the transactions. updates: share of the
    type that changes something. processing: its processor time over that of all. references: per transaction;
    references_variation: their squared coefficient of variation.
    """

    names: tuple[str, ...]
    share: np.ndarray
    updates: np.ndarray
    processing: np.ndarray
    references: np.ndarray
    references_variation: np.ndarray


class _Prepared(NamedTuple):
    """What is counted, from the transaction on with which the second half begins. type: int64[transactions], among
    the names of those that occur."""

    load: oltp.Load
    references: References
    hot: np.ndarray
    first: np.ndarray
    warm_up: int
    names: tuple[str, ...]
    type: np.ndarray


class Looked(NamedTuple):
    """So many transactions, their references, and of these how many come before counting begins."""

    load: oltp.Load
    references: References
    warm_up: int

    @property
    def warm_pages(self) -> int:
        """Pages that are touched before: they are numbered as they first appear."""
        return int(self.references.pages[: self.warm_up].max()) + 1


@remembered
def _looked(of: Asked, transactions: int) -> Looked:
    load = of.load(transactions)
    return Looked(load, References.of(load.page, load.write), int(load.first[load.transactions // 2]))


def _enough(of: Asked, cached_pages: int) -> int:
    """So many transactions that caches of so many pages are full when counting begins, as far as `MOST_MADE` goes.

    A trace has what it has.
    """
    count = TRANSACTIONS
    while of.generated is not None:
        found = _looked(of, count)
        if found.warm_pages >= min(cached_pages, found.load.pages) or 2 * found.references.size > MOST_MADE:
            break
        count *= 2
    return count


def looked(of: Asked, cached_pages: int) -> Looked:
    """The transactions that are counted where caches have so many pages."""
    return _looked(of, _enough(of, cached_pages))


def filled(of: Asked, cached_pages: int) -> float:
    """Share of a cache, as far as there are pages for it, that is full when counting begins: below 1 nothing leaves it
    for room."""
    found = looked(of, cached_pages)
    return min(found.warm_pages / min(cached_pages, found.load.pages), 1.0)


def transactions_to_fill(of: Asked, cached_pages: int) -> int:
    """Transactions after which a cache of so many pages is full, or as many as are looked at before counting.

    0 of a trace, which touches what it touches when it did.
    """
    if of.generated is None:
        return 0
    found = looked(of, cached_pages)
    place = int(np.argmax(found.references.pages >= min(cached_pages, found.warm_pages) - 1))
    return int(np.searchsorted(found.load.first, place, side="right"))


def _prepared(of: Asked, hot_share: float, cached_pages: int = 0) -> _Prepared:
    """What is counted for caches of so many pages."""
    return _made(of, hot_share, _enough(of, cached_pages))


@remembered
def _made(of: Asked, hot_share: float, transactions: int) -> _Prepared:
    load, references, warm_up = _looked(of, transactions)
    half = load.transactions // 2
    present_types, type_ = np.unique(load.kind[half:], return_inverse=True)
    names = tuple(load.kinds[number] for number in present_types.tolist())
    return _Prepared(load, references, _hot(of, references, load, hot_share), load.first[half:], warm_up, names, type_)


def _hot(of: Asked, references: References, load: oltp.Load, share: float) -> np.ndarray:
    """Whether each page, by its dense number, is hot: BRANCH and TELLER of Debit-Credit, else those most asked for."""
    if of.debit_credit is not None:
        sizes = of.debit_credit.pages_of()
        return references.ids < sizes["BRANCH"] + sizes["TELLER"]
    counts = np.bincount(references.pages, minlength=references.distinct)
    hot = np.zeros(references.distinct, bool)
    hot[np.argsort(-counts, kind="stable")[: max(1, round(share * load.pages))]] = True
    return hot


@remembered
def shape(of: Asked, hot_share: float) -> Shape:
    """The load without caches."""
    made = _prepared(of, hot_share)
    writes, changing = _changing(made.load)
    return Shape(
        updates=float(changing.mean()),
        changed=float(writes[changing].mean()) if changing.any() else 0.0,
        hot_pages=int(made.hot.sum()),
        pages=made.load.pages,
    )


def _changing(load: oltp.Load) -> tuple[np.ndarray, np.ndarray]:
    """Pages that each transaction changes, and whether it leaves a log for it."""
    writes = np.add.reduceat(load.write.astype(np.int64), load.first[:-1])
    silent = [number for number, kind in enumerate(load.kinds) if kind in load.uncommitted]
    return writes, (writes > 0) & ~np.isin(load.kind, silent)


@remembered
def types(of: Asked, hot_share: float) -> Types:
    """The types of its transactions, as many as occur in the half that is counted."""
    made = _prepared(of, hot_share)
    share = np.bincount(made.type) / made.type.size
    references, variance = _by_type(np.diff(made.first).astype(float), made.type)
    _, changing = _changing(made.load)
    updates = [changing[made.load.kind == made.load.kinds.index(name)].mean() for name in made.names]
    times = of.processor_times(1.0)
    each = np.ones(share.size) if isinstance(times, float) else np.array([dict(times)[name] for name in made.names])
    return Types(made.names, share, np.array(updates), each / (share @ each), references, variance / references**2)


def _by_type(values: np.ndarray, type_: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of values, one per transaction, over the transactions of each type."""
    count = np.bincount(type_)
    mean = np.bincount(type_, values) / count
    return mean, np.bincount(type_, (values - mean[type_]) ** 2) / count


@remembered
def _replayed(of: Asked, hot_share: float, policy: str, frames: int) -> Replay:
    made = _prepared(of, hot_share, frames)
    return replay(made.references, frames, policy, warm_up=made.warm_up, keep_written=True, each=True)


@remembered
def reads(of: Asked, hot_share: float, policy: str, frames: int) -> Visits:
    """Pages that a transaction reads because a cache of so many frames does not hold them."""
    made, run = _prepared(of, hot_share, frames), _replayed(of, hot_share, policy, frames)
    missed = ~_there(run.hit)
    hot = made.hot[made.references.pages[made.warm_up :]]
    return _visits(made, missed, missed & hot)


@remembered
def writes(of: Asked, hot_share: float, policy: str, frames: int) -> Visits:
    """Changed pages that must leave the buffer while a transaction runs."""
    made, run = _prepared(of, hot_share, frames), _replayed(of, hot_share, policy, frames)
    order = np.argsort(made.references.ids)
    written = order[np.searchsorted(made.references.ids, _there(run.written), sorter=order)]
    until = _there(run.write_backs_before)
    before = np.diff(until, prepend=0)
    hot = np.append(0, np.cumsum(made.hot[written]))[until]
    return _visits(made, before, np.diff(hot, prepend=0))


@remembered
def forced(of: Asked, hot_share: float) -> Visits:
    """Pages that a transaction changes, each once: FORCE writes them before it ends, whatever the caches hold.

    A page that leaves before its transaction ends would be written twice; that is left out.
    """
    made = _prepared(of, hot_share)
    load, references, warm_up = made.load, made.references, made.warm_up
    began = np.zeros(references.pages.size, np.int64)
    began[load.first[1:-1]] = 1
    changes = np.flatnonzero(load.write)
    changes = changes[changes >= warm_up]
    key = np.cumsum(began)[changes] * references.distinct + references.pages[changes].astype(np.int64)
    once = np.zeros(references.pages.size - warm_up, bool)
    once[changes[np.unique(key, return_index=True)[1]] - warm_up] = True
    return _visits(made, once, once & made.hot[references.pages[warm_up:]])


def _there(array: np.ndarray | None) -> np.ndarray:
    """What the replay was asked to return."""
    return present(array, "a replay that was asked for it returns each reference")


def _visits(made: _Prepared, each: np.ndarray, hot: np.ndarray) -> Visits:
    """Sums over the transactions that are counted, as means over all and over each type."""
    first = made.first - made.warm_up
    per = np.add.reduceat(each.astype(np.int64), first[:-1])
    of_hot = np.add.reduceat(hot.astype(np.int64), first[:-1]).mean()
    return Visits(float(per.mean() - of_hot), float(of_hot), *_by_type(per.astype(float), made.type))
