"""AD-LRU: a cold queue (used once) and a hot one (used again); in the chosen queue clean pages leave first."""

import numpy as np

from pagecost.buffer.policies.ad_lru_kernels import State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first
from pagecost.registry import Parameter


def start(case):
    frames = case.frames.page_in.size
    least = int(frames * case.options["min_cold"])
    flags = np.zeros(frames, np.uint8)
    return State(
        links=new_lists(frames, 4),
        dirty=case.frames.dirty,
        hot=flags,
        spared=flags.copy(),
        sizes=np.array([0, 0, least]),
        reason=np.zeros(1, np.int64),
    )


TITLES = ("cold, clean", "cold, dirty", "hot, clean", "hot, dirty")


def describe(pool, state):
    lists = {
        TITLES[which]: [
            (int(pool.page_in[frame]), "spared" if state.spared[frame] else "")
            for frame in newest_first(state.links, pool.page_in.size + which)
        ]
        for which in (3, 2, 1, 0)
    }
    return Picture(lists, {}, {"cold pages kept": int(state.sizes[2])})


REASONS = (
    "the cold queue is long enough, or nothing is hot: its least recently used clean page leaves",
    "the cold queue is long enough, or nothing is hot, and all dirty: the first page that had its second chance leaves",
    "the cold queue is short: the least recently used clean page of the hot queue leaves",
    "the cold queue is short, the hot one all dirty: the first page that had its second chance leaves",
)
PARAMETERS = (Parameter("min_cold", 0.1, 0.0, 1.0, "share of the frames below which the cold queue is spared"),)
POLICY = Policy(
    "ad-lru", "AD-LRU", start, replay, "Jin, Ou, Härder and Li 2012", describe, REASONS, PARAMETERS, flash_aware=True
)
