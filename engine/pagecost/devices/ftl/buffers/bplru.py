"""BPLRU: the erase block that was written longest ago goes as a whole, the pages it lacks read from the flash."""

import numpy as np

from pagecost.devices.ftl.buffers.bplru_kernels import State, absorb
from pagecost.devices.ftl.write_policy import WritePolicy
from pagecost.lists_kernels import new_lists


def start(logical_pages, pages_per_block):
    blocks = -(-logical_pages // pages_per_block)
    return State(new_lists(blocks, 1), np.zeros(blocks, np.uint32), np.zeros(blocks, np.uint32))


POLICY = WritePolicy("bplru", "BPLRU with padding", start, absorb, "Kim and Ahn 2008")
