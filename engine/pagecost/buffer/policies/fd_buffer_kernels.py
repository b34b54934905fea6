"""FD-Buffer: a clean and a dirty pool whose split follows what a few more frames would have saved in each.

A page that is asked for again soon after it left the clean pool would have saved a read; one that is written again
soon after it left the dirty pool, a write too. Every `frames` misses the split moves a step to where more was lost.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part
from pagecost.buffer.ghosts_kernels import Ghosts, give_back
from pagecost.buffer.replay_kernels import ABSENT, Hooks, entry
from pagecost.buffer.sized_lists_kernels import add, end_of, remember_in, remove, victim_of
from pagecost.lists_kernels import renew

CLEAN, DIRTY = 0, 1


GHOSTS = 2  # list CLEAN + GHOSTS remembers what left the clean pool


DIRTY_FRAMES, MOST_GHOSTS, STEP = range(3)  # places in State.limits


class State(NamedTuple):
    links: np.ndarray  # four lists over frames and ghosts
    page_in: np.ndarray  # the buffer's own array
    ghosts: Ghosts
    list_of: np.ndarray  # uint8[frames + ghosts]
    sizes: np.ndarray  # int64[4]
    limits: np.ndarray  # int64[3]: frames for dirty pages, ghosts of each pool, step of the split
    lost: np.ndarray  # float64[2]: what more frames would have saved in this round
    write_cost: np.ndarray  # float64[1]
    misses: np.ndarray  # int64[1]: in this round
    reason: np.ndarray  # int64[1]: the pool that the victim left


@inline_part
def on_hit(state, frame, write, at):
    which = state.list_of[frame]
    if which == CLEAN and write:
        remove(state, frame)
        add(state, DIRTY, frame)
    else:
        renew(state.links, end_of(state, which), frame)


@inline_part
def victim(state, slot, at):
    which = DIRTY if state.sizes[DIRTY] > state.limits[DIRTY_FRAMES] else CLEAN
    if state.sizes[which] == 0:
        which = 1 - which
    return victim_of(state, which)


@inline_part
def on_evict(state, frame, page):
    remember_in(state, GHOSTS + state.reason[0], page, state.limits[MOST_GHOSTS])


@inline_part
def on_load(state, frame, slot, write, at):
    # the victim's id may have taken the place of this page's own
    if slot != ABSENT and state.ghosts.page_of[slot - state.ghosts.frames[0]] == state.page_in[frame]:
        pool = state.list_of[slot] - GHOSTS
        state.lost[pool] += 1.0 + (state.write_cost[0] if pool == DIRTY and write else 0.0)
        remove(state, slot)
        give_back(state.ghosts, slot)
    add(state, DIRTY if write else CLEAN, frame)
    state.misses[0] += 1
    if state.misses[0] >= state.page_in.size:
        state.misses[0] = 0
        if state.lost[DIRTY] > state.lost[CLEAN]:
            state.limits[DIRTY_FRAMES] = min(state.limits[DIRTY_FRAMES] + state.limits[STEP], state.page_in.size)
        elif state.lost[DIRTY] < state.lost[CLEAN]:
            state.limits[DIRTY_FRAMES] = max(state.limits[DIRTY_FRAMES] - state.limits[STEP], 0)
        state.lost[:] = 0.0


HOOKS = Hooks(victim, on_hit, on_load, on_evict)
replay = entry(__name__, HOOKS)
