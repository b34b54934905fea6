"""Greedy: collect the block with the fewest live pages; of equals, the one that fell to the count first.

One ring of blocks for each count of live pages, so that a dying page costs a few memory accesses, not a search.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.ftl.heat_kernels import serve_by_heat as heat_template
from pagecost.devices.ftl.page_map_kernels import Hooks
from pagecost.devices.ftl.page_map_kernels import serve as serve_template
from pagecost.lists_kernels import OLDER, oldest, push, unlink


class State(NamedTuple):
    links: np.ndarray  # uint32[blocks + pages_per_block + 1, 2]: neighbours; place blocks + v heads the ring of count v
    fewest: np.ndarray  # uint32[2]: no listed block has fewer live pages than [0]; [1] is the number of blocks


UNLISTED = np.uint32(0xFFFFFFFF)


@lean_part
def on_close(state, block, valid, now):
    links, fewest = state
    head = fewest[1] + valid
    push(links, head, block)
    if valid < fewest[0]:
        fewest[0] = valid


@lean_part
def remove(state, block, valid):
    unlink(state.links, block)
    state.links[block, OLDER] = UNLISTED


@lean_part
def on_dead(state, block, valid, now):
    if state.links[block, OLDER] != UNLISTED:
        unlink(state.links, block)
        on_close(state, block, valid, now)


@lean_part
def victim(state, flash, now):
    links, fewest = state
    head = fewest[0] + fewest[1]
    while oldest(links, head) == head:
        head += np.uint32(1)
    fewest[0] = head - fewest[1]
    return oldest(links, head)


HOOKS = Hooks(victim, on_close, remove, on_dead)


@lean_kernel
def serve(requests, blame, flash, state):
    serve_template(requests, blame, flash, state, HOOKS)


@lean_kernel
def serve_by_heat(requests, blame, flash, state, heat):
    heat_template(requests, blame, flash, state, HOOKS, heat)
