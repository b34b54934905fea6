"""CLOCK: a hand goes round, spares a page that was used since it last came by, and takes the first that was not."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part
from pagecost.buffer.replay_kernels import Hooks, entry


class State(NamedTuple):
    referenced: np.ndarray  # uint8[frames]: 1 from a page's first hit until the hand comes by
    hand: np.ndarray  # uint32[1]
    at_load: np.ndarray  # uint8[1]: the bit of a page that is loaded


@inline_part
def on_hit(state, frame, write, at):
    state.referenced[frame] = 1


@inline_part
def on_load(state, frame, slot, write, at):
    state.referenced[frame] = state.at_load[0]


@inline_part
def victim(state, slot, at):
    frame = state.hand[0]
    while state.referenced[frame]:
        state.referenced[frame] = 0
        frame += np.uint32(1)
        if frame == state.referenced.size:
            frame = np.uint32(0)
    following = frame + np.uint32(1)
    state.hand[0] = np.uint32(0) if following == state.referenced.size else following
    return frame


HOOKS = Hooks(victim, on_hit, on_load)
replay = entry(__name__, HOOKS)
