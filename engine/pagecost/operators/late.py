"""Joins that fetch late: the join attributes first, the rows that found a partner afterwards, by random reads.

DigestJoin (Li, On, Xu, Choi and Hu, MDM 2009) scans whole rows for their join attributes; FlashJoin (Tsirogiannis,
Harizopoulos, Shah, Wiener and Graefe, SIGMOD 2009) reads only the parts of the pages that hold them.
"""

import math
from dataclasses import dataclass

from pagecost.errors import known, require
from pagecost.operators.joins import Join, Partitions, best_cluster, hash_accesses, hybrid_partitions
from pagecost.operators.plan import Access, Plan, times_s
from pagecost.operators.run_times import RunTimes
from pagecost.operators.selection import cardenas, distinct_pages, yao
from pagecost.operators.sorting import external_sort
from pagecost.operators.tables import RID_BYTES, Size

AS_JOINED, BY_OUTER, BY_INNER = "as joined", "by pages of R", "by pages of S"
FETCHES = {
    AS_JOINED: "pair by pair, as the join of the digests finds them, one page of each table in memory",
    BY_OUTER: "sorted by pages of R, each of them once; pages of S stay in memory while there is room",
    BY_INNER: "sorted by pages of S, each of them once; pages of R stay in memory while there is room",
}


def digest_of(table: Size, key_bytes: int) -> Size:
    """A table of join attributes and rows' identifiers."""
    return Size(table.rows, key_bytes + RID_BYTES, table.page_bytes)


def fetched(join: Join, order: str, parts: Partitions) -> tuple[float, float]:
    """Expected pages of R and of S that phase two reads, single pages at random. order: of `FETCHES`.

    Partners are taken to lie at random; parts: in which the digests were joined, each a pass over S. A page stays in
    memory until as many others were read as there is room for (LRU), groups of pairs of one page being independent.
    Raises ModelError for an unknown order.
    """
    known("order of fetching", order, FETCHES)
    if join.results <= 0:
        return 0.0, 0.0
    touched = distinct_pages(join.outer, join.outer_joined), distinct_pages(join.inner, join.results)
    if order == AS_JOINED:
        shares = [parts.resident, *[(1 - parts.resident) / parts.count] * parts.count] if parts.count else [1.0]
        inner = sum(distinct_pages(join.inner, share * join.results) for share in shares)
        return max(touched[0], join.results * (1 - 1 / touched[0])), inner
    once = int(order == BY_INNER)
    groups, other, frames = touched[once], touched[1 - once], join.memory_pages - 1
    of_group = cardenas(other, join.results / groups)
    wanted = of_group / other  # the chance that a page has a pair in a group
    read = other
    if frames < other and wanted < 1:
        remembered = math.floor(math.log1p(-frames / other) / math.log1p(-wanted))  # groups
        read = max(other, groups * of_group * (1 - wanted) ** remembered)
    elif frames < other:
        read = groups * of_group
    return (groups, read) if once == 0 else (read, groups)


def digest_join(join: Join, order: str = BY_OUTER, cluster_pages: int = 1) -> Plan:
    """Scan both tables, join their digests by hybrid hash, then fetch the rows of the result page by page.

    Pairs are sorted where the order asks for it, through the device where memory does not hold them. Raises ModelError
    for memory in which not even the digests can be joined.
    """
    scans = (Access("R", 1, join.outer.pages), Access("S", 1, join.inner.pages))
    accesses, parts = _digests(join, scans, cluster_pages)
    if order != AS_JOINED and join.result_pages > join.memory_pages:
        accesses += _sorted_on_the_way(int(join.result_pages), join.memory_pages)
    outer, inner = fetched(join, order, parts)
    return Plan("DigestJoin", (*accesses, Access("rows of R", outer, 1), Access("rows of S", inner, 1)))


def _digests(join: Join, scans: tuple[Access, Access], cluster_pages: int) -> tuple[tuple[Access, ...], Partitions]:
    """The scans and the hash join of the digests, and its parts."""
    digests = [digest_of(table, join.key_bytes) for table in (join.outer, join.inner)]
    parts = hybrid_partitions(digests[0].pages, join.memory_pages, cluster_pages)
    return hash_accesses(digests[0].pages, digests[1].pages, parts, scans), parts


def best_digest_join(join: Join, times: RunTimes) -> Plan:
    """With the cluster size for the digests and then the order of fetching that are cheapest on a device."""
    _, cluster = best_cluster(lambda cluster: digest_join(join, BY_OUTER, cluster), join.memory_pages, times)
    plans = [digest_join(join, order, cluster) for order in FETCHES]
    spent_s = times_s(plans, times)
    return plans[spent_s.index(min(spent_s))]


@dataclass(frozen=True)
class Pax:
    """Pages that hold their rows column by column (PAX, Ailamaki et al. 2001). pages: device pages of such a page.

    Raises ModelError for one of less than two pages: its columns could not be read one by one.
    """

    pages: int

    def __post_init__(self):
        require(self.pages >= 2, f"a page of columns must span at least two pages of the device; got {self.pages}")

    def rows_of(self, table: Size) -> int:
        """Rows of a table in one."""
        return table.page_bytes * self.pages // table.row_bytes

    def count(self, table: Size) -> int:
        """Such pages of a table."""
        return -(-table.rows // self.rows_of(table))

    def minipage(self, table: Size, column_bytes: float) -> int:
        """Device pages in which all values of columns of together column_bytes stand, in one of these pages."""
        return min(self.pages, math.ceil(self.rows_of(table) * column_bytes / table.page_bytes))


def flash_scan(table: Size, pax: Pax, column_bytes: float, phase: str = "scan") -> Access:
    """Only the device pages of some columns, a run in each page of columns; all in one run where that are all pages."""
    count, pages = pax.count(table), pax.minipage(table, column_bytes)
    return Access(phase, 1, count * pages) if pages == pax.pages else Access(phase, count, pages)


def flash_join(join: Join, pax: Pax, cluster_pages: int = 1) -> Plan:
    """FlashScan of the join attributes, a hash join of them, then the kept columns of R and of S, each part once.

    The pairs are sorted by rows of R, then by rows of S; what was fetched of R waits on the device where memory does
    not hold it. Raises ModelError as `digest_join` does.
    """
    scans = (
        flash_scan(join.outer, pax, join.key_bytes, "R"),
        flash_scan(join.inner, pax, join.key_bytes, "S"),
    )
    accesses, _ = _digests(join, scans, cluster_pages)
    for phase, table, rows in (
        ("columns of R", join.outer, join.outer_joined),
        ("columns of S", join.inner, join.results),
    ):
        wanted, per_page = join.kept * (table.row_bytes - join.key_bytes), pax.rows_of(table)
        if wanted > 0 and rows > 0:
            touched = min(yao(pax.count(table) * per_page, per_page, rows), pax.count(table))
            accesses += (Access(phase, touched, pax.minipage(table, wanted)),)
    waiting = join.results * (2 * RID_BYTES + join.kept * (join.outer.row_bytes - join.key_bytes))
    pages = math.ceil(waiting / join.outer.page_bytes)
    if pages > join.memory_pages:
        accesses += _sorted_on_the_way(pages, join.memory_pages)
    return Plan("FlashJoin", accesses)


def _sorted_on_the_way(pages: int, memory_pages: int) -> tuple[Access, ...]:
    """Sorting what comes from the join and is more than memory holds: nobody has to read it first."""
    plan = external_sort(pages, memory_pages, max(1, memory_pages // 16), last_written=False)
    return tuple(access._replace(phase="sorting pairs") for access in plan.accesses[1:])


def best_flash_join(join: Join, pax: Pax, times: RunTimes) -> Plan:
    """With the cluster size that is cheapest on a device."""
    plan, _ = best_cluster(lambda cluster: flash_join(join, pax, cluster), join.memory_pages, times)
    return plan
