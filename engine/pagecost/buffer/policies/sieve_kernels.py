"""SIEVE: a queue whose hand spares visited pages where they stand, so that new pages are sifted first."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_kernel
from pagecost.buffer.replay_kernels import Hooks
from pagecost.buffer.replay_kernels import replay as replay_template
from pagecost.lists_kernels import NEWER, oldest, push, ring, unlink


class State(NamedTuple):
    links: np.ndarray  # one list over the frames, by time of loading
    visited: np.ndarray  # uint8[frames]
    hand: np.ndarray  # uint32[1]: a frame, or the closing row: start with the oldest


@inline_part
def on_hit(state, frame, write, at):
    state.visited[frame] = 1


@inline_part
def on_load(state, frame, slot, write, at):
    state.visited[frame] = 0
    push(state.links, ring(state.links, 1, 0), frame)


@inline_part
def victim(state, slot, at):
    end = ring(state.links, 1, 0)
    frame = state.hand[0]
    if frame == end:
        frame = oldest(state.links, end)
    while state.visited[frame]:
        state.visited[frame] = 0
        frame = state.links[frame, NEWER]
        if frame == end:
            frame = oldest(state.links, end)
    state.hand[0] = state.links[frame, NEWER]
    unlink(state.links, frame)
    return frame


HOOKS = Hooks(victim, on_hit, on_load)


@lean_kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)
