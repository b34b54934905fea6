"""Counters whose prefix sums are known: a 64-ary tree, one load per level to ask, one short vector loop to change.

Beside a Fenwick tree it has no loop whose length depends on the place, which a processor cannot predict.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part


class Sums(NamedTuple):
    before: np.ndarray  # int32[...], level after level: what stands before a node among the 64 of one parent
    level_at: np.ndarray  # uint64[levels]: where each level begins, the counters' own first


def new_sums(size: int) -> Sums:
    """`size` counters of 0; all of them together must stay below 2^31."""
    sizes = [size // 64 * 64 + 64]
    while sizes[-1] > 64:
        sizes.append(sizes[-1] // 64 // 64 * 64 + 64)
    return Sums(np.zeros(sum(sizes), np.int32), np.cumsum([0, *sizes[:-1]]).astype(np.uint64))


@lean_part
def add(sums, place, change):
    """Add `change`, an int32, to one counter."""
    index = np.uint64(place)
    for level in range(sums.level_at.size):
        first = sums.level_at[level] + (index & ~np.uint64(63))
        own = np.int32(index & np.uint64(63))
        for other in range(64):
            sums.before[first + np.uint64(other)] += change if np.int32(other) > own else np.int32(0)
        index >>= np.uint64(6)


@lean_part
def before(sums, place):
    """The sum of the counters in front of one."""
    index, count = np.uint64(place), np.int64(0)
    for level in range(sums.level_at.size):
        count += sums.before[sums.level_at[level] + index]
        index >>= np.uint64(6)
    return count
