"""How jobs get at processors and devices, and the workers that write behind the transactions' backs."""

from pagecost._jit import inline_part
from pagecost.transactions import machine_kernels as m
from pagecost.transactions import storage_kernels as storage
from pagecost.transactions.calendar_kernels import push
from pagecost.transactions.random_kernels import CPU, DEVICES, exponential, service_time
from pagecost.transactions.stations_kernels import NOBODY, SERVED_S, join, leave, spend


@inline_part
def ready(state, job):
    """Put a job behind those that can go on now."""
    scalar = state.scalar
    state.ready[scalar[m.READY]] = job
    scalar[m.READY] += 1


@inline_part
def ask(state, station, job, service_s, now_s):
    """A job asks a station for `service_s` of its time."""
    state.job[job, m.STATION] = station
    join(state.stations, state.calendar, station, job, service_s, now_s)


@inline_part
def compute(machine, state, job, work, now_s):
    """Ask for a processor; the number of instructions is exponential with the mean of machine.number[work].

    Returns whether the job can go on at once, because there are none: no visit, and no queue for nothing.
    """
    if machine.number[work] > 0:
        ask(state, m.CPUS, job, machine.number[work] * exponential(state.random, CPU), now_s)
        return False
    return True


@inline_part
def access(machine, state, job, now_s):
    """Begin an operation with its instructions; a processor may be held until it is done.

    Returns whether the job can go on at once, because there are none.
    """
    fields, setting = state.job, machine.setting
    place = machine.rules.place
    partition = fields[job, m.ON_KEY] >> storage.PARTITION_BITS
    home = place[partition, storage.HOME]
    kind = fields[job, m.KIND]
    if kind == m.READ:
        _count(state, partition, storage.HOME_READS)
    elif kind == m.WRITE or kind == m.WRITE_THROUGH:
        _count(state, partition, storage.HOME_WRITES)
    if kind == m.WRITE and place[partition, storage.BUFFERED]:
        if state.scalar[m.NVEM_BUFFERED] < setting[m.NVEM_BUFFER]:
            state.scalar[m.NVEM_BUFFERED] += 1
            kind = m.NVEM_AND_DISK
            fields[job, m.OWES] = m.NVEM_WRITE_BUFFER
    elif kind == m.NVEM_AND_DISK:
        fields[job, m.OWES] = m.NOTHING
    fields[job, m.KIND] = kind
    if kind == m.NVEM_ACCESS or kind == m.NVEM_AND_DISK or home == storage.IN_NVEM:
        fields[job, m.STEP] = m.NVEM_READY
        fields[job, m.HELD] = setting[m.NVEM_HELD]
        work = m.NVEM_S if setting[m.NVEM_HELD] else m.IO_S
    else:
        fields[job, m.STEP] = m.UNIT_READY
        behind = kind == m.WRITE_THROUGH  # nobody waits for it, a processor neither
        fields[job, m.HELD] = 0 if behind else place[partition, storage.SYNCHRONOUS]
        work = m.DESTAGE_S if behind else m.IO_S
    return compute(machine, state, job, work, now_s)


@inline_part
def _count(state, partition, what):
    """Count one event of a kind for a partition."""
    if partition < state.counts.shape[0]:  # the log has no line
        state.counts[partition, what] += 1


@inline_part
def _unit(machine, state, job):
    """The storage unit on which the page of the job lies."""
    return machine.rules.place[state.job[job, m.ON_KEY] >> storage.PARTITION_BITS, storage.HOME]


@inline_part
def ask_controller(machine, state, job, now_s):
    """Ask for the controller of the unit. Returns whether the job can go on at once, because it takes no time."""
    unit = _unit(machine, state, job)
    state.job[job, m.STEP] = m.CONTROLLED
    mean_s = machine.unit_s[unit, m.CONTROLLER_S]
    if mean_s == 0:
        return True
    law = machine.setting[m.CONTROLLER_LAW]
    service_s = service_time(state.random, DEVICES, mean_s, law, machine.samples[unit, 0])
    ask(state, m.FIRST_CONTROLLER + 2 * unit, job, service_s, now_s)
    return False


@inline_part
def transmit(machine, state, job, now_s):
    """The controller has looked into its cache; the page goes over the channel."""
    fields, rules, caches = state.job, machine.rules, state.caches
    unit = _unit(machine, state, job)
    key = fields[job, m.ON_KEY]
    if fields[job, m.KIND] == m.READ:
        state.unit_count[unit, m.UNIT_READS] += 1
        fast = storage.read_unit(caches, rules, unit, key)
        if fast:
            state.unit_count[unit, m.READ_HITS] += 1
            _count(state, key >> storage.PARTITION_BITS, storage.CACHE_HITS)
    else:
        state.unit_count[unit, m.UNIT_WRITES] += 1
        fast = storage.write_unit(caches, rules, unit, key, state.buffered)
        if fast:
            state.unit_count[unit, m.FAST_WRITES] += 1
    fields[job, m.ON_DISK] = not fast
    fields[job, m.STEP] = m.TRANSMITTED
    fields[job, m.STATION] = NOBODY
    state.stations.since_s[job] = now_s
    after_s = machine.unit_s[unit, m.TRANSMISSION_S]
    if not fast:  # a disk's delay comes before its server's time: the order makes no difference to the sum
        after_s += _delay_s(machine, state, job, unit)
    push(state.calendar, now_s + after_s, job)


@inline_part
def _disk(unit):
    """The station of a unit's disks, behind that of its controllers."""
    return m.FIRST_CONTROLLER + 2 * unit + 1


@inline_part
def _delay_s(machine, state, job, unit):
    """What a page takes of a disk beyond its server's time."""
    return machine.unit_s[unit, m.READ_DELAY_S + (0 if state.job[job, m.KIND] == m.READ else 1)]


@inline_part
def ask_disk(machine, state, job, now_s):
    """Ask for the disk or chips behind the controller after transmission. Returns whether the job can go on at once."""
    fields = state.job
    unit = _unit(machine, state, job)
    fields[job, m.STEP] = m.ACCESSED
    if fields[job, m.ON_DISK]:
        of_disk_s = _delay_s(machine, state, job, unit)  # is the disk's service, though none of its servers is busy
        state.stations.spent_s[job, 2 * _disk(unit) + 1] += of_disk_s
        state.stations.since_s[job] += of_disk_s
    spend(state.stations, job, state.total_s.size + m.TRANSMISSION, now_s)
    if fields[job, m.ON_DISK]:
        if fields[job, m.KIND] != m.READ and machine.rules.unit[unit, storage.READS_OLD]:
            fields[job, m.STEP] = m.OLD_READ
            _use_disk(machine, state, job, unit, m.READ_S, now_s)
        else:
            _use_disk(machine, state, job, unit, m.READ_S + (fields[job, m.KIND] != m.READ), now_s)
        if fields[job, m.KIND] != m.READ and fields[job, m.OWES] != m.OTHER_DISKS:
            for copy in range(1, machine.rules.unit[unit, storage.COPIES]):
                hire(state, m.WRITE_THROUGH, fields[job, m.ON_KEY], m.OTHER_DISKS, copy)
        return False
    if fields[job, m.KIND] != m.READ and machine.rules.unit[unit, storage.UNIT_KIND] != storage.SSD:
        hire(state, m.WRITE_THROUGH, fields[job, m.ON_KEY], m.DISK_CACHE)
    return True


@inline_part
def write_new(machine, state, job, now_s):
    """What was old is read; the job asks for the same disk again."""
    state.job[job, m.STEP] = m.ACCESSED
    state.job[job, m.STATION] = NOBODY
    _use_disk(machine, state, job, _unit(machine, state, job), m.WRITE_S, now_s)


@inline_part
def _use_disk(machine, state, job, unit, what, now_s):
    """Ask for the disk or chips of a unit, for a time that follows its law or samples; what: READ_S or WRITE_S."""
    times = machine.samples[unit, what - m.READ_S]
    service_s = service_time(state.random, DEVICES, machine.unit_s[unit, what], machine.disk_law[unit], times)
    ask(state, _queue(machine, state, job, unit), job, service_s, now_s)


@inline_part
def _queue(machine, state, job, unit):
    """The station of the disk that a page lies on, or of all disks of a unit where any of them takes it."""
    queues = machine.rules.unit[unit, storage.QUEUES]
    if queues == 1:
        return _disk(unit)
    number = state.job[job, m.ON_KEY] & ((1 << storage.PARTITION_BITS) - 1)
    disk = (number + state.job[job, m.ON_DISK] - 1) % queues
    return _disk(unit) if disk == 0 else machine.rules.unit[unit, storage.SECOND_DISK] + disk - 1


@inline_part
def end_access(machine, state, job, now_s):
    """The operation is done: a held processor is free, and what is written behind begins."""
    fields = state.job
    if fields[job, m.HELD]:
        fields[job, m.HELD] = 0
        state.stations.clock[m.CPUS, SERVED_S] += now_s - state.held_s[job]
        leave(state.stations, state.calendar, m.CPUS, now_s)
    if fields[job, m.KIND] == m.NVEM_AND_DISK:
        partition = fields[job, m.ON_KEY] >> storage.PARTITION_BITS
        if machine.rules.place[partition, storage.HOME] >= 0:
            hire(state, m.WRITE_THROUGH, fields[job, m.ON_KEY], fields[job, m.OWES])
    fields[job, m.STEP] = m.OPERATE


# Workers


@inline_part
def hire(state, kind, key, owes, copy=0):
    """A worker writes a page behind the transaction's back; copy: to the disk so many behind the page's own."""
    scalar = state.scalar
    slots = state.arrived_s.size
    if scalar[m.WORKERS_FREE] == 0:
        scalar[m.STATUS] = m.TOO_MANY_WRITES
        return
    scalar[m.WORKERS_FREE] -= 1
    job = state.free[slots + scalar[m.WORKERS_FREE]]
    fields = state.job
    fields[job, m.KIND] = kind
    fields[job, m.ON_KEY] = key
    fields[job, m.OWES] = owes
    fields[job, m.OPERATION] = 0
    fields[job, m.OPERATIONS] = 0
    fields[job, m.AFTER] = m.WRITTEN
    fields[job, m.HELD] = 0
    fields[job, m.STATION] = NOBODY
    fields[job, m.ON_DISK] = 1 + copy
    fields[job, m.STEP] = m.ACCESS if owes == m.NOTHING or owes == m.NVEM_WRITE_BUFFER else m.TRANSMITTED
    ready(state, job)


@inline_part
def settle(machine, state, job):
    """A worker is done."""
    fields, scalar = state.job, state.scalar
    if fields[job, m.OWES] == m.DISK_CACHE:
        unit = _unit(machine, state, job)
        storage.destaged(state.caches, machine.rules, unit, fields[job, m.ON_KEY], state.buffered)
    elif fields[job, m.OWES] == m.NVEM_WRITE_BUFFER:
        scalar[m.NVEM_BUFFERED] -= 1
    state.free[state.arrived_s.size + scalar[m.WORKERS_FREE]] = job
    scalar[m.WORKERS_FREE] += 1
