"""SIEVE: a queue whose hand spares visited pages where they stand, so that new pages are sifted first."""

import numpy as np

from pagecost.buffer.policies.sieve_kernels import State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first


def start(case):
    frames = case.frames.page_in.size
    return State(new_lists(frames, 1), np.zeros(frames, np.uint8), np.full(1, frames, np.uint32))


def describe(pool, state):
    hand = int(state.hand[0])
    pages = []
    for frame in newest_first(state.links, pool.page_in.size):
        marks = ("visited" if state.visited[frame] else "", "hand" if frame == hand else "")
        pages.append((int(pool.page_in[frame]), ", ".join(mark for mark in marks if mark)))
    return Picture({"queue": pages}, {}, {})


REASONS = ("the hand, on its way from the oldest page, found it not visited",)
POLICY = Policy("sieve", "SIEVE", start, replay, "Zhang et al. 2024", describe, REASONS)
