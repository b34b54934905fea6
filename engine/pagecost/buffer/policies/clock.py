"""CLOCK: a hand goes round, spares a page that was used since it last came by, and takes the first that was not."""

import numpy as np

from pagecost.buffer.policies.clock_kernels import State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.buffer.replay_kernels import USED
from pagecost.registry import Parameter


def start(case):
    bit = np.array([case.options["bit"]], np.uint8)
    return State(np.zeros(case.frames.page_in.size, np.uint8), np.zeros(1, np.uint32), bit)


def describe(pool, state):
    used, hand = int(pool.counts[USED]), int(state.hand[0])
    order = [frame for frame in (*range(hand, pool.page_in.size), *range(hand)) if frame < used]
    ring = [(int(pool.page_in[frame]), "used" if state.referenced[frame] else "") for frame in reversed(order)]
    return Picture({"ring, the hand at its end": ring}, {}, {"hand": hand})


REASONS = ("the hand came by and it had not been used since the last time",)
PARAMETERS = (Parameter("bit", 0, 0, 1, "reference bit of a page that is loaded; textbooks have 1", whole=True),)
POLICY = Policy("clock", "CLOCK", start, replay, "Corbato 1968", describe, REASONS, PARAMETERS)
