"""ARC: a list of pages seen once, one of pages seen again, and a target between them that learns from what left."""

import numpy as np

from pagecost.buffer.ghosts_kernels import new_ghosts
from pagecost.buffer.policies.arc_kernels import B1, B2, T1, T2, State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first


def start(case):
    frames = case.frames.page_in.size
    return State(
        links=new_lists(2 * frames, 4),
        ghosts=new_ghosts(case, frames),
        list_of=np.zeros(2 * frames, np.uint8),
        sizes=np.zeros(4, np.int64),
        target=np.zeros(1),
        reason=np.zeros(1, np.int64),
    )


def describe(pool, state):
    frames = pool.page_in.size
    nodes = [newest_first(state.links, 2 * frames + which) for which in (T1, T2, B1, B2)]
    once, again = ([(int(pool.page_in[frame]), "") for frame in nodes[which]] for which in (T1, T2))
    left = [[int(state.ghosts.page_of[node - frames]) for node in nodes[which]] for which in (B1, B2)]
    ghosts = {"B1, left T1": left[0], "B2, left T2": left[1]}
    return Picture({"T2, seen again": again, "T1, seen once": once}, ghosts, {"target p of T1": float(state.target[0])})


REASONS = (
    "T1 is over its target, or at it and B2 remembered the new page: its oldest page leaves, remembered in B1",
    "T1 is within its target: the least recently used page of T2 leaves, remembered in B2",
    "T1 fills the whole buffer: its least recently used page leaves and is forgotten",
)
POLICY = Policy("arc", "ARC", start, replay, "Megiddo and Modha 2003", describe, REASONS)
