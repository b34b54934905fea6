"""Which response time a share of the requests to a queue does not exceed, by formula."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagecost.errors import require
from pagecost.transactions.waiting import CELLS_OF_SERVICE, FULLEST, LONGEST, WAITS, Grid, at_random, residual

HALVINGS = 60  # at most, where it ends at 0
SHARP, CLOSE = 1e-9, 1e-3  # of a time and of a rate that are looked for, as a share of it
ROUNDING = 1e-12  # of a time: by so much sums and differences of times miss what they should be


class Kind(NamedTuple):
    """Requests of a kind, a share of all, 0..1. service_s: mean of their service; delay_s: beside it."""

    share: float
    service_s: float
    delay_s: float = 0.0
    waits: bool = True  # for the server; else it is answered before it is served


Tail = Callable[[float], float]


class OpenQueue(ABC):
    """What serves requests that come at random times; its percentiles follow from the tail of its response times."""

    kinds: Sequence[Kind]

    @abstractmethod
    def tail_at(self, rate_hz: float, of: Sequence[Kind] = ()) -> Tail:
        """At a rate that it keeps up with: the share of the requests (of these kinds) that take longer than a time."""

    @property
    def service_s(self) -> float:
        """Mean of all kinds."""
        return sum(kind.share * kind.service_s for kind in self.kinds)

    @property
    def capacity_hz(self) -> float:
        """Requests a second at most."""
        return 1 / self.service_s

    def tail(self, time_s: float, rate_hz: float, of: Sequence[Kind] = ()) -> float:
        """Share of the requests (of these kinds) that take longer than a time [s]; 1 where the queue is full."""
        require(time_s >= 0, f"a time must not be negative; got {time_s:g} s")
        return self.tail_at(rate_hz, of)(time_s) if rate_hz < self.capacity_hz else 1.0

    def percentile_s(self, share: float, rate_hz: float, of: Sequence[Kind] = ()) -> float:
        """The response time [s] that a share (0 < share < 1) does not exceed; infinite where the queue is full."""
        require(0 < share < 1, f"a percentile's share must lie between 0 and 1; got {share:g}")
        if rate_hz >= self.capacity_hz:
            return math.inf
        tail = self.tail_at(rate_hz, of)
        high = max(kind.service_s + kind.delay_s for kind in self.kinds)
        while tail(high) > 1 - share:
            if high == math.inf:  # a grid of times ends somewhere
                return math.inf
            high *= 2
        if tail(0.0) <= 1 - share:
            return 0.0
        return _halved(0.0, high, lambda time_s: tail(time_s) > 1 - share, SHARP)[1]

    def rate_within_hz(self, share: float, within_s: float, of: Sequence[Kind] = ()) -> float:
        """The largest rate [1/s] at which that percentile is within a time [s]; 0 where one alone takes longer."""
        if self.tail(within_s, 0.0, of) > 1 - share:
            return 0.0
        return _halved(0.0, self.capacity_hz, lambda rate_hz: self.tail(within_s, rate_hz, of) <= 1 - share, CLOSE)[0]


@dataclass(frozen=True, eq=False)
class Server(OpenQueue):
    """One server, first come first served (M/G/1), with Poisson arrivals of several kinds of requests.

    services: of each kind, in their order, service times [s] that are all equally likely, shape (n,). Exact (Pollaczek
    and Khinchine) but for the grid of times that waits are computed on: no response is shorter than its service.
    """

    kinds: Sequence[Kind]
    services: Sequence[np.ndarray]

    def tail_at(self, rate_hz: float, of: Sequence[Kind] = ()) -> Tail:
        load = min(rate_hz * self.service_s, FULLEST)
        asked = [(kind, times_s) for kind, times_s in zip(self.kinds, self.services, strict=True) if kind.share]
        times_s = np.concatenate([times_s for _, times_s in asked])
        chances = np.concatenate([np.full(times_s.size, kind.share / times_s.size) for kind, times_s in asked])
        second_s2 = float((chances * times_s**2).sum())
        reach_s = LONGEST * float(times_s.max()) + WAITS * second_s2 / self.service_s / 2 / (1 - load)
        shortest_s = min(kind.service_s for kind, _ in asked if kind.service_s)  # what a mean of all would hide
        grid = Grid.reaching(reach_s, finest_s=shortest_s / CELLS_OF_SERVICE)
        wait = grid.within(at_random(load, grid.transform(residual(grid, times_s, chances))))
        asked = [(kind, times_s) for kind, times_s in asked if kind in (of or self.kinds)]
        share = sum(kind.share for kind, _ in asked)

        def longer(time_s: float) -> float:
            tail = 0.0
            for kind, times_s in asked:
                left_s = time_s - kind.delay_s - times_s
                left_s[np.abs(left_s) <= ROUNDING * time_s] = 0.0  # its own service and no wait
                tail += kind.share / share * float(1 - wait(left_s).mean())
            return tail

        return longer


def _halved(low: float, high: float, below: Callable[[float], bool], closeness: float) -> tuple[float, float]:
    """(last where it holds, first where not) of a condition that holds at low and not at high, close to each other."""
    for _ in range(HALVINGS):
        if high - low <= closeness * low:
            break
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return low, high
