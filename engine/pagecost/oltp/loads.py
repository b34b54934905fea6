"""Transactions as the loop takes them: which pages they touch in which order, what they change and what they lock."""

from dataclasses import dataclass, replace

import numpy as np

from pagecost.errors import require
from pagecost.remembering import shared
from pagecost.requests import WRITE, Requests
from pagecost.workload import tpox as tpox_pages
from pagecost.workload.debit_credit import DebitCredit
from pagecost.workload.tpcc import TRANSACTIONS, TpcC

NO_LOCK = -1
ROLLED_BACK = "New-Order, rolled back"
KIND_BITS = 40  # of the number of a document that is locked; above them stands its kind


@dataclass(frozen=True, eq=False)
class Load:
    """Transactions, aligned arrays. Transaction t makes the references first[t] .. first[t + 1] - 1.

    kinds: names of the types. first: int64[transactions + 1]. page: int64[references], 0 <= page < pages. write:
    bool[references]. lock: int64[references], what is locked (exclusively where it is written, else shared), below 0
    for nothing. kind: uint8[transactions], numbers in `kinds`. pages: of the file. page_bytes: of a page. uncommitted:
    types that leave no log although they change pages. think_s: float64[transactions], how long the user thinks before
    each, where the load says it itself; None: as the system says. Raises ModelError where they do not fit together.
    """

    name: str
    kinds: tuple[str, ...]
    first: np.ndarray
    page: np.ndarray
    write: np.ndarray
    lock: np.ndarray
    kind: np.ndarray
    pages: int
    page_bytes: int
    uncommitted: tuple[str, ...] = ()
    think_s: np.ndarray | None = None

    def __post_init__(self):
        size = self.page.size
        require(self.transactions >= 1, f"{self.name}: a load needs at least one transaction")
        require(
            self.first[0] == 0 and self.first[-1] == size and bool((np.diff(self.first) >= 0).all()),
            f"{self.name}: its transactions must cover its references 0..{size}; got {self.first[0]}..{self.first[-1]}",
        )
        require(
            self.write.size == size and self.lock.size == size and self.kind.size == self.transactions,
            f"{self.name}: write and lock need {size} entries and kind {self.transactions}; got {self.write.size}, "
            f"{self.lock.size} and {self.kind.size}",
        )
        require(
            int(self.kind.max(initial=0)) < len(self.kinds),
            f"{self.name}: a type of transaction without a name; got number {self.kind.max(initial=0)}",
        )
        low, high = int(self.page.min(initial=0)), int(self.page.max(initial=0))
        require(low >= 0 and high < self.pages, f"{self.name}: pages must be 0..{self.pages - 1}; got {low}..{high}")
        thinks = np.zeros(self.transactions) if self.think_s is None else self.think_s
        require(
            thinks.size == self.transactions and bool((thinks >= 0).all()) and bool(np.isfinite(thinks).all()),
            f"{self.name}: each of {self.transactions} transactions needs a think time of at least 0 s; got "
            f"{thinks.size}, from {thinks.min(initial=0):g} to {thinks.max(initial=0):g} s",
        )

    @property
    def transactions(self) -> int:
        """Number of transactions."""
        return self.first.size - 1

    @property
    def longest(self) -> int:
        """Most references of a transaction."""
        return int(np.diff(self.first).max())


def tpcc(model: TpcC | None = None, transactions: int = 20_000, seed: int = 1) -> Load:
    """TPC-C with the row locks of `TpcC.run`, which hold until the end; what is rolled back is a type of its own.

    Raises ModelError as `TpcC.run` does.
    """
    return _tpcc(model or TpcC(), transactions, seed)


@shared(4)
def _tpcc(model: TpcC, transactions: int, seed: int) -> Load:
    run = model.run(transactions, seed)
    pages = max(sum(model.pages_of().values()), int(run.page.max()) + 1)
    kinds = (*TRANSACTIONS, ROLLED_BACK)
    kind = np.where(run.aborted, len(TRANSACTIONS), run.kinds).astype(np.uint8)
    return Load("TPC-C", kinds, run.first, run.page, run.write, run.lock, kind, pages, model.page_bytes, (ROLLED_BACK,))


def debit_credit(model: DebitCredit | None = None, transactions: int = 20_000, seed: int = 1) -> Load:
    """Debit-Credit (Rahm 1992, §3.1), all pages locked but those of HISTORY."""
    return _debit_credit(model or DebitCredit(), transactions, seed)


@shared(4)
def _debit_credit(model: DebitCredit, transactions: int, seed: int) -> Load:
    requests = model.requests(transactions, seed)
    lock = np.where(requests.stream == 1, NO_LOCK, requests.page)
    return of_requests("Debit-Credit", requests, np.arange(transactions + 1) * 4, lock=lock)


def tpox(database: tpox_pages.Database, mix: str = "half writes", transactions: int = 20_000, seed: int = 1) -> Load:
    """The TPoX transactions of Schmidt 2009 with a mix that `workload.tpox.parts_of` knows.

    The document in hand is locked to the end, shared by who reads it; pages of indexes are held as long as they are
    looked at. Raises ModelError as `workload.tpox.workload`.
    """
    made = tpox_pages.workload(database, transactions, seed=seed, mix=mix)
    kinds = {kind: number for number, kind in enumerate(database.collections)}
    stored = np.zeros(made.requests.size, bool)
    for collection in database.collections.values():
        area = collection.containers
        stored |= (made.requests.page >= area.first) & (made.requests.page < area.first + area.pages)
    kind = np.array([kinds[each.kind] for each in tpox_pages.TRANSACTIONS.values()], np.int64)[made.which]
    document = np.repeat((kind << KIND_BITS) | made.document, np.diff(made.first))
    load = of_requests(
        "TPoX",
        made.requests,
        made.first,
        lock=np.where(stored, document, NO_LOCK),
        kinds=tuple(each.title for each in tpox_pages.TRANSACTIONS.values()),
        kind=made.which,
    )
    return replace(load, pages=database.pages)


def of_requests(name: str, requests: Requests, first, *, lock=None, kinds=("transaction",), kind=None) -> Load:
    """A recorded stream of page requests as transactions: t has the requests first[t] .. first[t + 1] - 1.

    lock, kind: as in `Load`; without them every page is locked as a whole, and all transactions are of one type.
    Raises ModelError unless each request is one page, and as `Load`.
    """
    require(bool((requests.pages == 1).all()), f"{name}: a load of transactions has one page per request")
    first = np.asarray(first, np.int64)
    require(first.size >= 2, f"{name}: a load needs at least one transaction")
    return Load(
        name,
        tuple(kinds),
        first,
        requests.page.astype(np.int64),
        requests.op == WRITE,
        (requests.page if lock is None else np.asarray(lock)).astype(np.int64),
        np.zeros(first.size - 1, np.uint8) if kind is None else np.asarray(kind, np.uint8),
        int(requests.page.max(initial=0)) + 1,
        requests.page_bytes,
    )
