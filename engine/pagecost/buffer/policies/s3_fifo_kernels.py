"""S3-FIFO: a small queue that most new pages leave quickly, a main queue, and a memory of what left the small one."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part
from pagecost.buffer.ghosts_kernels import Ghosts, drop, give_back, remember
from pagecost.buffer.replay_kernels import ABSENT, Hooks, entry
from pagecost.lists_kernels import oldest, push, renew, ring, unlink

SMALL, MAIN, GONE = range(3)


MOST_USES = 3


ENOUGH_USES = 2  # to go from the small queue to the main one


MAIN_FILLS, GHOST_FIRST, EVICTED = range(3)  # places in State.ways


class State(NamedTuple):
    links: np.ndarray  # three queues over frames and ghosts
    page_in: np.ndarray  # the buffer's own array
    ghosts: Ghosts
    uses: np.ndarray  # uint8[frames]: hits, at most 3
    sizes: np.ndarray  # int64[3]
    limits: np.ndarray  # int64[3]: of the small queue and of the memory
    ways: np.ndarray  # uint8[3]: MAIN_FILLS and GHOST_FIRST as chosen, and EVICTED, whether a page has left yet
    reason: np.ndarray  # int64[1]: the queue that the victim left


@inline_part
def on_hit(state, frame, write, at):
    if state.uses[frame] < MOST_USES:
        state.uses[frame] += np.uint8(1)


@inline_part
def from_small(state):
    """The first page of the small queue with too few uses; those before it go to the main queue. May be none."""
    end = ring(state.links, 3, SMALL)
    while state.sizes[SMALL]:
        frame = oldest(state.links, end)
        unlink(state.links, frame)
        state.sizes[SMALL] -= 1
        if state.uses[frame] < ENOUGH_USES:
            state.reason[0] = SMALL
            return frame
        state.uses[frame] = 0
        push(state.links, ring(state.links, 3, MAIN), frame)
        state.sizes[MAIN] += 1
    return ABSENT


@inline_part
def from_main(state):
    """Take the frame that leaves the main list: the oldest that was not used since it last came round."""
    end = ring(state.links, 3, MAIN)
    frame = oldest(state.links, end)
    while state.uses[frame]:
        state.uses[frame] -= np.uint8(1)
        renew(state.links, end, frame)
        frame = oldest(state.links, end)
    unlink(state.links, frame)
    state.sizes[MAIN] -= 1
    state.reason[0] = MAIN
    return frame


@inline_part
def take_ghost(state, slot):
    """The page of a ghost comes back: the ghost leaves the memory."""
    unlink(state.links, slot)
    give_back(state.ghosts, slot)
    state.sizes[GONE] -= 1


@inline_part
def victim(state, slot, at):
    state.ways[EVICTED] = 1
    if state.ways[GHOST_FIRST] and slot != ABSENT:
        take_ghost(state, slot)
    frame = ABSENT
    if state.sizes[SMALL] >= state.limits[SMALL]:
        frame = from_small(state)
    if frame == ABSENT:
        frame = from_main(state)
    return frame


@inline_part
def on_evict(state, frame, page):
    if state.reason[0] == MAIN:
        return
    end = ring(state.links, 3, GONE)
    if state.sizes[GONE] == state.limits[GONE]:
        first = oldest(state.links, end)
        unlink(state.links, first)
        drop(state.ghosts, first)
    else:
        state.sizes[GONE] += 1
    push(state.links, end, remember(state.ghosts, page))


@inline_part
def on_load(state, frame, slot, write, at):
    state.uses[frame] = 0
    which = SMALL
    if slot != ABSENT:
        if state.ways[GHOST_FIRST]:
            which = MAIN
        # where the memory was full, the victim's id may have taken the place of this page's own
        elif state.ghosts.page_of[slot - state.ghosts.frames[0]] == state.page_in[frame]:
            which = MAIN
            take_ghost(state, slot)
    elif state.ways[MAIN_FILLS] and not state.ways[EVICTED] and state.sizes[SMALL] >= state.limits[SMALL]:
        which = MAIN
    state.sizes[which] += 1
    push(state.links, ring(state.links, 3, which), frame)


HOOKS = Hooks(victim, on_hit, on_load, on_evict)
replay = entry(__name__, HOOKS)
