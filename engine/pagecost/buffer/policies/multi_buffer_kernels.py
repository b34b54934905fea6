"""Multi-Buffer Manager: local buffers for pages of about equal cost, each LRU, whose sizes follow what they lost.

The cost of a page is what a flash database with logs pays to read it back: it grows with the updates of the page. Four
classes: never updated, once, two or three times, more often. Every `frames` misses the class that lost least
and has frames gives a step of them to the one that lost most (re-reads soon after leaving x cost).
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, prefetch
from pagecost.buffer.ghosts_kernels import Ghosts, give_back
from pagecost.buffer.replay_kernels import ABSENT, Hooks, entry
from pagecost.buffer.sized_lists_kernels import add, end_of, remember_in, remove, victim_of
from pagecost.lists_kernels import renew

CLASSES = 4


MOST_UPDATES = 4  # the last class begins there


LISTS = 2 * CLASSES  # list CLASSES + k remembers what left class k


MISSES, MOST_GHOSTS, STEP = range(3)  # places in State.scalars


class State(NamedTuple):
    links: np.ndarray  # eight lists over frames and ghosts
    page_in: np.ndarray  # the buffer's own array
    ghosts: Ghosts
    list_of: np.ndarray  # uint8[frames + ghosts]
    updates: np.ndarray  # uint8[pages]: writes so far, at most 4
    sizes: np.ndarray  # int64[8]
    shares: np.ndarray  # int64[4]: frames of each class
    lost: np.ndarray  # float64[4]: in this round
    scalars: np.ndarray  # int64[3]: misses in this round, ghosts of each class, step
    reason: np.ndarray  # int64[1]: the class that the victim left


@inline_part
def class_of(state, page):
    """The class of a page by its updates: none, one, two or three, more."""
    updates = state.updates[page]
    return updates if updates < 3 else updates - 1


@inline_part
def count(state, page, write):
    """Count a write of the page, as far as classes differ."""
    if write and state.updates[page] < MOST_UPDATES:
        state.updates[page] += np.uint8(1)


@inline_part
def on_hit(state, frame, write, at):
    which = state.list_of[frame]
    if write and which < CLASSES - 1:
        page = state.page_in[frame]
        count(state, page, write)
        if class_of(state, page) != which:
            remove(state, frame)
            add(state, class_of(state, page), frame)
            return
    renew(state.links, end_of(state, which), frame)


@inline_part
def victim(state, slot, at):
    which = -1
    for number in range(CLASSES):
        excess = state.sizes[number] - state.shares[number]
        if state.sizes[number] and (which < 0 or excess > state.sizes[which] - state.shares[which]):
            which = number
    return victim_of(state, which)


@inline_part
def on_evict(state, frame, page):
    remember_in(state, CLASSES + state.reason[0], page, state.scalars[MOST_GHOSTS])


@inline_part
def rebalance(state):
    """Give a step of frames from the class that lost least, of those that have any, to the one that lost most; a new
    round begins."""
    giver, taker = 0, 0
    for number in range(1, CLASSES):
        if state.shares[number] and (not state.shares[giver] or state.lost[number] < state.lost[giver]):
            giver = number
        if state.lost[number] > state.lost[taker]:
            taker = number
    if state.lost[taker] > state.lost[giver]:
        step = min(state.scalars[STEP], state.shares[giver])
        state.shares[giver] -= step
        state.shares[taker] += step
    state.lost[:] = 0.0


@inline_part
def on_load(state, frame, slot, write, at):
    page = state.page_in[frame]
    # the victim's id may have taken the place of this page's own
    if slot != ABSENT and state.ghosts.page_of[slot - state.ghosts.frames[0]] == page:
        which = state.list_of[slot] - CLASSES
        state.lost[which] += 1.0 + which
        remove(state, slot)
        give_back(state.ghosts, slot)
    count(state, page, write)
    add(state, class_of(state, page), frame)
    state.scalars[MISSES] += 1
    if state.scalars[MISSES] >= state.page_in.size:
        state.scalars[MISSES] = 0
        rebalance(state)


@inline_part
def foresee(state, page, at):
    prefetch(state.updates, page)


HOOKS = Hooks(victim, on_hit, on_load, on_evict, foresee=foresee)
replay = entry(__name__, HOOKS)
