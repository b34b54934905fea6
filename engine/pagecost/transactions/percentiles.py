"""Which response time a share of the requests to a queue does not exceed, by formula: exact for M/M/c, else a guess."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pagecost.errors import require
from pagecost.transactions.theory import erlang_c, wait_s

HALVINGS = 200


class Kind(NamedTuple):
    """Requests of a kind, a share of all, 0..1. service_s, squared_variation: of their service; delay_s: beside it."""

    share: float
    service_s: float
    squared_variation: float = 1.0
    delay_s: float = 0.0
    waits: bool = True  # for the server; else it is answered before it is served


class Queue(NamedTuple):
    """`servers` that share a queue, first come first served, with Poisson arrivals of several kinds of requests."""

    kinds: Sequence[Kind]
    servers: int = 1

    @property
    def service_s(self) -> float:
        """Mean of all kinds."""
        return sum(kind.share * kind.service_s for kind in self.kinds)

    @property
    def squared_variation(self) -> float:
        """Of the service of all kinds."""
        second_s2 = sum(kind.share * kind.service_s**2 * (1 + kind.squared_variation) for kind in self.kinds)
        return max(second_s2 / self.service_s**2 - 1, 0.0)

    @property
    def capacity_hz(self) -> float:
        """Requests a second at most."""
        return self.servers / self.service_s

    def tail(self, time_s: float, rate_hz: float, of: Sequence[Kind] = ()) -> float:
        """Share of the requests (of these kinds) that take longer than a time [s]; 1 where the queue is full.

        A request waits with Erlang's chance, then for an exponential time that makes the mean wait that of `wait_s`
        (Pollaczek and Khinchine for one server); its service is a constant and an exponential part with the right mean
        and variance, up to a squared variation of 1. Exact for M/M/c (Gross and Harris, Fundamentals of Queueing
        Theory, §2.3); for other services the wait's mean is exact for one server and the tail an approximation.
        """
        require(time_s >= 0, f"a time must not be negative; got {time_s:g} s")
        asked = of or self.kinds
        load = rate_hz * self.service_s
        if load >= self.servers:
            return 1.0
        waits = erlang_c(self.servers, load)
        mean_s = wait_s(rate_hz, self.service_s, self.servers, self.squared_variation)
        each_s = mean_s / waits if waits > 0 else 0.0
        share = sum(kind.share for kind in asked)
        return sum(kind.share / share * _longer(kind, time_s, waits, each_s) for kind in asked)

    def percentile_s(self, share: float, rate_hz: float, of: Sequence[Kind] = ()) -> float:
        """The response time [s] that a share (0 < share < 1) does not exceed; infinite where the queue is full."""
        require(0 < share < 1, f"a percentile's share must lie between 0 and 1; got {share:g}")
        if rate_hz * self.service_s >= self.servers:
            return math.inf
        high = max(kind.service_s + kind.delay_s for kind in self.kinds)
        while self.tail(high, rate_hz, of) > 1 - share:
            high *= 2
        return _halved(0.0, high, lambda time_s: self.tail(time_s, rate_hz, of) > 1 - share)

    def rate_within_hz(self, share: float, within_s: float, of: Sequence[Kind] = ()) -> float:
        """The largest rate [1/s] at which that percentile is within a time [s]; 0 where one alone takes longer."""
        if self.tail(within_s, 0.0, of) > 1 - share:
            return 0.0
        return _halved(0.0, self.capacity_hz, lambda rate_hz: self.tail(within_s, rate_hz, of) <= 1 - share)


def _longer(kind: Kind, time_s: float, waits: float, each_s: float) -> float:
    """Chance that a request of a kind takes longer, if a share of all waits for an exponential time of that mean."""
    if not kind.waits:
        return float(time_s < kind.delay_s)
    varied_s = kind.service_s * math.sqrt(min(max(kind.squared_variation, 0.0), 1.0))
    left_s = time_s - kind.delay_s - (kind.service_s - varied_s)
    if left_s < 0:
        return 1.0
    serving = math.exp(-left_s / varied_s) if varied_s > 0 else 0.0
    if each_s == 0:
        return serving
    waiting = math.exp(-left_s / each_s)
    if abs(each_s - varied_s) < 1e-9 * each_s:
        both = (1 + left_s / each_s) * waiting
    else:
        both = (each_s * waiting - varied_s * serving) / (each_s - varied_s)
    return (1 - waits) * serving + waits * both


def _halved(low: float, high: float, below: Callable[[float], bool]) -> float:
    """Where a condition that holds at low and not at high ends, to the last digit."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if below(middle) else (low, middle)
    return low
