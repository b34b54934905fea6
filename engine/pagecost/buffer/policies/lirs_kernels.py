"""LIRS: pages re-used at short distance (LIR) stay; the others (HIR) pass through a short queue of frames.

Stack S orders by recency the LIR pages, HIR pages and pages that left; its oldest entry is always LIR. Pages leave in
the order in which they stand in S, so that a list in the order of leaving finds the oldest one to forget.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part
from pagecost.buffer.ghosts_kernels import Ghosts, drop, give_back, remember
from pagecost.buffer.replay_kernels import ABSENT, Hooks, entry
from pagecost.lists_kernels import NEWER, OLDER, oldest, push, renew, ring, unlink

# places in State.sizes: LIR pages and their most, pages that left and their most, whether that can be reached
LIR, MOST_LIR, LEFT, MOST_LEFT, BOUNDED = range(5)


class State(NamedTuple):
    stack: np.ndarray  # list S over frames and ghosts
    queue: np.ndarray  # list Q over frames
    page_in: np.ndarray  # the buffer's own array
    ghosts: Ghosts
    in_stack: np.ndarray  # uint8[frames]
    lir: np.ndarray  # uint8[frames]
    gone: np.ndarray  # list of ghosts by their number, the one that left first the oldest; empty if S is not bounded
    sizes: np.ndarray  # int64[5], see the names of its places


@inline_part
def forget_place(state, node):
    """A ghost leaves S: it leaves the list in the order of leaving too."""
    unlink(state.stack, node)
    if state.sizes[BOUNDED]:
        unlink(state.gone, node - state.ghosts.frames[0])
        state.sizes[LEFT] -= 1


@inline_part
def prune(state):
    """Take HIR entries off the old end of the stack until a LIR page is there."""
    end = ring(state.stack, 1, 0)
    node = oldest(state.stack, end)
    while node != end:
        if node >= state.ghosts.frames[0]:
            forget_place(state, node)
            drop(state.ghosts, node)
        elif state.lir[node]:
            return
        else:
            unlink(state.stack, node)
            state.in_stack[node] = 0
        node = oldest(state.stack, end)


@inline_part
def to_top(state, frame):
    """Make a frame or ghost the newest of the stack, whether it is in it or not."""
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
    state.sizes[LIR] += 1
    if state.sizes[LIR] > state.sizes[MOST_LIR]:
        prune(state)
        bottom = oldest(state.stack, ring(state.stack, 1, 0))
        unlink(state.stack, bottom)
        state.in_stack[bottom] = 0
        state.lir[bottom] = 0
        state.sizes[LIR] -= 1
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
    if state.sizes[MOST_LEFT] == 0:
        unlink(state.stack, frame)
        return
    if state.sizes[BOUNDED] and state.sizes[LEFT] == state.sizes[MOST_LEFT]:
        first = oldest(state.gone, ring(state.gone, 1, 0)) + state.ghosts.frames[0]
        forget_place(state, first)
        drop(state.ghosts, first)
    node = remember(state.ghosts, page)  # it takes the frame's place in the stack
    older = state.stack[frame, OLDER]
    newer = state.stack[frame, NEWER]
    state.stack[node, OLDER] = older
    state.stack[node, NEWER] = newer
    state.stack[older, NEWER] = node
    state.stack[newer, OLDER] = node
    if state.sizes[BOUNDED]:
        push(state.gone, ring(state.gone, 1, 0), node - state.ghosts.frames[0])
        state.sizes[LEFT] += 1


@inline_part
def on_load(state, frame, slot, write, at):
    state.in_stack[frame] = 0
    state.lir[frame] = 0
    # where S is bounded, the victim may have taken the place of this page's own ghost
    if slot != ABSENT and state.ghosts.page_of[slot - state.ghosts.frames[0]] == state.page_in[frame]:
        forget_place(state, slot)
        give_back(state.ghosts, slot)
        promote(state, frame)
    elif state.sizes[LIR] < state.sizes[MOST_LIR]:
        promote(state, frame)
    else:
        to_top(state, frame)
        push(state.queue, ring(state.queue, 1, 0), frame)
    prune(state)


HOOKS = Hooks(victim, on_hit, on_load, on_evict)
replay = entry(__name__, HOOKS)
