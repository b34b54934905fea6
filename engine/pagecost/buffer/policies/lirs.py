"""LIRS: pages re-used at short distance (LIR) stay; the others (HIR) pass through a short queue of frames."""

import math

import numpy as np

from pagecost.buffer.ghosts_kernels import new_ghosts
from pagecost.buffer.policies.lirs_kernels import State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first
from pagecost.registry import Parameter


def start(case):
    frames = case.frames.page_in.size
    hir = max(1, int(frames * case.options["hir"]))
    pages = case.ids.size
    most = int(min(frames * case.options["ghosts"], pages))
    bounded = most < pages
    room = max(1, most)
    return State(
        stack=new_lists(frames + room, 1),
        queue=new_lists(frames, 1),
        page_in=case.frames.page_in,
        ghosts=new_ghosts(case, room),
        in_stack=np.zeros(frames, np.uint8),
        lir=np.zeros(frames, np.uint8),
        gone=new_lists(room if bounded else 0, 1),
        sizes=np.array([0, frames - hir, 0, most, bounded]),
    )


def describe(pool, state):
    frames = pool.page_in.size
    stack = newest_first(state.stack, state.stack.shape[0] - 1)
    lir = [(int(pool.page_in[node]), "LIR") for node in stack if node < frames and state.lir[node]]
    queue = newest_first(state.queue, frames)
    hir = [(int(pool.page_in[frame]), "in S" if state.in_stack[frame] else "") for frame in queue]
    gone = [int(state.ghosts.page_of[node - frames]) for node in stack if node >= frames]
    return Picture({"LIR pages, recency": lir, "Q, HIR pages": hir}, {"left, still in S": gone}, {})


REASONS = ("it is the first of the HIR pages in queue Q",)
PARAMETERS = (
    Parameter("hir", 0.01, 0.0, 1.0, "share of the frames, at least one, for HIR pages"),
    Parameter("ghosts", math.inf, 0.0, math.inf, "most pages in stack S that left, as a share of the frames"),
)
POLICY = Policy("lirs", "LIRS", start, replay, "Jiang and Zhang 2002", describe, REASONS, PARAMETERS, foreknows=True)
