"""Belady's MIN: the page whose next use lies farthest in the future leaves. A bound for every policy's hits.

A page that is never used again gets a position of its own behind the end of the trace, the smallest page id last:
among such pages the smallest id leaves first, which fixes the number of write-backs.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part as part
from pagecost._jit import lean_kernel as kernel
from pagecost.buffer.positions_kernels import Positions, highest, new_positions, put, take
from pagecost.buffer.replay_kernels import Hooks, Picture, Policy
from pagecost.buffer.replay_kernels import replay as replay_template


class State(NamedTuple):
    next_use: np.ndarray  # uint32[references]: position of the next reference to the same page
    page_at: np.ndarray  # uint32[positions]: page of each position, those behind the end included
    frame_of: np.ndarray  # the buffer's own array
    waiting: Positions  # the next uses of the resident pages, and past uses, which are never the highest


def start(case):
    distinct = case.ids.size
    last_first = np.argsort(case.ids)[::-1].astype(np.uint32)  # ids are distinct
    never = np.empty(distinct, np.uint32)
    never[last_first] = case.pages.size + np.arange(distinct, dtype=np.uint32)
    page_at = np.concatenate([case.pages, last_first])
    next_use = np.empty(case.pages.size, np.uint32)
    find_next_uses(case.pages, never, next_use)
    return State(next_use, page_at, case.frames.frame_of, new_positions(page_at.size))


@kernel
def find_next_uses(pages, never, next_use):
    """Fill next_use; never[page] is used as the scratch pad and holds garbage afterwards."""
    for i in range(pages.size - 1, -1, -1):
        next_use[i] = never[pages[i]]
        never[pages[i]] = i


@part
def on_hit(state, frame, write, at):
    put(state.waiting, np.int64(state.next_use[at]))


@part
def on_load(state, frame, slot, write, at):
    put(state.waiting, np.int64(state.next_use[at]))


@part
def victim(state, slot, at):
    position = highest(state.waiting)
    take(state.waiting, position)
    return state.frame_of[state.page_at[position]]


HOOKS = Hooks(victim, on_hit, on_load)


@kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)


def describe(pool, state):
    bits = np.unpackbits(state.waiting.words[: state.page_at.size // 64 + 1].view(np.uint8), bitorder="little")
    references, frames = state.next_use.size, pool.page_in.size
    last = {int(state.page_at[at]): int(at) for at in np.flatnonzero(bits)}  # a page's earlier positions are past
    waiting = [
        (page, f"next at {at + 1}" if at < references else "never again")
        for page, at in sorted(last.items(), key=lambda entry: entry[1])
        if pool.frame_of[page] < frames
    ]
    return Picture({"by next use": waiting}, {}, {})


REASONS = ("its next use is farthest away, or never",)
POLICY = Policy("min", "MIN (Belady)", start, replay, "Belady 1966", describe, REASONS, offline=True)
