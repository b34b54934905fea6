"""LRU-WSR, write sequence reordering: a dirty page at the old end gets a second chance, unless it is marked cold."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_kernel
from pagecost.buffer.lists_kernels import new_lists, newest_first, oldest, push, renew, ring, unlink
from pagecost.buffer.replay_kernels import Hooks, Picture, Policy
from pagecost.buffer.replay_kernels import replay as replay_template


class State(NamedTuple):
    links: np.ndarray  # one list over the frames
    dirty: np.ndarray  # the buffer's own array
    cold: np.ndarray  # uint8[frames]
    reason: np.ndarray  # int64[1]


def start(case):
    frames = case.frames.page_in.size
    return State(new_lists(frames, 1), case.frames.dirty, np.zeros(frames, np.uint8), np.zeros(1, np.int64))


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
    while state.dirty[frame] and not state.cold[frame]:
        state.cold[frame] = 1
        renew(state.links, end, frame)
        frame = oldest(state.links, end)
    state.reason[0] = state.dirty[frame]
    unlink(state.links, frame)
    return frame


HOOKS = Hooks(victim, on_hit, on_load)


@lean_kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)


def describe(pool, state):
    order = newest_first(state.links, pool.page_in.size)
    pages = [(int(pool.page_in[frame]), "cold" if state.cold[frame] else "") for frame in order]
    return Picture({"recency": pages}, {}, {})


REASONS = (
    "it is clean, and older pages were dirty and got a second chance",
    "it is dirty and had its second chance",
)
POLICY = Policy("lru-wsr", "LRU-WSR", start, replay, "Jung et al. 2008", describe, REASONS, flash_aware=True)
