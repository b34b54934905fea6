"""The eight TPoX transactions of Schmidt 2009, section 6, as the pages that they touch in a database of any size.

A database is three collections, each with containers, an index over them and an element index. How many pages these
have comes from stored samples (`footprints`); documents follow each other, so a document's pages follow from its
number. A query draws a document at random, finds its entry in the element index, goes down the document index and
visits one or two containers.
"""

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagecost.errors import require
from pagecost.requests import READ, WRITE, Requests
from pagecost.xmlstore import footprints
from pagecost.xmlstore.documents import tpox
from pagecost.xmlstore.mappings import MAPPINGS
from pagecost.xmlstore.pages_kernels import HEADER, slot_width


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
"""Five that read and three that write (the paper speaks of "the remaining four" of eight, see its claim X10)."""


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
    """The collections of one mapping and size. plain_bytes: as text. pages: of everything."""

    mapping: str
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
    name: np.ndarray  # text, one per transaction
    first: np.ndarray  # int64[n + 1]: its requests
    records: np.ndarray  # float64: records that it looks at
    decoded: np.ndarray  # float64: labels that it decodes to get there
    log_bytes: np.ndarray  # float64: of its log record, 0 for queries


@functools.lru_cache(maxsize=64)
def database(mapping: str, plain_bytes: float, page_bytes: int = 4096, seed: int = 1) -> Database:
    """A TPoX database of that size under a mapping, from stored samples of its collections."""
    at = 1
    collections, plain, stored = {}, 0.0, 0.0
    for kind, documents in tpox.counts(plain_bytes).items():
        found = footprints.of_collection(kind, plain_bytes, tuple(MAPPINGS), page_bytes, 1.0, "drop", seed)[mapping]
        footprint = found.footprint
        pages = math.ceil(footprint.bytes * found.times / page_bytes)
        label = footprint.full_label_bytes / footprint.records
        suffix = (footprint.label_bytes - footprint.label_length_bytes) / footprint.records
        containers = Area(at, pages)
        at += pages
        index, at = _levels(at, pages, label, page_bytes)
        entry = 1 + (suffix if MAPPINGS[mapping].compressed else 2 + label) + 2 + slot_width(page_bytes)
        leaves = math.ceil(documents / ((page_bytes - HEADER) // entry))
        above, at = _levels(at, leaves, label + 2, page_bytes)
        entries = (*above, Area(at, leaves))
        at += leaves
        collections[kind] = Collection(documents, containers, index, entries, footprint.records / footprint.pages)
        plain += footprint.plain_bytes * found.times
        stored += footprint.bytes * found.times
    return Database(mapping, plain, stored / plain, collections, at, page_bytes)


def workload(of: Database, transactions: int, write_share: float, seed: int = 1) -> Workload:
    """That many transactions in a row, single user. write_share: of transactions that write, 0 to 1.

    The five queries, and the three writers, are equally likely. A new order or account costs one entry of the element
    index (that of its topmost element). Raises ModelError for a share outside 0..1.
    """
    require(0 <= write_share <= 1, f"write_share must be 0..1; got {write_share:g}")
    require(transactions > 0, f"a workload has at least 1 transaction; got {transactions}")
    draw = np.random.default_rng(seed)
    names = np.array(list(TRANSACTIONS))
    writing = np.array([transaction.writes for transaction in TRANSACTIONS.values()])
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
    return Workload(requests, names[which], np.concatenate([[0], np.cumsum(counts)]), *_work(of, which, counts))


def _levels(at: int, pages: int, label_bytes: float, page_bytes: int) -> tuple[tuple[Area, ...], int]:
    """The areas of an index above so many pages, root first; the next free page."""
    fan_out = (page_bytes - HEADER) // (1 + label_bytes + 4 + slot_width(page_bytes))
    sizes = []
    while pages > 1:
        pages = math.ceil(pages / fan_out)
        sizes.append(pages)
    areas = []
    for size in reversed(sizes):
        areas.append(Area(at, size))
        at += size
    return tuple(areas), at


def _steps(of: Database, transaction: Transaction, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pages (int64[steps, n], -1 where a step is not needed) of a transaction at random documents, and their ops."""
    collection = of.collections[transaction.kind]
    number = np.floor(place * collection.documents)
    if transaction.appends:
        number = np.full_like(number, collection.documents - 1)
    begin, end = ((number + part) / collection.documents for part in (transaction.first, transaction.last))
    middle = number / collection.documents
    rows = [area.page(middle) for area in (*collection.entries, *collection.index)]
    first, last = collection.containers.page(begin), collection.containers.page(np.nextafter(end, 0))
    rows += [first, np.where(last > first, last, -1)]
    ops = np.full(len(rows), READ)
    if transaction.writes:
        ops[-2:] = WRITE
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
        compressed = MAPPINGS[of.mapping].compressed
        decoded.append(collection.records_per_page / 2 if compressed else math.log2(collection.records_per_page))
        log.append(transaction.text_bytes * of.stored_share)
    return tuple(np.array(values)[which] for values in (per_document, decoded, log))
