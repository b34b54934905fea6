"""LRU-WSR, write sequence reordering: a dirty page at the old end gets a second chance, unless it is marked cold."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part
from pagecost.buffer.replay_kernels import Hooks, entry
from pagecost.lists_kernels import oldest, push, renew, ring, unlink

AT_ONCE, COLD, AFTER_OTHERS = range(3)  # reasons


class State(NamedTuple):
    links: np.ndarray  # one list over the frames
    dirty: np.ndarray  # the buffer's own array
    cold: np.ndarray  # uint8[frames]
    reason: np.ndarray  # int64[1]


@inline_part
def on_load(state, frame, slot, write, at):
    state.cold[frame] = 0
    push(state.links, ring(state.links, 1, 0), frame)


@inline_part
def on_hit(state, frame, write, at):
    state.cold[frame] = 0
    renew(state.links, ring(state.links, 1, 0), frame)


@inline_part
def victim(state, slot, at):
    end = ring(state.links, 1, 0)
    frame = oldest(state.links, end)
    passed_over = AT_ONCE
    while state.dirty[frame] and not state.cold[frame]:
        state.cold[frame] = 1
        renew(state.links, end, frame)
        frame = oldest(state.links, end)
        passed_over = AFTER_OTHERS
    state.reason[0] = COLD if state.dirty[frame] else passed_over
    unlink(state.links, frame)
    return frame


HOOKS = Hooks(victim, on_hit, on_load)
replay = entry(__name__, HOOKS)
