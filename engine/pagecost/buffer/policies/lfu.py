"""Least frequently used, counted while in the buffer: pages of equal count share a bucket, itself in order of use."""

import numpy as np

from pagecost.buffer.policies.lfu_kernels import State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first


def start(case):
    frames = case.frames.page_in.size
    buckets = frames + 1
    spare = np.arange(buckets, -1, -1).astype(np.uint32)
    spare[0] = buckets
    levels = new_lists(buckets, 1)
    return State(
        links=new_lists(frames, buckets),
        levels=levels,
        bucket_of=np.zeros(frames, np.uint32),
        count=np.zeros(buckets, np.int64),
        spare=spare,
    )


def describe(pool, state):
    buckets = newest_first(state.levels, state.count.size)
    pages = [
        (int(pool.page_in[frame]), f"{state.count[bucket]} x")
        for bucket in buckets
        for frame in newest_first(state.links, pool.page_in.size + bucket)
    ]
    return Picture({"by count": pages}, {}, {})


REASONS = ("it has the fewest uses since it was loaded, the oldest of those",)
POLICY = Policy("lfu", "LFU", start, replay, "in-cache counts, ties by recency", describe, REASONS)
