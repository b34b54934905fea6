"""LRU-2: the page whose last use but one lies farthest back leaves; a page used only once comes before all others."""

import numpy as np

from pagecost.buffer.policies.lru_2_kernels import State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.buffer.positions_kernels import new_positions
from pagecost.buffer.replay_kernels import USED
from pagecost.lists_kernels import new_lists, newest_first


def start(case):
    frames, pages = case.frames.page_in.size, case.ids.size
    return State(
        page_in=case.frames.page_in,
        frame_of=case.frames.frame_of,
        page_at=case.pages,
        last=np.zeros(pages, np.uint32),
        before_last=np.zeros(frames, np.uint32),
        once=new_lists(frames, 1),
        twice=new_positions(case.pages.size),
        reason=np.zeros(1, np.int64),
    )


def describe(pool, state):
    once = [(int(pool.page_in[frame]), "") for frame in newest_first(state.once, pool.page_in.size)]
    used = range(int(pool.counts[USED]))
    order = sorted(
        (frame for frame in used if state.before_last[frame]), key=lambda frame: -int(state.before_last[frame])
    )
    twice = [(int(pool.page_in[frame]), f"last but one at {state.before_last[frame]}") for frame in order]
    gone = [int(page) for page in np.flatnonzero(state.last) if pool.frame_of[page] >= pool.page_in.size]
    gone.sort(key=lambda page: -int(state.last[page]))
    return Picture({"used again": twice, "used once": once}, {"uses remembered": gone}, {})


REASONS = (
    "it was used only once, and longest ago of those",
    "its last use but one lies farthest back",
)
POLICY = Policy("lru-2", "LRU-2", start, replay, "O'Neil, O'Neil and Weikum 1993", describe, REASONS, foreknows=True)
