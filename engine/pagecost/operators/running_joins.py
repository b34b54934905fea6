"""Sort-merge, hash, digest and flash joins at work on real rows: pairs of rows, and every request on the way."""

from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from pagecost.errors import known, require
from pagecost.operators.device_log import TEMPORARY, DeviceLog
from pagecost.operators.joins import Partitions, grace_partitions, hybrid_partitions
from pagecost.operators.late import AS_JOINED, BY_INNER, BY_OUTER, FETCHES, Pax, digest_of
from pagecost.operators.running import Pairs, Run, formed_runs, matched, merge_pass, read_side_by_side
from pagecost.operators.sorting import fan_in, kept_in_memory
from pagecost.operators.tables import RID_BYTES, Rows
from pagecost.requests import READ, WRITE

CONNECTED = "by connected pages"
ALL_FETCHES = {
    **FETCHES,
    CONNECTED: "next always the page of either table whose pairs lack the fewest pages, the least wanted one leaving",
}
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, Knuth's multiplicative hash


class Input(NamedTuple):
    """One side of a hash join as it comes in: keys of its rows, the requests that bring them, rows in a page going out.

    due: before which row each request is made; page, pages: what it reads.
    """

    keys: np.ndarray
    due: np.ndarray
    page: np.ndarray
    pages: np.ndarray
    stream: int
    per_page: int


class Parts(NamedTuple):
    """A side in parts: the part of each row (0: stays in memory), and of each part on the device its first page."""

    of_row: np.ndarray
    first_page: np.ndarray
    pages: np.ndarray


def hashed(keys: np.ndarray) -> np.ndarray:
    """Keys to numbers within 0..1, evenly, float64."""
    with np.errstate(over="ignore"):
        return ((keys.astype(np.uint64) * GOLDEN) >> np.uint64(11)).astype(float) / 2.0**53


def sort_merge_join(
    outer: Rows, inner: Rows, on: tuple[str, str], memory_pages: int, cluster_pages: int, log: DeviceLog
) -> Pairs:
    """Runs of both tables, merged until all that are left are read side by side; `kept_in_memory` says what stays."""
    kept = kept_in_memory(outer.size.pages, inner.size.pages, memory_pages, cluster_pages)
    sides = []
    for number in sorted((0, 1), key=kept.__getitem__):  # what stays is read last
        table = (outer, inner)[number]
        keys = table.columns[on[number]]
        if kept[number]:
            log.read(table.first_page, table.size.pages, table.stream)
        else:
            sides.append((formed_runs(table, log, keys, memory_pages, cluster_pages), keys, table.size.rows_per_page))
    if not any(kept):
        most = fan_in(memory_pages, cluster_pages)
        while sum(len(runs) for runs, _, _ in sides) > most:
            more = int(len(sides[1][0]) >= len(sides[0][0]))
            runs, keys, per_page = sides[more]
            sides[more] = merge_pass(runs, keys, per_page, most, cluster_pages, log), keys, per_page
    if sides:
        read_side_by_side(sides, cluster_pages, log)
    return matched(outer.columns[on[0]], inner.columns[on[1]])


def grace_hash_join(outer: Rows, inner: Rows, on: tuple[str, str], memory_pages: int, log: DeviceLog) -> Pairs:
    """Both tables in parts by a hash of the join attribute, then part by part."""
    parts = grace_partitions(outer.size.pages, memory_pages)
    return hash_joined(_whole(outer, on[0], parts), _whole(inner, on[1], parts), parts, log)


def hybrid_hash_join(
    outer: Rows, inner: Rows, on: tuple[str, str], memory_pages: int, cluster_pages: int, log: DeviceLog
) -> Pairs:
    """As GRACE, a part of R in memory from the beginning."""
    parts = hybrid_partitions(outer.size.pages, memory_pages, cluster_pages)
    return hash_joined(_whole(outer, on[0], parts), _whole(inner, on[1], parts), parts, log)


def _whole(table: Rows, column: str, parts: Partitions, out_per_page: int | None = None) -> Input:
    """A table that is read page after page, a cluster at a time."""
    at = np.arange(0, table.size.pages, parts.cluster_pages)
    pages = np.minimum(parts.cluster_pages, table.size.pages - at)
    due, per_page = at * table.size.rows_per_page, out_per_page or table.size.rows_per_page
    return Input(table.columns[column], due, table.first_page + at, pages, table.stream, per_page)


def hash_joined(build: Input, probe: Input, parts: Partitions, log: DeviceLog) -> Pairs:
    """What stays in memory is joined as S comes in; then each part of R is read, and that of S past it."""
    sides = [split(side, parts, log) for side in (build, probe)]
    found = []
    for part in range(parts.count + 1):
        rows = [np.flatnonzero(side.of_row == part) for side in sides]
        if part:
            for side in sides:
                if side.pages[part - 1]:
                    log.read(int(side.first_page[part - 1]), int(side.pages[part - 1]))
        pairs = matched(build.keys[rows[0]], probe.keys[rows[1]])
        found.append(np.stack([rows[0][pairs[:, 0]], rows[1][pairs[:, 1]]], axis=1))
    return np.concatenate(found)


def split(side: Input, parts: Partitions, log: DeviceLog) -> Parts:
    """Read a side and write its parts, each through a cluster of pages that goes out when it is full."""
    place = hashed(side.keys)
    spilled = place >= parts.resident
    of_row = np.zeros(place.size, np.int64)
    if parts.count:
        scaled = (place - parts.resident) / (1 - parts.resident) * parts.count
        of_row = np.where(spilled, np.minimum(scaled.astype(np.int64), parts.count - 1) + 1, 0)
    rows_of = np.bincount(of_row, minlength=parts.count + 1)[1:]
    pages = -(-rows_of // side.per_page)
    first = log.take(int(pages.sum())) + np.cumsum(pages) - pages
    due, page, count = [side.due], [side.page], [side.pages]
    at_once = parts.cluster_pages * side.per_page
    for part in range(parts.count):
        rows = np.flatnonzero(of_row == part + 1)
        begin = np.arange(0, rows.size, at_once)
        full = begin + at_once <= rows.size
        due.append(np.where(full, rows[np.minimum(begin + at_once, rows.size) - 1] + 1, place.size))
        page.append(first[part] + begin // side.per_page)
        count.append(np.minimum(parts.cluster_pages, pages[part] - begin // side.per_page))
    size = [each.size for each in due]
    op = np.repeat([READ, *[WRITE] * parts.count], size)
    order = np.lexsort((op == READ, np.concatenate(due)))
    stream = np.where(op == READ, side.stream, TEMPORARY)
    log.noted(op[order], np.concatenate(page)[order], np.concatenate(count)[order], stream[order])
    return Parts(of_row, first, pages)


# late fetching ------------------------------------------------------------------------------------------------------


def digest_join(
    outer: Rows,
    inner: Rows,
    on: tuple[str, str],
    memory_pages: int,
    log: DeviceLog,
    *,
    order: str = BY_OUTER,
    cluster_pages: int = 1,
) -> Pairs:
    """Both tables read for their join attributes, the digests joined, then the pages of the pairs. order: of
    `ALL_FETCHES`."""
    known("order of fetching", order, ALL_FETCHES)
    digests = [digest_of(table.size, table.width(column)) for table, column in zip((outer, inner), on, strict=True)]
    parts = hybrid_partitions(digests[0].pages, memory_pages, cluster_pages)
    sides = [
        _whole(table, column, parts, digest.rows_per_page)
        for table, column, digest in zip((outer, inner), on, digests, strict=True)
    ]
    pairs = hash_joined(sides[0], sides[1], parts, log)
    fetch(outer, inner, pairs, order, memory_pages, log)
    return pairs


def fetch(outer: Rows, inner: Rows, pairs: Pairs, order: str, memory_pages: int, log: DeviceLog) -> None:
    """Read the pages in which the rows of the pairs stand, in an order of `ALL_FETCHES`."""
    pages = np.stack([outer.page_of(pairs[:, 0]), inner.page_of(pairs[:, 1])], axis=1)
    streams = outer.stream, inner.stream
    if order == AS_JOINED:
        _through_frames(pages, (1, 1), streams, log)
    elif order in (BY_OUTER, BY_INNER):
        once = int(order == BY_INNER)
        sort_pairs(pages[:, once], outer.size.page_bytes // (2 * RID_BYTES), memory_pages, log)
        wanted = np.unique(pages[:, [once, 1 - once]], axis=0)[:, [0, 1] if once == 0 else [1, 0]]
        frames = (1, memory_pages - 1) if once == 0 else (memory_pages - 1, 1)
        _through_frames(wanted, frames, streams, log)
    else:
        _connected(np.unique(pages, axis=0), memory_pages, streams, log)


def sort_pairs(keys: np.ndarray, per_page: int, memory_pages: int, log: DeviceLog) -> None:
    """Sort pairs that come from a join: in memory, or through runs on the device where they are more than it holds."""
    pages = -(-keys.size // per_page)
    if pages <= memory_pages:
        return
    cluster, runs = max(1, memory_pages // 16), []
    for first in range(0, keys.size, memory_pages * per_page):
        rids = np.arange(first, min(first + memory_pages * per_page, keys.size))
        runs.append(Run(rids[np.argsort(keys[rids], kind="stable")], log.take(-(-rids.size // per_page))))
        log.write(runs[-1].first_page, -(-rids.size // per_page))
    most = fan_in(memory_pages, cluster)
    while len(runs) > most:
        runs = merge_pass(runs, keys, per_page, most, cluster, log)
    read_side_by_side([(runs, keys, per_page)], cluster, log)


def _through_frames(wanted: np.ndarray, frames: tuple[int, int], streams: tuple[int, int], log: DeviceLog) -> None:
    """Read pages of R and S pair by pair, each table through its own frames, the least recently used one leaving."""
    held: tuple[OrderedDict, OrderedDict] = (OrderedDict(), OrderedDict())
    missed: list[tuple[int, int]] = []
    for pair in wanted.tolist():
        for side, page in enumerate(pair):
            if page in held[side]:
                held[side].move_to_end(page)
                continue
            missed.append((page, side))
            held[side][page] = None
            if len(held[side]) > frames[side]:
                held[side].popitem(last=False)
    _read_singly(missed, streams, log)


def _connected(edges: np.ndarray, memory_pages: int, streams: tuple[int, int], log: DeviceLog) -> None:
    """The greedy order over the graph whose nodes are pages of both tables and whose edges are pairs still to be made.

    Next is always the page that lacks the fewest pages, itself among them; of those in memory the one with the fewest
    edges left makes room, and one without any at once.
    """
    require(memory_pages >= 2, f"fetching pairs needs at least 2 pages of memory; got {memory_pages}")
    left: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for outer, inner in edges.tolist():
        left.setdefault((outer, 0), set()).add((inner, 1))
        left.setdefault((inner, 1), set()).add((outer, 0))
    lacking = {node: 1 + len(partners) for node, partners in left.items()}
    held: set[tuple[int, int]] = set()
    read: list[tuple[int, int]] = []

    def change(node: tuple[int, int], by: int) -> None:
        """A page comes into memory (-1) or leaves it (1): all that want it lack one fewer or more."""
        lacking[node] += by
        for partner in left[node]:
            lacking[partner] += by

    def hold(node: tuple[int, int], beside: tuple[int, int]) -> None:
        """Read a page unless it is in memory; another one than `beside` makes room."""
        if node in held:
            return
        if len(held) == memory_pages:
            victim = min(held - {beside}, key=lambda each: (len(left[each]), each))
            held.remove(victim)
            change(victim, 1)
        read.append(node)
        held.add(node)
        change(node, -1)

    open_pages = set(left)
    while open_pages:
        chosen = min(open_pages, key=lambda node: (lacking[node], node))
        hold(chosen, chosen)
        for partner in sorted(left[chosen], key=lambda node: (node not in held, node)):
            hold(partner, chosen)
            left[chosen].remove(partner)
            left[partner].remove(chosen)
            for done in (partner, chosen):
                if not left[done]:
                    open_pages.discard(done)
                    held.discard(done)
    _read_singly(read, streams, log)


def _read_singly(pages: list[tuple[int, int]], streams: tuple[int, int], log: DeviceLog) -> None:
    """A request for each of (page, side), in order."""
    page, side = np.array(pages, np.int64).reshape(-1, 2).T
    log.noted(np.full(page.size, READ), page, np.ones(page.size, np.int64), np.array(streams)[side])


def flash_join(
    outer: Rows,
    inner: Rows,
    on: tuple[str, str],
    pax: Pax,
    memory_pages: int,
    log: DeviceLog,
    *,
    kept: float = 1.0,
    cluster_pages: int = 1,
) -> Pairs:
    """FlashScan of the join attributes, a hash join of them, then the kept columns by rows of R and by rows of S.

    Both tables lie in pages of columns, `pax.pages` device pages each; the join attribute stands first in them, the
    kept columns last. Pairs come out in the order of S.
    """
    tables = (outer, inner)
    digests = [digest_of(table.size, table.width(column)) for table, column in zip(tables, on, strict=True)]
    parts = hybrid_partitions(digests[0].pages, memory_pages, cluster_pages)
    sides = []
    for table, column, digest in zip(tables, on, digests, strict=True):
        at = np.arange(pax.count(table.size))
        pages = np.full(at.size, pax.minipage(table.size, table.width(column)))
        due = at * pax.rows_of(table.size)
        page = table.first_page + at * pax.pages
        sides.append(Input(table.columns[column], due, page, pages, table.stream, digest.rows_per_page))
    pairs = hash_joined(sides[0], sides[1], parts, log)
    waiting = 2 * RID_BYTES + kept * (outer.size.row_bytes - outer.width(on[0]))
    for side, table in enumerate(tables):
        if side:
            sort_pairs(pairs[:, 1], max(1, int(outer.size.page_bytes / waiting)), memory_pages, log)
        pairs = pairs[np.argsort(pairs[:, side], kind="stable")]
        wanted = kept * (table.size.row_bytes - table.width(on[side]))
        if wanted > 0:
            at = np.unique(pairs[:, side] // pax.rows_of(table.size))
            count = pax.minipage(table.size, wanted)
            log.read_each(table.first_page + at * pax.pages + pax.pages - count, table.stream, count)
    return pairs
