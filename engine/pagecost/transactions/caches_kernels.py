"""LRU caches of pages with any 64-bit keys, several in one set of arrays: main memory, NVEM, and one per disk unit.

The replay and the event loop both work on these; a cache is known by its number.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part
from pagecost.lists_kernels import NEWER, push, unlink
from pagecost.transactions.table_kernels import EMPTY, enter, strike
from pagecost.transactions.table_kernels import find as find_in_table

MAIN, NVEM, FIRST_UNIT = 0, 1, 2  # numbers of the caches
SIZE, FIRST, TABLE, MASK, USED, SPARE, MODIFIED = range(7)  # columns of Caches.at


class Caches(NamedTuple):
    """Frames of all caches one after the other; the frame behind a cache's last closes its ring."""

    key: np.ndarray  # int64[frames]
    modified: np.ndarray  # int64[frames]: writes to disk still owed (main memory: 0 or 1)
    links: np.ndarray  # int64[frames, 2]: (older, newer) neighbour; frames without a page are chained by `newer`
    table: np.ndarray  # int64, the hash tables
    at: np.ndarray  # int64[caches, 7]


def new_caches(sizes) -> Caches:
    """Empty caches of the given numbers of pages; 0 is a cache that holds nothing."""
    at = np.zeros((len(sizes), 7), np.int64)
    frames = entries = 0
    for number, size in enumerate(sizes):
        room = 1 << max(3, int(2 * size).bit_length())  # at most half full
        at[number, :4] = size, frames, entries, room - 1
        at[number, SPARE] = EMPTY
        frames += size + 1
        entries += room
    ends = at[:, FIRST] + at[:, SIZE]
    links = np.zeros((frames, 2), np.int64)
    links[ends] = ends[:, None]
    return Caches(
        np.full(frames, EMPTY, np.int64),
        np.zeros(frames, np.int64),
        links,
        np.full(entries, EMPTY, np.int64),
        at,
    )


@lean_part
def find(caches, cache, key):
    """Frame of the page, or EMPTY."""
    at = caches.at
    return find_in_table(caches.table, at[cache, TABLE], at[cache, MASK], caches.key, key)


@lean_part
def _make_newest(caches, cache, frame):
    """Make a frame, which is in no list, the newest of its cache."""
    push(caches.links, caches.at[cache, FIRST] + caches.at[cache, SIZE], frame)


@lean_part
def touch(caches, cache, frame):
    """The page was referenced: it is the newest."""
    unlink(caches.links, frame)
    _make_newest(caches, cache, frame)


@lean_part
def full(caches, cache):
    """Whether a page more needs another to go."""
    return caches.at[cache, USED] == caches.at[cache, SIZE]


@lean_part
def insert(caches, cache, key, modified):
    """A page comes in as the newest; there must be room and it must not be in. Returns its frame."""
    at = caches.at
    frame = at[cache, SPARE]
    if frame == EMPTY:
        frame = at[cache, FIRST] + at[cache, USED]
    else:
        at[cache, SPARE] = caches.links[frame, NEWER]
    at[cache, USED] += 1
    at[cache, MODIFIED] += modified
    caches.key[frame] = key
    caches.modified[frame] = modified
    enter(caches.table, at[cache, TABLE], at[cache, MASK], caches.key, frame)
    _make_newest(caches, cache, frame)
    return frame


@lean_part
def remove(caches, cache, frame):
    """A page goes."""
    at = caches.at
    strike(caches.table, at[cache, TABLE], at[cache, MASK], caches.key, frame)
    unlink(caches.links, frame)
    if caches.modified[frame] > 0:
        at[cache, MODIFIED] -= 1
    at[cache, USED] -= 1
    caches.links[frame, NEWER] = at[cache, SPARE]
    at[cache, SPARE] = frame


@lean_part
def oldest(caches, cache):
    """Frame of the page that was not referenced for longest. The cache must hold one."""
    return caches.links[caches.at[cache, FIRST] + caches.at[cache, SIZE], NEWER]


@lean_part
def oldest_clean(caches, cache):
    """The same among the unmodified pages; EMPTY if all are modified."""
    if caches.at[cache, MODIFIED] == caches.at[cache, USED]:
        return EMPTY
    frame = oldest(caches, cache)
    while caches.modified[frame] > 0:
        frame = caches.links[frame, NEWER]
    return frame


@lean_part
def owe(caches, cache, frame):
    """One more write to disk is owed for the page."""
    if caches.modified[frame] == 0:
        caches.at[cache, MODIFIED] += 1
    caches.modified[frame] += 1


@lean_part
def settle(caches, cache, frame, writes):
    """`writes` of the owed writes are done."""
    if 0 < caches.modified[frame] <= writes:
        caches.at[cache, MODIFIED] -= 1
    caches.modified[frame] = max(0, caches.modified[frame] - writes)
