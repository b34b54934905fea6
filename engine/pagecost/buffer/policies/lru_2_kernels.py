"""LRU-2: the page whose last use but one lies farthest back leaves; a page used only once comes before all others.

The last use of a page is remembered after it left, without limit. The correlated reference period is 0.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_kernel
from pagecost.buffer.positions_kernels import Positions, lowest, put, take
from pagecost.buffer.replay_kernels import Hooks
from pagecost.buffer.replay_kernels import replay as replay_template
from pagecost.lists_kernels import oldest, push, ring, unlink


class State(NamedTuple):
    page_in: np.ndarray  # the buffer's own array
    frame_of: np.ndarray  # the buffer's own array
    page_at: np.ndarray  # the trace; only positions of the past are looked up
    last: np.ndarray  # uint32[pages]: position of the last use + 1, or 0
    before_last: np.ndarray  # uint32[frames]: likewise of the use before that
    once: np.ndarray  # list of the frames whose page was used only once
    twice: Positions  # the last uses but one of the other pages in the buffer
    reason: np.ndarray  # int64[1]


@inline_part
def on_load(state, frame, slot, write, at):
    page = state.page_in[frame]
    last = state.last[page]
    state.before_last[frame] = last
    state.last[page] = at + 1
    if last == 0:
        push(state.once, ring(state.once, 1, 0), frame)
    else:
        put(state.twice, np.int64(last) - 1)


@inline_part
def on_hit(state, frame, write, at):
    before = state.before_last[frame]
    if before == 0:
        unlink(state.once, frame)
    else:
        take(state.twice, np.int64(before) - 1)
    on_load(state, frame, frame, write, at)


@inline_part
def victim(state, slot, at):
    end = ring(state.once, 1, 0)
    frame = oldest(state.once, end)
    if frame != end:
        state.reason[0] = 0
        unlink(state.once, frame)
        return frame
    state.reason[0] = 1
    position = lowest(state.twice)
    take(state.twice, position)
    return state.frame_of[state.page_at[position]]


HOOKS = Hooks(victim, on_hit, on_load)


@lean_kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)
