"""BPLRU: a write buffer of erase blocks in order of use; the oldest block leaves as a whole. Reads get no frame."""

import numpy as np

from pagecost.buffer.blocks_kernels import group
from pagecost.buffer.policies.bplru_kernels import State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first
from pagecost.registry import Parameter


def start(case):
    size = case.options["block_pages"]
    blocks = group(case, size)
    number = blocks.first.size - 1
    return State(
        links=new_lists(number, 1),
        page_in=case.frames.page_in,
        blocks=blocks,
        held=np.zeros(number, np.uint8),
        in_order=np.zeros(number, np.int64),
        block_pages=np.array([size]),
    )


def describe(pool, state):
    pages = []
    for number, block in enumerate(newest_first(state.links, state.held.size)):
        members = state.blocks.pages[state.blocks.first[block] : state.blocks.first[block + 1]]
        resident = [int(page) for page in members if pool.frame_of[page] < pool.page_in.size]
        pages += [(page, f"block {number + 1}") for page in resident]
    return Picture({"blocks, recency": pages}, {}, {})


REASONS = ("its erase block is the least recently written one: all its pages leave, in order",)
PARAMETERS = (Parameter("block_pages", 64, 1, 1024, "pages of an erase block", whole=True),)
POLICY = Policy(
    "bplru",
    "BPLRU",
    start,
    replay,
    "Kim and Ahn 2008",
    describe,
    REASONS,
    PARAMETERS,
    bypasses=True,
    flash_aware=True,
    foreknows=True,
)
