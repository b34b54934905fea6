"""LRU-WSR, write sequence reordering: a dirty page at the old end gets a second chance, unless it is marked cold."""

import numpy as np

from pagecost.buffer.policies.lru_wsr_kernels import State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first


def start(case):
    frames = case.frames.page_in.size
    return State(
        links=new_lists(frames, 1),
        dirty=case.frames.dirty,
        cold=np.zeros(frames, np.uint8),
        reason=np.zeros(1, np.int64),
    )


def describe(pool, state):
    order = newest_first(state.links, pool.page_in.size)
    pages = [(int(pool.page_in[frame]), "cold" if state.cold[frame] else "") for frame in order]
    return Picture({"recency": pages}, {}, {})


REASONS = (
    "it is clean and the least recently used",
    "it is dirty and had its second chance",
    "it is clean, and older pages were dirty and got a second chance",
)
POLICY = Policy("lru-wsr", "LRU-WSR", start, replay, "Jung et al. 2008", describe, REASONS, flash_aware=True)
