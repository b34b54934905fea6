"""First in, first out: collect the block that was filled longest ago, whatever it holds."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.ftl.heat_kernels import serve_by_heat as heat_template
from pagecost.devices.ftl.page_map_kernels import Hooks
from pagecost.devices.ftl.page_map_kernels import serve as serve_template


class State(NamedTuple):
    links: np.ndarray  # uint32[blocks + 1, 2]: (earlier, later) neighbour; the last row closes the ring


EARLIER, LATER = 0, 1


@lean_part
def on_close(state, block, valid, now):
    links = state.links
    end = np.uint32(links.shape[0] - 1)
    latest = links[end, EARLIER]
    links[block, EARLIER] = latest
    links[block, LATER] = end
    links[latest, LATER] = block
    links[end, EARLIER] = block


@lean_part
def remove(state, block, valid):
    links = state.links
    earlier = links[block, EARLIER]
    later = links[block, LATER]
    links[earlier, LATER] = later
    links[later, EARLIER] = earlier


@lean_part
def victim(state, flash, now):
    return state.links[state.links.shape[0] - 1, LATER]


HOOKS = Hooks(victim, on_close, remove)


@lean_kernel
def serve(requests, blame, flash, state):
    serve_template(requests, blame, flash, state, HOOKS)


@lean_kernel
def serve_by_heat(requests, blame, flash, state, heat):
    heat_template(requests, blame, flash, state, HOOKS, heat)
