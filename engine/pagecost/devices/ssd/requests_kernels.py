"""Requests to an SSD in time: over the interface, split onto dies, into and out of the write cache, answered."""

import numpy as np

from pagecost._jit import inline_part, lean_part
from pagecost.devices.ssd.dies_kernels import came
from pagecost.devices.ssd.state_kernels import (
    ANSWERED,
    ARRIVAL,
    CACHE_WAIT,
    CACHED,
    COPIES,
    COPIES_LEFT,
    COPY_READS,
    DIE,
    DONE,
    ERASES,
    ERASES_LEFT,
    FIRST,
    FIRST_OF_NODE,
    FREE_SLOTS,
    INTERFACE,
    INTERFACE_BUSY,
    INTERFACE_FREE,
    INTERFACE_WAIT,
    IS_WRITE,
    ISSUED,
    LEFT,
    LINE_AT,
    NEVER,
    NO_ROOM,
    NOBODY,
    NOW,
    NUMBER,
    OUT,
    OUTSTANDING,
    OVERHEAD,
    QUEUE,
    READ_HITS,
    READS_READY,
    SCAN_S,
    SLOT,
    TERMS,
    UNITS,
    WAITED,
    WRITES,
    WRITES_READY,
)


@inline_part
def over_interface(params, state):
    """Use the host interface as soon as it is free. Returns (waited, end)."""
    now = state.clock[NOW]
    start = max(now, state.clock[INTERFACE_FREE])
    state.clock[INTERFACE_FREE] = start + params.interface_s
    state.clock[INTERFACE_BUSY] += params.interface_s
    return start - now, start + params.interface_s


@inline_part
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


@inline_part
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


@inline_part
def enter(params, state, slot):
    """All work of a request arrives at its dies."""
    first = slot * params.units
    for node in range(first, first + state.slot[slot, LEFT]):
        came(params, state, state.node[node, DIE], node)


@inline_part
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


@inline_part
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


@inline_part
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
    state.slot[slot, FIRST] = stream.first[number]
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


@inline_part
def ready_at_device(params, state, slot, response_s, finished):
    """A request has come over the interface: to its dies, or to the write cache, which may have what is read."""
    if params.cache_units == 0:
        enter(params, state, slot)
    elif state.slot[slot, IS_WRITE]:
        to_cache(params, state, slot, response_s, finished)
    elif state.counts[CACHED] > 0 and cache_has(params, state, slot):
        state.counts[READ_HITS] += 1
        for term in range(TERMS - FIRST_OF_NODE):
            state.node_s[slot * params.units, term] = 0.0
        hand_out(params, state, slot, response_s, finished)
    else:
        enter(params, state, slot)


@lean_part
def cache_has(params, state, slot):
    """Whether every unit that a request reads is in the write cache."""
    first = state.slot[slot, FIRST]
    for unit in range(first, first + params.units):
        place = state.bucket[unit & (state.bucket.size - 1)]
        while place != NOBODY and state.slot[place // params.units, FIRST] + place % params.units != unit:
            place = state.chain[place]
        if place == NOBODY:
            return False
    return True


@lean_part
def remember(params, state, slot):
    """The units of a write are in the cache from now on."""
    for place in range(slot * params.units, (slot + 1) * params.units):
        bucket = (state.slot[slot, FIRST] + place - slot * params.units) & (state.bucket.size - 1)
        state.chain[place] = state.bucket[bucket]
        state.bucket[bucket] = place


@lean_part
def forget(params, state, slot):
    """The units of a write are in the cache no more."""
    for place in range(slot * params.units, (slot + 1) * params.units):
        bucket = (state.slot[slot, FIRST] + place - slot * params.units) & (state.bucket.size - 1)
        before = state.bucket[bucket]
        if before == place:
            state.bucket[bucket] = state.chain[place]
            continue
        while state.chain[before] != place:
            before = state.chain[before]
        state.chain[before] = state.chain[place]


@inline_part
def hand_out(params, state, slot, response_s, finished):
    """What was read goes to the host, over the interface."""
    if params.interface_s == 0.0:
        state.slot_s[slot, WAITED] = 0.0
        answer(params, state, slot, response_s, finished)
        leave(state, slot)
    else:
        waited, end = over_interface(params, state)
        state.slot_s[slot, WAITED] = waited
        send(state, OUT, slot, end)


@lean_part
def to_cache(params, state, slot, response_s, finished):
    """A write goes into the cache, in order, as room allows."""
    if state.line[NO_ROOM, 1] == 0 and fits(params, state):
        into_cache(params, state, slot, response_s, finished)
    else:
        ring = state.lines[NO_ROOM]
        ring[(state.line[NO_ROOM, 0] + state.line[NO_ROOM, 1]) % ring.size] = slot
        state.line[NO_ROOM, 1] += 1


@inline_part
def fits(params, state):
    """Whether the write cache has room for a request; one that is larger than the cache needs all of it."""
    cached = state.counts[CACHED]
    return cached == 0 or cached + params.units <= params.cache_units


@lean_part
def into_cache(params, state, slot, response_s, finished):
    """The cache has a write: the host is answered, the dies have work."""
    state.counts[CACHED] += params.units
    remember(params, state, slot)
    answer(params, state, slot, response_s, finished)
    state.slot[slot, ANSWERED] = 1
    enter(params, state, slot)


@inline_part
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


@inline_part
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
