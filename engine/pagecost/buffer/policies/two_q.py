"""2Q, full version: new pages pass a short queue, and only those asked for again soon after enter the main list."""

import numpy as np

from pagecost.buffer.ghosts_kernels import new_ghosts
from pagecost.buffer.policies.two_q_kernels import IN, MAIN, OUT, State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first
from pagecost.registry import Parameter


def start(case):
    frames = case.frames.page_in.size
    most_in, most_out = int(frames * case.options["kin"]), max(1, int(frames * case.options["kout"]))
    return State(
        links=new_lists(frames + most_out, 3),
        page_in=case.frames.page_in,
        ghosts=new_ghosts(case, most_out),
        main=np.zeros(frames, np.uint8),
        sizes=np.zeros(3, np.int64),
        limits=np.array([most_in, 0, most_out]),
        reason=np.zeros(1, np.int64),
    )


def describe(pool, state):
    nodes = state.links.shape[0] - 3
    listed = [[(int(pool.page_in[f]), "") for f in newest_first(state.links, nodes + which)] for which in (IN, MAIN)]
    out = [int(state.ghosts.page_of[g - pool.page_in.size]) for g in newest_first(state.links, nodes + OUT)]
    return Picture({"Am, recency": listed[1], "A1in, queue": listed[0]}, {"A1out": out}, {"Kin": int(state.limits[IN])})


REASONS = (
    "A1in is longer than Kin: its oldest page leaves, and its id is remembered in A1out",
    "A1in is not too long: the least recently used page of Am leaves",
)
PARAMETERS = (
    Parameter("kin", 0.25, 0.0, 1.0, "share of the frames that A1in may fill"),
    Parameter("kout", 0.5, 0.0, 10.0, "ids in A1out, at least one, as a share of the frames"),
)
POLICY = Policy("2q", "2Q", start, replay, "Johnson and Shasha 1994", describe, REASONS, PARAMETERS)
