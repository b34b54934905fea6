"""CASA: a clean and a dirty list, and a target between them that moves with hits, weighted by the cost of each."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part
from pagecost.buffer.replay_kernels import Hooks, entry
from pagecost.buffer.sized_lists_kernels import add, end_of, remove, victim_of
from pagecost.lists_kernels import renew

CLEAN, DIRTY = 0, 1


class State(NamedTuple):
    links: np.ndarray  # two lists over the frames
    list_of: np.ndarray  # uint8[frames]
    sizes: np.ndarray  # int64[2]
    target: np.ndarray  # float64[1]: frames for clean pages
    costs: np.ndarray  # float64[2]: of a read and a write, their sum is 1
    reason: np.ndarray  # int64[1]: the list that the victim left


@inline_part
def on_load(state, frame, slot, write, at):
    add(state, DIRTY if write else CLEAN, frame)


@inline_part
def on_hit(state, frame, write, at):
    which = state.list_of[frame]
    clean, dirty = float(state.sizes[CLEAN]), float(state.sizes[DIRTY])
    if which == CLEAN and write:
        remove(state, frame)
        add(state, DIRTY, frame)
        return
    if which == CLEAN:
        state.target[0] = min(state.target[0] + state.costs[CLEAN] * dirty / clean, float(state.list_of.size))
    elif write:
        state.target[0] = max(state.target[0] - state.costs[DIRTY] * clean / dirty, 0.0)
    renew(state.links, end_of(state, which), frame)


@inline_part
def victim(state, slot, at):
    which = CLEAN if state.sizes[CLEAN] > state.target[0] else DIRTY
    if state.sizes[which] == 0:
        which = 1 - which
    return victim_of(state, which)


HOOKS = Hooks(victim, on_hit, on_load)
replay = entry(__name__, HOOKS)
