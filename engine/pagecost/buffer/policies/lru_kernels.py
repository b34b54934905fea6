"""Least recently used: a list over frames (not pages, so that it fits in the processor's cache)."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import kernel, part
from pagecost.buffer.replay_kernels import Hooks, Policy
from pagecost.buffer.replay_kernels import replay as replay_template


class State(NamedTuple):
    links: np.ndarray  # uint32[frames + 1, 2]: (older, newer) neighbour; the last row closes the ring


OLDER, NEWER = 0, 1


def start(case):
    end = case.frames.page_in.size
    links = np.full((end + 1, 2), end, np.uint32)
    return State(links)


@part
def on_load(state, frame, at):
    links = state.links
    end = np.uint32(links.shape[0] - 1)
    newest = links[end, OLDER]
    links[frame, OLDER] = newest
    links[frame, NEWER] = end
    links[newest, NEWER] = frame
    links[end, OLDER] = frame


@part
def on_hit(state, frame, at):
    links = state.links
    end = np.uint32(links.shape[0] - 1)
    newer = links[frame, NEWER]
    if newer != end:  # the newest page stays where it is
        older = links[frame, OLDER]
        links[newer, OLDER] = older
        links[older, NEWER] = newer
        on_load(state, frame, at)


@part
def victim(state):
    links = state.links
    end = np.uint32(links.shape[0] - 1)
    frame = links[end, NEWER]
    newer = links[frame, NEWER]
    links[newer, OLDER] = end
    links[end, NEWER] = newer
    return frame


HOOKS = Hooks(victim, on_hit, on_load)


@kernel
def replay(pages, writes, at, frames, state):
    replay_template(pages, writes, at, frames, state, HOOKS)


POLICY = Policy("lru", "LRU", start, replay, "Mattson et al. 1970")
