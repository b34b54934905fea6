"""AD-LRU: a cold queue (used once) and a hot one (used again); in the chosen queue clean pages leave first.

Each queue is held as two lists, clean and dirty, so that its least recently used clean page is found at once.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_kernel
from pagecost.buffer.replay_kernels import Hooks
from pagecost.buffer.replay_kernels import replay as replay_template
from pagecost.lists_kernels import oldest, push, renew, ring, unlink

COLD, HOT = 0, 2  # plus 1 for the dirty list


class State(NamedTuple):
    links: np.ndarray  # four lists over the frames
    dirty: np.ndarray  # the buffer's own array
    hot: np.ndarray  # uint8[frames]
    spared: np.ndarray  # uint8[frames]: had its second chance
    sizes: np.ndarray  # int64[3]: cold pages, hot pages, and how many cold ones are kept
    reason: np.ndarray  # int64[1]: the list that the victim left


@inline_part
def on_load(state, frame, slot, write, at):
    state.hot[frame] = 0
    state.spared[frame] = 0
    state.sizes[0] += 1
    push(state.links, ring(state.links, 4, COLD + state.dirty[frame]), frame)


@inline_part
def on_hit(state, frame, write, at):
    state.spared[frame] = 0
    if not state.hot[frame]:
        state.hot[frame] = 1
        state.sizes[0] -= 1
        state.sizes[1] += 1
    unlink(state.links, frame)
    push(state.links, ring(state.links, 4, HOT + state.dirty[frame]), frame)


@inline_part
def victim(state, slot, at):
    hot = state.sizes[0] <= state.sizes[2] and state.sizes[1] > 0
    which = HOT if hot else COLD
    state.sizes[1 if hot else 0] -= 1
    end = ring(state.links, 4, which)
    frame = oldest(state.links, end)
    if frame == end:
        which += 1
        end = ring(state.links, 4, which)
        frame = oldest(state.links, end)
        while not state.spared[frame]:
            state.spared[frame] = 1
            renew(state.links, end, frame)
            frame = oldest(state.links, end)
    state.reason[0] = which
    unlink(state.links, frame)
    return frame


HOOKS = Hooks(victim, on_hit, on_load)


@lean_kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)
