"""Least recently used: a list over frames (not pages, so that it fits in the processor's cache)."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_kernel
from pagecost.buffer.lists_kernels import new_lists, newest_first, oldest, push, renew, ring, unlink
from pagecost.buffer.replay_kernels import Hooks, Picture, Policy
from pagecost.buffer.replay_kernels import replay as replay_template


class State(NamedTuple):
    links: np.ndarray  # one list over the frames


def start(case):
    return State(new_lists(case.frames.page_in.size, 1))


@inline_part
def on_load(state, frame, slot, write, at):
    push(state.links, ring(state.links, 1, 0), frame)


@inline_part
def on_hit(state, frame, write, at):
    renew(state.links, ring(state.links, 1, 0), frame)


@inline_part
def victim(state, slot, at):
    frame = oldest(state.links, ring(state.links, 1, 0))
    unlink(state.links, frame)
    return frame


HOOKS = Hooks(victim, on_hit, on_load)


@lean_kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)


def describe(pool, state):
    order = newest_first(state.links, pool.page_in.size)
    return Picture({"recency": [(int(pool.page_in[frame]), "") for frame in order]}, {}, {})


REASONS = ("nobody has used it for the longest time",)
POLICY = Policy("lru", "LRU", start, replay, "Mattson et al. 1970", describe, REASONS)
