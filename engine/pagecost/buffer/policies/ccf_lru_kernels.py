"""CCF-LRU, cold clean first: clean pages read once leave first, then cold clean ones, then cold dirty ones.

The search of the mixed list stops as soon as it moved a page to the cold clean list, and takes that page.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_kernel
from pagecost.buffer.replay_kernels import Hooks
from pagecost.buffer.replay_kernels import replay as replay_template
from pagecost.lists_kernels import oldest, push, renew, ring, unlink

COLD_CLEAN, MIXED = 0, 1


class State(NamedTuple):
    links: np.ndarray  # two lists over the frames
    dirty: np.ndarray  # the buffer's own array
    cold: np.ndarray  # uint8[frames]
    reason: np.ndarray  # int64[1]: the list that the victim left


@inline_part
def on_load(state, frame, slot, write, at):
    state.cold[frame] = 1 - write
    push(state.links, ring(state.links, 2, MIXED if write else COLD_CLEAN), frame)


@inline_part
def on_hit(state, frame, write, at):
    state.cold[frame] = 0
    unlink(state.links, frame)
    push(state.links, ring(state.links, 2, MIXED), frame)


@inline_part
def victim(state, slot, at):
    clean, mixed = ring(state.links, 2, COLD_CLEAN), ring(state.links, 2, MIXED)
    frame = oldest(state.links, clean)
    state.reason[0] = COLD_CLEAN
    if frame == clean:
        frame = oldest(state.links, mixed)
        while state.dirty[frame] and not state.cold[frame]:
            state.cold[frame] = 1
            renew(state.links, mixed, frame)
            frame = oldest(state.links, mixed)
        state.reason[0] = MIXED + state.dirty[frame]
    unlink(state.links, frame)
    return frame


HOOKS = Hooks(victim, on_hit, on_load)


@lean_kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)
