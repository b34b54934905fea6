"""A write-back cache: writes are done once the drive's memory holds them; the arm writes them back in its own order.

One request of the host at a time; between them, and while they wait, the arm destages. Extents that touch or overlap
are one, so neighbours go back in one piece, whatever the order in which they came.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import kernel, part
from pagecost.devices.disk.mechanics_kernels import Place, across_tracks, locate, position
from pagecost.devices.disk.queue_kernels import (
    ANGLE,
    ARRIVAL,
    AT_CYLINDER,
    AT_HEAD,
    AT_LBN,
    CYLINDER,
    HEAD,
    LBN,
    NUMBER,
    SECTOR,
    SECTORS,
    SLOT_ROWS,
    WAITING,
    ZONE,
    put,
)
from pagecost.devices.disk.schedulers.sptf_kernels import shortest

HOST, ARM = range(2)  # places in Cache.free_s: when the host and when the arm are free
HELD, ON_ARM, DESTAGED, JOINED, READ_HITS, WRITTEN, EMPTYING, CAME = range(8)  # places in Cache.counts
READING, WRITING = range(2)  # places in Cache.busy_s


class Cache(NamedTuple):
    """free_s [s]. counts: sectors that wait, sectors on the arm, extents written back, writes that joined extents,
    reads that the cache held, sectors written back, whether the arm is emptying the cache, writes that came. busy_s: of
    the arm, by what it does.
    """

    free_s: np.ndarray  # float64[2]
    counts: np.ndarray  # int64[8]
    busy_s: np.ndarray  # float64[2]
    limit: int  # sectors
    bus_s: float  # of one sector over the interface
    rest_s: float  # how long the oldest may wait before the arm begins to empty the cache


@part
def move(disk, queue, place, sectors, write, start_s):
    """Position at a place, transfer, leave the arm there; returns when it is done."""
    arm = queue.arm
    _, _, now_s = position(disk, place, arm[AT_CYLINDER], arm[AT_HEAD], write, start_s)
    transfer_s, switch_s, cylinder, head = across_tracks(disk, place, sectors, write, now_s)
    arm[AT_CYLINDER], arm[AT_HEAD] = cylinder, head
    return now_s + transfer_s + switch_s


@part
def destage(inside, queue, cache):
    """Write back the extent that is reached first. Inside the drive a command has no overhead."""
    slots, when = queue.slot, queue.when
    start_s = cache.free_s[ARM]
    at = shortest(inside, queue, start_s, 0.0)
    place = Place(slots[ZONE, at], slots[CYLINDER, at], slots[HEAD, at], slots[SECTOR, at], when[ANGLE, at])
    sectors = slots[SECTORS, at]
    end_s = move(inside, queue, place, sectors, 1, start_s)
    queue.arm[AT_LBN] = slots[LBN, at] + sectors
    cache.busy_s[WRITING] += end_s - start_s
    cache.free_s[ARM] = end_s
    cache.counts[HELD] -= sectors
    cache.counts[ON_ARM] = sectors
    cache.counts[DESTAGED] += 1
    cache.counts[WRITTEN] += sectors
    remove(queue, at)
    if queue.counts[WAITING] == 0:
        cache.counts[EMPTYING] = 0


@part
def remove(queue, at):
    """Close the gap that an extent leaves: the last one takes its slot. Slot 0 keeps the oldest until that one goes."""
    slots, when = queue.slot, queue.when
    queue.counts[WAITING] -= 1
    last = queue.counts[WAITING]
    for row in range(SLOT_ROWS):
        slots[row, at] = slots[row, last]
    when[ARRIVAL, at] = when[ARRIVAL, last]
    when[ANGLE, at] = when[ANGLE, last]


@part
def work_until(inside, queue, cache, until_s):
    """Destage as long as the arm can begin before a time: once the oldest has waited long enough, until all is gone."""
    while queue.counts[WAITING] > 0:
        if cache.counts[EMPTYING] == 0:
            due_s = queue.when[ARRIVAL, 0] + cache.rest_s
            if due_s >= until_s:
                break
            cache.counts[EMPTYING] = 1
            cache.free_s[ARM] = max(cache.free_s[ARM], due_s)
        if cache.free_s[ARM] >= until_s:
            break
        destage(inside, queue, cache)
    if cache.free_s[ARM] <= until_s:
        cache.counts[ON_ARM] = 0


@part
def keep(disk, queue, cache, lbn, sectors, at_s):
    """Put a write into the cache: with all extents that it touches it becomes one, as old as the oldest of them."""
    slots, when, counts = queue.slot, queue.when, queue.counts
    first, end, into = lbn, lbn + sectors, np.int64(-1)
    at = np.int64(0)
    while at < counts[WAITING]:
        held, held_end = slots[LBN, at], slots[LBN, at] + slots[SECTORS, at]
        if held > end or held_end < first or at == into:
            at += 1
            continue
        cache.counts[HELD] -= held_end - held
        first, end = min(first, held), max(end, held_end)
        if into < 0:
            into = at
            at += 1
        else:
            when[ARRIVAL, into] = min(when[ARRIVAL, into], when[ARRIVAL, at])
            remove(queue, at)
    cache.counts[HELD] += end - first
    if into >= 0:
        cache.counts[JOINED] += 1
        put(disk, queue, into, slots[NUMBER, into], when[ARRIVAL, into], first, end - first, 1)
        return
    put(disk, queue, counts[WAITING], cache.counts[CAME], at_s, lbn, sectors, 1)
    cache.counts[CAME] += 1
    counts[WAITING] += 1


@part
def is_full(queue, cache, sectors):
    """Whether a write of so many sectors finds no room."""
    held = cache.counts[HELD] + cache.counts[ON_ARM]
    return held + sectors > cache.limit or queue.counts[WAITING] == queue.slot.shape[1]


@part
def holds(queue, lbn, sectors):
    """Whether one waiting write covers all the sectors."""
    slots = queue.slot
    for at in range(queue.counts[WAITING]):
        if slots[LBN, at] <= lbn and lbn + sectors <= slots[LBN, at] + slots[SECTORS, at]:
            return True
    return False


@kernel
def serve(disk, inside, queue, cache, arrival_s, pause_s, lbn, sectors, write, response_s, waited_s):
    """Serve requests one at a time; each comes at its arrival, or its pause after the one before if there are none.

    pause_s: float64[n]. inside: the disk without command overhead. response_s, waited_s: of each request, the latter
    for room in the cache or for the arm with all that it does, both to be filled.
    """
    free_s = cache.free_s
    for i in range(lbn.size):
        came_s = arrival_s[i] if arrival_s.size else free_s[HOST] + pause_s[i]
        issued_s = max(came_s, free_s[HOST])
        ready_s = issued_s + disk.overhead_s
        work_until(inside, queue, cache, ready_s)
        bus_s = sectors[i] * cache.bus_s
        start_s = ready_s
        if write[i]:
            while is_full(queue, cache, sectors[i]):
                start_s = max(start_s, free_s[ARM])
                cache.counts[ON_ARM] = 0
                if is_full(queue, cache, sectors[i]):
                    if cache.counts[EMPTYING] == 0:
                        cache.counts[EMPTYING] = 1
                        free_s[ARM] = max(free_s[ARM], start_s)
                    destage(inside, queue, cache)
            done_s = start_s + bus_s
            keep(disk, queue, cache, lbn[i], sectors[i], done_s)
        elif holds(queue, lbn[i], sectors[i]):
            cache.counts[READ_HITS] += 1
            done_s = ready_s + bus_s
        else:
            start_s = max(ready_s, free_s[ARM])
            done_s = move(inside, queue, locate(disk, lbn[i]), sectors[i], 0, start_s)
            queue.arm[AT_LBN] = lbn[i] + sectors[i]
            cache.busy_s[READING] += done_s - start_s
            free_s[ARM] = done_s
            start_s = done_s
        waited_s[i] = start_s - ready_s
        response_s[i] = done_s - came_s
        free_s[HOST] = done_s


@kernel
def flush(inside, queue, cache):
    """Write back all that is held; the host waits. For whoever calls it; no page does."""
    if queue.counts[WAITING] > 0 and cache.counts[EMPTYING] == 0:
        cache.free_s[ARM] = max(cache.free_s[ARM], cache.free_s[HOST])
    while queue.counts[WAITING] > 0:
        destage(inside, queue, cache)
    cache.counts[ON_ARM] = 0
    cache.free_s[HOST] = max(cache.free_s[HOST], cache.free_s[ARM])
