"""Windowed greedy: of the w blocks that were filled longest ago, collect the one with the fewest live pages.

A window of one block is FIFO, a window of all blocks greedy. Of equals, the oldest.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part
from pagecost.devices.ftl.heat_kernels import entries
from pagecost.devices.ftl.page_map_kernels import Hooks
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
serve, serve_by_heat = entries(__name__, HOOKS)
