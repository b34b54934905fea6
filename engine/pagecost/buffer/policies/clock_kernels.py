"""CLOCK: a hand goes round, spares a page that was used since it last came by, and takes the first that was not."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_kernel
from pagecost.buffer.replay_kernels import Hooks, Picture, Policy
from pagecost.buffer.replay_kernels import replay as replay_template


class State(NamedTuple):
    referenced: np.ndarray  # uint8[frames]: 0 when a page is loaded, 1 from its first hit
    hand: np.ndarray  # uint32[1]


def start(case):
    return State(np.zeros(case.frames.page_in.size, np.uint8), np.zeros(1, np.uint32))


@inline_part
def on_hit(state, frame, write, at):
    state.referenced[frame] = 1


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


HOOKS = Hooks(victim, on_hit)


@lean_kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)


def describe(pool, state):
    used, hand = int(pool.counts[0]), int(state.hand[0])
    order = [frame for frame in (*range(hand, pool.page_in.size), *range(hand)) if frame < used]
    ring = [(int(pool.page_in[frame]), "used" if state.referenced[frame] else "") for frame in reversed(order)]
    return Picture({"ring, the hand at its end": ring}, {}, {"hand": hand})


REASONS = ("the hand came by and it had not been used since the last time",)
POLICY = Policy("clock", "CLOCK", start, replay, "Corbato 1968; reference bit 0 at load", describe, REASONS)
