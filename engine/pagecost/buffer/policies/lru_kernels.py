"""Least recently used: a list over frames (not pages, so that it fits in the processor's cache)."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_kernel
from pagecost.buffer.replay_kernels import Hooks
from pagecost.buffer.replay_kernels import replay as replay_template
from pagecost.lists_kernels import oldest, push, renew, ring, unlink


class State(NamedTuple):
    links: np.ndarray  # one list over the frames


@inline_part
def on_load(state, frame, slot, write, at):
    push(state.links, ring(state.links, 1, 0), frame)


@inline_part
def on_hit(state, frame, write, at):
    renew(state.links, ring(state.links, 1, 0), frame)


@inline_part
def victim(state, slot, at):
    frame = oldest(state.links, ring(state.links, 1, 0))
    unlink(state.links, frame)
    return frame


HOOKS = Hooks(victim, on_hit, on_load)


@lean_kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)
