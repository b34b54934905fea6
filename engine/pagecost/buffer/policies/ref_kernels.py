"""REF, recently evicted first: victims come from the few erase blocks that the last victims came from.

So the log blocks of a hybrid translation layer serve few blocks at a time. A victim is the least recently used page of
the window that lies in a victim block; if there is none, the least recently used page leaves and its block becomes one.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part as part
from pagecost._jit import lean_kernel as kernel
from pagecost.buffer.blocks_kernels import number_blocks
from pagecost.buffer.lists_kernels import NEWER, new_lists, newest_first, oldest, push, renew, ring, unlink
from pagecost.buffer.positions_kernels import Positions, is_empty, lowest, new_positions, put, take
from pagecost.buffer.replay_kernels import ABSENT, Hooks, Parameter, Picture, Policy
from pagecost.buffer.replay_kernels import replay as replay_template

WORKING, WINDOW = 0, 1
IN_BLOCK, OPENS_BLOCK = 0, 1  # reasons


class State(NamedTuple):
    links: np.ndarray  # two lists over the frames
    page_in: np.ndarray  # the buffer's own array
    page_at: np.ndarray  # the trace; only positions of the past are looked up
    frame_of: np.ndarray  # the buffer's own array
    block_of: np.ndarray  # uint32[pages]
    in_block: np.ndarray  # one list per block over the frames: its pages in the window
    is_victim: np.ndarray  # uint8[blocks]
    victims: np.ndarray  # uint32[log blocks]: the victim blocks as a ring, ABSENT where there is none yet
    working: np.ndarray  # uint8[frames]
    used_at: np.ndarray  # int64[frames]: position of the last use
    eligible: Positions  # last uses of the window's pages that lie in victim blocks
    scalars: np.ndarray  # int64[3]: frames in the working region, how many it may have, oldest in `victims`
    reason: np.ndarray  # int64[1]


def start(case):
    frames = case.frames.page_in.size
    window = round(frames * case.options["window"])
    block_of = number_blocks(case, int(case.options["block_pages"]))
    blocks = int(block_of.max()) + 1
    return State(
        new_lists(frames, 2),
        case.frames.page_in,
        case.pages,
        case.frames.frame_of,
        block_of,
        new_lists(frames, blocks),
        np.zeros(blocks, np.uint8),
        np.full(int(case.options["log_blocks"]), ABSENT, np.uint32),
        np.zeros(frames, np.uint8),
        np.zeros(frames, np.int64),
        new_positions(case.pages.size),
        np.array([0, frames - window, 0]),
        np.zeros(1, np.int64),
    )


@part
def block_of(state, frame):
    return state.block_of[state.page_in[frame]]


@part
def closing_of(state, block):
    return np.uint32(state.working.size + block)


@part
def on_load(state, frame, slot, write, at):
    state.used_at[frame] = at
    state.working[frame] = 1
    push(state.links, ring(state.links, 2, WORKING), frame)
    state.scalars[0] += 1
    if state.scalars[0] > state.scalars[1]:
        aged = oldest(state.links, ring(state.links, 2, WORKING))
        unlink(state.links, aged)
        state.working[aged] = 0
        state.scalars[0] -= 1
        push(state.links, ring(state.links, 2, WINDOW), aged)
        block = block_of(state, aged)
        push(state.in_block, closing_of(state, block), aged)
        if state.is_victim[block]:
            put(state.eligible, state.used_at[aged])


@part
def on_hit(state, frame, write, at):
    if state.working[frame]:
        state.used_at[frame] = at
        renew(state.links, ring(state.links, 2, WORKING), frame)
        return
    if state.is_victim[block_of(state, frame)]:
        take(state.eligible, state.used_at[frame])
    unlink(state.in_block, frame)
    unlink(state.links, frame)
    on_load(state, frame, frame, write, at)


@part
def open_block(state, block):
    """Make `block` a victim block in place of the oldest one."""
    place = state.scalars[2]
    state.scalars[2] = (place + 1) % state.victims.size
    gone = state.victims[place]
    if gone != ABSENT:
        state.is_victim[gone] = 0
        frame = oldest(state.in_block, closing_of(state, gone))
        while frame < state.working.size:
            take(state.eligible, state.used_at[frame])
            frame = state.in_block[frame, NEWER]
    state.victims[place] = block
    state.is_victim[block] = 1
    frame = oldest(state.in_block, closing_of(state, block))
    while frame < state.working.size:
        put(state.eligible, state.used_at[frame])
        frame = state.in_block[frame, NEWER]


@part
def victim(state, slot, at):
    state.reason[0] = IN_BLOCK
    if is_empty(state.eligible):
        state.reason[0] = OPENS_BLOCK
        frame = oldest(state.links, ring(state.links, 2, WINDOW))
        if frame == ring(state.links, 2, WINDOW):
            frame = oldest(state.links, ring(state.links, 2, WORKING))
        if not state.is_victim[block_of(state, frame)]:
            open_block(state, block_of(state, frame))
    else:
        frame = state.frame_of[state.page_at[lowest(state.eligible)]]
    if state.working[frame]:
        state.scalars[0] -= 1
    else:
        unlink(state.in_block, frame)
        if state.is_victim[block_of(state, frame)]:
            take(state.eligible, state.used_at[frame])
    unlink(state.links, frame)
    return frame


HOOKS = Hooks(victim, on_hit, on_load)


@kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)


def describe(pool, state):
    def marked(frame):
        block = state.block_of[pool.page_in[frame]]
        return (int(pool.page_in[frame]), "victim block" if state.is_victim[block] else "")

    lists = {
        title: [marked(frame) for frame in newest_first(state.links, pool.page_in.size + which)]
        for title, which in (("working region", WORKING), ("victim window", WINDOW))
    }
    return Picture(lists, {}, {"victim blocks": int(np.count_nonzero(state.is_victim))})


REASONS = (
    "it is the least recently used page of the window in one of the victim blocks",
    "no page of the window lies in a victim block: the least recently used page leaves, its block becomes one",
)
PARAMETERS = (
    Parameter("window", 0.5, 0.0, 1.0, "share of the frames in which victims are sought"),
    Parameter("log_blocks", 8, 1, 65_536, "victim blocks, as many as the device has log blocks"),
    Parameter("block_pages", 64, 1, 1024, "pages of an erase block"),
)
POLICY = Policy("ref", "REF", start, replay, "after Seo and Shin 2008", describe, REASONS, PARAMETERS, flash_aware=True)
