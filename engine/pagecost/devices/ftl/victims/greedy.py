"""Greedy: collect the block with the fewest live pages; of equals, the one that fell to the count first."""

import numpy as np

from pagecost.devices.ftl.page_map_kernels import PAGES_PER_BLOCK
from pagecost.devices.ftl.victim_policy import Policy
from pagecost.devices.ftl.victims.greedy_kernels import UNLISTED, State, serve, serve_by_heat
from pagecost.lists_kernels import new_lists


def start(flash, seed, options):
    blocks, pages = flash.status.size, int(flash.scalars[PAGES_PER_BLOCK])
    links = new_lists(blocks, pages + 1)
    links[:blocks] = UNLISTED
    return State(links, np.array([pages, blocks], np.uint32))


POLICY = Policy("greedy", "Greedy", start, serve, "Desnoyers 2012; ties: first to fall to the count", serve_by_heat)
