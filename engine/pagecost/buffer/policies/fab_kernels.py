"""FAB, flash-aware buffer: the erase block with most pages in the buffer leaves as a whole, in the order of its pages.

Blocks with the same number of pages share a list in order of use.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part
from pagecost.buffer.blocks_kernels import Blocks, companion, enter, foresee, leave_as_a_whole
from pagecost.buffer.replay_kernels import Hooks, entry
from pagecost.lists_kernels import oldest, push, renew, unlink


class State(NamedTuple):
    links: np.ndarray  # lists of blocks, one for each number of pages in the buffer
    page_in: np.ndarray  # the buffer's own array
    blocks: Blocks
    held: np.ndarray  # int64[blocks]: pages in the buffer
    most: np.ndarray  # int64[1]: no block holds more


@inline_part
def closing_of(state, pages):
    """The closing row of the list of blocks with that many pages in the buffer."""
    return np.uint32(state.held.size + pages)


@inline_part
def on_hit(state, frame, write, at):
    block = state.blocks.block_in[frame]
    renew(state.links, closing_of(state, state.held[block]), block)


@inline_part
def on_load(state, frame, slot, write, at):
    block = enter(state.blocks, frame, state.page_in[frame])
    if state.held[block]:
        unlink(state.links, block)
    state.held[block] += 1
    push(state.links, closing_of(state, state.held[block]), block)
    state.most[0] = max(state.most[0], state.held[block])


@inline_part
def victim(state, slot, at):
    end = closing_of(state, state.most[0])
    while oldest(state.links, end) == end:
        state.most[0] -= 1
        end = closing_of(state, state.most[0])
    return leave_as_a_whole(state, oldest(state.links, end))


HOOKS = Hooks(victim, on_hit, on_load, foresee=foresee, companion=companion)
replay = entry(__name__, HOOKS)
