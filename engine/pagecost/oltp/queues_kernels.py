"""A queue before every device: requests are merged as they come, and the scheduler picks which is served next.

Rules after Linux 2.6: noop, deadline and anticipatory (Iyer and Druschel 2001) as Wang 2011, §3.3.3 compares them, and
C-LOOK without anything else. The laws' sums are those of the stations of processors.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part

NOBODY = -1
OPERATION, BLOCK, BLOCKS, CAUSE, JOB, NEXT, MERGED, DEVICE, PHASE, HOLDS, ORDER = range(11)  # columns of Queues.request
WIDE = 11  # whether it goes to all devices that keep the same or its parity: a write, and the read of what it replaces
CACHED = 12  # whether the device's write cache answers it
REQUEST_FIELDS = 13
# columns of Queues.unit
SERVERS, BUSY, WAITING, SCHEDULER, MOST_BLOCKS, AT, WAIT_FOR, JUST, BATCH, ARRIVED, LEFT, MERGES, WAITS, WON = range(14)
WRITTEN = 14  # blocks
# of a device's write cache, in blocks: what it takes (0: there is none), what it holds, what is being destaged; extents
CACHE_BLOCKS, HELD, DESTAGING, EXTENTS = range(15, 19)
# writes that wait for room, first and last of them; and in all: extents destaged, blocks that were written over while
# they were held, reads answered, writes that had to wait for room
STALLED, STALLED_FIRST, STALLED_LAST, DESTAGES, OVERWRITTEN, READ_HITS, STALLS = range(19, 26)
UNIT_FIELDS = 26
CHANGED_S, BUSY_AREA_S, QUEUE_AREA_S, ARRIVALS_S, DEPARTURES_S, SERVED_S = range(6)  # columns of Queues.clock
WAIT_UNTIL_S = 6
BUS_FREE_S, BLOCK_BUS_S, CLOCKS = 7, 8, 9  # of the interface: free from then on, time of a block
MOST_EXTENTS = 4096  # of a write cache
NOOP, C_LOOK, DEADLINE, ANTICIPATORY = range(4)  # SCHEDULER
READ, WRITE = 0, 1
READ_DUE_S, WRITE_DUE_S, BATCH_OF = 0.5, 5.0, 16  # of Linux 2.6: when a request is overdue, size of a batch
WAIT_S = 6e-3  # how long the anticipatory scheduler lets the device stand still
OLD = 0.875  # weight of the past in the averages of a process
FAR_BYTES = 1 << 20  # who goes further than this on average is not waited for
PAUSE_S, DONE_S, GAP = range(3)  # columns of Queues.pace


class Queues(NamedTuple):
    """Requests, where they wait, and what is known of those who ask."""

    request: np.ndarray  # int64[pool, REQUEST_FIELDS]; a merged request hangs on the one that it was merged into
    came_s: np.ndarray  # float64[pool]
    free: np.ndarray  # int64[pool + 1]: a stack of unused requests, its height in the last place
    slot: np.ndarray  # int64[devices, pool]: what waits, in no order
    unit: np.ndarray  # int64[devices, UNIT_FIELDS]
    extent: np.ndarray  # int64[devices, MOST_EXTENTS, 2]: first block and blocks that a write cache holds, in no order
    clock: np.ndarray  # float64[devices, CLOCKS]
    pace: np.ndarray  # float64[jobs, 3]: pause between an answer and the next read, last answer, distance in blocks
    last: np.ndarray  # int64[jobs]: block behind the last read


def new_queues(devices: int, jobs: int, pool: int, *, cached: bool = False) -> Queues:
    """Empty queues for at most `pool` requests at a time. cached: some device has a write cache."""
    unit = np.zeros((devices, UNIT_FIELDS), np.int64)
    unit[:, WAIT_FOR] = unit[:, JUST] = NOBODY
    return Queues(
        np.zeros((pool, REQUEST_FIELDS), np.int64),
        np.zeros(pool),
        np.append(np.arange(pool), pool),
        np.zeros((devices, pool), np.int64),
        unit,
        np.zeros((devices, MOST_EXTENTS if cached else 0, 2), np.int64),
        np.zeros((devices, CLOCKS)),
        np.zeros((jobs, 3)),
        np.zeros(jobs, np.int64),
    )


@lean_part
def take(queues, operation, block, blocks, cause, job, phase):
    """A new request; the pool must not be empty. Returns its number."""
    free, request = queues.free, queues.request
    free[-1] -= 1
    number = free[free[-1]]
    request[number, OPERATION] = operation
    request[number, BLOCK] = block
    request[number, BLOCKS] = blocks
    request[number, CAUSE] = cause
    request[number, JOB] = job
    request[number, NEXT] = NOBODY
    request[number, MERGED] = NOBODY
    request[number, PHASE] = phase
    request[number, WIDE] = operation == WRITE
    request[number, CACHED] = False
    return number


@lean_part
def give_back(queues, number):
    """The request is not needed any more."""
    free = queues.free
    free[free[-1]] = number
    free[-1] += 1


@lean_part
def advance_clock(queues, device, now_s):
    """Add the time that passed, times what was busy and what waited, to the areas of a device."""
    clock, unit = queues.clock, queues.unit
    passed_s = now_s - clock[device, CHANGED_S]
    clock[device, CHANGED_S] = now_s
    clock[device, BUSY_AREA_S] += unit[device, BUSY] * passed_s
    clock[device, QUEUE_AREA_S] += (unit[device, WAITING] + unit[device, STALLED]) * passed_s


@lean_part
def enqueue(queues, device, number, now_s):
    """A request comes to a device: it is merged with one that waits, or waits itself."""
    request, unit = queues.request, queues.unit
    advance_clock(queues, device, now_s)
    job = request[number, JOB]
    operation, block, blocks = request[number, OPERATION], request[number, BLOCK], request[number, BLOCKS]
    request[number, DEVICE] = device
    if operation == READ:
        pace = queues.pace
        pace[job, PAUSE_S] = OLD * pace[job, PAUSE_S] + (1 - OLD) * (now_s - pace[job, DONE_S])
        pace[job, GAP] = OLD * pace[job, GAP] + (1 - OLD) * abs(block - queues.last[job])
        queues.last[job] = block + blocks
        if unit[device, WAIT_FOR] == job:
            unit[device, WAIT_FOR] = NOBODY
            unit[device, JUST] = NOBODY
            unit[device, WON] += 1
    most = unit[device, MOST_BLOCKS]
    if most > 0:
        for at in range(unit[device, WAITING]):
            other = queues.slot[device, at]
            if request[other, OPERATION] != operation or request[other, BLOCKS] + blocks > most:
                continue
            behind = request[other, BLOCK] + request[other, BLOCKS] == block
            if behind or block + blocks == request[other, BLOCK]:
                if not behind:
                    request[other, BLOCK] = block
                request[other, BLOCKS] += blocks
                request[number, MERGED] = request[other, MERGED]
                request[other, MERGED] = number
                unit[device, MERGES] += 1
                return
    queues.came_s[number] = now_s
    request[number, ORDER] = unit[device, ARRIVED]
    queues.slot[device, unit[device, WAITING]] = number
    unit[device, WAITING] += 1
    unit[device, ARRIVED] += 1
    queues.clock[device, ARRIVALS_S] += now_s


@lean_part
def _oldest(queues, device, operation):
    """The slot of the request that came first; operation: 2 for any. NOBODY where none waits."""
    best = NOBODY
    first = queues.unit[device, ARRIVED]
    for at in range(queues.unit[device, WAITING]):
        number = queues.slot[device, at]
        order = queues.request[number, ORDER]
        if (operation == 2 or queues.request[number, OPERATION] == operation) and order < first:
            best, first = at, order
    return best


@lean_part
def _upwards(queues, device, operation):
    """The slot of the request with the lowest block at or above the arm, else with the lowest; NOBODY where none is."""
    here = queues.unit[device, AT]
    ahead = lowest = NOBODY
    ahead_block = lowest_block = np.int64(0)
    for at in range(queues.unit[device, WAITING]):
        number = queues.slot[device, at]
        if operation != 2 and queues.request[number, OPERATION] != operation:
            continue
        block = queues.request[number, BLOCK]
        if block >= here and (ahead == NOBODY or block < ahead_block):
            ahead, ahead_block = at, block
        if lowest == NOBODY or block < lowest_block:
            lowest, lowest_block = at, block
    return lowest if ahead == NOBODY else ahead


@lean_part
def _reads_first(queues, device, now_s):
    """One way upwards over reads, then over writes; what is overdue comes first, with a batch of its kind."""
    unit = queues.unit
    batch = unit[device, BATCH]  # what is left of a batch: positive of writes, negative of reads
    if batch != 0:
        found = _upwards(queues, device, WRITE if batch > 0 else READ)
        unit[device, BATCH] = batch - 1 if batch > 0 else batch + 1
        if found != NOBODY:
            return found
        unit[device, BATCH] = 0
    for operation in (READ, WRITE):
        oldest = _oldest(queues, device, operation)
        due_s = READ_DUE_S if operation == READ else WRITE_DUE_S
        if oldest != NOBODY and now_s - queues.came_s[queues.slot[device, oldest]] > due_s:
            unit[device, BATCH] = BATCH_OF - 1 if operation == WRITE else 1 - BATCH_OF
            return oldest
    found = _upwards(queues, device, READ)
    return found if found != NOBODY else _upwards(queues, device, WRITE)


@lean_part
def worth_waiting(queues, device, block_bytes, now_s):
    """Whether the process that was answered last is likely to read again soon after that, and near."""
    unit = queues.unit
    job = unit[device, JUST]
    if unit[device, SCHEDULER] != ANTICIPATORY or job == NOBODY or now_s >= queues.pace[job, DONE_S] + WAIT_S:
        return False
    for at in range(unit[device, WAITING]):
        if queues.request[queues.slot[device, at], JOB] == job:
            return False
    return queues.pace[job, PAUSE_S] <= WAIT_S and queues.pace[job, GAP] * block_bytes <= FAR_BYTES


@lean_part
def take_next(queues, device, now_s):
    """Take the request out that the scheduler serves next; one must wait. Returns its number."""
    unit = queues.unit
    scheduler = unit[device, SCHEDULER]
    if scheduler == NOOP:
        at = _oldest(queues, device, 2)
    elif scheduler == C_LOOK:
        at = _upwards(queues, device, 2)
    else:
        at = _reads_first(queues, device, now_s)
    number = queues.slot[device, at]
    advance_clock(queues, device, now_s)
    unit[device, WAITING] -= 1
    unit[device, BUSY] += 1
    queues.slot[device, at] = queues.slot[device, unit[device, WAITING]]
    unit[device, AT] = queues.request[number, BLOCK] + queues.request[number, BLOCKS]
    unit[device, JUST] = NOBODY
    unit[device, WAIT_FOR] = NOBODY
    return number


@lean_part
def serve_ends(queues, device, now_s):
    """A server of the device becomes free."""
    advance_clock(queues, device, now_s)
    queues.unit[device, BUSY] -= 1
    leave(queues, device, now_s)


@lean_part
def enter(queues, device, now_s):
    """Something comes to the device that waits there, or that a server takes."""
    advance_clock(queues, device, now_s)
    queues.unit[device, ARRIVED] += 1
    queues.clock[device, ARRIVALS_S] += now_s


@lean_part
def leave(queues, device, now_s):
    """It goes."""
    queues.unit[device, LEFT] += 1
    queues.clock[device, DEPARTURES_S] += now_s
