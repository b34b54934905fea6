"""Dies of an SSD in time: what each does next, in which order, and how long it takes."""

from pagecost._jit import inline_part
from pagecost.devices.ssd.state_kernels import (
    AT_WORK,
    BUSY_SINCE,
    CAME,
    CHANNEL_WAITED,
    COLLECTED,
    COLLECTING,
    COLLECTING_SINCE,
    COPIES_LEFT,
    COPY_PROGRAM,
    COPY_READ,
    DIE_BUSY,
    ERASE,
    ERASES_LEFT,
    FIFO,
    HEAD,
    HOST_READS,
    HOST_UNITS,
    IDLE,
    INTERRUPTED,
    N_ARRAY,
    N_CHANNEL,
    N_COLLECTION,
    N_DIE,
    N_TRANSFER,
    NEVER,
    NEXT,
    NOBODY,
    NOW,
    PHASE,
    PROGRAM_END,
    READ,
    READS_HEAD,
    READS_TAIL,
    REMAINING,
    RESUME,
    SCAN_S,
    SUSPEND,
    SUSPENDED_AT,
    SUSPENDED_FOR,
    SUSPENDING,
    TAIL,
    UNITS,
    WRITE,
    WRITES,
)


@inline_part
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


@inline_part
def over_channel(state, die, seconds):
    """Use the die's channel as soon as it is free. Returns (waited, end)."""
    now = state.clock[NOW]
    channel = die % state.channel_free.size
    start = max(now, state.channel_free[channel])
    state.channel_free[channel] = start + seconds
    state.channel_busy[channel] += seconds
    state.clock[CHANNEL_WAITED] += start - now
    return start - now, start + seconds


@inline_part
def collected(state, die):
    """How long the die has been collecting, in all, up to now."""
    since = state.die_s[die, COLLECTING_SINCE]
    return state.die_s[die, COLLECTING] + (state.clock[NOW] - since if since >= 0.0 else 0.0)


@inline_part
def stop_collecting(state, die):
    """The die stops collecting: the time it took is kept."""
    state.die_s[die, COLLECTING] = collected(state, die)
    state.die_s[die, COLLECTING_SINCE] = -1.0


@inline_part
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
        waited, end = over_channel(state, die, units * params.write_transfer_s)
        node_s[node, N_CHANNEL] = waited
        node_s[node, N_TRANSFER] = units * params.write_transfer_s
        node_s[node, N_ARRAY] = units * params.program_s
        state.die_s[die, PROGRAM_END] = end  # here: when the program starts
        state.counts[HOST_UNITS] += units
        at(state, die, WRITE, end + units * params.program_s)
    else:
        node_s[node, N_ARRAY] = params.read_s
        state.counts[HOST_READS] += 1
        at(state, die, READ, now + params.read_s)


@inline_part
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


@inline_part
def resume(state, die):
    """The die goes on with the program or erase that a read had suspended."""
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


@inline_part
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


@inline_part
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
