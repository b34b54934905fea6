"""TPC-C: five transactions of a wholesale supplier, as the pages that they read and change."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pagecost import cancellation
from pagecost.errors import require
from pagecost.requests import READ, WRITE, Requests
from pagecost.workload import mixes
from pagecost.workload import tpcc_kernels as kernels
from pagecost.workload import tpcc_trees as trees

TRANSACTIONS = ("New-Order", "Payment", "Delivery", "Stock-Level", "Order-Status")
"""The transaction types, in the order of the kernels and of `MIXES`."""

MIXES: Mapping[str, tuple[float, ...]] = {
    "normal": (10, 10, 1, 1, 1),  # Wang 2011, Table 3: 43.48, 43.48, 4.35, 4.35, 4.35 %
    "read-intensive": (1, 1, 1, 10, 10),
    "write-intensive": (96, 1, 1, 1, 1),
    "lee2009": (45, 43, 4, 4, 4),  # Lee 2009, the minimum of the specification with New-Order as the rest
    "new-order": (1, 0, 0, 0, 0),  # one type alone, as Lee measures them
    "order-status": (0, 0, 0, 0, 1),
}
"""Parts of each transaction type in a mix, by its name."""

MIX_TITLES: Mapping[str, str] = {
    **{name: name for name in MIXES},
    "lee2009": "least shares of TPC-C",
    "new-order": "New-Order alone",
    "order-status": "Order-Status alone",
}
"""What people call the mixes of `MIXES`."""


def parts_of(mix: str) -> tuple[float, ...]:
    """Parts of each type of `TRANSACTIONS`: of a mix of `MIXES`, or of "new-order=45,payment=43,…" in percent.

    Raises ModelError as `mixes.parts`.
    """
    return mixes.parts("TPC-C mix", mix, MIXES, [name.lower() for name in TRANSACTIONS])


ROW_BYTES = {
    "WAREHOUSE": 89,
    "DISTRICT": 95,
    "ITEM": 82,
    "CUSTOMER": 655,
    "STOCK": 306,
    "HISTORY": 46,
    "ORDERS": 24,
    "NEW_ORDERS": 8,
    "ORDER_LINE": 54,
}
"""Typical row lengths [B] of the specification's clause 1.2.1, by table, in the order in which they lie in the file."""

LINES = (kernels.LEAST_LINES, kernels.MOST_LINES)  # order lines of an order, from - to
ABORTED = 0.01  # of the New-Orders, clause 2.4.1.4
MOST_LEVELS = 8  # of an index: 1000 warehouses in pages of 1 KB have 6
DISTRICTS, CUSTOMERS, ITEMS = int(kernels.DISTRICTS), int(kernels.CUSTOMERS), int(kernels.ITEMS)
WAREHOUSE_ORDERS = DISTRICTS * CUSTOMERS


@dataclass(frozen=True, kw_only=True, eq=False)
class Run:
    """Transactions and what they touch: transaction i ends before reference ends[i].

    page: int64, shape (references,). write: bool, shape (references,), whether a reference changes its page. kinds:
    uint8, shape (transactions,), numbers in `TRANSACTIONS`. ends: int64, shape (transactions,). aborted: bool, shape
    (transactions,), those that are rolled back: what they changed stays changed in the buffer, nothing is committed.
    lock: int64, shape (references,), the row to lock until the end of the transaction, exclusive where it is written,
    table << 40 | row; -1 where no lock is needed (indexes, ITEM, HISTORY, Stock-Level). starts: int64, shape
    (streams,), the first page of each table and index.
    """

    page: np.ndarray
    write: np.ndarray
    kinds: np.ndarray
    ends: np.ndarray
    aborted: np.ndarray
    lock: np.ndarray
    starts: np.ndarray
    page_bytes: int

    @property
    def first(self) -> np.ndarray:
        """First reference of each transaction, and behind the last: int64, shape (transactions + 1,)."""
        return np.append(0, self.ends)

    @cached_property
    def requests(self) -> Requests:
        """One page each, whose stream is the number of its table in `ROW_BYTES`, or of its index behind them."""
        return Requests(
            arrival_s=np.zeros(self.page.size),
            op=np.where(self.write, WRITE, READ),
            page=self.page,
            pages=np.ones(self.page.size, np.int32),
            stream=(np.searchsorted(self.starts, self.page, side="right") - 1).astype(np.int16),
            page_bytes=self.page_bytes,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class TpcC:
    """The load of the TPC-C specification over so many warehouses of some 70 MB. mix: as `parts_of`.

    Tables are loaded in key order, rows lie in pages whole, new rows go to the end of their table. A row that is read
    or changed is one reference, a run of order lines one for each of its pages. 1 % of a New-Order's items come from
    another warehouse, so do 15 % of the payments; 60 % of the customers are found by last name, of whom there are
    three. What is hot follows from NURand, as the specification asks (clause 2.1.6); all think times are left out.

    indexes: a row is found through a B-tree (`INDEXES`), every page from its root to a leaf is a reference. New orders
    go to the right end of their district in three trees, and to their customer in the fourth; a full leaf splits, at
    the right end without moving anything. aborts: 1 % of the New-Orders end with an item that does not exist and are
    rolled back. Raises ModelError for another mix, warehouses beyond 1..1000, or pages too small for the longest row.
    """

    warehouses: int = 30
    mix: str = "normal"
    page_bytes: int = 4096
    indexes: bool = False
    aborts: bool = False

    def __post_init__(self):
        require(1 <= self.warehouses <= 1000, f"TPC-C: warehouses must be 1..1000; got {self.warehouses}")
        require(self.warehouses % 1 == 0, f"TPC-C: warehouses must be a whole number; got {self.warehouses}")
        parts_of(self.mix)
        largest = max(ROW_BYTES.values())
        require(
            self.page_bytes >= largest, f"TPC-C: a page must hold a row of {largest} bytes; got {self.page_bytes} bytes"
        )

    def shares(self) -> np.ndarray:
        """Share of each type of `TRANSACTIONS`, shape (5,), 1 in all."""
        parts = np.array(parts_of(self.mix), float)
        return parts / parts.sum()

    def rows_per_page(self) -> dict[str, int]:
        """Whole rows of each table in a page."""
        return {table: self.page_bytes // size for table, size in ROW_BYTES.items()}

    def rows_of(self) -> dict[str, int]:
        """Rows of each table as loaded (clause 4.3.3.1); each order has the mean of its 5 to 15 lines."""
        each = {
            "WAREHOUSE": 1,
            "DISTRICT": DISTRICTS,
            "CUSTOMER": WAREHOUSE_ORDERS,
            "STOCK": ITEMS,
            "HISTORY": WAREHOUSE_ORDERS,
            "ORDERS": WAREHOUSE_ORDERS,
            "NEW_ORDERS": DISTRICTS * kernels.UNDELIVERED,
            "ORDER_LINE": WAREHOUSE_ORDERS * sum(LINES) // 2,
        }
        return {table: ITEMS if table == "ITEM" else self.warehouses * each[table] for table in ROW_BYTES}

    def pages_of(self) -> dict[str, int]:
        """Pages of each table, and of each index, as loaded."""
        per_page, rows = self.rows_per_page(), self.rows_of()
        pages = {table: -(-count // per_page[table]) for table, count in rows.items()}
        if self.indexes:
            leaves = trees.leaves_of(rows, self.warehouses * DISTRICTS, self.page_bytes)
            _, children, _ = trees.entries_of(self.page_bytes)
            for name, count, fanout in zip(trees.INDEXES, leaves, children, strict=True):
                pages[name] = sum(trees.levels(count, int(fanout)))
        return pages

    def streams(self) -> tuple[str, ...]:
        """Names of the tables and indexes that the streams of `run` stand for."""
        return (*ROW_BYTES, *(trees.INDEXES if self.indexes else ()))

    def requests(self, transactions: int, seed: int = 1) -> Requests:
        """The requests alone of `run`."""
        return self.run(transactions, seed).requests

    def run(self, transactions: int, seed: int = 1) -> Run:
        """So many transactions of random districts, one after the other. Raises ModelError unless transactions >= 1."""
        require(transactions >= 1, f"TPC-C needs at least one transaction; got {transactions}")
        random = np.random.default_rng(seed)
        kinds = random.choice(len(TRANSACTIONS), transactions, p=self.shares()).astype(np.uint8)
        districts = random.integers(0, self.warehouses * DISTRICTS, transactions)
        constants = random.integers(0, (kernels.ITEM_SKEW, kernels.CUSTOMER_SKEW, kernels.NAME_SKEW), endpoint=True)
        aborted = np.zeros(transactions, bool)
        if self.aborts:  # drawn apart, so that all others stay as they are
            unlucky = np.random.default_rng((seed, 1)).random(transactions) < ABORTED
            aborted = unlucky & (kinds == kernels.NEW_ORDER)
        db = self._database(kinds, aborted, districts, random)
        ends = np.empty(transactions, np.int64)
        cancellation.point()
        kernels.references(seed, kinds, aborted, districts, constants, db, ends)
        out = db.out
        for references in (out.page, out.write, out.lock):  # there is room for the longest transactions
            references.resize(int(ends[-1]), refcheck=False)
        return Run(
            page=out.page,
            write=out.write,
            kinds=kinds,
            ends=ends,
            aborted=aborted,
            lock=out.lock,
            starts=np.append(db.place[:, 0], db.scalars[kernels.START] + db.trees.tree[:-1, 0]),
            page_bytes=self.page_bytes,
        )

    def _database(self, kinds, aborted, districts, random) -> kernels.Database:
        rows, per_page = self.rows_of(), np.array(list(self.rows_per_page().values()))
        number = self.warehouses * DISTRICTS
        of_district = districts[(kinds == kernels.NEW_ORDER) & ~aborted]
        made = of_district.size
        lines = random.integers(*LINES, rows["ORDERS"] + made, endpoint=True)
        line_first = np.append(0, np.cumsum(lines))
        payments = np.count_nonzero(kinds == kernels.PAYMENT)
        grown = rows | {
            "HISTORY": rows["HISTORY"] + payments,
            "ORDERS": rows["ORDERS"] + made,
            "NEW_ORDERS": rows["NEW_ORDERS"] + made,
            "ORDER_LINE": int(line_first[-1]),
        }
        pages = -(-np.array(list(grown.values())) // per_page)
        cancellation.point()
        everybody = np.arange(number * CUSTOMERS).reshape(number, CUSTOMERS)
        ordered_by = random.permuted(everybody, axis=1).ravel()
        cancellation.point()
        last_order = np.empty(ordered_by.size, np.int64)
        last_order[ordered_by] = np.arange(ordered_by.size)
        orders_of = np.bincount(of_district, minlength=number)
        indexes = trees.without()
        if self.indexes:
            lines_of = np.bincount(of_district, lines[rows["ORDERS"] :], number).astype(np.int64)
            each = {
                "CUSTOMER": CUSTOMERS,
                "ORDERS": CUSTOMERS,
                "NEW_ORDERS": int(kernels.UNDELIVERED),
            }
            added = trees.Grown(orders_of, lines_of, line_first)
            indexes = trees.loaded_trees(self.page_bytes, rows, each, added)
        none, most = np.zeros(number, np.int64), self._most_references(kinds)
        cancellation.point()
        scalars = np.array([0, pages.sum(), rows["HISTORY"], rows["ORDERS"], rows["NEW_ORDERS"]])
        return kernels.Database(
            place=np.stack([np.cumsum(pages) - pages, per_page], axis=1),
            line_first=line_first,
            customer_of=np.append(ordered_by, np.zeros(made, np.int64)).astype(np.int32),
            last_order=last_order,
            item_of=np.empty(int(line_first[-1] - line_first[rows["ORDERS"]]), np.int32),
            district=np.stack([np.cumsum(orders_of) - orders_of, none, none], axis=1),
            own=np.empty((made, 2), np.int64),
            seen=np.zeros(ITEMS, np.int64),
            scalars=scalars,
            trees=indexes,
            out=kernels.Out(np.empty(most, np.int64), np.empty(most, bool), np.empty(most, np.int64), scalars),
        )

    def _most_references(self, kinds) -> int:
        most_lines = LINES[1]
        line_pages = (most_lines - 1) // self.rows_per_page()["ORDER_LINE"] + 2
        way = MOST_LEVELS if self.indexes else 0  # to a row; a split adds two nodes a level
        most = {
            kernels.NEW_ORDER: 5 + 2 * most_lines + line_pages + (2 * most_lines + 20) * way + 2 * most_lines,
            kernels.PAYMENT: 6 + 4 * way,
            kernels.DELIVERY: DISTRICTS * (3 + line_pages + 4 * way + most_lines),
            kernels.STOCK_LEVEL: 1 + kernels.RECENT_ORDERS * (2 * most_lines + most_lines * (1 + way)) + 2 * way,
            kernels.ORDER_STATUS: 4 + line_pages + 3 * way + most_lines,
        }
        found = np.bincount(kinds, minlength=len(TRANSACTIONS))
        return int(sum(found[kind] * each for kind, each in most.items()))
