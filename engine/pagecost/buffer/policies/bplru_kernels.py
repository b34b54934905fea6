"""BPLRU: a write buffer of erase blocks in order of use; the oldest block leaves as a whole. Reads get no frame.

A block that was written from its first page to its last goes to the old end at once (LRU compensation). Page padding,
which reads a victim block's missing pages to write it whole, belongs to the device below and is not modelled here.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part
from pagecost.buffer.blocks_kernels import Blocks, companion, enter, foresee, leave_as_a_whole
from pagecost.buffer.replay_kernels import Hooks, entry
from pagecost.lists_kernels import oldest, push, push_oldest, ring, unlink


class State(NamedTuple):
    links: np.ndarray  # one list of blocks
    page_in: np.ndarray  # the buffer's own array
    blocks: Blocks
    held: np.ndarray  # uint8[blocks]: 1 if the block has pages in the buffer
    in_order: np.ndarray  # int64[blocks]: pages written in order so far, -1 after one out of order
    block_pages: np.ndarray  # int64[1]


@inline_part
def admits(state, page, write):
    return write == 1


@inline_part
def written(state, frame, block):
    """A page of the block was written: the block becomes the newest, or the oldest if it is whole and in order."""
    if state.held[block]:
        unlink(state.links, block)
    else:
        state.held[block] = 1
        state.in_order[block] = 0
    if state.in_order[block] >= 0:
        # places are without gaps; a block with pages that the trace never names is never whole, in either count
        place = np.int64(state.blocks.place_of[state.page_in[frame], 1]) - state.blocks.first[block]
        state.in_order[block] = state.in_order[block] + 1 if place == state.in_order[block] else -1
    end = ring(state.links, 1, 0)
    if state.in_order[block] == state.block_pages[0]:
        push_oldest(state.links, end, block)
    else:
        push(state.links, end, block)


@inline_part
def on_hit(state, frame, write, at):
    if write:
        written(state, frame, state.blocks.block_in[frame])


@inline_part
def on_load(state, frame, slot, write, at):
    written(state, frame, enter(state.blocks, frame, state.page_in[frame]))


@inline_part
def victim(state, slot, at):
    return leave_as_a_whole(state, oldest(state.links, ring(state.links, 1, 0)))


HOOKS = Hooks(victim, on_hit, on_load, foresee=foresee, companion=companion, admits=admits)
replay = entry(__name__, HOOKS)
