"""First in, first out: collect the block that was filled longest ago, whatever it holds."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part
from pagecost.devices.ftl.heat_kernels import entries
from pagecost.devices.ftl.page_map_kernels import Hooks
from pagecost.lists_kernels import oldest, push, ring, unlink


class State(NamedTuple):
    links: np.ndarray  # one list of blocks, the one filled first the oldest


@lean_part
def on_close(state, block, valid, now):
    push(state.links, ring(state.links, 1, 0), block)


@lean_part
def remove(state, block, valid):
    unlink(state.links, block)


@lean_part
def victim(state, flash, now):
    return oldest(state.links, ring(state.links, 1, 0))


HOOKS = Hooks(victim, on_close, remove)
serve, serve_by_heat = entries(__name__, HOOKS)
