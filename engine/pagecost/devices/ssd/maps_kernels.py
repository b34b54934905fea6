"""Requests to all dies sorted by die and back, so that each die's translation layer sees its own in order."""

import numpy as np

from pagecost._jit import lean_kernel
from pagecost.devices.ftl.page_map_kernels import READ


@lean_kernel
def sort_by_die(first, write, units, start, place, sorted_requests):
    """Counting sort of all units of requests by die (first + unit modulo dies).

    start: int64[dies + 1], zero on entry, then where each die's units begin. place: int64[requests * units], where
    each unit went. sorted_requests: uint32, the unit's number on its die, READ added for reads.
    """
    dies = np.uint32(start.size - 1)
    for i in range(first.size):
        for unit in range(units):
            start[(first[i] + np.uint32(unit)) % dies + 1] += 1
    for die in range(1, start.size):
        start[die] += start[die - 1]
    at = 0
    for i in range(first.size):
        flag = np.uint32(0) if write[i] else READ
        for unit in range(units):
            whole = first[i] + np.uint32(unit)
            on_die = whole // dies
            die = whole - on_die * dies
            to = start[die]
            start[die] = to + 1
            place[at] = to
            sorted_requests[to] = on_die | flag
            at += 1
    for die in range(start.size - 1, 0, -1):
        start[die] = start[die - 1]
    start[0] = 0


@lean_kernel
def sort_back(place, blame, sorted_blame):
    """blame[row, i] = sorted_blame[row, place[i]]."""
    for row in range(blame.shape[0]):
        for i in range(place.size):
            blame[row, i] = sorted_blame[row, place[i]]


@lean_kernel
def spread(debt, horizon, writes_per_block, request_is_read, blame):
    """Pay for a collection little by little: its copies with the host writes that it makes room for, its erase at last.

    Of one die. debt: int64[3], programs, reads and erases not yet done; horizon: int64[1], writes until the room is
    used up; blame: uint32[3, n], changed. Nothing gets lost: what is not paid stays in `debt`.
    """
    for i in range(request_is_read.size):
        if request_is_read[i]:
            continue
        if blame[2, i] > 0:
            for row in range(3):
                debt[row] += blame[row, i]
            horizon[0] = max(writes_per_block * np.int64(blame[2, i]) - np.int64(blame[0, i]), 1)
        for row in range(2):
            paid = (debt[row] + horizon[0] - 1) // horizon[0] if debt[row] > 0 else 0
            blame[row, i] = paid
            debt[row] -= paid
        blame[2, i] = 0
        if horizon[0] == 1:
            blame[2, i] = debt[2]
            debt[2] = 0
        else:
            horizon[0] -= 1
