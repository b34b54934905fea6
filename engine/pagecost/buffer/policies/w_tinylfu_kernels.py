"""W-TinyLFU: a page that leaves a small window enters the main lists only if it was used more often than their victim.

How often is estimated by a count-min sketch: four rows of counters up to 15, halved after ten uses per frame. Their
number is halved with them, as each counter keeps half of what it counted: from then on the counters are halved after
every five uses per frame (the paper's "reset").
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part
from pagecost.buffer.replay_kernels import Hooks, entry
from pagecost.buffer.sized_lists_kernels import add, end_of, remove
from pagecost.lists_kernels import oldest, renew

WINDOW, PROBATION, PROTECTED = range(3)


ROWS, LARGEST_COUNT, USES_PER_FRAME = 4, 15, 10


LOST, WON, ALONE = range(3)  # reasons


class State(NamedTuple):
    links: np.ndarray  # three lists over the frames
    page_in: np.ndarray  # the buffer's own array
    list_of: np.ndarray  # uint8[frames]
    sizes: np.ndarray  # int64[3]
    limits: np.ndarray  # int64[3]: of the window and of the protected list
    counters: np.ndarray  # uint8[4, 2^k]
    uses: np.ndarray  # int64[2]: that the counters stand for, and with how many they are halved
    reason: np.ndarray  # int64[1]


@inline_part
def place(state, page, row):
    """The counter of a page in a row of the sketch."""
    mixed = (np.uint64(page) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(12 * row)) & np.uint64(state.counters.shape[1] - 1)


@inline_part
def record(state, page):
    """Count a use of the page; when `uses[1]` are counted, all counters are halved, and so is the number of uses."""
    for row in range(ROWS):
        slot = place(state, page, row)
        if state.counters[row, slot] < LARGEST_COUNT:
            state.counters[row, slot] += np.uint8(1)
    state.uses[0] += 1
    if state.uses[0] == state.uses[1]:
        state.uses[0] //= 2
        for row in range(ROWS):
            for slot in range(state.counters.shape[1]):
                state.counters[row, slot] >>= np.uint8(1)


@inline_part
def estimate(state, page):
    """How often the page was used, by the least of its counters."""
    least = state.counters[0, place(state, page, 0)]
    for row in range(1, ROWS):
        least = min(least, state.counters[row, place(state, page, row)])
    return least


@inline_part
def on_hit(state, frame, write, at):
    record(state, state.page_in[frame])
    which = state.list_of[frame]
    if which != PROBATION:
        renew(state.links, end_of(state, which), frame)
        return
    remove(state, frame)
    add(state, PROTECTED, frame)
    if state.sizes[PROTECTED] > state.limits[PROTECTED]:
        demoted = oldest(state.links, end_of(state, PROTECTED))
        remove(state, demoted)
        add(state, PROBATION, demoted)


@inline_part
def on_load(state, frame, slot, write, at):
    record(state, state.page_in[frame])
    add(state, WINDOW, frame)
    if state.sizes[WINDOW] > state.limits[WINDOW]:  # only while the buffer fills
        moved = oldest(state.links, end_of(state, WINDOW))
        remove(state, moved)
        add(state, PROBATION, moved)


@inline_part
def victim(state, slot, at):
    candidate = oldest(state.links, end_of(state, WINDOW))
    remove(state, candidate)
    if state.sizes[PROBATION] + state.sizes[PROTECTED] == 0:
        state.reason[0] = ALONE
        return candidate
    state.reason[0] = LOST
    frame = oldest(state.links, end_of(state, PROBATION if state.sizes[PROBATION] else PROTECTED))
    if estimate(state, state.page_in[candidate]) <= estimate(state, state.page_in[frame]):
        return candidate
    state.reason[0] = WON
    remove(state, frame)
    add(state, PROBATION, candidate)
    return frame


HOOKS = Hooks(victim, on_hit, on_load)
replay = entry(__name__, HOOKS)
