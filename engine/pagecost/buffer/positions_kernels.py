"""A set of positions of a trace as a 64-ary tree of bits: put, take, lowest and highest in four steps."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, leading_zeros, trailing_zeros


class Positions(NamedTuple):
    words: np.ndarray  # uint64[...]: the levels of the tree, leaves first
    level_at: np.ndarray  # int64[levels]: first word of each level


def new_positions(size: int) -> Positions:
    """An empty set of positions 0 .. size - 1."""
    sizes = [size // 64 + 1]
    while sizes[-1] > 1:
        sizes.append((sizes[-1] + 63) // 64)
    return Positions(np.zeros(sum(sizes), np.uint64), np.cumsum([0, *sizes[:-1]]))


@inline_part
def put(positions, position):
    """Put a position, which may be in it, into the set."""
    for level in range(positions.level_at.size):
        word = positions.level_at[level] + (position >> 6)
        before = positions.words[word]
        positions.words[word] = before | (np.uint64(1) << np.uint64(position & 63))
        if before:
            return
        position >>= 6


@inline_part
def take(positions, position):
    """Take a position out of the set."""
    for level in range(positions.level_at.size):
        word = positions.level_at[level] + (position >> 6)
        after = positions.words[word] & ~(np.uint64(1) << np.uint64(position & 63))
        positions.words[word] = after
        if after:
            return
        position >>= 6


@inline_part
def is_empty(positions):
    """Whether the set holds no position."""
    return positions.words[positions.words.size - 1] == 0


@inline_part
def highest(positions):
    """The highest position of a set that is not empty."""
    position = 0
    for level in range(positions.level_at.size - 1, -1, -1):
        word = positions.words[positions.level_at[level] + position]
        position = (position << 6) + 63 - np.int64(leading_zeros(word))
    return position


@inline_part
def lowest(positions):
    """The lowest position of a set that is not empty."""
    position = 0
    for level in range(positions.level_at.size - 1, -1, -1):
        word = positions.words[positions.level_at[level] + position]
        position = (position << 6) + np.int64(trailing_zeros(word))
    return position
