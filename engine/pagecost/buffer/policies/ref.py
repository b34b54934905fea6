"""REF, recently evicted first: victims come from the few erase blocks that the last victims came from."""

import numpy as np

from pagecost.buffer.blocks_kernels import number_blocks
from pagecost.buffer.policies.ref_kernels import WINDOW, WORKING, State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.buffer.replay_kernels import ABSENT
from pagecost.lists_kernels import new_lists, newest_first
from pagecost.registry import Parameter


def start(case):
    frames = case.frames.page_in.size
    window = round(frames * case.options["window"])
    block_of = number_blocks(case, case.options["block_pages"])
    blocks = int(block_of.max()) + 1
    slots = case.options["log_blocks"]
    return State(
        links=new_lists(frames, 2),
        page_in=case.frames.page_in,
        block_of=block_of,
        in_block=new_lists(frames, blocks),
        slot_of=np.full(blocks, ABSENT, np.uint32),
        victims=np.full(slots, ABSENT, np.uint32),
        working=np.zeros(frames, np.uint8),
        block_in=np.zeros(frames, np.uint32),
        entered=np.zeros(frames, np.int64),
        first=np.full(2 << max(slots - 1, 1).bit_length(), ABSENT, np.uint32),
        scalars=np.array([0, frames - window, 0, 0]),
        reason=np.zeros(1, np.int64),
    )


def describe(pool, state):
    def marked(frame):
        block = state.block_of[pool.page_in[frame]]
        return (int(pool.page_in[frame]), "victim block" if state.slot_of[block] != ABSENT else "")

    lists = {
        title: [marked(frame) for frame in newest_first(state.links, pool.page_in.size + which)]
        for title, which in (("working region", WORKING), ("victim window", WINDOW))
    }
    return Picture(lists, {}, {"victim blocks": int(np.count_nonzero(state.slot_of != ABSENT))})


REASONS = (
    "it is the least recently used page of the window in one of the victim blocks",
    "no page of the window lies in a victim block: the least recently used page leaves, its block becomes one",
)
PARAMETERS = (
    Parameter("window", 0.5, 0.0, 1.0, "share of the frames in which victims are sought"),
    Parameter("log_blocks", 8, 1, 65_536, "victim blocks, as many as the device has log blocks", whole=True),
    Parameter("block_pages", 64, 1, 1024, "pages of an erase block", whole=True),
)
POLICY = Policy(
    "ref",
    "REF",
    start,
    replay,
    "after Seo and Shin 2008",
    describe,
    REASONS,
    PARAMETERS,
    flash_aware=True,
    foreknows=True,
)
