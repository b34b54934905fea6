"""REF, recently evicted first: victims come from the few erase blocks that the last victims came from.

So the log blocks of a hybrid translation layer serve few blocks at a time. A victim is the least recently used page of
the window that lies in a victim block; if there is none, the least recently used page leaves and its block becomes one.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, prefetch
from pagecost.buffer.replay_kernels import ABSENT, Hooks, entry
from pagecost.lists_kernels import OLDER, oldest, push, renew, ring, unlink

WORKING, WINDOW = 0, 1


IN_BLOCK, OPENS_BLOCK = 0, 1  # reasons


IN_WORKING, MOST_WORKING, OLDEST, ENTRIES = range(4)  # places in State.scalars


class State(NamedTuple):
    links: np.ndarray  # two lists over the frames
    page_in: np.ndarray  # the buffer's own array
    block_of: np.ndarray  # uint32[pages]
    in_block: np.ndarray  # one list per block over the frames: its pages in the window
    slot_of: np.ndarray  # uint32[blocks]: place among the victim blocks, or ABSENT
    victims: np.ndarray  # uint32[log blocks]: the victim blocks as a ring, ABSENT where there is none yet
    working: np.ndarray  # uint8[frames]
    block_in: np.ndarray  # uint32[frames]: block of the page
    entered: np.ndarray  # int64[frames]: when the page came into the window, in order of last use as all do
    first: np.ndarray  # uint32[2 x leaves]: node k holds the older page of 2k and 2k + 1; leaves: each block's oldest
    scalars: np.ndarray  # int64[4]: frames in the working region, how many it may have, oldest in `victims`, entries
    reason: np.ndarray  # int64[1]


@inline_part
def closing_of(state, block):
    """The closing row of a block's list of pages in the window."""
    return np.uint32(state.working.size + block)


@inline_part
def place_first(state, slot):
    """The oldest page of a victim block changed: so may the oldest of all."""
    frame = oldest(state.in_block, closing_of(state, state.victims[slot]))
    node = (state.first.size >> 1) + np.int64(slot)
    state.first[node] = frame if frame < state.working.size else ABSENT
    while node > 1:
        node >>= 1
        one, other = state.first[2 * node], state.first[2 * node + 1]
        if one == ABSENT or (other != ABSENT and state.entered[other] < state.entered[one]):
            one = other
        state.first[node] = one


@inline_part
def enter_window(state, frame):
    """Make a frame the newest of the window and of its block there."""
    push(state.links, ring(state.links, 2, WINDOW), frame)
    state.working[frame] = 0
    state.entered[frame] = state.scalars[ENTRIES]
    state.scalars[ENTRIES] += 1
    block = state.block_in[frame]
    push(state.in_block, closing_of(state, block), frame)
    slot = state.slot_of[block]
    if slot != ABSENT and state.in_block[frame, OLDER] == closing_of(state, block):
        place_first(state, slot)


@inline_part
def leave_window(state, frame):
    """Take a frame out of the window and out of its block there."""
    unlink(state.links, frame)
    block = state.block_in[frame]
    was_oldest = state.in_block[frame, OLDER] == closing_of(state, block)
    unlink(state.in_block, frame)
    if was_oldest and state.slot_of[block] != ABSENT:
        place_first(state, state.slot_of[block])


@inline_part
def enter_working(state, frame):
    """Make a frame the newest of the working region; what does not fit any more goes to the window."""
    state.working[frame] = 1
    push(state.links, ring(state.links, 2, WORKING), frame)
    state.scalars[IN_WORKING] += 1
    if state.scalars[IN_WORKING] > state.scalars[MOST_WORKING]:
        aged = oldest(state.links, ring(state.links, 2, WORKING))
        unlink(state.links, aged)
        state.scalars[IN_WORKING] -= 1
        enter_window(state, aged)


@inline_part
def on_load(state, frame, slot, write, at):
    state.block_in[frame] = state.block_of[state.page_in[frame]]
    enter_working(state, frame)


@inline_part
def on_hit(state, frame, write, at):
    if state.working[frame]:
        renew(state.links, ring(state.links, 2, WORKING), frame)
    else:
        leave_window(state, frame)
        enter_working(state, frame)


@inline_part
def open_block(state, block):
    """Make `block` a victim block in place of the oldest one."""
    place = state.scalars[OLDEST]
    state.scalars[OLDEST] = (place + 1) % state.victims.size
    if state.victims[place] != ABSENT:
        state.slot_of[state.victims[place]] = ABSENT
    state.victims[place] = block
    state.slot_of[block] = place
    place_first(state, place)


@inline_part
def victim(state, slot, at):
    state.reason[0] = IN_BLOCK
    frame = state.first[1]
    if frame == ABSENT:
        state.reason[0] = OPENS_BLOCK
        frame = oldest(state.links, ring(state.links, 2, WINDOW))
        if frame == ring(state.links, 2, WINDOW):
            frame = oldest(state.links, ring(state.links, 2, WORKING))
        block = state.block_in[frame]
        if state.slot_of[block] == ABSENT:
            open_block(state, block)
    if state.working[frame]:
        state.scalars[IN_WORKING] -= 1
        unlink(state.links, frame)
    else:
        leave_window(state, frame)
    return frame


@inline_part
def foresee(state, page, at):
    prefetch(state.block_of, page)


HOOKS = Hooks(victim, on_hit, on_load, foresee=foresee)
replay = entry(__name__, HOOKS)
