"""Table scan and index scan: which pages a selection reads, and from which share of the rows on a scan is cheaper."""

import math

import numpy as np

from pagecost.errors import known, require
from pagecost.operators.plan import Access, Plan
from pagecost.operators.run_times import RunTimes
from pagecost.operators.tables import IndexSize, Size

UNSORTED, SORTED, MERGED = "unsorted", "sorted", "merged"
ORDERS = {
    UNSORTED: "row by row, in the order of the index",
    SORTED: "sorted by page, each page once",
    MERGED: "sorted by page, neighbours in one request",
}
"""How the rows that an index found are fetched. The first needs no memory, the others that of the list of rows."""


def cardenas(pages: float, picks: float) -> float:
    """Expected distinct pages of so many random picks with replacement: P (1 - (1 - 1/P)^k) (Cardenas 1975).

    Both may lie between whole numbers, as means do. Raises ModelError unless pages are above 0 and picks at least 0.
    """
    require(pages > 0, f"the pages must be above 0; got {pages:g}")
    require(picks >= 0, f"picks must not be negative; got {picks:g}")
    return -pages * math.expm1(picks * math.log1p(-1 / pages)) if pages > 1 else float(min(picks, 1))


def yao(rows: int, rows_per_page: int, picks: float) -> float:
    """Expected distinct pages of `picks` different rows, all pages full: P (1 - C(n - R, k) / C(n, k)) (Yao 1977).

    Between whole numbers of rows, as means of several are, the same product of factors. Raises ModelError unless there
    is a full page, and for picks below 0.
    """
    require(
        1 <= rows_per_page <= rows, f"a page must hold a row and be full; got {rows} rows of {rows_per_page} a page"
    )
    require(picks >= 0, f"picks must not be negative; got {picks:g}")
    pages, enough = rows / rows_per_page, rows - rows_per_page + 1
    if picks >= enough:
        return pages
    missed = np.log1p(-picks / (rows - np.arange(rows_per_page))).sum()  # of R factors, none of which is a factorial
    return float(-pages * np.expm1(missed))


def distinct_pages(table: Size, picks: float) -> float:
    """Expected distinct pages of a table that so many different rows stand in, by Yao; its last page counts as full."""
    return min(yao(table.pages * table.rows_per_page, table.rows_per_page, picks), table.pages)


def runs_of(pages: float, touched: float) -> float:
    """Expected runs of neighbours among so many of P pages, any being as likely: k (P - k + 1) / P."""
    return touched * (pages - touched + 1) / pages


def require_share(share: float, what: str = "selectivity") -> None:
    """Raises ModelError unless 0 <= share <= 1."""
    require(0 <= share <= 1, f"a {what} must lie within 0..1; got {share:g}")


def table_scan(table: Size) -> Plan:
    """Every page of a table, in one run."""
    return Plan("table scan", (Access("scan", 1, table.pages, at_once=1),))


def index_scan(index: IndexSize, selectivity: float, order: str = SORTED) -> Plan:
    """A share of a table's rows by an index on a column by which the table is not sorted.

    The way down to the first leaf, a chain of pages each of which names the next, then the leaves in one run, then the
    rows as `order` says, a key of `ORDERS`, side by side as far as the device's depth and their number allow.
    Raises ModelError for a selectivity outside 0..1 and for an unknown order.
    """
    require_share(selectivity)
    known("order of fetching", order, ORDERS)
    table, picks = index.table, selectivity * index.table.rows
    if picks <= 0:
        return Plan("index scan", (Access("index", index.inner_levels + 1, 1, at_once=1),))
    leaves = index.leaves_of(max(picks, 1))
    way = (Access("index", index.inner_levels, 1, at_once=1), Access("index", 1, leaves, at_once=1))
    if order == UNSORTED:
        return Plan("index scan", (*way, Access("rows", picks, 1, at_once=max(picks, 1))))
    touched = distinct_pages(table, picks)
    runs = touched if order == SORTED else max(runs_of(table.pages, touched), min(touched, 1))
    return Plan("index scan", (*way, Access("rows", runs, touched / runs, at_once=max(runs, 1))))


def break_even(index: IndexSize, times: RunTimes, order: str = SORTED) -> float:
    """The selectivity from which on the table scan is the cheaper plan, by halving.

    1 where it never is, 0 where it is for a single row, too.
    """
    scan_s = table_scan(index.table).time_s(times)

    def dearer(share: float) -> bool:
        return index_scan(index, share, order).time_s(times) > scan_s

    if not dearer(1.0):
        return 1.0
    low, high = 1 / index.table.rows, 1.0
    if dearer(low):
        return 0.0
    while high / low > 1 + 1e-6:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if dearer(middle) else (middle, high)
    return high


def break_even_formula(random_s: float, sequential_s: float, rows_per_page: float, order: str = SORTED) -> float:
    """The same without the index and with Cardenas: 1 - (1 - s/r)^(1/R) sorted, s / (r R) row by row.

    random_s, sequential_s [s]: of a page, above 0. Raises ModelError for another order, and for values outside.
    """
    require(
        random_s > 0 and sequential_s > 0,
        f"the times of a page must be above 0; got {random_s:g} and {sequential_s:g} s",
    )
    require(rows_per_page >= 1, f"a page must hold a row; got {rows_per_page:g}")
    ratio = sequential_s / random_s
    if order == UNSORTED:
        return min(ratio / rows_per_page, 1.0)
    require(order == SORTED, f"the formula is for rows fetched {UNSORTED} or {SORTED}; got {order!r}")
    return 1.0 if ratio >= 1 else -math.expm1(math.log1p(-ratio) / rows_per_page)
