"""What each die, channel and the host interface of an SSD does when, told by its own kernels run as plain Python."""

from typing import NamedTuple

import numpy as np

from pagecost.devices.ssd import dies_kernels, queue_kernels, requests_kernels
from pagecost.devices.ssd import state_kernels as kernels
from pagecost.devices.ssd.model import Ssd
from pagecost.errors import require
from pagecost.interpreted import Interpreter

INTERFACE, CELLS, CHANNEL = "host interface", "cells", "channel"
MOST_REQUESTS, MOST_OUTSTANDING = 64, 256


class Span(NamedTuple):
    """What is busy from start to end [s]. die: whose cells or transfer; -1 for the host interface."""

    what: str
    die: int
    start_s: float
    end_s: float


class Told(NamedTuple):
    """What was busy when, in the order in which it was decided, and when the last request was answered [s]."""

    spans: tuple[Span, ...]
    end_s: float

    def busy_share(self, what: str, of: int = 1) -> float:
        """Of the time, for `of` alike."""
        return sum(span.end_s - span.start_s for span in self.spans if span.what == what) / of / self.end_s


def reads(ssd: Ssd, depth: int, count: int, seed: int = 1) -> Told:
    """So many random reads of a unit, `depth` outstanding at all times, from an idle drive.

    Raises ModelError for other than 1 .. 64 reads, or 1 .. 256 outstanding.
    """
    require(1 <= count <= MOST_REQUESTS, f"{ssd.name}: 1..{MOST_REQUESTS} reads can be told one by one; got {count}")
    require(1 <= depth <= MOST_OUTSTANDING, f"{ssd.name}: a queue depth must be 1..{MOST_OUTSTANDING}; got {depth}")
    spans: list[Span] = []

    def interface(made):
        def heard(params, state):
            waited, end = made(params, state)
            spans.append(Span(INTERFACE, -1, end - params.interface_s, end))
            return waited, end

        return heard

    def channel(made):
        def heard(state, die, seconds):
            waited, end = made(state, die, seconds)
            spans.append(Span(CHANNEL, int(die), end - seconds, end))
            return waited, end

        return heard

    def event(made):
        def heard(state, die, phase, when):
            if phase == kernels.READ:
                spans.append(Span(CELLS, int(die), float(state.clock[kernels.NOW]), float(when)))
            return made(state, die, phase, when)

        return heard

    listening = Interpreter(
        {
            requests_kernels.over_interface: interface,
            dies_kernels.over_channel: channel,
            dies_kernels.at: event,
        }
    )
    first = np.random.default_rng(seed).integers(0, ssd.logical_units, count).astype(np.uint32)
    nothing = np.zeros((count, 1), np.uint32)  # a read is to blame for nothing
    stream = kernels.Stream(first, np.zeros(count, np.uint8), np.zeros(0), nothing, nothing, nothing)
    state = kernels.new_state(ssd.dies, ssd.channels // ssd.lockstep, depth, 1)
    params = ssd.params(ssd.unit_bytes, depth, True, True)
    listening.entry(queue_kernels.serve)(
        params, stream, state, np.empty(count + depth), np.empty(count + depth, np.int64)
    )
    return Told(tuple(spans), float(state.clock[kernels.NOW]))
