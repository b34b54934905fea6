"""CCF-LRU, cold clean first: clean pages read once leave first, then cold clean ones, then cold dirty ones."""

import numpy as np

from pagecost.buffer.policies.ccf_lru_kernels import COLD_CLEAN, MIXED, State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first


def start(case):
    frames = case.frames.page_in.size
    return State(
        links=new_lists(frames, 2),
        dirty=case.frames.dirty,
        cold=np.zeros(frames, np.uint8),
        reason=np.zeros(1, np.int64),
    )


def describe(pool, state):
    lists = {
        title: [
            (int(pool.page_in[frame]), "cold" if state.cold[frame] else "")
            for frame in newest_first(state.links, pool.page_in.size + which)
        ]
        for title, which in (("mixed list", MIXED), ("cold clean list", COLD_CLEAN))
    }
    return Picture(lists, {}, {})


REASONS = (
    "it is the least recently used page of the cold clean list",
    "the cold clean list is empty; this is the first clean page of the mixed list",
    "the cold clean list is empty; this is the first cold dirty page of the mixed list",
)
POLICY = Policy("ccf-lru", "CCF-LRU", start, replay, "Li et al. 2009", describe, REASONS, flash_aware=True)
