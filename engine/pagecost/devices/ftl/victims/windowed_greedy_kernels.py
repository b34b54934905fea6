"""Windowed greedy: of the w blocks that were filled longest ago, collect the one with the fewest live pages.

A window of one block is FIFO, a window of all blocks greedy. Of equals, the oldest.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.ftl.heat_kernels import serve_by_heat as heat_template
from pagecost.devices.ftl.page_map_kernels import Hooks
from pagecost.devices.ftl.page_map_kernels import serve as serve_template
from pagecost.devices.ftl.victims.fifo_kernels import on_close, remove
from pagecost.lists_kernels import NEWER, oldest, ring


class State(NamedTuple):
    links: np.ndarray  # as FIFO's: the blocks in the order they were filled
    window: np.ndarray  # int64[1]: blocks looked at


@lean_part
def victim(state, flash, now):
    links = state.links
    end = ring(links, 1, 0)
    best = oldest(links, end)
    block = best
    for _ in range(1, state.window[0]):
        block = links[block, NEWER]
        if block == end:
            break
        if flash.valid[block] < flash.valid[best]:
            best = block
    return best


HOOKS = Hooks(victim, on_close, remove)


@lean_kernel
def serve(requests, blame, flash, state):
    serve_template(requests, blame, flash, state, HOOKS)


@lean_kernel
def serve_by_heat(requests, blame, flash, state, heat):
    heat_template(requests, blame, flash, state, HOOKS, heat)
