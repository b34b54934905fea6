"""Relative reference matrix: which transaction type refers to which partition how often (Rahm 1992, §2; his TPSIM)."""

from dataclasses import dataclass, field

import numpy as np

from pagecost.errors import require
from pagecost.requests import READ, WRITE, Requests
from pagecost.workload.zipf import zipf_pages


@dataclass(frozen=True, kw_only=True, slots=True)
class Partition:
    """A part of the database.

    pages: its size, which appending makes grow. alpha: Zipf exponent of its pages, 0 for even. records_per_page: 0, or
    how many references append to a page before the next one is begun. same_page_as: 0, or the number (from 1) of an
    earlier partition on whose page, just referenced by the transaction, its records are stored.
    """

    name: str
    pages: int = 1
    alpha: float = 0.0
    records_per_page: int = 0
    same_page_as: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class TransactionType:
    """share: relative frequency of the type. row: references per transaction to each partition; a mean if not whole."""

    name: str
    share: float
    row: tuple[float, ...]
    write_share: float = 0.0


def _two_partitions():
    return (Partition(name="orders", pages=20_000, alpha=0.8), Partition(name="items", pages=5_000, alpha=0.8))


def _two_types():
    return (
        TransactionType(name="order", share=1, row=(4, 6), write_share=0.5),
        TransactionType(name="query", share=3, row=(1, 12.5)),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class ReferenceMatrix:
    """Transactions of the types, in proportion to their shares, on the partitions.

    A transaction refers to the partitions in their order, row[p] times each; of a fraction as many as chance decides.
    Streams of the requests are the partitions, page numbers run through them.
    """

    partitions: tuple[Partition, ...] = field(default_factory=_two_partitions)
    types: tuple[TransactionType, ...] = field(default_factory=_two_types)
    page_bytes: int = 4096

    def __post_init__(self):
        require(len(self.partitions) > 0, "a reference matrix needs at least one partition")
        require(len(self.types) > 0, "a reference matrix needs at least one transaction type")
        for number, part in enumerate(self.partitions):
            require(part.pages >= 1, f"partition {part.name}: pages must be at least 1; got {part.pages}")
            require(part.alpha >= 0, f"partition {part.name}: alpha must not be negative; got {part.alpha}")
            require(
                0 <= part.same_page_as <= number,
                f"partition {part.name}: same_page_as must name an earlier one; got {part.same_page_as}",
            )
        for type in self.types:
            require(
                len(type.row) == len(self.partitions),
                f"type {type.name}: one entry per partition ({len(self.partitions)}); got {len(type.row)}",
            )
            require(min(type.row) >= 0, f"type {type.name}: references must not be negative; got {min(type.row)}")
            require(type.share > 0, f"type {type.name}: share must be positive; got {type.share}")
            require(0 <= type.write_share <= 1, f"type {type.name}: write_share must be 0..1; got {type.write_share}")
            for part, entry in zip(self.partitions, type.row, strict=True):
                shared = part.same_page_as
                require(
                    shared == 0 or (entry == 1 and type.row[shared - 1] == 1) or entry == 0,
                    f"type {type.name}: {part.name} shares a page, so both must be referenced once; got {entry}",
                )

    def relative(self) -> np.ndarray:
        """The matrix as shares of all references, shape (types, partitions), sum 1."""
        rows = np.array([np.array(type.row) * type.share for type in self.types], float)
        return rows / rows.sum()

    def requests(self, transactions: int, seed: int = 1) -> Requests:
        """Page requests of `transactions` transactions. Raises ModelError unless at least one reference comes out."""
        require(transactions >= 1, f"a reference matrix needs at least one transaction; got {transactions}")
        random = np.random.default_rng(seed)
        shares = np.array([type.share for type in self.types], float)
        kind = random.choice(len(self.types), transactions, p=shares / shares.sum())
        rows = np.array([type.row for type in self.types], float)[kind]
        counts = (np.floor(rows) + (random.random(rows.shape) < rows % 1)).astype(np.int64)
        size = int(counts.sum())
        require(size > 0, "no reference came out: the rows of the matrix are too small for so few transactions")
        stream = np.repeat(np.tile(np.arange(len(self.partitions)), transactions), counts.ravel())
        transaction = np.repeat(np.arange(transactions), counts.sum(axis=1))
        page = np.empty(size, np.int64)
        first = np.cumsum([0, *(part.pages for part in self.partitions)])
        growing = first[-1]
        for number, part in enumerate(self.partitions):
            places = np.flatnonzero(stream == number)
            if part.same_page_as:
                of_transaction = np.empty(transactions, np.int64)
                others = np.flatnonzero(stream == part.same_page_as - 1)
                of_transaction[transaction[others]] = page[others]
                page[places] = of_transaction[transaction[places]]
            elif part.records_per_page:
                page[places] = growing + np.arange(places.size) // part.records_per_page
                growing += -(-places.size // part.records_per_page)
            elif places.size:
                seed_here = int(random.integers(1 << 62))
                even = random.integers(0, part.pages, places.size)
                skewed = zipf_pages(places.size, part.pages, part.alpha, seed_here) if part.alpha else even
                page[places] = first[number] + skewed
        writes = np.array([type.write_share for type in self.types])[kind[transaction]]
        return Requests(
            arrival_s=np.zeros(size),
            op=np.where(random.random(size) < writes, WRITE, READ),
            page=page,
            pages=np.ones(size, np.int32),
            stream=stream.astype(np.int16),
            page_bytes=self.page_bytes,
        )


def debit_credit_matrix() -> ReferenceMatrix:
    """Debit-Credit of Rahm 1992, Table 4.1, as a matrix of one row: ACCOUNT, HISTORY, BRANCH, TELLER, one each.

    BRANCH and TELLER share a page. That 85 % of the accounts belong to the own branch cannot be said in a matrix and
    does not change which account pages are referenced how often: all alike.
    """
    return ReferenceMatrix(
        partitions=(
            Partition(name="ACCOUNT", pages=5_000_000),
            Partition(name="HISTORY", records_per_page=20),
            Partition(name="BRANCH", pages=500),
            Partition(name="TELLER", same_page_as=3),
        ),
        types=(TransactionType(name="debit-credit", share=1, row=(1, 1, 1, 1), write_share=1),),
    )
