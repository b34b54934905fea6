"""CFLRU, clean first: within a window at the old end of the LRU list, clean pages leave before dirty ones.

The window's clean and dirty pages are two lists, so that no scan is needed: a page enters at the young end of its
list when it becomes one of the `window` oldest, and any use takes it back to the working region.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_kernel
from pagecost.buffer.replay_kernels import Hooks
from pagecost.buffer.replay_kernels import replay as replay_template
from pagecost.lists_kernels import oldest, push, renew, ring, unlink

WORKING, CLEAN, DIRTY = range(3)


class State(NamedTuple):
    links: np.ndarray  # three lists over the frames
    dirty: np.ndarray  # the buffer's own array
    working: np.ndarray  # uint8[frames]: 1 in the working region
    sizes: np.ndarray  # int64[2]: the working region, and how large it may be
    reason: np.ndarray  # int64[1]: the list that the victim left


@inline_part
def on_load(state, frame, slot, write, at):
    push(state.links, ring(state.links, 3, WORKING), frame)
    state.working[frame] = 1
    state.sizes[0] += 1
    if state.sizes[0] > state.sizes[1]:
        aged = oldest(state.links, ring(state.links, 3, WORKING))
        unlink(state.links, aged)
        state.working[aged] = 0
        state.sizes[0] -= 1
        push(state.links, ring(state.links, 3, DIRTY if state.dirty[aged] else CLEAN), aged)


@inline_part
def on_hit(state, frame, write, at):
    if state.working[frame]:
        renew(state.links, ring(state.links, 3, WORKING), frame)
    else:
        unlink(state.links, frame)
        on_load(state, frame, frame, write, at)


@inline_part
def victim(state, slot, at):
    which = CLEAN
    frame = oldest(state.links, ring(state.links, 3, CLEAN))
    if frame == ring(state.links, 3, CLEAN):
        which = DIRTY
        frame = oldest(state.links, ring(state.links, 3, DIRTY))
        if frame == ring(state.links, 3, DIRTY):
            which = WORKING
            frame = oldest(state.links, ring(state.links, 3, WORKING))
            state.sizes[0] -= 1
    state.reason[0] = which
    unlink(state.links, frame)
    return frame


HOOKS = Hooks(victim, on_hit, on_load)


@lean_kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)
