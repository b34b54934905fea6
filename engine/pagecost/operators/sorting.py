"""External sort: runs as long as memory allows, merged in passes through clusters of neighbouring pages."""

from collections.abc import Sequence

from pagecost.errors import require
from pagecost.operators.plan import Access, Plan, in_runs

LEAST_FAN_IN = 2
MOST_RUNS = 100_000


def fan_in(memory_pages: int, cluster_pages: int) -> int:
    """Runs that are merged at once: one cluster for each, and one for what comes out.

    Raises ModelError where that are fewer than two.
    """
    require(cluster_pages >= 1, f"a cluster must have a page; got {cluster_pages}")
    most = memory_pages // cluster_pages - 1
    require(
        most >= LEAST_FAN_IN,
        f"merging needs memory for three clusters, {3 * cluster_pages} pages; got {memory_pages}",
    )
    return most


def run_lengths(pages: int, memory_pages: int, cluster_pages: int = 1, replacement: bool = False) -> Sequence[float]:
    """Pages of each run before the first merge: as many as fit into memory, the last one fewer.

    replacement: by replacement selection, twice as many on average of rows in random order; two clusters of the memory
    are then for what goes in and out. Raises ModelError for more than `MOST_RUNS` runs.
    """
    require(
        pages <= MOST_RUNS * memory_pages,
        f"sorting {pages} pages with {memory_pages} pages of memory makes more than {MOST_RUNS} runs; give it more",
    )
    if replacement:
        heap = memory_pages - 2 * cluster_pages
        require(heap >= 1, f"replacement selection needs more than {2 * cluster_pages} pages; got {memory_pages}")
        if pages <= heap:
            return [pages]
        runs = round(pages / (2 * heap) + 0.5)  # the first and the last run are shorter
        return [pages / runs] * runs
    whole, rest = divmod(pages, memory_pages)
    return [memory_pages] * whole + [rest] * (rest > 0)


def merged(lengths: Sequence[float], most: int) -> Sequence[float]:
    """Lengths of the runs after a pass that merges `most` at a time."""
    return [sum(lengths[at : at + most]) for at in range(0, len(lengths), most)]


def formation(
    phase: str, pages: int, memory_pages: int, cluster_pages: int, replacement: bool, written: bool = True
) -> tuple[Access, ...]:
    """Reading a table and writing its sorted runs."""
    at_once = cluster_pages if replacement else memory_pages
    read = in_runs(phase, pages, at_once)
    return (read, in_runs(phase, pages, at_once, write=True)) if written else (Access(phase, 1, pages),)


def read_runs(phase: str, lengths: Sequence[float], cluster_pages: int) -> Access:
    """Reading runs through a cluster of pages for each."""
    requests = sum(-(-length // cluster_pages) for length in lengths)
    return Access(phase, requests, sum(lengths) / requests)


def external_sort(
    pages: int,
    memory_pages: int,
    cluster_pages: int = 1,
    *,
    replacement: bool = False,
    last_written: bool = True,
) -> Plan:
    """Sort so many pages. last_written: the sorted table is written too, not handed on.

    Each pass reads and writes all pages. What fits into memory is read once and written at the end if at all.
    Raises ModelError for memory of fewer than three clusters where there is more than one run.
    """
    lengths, accesses = _to_runs(pages, memory_pages, cluster_pages, replacement, 1, last_written)
    if len(lengths) > 1:
        accesses += (read_runs("last merge", lengths, cluster_pages),)
        if last_written:
            accesses += (in_runs("last merge", pages, cluster_pages, write=True),)
    return Plan("external sort", accesses)


def _to_runs(
    pages: int, memory_pages: int, cluster_pages: int, replacement: bool, beside: int, written: bool = True
) -> tuple[Sequence[float], tuple[Access, ...]]:
    """Form runs, and merge them until one merge of them is left to do. Their lengths, and what that asks for.

    beside: that last merge may take in fan_in // beside of them.
    """
    lengths = run_lengths(pages, memory_pages, cluster_pages, replacement)
    accesses = formation("runs", pages, memory_pages, cluster_pages, replacement, written or len(lengths) > 1)
    if len(lengths) > 1:
        most = fan_in(memory_pages, cluster_pages)
        while len(lengths) > most // beside:
            accesses += pass_over(lengths, most, cluster_pages)
            lengths = merged(lengths, most)
    return lengths, accesses


def pass_over(lengths: Sequence[float], most: int, cluster_pages: int) -> tuple[Access, Access]:
    """A merge pass over runs that writes fewer of them."""
    after = merged(lengths, most)
    requests = sum(-(-length // cluster_pages) for length in after)
    return (
        read_runs("merge passes", lengths, cluster_pages),
        Access("merge passes", requests, sum(after) / requests, write=True),
    )


def passes(pages: int, memory_pages: int, cluster_pages: int = 1, replacement: bool = False) -> int:
    """Merge passes of an external sort, the last one with them."""
    count, lengths = 0, run_lengths(pages, memory_pages, cluster_pages, replacement)
    while len(lengths) > 1:
        count, lengths = count + 1, merged(lengths, fan_in(memory_pages, cluster_pages))
    return count


def kept_in_memory(
    outer_pages: int, inner_pages: int, memory_pages: int, cluster_pages: int = 1, *, replacement: bool = False
) -> tuple[bool, bool]:
    """Whether a sort-merge join sorts R, and S, in memory and leaves it there: nothing of it is written.

    Both where memory holds both. Else the larger that leaves room for a cluster of each run of the other and of the
    result; it is read last. Raises ModelError for clusters without a page.
    """
    require(cluster_pages >= 1, f"a cluster must have a page; got {cluster_pages}")
    pages = (outer_pages, inner_pages)
    if sum(pages) <= memory_pages:
        return True, True
    for side in sorted((0, 1), key=lambda side: -pages[side]):
        left = memory_pages - pages[side] - cluster_pages
        if left < cluster_pages:
            continue
        if len(run_lengths(pages[1 - side], memory_pages, cluster_pages, replacement)) * cluster_pages <= left:
            return side == 0, side == 1
    return False, False


def sort_merge_join(
    outer_pages: int, inner_pages: int, memory_pages: int, cluster_pages: int = 1, *, replacement: bool = False
) -> Plan:
    """Runs of both tables, merge passes until all that are left can be read side by side, and that merge as the join.

    What `kept_in_memory` names is only read; if none, raises ModelError for memory of fewer than three clusters.
    """
    kept = kept_in_memory(outer_pages, inner_pages, memory_pages, cluster_pages, replacement=replacement)
    lengths: list[Sequence[float]] = []
    accesses: tuple[Access, ...] = ()
    for stays, name, pages in sorted(zip(kept, "RS", (outer_pages, inner_pages), strict=True)):
        if stays:
            accesses += formation(name, pages, memory_pages, cluster_pages, replacement, written=False)
        else:
            lengths.append(run_lengths(pages, memory_pages, cluster_pages, replacement))
            accesses += formation(f"runs of {name}", pages, memory_pages, cluster_pages, replacement)
    if not any(kept):
        most = fan_in(memory_pages, cluster_pages)
        while sum(map(len, lengths)) > most:
            more = int(len(lengths[1]) >= len(lengths[0]))
            accesses += pass_over(lengths[more], most, cluster_pages)
            lengths[more] = merged(lengths[more], most)
    accesses += tuple(read_runs("join", each, cluster_pages) for each in lengths)
    return Plan("sort-merge join", accesses)
