"""First in, first out: the page that has been in the buffer longest leaves, used or not."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_kernel
from pagecost.buffer.replay_kernels import Hooks, Picture, Policy
from pagecost.buffer.replay_kernels import replay as replay_template


class State(NamedTuple):
    hand: np.ndarray  # uint32[1]: the oldest frame; frames are filled and emptied in ring order
    ring: np.ndarray  # uint32[1]: number of frames


def start(case):
    return State(np.zeros(1, np.uint32), np.full(1, case.frames.page_in.size, np.uint32))


@inline_part
def victim(state, slot, at):
    frame = state.hand[0]
    following = frame + np.uint32(1)
    state.hand[0] = np.uint32(0) if following == state.ring[0] else following
    return frame


HOOKS = Hooks(victim)


@lean_kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)


def describe(pool, state):
    ring = np.roll(pool.page_in, -int(state.hand[0]))[: pool.counts[0]]
    return Picture({"queue": [(int(page), "") for page in ring[::-1]]}, {}, {})


REASONS = ("it has been in the buffer longest",)
POLICY = Policy("fifo", "FIFO", start, replay, "Belady 1966", describe, REASONS)
