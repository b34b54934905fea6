"""Greedy: collect the block with the fewest live pages; of equals, the one that fell to the count first.

One ring of blocks for each count of live pages, so that a dying page costs a few memory accesses, not a search.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.ftl.heat_kernels import serve_by_heat as heat_template
from pagecost.devices.ftl.page_map_kernels import Hooks
from pagecost.devices.ftl.page_map_kernels import serve as serve_template


class State(NamedTuple):
    links: np.ndarray  # uint32[blocks + pages_per_block + 1, 2]: neighbours; place blocks + v heads the ring of count v
    fewest: np.ndarray  # uint32[2]: no listed block has fewer live pages than [0]; [1] is the number of blocks


EARLIER, LATER = 0, 1


UNLISTED = np.uint32(0xFFFFFFFF)


@lean_part
def on_close(state, block, valid, now):
    links, fewest = state
    head = fewest[1] + valid
    latest = links[head, EARLIER]
    links[block, EARLIER] = latest
    links[block, LATER] = head
    links[latest, LATER] = block
    links[head, EARLIER] = block
    if valid < fewest[0]:
        fewest[0] = valid


@lean_part
def unlink(links, earlier, later):
    links[earlier, LATER] = later
    links[later, EARLIER] = earlier


@lean_part
def remove(state, block, valid):
    unlink(state.links, state.links[block, EARLIER], state.links[block, LATER])
    state.links[block, EARLIER] = UNLISTED


@lean_part
def on_dead(state, block, valid, now):
    earlier = state.links[block, EARLIER]
    if earlier != UNLISTED:
        unlink(state.links, earlier, state.links[block, LATER])
        on_close(state, block, valid, now)


@lean_part
def victim(state, flash, now):
    links, fewest = state
    head = fewest[0] + fewest[1]
    while links[head, LATER] == head:
        head += np.uint32(1)
    fewest[0] = head - fewest[1]
    return links[head, LATER]


HOOKS = Hooks(victim, on_close, remove, on_dead)


@lean_kernel
def serve(requests, blame, flash, state):
    serve_template(requests, blame, flash, state, HOOKS)


@lean_kernel
def serve_by_heat(requests, blame, flash, state, heat):
    heat_template(requests, blame, flash, state, HOOKS, heat)
