"""Closed blocks in a bag from which one is drawn at random: what the random and the d-choices policy share."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part


class Bag(NamedTuple):
    blocks: np.ndarray  # uint32[blocks]: the listed ones first
    place: np.ndarray  # uint32[blocks]: where a listed block stands
    size: np.ndarray  # int64[2]: number of listed blocks; draws per victim
    random: np.ndarray  # uint64[1]: never zero


def new_bag(blocks: int, seed: int, draws: int) -> Bag:
    """An empty bag; equal seeds draw alike."""
    random = np.random.default_rng([seed, 7]).integers(1, 2**63, 1, np.uint64)
    return Bag(
        blocks=np.zeros(blocks, np.uint32),
        place=np.zeros(blocks, np.uint32),
        size=np.array([0, draws], np.int64),
        random=random,
    )


@lean_part
def put(bag, block, valid, now):
    """Put a closed block into the bag. A hook, see `Hooks`."""
    at = bag.size[0]
    bag.blocks[at] = block
    bag.place[block] = at
    bag.size[0] = at + 1


@lean_part
def take(bag, block, valid):
    """Take a block out of the bag. A hook, see `Hooks`."""
    last = bag.size[0] - 1
    at = bag.place[block]
    moved = bag.blocks[last]
    bag.blocks[at] = moved
    bag.place[moved] = at
    bag.size[0] = last


@lean_part
def draw(bag):
    """One of the listed blocks, each as likely (Marsaglia's xorshift, shifts 13, 7, 17)."""
    x = bag.random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    bag.random[0] = x
    return bag.blocks[((x >> np.uint64(32)) * np.uint64(bag.size[0])) >> np.uint64(32)]
