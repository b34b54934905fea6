"""Laws that hold at every station of every run: Little's and the utilisation law (Denning and Buzen 1978)."""

import numpy as np

from pagecost.oltp import machine_kernels as m
from pagecost.oltp import queues_kernels as q
from pagecost.transactions import stations_kernels as stations
from pagecost.transactions.calendar_kernels import PAYLOAD_BITS
from pagecost.transactions.laws import check_stations


def check_laws(state: m.State, names) -> None:
    """Both laws at the processors and at every device of a run. Raises AssertionError where one is broken."""
    unit = state.queues.unit
    clock = np.concatenate([state.stations.clock, state.queues.clock[:, : q.WAIT_UNTIL_S]])
    devices = np.zeros((unit.shape[0], state.stations.count.shape[1]), np.int64)
    of_station = [stations.BUSY, stations.QUEUED, stations.ARRIVED, stations.LEFT]
    devices[:, of_station] = unit[:, [q.BUSY, q.WAITING, q.ARRIVED, q.LEFT]]
    devices[:, stations.QUEUED] += unit[:, q.STALLED]
    count = np.concatenate([state.stations.count, devices])
    check_stations(names, count, clock, _still_to_serve(state, clock[:, stations.CHANGED_S]))


def _still_to_serve(state: m.State, changed: np.ndarray) -> np.ndarray:
    """Seconds of service that were given out and lie ahead of the stations' clocks."""
    ahead = np.zeros(changed.size)
    size = int(state.calendar.count[0])
    events = state.calendar.entry[:size] & ((1 << PAYLOAD_BITS) - 1)
    jobs, devices = state.core.job.shape[0], state.queues.unit.shape[0]
    first_request = jobs + 2 * devices + m.TIMERS
    for event, time_s in zip(events.tolist(), state.calendar.time_s[:size].tolist(), strict=True):
        station = -1
        if event < jobs and not state.core.job[event, m.THINKING]:
            station = 0
        elif jobs <= event < jobs + devices:
            station = 1 + event - jobs
        elif event >= first_request and state.queues.request[event - first_request, q.HOLDS]:
            station = 1 + int(state.queues.request[event - first_request, q.DEVICE])
        if station >= 0:
            ahead[station] += time_s - changed[station]
    return ahead
