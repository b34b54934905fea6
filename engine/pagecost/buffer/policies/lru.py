"""Least recently used: a list over frames (not pages, so that it fits in the processor's cache)."""

from pagecost.buffer.policies.lru_kernels import State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first


def start(case):
    return State(new_lists(case.frames.page_in.size, 1))


def describe(pool, state):
    order = newest_first(state.links, pool.page_in.size)
    return Picture({"recency": [(int(pool.page_in[frame]), "") for frame in order]}, {}, {})


REASONS = ("nobody has used it for the longest time",)
POLICY = Policy("lru", "LRU", start, replay, "Mattson et al. 1970", describe, REASONS)
