"""First come, first served with a segmented read-ahead buffer: after a read the head reads on until called away."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.disk.mechanics_kernels import (
    OVERHEAD,
    PER_SECTOR,
    QUEUE,
    ROTATION,
    SEEK,
    SWITCH,
    TRACK_SECTORS,
    TRANSFER,
    across_tracks,
    locate,
    move_s,
    on_one_track,
    position,
    turns_until,
)
from pagecost.devices.disk.queue_kernels import (
    AREA,
    ARRIVAL,
    AT_CYLINDER,
    AT_HEAD,
    BUSY,
    DISTANCE,
    IDLE,
    NOW,
    PRESENT,
    TAKEN,
    never_taken_s,
    outstanding,
)

FIRST, END, USED = range(3)  # rows of Buffer.segment: sectors first .. end - 1 are held; when last used
FILLING, LIMIT, HITS = range(3)  # places in Buffer.ahead: segment that is read on into or -1, where to stop, full hits


class Buffer(NamedTuple):
    """The segments, and the read-ahead that is under way: since[0] is when its last sector was read."""

    segment: np.ndarray  # int64[3, segments]
    ahead: np.ndarray  # int64[3]
    since: np.ndarray  # float64[1]
    size: int  # sectors of a segment
    bus_s: float  # of one sector over the interface


@lean_part
def read_on(disk, arm, buffer, until_s, limit):
    """Read ahead into the segment that is being filled, until a time or up to sector `limit`, whatever is first."""
    segment, at = buffer.segment, buffer.ahead[FILLING]
    while segment[END, at] < limit:
        place = locate(disk, segment[END, at])
        start_s = buffer.since[0] + move_s(disk, 0, arm[AT_CYLINDER], arm[AT_HEAD], place.cylinder, place.head)
        start_s += turns_until(disk, place.angle, start_s) * disk.turn_s
        sector_s = disk.share[place.zone, PER_SECTOR] * disk.turn_s
        here = min(limit - segment[END, at], disk.zone[place.zone, TRACK_SECTORS] - place.sector)
        passed = (until_s - start_s) / sector_s
        if passed < 1.0:
            return
        read = here if passed >= here else np.int64(passed)
        segment[END, at] += read
        segment[FIRST, at] = max(segment[FIRST, at], segment[END, at] - buffer.size)
        buffer.since[0] = start_s + read * sector_s
        arm[AT_CYLINDER], arm[AT_HEAD] = place.cylinder, place.head
        if read < here:
            return


@lean_part
def find(buffer, lbn, sectors):
    """The segment that holds a request as a whole; else the one being filled, if it holds or is just reaching its first
    sector; else -1. Segments may overlap: who holds only its beginning does not hide another that holds all of it.
    """
    segment, found = buffer.segment, -1
    for at in range(segment.shape[1]):
        if segment[FIRST, at] <= lbn and lbn + sectors <= segment[END, at]:
            return at
        if at == buffer.ahead[FILLING] and segment[FIRST, at] <= lbn and lbn <= segment[END, at]:
            found = at
    return found


@lean_part
def forget(buffer, lbn, sectors):
    """Drop every segment that a write overlaps."""
    segment = buffer.segment
    for at in range(segment.shape[1]):
        if segment[FIRST, at] < lbn + sectors and lbn < segment[END, at]:
            segment[END, at] = segment[FIRST, at]


@lean_part
def least_recent(buffer):
    """The segment of the buffer that was used longest ago."""
    best = 0
    for at in range(1, buffer.segment.shape[1]):
        if buffer.segment[USED, at] < buffer.segment[USED, best]:
            best = at
    return best


@lean_kernel
def serve(disk, sectors_of_disk, queue, stream, number, terms, buffer):
    """As the FCFS scheduler's `serve`, with the buffer before the arm."""
    when, clock, counts, arm = queue.when, queue.clock, queue.counts, queue.arm
    segment, ahead = buffer.segment, buffer.ahead
    depth, seen, present = when.shape[1], 0, counts[PRESENT]
    now = clock[NOW]
    turn = counts[TAKEN] % depth
    drained = stream.closed and stream.last
    if drained:
        clock[AREA] -= never_taken_s(queue, turn, stream.lbn.size)
    for i in range(stream.lbn.size):
        if stream.closed:
            arrived = when[ARRIVAL, turn]
            present = outstanding(stream, depth, i)
        else:
            arrived = stream.arrival_s[i]
            if arrived > now:
                clock[IDLE] += arrived - now
                now = arrived
            while seen < stream.lbn.size and stream.arrival_s[seen] <= now:
                clock[AREA] += now - stream.arrival_s[seen]
                present += 1
                seen += 1
        lbn, sectors, write = stream.lbn[i], stream.sectors[i], np.int64(stream.write[i])
        stop = min(lbn + sectors + buffer.size, sectors_of_disk)
        if ahead[FILLING] >= 0:
            read_on(disk, arm, buffer, now + disk.overhead_s, ahead[LIMIT])
        at = -1 if write else find(buffer, lbn, sectors)
        arm_s = rotation_s = switch_s = transfer_s = 0.0
        distance = 0
        filling = at >= 0 and at == ahead[FILLING]
        if filling and segment[END, at] >= ahead[LIMIT]:  # it was full: the head stood still, and reads on from now
            buffer.since[0] = max(buffer.since[0], now + disk.overhead_s)
        if at >= 0 and lbn + sectors <= segment[END, at]:
            ahead[HITS] += 1
            transfer_s = sectors * buffer.bus_s
            end = now + disk.overhead_s + transfer_s
            if filling:
                ahead[LIMIT] = stop
        elif filling:  # the head is on its way to the rest: wait for it, without a seek
            read_on(disk, arm, buffer, np.inf, lbn + sectors)
            end = max(buffer.since[0], now + disk.overhead_s)
            place = locate(disk, lbn + sectors - 1)
            waited_s = end - now - disk.overhead_s
            transfer_s = min(waited_s, sectors * disk.share[place.zone, PER_SECTOR] * disk.turn_s)
            rotation_s = waited_s - transfer_s
            ahead[LIMIT] = stop
        else:
            place = locate(disk, lbn)
            distance = abs(place.cylinder - arm[AT_CYLINDER])
            arm_s, rotation_s, end = position(disk, place, arm[AT_CYLINDER], arm[AT_HEAD], write, now)
            if on_one_track(disk, place, sectors):
                transfer_s = sectors * disk.share[place.zone, PER_SECTOR] * disk.turn_s
                arm[AT_CYLINDER], arm[AT_HEAD] = place.cylinder, place.head
            else:
                transfer_s, switch_s, cylinder, head = across_tracks(disk, place, sectors, write, end)
                arm[AT_CYLINDER], arm[AT_HEAD] = cylinder, head
            end += transfer_s + switch_s
            ahead[FILLING] = -1
            if write:
                forget(buffer, lbn, sectors)
            else:
                at = least_recent(buffer)
                ahead[FILLING], ahead[LIMIT] = at, stop
                segment[END, at] = lbn + sectors
                segment[FIRST, at] = max(lbn, lbn + sectors - buffer.size)
                buffer.since[0] = end
        if at >= 0:
            segment[USED, at] = counts[TAKEN] + i + 1
        number[i] = counts[TAKEN] + i
        terms[i, QUEUE] = now - arrived
        terms[i, OVERHEAD] = disk.overhead_s
        terms[i, SEEK] = arm_s if distance > 0 else 0.0
        terms[i, ROTATION] = rotation_s
        terms[i, SWITCH] = switch_s if distance > 0 else switch_s + arm_s
        terms[i, TRANSFER] = transfer_s
        counts[DISTANCE] += distance
        clock[BUSY] += end - now
        clock[AREA] += present * (end - now)
        now = end
        present -= 1
        if stream.closed:
            when[ARRIVAL, turn] = now
            turn = 0 if turn + 1 == depth else turn + 1
    if drained:  # whoever goes on from here arrives now
        when[ARRIVAL, :] = now
        present = 0
    clock[NOW] = now
    counts[PRESENT] = present
    counts[TAKEN] += stream.lbn.size
    return stream.lbn.size
