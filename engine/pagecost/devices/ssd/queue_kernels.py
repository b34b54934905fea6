"""Requests to an SSD in time: dies, channels and the host interface, event by event.

What the translation layer does is known before (the blame of every request); here it takes time. A die does one thing
at a time, in the order in which work arrives; channels and interface serve first come, first served, so the start of a
transfer is known when it is asked for and only dies, and requests on their way, need events. A write's die first does
the collection that the write is to blame for, page by page. A write cache answers the host as soon as it has room; its
units go to their dies at once, and it leaves the cache when the last of them is programmed. A read does not go to the
flash where all its units are in the cache.
"""

from pagecost._jit import inline_part, lean_kernel
from pagecost.devices.ssd.dies_kernels import at, go_on, over_channel, stop_collecting
from pagecost.devices.ssd.requests_kernels import (
    answer,
    arrive,
    forget,
    hand_out,
    issue,
    leave,
    make_room,
    ready_at_device,
)
from pagecost.devices.ssd.state_kernels import (
    ANSWERED,
    AREA,
    AT_WORK,
    BETWEEN,
    COPIES_LEFT,
    COPY_PROGRAM,
    COPY_READ,
    DONE,
    ERASE,
    ERASES_LEFT,
    FIRST_OF_NODE,
    FREE_SLOTS,
    HEAD,
    IS_WRITE,
    LEFT,
    N_CHANNEL,
    N_TRANSFER,
    NO_ROOM,
    NOBODY,
    NOW,
    OUT,
    OUTSTANDING,
    PHASE,
    PROGRAM_END,
    READ,
    READ_OUT,
    READS_HEAD,
    SCAN_S,
    SLOT,
    SUSPENDING,
    TERMS,
    UNITS,
)


@inline_part
def work_done(params, state, die, response_s, finished):
    """The unit at work on a die is finished; with the last unit, so is its request."""
    node = state.die[die, AT_WORK]
    slot = state.node[node, SLOT]
    state.slot[slot, LEFT] -= 1
    if state.slot[slot, ANSWERED]:
        if state.slot[slot, LEFT] == 0:
            forget(params, state, slot)
            leave(state, slot)
            make_room(params, state, response_s, finished)
        return
    if state.slot[slot, LEFT] > 0:
        return
    first = slot * params.units  # the last unit stands for the request: its terms are kept with the first one
    for term in range(TERMS - FIRST_OF_NODE):
        state.node_s[first, term] = state.node_s[node, term]
    if state.slot[slot, IS_WRITE]:
        answer(params, state, slot, response_s, finished)
        leave(state, slot)
    else:
        hand_out(params, state, slot, response_s, finished)


@inline_part
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
        seconds = params.read_command_s + state.node[node, UNITS] * params.transfer_s
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


@lean_kernel
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
