"""FAB: the erase block with the most pages in the buffer goes, all its pages in order; of equals, the least recent."""

import numpy as np

from pagecost.devices.ftl.buffers.fab_kernels import State, absorb
from pagecost.devices.ftl.write_policy import WritePolicy
from pagecost.lists_kernels import new_lists


def start(logical_pages, pages_per_block):
    blocks = -(-logical_pages // pages_per_block)
    return State(new_lists(blocks, pages_per_block + 1), np.zeros(blocks, np.uint32))


POLICY = WritePolicy("fab", "FAB", start, absorb, "Jo et al. 2006")
