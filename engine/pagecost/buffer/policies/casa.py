"""CASA: a clean and a dirty list, and a target between them that moves with hits, weighted by the cost of each."""

import numpy as np

from pagecost.buffer.policies.casa_kernels import CLEAN, DIRTY, State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.lists_kernels import new_lists, newest_first
from pagecost.registry import Parameter


def start(case):
    frames = case.frames.page_in.size
    ratio = case.options["write_cost"]
    return State(
        links=new_lists(frames, 2),
        list_of=np.zeros(frames, np.uint8),
        sizes=np.zeros(2, np.int64),
        target=np.array([frames / 2]),
        costs=np.array([1, ratio]) / (1 + ratio),
        reason=np.zeros(1, np.int64),
    )


def describe(pool, state):
    lists = {
        title: [(int(pool.page_in[frame]), "") for frame in newest_first(state.links, pool.page_in.size + which)]
        for title, which in (("dirty list", DIRTY), ("clean list", CLEAN))
    }
    return Picture(lists, {}, {"target of the clean list": float(state.target[0])})


REASONS = (
    "the clean list is over its target: its least recently used page leaves",
    "the clean list is within its target: the least recently used dirty page leaves",
)
PARAMETERS = (Parameter("write_cost", 8.0, 0.0, 1e6, "cost of writing a page in reads"),)
POLICY = Policy("casa", "CASA", start, replay, "Ou and Härder 2010", describe, REASONS, PARAMETERS, flash_aware=True)
