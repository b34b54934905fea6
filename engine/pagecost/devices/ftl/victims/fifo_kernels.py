"""First in, first out: collect the block that was filled longest ago, whatever it holds."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.ftl.heat_kernels import serve_by_heat as heat_template
from pagecost.devices.ftl.page_map_kernels import Hooks
from pagecost.devices.ftl.page_map_kernels import serve as serve_template
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


@lean_kernel
def serve(requests, blame, flash, state):
    serve_template(requests, blame, flash, state, HOOKS)


@lean_kernel
def serve_by_heat(requests, blame, flash, state, heat):
    heat_template(requests, blame, flash, state, HOOKS, heat)
