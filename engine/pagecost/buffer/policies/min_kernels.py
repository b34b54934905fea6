"""Belady's MIN: the page whose next use lies farthest in the future leaves. A bound for every policy's hits.

A page that is never used again gets a position of its own behind the end of the trace, the smallest page id last:
among such pages the smallest id leaves first, which fixes the number of write-backs.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_kernel, prefetch
from pagecost.buffer.blocks_kernels import in_order
from pagecost.buffer.positions_kernels import Positions, highest, is_empty, new_positions, put, take
from pagecost.buffer.replay_kernels import Hooks, Picture, Policy
from pagecost.buffer.replay_kernels import replay as replay_template


class State(NamedTuple):
    next_use: np.ndarray  # uint32[references]: position of the next reference to the same page
    pages: np.ndarray  # the whole trace: the page of each position in it
    last_first: np.ndarray  # uint32[distinct]: the page of each position behind its end
    frame_of: np.ndarray  # the buffer's own array
    top: np.ndarray  # int64[1]: the highest of `waiting`, or -1
    waiting: Positions  # the next uses of the resident pages, and past uses, which are never the highest


def start(case):
    last_first = in_order(case.ids)[::-1].astype(np.uint32)
    never = np.empty(last_first.size, np.uint32)
    never[last_first] = case.pages.size + np.arange(last_first.size, dtype=np.uint32)
    next_use = np.empty(case.pages.size, np.uint32)
    find_next_uses(case.pages, never, next_use)
    waiting = new_positions(case.pages.size + last_first.size)
    return State(next_use, case.pages, last_first, case.frames.frame_of, np.full(1, -1), waiting)


@lean_kernel
def find_next_uses(pages, never, next_use):
    """Fill next_use; never[page] is used as the scratch pad and holds garbage afterwards."""
    for i in range(pages.size - 1, -1, -1):
        next_use[i] = never[pages[i]]
        never[pages[i]] = i


@inline_part
def wait(state, at):
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


@lean_kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)


def describe(pool, state):
    page_at = np.concatenate([state.pages, state.last_first])
    bits = np.unpackbits(state.waiting.words[: page_at.size // 64 + 1].view(np.uint8), bitorder="little")
    references, frames = state.next_use.size, pool.page_in.size
    last = {int(page_at[at]): int(at) for at in np.flatnonzero(bits)}  # a page's earlier positions are past
    waiting = [
        (page, f"next at {at + 1}" if at < references else "never again")
        for page, at in sorted(last.items(), key=lambda entry: entry[1])
        if pool.frame_of[page] < frames
    ]
    return Picture({"by next use": waiting}, {}, {})


REASONS = ("its next use is farthest away, or never",)
POLICY = Policy("min", "MIN (Belady)", start, replay, "Belady 1966", describe, REASONS, offline=True)
