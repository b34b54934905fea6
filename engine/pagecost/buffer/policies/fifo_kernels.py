"""First in, first out: the page that has been in the buffer longest leaves, used or not."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part
from pagecost.buffer.replay_kernels import Hooks, entry


class State(NamedTuple):
    hand: np.ndarray  # uint32[1]: the oldest frame; frames are filled and emptied in ring order
    ring: np.ndarray  # uint32[1]: number of frames


@inline_part
def victim(state, slot, at):
    frame = state.hand[0]
    following = frame + np.uint32(1)
    state.hand[0] = np.uint32(0) if following == state.ring[0] else following
    return frame


HOOKS = Hooks(victim)
replay = entry(__name__, HOOKS)
