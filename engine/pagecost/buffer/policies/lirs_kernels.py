"""LIRS: pages re-used at short distance (LIR) stay; the others (HIR) pass through a short queue of frames.

Stack S orders by recency the LIR pages, HIR pages and pages that left; its oldest entry is always LIR. It is not
bounded, except by the number of pages.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_kernel
from pagecost.buffer.ghosts_kernels import Ghosts, drop, give_back, new_ghosts, remember
from pagecost.buffer.lists_kernels import NEWER, OLDER, new_lists, newest_first, oldest, push, renew, ring, unlink
from pagecost.buffer.replay_kernels import ABSENT, Hooks, Parameter, Picture, Policy
from pagecost.buffer.replay_kernels import replay as replay_template


class State(NamedTuple):
    stack: np.ndarray  # list S over frames and ghosts
    queue: np.ndarray  # list Q over frames
    ghosts: Ghosts
    in_stack: np.ndarray  # uint8[frames]
    lir: np.ndarray  # uint8[frames]
    sizes: np.ndarray  # int64[2]: LIR pages, and how many there may be


def start(case):
    frames = case.frames.page_in.size
    hir = max(1, int(frames * case.options["hir"]))
    pages = case.ids.size
    return State(
        new_lists(frames + pages, 1),
        new_lists(frames, 1),
        new_ghosts(case, pages),
        np.zeros(frames, np.uint8),
        np.zeros(frames, np.uint8),
        np.array([0, frames - hir]),
    )


@inline_part
def prune(state):
    """Take HIR entries off the old end of the stack until a LIR page is there."""
    end = ring(state.stack, 1, 0)
    node = oldest(state.stack, end)
    while node != end:
        if node >= state.ghosts.frames[0]:
            unlink(state.stack, node)
            drop(state.ghosts, node)
        elif state.lir[node]:
            return
        else:
            unlink(state.stack, node)
            state.in_stack[node] = 0
        node = oldest(state.stack, end)


@inline_part
def to_top(state, frame):
    end = ring(state.stack, 1, 0)
    if state.in_stack[frame]:
        renew(state.stack, end, frame)
    else:
        push(state.stack, end, frame)
        state.in_stack[frame] = 1


@inline_part
def promote(state, frame):
    """Make a page LIR; where there are too many, the oldest LIR page becomes HIR, at the end of the queue."""
    state.lir[frame] = 1
    to_top(state, frame)
    state.sizes[0] += 1
    if state.sizes[0] > state.sizes[1]:
        prune(state)
        bottom = oldest(state.stack, ring(state.stack, 1, 0))
        unlink(state.stack, bottom)
        state.in_stack[bottom] = 0
        state.lir[bottom] = 0
        state.sizes[0] -= 1
        push(state.queue, ring(state.queue, 1, 0), bottom)


@inline_part
def on_hit(state, frame, write, at):
    if state.lir[frame]:
        to_top(state, frame)
    elif state.in_stack[frame]:
        unlink(state.queue, frame)
        promote(state, frame)
    else:
        to_top(state, frame)
        renew(state.queue, ring(state.queue, 1, 0), frame)
    prune(state)


@inline_part
def victim(state, slot, at):
    frame = oldest(state.queue, ring(state.queue, 1, 0))
    unlink(state.queue, frame)
    return frame


@inline_part
def on_evict(state, frame, page):
    if not state.in_stack[frame]:
        return
    node = remember(state.ghosts, page)  # it takes the frame's place in the stack
    older = state.stack[frame, OLDER]
    newer = state.stack[frame, NEWER]
    state.stack[node, OLDER] = older
    state.stack[node, NEWER] = newer
    state.stack[older, NEWER] = node
    state.stack[newer, OLDER] = node


@inline_part
def on_load(state, frame, slot, write, at):
    state.in_stack[frame] = 0
    state.lir[frame] = 0
    if slot != ABSENT:
        unlink(state.stack, slot)
        give_back(state.ghosts, slot)
        promote(state, frame)
    elif state.sizes[0] < state.sizes[1]:
        promote(state, frame)
    else:
        to_top(state, frame)
        push(state.queue, ring(state.queue, 1, 0), frame)
    prune(state)


HOOKS = Hooks(victim, on_hit, on_load, on_evict)


@lean_kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)


def describe(pool, state):
    frames = pool.page_in.size
    stack = newest_first(state.stack, state.stack.shape[0] - 1)
    lir = [(int(pool.page_in[node]), "LIR") for node in stack if node < frames and state.lir[node]]
    queue = newest_first(state.queue, frames)
    hir = [(int(pool.page_in[frame]), "in S" if state.in_stack[frame] else "") for frame in queue]
    gone = [int(state.ghosts.page_of[node - frames]) for node in stack if node >= frames]
    return Picture({"LIR pages, recency": lir, "Q, HIR pages": hir}, {"left, still in S": gone}, {})


REASONS = ("it is the first of the HIR pages in queue Q",)
PARAMETERS = (Parameter("hir", 0.01, 0.0, 1.0, "share of the frames, at least one, for HIR pages"),)
POLICY = Policy("lirs", "LIRS", start, replay, "Jiang and Zhang 2002", describe, REASONS, PARAMETERS)
