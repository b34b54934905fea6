"""Transactions as arrays: Debit-Credit, a synthetic load with a relative reference matrix, a trace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pagecost.errors import require
from pagecost.remembering import remembered
from pagecost.requests import WRITE, Requests
from pagecost.transactions import storage_kernels as kernels
from pagecost.workload.debit_credit import DebitCredit
from pagecost.workload.shuffled import is_wanted, order

SHIFT = kernels.PARTITION_BITS
TRANSACTIONS = 60_000  # of a load before it repeats, where caches are small
SPARE = 1.25  # transactions before it repeats, for each page that caches hold


@dataclass(frozen=True, eq=False)
class Load:
    """Transactions in order. partitions: their names. first: int64[transactions + 1], first reference of each.

    page, lock: int64[references], keys of page and object, partition << 40 | number. write: bool. record: uint8, the
    partition that a reference is counted for. appended: records per page of the partitions that grow; the
    numbers of their pages are given when they are referenced.
    """

    name: str
    partitions: tuple[str, ...]
    first: np.ndarray
    page: np.ndarray
    lock: np.ndarray
    write: np.ndarray
    record: np.ndarray
    appended: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self):
        lengths = {array.size for array in (self.page, self.lock, self.write, self.record)}
        require(len(lengths) == 1, f"{self.name}: the arrays of references must have one length; got {sorted(lengths)}")
        size = np.diff(self.first)
        touched = size.size > 0 and bool((size > 0).all())
        require(touched, f"{self.name}: every transaction needs at least one reference")
        require(size.max() <= 64, f"{self.name}: a transaction has at most 64 references; got {size.max()}")

    @property
    def transactions(self) -> int:
        """Number of transactions before they repeat."""
        return self.first.size - 1

    @property
    def longest(self) -> int:
        """Most references of a transaction."""
        return int(np.diff(self.first).max())

    def arrays(self) -> kernels.Load:
        """The arrays as the kernels take them."""
        return kernels.Load(self.first, self.page, self.lock, self.write.view(np.uint8), self.record)


def before_repeating(cached_pages: int) -> int:
    """Transactions of a load that is made, so that none comes back while caches of so many pages still hold its pages.

    Each has one new page at least, which is so of Debit-Credit (ACCOUNT). What is made for some caches serves larger
    ones, up to the next of 60 000 x 2^k transactions.
    """
    wanted = TRANSACTIONS
    while wanted < SPARE * cached_pages:
        wanted *= 2
    return wanted


def turning_over(cached_pages: int) -> int:
    """Transactions until caches of so many pages were turned over three times; large ones once and a half.

    The shortest has one new page at least.
    """
    return min(3 * cached_pages + 1000, max(100_000, cached_pages + cached_pages // 2))


def debit_credit(model: DebitCredit | None = None, transactions: int = TRANSACTIONS, seed: int = 1) -> Load:
    """Debit-Credit (Rahm 1992, §3.1): ACCOUNT, HISTORY, BRANCH, TELLER in this order, all written.

    With clustering the TELLER records lie in the BRANCH partition, and are counted apart.
    """
    return _debit_credit(model or DebitCredit(), transactions, seed, is_wanted())


@remembered
def _debit_credit(model: DebitCredit, transactions: int, seed: int, shuffled: bool) -> Load:
    requests = model.requests(transactions, seed)
    sizes = model.pages_of()
    record = np.tile(np.arange(4, dtype=np.uint8), transactions)
    partition = np.where((record == 3) & model.clustered, 2, record).astype(np.int64)
    start = np.array([sizes["BRANCH"] + sizes["TELLER"], 0, 0, 0 if model.clustered else sizes["BRANCH"]])
    number = np.where(record == 1, 0, requests.page - start[record])
    # objects are uniform within their page, so drawing them afterwards changes nothing
    per_page = np.array([model.account_factor, 1, model.branch_factor, model.teller_factor])[record]
    if model.clustered:
        per_page = np.where(record == 3, model.tellers_per_branch * model.branch_factor, per_page)
    drawn = np.floor(np.random.default_rng((seed, 4)).random(record.size) * per_page).astype(np.int64)
    taken = order(record.size) if shuffled else slice(None)
    return Load(
        "Debit-Credit",
        ("ACCOUNT", "HISTORY", "BRANCH", "TELLER"),
        np.arange(transactions + 1) * 4,
        ((partition << SHIFT) | number)[taken],
        ((record.astype(np.int64) << SHIFT) | (number * per_page + drawn))[taken],
        np.ones(record.size, bool),
        record[taken],
        {"HISTORY": model.history_factor},
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class TransactionType:
    """share of the transactions, number of references, chance that one writes, and a row of the reference matrix."""

    share: float
    references: int
    write_share: float
    row: tuple[float, ...]


def synthetic(
    pages: Mapping[str, int],
    types: Sequence[TransactionType],
    *,
    objects_per_page: int = 10,
    in_order: bool = False,
    appended: Mapping[str, int] | None = None,
    transactions: int = TRANSACTIONS,
    seed: int = 1,
) -> Load:
    """A load with a relative reference matrix: row[j] is the share of a type's references that go to partition j.

    pages: partition -> its number of pages, referenced uniformly (a partition that grows is appended to instead).
    in_order: each transaction makes exactly row[j] · references to each partition, in the order of the partitions,
    so that no deadlocks arise. Raises ModelError where the matrix does not fit.
    """
    names = tuple(pages)
    for number, kind in enumerate(types, start=1):
        who = f"transaction type {number}"
        require(len(kind.row) == len(names), f"{who}: its row needs {len(names)} shares; got {len(kind.row)}")
        require(min(kind.row) >= 0, f"{who}: its row has a negative share; got {min(kind.row)}")
        require(abs(sum(kind.row) - 1) < 1e-9, f"{who}: its row must sum to 1; got {sum(kind.row):g}")
        require(0 <= kind.write_share <= 1, f"{who}: write_share must be 0..1; got {kind.write_share}")
        require(1 <= kind.references <= 64, f"{who}: references must be 1..64; got {kind.references}")
        whole = [share * kind.references for share in kind.row]
        require(
            not in_order or all(abs(count - round(count)) < 1e-9 for count in whole),
            f"{who}: in order, each share times {kind.references} references must be whole; got {whole}",
        )
    total = sum(kind.share for kind in types)
    require(bool(types) and abs(total - 1) < 1e-9, f"the shares of the transaction types must sum to 1; got {total:g}")
    require(all(size >= 1 for size in pages.values()), f"every partition needs a page; got {dict(pages)}")
    random = np.random.default_rng(seed)
    drawn = random.choice(len(types), transactions, p=[kind.share for kind in types])
    lengths = np.array([kind.references for kind in types])[drawn]
    first = np.concatenate([[0], np.cumsum(lengths)])
    partition, write = np.empty(first[-1], np.int64), np.empty(first[-1], bool)
    for number, kind in enumerate(types):
        chosen = np.flatnonzero(drawn == number)
        places = first[chosen][:, None] + np.arange(kind.references)
        if in_order:
            partition[places] = np.repeat(
                np.arange(len(names)), np.rint(np.array(kind.row) * kind.references).astype(int)
            )
        else:
            partition[places] = random.choice(len(names), places.shape, p=kind.row)
        write[places] = random.random(places.shape) < kind.write_share
    number = np.floor(random.random(partition.size) * np.array(list(pages.values()))[partition]).astype(np.int64)
    inside = random.integers(0, objects_per_page, partition.size)
    key = (partition << SHIFT) | number
    return Load(
        "synthetic load",
        names,
        first,
        key,
        (partition << SHIFT) | (number * objects_per_page + inside),
        write,
        partition.astype(np.uint8),
        dict(appended or {}),
    )


def trace(requests: Requests, first: np.ndarray) -> Load:
    """A recorded stream of page requests; transaction i has the requests first[i] : first[i + 1].

    Streams become partitions; a page that two of them share belongs to the one that comes first. Pages are locked as
    a whole.
    """
    require(requests.size > 0, "a trace needs at least one request")
    require((requests.pages == 1).all(), "a trace of transactions has one page per request")
    first = np.asarray(first, np.int64)
    require(
        first[0] == 0 and first[-1] == requests.size,
        f"the transactions of a trace must cover its requests 0..{requests.size}; got {first[0]}..{first[-1]}",
    )
    streams, stream = np.unique(requests.stream, return_inverse=True)
    names = tuple(f"stream {number}" for number in streams)
    _, earliest, page = np.unique(requests.page, return_index=True, return_inverse=True)
    key = (stream.astype(np.int64)[earliest][page] << SHIFT) | requests.page
    return Load("trace", names, first, key, key, requests.op == WRITE, stream.astype(np.uint8))
