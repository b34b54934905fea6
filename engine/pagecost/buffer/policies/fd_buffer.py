"""FD-Buffer: a clean and a dirty pool whose split follows what a few more frames would have saved in each."""

import numpy as np

from pagecost.buffer.ghosts_kernels import new_ghosts
from pagecost.buffer.policies.fd_buffer_kernels import CLEAN, DIRTY, GHOSTS, State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first
from pagecost.registry import Parameter


def start(case):
    frames = case.frames.page_in.size
    each = max(1, frames // 4)
    return State(
        links=new_lists(frames + 2 * each, 4),
        page_in=case.frames.page_in,
        ghosts=new_ghosts(case, 2 * each),
        list_of=np.zeros(frames + 2 * each, np.uint8),
        sizes=np.zeros(4, np.int64),
        limits=np.array([frames // 2, each, max(1, frames // 64)]),
        lost=np.zeros(2),
        write_cost=np.array([case.options["write_cost"]]),
        misses=np.zeros(1, np.int64),
        reason=np.zeros(1, np.int64),
    )


def describe(pool, state):
    nodes = state.links.shape[0] - 4
    dirty, clean = (
        [(int(pool.page_in[frame]), "") for frame in newest_first(state.links, nodes + which)]
        for which in (DIRTY, CLEAN)
    )
    left = {
        title: [int(state.ghosts.page_of[g - pool.page_in.size]) for g in newest_first(state.links, nodes + which)]
        for title, which in (("left the dirty pool", GHOSTS + DIRTY), ("left the clean pool", GHOSTS + CLEAN))
    }
    return Picture({"dirty pool": dirty, "clean pool": clean}, left, {"frames for dirty pages": int(state.limits[0])})


REASONS = (
    "the dirty pool is within its share: the least recently used clean page leaves",
    "the dirty pool is over its share, or the clean one is empty: the least recently used dirty page leaves",
)
PARAMETERS = (Parameter("write_cost", 8.0, 0.0, 1e6, "cost of writing a page in reads"),)
POLICY = Policy(
    "fd-buffer", "FD-Buffer", start, replay, "after On et al. 2014", describe, REASONS, PARAMETERS, flash_aware=True
)
