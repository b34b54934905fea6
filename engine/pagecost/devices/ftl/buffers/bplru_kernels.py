"""BPLRU: the erase block that was written longest ago goes as a whole, the pages it lacks read from the flash.

A block that was written from its first page to its last in order goes first: nobody will write it soon again.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part
from pagecost.devices.ftl.write_buffer_kernels import PAGES_PER_BLOCK, Hooks, entry, leave_as_a_whole
from pagecost.lists_kernels import oldest, push, push_oldest, unlink

NO_ORDER = np.uint32(0xFFFFFFFF)


class State(NamedTuple):
    links: np.ndarray  # uint32[blocks + 1, 2]: one ring of blocks, the one written longest ago first
    pages: np.ndarray  # uint32[blocks]: pages of each block in the buffer
    in_order: np.ndarray  # uint32[blocks]: pages written in order from the first one, or NO_ORDER


@lean_part
def written(state, buffer, page):
    """A page of a block was written: the block becomes the newest, or the oldest if it is complete and in order."""
    pages = np.uint32(buffer.scalars[PAGES_PER_BLOCK])
    block = page // pages
    head = np.uint32(state.pages.size)
    state.in_order[block] = page % pages + np.uint32(1) if state.in_order[block] == page % pages else NO_ORDER
    if state.in_order[block] == pages:
        push_oldest(state.links, head, block)
    else:
        push(state.links, head, block)


@lean_part
def on_hit(state, buffer, page):
    unlink(state.links, page // np.uint32(buffer.scalars[PAGES_PER_BLOCK]))
    written(state, buffer, page)


@lean_part
def on_load(state, buffer, page):
    block = page // np.uint32(buffer.scalars[PAGES_PER_BLOCK])
    if state.pages[block] > 0:
        unlink(state.links, block)
    else:
        state.in_order[block] = 0
    state.pages[block] += np.uint32(1)
    written(state, buffer, page)


@lean_part
def evict(state, buffer):
    leave_as_a_whole(state, buffer, oldest(state.links, state.pages.size), True)


HOOKS = Hooks(on_hit, on_load, evict)
absorb = entry(__name__, HOOKS)
