"""LRU: the page that was written longest ago goes, alone."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.ftl.write_buffer_kernels import Hooks, leave
from pagecost.devices.ftl.write_buffer_kernels import absorb as absorb_template
from pagecost.lists_kernels import oldest, push, unlink


class State(NamedTuple):
    links: np.ndarray  # uint32[logical pages + 1, 2]: one ring, the page written longest ago first


@lean_part
def on_hit(state, buffer, page):
    unlink(state.links, page)
    push(state.links, np.uint32(state.links.shape[0] - 1), page)


@lean_part
def on_load(state, buffer, page):
    push(state.links, np.uint32(state.links.shape[0] - 1), page)


@lean_part
def evict(state, buffer):
    page = oldest(state.links, state.links.shape[0] - 1)
    unlink(state.links, page)
    leave(buffer, page)


HOOKS = Hooks(on_hit, on_load, evict)


@lean_kernel
def absorb(pages, buffer, state):
    absorb_template(pages, buffer, state, HOOKS)
