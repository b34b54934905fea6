"""Waits before servers, for many plans at once: exact or known formulas on arrays with one entry per plan."""

from math import inf
from typing import NamedTuple

import numpy as np

Array = np.ndarray


class Wait(NamedTuple):
    """busy: of a server; mean and variance of a wait [s]; write_s: what a write takes then."""

    busy: Array
    wait_s: Array
    wait_variance: Array
    write_s: Array


def erlang_c(servers: Array, load: Array) -> Array:
    """Chance of a wait in M/M/c, from the Poisson distribution: vectorised, nothing overflows; 1 where full."""
    from scipy.special import gammaincc, gammaln  # late: every command imports this file, few come here

    servers, load = np.asarray(servers, float), np.asarray(load, float)
    idle = load <= 0
    safe = np.where(idle, 1.0, load)
    blocked = np.exp(servers * np.log(safe) - safe - gammaln(servers + 1)) / gammaincc(servers + 1, safe)
    full = safe / servers
    waits = np.where(full < 1, blocked / (1 - full * (1 - blocked)), 1.0)
    return np.where(idle, 0.0, waits)


def servers_wait(rate_hz: Array, service_s: Array, servers: Array, variation: Array):
    """M/G/c by Allen and Cunneen; of M/M/c and M/G/1 it is exact. From a busy share of 1 on the wait is inf.

    rate_hz [1/s] of all servers together; variation: squared coefficient of variation of a service.
    """
    load = rate_hz * service_s
    busy = load / servers
    chance = erlang_c(servers, load)
    wait = np.where(busy < 1, chance * service_s / (servers - load) * (1 + variation) / 2, inf)
    # who waits, waits about exponentially long: E[W^2] = 2 W^2 / chance
    variance = np.where(chance > 0, wait**2 * (2 / np.where(chance > 0, chance, 1) - 1), 0.0)
    return Wait(busy, wait, variance, np.zeros_like(wait))


def in_line_again(busy: Array, share: Array, variation: Array) -> tuple[Array, Array]:
    """How many times as long accesses wait of which a share comes back at once, as who has read what is old does to
    write: all that come, beside M/G/1 of as many at random; and those that come back, beside all that come.

    Exact for one server and equal services (Takács 1963, by mean values): who comes waits for what is served and all
    that stand in line, who comes back for all that came while he was there, and for those before him that came back.
    With several servers it is taken for the ratio all the same. busy: of a server, 0..1. share: of all accesses, those
    after which one comes back, 0..0.5. variation: squared coefficient of variation of a service. All of one shape, as
    are the two factors that come out; both 1 where nobody comes back.
    """
    alone = busy * (1 + variation) / 2  # of a service, as are all these
    come = (alone + busy**2 * share) / (1 - busy * (1 - share) - busy**2 * share)
    back = busy * (come + 1)
    returns = (share > 0) & (busy > 0) & (busy < 1)
    return np.where(returns, come * (1 - busy) / alone, 1.0), np.where(returns, back / come, 1.0)


def feedback_variation(variation: Array, share: Array) -> Array:
    """Squared variation of services that makes M/G/1 of requests at random wait as long as requests of which a share
    stands in line again at once, as a transaction does that reads one page after the other.

    All services of who comes back make one of geometrically many, and the number in line is that of M/G/1 of those
    (exact for independent services: the line does not know in which order it is served). share: 0..1, of one shape
    with variation.
    """
    return share + (1 - share) * variation


def visits_wait_variance(count: Array, variance: Array, devices: Array, stays: Array) -> Array:
    """Variance [s^2] of all waits of who comes so many times, one after the other, to equal devices with a queue each.

    While he stays, nearly the same others are there, spread over the devices anew at each visit: of the variance of a
    wait [s^2] the part 1 / devices is common to his waits, as long as the number of others stays what it is. stays:
    how long he does, over the time in which that number is forgotten; the factor is that of a processor shared by all
    (M/M/1-PS, Ott 1984). count: a mean, at least 0. Of shapes that go together.
    """
    stays = np.maximum(stays, 1e-6)
    common = np.where(stays > 1e-3, 2 * (stays + np.expm1(-stays)) / stays**2, 1.0)
    return variance * count * (1 + (np.maximum(count, 1) * common - 1) / devices)


def writer_wait(rate_hz: Array, write_s: Array, variance: Array) -> tuple[Array, Array]:
    """Mean [s] and variance [s^2] of the wait for a writer who writes one at a time, of requests at random: M/G/1.

    write_s, variance: of what one write takes. From a busy share of 1 on both are inf.
    """
    busy = rate_hz * write_s
    wait = np.where(busy < 1, rate_hz * (write_s**2 + variance) / 2 / np.where(busy < 1, 1 - busy, 1), inf)
    return wait, np.where((busy > 0) & (busy < 1), wait**2 * (2 / np.where(busy > 0, busy, 1) - 1), 0.0)


def writer_utilisation(rate_hz: Array, write_s: Array, wait_s: Array, busy: Array) -> Array:
    """How full a writer is: the rate over the one at which he would never rest, 0 where nothing is written.

    Each write takes write_s and waits for a device, wait_s now, which is busy as said by others whose rate
    grows alike: a wait of busy / (1 - busy), as in M/G/1, from which the rate follows in closed form. Where the device
    is full already, and nobody knows how its waits would grow, he is as full as it is.
    """
    alone = rate_hz * write_s
    grows = (busy < 1) & np.isfinite(wait_s)
    queued = rate_hz * np.where(grows, wait_s * (1 - busy), 0.0)
    # u (alone + queued u / (1 - busy u)) = 1 of a rate u times as high
    square, linear = queued - alone * busy, alone + busy
    root = (linear + np.sqrt(np.maximum(linear**2 + 4 * square, 0))) / 2
    return np.where(rate_hz > 0, np.where(grows, root, np.maximum(alone, busy)), 0.0)


def longest_wait_beyond(of: Wait, together: Array) -> Array:
    """What the longest of so many waits takes beyond the mean of one [s]: a wait is none with chance 1 - busy, else
    exponential (M/M/1), and those of several devices do not know of each other. together: 0..3; of 1 and less nothing.
    """
    busy = np.minimum(of.busy, 1)
    factors = [0.0, 0.0, 1 - busy / 2, 2 - 1.5 * busy + busy**2 / 3]
    return np.where(of.busy < 1, of.wait_s, 0) * np.choose(np.asarray(together, int), factors)


def most_of(requests: Array, places: Array) -> Array:
    """Requests at the place that gets most of so many at random: their mean, and as many deviations above it as the
    largest of so many normal numbers (Blom 1958).

    requests: a mean, at least 0. places: at least 1. Of one shape. From five for each place on it is within 8 % of what
    is drawn, below up to 18 % too few.
    """
    from scipy.special import ndtri  # late: every command imports this file, few come here

    mean = requests / places
    return mean + np.sqrt(mean * (1 - 1 / places)) * ndtri((places - 0.375) / (places + 0.25))


def spared_turn_s(logs_hz: Array, behind_s: Array, turn_s: Array) -> Array:
    """What a log write waits less than a whole turn of the platter, in the mean.

    One behind another waits it all, for its place has just passed. One that finds the log idle comes at a random time
    (exponential), and its place is on the way.
    """
    idle = 1 - np.minimum(logs_hz * behind_s, 1)
    writes = np.maximum(logs_hz * turn_s, 1e-6)  # in a turn; not 0, where it is half a turn by its limit
    return idle * turn_s * (1 / writes - 1 / np.expm1(writes))


def mixed(share: Array, one: Wait, other: Wait) -> Wait:
    """Waits of which this share is of the one kind."""
    rest = np.where(share < 1, 1 - share, 0.0)
    others = np.where(rest > 0, other.wait_s, 0.0)
    mean = share * one.wait_s + rest * others
    second = share * (one.wait_variance + one.wait_s**2) + rest * (other.wait_variance + others**2)
    return one._replace(wait_s=mean, wait_variance=np.maximum(second - mean**2, 0))


def log_writes_hz(committed_hz: float, write_s: Array, group_size: int, size: int) -> Array:
    """Writes of the log a second. One per commit; where commits gather, those that come during a write share the next.

    A write that takes t s is followed by one with all that came, or else the next commit begins one: of X commits a
    second X t + exp(-X t) go with a write (a queue served in bulk, constant times), group_size at most.
    """
    if group_size == 1:
        return np.full(size, committed_hz)
    came = committed_hz * write_s
    together = np.minimum(came + np.exp(-came), group_size)
    return np.where(np.isfinite(came), committed_hz / together, committed_hz / group_size)


def for_writer(group_size: int, logs_hz: Array, each_s: Array, variance: Array) -> tuple[Array, Array]:
    """Mean [s] and variance [s^2] of a commit's wait for the log's writer, who takes each_s for a write."""
    if group_size == 1:
        return writer_wait(logs_hz, each_s, variance)
    writing = np.minimum(logs_hz * each_s, 1)  # of the time, in which who comes waits evenly long for the next write
    return writing * each_s / 2, each_s**2 * (writing / 3 - writing**2 / 4)
