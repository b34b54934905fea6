"""S3-FIFO: a small queue that most new pages leave quickly, a main queue, and a memory of what left the small one."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_kernel
from pagecost.buffer.ghosts_kernels import Ghosts, drop, give_back, new_ghosts, remember
from pagecost.buffer.lists_kernels import new_lists, newest_first, oldest, push, renew, ring, unlink
from pagecost.buffer.replay_kernels import ABSENT, Hooks, Parameter, Picture, Policy
from pagecost.buffer.replay_kernels import replay as replay_template

SMALL, MAIN, GONE = range(3)
MOST_USES = 3
ENOUGH_USES = 2  # to go from the small queue to the main one


class State(NamedTuple):
    links: np.ndarray  # three queues over frames and ghosts
    page_in: np.ndarray  # the buffer's own array
    ghosts: Ghosts
    uses: np.ndarray  # uint8[frames]: hits, at most 3
    sizes: np.ndarray  # int64[3]
    limits: np.ndarray  # int64[3]: of the small queue and of the memory
    reason: np.ndarray  # int64[1]: the queue that the victim left


def start(case):
    frames = case.frames.page_in.size
    small = max(1, int(frames * case.options["small"]))
    gone = max(1, frames - small)
    return State(
        new_lists(frames + gone, 3),
        case.frames.page_in,
        new_ghosts(case, gone),
        np.zeros(frames, np.uint8),
        np.zeros(3, np.int64),
        np.array([small, 0, gone]),
        np.zeros(1, np.int64),
    )


@inline_part
def on_hit(state, frame, write, at):
    if state.uses[frame] < MOST_USES:
        state.uses[frame] += np.uint8(1)


@inline_part
def from_small(state):
    """The first page of the small queue with too few uses; those before it go to the main queue. May be none."""
    end = ring(state.links, 3, SMALL)
    while state.sizes[SMALL]:
        frame = oldest(state.links, end)
        unlink(state.links, frame)
        state.sizes[SMALL] -= 1
        if state.uses[frame] < ENOUGH_USES:
            state.reason[0] = SMALL
            return frame
        state.uses[frame] = 0
        push(state.links, ring(state.links, 3, MAIN), frame)
        state.sizes[MAIN] += 1
    return ABSENT


@inline_part
def from_main(state):
    end = ring(state.links, 3, MAIN)
    frame = oldest(state.links, end)
    while state.uses[frame]:
        state.uses[frame] -= np.uint8(1)
        renew(state.links, end, frame)
        frame = oldest(state.links, end)
    unlink(state.links, frame)
    state.sizes[MAIN] -= 1
    state.reason[0] = MAIN
    return frame


@inline_part
def victim(state, slot, at):
    frame = ABSENT
    if state.sizes[SMALL] >= state.limits[SMALL]:
        frame = from_small(state)
    if frame == ABSENT:
        frame = from_main(state)
    return frame


@inline_part
def on_evict(state, frame, page):
    if state.reason[0] == MAIN:
        return
    end = ring(state.links, 3, GONE)
    if state.sizes[GONE] == state.limits[GONE]:
        first = oldest(state.links, end)
        unlink(state.links, first)
        drop(state.ghosts, first)
    else:
        state.sizes[GONE] += 1
    push(state.links, end, remember(state.ghosts, page))


@inline_part
def on_load(state, frame, slot, write, at):
    state.uses[frame] = 0
    which = SMALL
    if slot != ABSENT:
        which = MAIN
        # the victim's id may have taken the place of this page's own
        if state.ghosts.page_of[slot - state.ghosts.frames[0]] == state.page_in[frame]:
            unlink(state.links, slot)
            give_back(state.ghosts, slot)
            state.sizes[GONE] -= 1
    state.sizes[which] += 1
    push(state.links, ring(state.links, 3, which), frame)


HOOKS = Hooks(victim, on_hit, on_load, on_evict)


@lean_kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)


def describe(pool, state):
    nodes = state.links.shape[0] - 3
    small, main = (
        [(int(pool.page_in[f]), f"{state.uses[f]} hits") for f in newest_first(state.links, nodes + which)]
        for which in (SMALL, MAIN)
    )
    gone = [int(state.ghosts.page_of[g - pool.page_in.size]) for g in newest_first(state.links, nodes + GONE)]
    return Picture({"main queue": main, "small queue": small}, {"left the small queue": gone}, {})


REASONS = (
    "the small queue is full: its first page with fewer than two hits leaves, remembered",
    "the small queue is short: the first page of the main queue without a hit leaves",
)
PARAMETERS = (Parameter("small", 0.1, 0.0, 1.0, "share of the frames, at least one, for the small queue"),)
POLICY = Policy("s3-fifo", "S3-FIFO", start, replay, "Yang et al. 2023", describe, REASONS, PARAMETERS)
