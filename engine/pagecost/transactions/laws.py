"""Laws that hold for every run, whatever is simulated: Little's and the utilisation law (Denning and Buzen 1978)."""

import numpy as np

from pagecost.transactions import machine_kernels as m
from pagecost.transactions import stations_kernels as stations
from pagecost.transactions.calendar_kernels import PAYLOAD_BITS

ROUNDING = 1e-9  # of sums of up to 10^7 times, each rounded to 16 digits


def check_laws(state: m.State, names) -> None:
    """Both laws at every station of a run. Raises AssertionError where one is broken."""
    count, clock = state.stations.count, state.stations.clock
    ahead = _still_to_serve(state, clock[:, stations.CHANGED_S])
    check_stations(names, count, clock, ahead)


def check_stations(names, count: np.ndarray, clock: np.ndarray, ahead_s: np.ndarray) -> None:
    """Raise AssertionError unless, at every station, areas under the curves equal sums over what was served.

    count, clock: a row for each station, with the columns of `stations_kernels` that stand for numbers and times.
    ahead_s: seconds of service that were given out and lie ahead of the station's clock. Little: the integral of the
    number present is the sum of the times present. Utilisation: the integral of the number of busy servers is the sum
    of the service times.
    """
    changed = clock[:, stations.CHANGED_S]
    inside = count[:, stations.BUSY] + count[:, stations.QUEUED]
    area = clock[:, stations.BUSY_AREA_S] + clock[:, stations.QUEUE_AREA_S]
    present = clock[:, stations.DEPARTURES_S] - clock[:, stations.ARRIVALS_S] + inside * changed
    served = clock[:, stations.SERVED_S] - ahead_s
    for i, name in enumerate(names):
        scale = max(1.0, count[i, stations.ARRIVED] * changed[i])
        assert inside[i] == count[i, stations.ARRIVED] - count[i, stations.LEFT], f"{name}: what came was lost"
        assert abs(area[i] - present[i]) <= ROUNDING * scale, f"{name}: Little's law {area[i]} != {present[i]}"
        busy = clock[i, stations.BUSY_AREA_S]
        assert abs(busy - served[i]) <= ROUNDING * scale, f"{name}: utilisation law {busy} != {served[i]}"


def _still_to_serve(state: m.State, changed: np.ndarray) -> np.ndarray:
    """Seconds of service that were given out and lie ahead of the stations' clocks, less what holding has added."""
    ahead = np.zeros(changed.size)
    size = int(state.calendar.count[0])
    jobs = state.calendar.entry[:size] & ((1 << PAYLOAD_BITS) - 1)
    pending = {int(job): time_s for job, time_s in zip(jobs, state.calendar.time_s[:size], strict=True)}
    total = state.job.shape[0]
    for job, time_s in pending.items():
        if job < total and state.job[job, m.STATION] >= 0:
            ahead[state.job[job, m.STATION]] += time_s - changed[state.job[job, m.STATION]]
    for holder in np.flatnonzero(state.job[:, m.HELD]):
        serving_own_instructions = state.job[holder, m.STATION] == m.CPUS
        if not serving_own_instructions:
            ahead[m.CPUS] -= changed[m.CPUS] - state.held_s[holder]
    return ahead
