"""The eight TPoX transactions of Schmidt 2009, section 6, as the pages that they touch in a database of any size.

A database is three collections, each with containers, an index over them and an element index. How many pages these
have is said by a `Database`; documents follow each other, so a document's pages follow from its number. A query draws a
document at random, finds its entry in the element index, goes down the document index and reads the containers that
hold its part of the document.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagecost.errors import require
from pagecost.requests import READ, WRITE, Requests
from pagecost.workload import mixes

SOURCE, TITLE = "tpox", "TPoX, XML transactions (of whole systems only)"
"""What a system calls this load: no list of pages by itself, for these depend on how documents are stored."""


class Transaction(NamedTuple):
    """One of the eight. first, last: the part of the document that it reads, 0..1. text_bytes: what it writes, as text.

    appends: the document is a new one, behind all others.
    """

    title: str
    kind: str
    first: float
    last: float
    text_bytes: int = 0
    appends: bool = False

    @property
    def writes(self) -> bool:
        return self.text_bytes > 0


# places in a document: names lie at the front, prices at the end, accounts in the second half of a customer
TRANSACTIONS = {
    "order": Transaction("return an order", "order", 0.0, 1.0),
    "price": Transaction("return a security's price", "security", 0.9, 0.9),
    "search": Transaction("search for a security", "security", 0.0, 0.0),
    "customer": Transaction("resolve a customer", "customer", 0.0, 0.1),
    "accounts": Transaction("report an account summary", "customer", 0.4, 1.0),
    "place": Transaction("place an order", "order", 0.0, 1.0, text_bytes=1550, appends=True),
    "update": Transaction("update a price", "security", 0.9, 0.9, text_bytes=30),
    "open": Transaction("create an account", "customer", 0.9, 0.9, text_bytes=2400),
}
"""Five that read and three that write (the paper speaks of "the remaining four" of eight, see its claim S26.named)."""


MIXES: Mapping[str, tuple[float, ...]] = {
    "queries": (1, 1, 1, 1, 1, 0, 0, 0),
    "a tenth writes": (27, 27, 27, 27, 27, 5, 5, 5),
    "half writes": (3, 3, 3, 3, 3, 5, 5, 5),  # Schmidt 2009, Fig. 8
    "writers": (0, 0, 0, 0, 0, 1, 1, 1),
}
"""Parts of each of `TRANSACTIONS` in a mix, by its name: queries, and writers, are equally likely among themselves."""


def parts_of(mix: str) -> tuple[float, ...]:
    """Parts of each of `TRANSACTIONS`: of a mix of `MIXES`, or of "order=60,place=40" in percent.

    Raises ModelError as `mixes.parts`.
    """
    return mixes.parts("TPoX mix", mix, MIXES, list(TRANSACTIONS))


@dataclass(frozen=True)
class Area:
    """Consecutive pages of one level of one tree."""

    first: int
    pages: int

    def page(self, share: np.ndarray) -> np.ndarray:
        """The page at a place of the area, 0 at its begin and 1 at its end."""
        return self.first + np.minimum((share * self.pages).astype(np.int64), self.pages - 1)


@dataclass(frozen=True)
class Collection:
    """One kind of document. index, entries: areas from the root down; the last of `entries` holds the entries."""

    documents: int
    containers: Area
    index: tuple[Area, ...]
    entries: tuple[Area, ...]
    records_per_page: float


@dataclass(frozen=True)
class Database:
    """The collections of one storage mapping and size. compressed: labels are, and are decoded from a page's first.

    plain_bytes: as text. stored_share: stored bytes over those. pages: of everything.
    """

    mapping: str
    compressed: bool
    plain_bytes: float
    stored_share: float
    collections: dict[str, Collection]
    pages: int
    page_bytes: int

    @property
    def height(self) -> int:
        """Levels of the largest document index, above its containers."""
        return max(len(collection.index) for collection in self.collections.values())


class Workload(NamedTuple):
    """Page requests of many transactions, and for each transaction its name and what the processor does."""

    requests: Requests
    which: np.ndarray  # int64[n], numbers in `TRANSACTIONS`
    name: np.ndarray  # text, one per transaction
    document: np.ndarray  # int64[n]: the number of its document among those of its kind; new ones count on
    first: np.ndarray  # int64[n + 1]: its requests
    records: np.ndarray  # float64: records that it looks at
    decoded: np.ndarray  # float64: labels that it decodes to get there
    log_bytes: np.ndarray  # float64: of its log record, 0 for queries


def workload(
    of: Database, transactions: int, write_share: float = 0.0, seed: int = 1, mix: str | None = None
) -> Workload:
    """That many transactions in a row, single user. write_share: of transactions that write, 0 to 1.

    The five queries, and the three writers, are equally likely, or all are as a mix says that `parts_of` knows. A new
    order or account costs one entry of the element index (that of its topmost element). Raises ModelError for a share
    outside 0..1, and as `parts_of`.
    """
    require(0 <= write_share <= 1, f"write_share must be 0..1; got {write_share:g}")
    require(transactions > 0, f"a workload has at least 1 transaction; got {transactions}")
    draw = np.random.default_rng(seed)
    names = np.array(list(TRANSACTIONS))
    writing = np.array([transaction.writes for transaction in TRANSACTIONS.values()])
    if mix is not None:
        parts = np.array(parts_of(mix), float)
        which = draw.choice(names.size, transactions, p=parts / parts.sum())
    else:
        which = np.where(
            draw.random(transactions) < write_share,
            draw.choice(np.flatnonzero(writing), transactions),
            draw.choice(np.flatnonzero(~writing), transactions),
        )
    place = draw.random(transactions)
    steps = [_steps(of, transaction, place) for transaction in TRANSACTIONS.values()]
    most = max(pages.shape[0] for pages, _ in steps)
    pages, ops = np.full((most, transactions), -1, np.int64), np.zeros((most, transactions), np.uint8)
    for number, (own, op) in enumerate(steps):
        chosen = which == number
        pages[: own.shape[0], chosen] = own[:, chosen]
        ops[: own.shape[0], chosen] = op[:, None]
    kept = (pages >= 0).T
    counts = kept.sum(axis=1)
    size = int(counts.sum())
    requests = Requests(
        arrival_s=np.zeros(size),
        op=ops.T[kept],
        page=pages.T[kept],
        pages=np.ones(size, np.int32),
        stream=np.repeat(which, counts).astype(np.int16),
        page_bytes=of.page_bytes,
    )
    first = np.concatenate([[0], np.cumsum(counts)])
    return Workload(requests, which, names[which], _documents(of, which, place), first, *_work(of, which, counts))


def _documents(of: Database, which: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The number of each transaction's document within its kind, int64[n]; each new one has a number of its own."""
    document = np.zeros(which.size, np.int64)
    for number, transaction in enumerate(TRANSACTIONS.values()):
        chosen = which == number
        documents = of.collections[transaction.kind].documents
        document[chosen] = (place[chosen] * documents).astype(np.int64)
        if transaction.appends:
            document[chosen] = documents + np.arange(chosen.sum())
    return document


def _steps(of: Database, transaction: Transaction, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pages (int64[steps, n], -1 where a step is not needed) of a transaction at random documents, and their ops."""
    collection = of.collections[transaction.kind]
    number = np.floor(place * collection.documents)
    if transaction.appends:
        number = np.full_like(number, collection.documents - 1)
    begin, end = ((number + part) / collection.documents for part in (transaction.first, transaction.last))
    middle = number / collection.documents
    rows = [area.page(middle) for area in (*collection.entries, *collection.index)]
    first = collection.containers.page(begin)
    last = np.maximum(collection.containers.page(np.nextafter(end, 0)), first)  # a place is on one page
    read = [first + step for step in range(int((last - first).max(initial=0)) + 1)]
    rows += [np.where(page <= last, page, -1) for page in read]
    ops = np.full(len(rows), READ)
    if transaction.writes:
        ops[-len(read) :] = WRITE
        if transaction.kind != "security":
            ops[len(collection.entries) - 1] = WRITE
    return np.stack(rows), ops


def _work(of: Database, which: np.ndarray, pages: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Records looked at, labels decoded, and log bytes of each transaction."""
    per_document, decoded, log = [], [], []
    for transaction in TRANSACTIONS.values():
        collection = of.collections[transaction.kind]
        in_document = collection.records_per_page * collection.containers.pages / collection.documents
        per_document.append(1 + (transaction.last - transaction.first) * in_document)
        decoded.append(collection.records_per_page / 2 if of.compressed else math.log2(collection.records_per_page))
        log.append(transaction.text_bytes * of.stored_share)
    return tuple(np.array(values)[which] for values in (per_document, decoded, log))
