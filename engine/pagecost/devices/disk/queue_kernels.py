"""One queue before the arm, for every scheduler: the hooks say which request is next, the template does the rest."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part, lean_template
from pagecost.devices.disk.mechanics_kernels import (
    OVERHEAD,
    PER_SECTOR,
    QUEUE,
    ROTATION,
    SEEK,
    SWITCH,
    TRANSFER,
    Place,
    across_tracks,
    locate,
    on_one_track,
    position,
)

NUMBER, LBN, SECTORS, WRITE, ZONE, CYLINDER, HEAD, SECTOR = range(8)  # rows of Queue.slot
SLOT_ROWS = 8
ARRIVAL, ANGLE, COST = range(3)  # rows of Queue.when; COST is a scheduler's scratch paper
NOW, AREA, BUSY, IDLE = range(4)  # places in Queue.clock
WAITING, TAKEN, PRESENT, DISTANCE = range(4)  # places in Queue.counts
AT_CYLINDER, AT_HEAD, AT_LBN = range(3)  # places in Queue.arm


class Queue(NamedTuple):
    """Everything that changes in a run, so that it can go on where it stopped.

    clock: now, the integral of the requests in the system over time, busy and idle time [s]. counts: slots in use,
    requests taken so far, requests in the system, cylinders crossed. arm: cylinder, head, sector after the last one.
    """

    slot: np.ndarray  # int64[SLOT_ROWS, depth]
    when: np.ndarray  # float64[3, depth]
    clock: np.ndarray  # float64[4]
    counts: np.ndarray  # int64[4]
    arm: np.ndarray  # int64[3]


class Memory(NamedTuple):
    """What a scheduler remembers and how it is set. Each says in its file what it keeps where."""

    kept: np.ndarray  # int64[4]
    settings: np.ndarray  # float64[4]


class Stream(NamedTuple):
    """Requests to serve, aligned. closed: arrivals are ignored, a request comes when another one leaves."""

    arrival_s: np.ndarray  # float64[n]
    lbn: np.ndarray  # int64[n]
    sectors: np.ndarray  # int64[n]
    write: np.ndarray  # uint8[n]
    closed: bool
    last: bool  # nothing follows: the queue is served until it is empty


@lean_part
def no_detour(disk, memory):
    """The arm goes straight to the next request."""
    return -1


class Hooks(NamedTuple):
    """What a scheduler decides. `queue.counts[WAITING]` slots are in use; `now_s` is when the arm is free."""

    pick: Callable  # pick(disk, queue, now_s, memory) -> slot to serve next
    detour: Callable = no_detour  # detour(disk, memory) -> cylinder to pass on the way, or -1


def new_queue(depth: int) -> Queue:
    """An empty queue; the arm stands over cylinder 0, head 0, at time 0."""
    return Queue(
        slot=np.zeros((SLOT_ROWS, depth), np.int64),
        when=np.zeros((3, depth)),
        clock=np.zeros(4),
        counts=np.zeros(4, np.int64),
        arm=np.zeros(3, np.int64),
    )


@lean_part
def put(disk, queue, at, number, arrived_s, lbn, sectors, write):
    """Put a request into slot `at`: number, arrival, first sector, sectors, and where on the disk it lies."""
    place = locate(disk, lbn)
    slot = queue.slot
    slot[NUMBER, at] = number
    slot[LBN, at] = lbn
    slot[SECTORS, at] = sectors
    slot[WRITE, at] = write
    slot[ZONE, at] = place.zone
    slot[CYLINDER, at] = place.cylinder
    slot[HEAD, at] = place.head
    slot[SECTOR, at] = place.sector
    queue.when[ARRIVAL, at] = arrived_s
    queue.when[ANGLE, at] = place.angle


@lean_template
def serve_queue(disk, queue, stream, number, terms, memory, hooks):
    """Serve as many requests of the stream as can be decided now; returns how many.

    number[k], terms[k]: which request left k-th, and its terms [s]. The choice waits while a free slot could still be
    filled by a request that is yet to come, unless the stream is the last.
    """
    slots, when, clock, counts, arm = queue
    depth = slots.shape[1]
    now = clock[NOW]
    waiting = counts[WAITING]
    present = counts[PRESENT]
    first = counts[TAKEN]
    taken = 0
    seen = 0
    done = 0
    while True:
        while waiting < depth and taken < stream.lbn.size:
            arrived = now
            if not stream.closed:
                arrived = stream.arrival_s[taken]
                if arrived > now:
                    if waiting > 0:
                        break
                    clock[IDLE] += arrived - now
                    now = arrived
            put(
                disk,
                queue,
                waiting,
                first + taken,
                arrived,
                stream.lbn[taken],
                stream.sectors[taken],
                stream.write[taken],
            )
            waiting += 1
            taken += 1
        if stream.closed:
            present = waiting
        else:
            while seen < stream.lbn.size and stream.arrival_s[seen] <= now:
                clock[AREA] += now - stream.arrival_s[seen]
                present += 1
                seen += 1
        if waiting == 0 or (taken == stream.lbn.size and waiting < depth and not stream.last):
            break
        counts[WAITING] = waiting
        at = hooks.pick(disk, queue, now, memory)
        start = now
        detour_s = 0.0
        edge = hooks.detour(disk, memory)
        if edge >= 0:
            detour_s = disk.seek_s[0, abs(edge - arm[AT_CYLINDER])]
            counts[DISTANCE] += abs(edge - arm[AT_CYLINDER])
            arm[AT_CYLINDER] = edge
        place = Place(slots[ZONE, at], slots[CYLINDER, at], slots[HEAD, at], slots[SECTOR, at], when[ANGLE, at])
        sectors, write = slots[SECTORS, at], slots[WRITE, at]
        distance = abs(place.cylinder - arm[AT_CYLINDER])
        arm_s, rotation_s, now = position(disk, place, arm[AT_CYLINDER], arm[AT_HEAD], write, now + detour_s)
        if on_one_track(disk, place, sectors):
            transfer_s = sectors * disk.share[place.zone, PER_SECTOR] * disk.turn_s
            switch_s = 0.0
            cylinder, head = place.cylinder, place.head
        else:
            transfer_s, switch_s, cylinder, head = across_tracks(disk, place, sectors, write, now)
        now += transfer_s + switch_s
        counts[DISTANCE] += distance
        arm[AT_CYLINDER] = cylinder
        arm[AT_HEAD] = head
        arm[AT_LBN] = slots[LBN, at] + sectors
        clock[BUSY] += now - start
        clock[AREA] += present * (now - start)
        present -= 1
        number[done] = slots[NUMBER, at]
        terms[done, QUEUE] = start - when[ARRIVAL, at]
        terms[done, OVERHEAD] = disk.overhead_s
        terms[done, SEEK] = detour_s + (arm_s if distance > 0 else 0.0)
        terms[done, ROTATION] = rotation_s
        terms[done, SWITCH] = switch_s if distance > 0 else switch_s + arm_s
        terms[done, TRANSFER] = transfer_s
        done += 1
        waiting -= 1
        for row in range(SLOT_ROWS):
            slots[row, at] = slots[row, waiting]
        when[ARRIVAL, at] = when[ARRIVAL, waiting]
        when[ANGLE, at] = when[ANGLE, waiting]
    clock[NOW] = now
    counts[WAITING] = waiting
    counts[PRESENT] = present
    counts[TAKEN] = first + taken
    return done


@lean_part
def outstanding(stream, depth, at):
    """Requests of a closed stream in the system when number `at` of it is served, by order of arrival."""
    return min(depth, stream.lbn.size - at) if stream.last else depth


@lean_part
def never_taken_s(queue, turn, size):
    """How long the places that the last `size` requests of a closed run leave empty had been held for a request.

    By order of arrival, a place is held from the moment at which the request in it left; `turn` is the next one.
    """
    depth, held_s = queue.when.shape[1], 0.0
    for k in range(size, depth):
        held_s += queue.clock[NOW] - queue.when[ARRIVAL, (turn + k) % depth]
    return held_s


@lean_part
def oldest(queue):
    """The slot that came first."""
    best = 0
    for at in range(1, queue.counts[WAITING]):
        if queue.slot[NUMBER, at] < queue.slot[NUMBER, best]:
            best = at
    return best


@lean_part
def oldest_of(queue, kind):
    """The slot of the request of a kind (1: writes, 0: reads) that came first, or -1."""
    best = -1
    for at in range(queue.counts[WAITING]):
        if queue.slot[WRITE, at] == kind and (best < 0 or queue.slot[NUMBER, at] < queue.slot[NUMBER, best]):
            best = at
    return best


@lean_part
def next_upwards(queue, kind):
    """The slot with the smallest sector not behind the arm, else the smallest, else -1; of equals the oldest.

    kind: write flag, 2 for any.
    """
    numbers = queue.slot[NUMBER]
    at_lbn = queue.arm[AT_LBN]
    ahead, ahead_lbn = -1, np.int64(0)
    lowest, lowest_lbn = -1, np.int64(0)
    for at in range(queue.counts[WAITING]):
        if kind != 2 and queue.slot[WRITE, at] != kind:
            continue
        lbn = queue.slot[LBN, at]
        if lbn >= at_lbn and (ahead < 0 or lbn < ahead_lbn or (lbn == ahead_lbn and numbers[at] < numbers[ahead])):
            ahead, ahead_lbn = at, lbn
        if lowest < 0 or lbn < lowest_lbn or (lbn == lowest_lbn and numbers[at] < numbers[lowest]):
            lowest, lowest_lbn = at, lbn
    return ahead if ahead >= 0 else lowest
