"""W-TinyLFU: a page leaves a small window for the main lists only if it was used more often than their victim."""

import numpy as np

from pagecost.buffer.policies.w_tinylfu_kernels import PROBATION, PROTECTED, ROWS, USES_PER_FRAME, WINDOW, State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first
from pagecost.registry import Parameter


def start(case):
    frames = case.frames.page_in.size
    window = max(1, int(frames * case.options["window"]))
    return State(
        links=new_lists(frames, 3),
        page_in=case.frames.page_in,
        list_of=np.zeros(frames, np.uint8),
        sizes=np.zeros(3, np.int64),
        limits=np.array([window, 0, int((frames - window) * case.options["protected"])]),
        counters=np.zeros((ROWS, max(64, 1 << (frames - 1).bit_length())), np.uint8),
        uses=np.array([0, USES_PER_FRAME * frames]),
        reason=np.zeros(1, np.int64),
    )


def describe(pool, state):
    lists = {
        title: [(int(pool.page_in[frame]), "") for frame in newest_first(state.links, pool.page_in.size + which)]
        for title, which in (("protected", PROTECTED), ("probation", PROBATION), ("window", WINDOW))
    }
    return Picture(lists, {}, {"uses until the counters are halved": int(state.uses[1] - state.uses[0])})


REASONS = (
    "it left the window and was not used more often than the oldest page on probation, or protected if none is",
    "the page that left the window was used more often than this one, the oldest on probation, or protected if none is",
    "it left the window, and there is no other list with a page",
)
PARAMETERS = (
    Parameter("window", 0.01, 0.0, 1.0, "share of the frames, at least one, for the window"),
    Parameter("protected", 0.8, 0.0, 1.0, "share of the main lists that is protected"),
)


SOURCE = "Einziger, Friedman and Manes 2017"


POLICY = Policy("w-tinylfu", "W-TinyLFU", start, replay, SOURCE, describe, REASONS, PARAMETERS)
