"""First in, first out: the page that has been in the buffer longest leaves, used or not."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import kernel, part
from pagecost.buffer.replay_kernels import Hooks, Policy
from pagecost.buffer.replay_kernels import replay as replay_template


class State(NamedTuple):
    hand: np.ndarray  # uint32[1]: the oldest frame; frames are filled and emptied in ring order
    ring: np.ndarray  # uint32[1]: number of frames


def start(case):
    return State(np.zeros(1, np.uint32), np.full(1, case.frames.page_in.size, np.uint32))


@part
def victim(state):
    frame = state.hand[0]
    following = frame + np.uint32(1)
    state.hand[0] = np.uint32(0) if following == state.ring[0] else following
    return frame


HOOKS = Hooks(victim)


@kernel
def replay(pages, writes, at, frames, state):
    replay_template(pages, writes, at, frames, state, HOOKS)


POLICY = Policy("fifo", "FIFO", start, replay, "textbook; MODELS: Belady 1966")
