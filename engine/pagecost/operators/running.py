"""Operators at work on real rows: their results, and every request to the device on the way.

They keep to the same rules as the plans of `selection`, `sorting` and `joins`; what the plans expect is counted here.
"""

import heapq
from dataclasses import dataclass

import numpy as np

from pagecost.errors import known, require
from pagecost.operators.device_log import DeviceLog
from pagecost.operators.joins import memory_of_probes
from pagecost.operators.selection import MERGED, ORDERS, UNSORTED
from pagecost.operators.sorting import fan_in
from pagecost.operators.tables import IndexSize, Rows
from pagecost.requests import READ, WRITE

Pairs = np.ndarray
"""Rows of R and of S that belong together: int64[n, 2], numbers of rows."""


def scanned(table: Rows, log: DeviceLog, column: str, low: int, high: int) -> np.ndarray:
    """Numbers of the rows with low <= value < high by a table scan, int64, rising."""
    log.read(table.first_page, table.size.pages, table.stream)
    values = table.columns[column]
    return np.flatnonzero((values >= low) & (values < high))


class Index:
    """A B+-tree over a column of a table, its root first, its leaves neighbours, on pages that the log gives."""

    def __init__(self, table: Rows, column: str, size: IndexSize, log: DeviceLog, stream: int):
        require(
            size.table == table.size,
            f"the index is made for a table of {size.table.rows} rows; got one of {table.size.rows}",
        )
        self.table, self.size, self.log, self.stream = table, size, log, stream
        self.rids = np.argsort(table.columns[column], kind="stable")
        self.keys = table.columns[column][self.rids]
        self.first_pages = [log.take(pages) for pages in size.levels]

    def found(self, low: int, high: int, below: int = 0) -> np.ndarray:
        """Rows with low <= key < high in the order of the index; reads the way down from level `below` and the leaves.

        Without such a row the way to where it would stand.
        """
        first, end = np.searchsorted(self.keys, [low, high])
        per_page, last_level = self.size.per_page, len(self.first_pages) - 1
        at = min(int(first), self.keys.size - 1)
        for level in range(below, last_level):
            node = at // per_page ** (last_level - level + 1)
            self.log.read(self.first_pages[level] + node, 1, self.stream)
        leaf, last = at // per_page, max(int(end) - 1, at) // per_page
        self.log.read(self.first_pages[-1] + leaf, last - leaf + 1, self.stream)
        return self.rids[first:end]


def index_scanned(index: Index, low: int, high: int, order: str) -> np.ndarray:
    """Rows with low <= key < high by an index, in the order in which they are fetched. order: of `ORDERS`."""
    known("order of fetching", order, ORDERS)
    table, log = index.table, index.log
    rids = index.found(low, high)
    if order == UNSORTED:
        log.read_each(table.page_of(rids), table.stream)
        return rids
    rids = np.sort(rids)
    pages = np.unique(table.page_of(rids))
    if order == MERGED:
        breaks = np.flatnonzero(np.diff(pages, prepend=-2) != 1)
        lengths = np.diff(breaks, append=pages.size)
        log.noted(np.full(breaks.size, READ), pages[breaks], lengths, table.stream)
    else:
        log.read_each(pages, table.stream)
    return rids


# sorting ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Run:
    """Sorted rows on the device. rids: in order; first_page: where they begin."""

    rids: np.ndarray
    first_page: int


def sorted_rows(
    table: Rows, log: DeviceLog, column: str, memory_pages: int, cluster_pages: int, *, replacement: bool = False
) -> np.ndarray:
    """Numbers of the rows in the order of a column by an external sort whose result is written."""
    keys, per_page = table.columns[column], table.size.rows_per_page
    runs = formed_runs(table, log, keys, memory_pages, cluster_pages, replacement)
    while len(runs) > 1:
        runs = merge_pass(runs, keys, per_page, fan_in(memory_pages, cluster_pages), cluster_pages, log)
    return runs[0].rids


def formed_runs(
    table: Rows, log: DeviceLog, keys: np.ndarray, memory_pages: int, cluster_pages: int, replacement: bool = False
) -> list[Run]:
    """Sorted runs of a table, written."""
    if replacement:
        return _by_replacement(table, log, keys, memory_pages, cluster_pages)
    runs, per_page = [], table.size.rows_per_page
    for first in range(0, table.size.pages, memory_pages):
        pages = min(memory_pages, table.size.pages - first)
        rids = np.arange(first * per_page, min((first + pages) * per_page, table.size.rows))
        log.read(table.first_page + first, pages, table.stream)
        runs.append(Run(rids[np.argsort(keys[rids], kind="stable")], log.take(pages)))
        log.write(runs[-1].first_page, pages)
    return runs


def _by_replacement(table: Rows, log: DeviceLog, keys: np.ndarray, memory_pages: int, cluster_pages: int) -> list[Run]:
    """Replacement selection: of the rows in memory the smallest that is not below what was written last goes out."""
    per_page = table.size.rows_per_page
    room, at_once = (memory_pages - 2 * cluster_pages) * per_page, cluster_pages * per_page
    require(room >= 1, f"replacement selection needs more than {2 * cluster_pages} pages; got {memory_pages}")
    heap: list[tuple[int, int, int]] = []
    runs: list[list[int]] = [[]]
    taken = 0

    def next_row() -> int:
        """The number of the next row of the table; reads a cluster where it is the first of one."""
        nonlocal taken
        if taken % at_once == 0:
            first = taken // per_page
            log.read(table.first_page + first, min(cluster_pages, table.size.pages - first), table.stream)
        taken += 1
        return taken - 1

    while taken < min(room, table.size.rows):
        rid = next_row()
        heap.append((0, int(keys[rid]), rid))
    heapq.heapify(heap)
    starts = [log.take(table.size.pages)]
    while heap:
        number, key, rid = heapq.heappop(heap)
        if number == len(runs):
            _flush(log, starts[-1], len(runs[-1]), at_once, per_page, last=True)
            runs.append([])
            starts.append(log.take(table.size.pages))
        runs[-1].append(rid)
        _flush(log, starts[-1], len(runs[-1]), at_once, per_page)
        if taken < table.size.rows:
            new = next_row()
            later = int(keys[new] < key)
            heapq.heappush(heap, (number + later, int(keys[new]), new))
    _flush(log, starts[-1], len(runs[-1]), at_once, per_page, last=True)
    return [Run(np.array(rids), start) for rids, start in zip(runs, starts, strict=True)]


def _flush(log: DeviceLog, start: int, written: int, at_once: int, per_page: int, last: bool = False) -> None:
    """Write the cluster that a row has filled, or what is left of one at the end of a run."""
    rest = written % at_once
    if rest == 0 and not last:
        log.write(start + (written - at_once) // per_page, at_once // per_page)
    elif last and rest:
        log.write(start + (written - rest) // per_page, -(-rest // per_page))


def merge_pass(
    runs: list[Run], keys: np.ndarray, per_page: int, most: int, cluster_pages: int, log: DeviceLog
) -> list[Run]:
    """Merge `most` runs at a time; what comes out is written."""
    return [
        merged_run(runs[first : first + most], keys, per_page, cluster_pages, log)
        for first in range(0, len(runs), most)
    ]


def merged_run(runs: list[Run], keys: np.ndarray, per_page: int, cluster_pages: int, log: DeviceLog) -> Run:
    """One merge: a cluster is read when its first row is the next, and written when it is full."""
    rids, due, pages, counts = _interleaved(runs, keys, per_page, cluster_pages)
    at_once = cluster_pages * per_page
    total = -(-rids.size // per_page)
    out = Run(rids, log.take(total))
    written_at = np.minimum(np.arange(at_once, rids.size + at_once, at_once), rids.size)
    out_page = out.first_page + np.arange(written_at.size) * cluster_pages
    out_count = np.minimum(cluster_pages, out.first_page + total - out_page)
    op = np.concatenate([np.full(due.size, READ), np.full(written_at.size, WRITE)])
    order = np.lexsort((op == READ, np.concatenate([due, written_at])))  # a full cluster goes out before the next read
    log.noted(op[order], np.concatenate([pages, out_page])[order], np.concatenate([counts, out_count])[order])
    return out


def read_side_by_side(sides: list[tuple[list[Run], np.ndarray, int]], cluster_pages: int, log: DeviceLog) -> None:
    """Read the runs of several tables (runs, keys, rows per page) in the order of their keys, as a merge join does."""
    firsts = [_clusters(run, per_page, cluster_pages) for runs, _, per_page in sides for run in runs]
    keys = [keys[run.rids[first]] for (run, keys), (first, _, _) in zip(_each(sides), firsts, strict=True)]
    order = np.argsort(np.concatenate(keys), kind="stable")
    page, count = (np.concatenate([each[place] for each in firsts])[order] for place in (1, 2))
    log.noted(np.full(page.size, READ), page, count)


def _each(sides: list[tuple[list[Run], np.ndarray, int]]) -> list[tuple[Run, np.ndarray]]:
    return [(run, keys) for runs, keys, _ in sides for run in runs]


def _clusters(run: Run, per_page: int, cluster_pages: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(place of the first row, first page, pages) of each cluster of a run."""
    first = np.arange(0, run.rids.size, cluster_pages * per_page)
    pages = -(-run.rids.size // per_page)
    at = first // per_page
    return first, run.first_page + at, np.minimum(cluster_pages, pages - at)


def _interleaved(
    runs: list[Run], keys: np.ndarray, per_page: int, cluster_pages: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The merged rows, and of each cluster of the runs: how many rows came before its first, its page, its pages."""
    rids = np.concatenate([run.rids for run in runs])
    order = np.argsort(keys[rids], kind="stable")
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    due, pages, counts = [], [], []
    begin = 0
    for run in runs:
        first, page, count = _clusters(run, per_page, cluster_pages)
        due.append(place[begin + first])
        pages.append(page)
        counts.append(count)
        begin += run.rids.size
    return rids[order], np.concatenate(due), np.concatenate(pages), np.concatenate(counts)


# nested loops -------------------------------------------------------------------------------------------------------


def matched(outer_keys: np.ndarray, inner_keys: np.ndarray) -> Pairs:
    """Places of equal keys in two arrays, int64[n, 2], in the order of the second; all in memory."""
    order = np.argsort(outer_keys, kind="stable")
    low, high = (np.searchsorted(outer_keys[order], inner_keys, side) for side in ("left", "right"))
    inner = np.repeat(np.arange(inner_keys.size), high - low)
    first = np.repeat(low - (np.cumsum(high - low) - (high - low)), high - low)
    return np.stack([order[first + np.arange(inner.size)], inner], axis=1)


def block_nested_loops(outer: Rows, inner: Rows, on: tuple[str, str], memory_pages: int, log: DeviceLog) -> Pairs:
    """R in parts as large as memory less two pages, all of S for each."""
    require(memory_pages >= 3, f"block nested loops needs at least 3 pages of memory; got {memory_pages}")
    found, per_page = [], outer.size.rows_per_page
    for first in range(0, outer.size.pages, memory_pages - 2):
        pages = min(memory_pages - 2, outer.size.pages - first)
        log.read(outer.first_page + first, pages, outer.stream)
        log.read(inner.first_page, inner.size.pages, inner.stream)
        rows = slice(first * per_page, (first + pages) * per_page)
        found.append(matched(outer.columns[on[0]][rows], inner.columns[on[1]]) + np.array([first * per_page, 0]))
    return np.concatenate(found)


def index_nested_loops(outer: Rows, index: Index, column: str, memory_pages: int) -> Pairs:
    """For each row of R a way down the index of S, and a read for each row that it names."""
    require(memory_pages >= 4, f"index nested loops needs at least 4 pages of memory; got {memory_pages}")
    log, inner = index.log, index.table
    block, way = memory_of_probes(index.size, memory_pages)
    held = index.size.inner_levels - way
    found: list[tuple[int, int]] = []
    for rid, key in enumerate(outer.columns[column].tolist()):
        page, place = divmod(rid, outer.size.rows_per_page)
        if place == 0 and page % block == 0:
            log.read(outer.first_page + page, min(block, outer.size.pages - page), outer.stream)
        partners = index.found(key, key + 1, held)
        log.read_each(inner.page_of(partners), inner.stream)
        found += [(rid, int(partner)) for partner in partners]
    return np.array(found, np.int64).reshape(-1, 2)
