"""First in, first out: the page that has been in the buffer longest leaves, used or not."""

import numpy as np

from pagecost.buffer.policies.fifo_kernels import State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.buffer.replay_kernels import USED


def start(case):
    return State(np.zeros(1, np.uint32), np.full(1, case.frames.page_in.size, np.uint32))


def describe(pool, state):
    ring = np.roll(pool.page_in, -int(state.hand[0]))[: pool.counts[USED]]
    return Picture({"queue": [(int(page), "") for page in ring[::-1]]}, {}, {})


REASONS = ("it has been in the buffer longest",)
POLICY = Policy("fifo", "FIFO", start, replay, "Belady 1966", describe, REASONS)
