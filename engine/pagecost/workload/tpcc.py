"""TPC-C: five transactions of a wholesale supplier, as the pages that they read and change."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagecost.errors import known, require
from pagecost.requests import READ, WRITE, Requests
from pagecost.workload import tpcc_kernels as kernels

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

LINES = (5, 15)  # order lines of an order, from - to, clause 2.4.1.3
WAREHOUSE_ORDERS = kernels.DISTRICTS * kernels.CUSTOMERS


class Run(NamedTuple):
    """Transactions and what they touch: transaction i ends before reference ends[i].

    requests: one page each, whose stream is the number of the table in `ROW_BYTES`. kinds: uint8, shape
    (transactions,), numbers in `TRANSACTIONS`. ends: int64, shape (transactions,).
    """

    requests: Requests
    kinds: np.ndarray
    ends: np.ndarray


@dataclass(frozen=True, kw_only=True, slots=True)
class TpcC:
    """The load of the TPC-C specification over so many warehouses of some 70 MB, without indexes.

    Tables are loaded in key order, rows lie in pages whole, new rows go to the end of their table. A row that is read
    or changed is one reference, a run of order lines one for each of its pages. 1 % of a New-Order's items come from
    another warehouse, so do 15 % of the payments; 60 % of the customers are found by last name, of whom there are
    three. What is hot follows from NURand, as the specification asks (clause 2.1.6); its 1 % of aborted New-Orders and
    all think times are left out. Raises ModelError for another mix, warehouses beyond 1..1000, or pages too small for
    the longest row.
    """

    warehouses: int = 30
    mix: str = "normal"
    page_bytes: int = 4096

    def __post_init__(self):
        require(1 <= self.warehouses <= 1000, f"TPC-C: warehouses must be 1..1000; got {self.warehouses}")
        known("TPC-C mix", self.mix, MIXES)
        largest = max(ROW_BYTES.values())
        require(
            self.page_bytes >= largest, f"TPC-C: a page must hold a row of {largest} bytes; got {self.page_bytes} bytes"
        )

    def shares(self) -> np.ndarray:
        """Share of each type of `TRANSACTIONS`, shape (5,), 1 in all."""
        parts = np.array(MIXES[self.mix], float)
        return parts / parts.sum()

    def rows_per_page(self) -> dict[str, int]:
        """Whole rows of each table in a page."""
        return {table: self.page_bytes // size for table, size in ROW_BYTES.items()}

    def rows_of(self) -> dict[str, int]:
        """Rows of each table as loaded (clause 4.3.3.1); each order has the mean of its 5 to 15 lines."""
        each = {
            "WAREHOUSE": 1,
            "DISTRICT": kernels.DISTRICTS,
            "CUSTOMER": WAREHOUSE_ORDERS,
            "STOCK": kernels.ITEMS,
            "HISTORY": WAREHOUSE_ORDERS,
            "ORDERS": WAREHOUSE_ORDERS,
            "NEW_ORDERS": kernels.DISTRICTS * kernels.UNDELIVERED,
            "ORDER_LINE": WAREHOUSE_ORDERS * sum(LINES) // 2,
        }
        return {table: kernels.ITEMS if table == "ITEM" else self.warehouses * each[table] for table in ROW_BYTES}

    def pages_of(self) -> dict[str, int]:
        """Pages of each table as loaded."""
        per_page = self.rows_per_page()
        return {table: -(-rows // per_page[table]) for table, rows in self.rows_of().items()}

    def requests(self, transactions: int, seed: int = 1) -> Requests:
        """The requests alone of `run`."""
        return self.run(transactions, seed).requests

    def run(self, transactions: int, seed: int = 1) -> Run:
        """So many transactions of random districts, one after the other. Raises ModelError unless transactions >= 1."""
        require(transactions >= 1, f"TPC-C needs at least one transaction; got {transactions}")
        random = np.random.default_rng(seed)
        kinds = random.choice(len(TRANSACTIONS), transactions, p=self.shares()).astype(np.uint8)
        districts = random.integers(0, self.warehouses * kernels.DISTRICTS, transactions)
        constants = random.integers(0, (kernels.ITEM_SKEW, kernels.CUSTOMER_SKEW, kernels.NAME_SKEW), endpoint=True)
        db = self._database(kinds, districts, random)
        most = self._most_references(kinds)
        page, write, ends = np.empty(most, np.int64), np.empty(most, bool), np.empty(transactions, np.int64)
        kernels.references(seed, kinds, districts, constants, db, page, write, ends)
        page, write = page[: ends[-1]].copy(), write[: ends[-1]]
        requests = Requests(
            arrival_s=np.zeros(page.size),
            op=np.where(write, WRITE, READ),
            page=page,
            pages=np.ones(page.size, np.int32),
            stream=(np.searchsorted(db.first, page, side="right") - 1).astype(np.int16),
            page_bytes=self.page_bytes,
        )
        return Run(requests, kinds, ends)

    def _database(self, kinds, districts, random) -> kernels.Database:
        rows, per_page = self.rows_of(), np.array(list(self.rows_per_page().values()))
        number = self.warehouses * kernels.DISTRICTS
        of_district = districts[kinds == kernels.NEW_ORDER]
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
        everybody = np.arange(number * kernels.CUSTOMERS).reshape(number, kernels.CUSTOMERS)
        ordered_by = random.permuted(everybody, axis=1).ravel()
        last_order = np.empty(ordered_by.size, np.int64)
        last_order[ordered_by] = np.arange(ordered_by.size)
        return kernels.Database(
            first=np.append(0, np.cumsum(pages)[:-1]),
            per_page=per_page,
            line_first=line_first,
            customer_of=np.append(ordered_by, np.zeros(made, np.int64)).astype(np.int32),
            last_order=last_order,
            item_of=np.empty(int(line_first[-1] - line_first[rows["ORDERS"]]), np.int32),
            own_first=np.append(0, np.cumsum(np.bincount(of_district, minlength=number))),
            own=np.empty(made, np.int64),
            new_order_at=np.empty(made, np.int64),
            made=np.zeros(number, np.int64),
            delivered=np.zeros(number, np.int64),
            seen=np.zeros(kernels.ITEMS, np.int64),
            scalars=np.array([rows["HISTORY"], rows["ORDERS"], rows["NEW_ORDERS"], 0]),
        )

    def _most_references(self, kinds) -> int:
        most_lines = LINES[1]
        line_pages = (most_lines - 1) // self.rows_per_page()["ORDER_LINE"] + 2
        most = {
            kernels.NEW_ORDER: 5 + 2 * most_lines + line_pages,
            kernels.PAYMENT: 6,
            kernels.DELIVERY: kernels.DISTRICTS * (3 + line_pages),
            kernels.STOCK_LEVEL: 1 + kernels.RECENT_ORDERS * (line_pages + most_lines),
            kernels.ORDER_STATUS: 4 + line_pages,
        }
        found = np.bincount(kinds, minlength=len(TRANSACTIONS))
        return int(sum(found[kind] * each for kind, each in most.items()))
