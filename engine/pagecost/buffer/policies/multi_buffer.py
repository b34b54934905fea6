"""Multi-Buffer Manager: local buffers for pages of about equal cost, each LRU, whose sizes follow what they lost."""

import numpy as np

from pagecost.buffer.ghosts_kernels import new_ghosts
from pagecost.buffer.policies.multi_buffer_kernels import CLASSES, LISTS, State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first


def start(case):
    frames = case.frames.page_in.size
    each = max(1, frames // CLASSES)
    return State(
        links=new_lists(frames + CLASSES * each, LISTS),
        page_in=case.frames.page_in,
        ghosts=new_ghosts(case, CLASSES * each),
        list_of=np.zeros(frames + CLASSES * each, np.uint8),
        updates=np.zeros(case.ids.size, np.uint8),
        sizes=np.zeros(LISTS, np.int64),
        shares=np.array([frames // CLASSES + (number < frames % CLASSES) for number in range(CLASSES)]),
        lost=np.zeros(CLASSES),
        scalars=np.array([0, each, max(1, frames // 64)]),
        reason=np.zeros(1, np.int64),
    )


TITLES = ("never updated", "updated once", "updated 2 or 3 times", "updated more often")


def describe(pool, state):
    nodes = state.links.shape[0] - LISTS
    lists: dict[str, list] = {}
    ghosts: dict[str, list] = {}
    values: dict[str, float] = {}
    for number, title in enumerate(TITLES):
        lists[title] = [(int(pool.page_in[f]), "") for f in newest_first(state.links, nodes + number)]
        gone = newest_first(state.links, nodes + CLASSES + number)
        ghosts[f"left: {title}"] = [int(state.ghosts.page_of[node - pool.page_in.size]) for node in gone]
        values[f"frames: {title}"] = int(state.shares[number])
    return Picture(lists, ghosts, values)


REASONS = tuple(
    f"the buffer of the pages {title} is furthest over its share, or all just fill theirs: its oldest page leaves"
    for title in TITLES
)


SOURCE = "after Cesana and He 2010"


POLICY = Policy(
    "multi-buffer", "Multi-Buffer Manager", start, replay, SOURCE, describe, REASONS, flash_aware=True, foreknows=True
)
