"""Belady's MIN: the page whose next use lies farthest in the future leaves. A bound for every policy's hits.

A page that is never used again gets a position of its own behind the end of the trace, the smallest page id last:
among such pages the smallest id leaves first, which fixes the number of write-backs.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_kernel, prefetch
from pagecost.buffer.positions_kernels import Positions, highest, is_empty, put, take
from pagecost.buffer.replay_kernels import Hooks, entry


class State(NamedTuple):
    next_use: np.ndarray  # uint32[references]: position of the next reference to the same page
    pages: np.ndarray  # the whole trace: the page of each position in it
    last_first: np.ndarray  # uint32[distinct]: the page of each position behind its end
    frame_of: np.ndarray  # the buffer's own array
    top: np.ndarray  # int64[1]: the highest of `waiting`, or -1
    waiting: Positions  # the next uses of the resident pages, and past uses, which are never the highest


@lean_kernel
def find_next_uses(pages, never, next_use):
    """Fill next_use; never[page] is used as the scratch pad and holds garbage afterwards."""
    for i in range(pages.size - 1, -1, -1):
        next_use[i] = never[pages[i]]
        never[pages[i]] = i


@inline_part
def wait(state, at):
    """Wait for the next use of the page that is referenced at position `at`."""
    position = np.int64(state.next_use[at])
    put(state.waiting, position)
    if position > state.top[0]:
        state.top[0] = position


@inline_part
def on_hit(state, frame, write, at):
    wait(state, at)


@inline_part
def on_load(state, frame, slot, write, at):
    wait(state, at)


@inline_part
def victim(state, slot, at):
    position = state.top[0]
    take(state.waiting, position)
    state.top[0] = -1 if is_empty(state.waiting) else highest(state.waiting)
    if state.top[0] < state.pages.size:
        prefetch(state.pages, state.top[0])
    if position < state.pages.size:
        return state.frame_of[state.pages[position]]
    return state.frame_of[state.last_first[position - state.pages.size]]


@inline_part
def foresee(state, page, at):
    prefetch(state.waiting.words, state.next_use[at] >> np.uint32(6))


HOOKS = Hooks(victim, on_hit, on_load, foresee=foresee)
replay = entry(__name__, HOOKS)
