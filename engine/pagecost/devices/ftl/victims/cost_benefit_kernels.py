"""Cost-benefit: collect the block with the largest age · (1 - u) / 2u, u its share of live pages.

Age: host pages written since a page of the block last died, or since it was filled. Every collection looks at every
block, so a collection costs time in proportion to the device.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import kernel, part
from pagecost.devices.ftl.page_map_kernels import CLOSED, PAGES_PER_BLOCK, Hooks, Policy
from pagecost.devices.ftl.page_map_kernels import serve as serve_template


class State(NamedTuple):
    changed: np.ndarray  # int64[blocks]: host pages written when the block was filled or last lost a page


def start(flash, seed, choices):
    return State(np.zeros(flash.status.size, np.int64))


@part
def touch(state, block, valid, now):
    state.changed[block] = now


@part
def keep(state, block, valid):
    """Nothing is listed: the status of the blocks says all."""


@part
def victim(state, flash, now):
    pages = flash.scalars[PAGES_PER_BLOCK]
    best = np.uint32(0)
    highest = -1.0
    for block in range(flash.status.size):
        if flash.status[block] == CLOSED:
            live = np.int64(flash.valid[block])
            if live == 0:
                return np.uint32(block)
            benefit = float(now - state.changed[block] + 1) * (pages - live) / (2.0 * live)
            if benefit > highest:
                highest = benefit
                best = np.uint32(block)
    return best


HOOKS = Hooks(victim, touch, keep, touch)


@kernel
def serve(requests, blame, flash, state):
    serve_template(requests, blame, flash, state, HOOKS)


POLICY = Policy("cost-benefit", "Cost-benefit", start, serve, "Kawaguchi, Nishioka, Motoda 1995")
