"""Processes that share a disk: who asks again only when it was answered, and who fills the queue.

A process reads or writes its own list of places. `outstanding` requests of it are in the queue; when one is done, the
next comes after its pause. The host's scheduler picks, as in `queue_kernels`; requests that touch may be merged; an
anticipatory one may let the disk stand still for the process it has just served.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import kernel, part, template
from pagecost.devices.disk.mechanics_kernels import Place, across_tracks, position
from pagecost.devices.disk.queue_kernels import (
    ANGLE,
    ARRIVAL,
    AT_CYLINDER,
    AT_HEAD,
    AT_LBN,
    CYLINDER,
    HEAD,
    LBN,
    SECTOR,
    SECTORS,
    SLOT_ROWS,
    WAITING,
    WRITE,
    ZONE,
    next_upwards,
    oldest,
    oldest_of,
    put,
)

NEXT, LAST_LBN, FINISHED, MOVED, PLACES = range(5)
"""Rows of Crowd.state: next place, end of the last request, done, sectors, how many places its list has."""
PAUSE, GAP, RESPONSE = range(3)  # rows of Crowd.pace: its pause, how far it goes on average [sectors], its responses
IDLE_S, WAITS, WON, MERGED, BATCH = range(5)  # places in Crowd.totals; BATCH: writes left of a batch that was overdue
OLD = 0.875  # weight of the past in the average
WRITE_DUE_S, BATCH_OF = 5.0, 16  # as Linux 2.6 had them: the due time of a write, the size of a batch
FAR = 2048.0  # sectors: who goes further than this on average is not waited for


class Crowd(NamedTuple):
    """The processes. place[p]: their lists, used round and round, each as long as state[PLACES, p] says; due[p, k]:
    when the k-th of the requests that may be outstanding comes, inf while it is in the queue.
    """

    place: np.ndarray  # int64[processes, places]
    sectors: np.ndarray  # int64[processes]
    write: np.ndarray  # int64[processes]
    due: np.ndarray  # float64[processes, outstanding]
    state: np.ndarray  # int64[5, processes]
    pace: np.ndarray  # float64[3, processes]
    totals: np.ndarray  # float64[5]
    owner: np.ndarray  # int64[2, depth]: process and how many requests were merged, of each slot of the queue


@part
def first_due(crowd):
    """(when, process, which) of the request that comes next."""
    best_s, best_process, best_which = np.inf, -1, -1
    for process in range(crowd.due.shape[0]):
        for which in range(crowd.due.shape[1]):
            if crowd.due[process, which] < best_s:
                best_s, best_process, best_which = crowd.due[process, which], process, which
    return best_s, best_process, best_which


@part
def admit(disk, queue, crowd, now_s, merge):
    """Take all requests that have come by now into the queue."""
    slot, counts = queue.slot, queue.counts
    while True:
        came_s, process, which = first_due(crowd)
        if came_s > now_s:
            return
        crowd.due[process, which] = np.inf
        state = crowd.state
        lbn = crowd.place[process, state[NEXT, process] % state[PLACES, process]]
        sectors = crowd.sectors[process]
        state[NEXT, process] += 1
        joined = False
        if merge:
            for at in range(counts[WAITING]):
                same = crowd.owner[0, at] == process
                if same and slot[LBN, at] + slot[SECTORS, at] == lbn and slot[SECTORS, at] + sectors <= merge:
                    slot[SECTORS, at] += sectors
                    crowd.owner[1, at] += 1
                    crowd.totals[MERGED] += 1
                    joined = True
                    break
        if not joined:
            at = counts[WAITING]
            put(disk, queue, at, state[NEXT].sum(), came_s, lbn, sectors, crowd.write[process])
            crowd.owner[0, at] = process
            crowd.owner[1, at] = 1
            counts[WAITING] += 1


@part
def worth_waiting(crowd, process, wait_s):
    """Whether a process that reads is likely to ask again soon, and near: the test of Iyer and Druschel 2001."""
    if wait_s <= 0 or crowd.write[process] == 1:
        return False
    return crowd.pace[PAUSE, process] <= wait_s and crowd.pace[GAP, process] <= FAR


@part
def is_waiting(queue, crowd, process):
    """Whether a request of the process is in the queue."""
    found = False
    for at in range(queue.counts[WAITING]):
        found = found or crowd.owner[0, at] == process
    return found


@template
def serve_crowd(disk, queue, crowd, now_s, until_s, merge, wait_s, pick):
    """Serve until a time; returns the time reached, later only by the request that is under way.

    merge: largest merged request [sectors], 0 for none. wait_s: longest wait for the process that was just served, 0
    for none. pick(queue, now_s, crowd) -> slot.
    """
    slots, when, counts, arm = queue.slot, queue.when, queue.counts, queue.arm
    just = -1
    while now_s < until_s:
        admit(disk, queue, crowd, now_s, merge)
        if counts[WAITING] == 0:
            came_s = min(first_due(crowd)[0], until_s)
            crowd.totals[IDLE_S] += came_s - now_s
            now_s = came_s
            continue
        if just >= 0 and worth_waiting(crowd, just, wait_s) and not is_waiting(queue, crowd, just):
            came_s = crowd.due[just].min()
            stop_s = min(came_s, now_s + wait_s, until_s)
            crowd.totals[WAITS] += 1
            crowd.totals[WON] += came_s <= stop_s
            crowd.totals[IDLE_S] += stop_s - now_s
            now_s = stop_s
            if now_s >= until_s:
                break
            admit(disk, queue, crowd, now_s, merge)
        at = pick(queue, now_s, crowd)
        process, many = crowd.owner[0, at], crowd.owner[1, at]
        place = Place(slots[ZONE, at], slots[CYLINDER, at], slots[HEAD, at], slots[SECTOR, at], when[ANGLE, at])
        lbn, sectors, came_s = slots[LBN, at], slots[SECTORS, at], when[ARRIVAL, at]
        _, _, now_s = position(disk, place, arm[AT_CYLINDER], arm[AT_HEAD], slots[WRITE, at], now_s)
        transfer_s, switch_s, cylinder, head = across_tracks(disk, place, sectors, slots[WRITE, at], now_s)
        now_s += transfer_s + switch_s
        arm[AT_CYLINDER], arm[AT_HEAD], arm[AT_LBN] = cylinder, head, lbn + sectors
        state, pace = crowd.state, crowd.pace
        gap = abs(lbn - state[LAST_LBN, process]) if state[FINISHED, process] > 0 else 0
        pace[GAP, process] = OLD * pace[GAP, process] + (1 - OLD) * gap
        pace[RESPONSE, process] += many * (now_s - came_s)
        state[LAST_LBN, process] = lbn + sectors
        state[FINISHED, process] += many
        state[MOVED, process] += sectors
        for which in range(crowd.due.shape[1]):
            if many > 0 and crowd.due[process, which] == np.inf:
                crowd.due[process, which] = now_s + pace[PAUSE, process]
                many -= 1
        counts[WAITING] -= 1
        last = counts[WAITING]
        for row in range(SLOT_ROWS):
            slots[row, at] = slots[row, last]
        when[ARRIVAL, at], when[ANGLE, at] = when[ARRIVAL, last], when[ANGLE, last]
        crowd.owner[0, at], crowd.owner[1, at] = crowd.owner[0, last], crowd.owner[1, last]
        just = process
    return now_s


@part
def pick_oldest(queue, now_s, crowd):
    """The slot of the request that came first."""
    return oldest(queue)


@part
def pick_upwards(queue, now_s, crowd):
    """The slot of the next request at or above the arm, or the lowest of all: one way, as an elevator."""
    return next_upwards(queue, 2)


@part
def pick_reads_first(queue, now_s, crowd):
    """The one-way elevator over reads, then over writes; the oldest write that waited WRITE_DUE_S brings a batch."""
    if crowd.totals[BATCH] > 0:
        write = next_upwards(queue, 1)
        crowd.totals[BATCH] -= 1
        if write >= 0:
            return write
        crowd.totals[BATCH] = 0
    read, write = next_upwards(queue, 0), oldest_of(queue, 1)
    if write >= 0 and now_s - queue.when[ARRIVAL, write] > WRITE_DUE_S:
        crowd.totals[BATCH] = BATCH_OF - 1
        return write
    return read if read >= 0 else next_upwards(queue, 1)


@kernel
def serve_noop(disk, queue, crowd, now_s, until_s, merge, wait_s):
    """Serve the crowd in order of arrival; arguments as of `serve_crowd`."""
    return serve_crowd(disk, queue, crowd, now_s, until_s, merge, 0.0, pick_oldest)


@kernel
def serve_elevator(disk, queue, crowd, now_s, until_s, merge, wait_s):
    """Serve the crowd upwards; arguments as of `serve_crowd`."""
    return serve_crowd(disk, queue, crowd, now_s, until_s, merge, 0.0, pick_upwards)


@kernel
def serve_anticipatory(disk, queue, crowd, now_s, until_s, merge, wait_s):
    """Serve the crowd upwards and wait up to `wait_s` for the next read of the same process; see `serve_crowd`."""
    return serve_crowd(disk, queue, crowd, now_s, until_s, merge, wait_s, pick_reads_first)
