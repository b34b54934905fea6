"""Ages of blocks, and the block whose collection pays most for them: what cost-benefit and cost-age-times share.

Age: host pages written since a page of the block last died, or since it was filled. Every collection looks at every
block, so a collection costs time in proportion to the device.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part, template
from pagecost.devices.ftl.page_map_kernels import CLOSED, PAGES_PER_BLOCK


class Ages(NamedTuple):
    changed: np.ndarray  # int64[blocks]: host pages written when the block was filled or last lost a page


def new_ages(flash, seed, options):
    """No block has changed yet."""
    return Ages(np.zeros(flash.status.size, np.int64))


@lean_part
def touch(state, block, valid, now):
    """Keep when the block changed: host pages written by then. A hook, see `Hooks`."""
    state.changed[block] = now


@lean_part
def keep(state, block, valid):
    """Nothing is listed: the status of the blocks says all."""


@template
def most_beneficial(state, flash, now, price):
    """The closed block with the largest age · (1 - u) / 2u / price(flash, block), u its share of live pages.

    The first empty block, if there is one: it costs nothing.
    """
    pages = flash.scalars[PAGES_PER_BLOCK]
    best = np.uint32(0)
    highest = -1.0
    for block in range(flash.status.size):
        if flash.status[block] == CLOSED:
            live = np.int64(flash.valid[block])
            if live == 0:
                best = np.uint32(block)
                break
            benefit = float(now - state.changed[block] + 1) * (pages - live) / (2.0 * live) / price(flash, block)
            if benefit > highest:
                highest = benefit
                best = np.uint32(block)
    return best
