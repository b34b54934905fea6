"""The transaction system as an event loop: transactions, processors, locks, buffer, log and devices (Rahm 1992, §3).

A job is a transaction in its slot, or a worker that writes behind the transactions' backs. `_advance` takes a job from
step to step until it must wait for a station, a lock or its commit group.

Everything is inlined into `run`: handing the state's sixty arrays from function to function would cost 2.7 times the
time, and twice the compile time.
"""

from pagecost._jit import inline_part, lean_kernel
from pagecost.transactions import locks_kernels as locks
from pagecost.transactions import machine_kernels as m
from pagecost.transactions import storage_kernels as storage
from pagecost.transactions.access_kernels import (
    access,
    ask,
    ask_controller,
    ask_disk,
    compute,
    end_access,
    hire,
    ready,
    settle,
    transmit,
    write_new,
)
from pagecost.transactions.calendar_kernels import pop, push
from pagecost.transactions.random_kernels import ARRIVALS, CONSTANT, exponential
from pagecost.transactions.stations_kernels import NOBODY, leave, spend


@lean_kernel
def run(machine, state, responses):
    """Handle events until responses.size transactions more are complete; returns how many are.

    Fewer: the input queue or the writes behind the transactions' backs have outgrown their room (STATUS says which).
    """
    scalar = state.scalar
    done = 0
    while done < responses.size and scalar[m.STATUS] == m.RUNNING:
        if scalar[m.READY] == 0:
            _next_event(machine, state)
            continue
        scalar[m.READY] -= 1
        job = state.ready[scalar[m.READY]]
        now_s = state.clock_s[0]
        if _advance(machine, state, job, now_s):
            responses[done] = now_s - state.arrived_s[job]
            done += 1
            _complete(machine, state, job, now_s)
    return done


@inline_part
def _next_event(machine, state):
    """Take the next event off the calendar: an arrival, the end of a group commit, or a job whose service is over."""
    now_s, job = pop(state.calendar)
    state.clock_s[0] = now_s
    state.scalar[m.EVENTS] += 1
    jobs = state.job.shape[0]
    if job == jobs:
        _arrive(machine, state, now_s)
        return
    if job > jobs:
        _close_late_group(machine, state, now_s)
        return
    station = state.job[job, m.STATION]
    if station != NOBODY:
        spend(state.stations, job, 2 * station + 1, now_s)
        if station == m.CPUS and state.job[job, m.HELD]:
            state.held_s[job] = now_s
        else:
            leave(state.stations, state.calendar, station, now_s)
    ready(state, job)


@inline_part
def _arrive(machine, state, now_s):
    """A transaction arrives: it starts, waits for its turn, or is one too many; the next arrival is planned."""
    scalar = state.scalar
    if not machine.setting[m.CLOSED]:
        gap = 1.0 if machine.setting[m.ARRIVAL_LAW] == CONSTANT else exponential(state.random, ARRIVALS)
        push(state.calendar, now_s + gap / machine.number[m.RATE_HZ], state.job.shape[0])
    if scalar[m.ACTIVE] < machine.setting[m.LEVEL]:
        _start(machine, state, now_s, now_s)
    elif scalar[m.WAITING_COUNT] == state.waiting_s.size:
        scalar[m.STATUS] = m.TOO_MANY_WAIT
    else:
        last = (scalar[m.WAITING_FIRST] + scalar[m.WAITING_COUNT]) % state.waiting_s.size
        state.waiting_s[last] = now_s
        scalar[m.WAITING_COUNT] += 1


@inline_part
def _start(machine, state, arrived_s, now_s):
    """A transaction gets a slot."""
    scalar = state.scalar
    scalar[m.ACTIVE] += 1
    scalar[m.SLOTS_FREE] -= 1
    slot = state.free[scalar[m.SLOTS_FREE]]
    number = scalar[m.NEXT_TRANSACTION] % (machine.load.first.size - 1)
    scalar[m.NEXT_TRANSACTION] += 1
    job = state.job
    job[slot, m.TRANSACTION] = number
    job[slot, m.STEP] = m.BEGIN
    state.arrived_s[slot] = arrived_s
    state.stations.since_s[slot] = arrived_s
    terms = state.stations.spent_s.shape[1]
    spend(state.stations, slot, terms + m.INPUT_QUEUE, now_s)
    ready(state, slot)


@inline_part
def _complete(machine, state, job, now_s):
    """A transaction leaves; the next of the input queue takes its slot."""
    scalar = state.scalar
    spent = state.stations.spent_s
    for term in range(spent.shape[1]):
        state.total_s[term] += spent[job, term]
        spent[job, term] = 0.0
    scalar[m.COMPLETED] += 1
    scalar[m.ACTIVE] -= 1
    state.free[scalar[m.SLOTS_FREE]] = job
    scalar[m.SLOTS_FREE] += 1
    if machine.setting[m.CLOSED]:
        think_s = machine.number[m.THINK_S] * exponential(state.random, ARRIVALS)
        push(state.calendar, now_s + think_s, state.job.shape[0])
    if scalar[m.WAITING_COUNT] > 0:
        arrived_s = state.waiting_s[scalar[m.WAITING_FIRST]]
        scalar[m.WAITING_FIRST] = (scalar[m.WAITING_FIRST] + 1) % state.waiting_s.size
        scalar[m.WAITING_COUNT] -= 1
        _start(machine, state, arrived_s, now_s)


@inline_part
def _advance(machine, state, job, now_s):
    """Take a job on until it must wait; returns whether it is a transaction that is complete."""
    fields = state.job
    going = True
    while going:
        step = fields[job, m.STEP]
        if step == m.NEXT:
            going = _next_reference(machine, state, job, now_s)
        elif step == m.LOCK:
            going = _lock(machine, state, job, now_s)
        elif step == m.GRANTED:
            spend(state.stations, job, state.total_s.size + m.LOCK_WAIT, now_s)
            fields[job, m.STEP] = m.FIX
        elif step == m.FIX:
            _fix(machine, state, job)
        elif step == m.OPERATE:
            if fields[job, m.OPERATION] == fields[job, m.OPERATIONS]:
                fields[job, m.STEP] = fields[job, m.AFTER]
            else:
                at = fields[job, m.OPERATION]
                fields[job, m.OPERATION] = at + 1
                fields[job, m.KIND] = state.operation[job, at, 0]
                fields[job, m.ON_KEY] = state.operation[job, at, 1]
                fields[job, m.STEP] = m.ACCESS
        elif step == m.ACCESS:
            going = access(machine, state, job, now_s)
        elif step == m.NVEM_READY:
            fields[job, m.STEP] = m.ACCESSED
            ask(state, m.NVEM_SERVERS, job, machine.number[m.NVEM_DELAY_S], now_s)
            going = False
        elif step == m.UNIT_READY:
            going = ask_controller(machine, state, job, now_s)
        elif step == m.CONTROLLED:
            transmit(machine, state, job, now_s)
            going = False
        elif step == m.TRANSMITTED:
            going = ask_disk(machine, state, job, now_s)
        elif step == m.OLD_READ:
            write_new(machine, state, job, now_s)
            going = False
        elif step == m.ACCESSED:
            end_access(machine, state, job, now_s)
        elif step == m.COMMIT:
            going = _commit(machine, state, job, now_s)
        elif step == m.LEAD:
            spend(state.stations, job, state.total_s.size + m.GROUP_WAIT, now_s)
            _write_log(machine, state, job)
        elif step == m.LOGGED:
            _wake_followers(state, job)
            fields[job, m.STEP] = m.FORCE
        elif step == m.FOLLOW:
            spend(state.stations, job, state.total_s.size + m.GROUP_WAIT, now_s)
            fields[job, m.STEP] = m.FORCE
        elif step == m.FORCE:
            _force(machine, state, job)
        elif step == m.FINISH:
            _release(state, job)
            return True
        elif step == m.WRITTEN:
            settle(machine, state, job)
            going = False
        else:
            going = _begin(machine, state, job, now_s)
    return False


@inline_part
def _begin(machine, state, job, now_s):
    """Prepare a job for its transaction and ask for the work of its begin. Returns whether it can go on at once."""
    fields = state.job
    number = fields[job, m.TRANSACTION]
    fields[job, m.REFERENCE] = machine.load.first[number]
    fields[job, m.END] = machine.load.first[number + 1]
    fields[job, m.CHANGED] = 0
    fields[job, m.UPDATES] = 0
    fields[job, m.HELD] = 0
    fields[job, m.BEHIND] = NOBODY
    fields[job, m.STEP] = m.NEXT
    return compute(machine, state, job, m.BOT_S, now_s)


@inline_part
def _next_reference(machine, state, job, now_s):
    """Compute for the next reference or the end; returns whether the job can go on at once."""
    fields = state.job
    work = m.EOT_S if fields[job, m.REFERENCE] == fields[job, m.END] else m.REFERENCE_S
    fields[job, m.STEP] = m.COMMIT if work == m.EOT_S else m.LOCK
    return compute(machine, state, job, work, now_s)


@inline_part
def _lock(machine, state, job, now_s):
    """Lock the next object; returns whether the transaction can go on."""
    fields = state.job
    rules, load = machine.rules, machine.load
    reference = fields[job, m.REFERENCE]
    key, fresh = storage.page_of(rules, load, reference, state.appended)
    fields[job, m.KEY] = key
    fields[job, m.FRESH] = fresh
    fields[job, m.STEP] = m.FIX
    kind = rules.place[key >> storage.PARTITION_BITS, storage.LOCKING]
    if kind == storage.NO_LOCKS:
        return True
    what = load.lock[reference] if kind == storage.OBJECT_LOCKS else key
    mode = locks.EXCLUSIVE if load.write[reference] else locks.SHARED
    answer = locks.acquire(state.locks, job, what, mode)
    if answer == locks.WAITS:
        fields[job, m.STEP] = m.GRANTED
        state.stations.since_s[job] = now_s
        return False
    if answer == locks.DEADLOCK:  # the one that closes the circle gives way and begins again
        state.scalar[m.RESTARTS] += 1
        _release(state, job)
        fields[job, m.STEP] = m.BEGIN
    return True


@inline_part
def _release(state, job):
    """Give the locks back; who waited for them is ready."""
    scalar = state.scalar
    scalar[m.READY] = locks.release_all(state.locks, job, state.ready, scalar[m.READY])


@inline_part
def _plan(state, job, kind, key):
    """One more operation for the transaction."""
    at = state.job[job, m.OPERATIONS]
    state.operation[job, at, 0] = kind
    state.operation[job, at, 1] = key
    state.job[job, m.OPERATIONS] = at + 1


@inline_part
def _operate(state, job, after):
    """From here on the transaction carries its operations out, then goes to step `after`."""
    state.job[job, m.STEP] = m.OPERATE
    state.job[job, m.AFTER] = after
    state.job[job, m.OPERATION] = 0
    state.job[job, m.OPERATIONS] = 0


@inline_part
def _fix(machine, state, job):
    """The next reference of the job: fix its page in memory and plan the accesses that this takes."""
    fields = state.job
    rules = machine.rules
    key = fields[job, m.KEY]
    write = machine.load.write[fields[job, m.REFERENCE]]
    record = machine.load.record[fields[job, m.REFERENCE]]
    partition = key >> storage.PARTITION_BITS
    fields[job, m.REFERENCE] += 1
    fields[job, m.UPDATES] |= write
    counts = state.counts
    counts[record, storage.REFERENCES] += 1
    _operate(state, job, m.NEXT)
    if rules.place[partition, storage.HOME] == storage.IN_MEMORY:
        counts[record, storage.MAIN_HITS] += 1
        return
    if write:
        fields[job, m.CHANGED] = storage.remember(state.changed[job], fields[job, m.CHANGED], key)
    bits = storage.fix(state.caches, rules, key, write, fields[job, m.FRESH], state.victim)
    if bits & storage.HIT:
        counts[record, storage.MAIN_HITS] += 1
        return
    _plan_victim(machine, state, job, bits, state.victim[0])
    if bits & storage.READ_NVEM:
        counts[record, storage.NVEM_HITS] += 1
        _plan(state, job, m.NVEM_ACCESS, key)
    elif bits & storage.READ_HOME:
        _plan(state, job, m.READ, key)


@inline_part
def _plan_victim(machine, state, job, bits, victim):
    """Plan where the page that leaves memory goes; bits: what `storage.fix` decided."""
    if bits & storage.TO_NVEM:
        state.counts[victim >> storage.PARTITION_BITS, storage.NVEM_WRITES] += 1
    if bits & storage.DESTAGE:
        _plan(state, job, m.NVEM_AND_DISK, victim)
    elif bits & storage.TO_NVEM:
        _plan(state, job, m.NVEM_ACCESS, victim)
    elif bits & storage.VICTIM_HOME:
        if machine.setting[m.CLEANING]:
            hire(state, m.WRITE, victim, m.NOTHING)
        else:
            _plan(state, job, m.WRITE, victim)


# Commit


@inline_part
def _commit(machine, state, job, now_s):
    """Phase 1: write the log, alone or with a group; returns whether the transaction can go on."""
    setting, scalar, fields = machine.setting, state.scalar, state.job
    if not setting[m.LOGGING] or not fields[job, m.UPDATES]:
        fields[job, m.STEP] = m.FORCE
        return True
    state.stations.since_s[job] = now_s
    if setting[m.GROUP_SIZE] <= 1:
        _write_log(machine, state, job)
        return True
    fields[job, m.BEHIND] = scalar[m.GROUP_FIRST]
    fields[job, m.STEP] = m.FOLLOW
    scalar[m.GROUP_FIRST] = job
    scalar[m.GROUP_COUNT] += 1
    if scalar[m.GROUP_COUNT] == 1:
        state.group_s[0] = now_s
        push(state.calendar, now_s + machine.number[m.GROUP_WAIT_S], fields.shape[0] + 1)
    if scalar[m.GROUP_COUNT] == setting[m.GROUP_SIZE]:
        _close_group(state)
    return False


@inline_part
def _close_group(state):
    """The newest of the group writes the log for all."""
    scalar = state.scalar
    leader = scalar[m.GROUP_FIRST]
    state.job[leader, m.STEP] = m.LEAD
    ready(state, leader)
    scalar[m.GROUP_FIRST] = NOBODY
    scalar[m.GROUP_COUNT] = 0


@inline_part
def _close_late_group(machine, state, now_s):
    """The timer of a group rings; it may have been closed by then, and another opened later."""
    if state.scalar[m.GROUP_COUNT] > 0 and state.group_s[0] + machine.number[m.GROUP_WAIT_S] <= now_s:
        _close_group(state)


@inline_part
def _write_log(machine, state, job):
    """Plan the write of the next log page."""
    log = machine.rules.place.shape[0] - 1
    state.scalar[m.LOG_PAGES] += 1
    _operate(state, job, m.LOGGED)
    _plan(state, job, m.WRITE, (log << storage.PARTITION_BITS) | state.scalar[m.LOG_PAGES])


@inline_part
def _wake_followers(state, job):
    """The jobs that wait behind this one can go on."""
    follower = state.job[job, m.BEHIND]
    while follower != NOBODY:
        ready(state, follower)
        behind = state.job[follower, m.BEHIND]
        state.job[follower, m.BEHIND] = NOBODY
        follower = behind


@inline_part
def _force(machine, state, job):
    """FORCE: write every page that the transaction has changed."""
    _operate(state, job, m.FINISH)
    if not machine.rules.force:
        return
    for i in range(state.job[job, m.CHANGED]):
        key = state.changed[job, i]
        bits = storage.force(state.caches, machine.rules, key)
        if bits & storage.DESTAGE:
            state.counts[key >> storage.PARTITION_BITS, storage.NVEM_WRITES] += 1
            _plan(state, job, m.NVEM_AND_DISK, key)
        elif bits & storage.VICTIM_HOME:
            _plan(state, job, m.WRITE, key)
