"""Pages grouped by where they lie on the device: block = page id // pages per block."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part as part
from pagecost.buffer.replay_kernels import ABSENT


class Blocks(NamedTuple):
    block_of: np.ndarray  # uint32[pages]: dense number of the block, in the order of page ids
    first: np.ndarray  # int64[blocks + 1]: where a block's pages start in `pages`
    pages: np.ndarray  # uint32[pages]: by block, in the order of page ids
    frame_of: np.ndarray  # the buffer's own array
    frames: np.ndarray  # int64[1]
    cursor: np.ndarray  # int64[2]: of a walk through a block's pages: next place in `pages`, end


def number_blocks(case, pages_per_block: int) -> np.ndarray:
    """The dense number of each page's block, in the order of page ids, uint32, shape (pages,)."""
    order = np.argsort(case.ids)
    blocks = case.ids[order] // pages_per_block
    block_of = np.empty(blocks.size, np.uint32)
    block_of[order] = np.cumsum(np.diff(blocks, prepend=blocks[0]) != 0)
    return block_of


def group(case, pages_per_block: int) -> Blocks:
    """The blocks of all pages that the trace will name (their order is known beforehand, as a device's is)."""
    order = np.argsort(case.ids)
    block_of = number_blocks(case, pages_per_block)
    first = np.cumsum(np.bincount(block_of))
    return Blocks(
        block_of,
        np.append(0, first),
        order.astype(np.uint32),
        case.frames.frame_of,
        np.array([case.frames.page_in.size]),
        np.zeros(2, np.int64),
    )


@part
def walk(blocks, block):
    """Start a walk through the pages of `block`."""
    blocks.cursor[0] = blocks.first[block]
    blocks.cursor[1] = blocks.first[block + 1]


@part
def next_resident(blocks):
    """The frame of the next page of the walk that is in the buffer, or ABSENT at its end."""
    while blocks.cursor[0] < blocks.cursor[1]:
        frame = blocks.frame_of[blocks.pages[blocks.cursor[0]]]
        blocks.cursor[0] += 1
        if frame < blocks.frames[0]:
            return frame
    return ABSENT
