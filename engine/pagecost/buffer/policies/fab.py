"""FAB, flash-aware buffer: the erase block with most pages in the buffer leaves as a whole, its pages in order."""

import numpy as np

from pagecost.buffer.blocks_kernels import group
from pagecost.buffer.policies.fab_kernels import State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first
from pagecost.registry import Parameter


def start(case):
    blocks = group(case, case.options["block_pages"])
    held = np.zeros(blocks.first.size - 1, np.int64)
    lists = int(np.diff(blocks.first).max()) + 1
    return State(
        links=new_lists(held.size, lists),
        page_in=case.frames.page_in,
        blocks=blocks,
        held=held,
        most=np.zeros(1, np.int64),
    )


def describe(pool, state):
    pages = []
    for held in range(state.links.shape[0] - state.held.size - 1, 0, -1):
        for number, block in enumerate(newest_first(state.links, state.held.size + held)):
            members = state.blocks.pages[state.blocks.first[block] : state.blocks.first[block + 1]]
            resident = [int(page) for page in members if pool.frame_of[page] < pool.page_in.size]
            pages += [(page, f"block of {held}, {number + 1}") for page in resident]
    return Picture({"blocks, the fullest first": pages}, {}, {})


REASONS = ("its erase block has most pages in the buffer: all of them leave, in order",)
PARAMETERS = (Parameter("block_pages", 64, 1, 1024, "pages of an erase block", whole=True),)
POLICY = Policy(
    "fab", "FAB", start, replay, "Jo et al. 2006", describe, REASONS, PARAMETERS, flash_aware=True, foreknows=True
)
