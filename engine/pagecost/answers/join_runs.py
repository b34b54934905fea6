"""Joins at work on generated rows: what each asks of a device, beside what its plan expects."""

from typing import NamedTuple

import numpy as np

from pagecost.errors import known
from pagecost.operators import IndexSize, Join, Pax, Plan, Rows, Size, joins, late, running, running_joins, sorting
from pagecost.operators.device_log import Counted, DeviceLog, counted
from pagecost.remembering import remembered

ON = ("key", "key")
DIGEST = "DigestJoin, "
METHODS = (
    "block nested loops",
    "index nested loops",
    "sort-merge join",
    "GRACE hash join",
    "hybrid hash join",
    *(f"{DIGEST}{order}" for order in running_joins.ALL_FETCHES),
    "FlashJoin",
)


class Load(NamedTuple):
    """Rows of R, each key once, and of S, a share of which refers to one of as many of R's keys; the others to none.

    cluster_pages: of sort-merge, hybrid hash and the joins of digests. kept: share of a row that FlashJoin's result
    shows, from pages of pax_pages.
    """

    outer_rows: int
    inner_rows: int
    row_bytes: int
    page_bytes: int
    share: float
    memory_pages: int
    cluster_pages: int = 1
    kept: float = 0.25
    pax_pages: int = 8
    seed: int = 1

    def tables(self) -> tuple[Rows, Rows]:
        """The rows of both, in random order; S behind R on the device, with room for pages of columns between."""
        random = np.random.default_rng(self.seed)
        found = random.integers(0, max(1, round(self.share * self.outer_rows)), self.inner_rows)
        keys = np.where(random.random(self.inner_rows) < self.share, found, self.outer_rows + found)
        sizes = [Size(rows, self.row_bytes, self.page_bytes) for rows in (self.outer_rows, self.inner_rows)]
        outer = Rows(sizes[0], {"key": random.permutation(self.outer_rows)})
        return outer, Rows(sizes[1], {"key": keys}, outer.end_page + self.pax_pages, 1)


class Ran(NamedTuple):
    """A join that ran. plan: what was expected, None where no formula is known; found: what was counted.

    requests: of all sizes; results: pairs; right: whether they are those of a plain join in memory.
    """

    plan: Plan | None
    found: Counted
    requests: int
    results: int
    right: bool


@remembered
def ran(method: str, load: Load) -> Ran:
    """A join of `METHODS` on generated rows. Raises ModelError for an unknown one, and as the joins do."""
    known("join", method, METHODS)
    outer, inner = load.tables()
    log = DeviceLog(inner.end_page + load.pax_pages)
    expected = np.array(sorted(map(tuple, running.matched(outer.columns["key"], inner.columns["key"]).tolist())))
    pairs, plan = noted(method, load, log)
    requests = log.requests(load.page_bytes)
    right = sorted(map(tuple, pairs.tolist())) == list(map(tuple, expected.tolist()))
    return Ran(plan, counted(requests), requests.size, len(pairs), right)


def noted(method: str, load: Load, log: DeviceLog) -> tuple[np.ndarray, Plan | None]:
    """The pairs of a join at work, int64[n, 2], and its plan if there is one; `log` has its requests then.

    log: with room behind both tables. Raises ModelError as `ran`.
    """
    known("join", method, METHODS)
    outer, inner = load.tables()
    found = running.matched(outer.columns["key"], inner.columns["key"])
    join = Join(outer.size, inner.size, load.memory_pages, len(found) / load.inner_rows, kept=load.kept)
    return _run(method, join, outer, inner, load, log)


def _run(
    method: str, join: Join, outer: Rows, inner: Rows, load: Load, log: DeviceLog
) -> tuple[np.ndarray, Plan | None]:
    """The pairs of a join, and its plan if there is one."""
    memory, cluster = load.memory_pages, load.cluster_pages
    if method == "block nested loops":
        return running.block_nested_loops(outer, inner, ON, memory, log), joins.block_nested_loops(join)
    if method == "index nested loops":
        index = running.Index(inner, "key", IndexSize(inner.size), log, 2)
        return running.index_nested_loops(outer, index, "key", memory), joins.index_nested_loops(join)
    if method == "sort-merge join":
        plan = sorting.sort_merge_join(outer.size.pages, inner.size.pages, memory, cluster)
        return running_joins.sort_merge_join(outer, inner, ON, memory, cluster, log), plan
    if method == "GRACE hash join":
        return running_joins.grace_hash_join(outer, inner, ON, memory, log), joins.grace_hash(join)
    if method == "hybrid hash join":
        return running_joins.hybrid_hash_join(outer, inner, ON, memory, cluster, log), joins.hybrid_hash(join, cluster)
    if method == "FlashJoin":
        pax = Pax(load.pax_pages)
        pairs = running_joins.flash_join(outer, inner, ON, pax, memory, log, kept=load.kept, cluster_pages=cluster)
        return pairs, late.flash_join(join, pax, cluster)
    order = method.removeprefix(DIGEST)
    pairs = running_joins.digest_join(outer, inner, ON, memory, log, order=order, cluster_pages=cluster)
    return pairs, late.digest_join(join, order, cluster) if order in late.FETCHES else None
