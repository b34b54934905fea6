"""A device's write cache: what is written is held as extents, joined where they touch, until the device destages them.

Places are blocks of a device. What is being destaged is held no more, but keeps its room until it is written.
"""

import numpy as np

from pagecost._jit import lean_part
from pagecost.oltp.queues_kernels import (
    AT,
    BLOCK,
    BLOCK_BUS_S,
    BLOCKS,
    BUS_FREE_S,
    CACHE_BLOCKS,
    CACHED,
    DESTAGING,
    DEVICE,
    EXTENTS,
    HELD,
    HOLDS,
    NEXT,
    NOBODY,
    OPERATION,
    OVERWRITTEN,
    READ,
    READ_HITS,
    STALLED,
    STALLED_FIRST,
    STALLED_LAST,
    STALLS,
    advance_clock,
    enter,
    leave,
)


@lean_part
def has_room(queues, device, blocks):
    """Whether so many blocks can be taken: one request always can where nothing else is there."""
    unit = queues.unit
    used = unit[device, HELD] + unit[device, DESTAGING]
    if used == 0:
        return True
    return used + blocks <= unit[device, CACHE_BLOCKS] and unit[device, EXTENTS] < queues.extent.shape[1]


@lean_part
def keep(queues, device, block, blocks):
    """Hold what is written: with all extents that it touches it becomes one."""
    unit, extent = queues.unit, queues.extent
    first, end = block, block + blocks
    before = unit[device, HELD]
    at = np.int64(0)
    while at < unit[device, EXTENTS]:
        other, other_end = extent[device, at, 0], extent[device, at, 0] + extent[device, at, 1]
        if other > end or other_end < first:
            at += 1
            continue
        first, end = min(first, other), max(end, other_end)
        unit[device, HELD] -= other_end - other
        _forget(queues, device, at)
    unit[device, HELD] += end - first
    unit[device, OVERWRITTEN] += before + blocks - unit[device, HELD]
    at = unit[device, EXTENTS]
    extent[device, at, 0], extent[device, at, 1] = first, end - first
    unit[device, EXTENTS] = at + 1


@lean_part
def _forget(queues, device, at):
    """The last extent takes the place of this one."""
    unit, extent = queues.unit, queues.extent
    last = unit[device, EXTENTS] - 1
    extent[device, at, 0], extent[device, at, 1] = extent[device, last, 0], extent[device, last, 1]
    unit[device, EXTENTS] = last


@lean_part
def holds(queues, device, block, blocks):
    """Whether one extent covers all the blocks."""
    extent = queues.extent
    for at in range(queues.unit[device, EXTENTS]):
        if extent[device, at, 0] <= block and block + blocks <= extent[device, at, 0] + extent[device, at, 1]:
            return True
    return False


@lean_part
def take_extent(queues, device):
    """Take out the extent that the device destages next, one way upwards. Returns its first block and its blocks."""
    unit, extent = queues.unit, queues.extent
    ahead = lowest = NOBODY
    for at in range(unit[device, EXTENTS]):
        block = extent[device, at, 0]
        if block >= unit[device, AT] and (ahead == NOBODY or block < extent[device, ahead, 0]):
            ahead = at
        if lowest == NOBODY or block < extent[device, lowest, 0]:
            lowest = at
    chosen = lowest if ahead == NOBODY else ahead
    block, blocks = extent[device, chosen, 0], extent[device, chosen, 1]
    unit[device, HELD] -= blocks
    unit[device, DESTAGING] += blocks
    _forget(queues, device, chosen)
    return block, blocks


@lean_part
def answered_at_s(queues, number, device, now_s):
    """When the interface has carried a request that the cache answers, one after the other [s]."""
    clock, request = queues.clock, queues.request
    free_s = max(now_s, clock[device, BUS_FREE_S]) + request[number, BLOCKS] * clock[device, BLOCK_BUS_S]
    clock[device, BUS_FREE_S] = free_s
    request[number, DEVICE] = device
    request[number, HOLDS] = False
    request[number, CACHED] = True
    return free_s


@lean_part
def takes(queues, number, device):
    """Whether the cache answers a request: a read that it holds, a write for which it has room, behind no other that
    waits for room. It holds what is written from now on."""
    unit, request = queues.unit, queues.request
    if unit[device, CACHE_BLOCKS] == 0:
        return False
    block, blocks = request[number, BLOCK], request[number, BLOCKS]
    if request[number, OPERATION] == READ:
        hit = holds(queues, device, block, blocks)
        unit[device, READ_HITS] += hit
        return hit
    if unit[device, STALLED] > 0 or not has_room(queues, device, blocks):
        return False
    keep(queues, device, block, blocks)
    return True


@lean_part
def stall(queues, number, device, now_s):
    """A write waits for room, behind those that wait for it."""
    unit, request = queues.unit, queues.request
    enter(queues, device, now_s)
    request[number, DEVICE] = device
    request[number, NEXT] = NOBODY
    if unit[device, STALLED] == 0:
        unit[device, STALLED_FIRST] = number
    else:
        request[unit[device, STALLED_LAST], NEXT] = number
    unit[device, STALLED_LAST] = number
    unit[device, STALLED] += 1
    unit[device, STALLS] += 1


@lean_part
def let_in(queues, device, now_s):
    """The first write that waits for room and now has it, NOBODY where there is none. It holds that from now on."""
    unit, request = queues.unit, queues.request
    if unit[device, STALLED] == 0:
        return np.int64(NOBODY)
    number = unit[device, STALLED_FIRST]
    if not has_room(queues, device, request[number, BLOCKS]):
        return np.int64(NOBODY)
    advance_clock(queues, device, now_s)
    leave(queues, device, now_s)
    unit[device, STALLED] -= 1
    unit[device, STALLED_FIRST] = request[number, NEXT]
    request[number, NEXT] = NOBODY
    keep(queues, device, request[number, BLOCK], request[number, BLOCKS])
    return number
