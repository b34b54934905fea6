"""S3-FIFO: a small queue that most new pages leave quickly, a main queue, and a memory of what left the small one.

As in the paper, pages go to the small queue until the first eviction, and a page is looked up in the memory after its
victim has gone there. The authors' code in libCacheSim of December 2024 differs in both: `main_fills=1:ghost_first=1`.
"""

import numpy as np

from pagecost.buffer.ghosts_kernels import new_ghosts
from pagecost.buffer.policies.s3_fifo_kernels import GONE, MAIN, SMALL, State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first
from pagecost.registry import Parameter


def start(case):
    frames = case.frames.page_in.size
    small = max(1, int(frames * case.options["small"]))
    gone = max(1, frames - small)
    return State(
        links=new_lists(frames + gone, 3),
        page_in=case.frames.page_in,
        ghosts=new_ghosts(case, gone),
        uses=np.zeros(frames, np.uint8),
        sizes=np.zeros(3, np.int64),
        limits=np.array([small, 0, gone]),
        ways=np.array([case.options["main_fills"], case.options["ghost_first"], 0], np.uint8),
        reason=np.zeros(1, np.int64),
    )


def describe(pool, state):
    nodes = state.links.shape[0] - 3
    small, main = (
        [(int(pool.page_in[f]), f"{state.uses[f]} hits") for f in newest_first(state.links, nodes + which)]
        for which in (SMALL, MAIN)
    )
    gone = [int(state.ghosts.page_of[g - pool.page_in.size]) for g in newest_first(state.links, nodes + GONE)]
    return Picture({"main queue": main, "small queue": small}, {"left the small queue": gone}, {})


REASONS = (
    "the small queue is full: its first page with fewer than two hits leaves, remembered",
    "the small queue is short, or all its pages went to the main one: the first page there without a hit leaves",
)
PARAMETERS = (
    Parameter("small", 0.1, 0.0, 1.0, "share of the frames, at least one, for the small queue"),
    Parameter(
        "main_fills", 0, 0, 1, "1: until a page leaves, a full small queue sends new ones to the main", whole=True
    ),
    Parameter("ghost_first", 0, 0, 1, "1: a page is looked up in the memory before a victim is chosen", whole=True),
)
POLICY = Policy("s3-fifo", "S3-FIFO", start, replay, "Yang et al. 2023", describe, REASONS, PARAMETERS)
