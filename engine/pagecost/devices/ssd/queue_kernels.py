"""Requests to an SSD in time: dies, channels and the host interface, event by event.

What the translation layer does is known before (the blame of every request); here it takes time. A die does one thing
at a time, in the order in which work arrives; channels and interface serve first come, first served, so the start of a
transfer is known when it is asked for and only dies, and requests on their way, need events. A write's die first does
the collection that the write is to blame for, page by page. A write cache answers the host as soon as it has room; its
units go to their dies at once, and it leaves the cache when the last of them is programmed.
"""

import numpy as np

from pagecost._jit import inline_part as part
from pagecost._jit import lean_kernel as kernel
from pagecost._jit import lean_part
from pagecost.devices.ssd.state_kernels import (
    ANSWERED,
    AREA,
    ARRIVAL,
    AT_WORK,
    BETWEEN,
    BUSY_SINCE,
    CACHE_WAIT,
    CACHED,
    CAME,
    CHANNEL_WAITED,
    COLLECTED,
    COLLECTING,
    COLLECTING_SINCE,
    COPIES,
    COPIES_LEFT,
    COPY_PROGRAM,
    COPY_READ,
    COPY_READS,
    DIE,
    DIE_BUSY,
    DONE,
    ERASE,
    ERASES,
    ERASES_LEFT,
    FIFO,
    FIRST_OF_NODE,
    FREE_SLOTS,
    HEAD,
    HOST_READS,
    HOST_UNITS,
    IDLE,
    INTERFACE,
    INTERFACE_BUSY,
    INTERFACE_FREE,
    INTERFACE_WAIT,
    INTERRUPTED,
    IS_WRITE,
    ISSUED,
    LEFT,
    LINE_AT,
    N_ARRAY,
    N_CHANNEL,
    N_COLLECTION,
    N_DIE,
    N_TRANSFER,
    NEVER,
    NEXT,
    NO_ROOM,
    NOBODY,
    NOW,
    NUMBER,
    OUT,
    OUTSTANDING,
    OVERHEAD,
    PHASE,
    PROGRAM_END,
    QUEUE,
    READ,
    READ_OUT,
    READS_HEAD,
    READS_READY,
    READS_TAIL,
    REMAINING,
    RESUME,
    SCAN_S,
    SLOT,
    SUSPEND,
    SUSPENDED_AT,
    SUSPENDED_FOR,
    SUSPENDING,
    TAIL,
    TERMS,
    UNITS,
    WAITED,
    WRITE,
    WRITES,
    WRITES_READY,
)


@part
def at(state, die, phase, when):
    """The die's next event."""
    state.die[die, PHASE] = phase
    state.when[die] = when
    best = state.best
    place = (state.when.size + die) >> 1
    while place > 0:
        left = best[2 * place]
        right = best[2 * place + 1]
        best[place] = left if state.when[left] <= state.when[right] else right
        place >>= 1


@part
def over_channel(state, die, seconds):
    """Use the die's channel as soon as it is free. Returns (waited, end)."""
    now = state.clock[NOW]
    channel = die % state.channel_free.size
    start = max(now, state.channel_free[channel])
    state.channel_free[channel] = start + seconds
    state.channel_busy[channel] += seconds
    state.clock[CHANNEL_WAITED] += start - now
    return start - now, start + seconds


@part
def over_interface(params, state):
    """Use the host interface as soon as it is free. Returns (waited, end)."""
    now = state.clock[NOW]
    start = max(now, state.clock[INTERFACE_FREE])
    state.clock[INTERFACE_FREE] = start + params.interface_s
    state.clock[INTERFACE_BUSY] += params.interface_s
    return start - now, start + params.interface_s


@part
def collected(state, die):
    """How long the die has been collecting, in all, up to now."""
    since = state.die_s[die, COLLECTING_SINCE]
    return state.die_s[die, COLLECTING] + (state.clock[NOW] - since if since >= 0.0 else 0.0)


@part
def stop_collecting(state, die):
    state.die_s[die, COLLECTING] = collected(state, die)
    state.die_s[die, COLLECTING_SINCE] = -1.0


@part
def begin(params, state, die, node):
    """A read or write starts on its die."""
    now = state.clock[NOW]
    node_s = state.node_s
    waited = now - node_s[node, CAME]
    collection = collected(state, die) - node_s[node, COLLECTED]
    node_s[node, N_DIE] = waited - collection
    node_s[node, N_COLLECTION] = collection
    state.die[die, AT_WORK] = node
    units = state.node[node, UNITS]
    if state.node[node, WRITES]:
        waited, end = over_channel(state, die, units * params.transfer_s)
        node_s[node, N_CHANNEL] = waited
        node_s[node, N_TRANSFER] = units * params.transfer_s
        node_s[node, N_ARRAY] = units * params.program_s
        state.die_s[die, PROGRAM_END] = end  # here: when the program starts
        state.counts[HOST_UNITS] += units
        at(state, die, WRITE, end + units * params.program_s)
    else:
        node_s[node, N_ARRAY] = params.read_s
        state.counts[HOST_READS] += 1
        at(state, die, READ, now + params.read_s)


@part
def suspend(params, state, die):
    """An erase or program stops for a read, if what is left of it is worth it."""
    now = state.clock[NOW]
    own = state.die[die]
    left = state.when[die] - now
    if left <= params.suspend_s:
        return
    own[RESUME] = own[PHASE]
    own[INTERRUPTED] = own[AT_WORK]
    state.die_s[die, REMAINING] = left
    state.die_s[die, SUSPENDED_AT] = now
    if own[PHASE] == ERASE:
        stop_collecting(state, die)
    state.clock[SUSPENDED_FOR] += params.suspend_s
    at(state, die, SUSPENDING, now + params.suspend_s)


@part
def resume(state, die):
    now = state.clock[NOW]
    own = state.die[die]
    phase = own[RESUME]
    own[RESUME] = NOBODY
    own[AT_WORK] = own[INTERRUPTED]
    state.die_s[die, PROGRAM_END] = now
    if phase == ERASE:
        state.die_s[die, COLLECTING_SINCE] = now
    else:
        state.node_s[own[AT_WORK], N_DIE] += now - state.die_s[die, SUSPENDED_AT]
    at(state, die, phase, now + state.die_s[die, REMAINING])


@part
def go_on(params, state, die):
    """A die is free: it takes what comes next."""
    now = state.clock[NOW]
    own = state.die[die]
    node = own[READS_HEAD]
    if node != NOBODY:
        own[READS_HEAD] = state.node[node, NEXT]
        begin(params, state, die, node)
        return
    if own[RESUME] != NOBODY:
        resume(state, die)
        return
    node = own[HEAD]
    if node == NOBODY:
        state.clock[DIE_BUSY] += now - state.die_s[die, BUSY_SINCE]
        at(state, die, IDLE, NEVER)
        return
    if state.node[node, COPIES_LEFT] > 0:
        state.die_s[die, COLLECTING_SINCE] = now
        state.die_s[die, PROGRAM_END] = now
        at(state, die, COPY_READ, now + state.node_s[node, SCAN_S])
    elif state.node[node, ERASES_LEFT] > 0:
        state.die_s[die, COLLECTING_SINCE] = now
        state.die_s[die, PROGRAM_END] = now
        at(state, die, ERASE, now + state.node[node, ERASES_LEFT] * params.erase_s)
    else:
        own[HEAD] = state.node[node, NEXT]
        begin(params, state, die, node)


@part
def came(params, state, die, node):
    """A unit's read or write arrives at its die."""
    now = state.clock[NOW]
    own = state.die[die]
    state.node_s[node, CAME] = now
    state.node_s[node, COLLECTED] = collected(state, die)
    state.node[node, NEXT] = NOBODY
    first = params.order != FIFO and not state.node[node, WRITES]
    head, tail = (READS_HEAD, READS_TAIL) if first else (HEAD, TAIL)
    if own[head] == NOBODY:
        own[head] = node
    else:
        state.node[own[tail], NEXT] = node
    own[tail] = node
    phase = own[PHASE]
    if phase == IDLE:
        state.die_s[die, BUSY_SINCE] = now
        go_on(params, state, die)
    elif first:
        if phase in (COPY_READ, ERASE) and now < state.die_s[die, PROGRAM_END]:
            at(state, die, COPY_PROGRAM, state.die_s[die, PROGRAM_END])  # what would follow the program waits
        elif params.order == SUSPEND and phase in (ERASE, WRITE) and now >= state.die_s[die, PROGRAM_END]:
            suspend(params, state, die)


@part
def split(params, stream, state, slot, number):
    """A request becomes work for its dies: neighbouring units lie on neighbouring dies, channels first."""
    dies = np.uint32(state.die.shape[0])
    first = stream.first[number]
    write = state.slot[slot, IS_WRITE]
    step = np.int64(dies)
    node = slot * params.units
    for lane in range(min(params.units, step)):
        die = np.int64((first + np.uint32(lane)) % dies)
        unit = lane
        while unit < params.units:
            held = min(params.batch, (params.units - unit + step - 1) // step)
            own = state.node[node]
            own[SLOT] = slot
            own[DIE] = die
            own[UNITS] = held
            own[WRITES] = write
            own[COPIES_LEFT] = 0
            own[ERASES_LEFT] = 0
            if write:
                due(params, stream, state, node, number, unit)
            unit += held * step
            node += 1
    state.slot[slot, LEFT] = node - slot * params.units


@part
def due(params, stream, state, node, number, unit):
    """What the writes of a node are to blame for."""
    own = state.node[node]
    step = state.die.shape[0]
    copies = np.int64(0)
    reads = np.int64(0)
    erases = np.int64(0)
    for each in range(unit, unit + own[UNITS] * step, step):
        copies += stream.programs[number, each]
        reads += stream.reads[number, each]
        erases += stream.erases[number, each]
    if copies > 0:  # a multi-plane page is read once for all its live units
        scans = min(reads, params.block_pages * max(erases, 1))
        state.node_s[node, SCAN_S] = params.read_s * scans / copies
        state.counts[COPIES] += copies
        state.counts[COPY_READS] += scans
    state.counts[ERASES] += erases
    own[COPIES_LEFT] = copies
    own[ERASES_LEFT] = erases


@part
def enter(params, state, slot):
    """All work of a request arrives at its dies."""
    first = slot * params.units
    for node in range(first, first + state.slot[slot, LEFT]):
        came(params, state, state.node[node, DIE], node)


@part
def send(state, line, slot, when):
    """Put a request on a line of those on their way; each line keeps its order."""
    ring = state.lines[line]
    head = state.line[line, 0]
    length = state.line[line, 1]
    ring[(head + length) % ring.size] = slot
    state.line[line, 1] = length + 1
    state.slot_s[slot, LINE_AT] = when
    if length == 0:
        state.line_when[line] = when


@part
def arrive(state, line):
    """Take the first request from a line."""
    ring = state.lines[line]
    head = state.line[line, 0]
    slot = ring[head]
    head = head + 1 if head + 1 < ring.size else 0
    state.line[line, 0] = head
    state.line[line, 1] -= 1
    state.line_when[line] = state.slot_s[ring[head], LINE_AT] if state.line[line, 1] > 0 else NEVER
    return slot


@part
def issue(params, stream, state, number, response_s, finished):
    """The host hands the next request over."""
    now = state.clock[NOW]
    state.counts[FREE_SLOTS] -= 1
    slot = state.free[state.counts[FREE_SLOTS]]
    state.counts[OUTSTANDING] += 1
    write = np.int64(stream.write[number])
    state.slot[slot, NUMBER] = number
    state.slot[slot, IS_WRITE] = write
    state.slot[slot, ANSWERED] = 0
    split(params, stream, state, slot, number)
    state.slot_s[slot, ARRIVAL] = now if params.closed else stream.arrival_s[number]
    state.slot_s[slot, ISSUED] = now
    ready = now
    if write:
        waited, ready = over_interface(params, state)
        state.slot_s[slot, WAITED] = waited
    ready += params.overhead_s
    state.slot_s[slot, LINE_AT] = ready
    if ready > now:
        send(state, WRITES_READY if write else READS_READY, slot, ready)
    else:
        ready_at_device(params, state, slot, response_s, finished)


@part
def ready_at_device(params, state, slot, response_s, finished):
    """A request has come over the interface: to its dies, or first into the write cache."""
    if params.cache_units == 0 or not state.slot[slot, IS_WRITE]:
        enter(params, state, slot)
    else:
        to_cache(params, state, slot, response_s, finished)


@lean_part
def to_cache(params, state, slot, response_s, finished):
    """A write goes into the cache, in order, as room allows."""
    if state.line[NO_ROOM, 1] == 0 and fits(params, state):
        into_cache(params, state, slot, response_s, finished)
    else:
        ring = state.lines[NO_ROOM]
        ring[(state.line[NO_ROOM, 0] + state.line[NO_ROOM, 1]) % ring.size] = slot
        state.line[NO_ROOM, 1] += 1


@part
def fits(params, state):
    """Whether the write cache has room for a request; one that is larger than the cache needs all of it."""
    cached = state.counts[CACHED]
    return cached == 0 or cached + params.units <= params.cache_units


@lean_part
def into_cache(params, state, slot, response_s, finished):
    """The cache has a write: the host is answered, the dies have work."""
    state.counts[CACHED] += params.units
    answer(params, state, slot, response_s, finished)
    state.slot[slot, ANSWERED] = 1
    enter(params, state, slot)


@part
def answer(params, state, slot, response_s, finished):
    """The host has what it asked for; how long it took and why."""
    now = state.clock[NOW]
    counts = state.counts
    response_s[counts[DONE]] = now - state.slot_s[slot, ARRIVAL]
    finished[counts[DONE]] = state.slot[slot, NUMBER] * 2 + state.slot[slot, IS_WRITE]
    counts[DONE] += 1
    counts[OUTSTANDING] -= 1
    sums = state.sums[state.slot[slot, IS_WRITE]]
    sums[QUEUE] += state.slot_s[slot, ISSUED] - state.slot_s[slot, ARRIVAL]
    sums[INTERFACE_WAIT] += state.slot_s[slot, WAITED]
    sums[INTERFACE] += params.interface_s
    sums[OVERHEAD] += params.overhead_s
    if params.cache_units > 0 and state.slot[slot, IS_WRITE]:
        sums[CACHE_WAIT] += now - state.slot_s[slot, LINE_AT]
        return
    for term in range(FIRST_OF_NODE, TERMS):
        sums[term] += state.node_s[slot * params.units, term - FIRST_OF_NODE]


@part
def leave(state, slot):
    """Nothing of the request is left to do."""
    state.free[state.counts[FREE_SLOTS]] = slot
    state.counts[FREE_SLOTS] += 1


@lean_part
def make_room(params, state, response_s, finished):
    """A request of the write cache is on flash now: those that waited for room come in, the first one first."""
    state.counts[CACHED] -= params.units
    while state.line[NO_ROOM, 1] > 0 and fits(params, state):
        into_cache(params, state, arrive(state, NO_ROOM), response_s, finished)


@part
def work_done(params, state, die, response_s, finished):
    """The unit at work on a die is finished; with the last unit, so is its request."""
    node = state.die[die, AT_WORK]
    slot = state.node[node, SLOT]
    state.slot[slot, LEFT] -= 1
    if state.slot[slot, ANSWERED]:
        if state.slot[slot, LEFT] == 0:
            leave(state, slot)
            make_room(params, state, response_s, finished)
        return
    if state.slot[slot, LEFT] > 0:
        return
    first = slot * params.units  # the last unit stands for the request: its terms are kept with the first one
    for term in range(TERMS - FIRST_OF_NODE):
        state.node_s[first, term] = state.node_s[node, term]
    if state.slot[slot, IS_WRITE] or params.interface_s == 0.0:
        if not state.slot[slot, IS_WRITE]:
            state.slot_s[slot, WAITED] = 0.0
        answer(params, state, slot, response_s, finished)
        leave(state, slot)
    else:
        waited, end = over_interface(params, state)
        state.slot_s[slot, WAITED] = waited
        send(state, OUT, slot, end)


@part
def die_event(params, state, die, response_s, finished):
    """What a die was doing has come to its end, or to its next step."""
    now = state.clock[NOW]
    own = state.die[die]
    phase = own[PHASE]
    if phase == COPY_READ:
        node = own[HEAD]
        end = now
        if params.copy_transfer_s > 0.0:
            waited, end = over_channel(state, die, params.copy_transfer_s)
        end += params.program_s
        state.die_s[die, PROGRAM_END] = end
        state.node[node, COPIES_LEFT] -= 1
        if own[READS_HEAD] != NOBODY:
            at(state, die, COPY_PROGRAM, end)
        elif state.node[node, COPIES_LEFT] > 0:  # the next copy follows at once: no event between
            at(state, die, COPY_READ, end + state.node_s[node, SCAN_S])
        elif state.node[node, ERASES_LEFT] > 0:
            at(state, die, ERASE, end + state.node[node, ERASES_LEFT] * params.erase_s)
        else:
            at(state, die, COPY_PROGRAM, end)
        return
    if phase == READ:
        node = own[AT_WORK]
        seconds = state.node[node, UNITS] * params.transfer_s
        waited, end = over_channel(state, die, seconds)
        state.node_s[node, N_CHANNEL] = waited
        state.node_s[node, N_TRANSFER] = seconds
        at(state, die, READ_OUT, end)
        return
    own[PHASE] = BETWEEN
    if phase == ERASE:
        state.node[own[HEAD], ERASES_LEFT] = 0
        stop_collecting(state, die)
    elif phase == COPY_PROGRAM:
        stop_collecting(state, die)
    elif phase != SUSPENDING:
        work_done(params, state, die, response_s, finished)


@kernel
def serve(params, stream, state, response_s, finished):
    """Issue all requests of the stream and, if `last`, wait for them; else go on until the last one is issued.

    response_s, finished (2 number + write): in the order of completion, with room for the stream and all outstanding.
    """
    clock = state.clock
    counts = state.counts
    counts[DONE] = 0
    number = 0
    total = stream.first.size
    while True:
        while (
            number < total
            and counts[OUTSTANDING] < params.depth
            and (params.closed or stream.arrival_s[number] <= clock[NOW])
        ):
            issue(params, stream, state, number, response_s, finished)
            number += 1
        if number == total and (not params.last or counts[FREE_SLOTS] == state.free.size):
            return
        die = state.best[1]
        now = state.when[die]
        source = NOBODY
        for line in range(NO_ROOM):
            if state.line_when[line] < now:
                now = state.line_when[line]
                source = line
        if (
            not params.closed
            and number < total
            and counts[OUTSTANDING] < params.depth
            and stream.arrival_s[number] < now
        ):
            now = stream.arrival_s[number]
            source = NO_ROOM
        clock[AREA] += counts[OUTSTANDING] * (now - clock[NOW])
        clock[NOW] = now
        if source == NOBODY:
            die_event(params, state, die, response_s, finished)
            if state.die[die, PHASE] == BETWEEN:
                # before the die takes its next
                while params.closed and number < total and counts[OUTSTANDING] < params.depth:
                    issue(params, stream, state, number, response_s, finished)
                    number += 1
                go_on(params, state, die)
        elif source == OUT:
            slot = arrive(state, OUT)
            answer(params, state, slot, response_s, finished)
            leave(state, slot)
        elif source < OUT:
            ready_at_device(params, state, arrive(state, source), response_s, finished)
