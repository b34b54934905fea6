"""2Q, full version: new pages pass a short queue, and only those asked for again soon after enter the main list."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_kernel
from pagecost.buffer.ghosts_kernels import Ghosts, drop, give_back, remember
from pagecost.buffer.replay_kernels import ABSENT, Hooks
from pagecost.buffer.replay_kernels import replay as replay_template
from pagecost.lists_kernels import oldest, push, renew, ring, unlink

IN, MAIN, OUT = range(3)  # A1in, Am, A1out


class State(NamedTuple):
    links: np.ndarray  # three lists over frames and ghosts
    page_in: np.ndarray  # the buffer's own array
    ghosts: Ghosts
    main: np.ndarray  # uint8[frames]: 1 in the main list
    sizes: np.ndarray  # int64[3]
    limits: np.ndarray  # int64[3]: of A1in and A1out
    reason: np.ndarray  # int64[1]


@inline_part
def on_hit(state, frame, write, at):
    if state.main[frame]:
        renew(state.links, ring(state.links, 3, MAIN), frame)


@inline_part
def victim(state, slot, at):
    which = IN if state.sizes[IN] > state.limits[IN] or state.sizes[MAIN] == 0 else MAIN
    state.reason[0] = which
    frame = oldest(state.links, ring(state.links, 3, which))
    unlink(state.links, frame)
    state.sizes[which] -= 1
    return frame


@inline_part
def on_evict(state, frame, page):
    if state.main[frame]:
        return
    if state.sizes[OUT] == state.limits[OUT]:
        first = oldest(state.links, ring(state.links, 3, OUT))
        unlink(state.links, first)
        drop(state.ghosts, first)
    else:
        state.sizes[OUT] += 1
    push(state.links, ring(state.links, 3, OUT), remember(state.ghosts, page))


@inline_part
def on_load(state, frame, slot, write, at):
    which = IN
    if slot != ABSENT:
        which = MAIN
        # the victim's id may have taken the place of this page's own
        if state.ghosts.page_of[slot - state.ghosts.frames[0]] == state.page_in[frame]:
            unlink(state.links, slot)
            give_back(state.ghosts, slot)
            state.sizes[OUT] -= 1
    state.main[frame] = which == MAIN
    state.sizes[which] += 1
    push(state.links, ring(state.links, 3, which), frame)


HOOKS = Hooks(victim, on_hit, on_load, on_evict)


@lean_kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)
