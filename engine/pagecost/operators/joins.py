"""Joins of two tables R (the smaller) and S: nested loops, sort-merge and hash, as runs of pages (Shapiro 1986)."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from pagecost.errors import ModelError, require
from pagecost.operators.lru import Picked, of_keys, pages_read
from pagecost.operators.plan import Access, Plan, in_runs, times_s
from pagecost.operators.run_times import RunTimes
from pagecost.operators.selection import distinct_pages, require_share
from pagecost.operators.sorting import sort_merge_join
from pagecost.operators.tables import RID_BYTES, IndexSize, Size

FUDGE = 1.2
"""Memory that a hash table takes over the rows in it (Shapiro 1986 calls it F)."""
MOST_OF_OUTER = 64
"""Pages of R that are read at once where the rest of memory buffers another table: more gain hardly anything."""
CLUSTERS = (1, 4, 16, 64, 256, 1024)
"""Sizes of a cluster in pages that are compared; between two of them the cost hardly differs."""


@dataclass(frozen=True)
class Join:
    """Each row of S refers to a key; R has each key once. share: of S's rows that find theirs in R, and of R's rows
    that are found. memory_pages: in all. key_bytes: of the join attribute. kept: share of a row's bytes that the result
    shows, its join attribute apart.

    Raises ModelError for tables with pages of two sizes, for R larger than S, and for shares outside 0..1.
    """

    outer: Size
    inner: Size
    memory_pages: int
    share: float = 1.0
    key_bytes: int = 8
    kept: float = 1.0

    def __post_init__(self):
        require(
            self.outer.page_bytes == self.inner.page_bytes,
            f"both tables of a join must have pages of one size; got {self.outer.page_bytes} and "
            f"{self.inner.page_bytes} bytes",
        )
        require(
            self.outer.pages <= self.inner.pages,
            f"R is the smaller table of a join; got {self.outer.pages} pages, and {self.inner.pages} of S",
        )
        require(self.memory_pages >= 1, f"a join needs memory; got {self.memory_pages} pages")
        require_share(self.share, "share of rows that find a partner")
        require_share(self.kept, "share of a row that the result shows")

    @property
    def results(self) -> float:
        """Rows of the result."""
        return self.share * self.inner.rows

    @property
    def outer_joined(self) -> float:
        """Rows of R in the result."""
        return self.share * self.outer.rows

    @property
    def result_pages(self) -> float:
        """Pages of the pairs of rows' identifiers of the result."""
        per_page = self.outer.page_bytes // (2 * RID_BYTES)
        return math.ceil(self.results / per_page)


def block_nested_loops(join: Join) -> Plan:
    """A part of R as large as memory less two pages, a scan of S for each. Raises ModelError for memory below three."""
    _require_memory("block nested loops", join.memory_pages, 3)
    parts = math.ceil(join.outer.pages / (join.memory_pages - 2))
    return Plan(
        "block nested loops",
        (Access("R", parts, join.outer.pages / parts), Access("S", parts, join.inner.pages)),
    )


def index_nested_loops(join: Join) -> Plan:
    """For each row of R a way down an index of S on the join attribute, and a page for each row that it names.

    The upper levels of the index stay in memory as far as half of it holds them. Raises ModelError for memory below
    four pages.
    """
    _require_memory("index nested loops", join.memory_pages, 4)
    index = IndexSize(join.inner, join.key_bytes + RID_BYTES)
    block, way = memory_of_probes(index, join.memory_pages)
    partners = join.results / join.outer.rows
    leaves = index.leaves_of(max(partners, 1))
    return Plan(
        "index nested loops",
        (
            in_runs("R", join.outer.pages, block),
            Access("index of S", join.outer.rows * way, 1),
            Access("index of S", join.outer.rows, leaves),
            Access("rows of S", join.results, 1),
        ),
    )


def buffered_index_nested_loops(join: Join) -> Plan:
    """As `index_nested_loops`, with an LRU buffer of what memory is left beside some pages of R, as a system has it.

    The buffer is for all levels of the index and the rows of S, so that each page is read once at most where it holds
    them all. Rows of R and of S are taken to lie at random. Raises ModelError for memory below four pages.
    """
    _require_memory("index nested loops", join.memory_pages, 4)
    index = IndexSize(join.inner, join.key_bytes + RID_BYTES)
    leaves = index.leaves_of(max(join.results / join.outer.rows, 1))
    asked = [*(float(join.outer.rows) for _ in index.levels[:-1]), join.outer.rows * leaves]
    files = [Picked(each, partial(of_keys, level, each)) for level, each in zip(index.levels, asked, strict=True)]
    files.append(Picked(join.results, partial(distinct_pages, join.inner)))
    memory, wanted = join.memory_pages, sum(index.levels) + join.inner.pages
    block = max(min(memory // 4, MOST_OF_OUTER), memory - wanted)
    *way, read, rows = pages_read(files, memory - block)
    return Plan(
        "index nested loops",
        (
            in_runs("R", join.outer.pages, min(block, join.outer.pages)),
            Access("index of S", sum(way), 1),
            Access("index of S", read / leaves, leaves),
            Access("rows of S", rows, 1),
        ),
    )


def memory_of_probes(index: IndexSize, memory_pages: int) -> tuple[int, int]:
    """Pages of R that are read at once, and levels above the leaves that each probe has to read."""
    held, pages = 0, 0
    for level in index.levels[:-1]:
        if pages + level > memory_pages // 2:
            break
        held, pages = held + 1, pages + level
    return memory_pages - pages - 2, index.inner_levels - held


@dataclass(frozen=True)
class Partitions:
    """How a hash join splits its tables: k parts through clusters of pages, a share of R's rows stays in memory."""

    count: int
    cluster_pages: int
    resident: float


def grace_partitions(build_pages: float, memory_pages: int) -> Partitions:
    """As few parts as fit into memory one by one, with a cluster for each and one for what comes in.

    No parts where R fits as a whole. Raises ModelError for memory below about the root of FUDGE times R.
    """
    needed = FUDGE * build_pages
    if needed <= memory_pages - 1:
        return Partitions(0, 1, 1.0)
    for count in range(2, memory_pages):
        cluster = memory_pages // (count + 1)
        if needed / count <= memory_pages - cluster:
            return Partitions(count, cluster, 0.0)
    raise ModelError(_too_little(build_pages, memory_pages))


def hybrid_partitions(build_pages: float, memory_pages: int, cluster_pages: int) -> Partitions:
    """As few parts beside what stays in memory as fit one by one, through clusters of that size.

    Raises ModelError where memory is too little for that.
    """
    needed = FUDGE * build_pages
    if needed <= memory_pages - 1:
        return Partitions(0, 1, 1.0)
    for count in range(1, memory_pages // cluster_pages):
        resident = (memory_pages - (count + 1) * cluster_pages) / needed
        if (1 - resident) * needed <= count * (memory_pages - cluster_pages):
            return Partitions(count, cluster_pages, resident)
    raise ModelError(_too_little(build_pages, memory_pages))


def hash_accesses(
    build_pages: float, probe_pages: float, parts: Partitions, scans: tuple[Access, Access]
) -> tuple[Access, ...]:
    """What a hash join asks for: both scans, interrupted by writing the parts, then the parts one after the other.

    scans: R and S as they would be read with nothing between.
    """
    found: tuple[Access, ...] = ()
    spilled = []
    for scan, pages in zip(scans, (build_pages, probe_pages), strict=True):
        out = in_runs(f"parts of {scan.phase}", (1 - parts.resident) * pages, parts.cluster_pages, write=True)
        runs = max(scan.runs, min(scan.all_pages / parts.cluster_pages, scan.runs + out.runs))
        found += (Access(scan.phase, runs, scan.all_pages / runs), out)
        spilled.append(out.all_pages)
    if parts.count:
        found += tuple(Access("join", parts.count, pages / parts.count) for pages in spilled)
    return tuple(access for access in found if access.runs)


def grace_hash(join: Join) -> Plan:
    """Both tables in parts by a hash of the join attribute, then part by part. Raises ModelError as the parts do."""
    parts = grace_partitions(join.outer.pages, join.memory_pages)
    return Plan("GRACE hash join", _hash(join, parts))


def hybrid_hash(join: Join, cluster_pages: int = 1) -> Plan:
    """As GRACE, with one part of R in memory from the beginning. Raises ModelError as the parts do."""
    parts = hybrid_partitions(join.outer.pages, join.memory_pages, cluster_pages)
    return Plan("hybrid hash join", _hash(join, parts))


def _hash(join: Join, parts: Partitions) -> tuple[Access, ...]:
    scans = (Access("R", 1, join.outer.pages), Access("S", 1, join.inner.pages))
    return hash_accesses(join.outer.pages, join.inner.pages, parts, scans)


def best_cluster(
    plan_of: Callable[[int], Plan], memory_pages: int, times: RunTimes, more: Iterable[int] = ()
) -> tuple[Plan, int]:
    """The plan with the cluster size that is cheapest on a device, and the size. more: sizes beyond `CLUSTERS`.

    Raises ModelError where none is possible.
    """
    plans: dict[int, Plan] = {}
    refused: ModelError | None = None
    for cluster in sorted({*CLUSTERS, *more}):
        if cluster > 1 and cluster > memory_pages // 3:
            break
        try:
            plans[cluster] = plan_of(cluster)
        except ModelError as error:
            refused = refused or error
            continue
        if not plans[cluster].pages_written:
            break  # without anything intermediate there are no clusters
    if not plans:
        raise refused or ModelError("no cluster size is possible")
    _, cluster = min(zip(times_s(plans.values(), times), plans, strict=True))
    return plans[cluster], cluster


def sort_merge(join: Join, times: RunTimes) -> Plan:
    """Sort-merge join with the cluster size that is cheapest on a device."""
    plan, _ = best_cluster(
        lambda cluster: sort_merge_join(join.outer.pages, join.inner.pages, join.memory_pages, cluster),
        join.memory_pages,
        times,
    )
    return plan


def hybrid(join: Join, times: RunTimes) -> Plan:
    """Hybrid hash join with the cluster size that is cheapest on a device, that of GRACE among them."""
    of_grace = grace_partitions(join.outer.pages, join.memory_pages).cluster_pages
    plan, _ = best_cluster(lambda cluster: hybrid_hash(join, cluster), join.memory_pages, times, (of_grace,))
    return plan


def _require_memory(what: str, pages: int, least: int) -> None:
    require(pages >= least, f"{what} needs at least {least} pages of memory; got {pages}")


def _too_little(build_pages: float, memory_pages: int) -> str:
    least = math.ceil(math.sqrt(FUDGE * build_pages)) + 1
    return (
        f"a hash join of {build_pages:.0f} pages in one pass needs about {least} pages of memory, the root of "
        f"{FUDGE:g} times them; got {memory_pages}"
    )
