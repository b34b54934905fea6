"""CASA: a clean and a dirty list, and a target between them that moves with hits, weighted by the cost of each."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_kernel
from pagecost.buffer.lists_kernels import new_lists, newest_first, oldest, push, renew, ring, unlink
from pagecost.buffer.replay_kernels import Hooks, Parameter, Picture, Policy
from pagecost.buffer.replay_kernels import replay as replay_template

CLEAN, DIRTY = 0, 1


class State(NamedTuple):
    links: np.ndarray  # two lists over the frames
    list_of: np.ndarray  # uint8[frames]
    sizes: np.ndarray  # int64[2]
    target: np.ndarray  # float64[1]: frames for clean pages
    costs: np.ndarray  # float64[2]: of a read and a write, their sum is 1
    reason: np.ndarray  # int64[1]: the list that the victim left


def start(case):
    frames = case.frames.page_in.size
    ratio = case.options["write_cost"]
    return State(
        new_lists(frames, 2),
        np.zeros(frames, np.uint8),
        np.zeros(2, np.int64),
        np.array([frames / 2]),
        np.array([1, ratio]) / (1 + ratio),
        np.zeros(1, np.int64),
    )


@inline_part
def add(state, which, frame):
    state.list_of[frame] = which
    state.sizes[which] += 1
    push(state.links, ring(state.links, 2, which), frame)


@inline_part
def on_load(state, frame, slot, write, at):
    add(state, DIRTY if write else CLEAN, frame)


@inline_part
def on_hit(state, frame, write, at):
    which = state.list_of[frame]
    clean, dirty = float(state.sizes[CLEAN]), float(state.sizes[DIRTY])
    if which == CLEAN and write:
        unlink(state.links, frame)
        state.sizes[CLEAN] -= 1
        add(state, DIRTY, frame)
        return
    if which == CLEAN:
        state.target[0] = min(state.target[0] + state.costs[CLEAN] * dirty / clean, float(state.list_of.size))
    elif write:
        state.target[0] = max(state.target[0] - state.costs[DIRTY] * clean / dirty, 0.0)
    renew(state.links, ring(state.links, 2, which), frame)


@inline_part
def victim(state, slot, at):
    which = CLEAN if state.sizes[CLEAN] > state.target[0] else DIRTY
    if state.sizes[which] == 0:
        which = 1 - which
    state.reason[0] = which
    frame = oldest(state.links, ring(state.links, 2, which))
    unlink(state.links, frame)
    state.sizes[which] -= 1
    return frame


HOOKS = Hooks(victim, on_hit, on_load)


@lean_kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)


def describe(pool, state):
    lists = {
        title: [(int(pool.page_in[frame]), "") for frame in newest_first(state.links, pool.page_in.size + which)]
        for title, which in (("dirty list", DIRTY), ("clean list", CLEAN))
    }
    return Picture(lists, {}, {"target of the clean list": float(state.target[0])})


REASONS = (
    "the clean list is over its target: its least recently used page leaves",
    "the clean list is within its target: the least recently used dirty page leaves",
)
PARAMETERS = (Parameter("write_cost", 8.0, 0.0, 1e6, "cost of writing a page in reads"),)
POLICY = Policy("casa", "CASA", start, replay, "Ou and Härder 2010", describe, REASONS, PARAMETERS, flash_aware=True)
