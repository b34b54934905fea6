"""Least frequently used, counted while in the buffer: pages of equal count share a bucket, itself in order of use."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part
from pagecost.buffer.replay_kernels import Hooks, entry
from pagecost.lists_kernels import NEWER, OLDER, oldest, push, push_oldest, ring, unlink


class State(NamedTuple):
    links: np.ndarray  # one list of frames per bucket
    levels: np.ndarray  # the buckets by rising count, one list
    bucket_of: np.ndarray  # uint32[frames]
    count: np.ndarray  # int64[buckets]
    spare: np.ndarray  # uint32[1 + buckets]: stack of unused buckets, its height first


@inline_part
def closing_of(state, bucket):
    """The closing row of a bucket's list of frames."""
    return np.uint32(state.bucket_of.size) + bucket


@inline_part
def new_bucket(state, count):
    """Take a spare bucket for pages of that count; it is in no order yet."""
    bucket = state.spare[state.spare[0]]
    state.spare[0] -= np.uint32(1)
    state.count[bucket] = count
    return bucket


@inline_part
def join(state, bucket, frame):
    """Make a frame the newest of a bucket."""
    state.bucket_of[frame] = bucket
    push(state.links, closing_of(state, bucket), frame)


@inline_part
def leave(state, frame):
    """Take a frame out of its bucket, which becomes spare when it was the last."""
    bucket = state.bucket_of[frame]
    unlink(state.links, frame)
    closing = closing_of(state, bucket)
    if oldest(state.links, closing) == closing:
        unlink(state.levels, bucket)
        state.spare[0] += np.uint32(1)
        state.spare[state.spare[0]] = bucket


@inline_part
def on_load(state, frame, slot, write, at):
    end = ring(state.levels, 1, 0)
    bucket = oldest(state.levels, end)
    if bucket == end or state.count[bucket] != 1:
        bucket = new_bucket(state, 1)
        push_oldest(state.levels, end, bucket)
    join(state, bucket, frame)


@inline_part
def on_hit(state, frame, write, at):
    bucket = state.bucket_of[frame]
    count = state.count[bucket] + 1
    above = state.levels[bucket, NEWER]
    if above == ring(state.levels, 1, 0) or state.count[above] != count:
        if state.links[frame, OLDER] == state.links[frame, NEWER]:  # alone in its bucket
            state.count[bucket] = count
            return
        fresh = new_bucket(state, count)
        push(state.levels, above, fresh)
        above = fresh
    leave(state, frame)
    join(state, above, frame)


@inline_part
def victim(state, slot, at):
    frame = oldest(state.links, closing_of(state, oldest(state.levels, ring(state.levels, 1, 0))))
    leave(state, frame)
    return frame


HOOKS = Hooks(victim, on_hit, on_load)
replay = entry(__name__, HOOKS)
