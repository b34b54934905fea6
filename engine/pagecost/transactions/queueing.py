"""One open station, and a closed central-server network: where the event loop meets exact theory."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pagecost.errors import known, require
from pagecost.transactions import queueing_kernels as kernels
from pagecost.transactions.calendar_kernels import PAYLOAD_BITS, Calendar, new_calendar
from pagecost.transactions.parameters import LAWS
from pagecost.transactions.random_kernels import new_streams
from pagecost.transactions.stations_kernels import BUSY_AREA_S, new_stations

ROOM = 20_000  # customers at an open station before it counts as overloaded


def open_station(
    rate_hz: float,
    service_s: float,
    *,
    servers: int = 1,
    law: str = "exponential",
    samples: Sequence[float] = (1.0,),
    customers: int = 100_000,
    warm_up: int = 10_000,
    seed: int = 1,
) -> np.ndarray:
    """Response times [s] of the customers after the warm-up, by completion; Poisson arrivals, first come first served.

    law: constant, exponential, or sampled from `samples` with mean 1. Raises ModelError if the queue grows without end,
    and for numbers that no station has.
    """
    known("distribution", law, LAWS)
    require(rate_hz > 0, f"the arrival rate must be positive; got {rate_hz}")
    require(service_s >= 0, f"a service must not take less than 0 s; got {service_s}")
    require(servers >= 1, f"a station needs at least one server; got {servers}")
    require(len(samples) >= 1, "a sampled distribution needs a sample; got none")
    require(customers >= 1, f"at least one customer must be counted; got {customers}")
    require(warm_up >= 0, f"the customers of the warm-up must not be negative; got {warm_up}")
    out = np.empty(customers + warm_up)
    done = kernels.run_open(
        new_calendar(servers + 1),
        new_stations([servers], ROOM),
        np.append(np.arange(ROOM), ROOM),
        new_streams(seed),
        np.zeros(2),
        rate_hz,
        service_s,
        LAWS.index(law),
        np.asarray(samples, float),
        out,
    )
    require(done == out.size, f"{rate_hz:g} customers/s of {service_s:g} s are too many for {servers} servers")
    return out[warm_up:]


@dataclass(frozen=True)
class Closed:
    """What a closed network did: interactions per second, their mean response [s], utilisation of each station."""

    rate_hz: float
    response_s: float
    utilisation: np.ndarray
    interactions: int


def central_server(
    terminals: int,
    think_s: float,
    servers: Sequence[int],
    mean_s: Sequence[float],
    chance: Sequence[float],
    *,
    services: int = 200_000,
    seed: int = 1,
) -> Closed:
    """Terminals think, then visit station 0; after it, station i with chance[i - 1], or they think again.

    Exponential service times of mean mean_s[i] at servers[i] servers. Raises ModelError for numbers that none has.
    """
    require(terminals >= 1, f"a closed network needs a terminal; got {terminals}")
    require(0 <= think_s < math.inf, f"the think time must be finite and not negative; got {think_s}")
    require(
        len(servers) == len(mean_s) == len(chance) + 1,
        f"every station needs servers and a mean, all but the first a chance; got {len(servers)}, {len(mean_s)} and "
        f"{len(chance)}",
    )
    require(min(servers) >= 1, f"a station needs at least one server; got {min(servers)}")
    require(min(mean_s) >= 0, f"a service must not take less than 0 s; got {min(mean_s)}")
    require(min(chance, default=0) >= 0, f"a chance must not be negative; got {min(chance, default=0)}")
    require(sum(chance) < 1, f"the chances must leave some to go back to thinking; got {sum(chance):g}")
    stations = new_stations(servers, terminals)
    think = np.sort(np.random.default_rng((seed, 9)).exponential(think_s, terminals))
    room = terminals + 1
    calendar = Calendar(np.zeros(room), np.zeros(room, np.int64), np.array([terminals, terminals]))
    calendar.time_s[:terminals] = think
    calendar.entry[:terminals] = (np.arange(1, room) << PAYLOAD_BITS) | np.arange(terminals)
    at, states, clock = np.full(terminals, -1, np.int64), new_streams(seed), np.zeros(3)
    routes = np.cumsum([0.0, *chance])
    means = np.asarray(mean_s, float)
    kernels.run_closed(calendar, stations, at, states, clock, think_s, means, routes, services // 10)
    was, busy = clock.copy(), stations.clock[:, BUSY_AREA_S].copy()
    kernels.run_closed(calendar, stations, at, states, clock, think_s, means, routes, services)
    seconds, interactions = clock[0] - was[0], clock[1] - was[1]
    utilisation = (stations.clock[:, BUSY_AREA_S] - busy) / seconds / np.asarray(servers)
    return Closed(interactions / seconds, (clock[2] - was[2]) / interactions, utilisation, int(interactions))
