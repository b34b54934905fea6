"""Many verbs at once on a volume, and what went wrong in words."""

from collections.abc import Iterator

import numpy as np

from pagecost import cancellation
from pagecost.errors import require
from pagecost.filesystem import driving_kernels as entry
from pagecost.filesystem import state_kernels as kernels
from pagecost.filesystem.state_kernels import FileSystemState, Plan, new_plan, verb_rows

CANNOT_FREE = (
    "cleaning cannot free a segment: all that may be cleaned are full of live or protected blocks; "
    "make the files smaller, the device larger or the protection period shorter"
)
PIECE = 1 << 14  # verbs between two cancellation points, some milliseconds
NO_SPACE = "no clean segment is left on the volume: clean before writing, or make the device larger"
TOO_MUCH = (
    f"so much was deleted at once that its requests do not fit into {kernels.MOST_TRIMS} and more places; "
    "delete fewer pages between two syncs"
)


def drive(
    fs: FileSystemState,
    verb,
    page,
    *,
    pages=None,
    now_s=None,
    keep: bool = False,
    clean_first: bool = True,
    sync_every: int = 0,
    plan: Plan | None = None,
    kernel=entry.drive,
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Do verbs (numbers of `driving_kernels`, shape (n,)) in order; yields (requests, of which verb each, returned).

    Requests are rows of (op, block, blocks, cause, stream), int64[m, 5]; none without `keep`. clean_first: before a
    write or a sync the cleaner makes room. sync_every: a sync behind so many writes and deletions, 0: never. kernel:
    the entry point, perhaps as plain Python.

    Raises ModelError where a page lies outside, where no segment is clean, and where cleaning frees none.
    """
    verb, page = np.ascontiguousarray(verb, np.int64), np.ascontiguousarray(page, np.int64)
    pages = np.ones(verb.size, np.int64) if pages is None else np.ascontiguousarray(pages, np.int64)
    now_s = np.zeros(verb.size) if now_s is None else np.ascontiguousarray(now_s, np.float64)
    last = int(fs.setting[kernels.PAGES]) - 1
    low, high = (int(page.min()), int((page + pages).max()) - 1) if page.size else (0, 0)
    require(low >= 0 and high <= last, f"pages must be 0..{last}; got {low}..{high}")
    plan = new_plan(fs) if plan is None else plan
    of, returned = np.zeros(plan.request.shape[0], np.int64), np.zeros(verb.size, np.int64)
    options, start = np.zeros(entry.OPTIONS, np.int64), 0
    options[[entry.KEEP, entry.CLEAN_FIRST, entry.SYNC_EVERY]] = keep, clean_first, sync_every
    while start < verb.size:
        cancellation.point()
        plan.count[:] = 0
        end = min(verb.size, start + PIECE)
        start = kernel(
            fs, plan, verb[:end], page, pages, now_s, of, returned, options, np.int64(start), np.int64(verb_rows(fs))
        )
        require(fs.at[kernels.FAILED] != kernels.NO_SPACE, NO_SPACE)
        require(fs.at[kernels.FAILED] == 0, TOO_MUCH)
        require(start == end or returned[start] >= 0, CANNOT_FREE)
        rows = plan.count[kernels.ROWS] if keep else 0
        yield plan.request[:rows].copy(), of[:rows].copy(), returned


def run(fs: FileSystemState, verb, page, **options) -> None:
    """`drive` for who wants what became of the volume and not the requests."""
    for _ in drive(fs, verb, page, **options):
        pass


def lay_out(fs: FileSystemState, kernel=entry.drive) -> None:
    """Write every page once, in order, and forget that it was work. kernel: as of `drive`.

    All nodes may stay in memory meanwhile: none is written before the end, so that none could leave.
    """
    limit = fs.setting[kernels.NODE_LIMIT]
    fs.setting[kernels.NODE_LIMIT] = fs.setting[kernels.NODES]
    pages = np.arange(fs.setting[kernels.PAGES])
    verbs = np.append(np.full(pages.size, entry.WRITE), entry.SYNC)
    run(fs, verbs, np.append(pages, 0), clean_first=False, kernel=kernel)
    fs.setting[kernels.NODE_LIMIT] = limit
    fs.blocks[:] = 0
