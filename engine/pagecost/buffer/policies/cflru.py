"""CFLRU, clean first: within a window at the old end of the LRU list, clean pages leave before dirty ones."""

import numpy as np

from pagecost.buffer.policies.cflru_kernels import CLEAN, DIRTY, WORKING, State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first
from pagecost.registry import Parameter


def start(case):
    frames = case.frames.page_in.size
    window = round(frames * case.options["window"])
    sizes = np.array([0, frames - window])
    return State(
        links=new_lists(frames, 3),
        dirty=case.frames.dirty,
        working=np.zeros(frames, np.uint8),
        sizes=sizes,
        reason=np.zeros(1, np.int64),
    )


def describe(pool, state):
    lists = {
        title: [(int(pool.page_in[frame]), "") for frame in newest_first(state.links, pool.page_in.size + which)]
        for title, which in (("working region", WORKING), ("window, clean", CLEAN), ("window, dirty", DIRTY))
    }
    return Picture(lists, {}, {"frames of the working region": int(state.sizes[1])})


REASONS = (
    "the window has no page: the least recently used one leaves",
    "it is the least recently used clean page of the window",
    "no page of the window is clean: the least recently used dirty one leaves",
)
PARAMETERS = (Parameter("window", 0.5, 0.0, 1.0, "share of the frames in which clean pages leave first"),)
POLICY = Policy("cflru", "CFLRU", start, replay, "Park et al. 2006", describe, REASONS, PARAMETERS, flash_aware=True)
