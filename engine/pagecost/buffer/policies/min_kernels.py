"""Belady's MIN: the page whose next use lies farthest in the future leaves. A bound for every policy's hits.

The next uses of the resident pages are bits of a 64-ary tree of words, so the farthest one is found in four steps.
A page that is never used again gets a position of its own behind the end of the trace, the smallest page id last:
among such pages the smallest id leaves first (MODELS §4.1), which fixes the number of write-backs.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import kernel, leading_zeros, part
from pagecost.buffer.replay_kernels import Hooks, Policy
from pagecost.buffer.replay_kernels import replay as replay_template


class State(NamedTuple):
    next_use: np.ndarray  # uint32[references]: position of the next reference to the same page
    page_at: np.ndarray  # uint32[positions]: page of each position, those behind the end included
    frame_of: np.ndarray  # the buffer's own array
    words: np.ndarray  # uint64[...]: the levels of the tree, leaves first
    level_at: np.ndarray  # int64[levels]: first word of each level


def start(case):
    distinct = case.ids.size
    last_first = np.argsort(-case.ids, kind="stable").astype(np.uint32)
    never = np.empty(distinct, np.uint32)
    never[last_first] = case.pages.size + np.arange(distinct, dtype=np.uint32)
    page_at = np.concatenate([case.pages, last_first])
    sizes = [page_at.size // 64 + 1]
    while sizes[-1] > 1:
        sizes.append((sizes[-1] + 63) // 64)
    next_use = np.empty(case.pages.size, np.uint32)
    find_next_uses(case.pages, never, next_use)
    level_at = np.cumsum([0, *sizes[:-1]])
    return State(next_use, page_at, case.frames.frame_of, np.zeros(sum(sizes), np.uint64), level_at)


@kernel
def find_next_uses(pages, never, next_use):
    """Fill next_use; never[page] is used as the scratch pad and holds garbage afterwards."""
    for i in range(pages.size - 1, -1, -1):
        next_use[i] = never[pages[i]]
        never[pages[i]] = i


@part
def put(state, position):
    for level in range(state.level_at.size):
        word = state.level_at[level] + (position >> 6)
        before = state.words[word]
        state.words[word] = before | (np.uint64(1) << np.uint64(position & 63))
        if before:
            return
        position >>= 6


@part
def take(state, position):
    for level in range(state.level_at.size):
        word = state.level_at[level] + (position >> 6)
        after = state.words[word] & ~(np.uint64(1) << np.uint64(position & 63))
        state.words[word] = after
        if after:
            return
        position >>= 6


@part
def farthest(state):
    position = 0
    for level in range(state.level_at.size - 1, -1, -1):
        word = state.words[state.level_at[level] + position]
        position = (position << 6) + 63 - np.int64(leading_zeros(word))
    return position


@part
def on_hit(state, frame, at):
    take(state, at)
    put(state, np.int64(state.next_use[at]))


@part
def on_load(state, frame, at):
    put(state, np.int64(state.next_use[at]))


@part
def victim(state):
    position = farthest(state)
    take(state, position)
    return state.frame_of[state.page_at[position]]


HOOKS = Hooks(victim, on_hit, on_load)


@kernel
def replay(pages, writes, at, frames, state):
    replay_template(pages, writes, at, frames, state, HOOKS)


POLICY = Policy("min", "MIN (Belady)", start, replay, "Belady 1966", offline=True)
