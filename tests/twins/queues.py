"""Response times of M/M/c written out (Gross and Harris, Fundamentals of Queueing Theory, 1998, 2.3)."""

import math


def longer(time_s: float, rate_hz: float, service_s: float, servers: int = 1) -> float:
    """Share of the customers that take longer than a time."""
    load = rate_hz * service_s
    weights = [load**k / math.factorial(k) for k in range(servers)]
    full = load**servers / math.factorial(servers) * servers / (servers - load)
    waits = full / (sum(weights) + full)
    gap = servers - load - 1
    passed = time_s / service_s
    waited = -math.expm1(-gap * passed) / gap if gap else passed
    return math.exp(-passed) * (1 + waits * waited)


def percentile_s(share: float, rate_hz: float, service_s: float, servers: int) -> float:
    """What a share of them does not exceed, by halving."""
    low, high = 0.0, 1e3 * service_s
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if longer(middle, rate_hz, service_s, servers) > 1 - share else (low, middle)
    return low


def rate_within_hz(share: float, within_s: float, service_s: float) -> float:
    """The largest rate of M/M/1 with which a share is within a time: the response is exponential."""
    return (1 - math.log(1 / (1 - share)) * service_s / within_s) / service_s
