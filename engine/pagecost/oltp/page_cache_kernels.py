"""The page cache of the operating system: which pages it holds, which of them wait to be written, and how far it reads
ahead.

Least recently used; a page that waits to be written is passed over. The window of read-ahead doubles while a job reads
on (Linux 2.6.23 and later).
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel, lean_part
from pagecost.lists_kernels import new_lists, oldest, push, renew, unlink

USED, DIRTY, FIRST, HITS, ASKED, AHEAD = range(6)  # places in PageCache.count; FIRST: of the ring of waiting pages
FIRST_WINDOW = 4


class PageCache(NamedTuple):
    """No frames: every read goes to the file system, every write too."""

    frame_of: np.ndarray  # int32[pages], -1: not held
    page_in: np.ndarray  # int32[frames]
    links: np.ndarray  # uint32[frames + 1, 2]: frames, least recently used first
    dirty: np.ndarray  # uint8[frames]
    waiting: np.ndarray  # int32[frames]: a ring of the pages that wait to be written, in the order of their change
    changed_s: np.ndarray  # float64[frames]: since when each of the ring waits
    count: np.ndarray  # int64[6]
    next_page: np.ndarray  # int64[jobs]: page behind the last one that was read
    window: np.ndarray  # int64[jobs]


def new_page_cache(frames: int, pages: int, jobs: int) -> PageCache:
    """An empty cache for a file of `pages` pages."""
    return PageCache(
        np.full(pages if frames else 0, -1, np.int32),
        np.zeros(frames, np.int32),
        new_lists(frames, 1),
        np.zeros(frames, np.uint8),
        np.zeros(frames, np.int32),
        np.zeros(frames),
        np.zeros(6, np.int64),
        np.full(jobs, -1, np.int64),
        np.zeros(jobs, np.int64),
    )


@lean_part
def bring(cache, page):
    """Give a page that is not held a frame, that of the page unused for longest."""
    frames = cache.page_in.size
    if cache.count[USED] < frames:
        frame = np.uint32(cache.count[USED])
        cache.count[USED] += 1
    else:
        closing = np.uint32(frames)
        frame = oldest(cache.links, closing)
        while cache.dirty[frame]:  # fewer pages wait than there are frames, so that one does not
            renew(cache.links, closing, frame)
            frame = oldest(cache.links, closing)
        unlink(cache.links, frame)
        cache.frame_of[cache.page_in[frame]] = -1
    cache.page_in[frame] = page
    cache.frame_of[page] = frame
    push(cache.links, np.uint32(frames), frame)


@lean_part
def holds(cache, page):
    """Whether the page is in the cache; it is then the one that was used last."""
    frame = cache.frame_of[page]
    if frame < 0:
        return False
    renew(cache.links, np.uint32(cache.page_in.size), np.uint32(frame))
    return True


@lean_part
def read(cache, job, page, most):
    """How many pages from `page` on must be read: 0 where it is held, more than 1 where the job reads on."""
    cache.count[ASKED] += 1
    on = page == cache.next_page[job]
    cache.next_page[job] = page + 1
    if holds(cache, page):
        cache.count[HITS] += 1
        return np.int64(0)
    if not on or most < 1:
        cache.window[job] = 0
        bring(cache, page)
        return np.int64(1)
    window = min(max(2 * cache.window[job], FIRST_WINDOW), most)
    cache.window[job] = window
    count = np.int64(0)
    while count < window and page + count < cache.frame_of.size and cache.frame_of[page + count] < 0:
        bring(cache, page + count)
        count += 1
    cache.count[AHEAD] += count - 1
    return count


@lean_part
def write(cache, page, waits, now_s):
    """A changed page comes into the cache; waits: it is written later, else at once."""
    if not holds(cache, page):
        bring(cache, page)
    frame = cache.frame_of[page]
    if waits and not cache.dirty[frame]:
        cache.dirty[frame] = 1
        at = (cache.count[FIRST] + cache.count[DIRTY]) % cache.page_in.size
        cache.waiting[at] = page
        cache.changed_s[at] = now_s
        cache.count[DIRTY] += 1


@lean_part
def take_waiting(cache):
    """The page that has waited longest is written now. Returns its number; one must wait."""
    at = cache.count[FIRST]
    page = np.int64(cache.waiting[at])
    cache.dirty[cache.frame_of[page]] = 0
    cache.count[FIRST] = (at + 1) % cache.page_in.size
    cache.count[DIRTY] -= 1
    return page


@lean_kernel
def fill(cache, order, page, hit, victims, victim, last):
    """What the buffer asked for and handed down before the run, without time: the references below `last`, in order."""
    for at in range(order.size):
        reference = order[at]
        if reference < last and not hit[reference]:
            for leaving in range(victims[reference, 0], victims[reference, 1]):
                write(cache, victim[leaving], False, 0.0)
            if not holds(cache, page[reference]):
                bring(cache, page[reference])
