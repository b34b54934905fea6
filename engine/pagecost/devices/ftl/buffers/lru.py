"""LRU: the page that was written longest ago goes, alone."""

from pagecost.devices.ftl.buffers.lru_kernels import State, absorb
from pagecost.devices.ftl.write_policy import WritePolicy
from pagecost.lists_kernels import new_lists


def start(logical_pages, pages_per_block):
    return State(new_lists(logical_pages, 1))


POLICY = WritePolicy("lru", "LRU of pages", start, absorb, "the plain policy that FAB and BPLRU are compared with")
