"""ARC: a list of pages seen once, one of pages seen again, and a target between them that learns from what left."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part
from pagecost.buffer.ghosts_kernels import Ghosts, drop, give_back, remember
from pagecost.buffer.replay_kernels import ABSENT, Hooks, entry
from pagecost.buffer.sized_lists_kernels import add, end_of, remove, take_oldest
from pagecost.lists_kernels import renew

T1, T2, B1, B2 = range(4)


TO_B1, TO_B2, NOWHERE = range(3)  # reasons


class State(NamedTuple):
    links: np.ndarray  # four lists over frames and ghosts
    ghosts: Ghosts
    list_of: np.ndarray  # uint8[frames + ghosts]
    sizes: np.ndarray  # int64[4]
    target: np.ndarray  # float64[1]: p, frames for T1
    reason: np.ndarray  # int64[1]


@inline_part
def on_hit(state, frame, write, at):
    if state.list_of[frame] == T2:
        renew(state.links, end_of(state, T2), frame)
    else:
        remove(state, frame)
        add(state, T2, frame)


@inline_part
def adapt(state, which):
    """A page that left T1 (now in B1) or T2 (in B2) was asked for again: its list deserved more frames."""
    ones, twos = float(state.sizes[B1]), float(state.sizes[B2])
    if which == B1:
        state.target[0] = min(float(state.ghosts.frames[0]), state.target[0] + max(twos / ones, 1.0))
    else:
        state.target[0] = max(0.0, state.target[0] - max(ones / twos, 1.0))


@inline_part
def replace(state, in_b2):
    """The frame that leaves T1 or T2, whichever is over the target; in_b2: B2 remembered the page that comes in."""
    ones = state.sizes[T1]
    if ones >= 1 and ((in_b2 and ones == state.target[0]) or ones > state.target[0]):
        state.reason[0] = TO_B1
        return take_oldest(state, T1)
    state.reason[0] = TO_B2
    return take_oldest(state, T2)


@inline_part
def victim(state, slot, at):
    capacity = np.int64(state.ghosts.frames[0])
    if slot != ABSENT:
        which = state.list_of[slot]
        adapt(state, which)
        remove(state, slot)
        give_back(state.ghosts, slot)
        return replace(state, which == B2)
    ones = state.sizes[T1] + state.sizes[B1]
    if ones == capacity:
        if state.sizes[T1] == capacity:
            state.reason[0] = NOWHERE
            return take_oldest(state, T1)
        drop(state.ghosts, take_oldest(state, B1))
    elif ones + state.sizes[T2] + state.sizes[B2] == 2 * capacity:
        drop(state.ghosts, take_oldest(state, B2))
    return replace(state, False)


@inline_part
def on_evict(state, frame, page):
    if state.reason[0] != NOWHERE:
        add(state, B1 + state.reason[0], remember(state.ghosts, page))


@inline_part
def on_load(state, frame, slot, write, at):
    add(state, T1 if slot == ABSENT else T2, frame)


HOOKS = Hooks(victim, on_hit, on_load, on_evict)
replay = entry(__name__, HOOKS)
