"""First come, first served: no queue to look through, so the requests stream past the arm in one loop."""

import numpy as np

from pagecost._jit import lean_kernel
from pagecost.devices.disk.mechanics_kernels import (
    OVERHEAD,
    PER_SECTOR,
    QUEUE,
    ROTATION,
    SEEK,
    SWITCH,
    TRANSFER,
    across_tracks,
    locate,
    on_one_track,
    position,
)
from pagecost.devices.disk.queue_kernels import (
    AREA,
    ARRIVAL,
    AT_CYLINDER,
    AT_HEAD,
    AT_LBN,
    BUSY,
    DISTANCE,
    IDLE,
    NOW,
    PRESENT,
    TAKEN,
    never_taken_s,
    outstanding,
)


@lean_kernel
def serve(disk, queue, stream, number, terms, memory):
    """As `serve_queue`. The order does not depend on what is to come, so every request is served at once.

    Closed, slot k of the queue keeps when the request that will take it arrived: when the last one in it left.
    """
    _, when, clock, counts, arm = queue
    depth = when.shape[1]
    size = stream.lbn.size
    overhead = disk.overhead_s
    now = clock[NOW]
    area = clock[AREA]
    busy = 0.0
    idle = 0.0
    crossed = 0
    cylinder, head = arm[AT_CYLINDER], arm[AT_HEAD]
    present = counts[PRESENT]
    seen = 0
    turn = counts[TAKEN] % depth
    drained = stream.closed and stream.last
    if drained:
        area -= never_taken_s(queue, turn, size)
    for i in range(size):
        if stream.closed:
            arrived = when[ARRIVAL, turn]
            present = outstanding(stream, depth, i)
        else:
            arrived = stream.arrival_s[i]
            if arrived > now:
                idle += arrived - now
                now = arrived
            while seen < size and stream.arrival_s[seen] <= now:
                area += now - stream.arrival_s[seen]
                present += 1
                seen += 1
        place = locate(disk, stream.lbn[i])
        sectors, write = stream.sectors[i], np.int64(stream.write[i])
        distance = abs(place.cylinder - cylinder)
        arm_s, rotation_s, end = position(disk, place, cylinder, head, write, now)
        if on_one_track(disk, place, sectors):
            transfer_s = sectors * disk.share[place.zone, PER_SECTOR] * disk.turn_s
            switch_s = 0.0
            cylinder, head = place.cylinder, place.head
        else:
            transfer_s, switch_s, cylinder, head = across_tracks(disk, place, sectors, write, end)
        end += transfer_s + switch_s
        number[i] = counts[TAKEN] + i
        terms[i, QUEUE] = now - arrived
        terms[i, OVERHEAD] = overhead
        terms[i, SEEK] = arm_s if distance > 0 else 0.0
        terms[i, ROTATION] = rotation_s
        terms[i, SWITCH] = switch_s if distance > 0 else switch_s + arm_s
        terms[i, TRANSFER] = transfer_s
        crossed += distance
        busy += end - now
        area += present * (end - now)
        now = end
        present -= 1
        if stream.closed:
            when[ARRIVAL, turn] = now
            turn += 1
            if turn == depth:
                turn = 0
    if drained:  # whoever goes on from here arrives now
        when[ARRIVAL, :] = now
        present = 0
    clock[NOW] = now
    clock[AREA] = area
    clock[BUSY] += busy
    clock[IDLE] += idle
    counts[PRESENT] = present
    counts[TAKEN] += size
    counts[DISTANCE] += crossed
    if size > 0:
        arm[AT_CYLINDER], arm[AT_HEAD] = cylinder, head
        arm[AT_LBN] = stream.lbn[size - 1] + stream.sectors[size - 1]
    return size
