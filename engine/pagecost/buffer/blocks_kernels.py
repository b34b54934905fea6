"""Pages grouped by where they lie on the device: block = page id // pages per block."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, prefetch, trailing_zeros
from pagecost.buffer.replay_kernels import ABSENT
from pagecost.lists_kernels import unlink


class Blocks(NamedTuple):
    place_of: np.ndarray  # uint32[pages, 2]: dense number of the page's block, place of the page in `pages`
    first: np.ndarray  # int64[blocks + 1]: where a block's pages start in `pages`
    pages: np.ndarray  # uint32[pages]: by block, in the order of page ids
    resident: np.ndarray  # uint64[places / 64]: one bit per place in `pages`, set while the page is in the buffer
    block_in: np.ndarray  # uint32[frames]: block of the page in the frame
    frame_at: np.ndarray  # uint32[places]: frame of the page at a place, while it is resident: one block's lie together
    cursor: np.ndarray  # int64[2]: of a walk through a block's pages: next place in `pages`, end


def in_order(ids) -> np.ndarray:
    """The page numbers in the order of their ids, as np.argsort would give them, int64, shape (pages,)."""
    low = ids.min()
    span = int(ids.max()) - int(low) + 1
    if span > 8 * ids.size:
        return np.argsort(ids)
    page_at = np.full(span, -1, np.int64)  # ids are close together, as those of a database are: no need to sort
    page_at[ids - low] = np.arange(ids.size)
    return page_at[page_at >= 0]


def number_blocks(case, pages_per_block: int) -> np.ndarray:
    """The dense number of each page's block, in the order of page ids, uint32, shape (pages,)."""
    return _numbered(case.ids, in_order(case.ids), pages_per_block)


def _numbered(ids, order, pages_per_block: int) -> np.ndarray:
    """The number of each id's erase block (uint32), by rising id without gaps; `order` sorts `ids`."""
    blocks = ids[order] // pages_per_block
    block_of = np.empty(blocks.size, np.uint32)
    block_of[order] = np.cumsum(np.diff(blocks, prepend=blocks[0]) != 0, dtype=np.uint32)
    return block_of


def group(case, pages_per_block: int) -> Blocks:
    """The blocks of all pages that the trace will name (their order is known beforehand, as a device's is)."""
    order = in_order(case.ids)
    block_of = _numbered(case.ids, order, pages_per_block)
    place_of = np.empty((order.size, 2), np.uint32)
    place_of[:, 0] = block_of
    place_of[order, 1] = np.arange(order.size)
    return Blocks(
        place_of=place_of,
        first=np.append(0, np.cumsum(np.bincount(block_of))),
        pages=order.astype(np.uint32),
        resident=np.zeros(order.size // 64 + 1, np.uint64),
        block_in=np.zeros(case.frames.page_in.size, np.uint32),
        frame_at=np.zeros(order.size, np.uint32),
        cursor=np.zeros(2, np.int64),
    )


@inline_part
def enter(blocks, frame, page):
    """`page` now stands in `frame`; the number of its block."""
    block, place = blocks.place_of[page, 0], blocks.place_of[page, 1]
    blocks.block_in[frame] = block
    blocks.frame_at[place] = frame
    blocks.resident[place >> np.uint32(6)] |= np.uint64(1) << np.uint64(place & np.uint32(63))
    return block


@inline_part
def foresee(state, page, at):
    """A hook for policies of blocks: fetch ahead where the page lies in its block; see `Hooks`."""
    prefetch(state.blocks.place_of, page)


@inline_part
def walk(blocks, block):
    """Start a walk through the pages of `block`, all of which leave the buffer."""
    blocks.cursor[0] = blocks.first[block]
    blocks.cursor[1] = blocks.first[block + 1]


@inline_part
def next_resident(blocks):
    """The frame of the next page of the walk that is in the buffer, or ABSENT at its end."""
    place, end = blocks.cursor[0], blocks.cursor[1]
    while place < end:
        word = blocks.resident[place >> 6] >> np.uint64(place & 63)
        if word == 0:
            place = (place | 63) + 1
            continue
        place += np.int64(trailing_zeros(word))
        if place < end:
            blocks.resident[place >> 6] ^= np.uint64(1) << np.uint64(place & 63)
            blocks.cursor[0] = place + 1
            return blocks.frame_at[place]
    return ABSENT


@inline_part
def leave_as_a_whole(state, block):
    """The block, which is in a list, leaves the buffer. Returns the frame of its first page."""
    unlink(state.links, block)
    state.held[block] = 0
    walk(state.blocks, block)
    return next_resident(state.blocks)


@inline_part
def companion(state):
    """A hook for policies whose victim is a block: the frame of its next page, or ABSENT; see `Hooks`."""
    return next_resident(state.blocks)
