"""FAB: the erase block with the most pages in the buffer goes, all its pages in order; of equals, the least recent."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part
from pagecost.devices.ftl.write_buffer_kernels import PAGES_PER_BLOCK, Hooks, entry, leave_as_a_whole
from pagecost.lists_kernels import oldest, push, unlink


class State(NamedTuple):
    links: np.ndarray  # uint32[blocks + pages per block + 1, 2]: place blocks + n heads the ring of blocks with n pages
    pages: np.ndarray  # uint32[blocks]: pages of each block in the buffer


@lean_part
def to_newer_end(state, block):
    """Make a block the newest of those with as many pages."""
    push(state.links, np.uint32(state.pages.size) + state.pages[block], block)


@lean_part
def on_hit(state, buffer, page):
    block = page // np.uint32(buffer.scalars[PAGES_PER_BLOCK])
    unlink(state.links, block)
    to_newer_end(state, block)


@lean_part
def on_load(state, buffer, page):
    block = page // np.uint32(buffer.scalars[PAGES_PER_BLOCK])
    if state.pages[block] > 0:
        unlink(state.links, block)
    state.pages[block] += np.uint32(1)
    to_newer_end(state, block)


@lean_part
def evict(state, buffer):
    head = np.uint32(state.pages.size + buffer.scalars[PAGES_PER_BLOCK])
    while oldest(state.links, head) == head:
        head -= np.uint32(1)
    leave_as_a_whole(state, buffer, oldest(state.links, head), False)


HOOKS = Hooks(on_hit, on_load, evict)
absorb = entry(__name__, HOOKS)
