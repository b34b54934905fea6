"""Stations: first come, first served, with several servers, and what Little's and the utilisation law need."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part
from pagecost.transactions.calendar_kernels import push

NOBODY = -1
SERVERS, BUSY, QUEUED, HEAD, TAIL, ARRIVED, LEFT = range(7)  # columns of Stations.count
CHANGED_S, BUSY_AREA_S, QUEUE_AREA_S, ARRIVALS_S, DEPARTURES_S, SERVED_S = range(6)  # columns of Stations.clock
COUNTS, CLOCKS = 7, 6


class Stations(NamedTuple):
    """Jobs are numbers; a job stands at most at one station at a time."""

    count: np.ndarray  # int64[stations, COUNTS]
    clock: np.ndarray  # float64[stations, CLOCKS]; areas: integrals over time of busy servers and of waiting jobs
    behind: np.ndarray  # int64[jobs]: next in the queue
    service_s: np.ndarray  # float64[jobs]: what a waiting job asks for
    since_s: np.ndarray  # float64[jobs]: when the phase began that the job is in
    spent_s: np.ndarray  # float64[jobs, terms]: terms 2 i and 2 i + 1 are waiting and service at station i


def new_stations(servers, jobs: int, more_terms: int = 0) -> Stations:
    """Empty stations with the given numbers of servers."""
    count = np.zeros((len(servers), COUNTS), np.int64)
    count[:, SERVERS] = servers
    count[:, HEAD] = count[:, TAIL] = NOBODY
    return Stations(
        count,
        np.zeros((len(servers), CLOCKS)),
        np.full(jobs, NOBODY, np.int64),
        np.zeros(jobs),
        np.zeros(jobs),
        np.zeros((jobs, 2 * len(servers) + more_terms)),
    )


@lean_part
def _advance_clock(stations, station, now_s):
    """Add the time that passed, times what was busy and queued, to the areas of a station."""
    clock = stations.clock
    count = stations.count
    passed_s = now_s - clock[station, CHANGED_S]
    clock[station, CHANGED_S] = now_s
    clock[station, BUSY_AREA_S] += count[station, BUSY] * passed_s
    clock[station, QUEUE_AREA_S] += count[station, QUEUED] * passed_s


@lean_part
def spend(stations, job, term, now_s):
    """The phase of a job ends: book its time under `term`, and begin the next."""
    stations.spent_s[job, term] += now_s - stations.since_s[job]
    stations.since_s[job] = now_s


@lean_part
def _start(stations, calendar, station, job, service_s, now_s):
    """A server of the station begins with a job, which is done after `service_s`."""
    spend(stations, job, 2 * station, now_s)
    stations.clock[station, SERVED_S] += service_s
    push(calendar, now_s + service_s, job)


@lean_part
def join(stations, calendar, station, job, service_s, now_s):
    """A job asks for service; an event with its number comes when the service is over."""
    count = stations.count
    _advance_clock(stations, station, now_s)
    count[station, ARRIVED] += 1
    stations.clock[station, ARRIVALS_S] += now_s
    stations.since_s[job] = now_s
    if count[station, BUSY] < count[station, SERVERS]:
        count[station, BUSY] += 1
        _start(stations, calendar, station, job, service_s, now_s)
        return
    stations.service_s[job] = service_s
    stations.behind[job] = NOBODY
    if count[station, TAIL] == NOBODY:
        count[station, HEAD] = job
    else:
        stations.behind[count[station, TAIL]] = job
    count[station, TAIL] = job
    count[station, QUEUED] += 1


@lean_part
def leave(stations, calendar, station, now_s):
    """A server becomes free; the first of the queue takes it."""
    count = stations.count
    _advance_clock(stations, station, now_s)
    count[station, LEFT] += 1
    stations.clock[station, DEPARTURES_S] += now_s
    job = count[station, HEAD]
    if job == NOBODY:
        count[station, BUSY] -= 1
        return
    count[station, HEAD] = stations.behind[job]
    if count[station, HEAD] == NOBODY:
        count[station, TAIL] = NOBODY
    count[station, QUEUED] -= 1
    _start(stations, calendar, station, job, stations.service_s[job], now_s)
