"""From what a job asks for to what the devices carry out: plan, queues, striping, service, answers."""

import numpy as np

from pagecost._jit import lean_part
from pagecost.oltp import machine_kernels as m
from pagecost.oltp import queues_kernels as q
from pagecost.oltp import write_cache_kernels as write_cache
from pagecost.oltp.devices_kernels import DISK, KIND, serve_by_arm, serve_by_table
from pagecost.transactions.calendar_kernels import push
from pagecost.transactions.stations_kernels import NOBODY


@lean_part
def ready(core, job):
    """Put a job behind those that can go on now."""
    core.ready[core.scalar[m.READY]] = job
    core.scalar[m.READY] += 1


@lean_part
def note(core, level, operation, blocks):
    """Count a request at a level of the path."""
    size = 0
    while size < m.SIZES - 1 and blocks >= 2 << size:
        size += 1
    core.sizes[level, operation, size] += 1
    core.blocks[level, operation] += blocks


@lean_part
def ask(core, operation, block, blocks, cause):
    """One more request in the plan."""
    at = core.asked[0]
    core.request[at, 0] = operation
    core.request[at, 1] = block
    core.request[at, 2] = blocks
    core.request[at, 3] = cause
    core.asked[0] = at + 1


@lean_part
def _array(setting, cause):
    """Where the places of the array begin that requests of a cause go to."""
    apart = cause == m.LOG_CAUSE and setting[m.LOG_ARRAY + m.MEMBERS] > 0
    return m.LOG_ARRAY if apart else m.DATA_ARRAY


@lean_part
def _reads_old(setting, operation, cause):
    """Whether old data and parities are read before: not where a log is written, which comes in full stripes."""
    array = _array(setting, cause)
    return operation == q.WRITE and array == m.DATA_ARRAY and setting[array + m.PARITIES] > 0


@lean_part
def _whole_rows(setting, array, block, blocks):
    """(first block, end) of the rows of data that lie whole within so many blocks; both the end where none does."""
    columns = setting[array + m.MEMBERS] // setting[array + m.COPIES] - setting[array + m.PARITIES]
    row_blocks = columns * setting[array + m.STRIPE_BLOCKS]
    first = (block + row_blocks - 1) // row_blocks * row_blocks
    end = (block + blocks) // row_blocks * row_blocks
    if first < end:
        return first, end
    return block + blocks, block + blocks


@lean_part
def _read_old(core, queues, setting, job, before, write, phase):
    """Hang the reads of what a write replaces behind the job's request before. Returns the last of them.

    Rows that it covers as a whole need none: their parities follow from what is written.
    """
    block, blocks, cause = write[1], write[2], write[3]
    first, end = _whole_rows(setting, _array(setting, cause), block, blocks)
    for at, until in ((block, first), (end, block + blocks)):
        if at < until:
            number = q.take(queues, q.READ, at, until - at, cause, job, phase)
            queues.request[number, q.WIDE] = True
            _chain(core, queues, job, before, number)
            before = number
    return before


@lean_part
def post(core, queues, setting, job):
    """Take what is planned over as the job's own requests. Returns how many there are.

    A phase begins when the phase before is answered: writes after reads, and data after the metadata that lead to them.
    Where there are parities, what writes replace is read in a phase before them, by the devices and not by the host.
    """
    count = core.asked[0]
    core.asked[0] = 0
    if count == 0:
        core.job[job, m.STEP] = m.DONE
        return count
    if queues.free[-1] < (3 * count if setting[m.DATA_ARRAY + m.PARITIES] > 0 else count):
        core.scalar[m.STATUS] = m.TOO_MANY_REQUESTS
        return count
    request = core.request
    phase = 0
    before = NOBODY
    old = 0  # what is read before writes is planned up to here
    i = 0
    while i < count:
        operation, block, blocks, cause = request[i, 0], request[i, 1], request[i, 2], request[i, 3]
        on = i > 0 and operation == q.READ and cause == request[i - 1, 3] and operation == request[i - 1, 0]
        if on and queues.request[before, q.BLOCK] + queues.request[before, q.BLOCKS] == block:
            queues.request[before, q.BLOCKS] += blocks  # a page that is read ahead
            i += 1
            continue
        if i > 0 and (operation != request[i - 1, 0] or (operation == q.READ and cause != request[i - 1, 3])):
            phase += 1
        if old <= i and _reads_old(setting, operation, cause):
            old = i
            while old < count and _reads_old(setting, request[old, 0], request[old, 3]):
                before = _read_old(core, queues, setting, job, before, request[old], phase)
                old += 1
            phase += 1
        number = q.take(queues, operation, block, blocks, cause, job, phase)
        _chain(core, queues, job, before, number)
        before = number
        i += 1
    count = 0
    number = core.job[job, m.CHAIN_FIRST]
    while number != NOBODY:
        operation = queues.request[number, q.OPERATION]
        if operation != q.READ or not queues.request[number, q.WIDE]:
            note(core, m.FILE_SYSTEM, operation, queues.request[number, q.BLOCKS])
            count += 1
        number = queues.request[number, q.NEXT]
    core.job[job, m.STEP] = m.ISSUE
    return count


@lean_part
def _chain(core, queues, job, before, number):
    """Hang a request behind the job's one before, NOBODY for the first."""
    if before == NOBODY:
        core.job[job, m.CHAIN_FIRST] = number
    else:
        queues.request[before, q.NEXT] = number


@lean_part
def _device(queues, setting, array, column, row, copy, wide):
    """The device for a stripe: its copy with that number, or the stripe's data (0) and its parities, which rotate.

    A mirrored read goes to the copy that has the least to do, in turn where that is equal.
    """
    first, members, copies = setting[array + m.FIRST_DEVICE], setting[array + m.MEMBERS], setting[array + m.COPIES]
    parities = setting[array + m.PARITIES]
    if parities > 0:
        place = column + row if copy == 0 else members - parities + row + copy - 1
        return first + place % members
    if wide or copies == 1:
        return first + column * copies + copy
    best = NOBODY
    least = np.int64(0)
    for turn in range(copies):
        device = first + column * copies + (row + turn) % copies
        to_do = queues.unit[device, q.WAITING] + queues.unit[device, q.BUSY]
        if best == NOBODY or to_do < least:
            best, least = device, to_do
    return best


@lean_part
def issue(core, queues, setting, calendar, job, now_s):
    """Put the requests of the job's next phase to the queues of their devices, in parts where they are striped.

    What is wide goes to each device that keeps the same, or its parity, at a time, and is answered by the last of them;
    of a row that a write covers as a whole, parities are written once. Where a device has a write cache, a write has
    nothing to do with the queue: the cache takes it, now or later.
    At most MOST_AT_ONCE stand there at a time; the others follow when these are answered.
    Trims take no time and no place in a queue. Returns whether the job goes on at once, because nothing else was left.
    """
    request = queues.request
    number = core.job[job, m.CHAIN_FIRST]
    phase = request[number, q.PHASE]
    while number != NOBODY and core.job[job, m.OUTSTANDING] < m.MOST_AT_ONCE:
        if request[number, q.PHASE] != phase and core.job[job, m.OUTSTANDING] > 0:
            break
        following = request[number, q.NEXT]
        operation, cause = request[number, q.OPERATION], request[number, q.CAUSE]
        block, blocks = request[number, q.BLOCK], request[number, q.BLOCKS]
        phase = request[number, q.PHASE]
        if operation == m.TRIM:
            note(core, m.DEVICE, operation, blocks)
            q.give_back(queues, number)
            number = following
            continue
        array = _array(setting, cause)
        copies, parities = setting[array + m.COPIES], setting[array + m.PARITIES]
        columns = setting[array + m.MEMBERS] // copies - parities
        stripe = setting[array + m.STRIPE_BLOCKS]
        wide = request[number, q.WIDE]
        whole, whole_end = block + blocks, block + blocks
        if operation == q.WRITE and parities > 0:
            whole, whole_end = _whole_rows(setting, array, block, blocks)
        part = number
        while blocks > 0:
            here, at, column, row = blocks, block, np.int64(0), block // stripe
            if columns > 1:
                here = min(blocks, stripe - block % stripe)
                column = block // stripe % columns
                row = block // (stripe * columns)
                at = row * stripe + block % stripe
            with_parities = wide and (column == 0 or not whole <= block < whole_end)
            for copy in range((copies + parities if with_parities else copies) if wide else 1):
                if part == NOBODY:
                    if queues.free[-1] == 0:
                        core.scalar[m.STATUS] = m.TOO_MANY_REQUESTS
                        break
                    part = q.take(queues, operation, at, here, cause, job, phase)
                request[part, q.BLOCK] = at
                request[part, q.BLOCKS] = here
                core.job[job, m.OUTSTANDING] += 1
                device = _device(queues, setting, array, column, row, copy, wide)
                core.scalar[m.TOUCHED] |= 1 << device
                if write_cache.takes(queues, part, device):
                    _carried(core, queues, calendar, device, part, now_s)
                elif operation == q.WRITE and queues.unit[device, q.CACHE_BLOCKS] > 0:
                    write_cache.stall(queues, part, device, now_s)
                else:
                    q.enqueue(queues, device, part, now_s)
                part = NOBODY
            block += here
            blocks -= here
        number = following
    core.job[job, m.CHAIN_FIRST] = number
    if core.job[job, m.OUTSTANDING] == 0:
        core.job[job, m.STEP] = m.DONE
        return True
    return False


@lean_part
def _answer_later(core, queues, calendar, number, at_s):
    """A request is answered at a time."""
    push(calendar, at_s, core.job.shape[0] + 2 * queues.unit.shape[0] + m.TIMERS + number)


@lean_part
def _carried(core, queues, calendar, device, number, now_s):
    """The write cache answers a request, when the interface has carried it."""
    note(core, m.DEVICE, queues.request[number, q.OPERATION], queues.request[number, q.BLOCKS])
    _answer_later(core, queues, calendar, number, write_cache.answered_at_s(queues, number, device, now_s))


@lean_part
def _times_s(queues, machine_devices, disk, log_disk, random, setting, device, number, now_s):
    """(time that the device works for a request, further time until its answer) [s], which are given out."""
    request = queues.request[number]
    operation, block, blocks = request[q.OPERATION], request[q.BLOCK], request[q.BLOCKS]
    if operation == q.WRITE:
        queues.unit[device, q.WRITTEN] += blocks
    delay_s = 0.0
    if machine_devices.setting[device, KIND] == DISK:
        mechanics = disk if device < setting[m.DATA_ARRAY + m.MEMBERS] else log_disk
        busy_s = serve_by_arm(mechanics, machine_devices, device, operation, block, blocks, now_s)
    else:
        busy_s, delay_s = serve_by_table(machine_devices, device, operation, block, blocks, random)
    queues.clock[device, q.SERVED_S] += busy_s
    return busy_s, delay_s


@lean_part
def _destage(core, queues, machine_devices, disk, log_disk, calendar, random, setting, device, now_s):
    """A free server of the device writes back one extent of its cache, and does not break off."""
    unit, request = queues.unit, queues.request
    if queues.free[-1] == 0:
        core.scalar[m.STATUS] = m.TOO_MANY_REQUESTS
        return
    block, blocks = write_cache.take_extent(queues, device)
    number = q.take(queues, q.WRITE, block, blocks, m.DATA_CAUSE, NOBODY, 0)
    request[number, q.DEVICE] = device
    request[number, q.HOLDS] = True
    q.enter(queues, device, now_s)
    unit[device, q.BUSY] += 1
    unit[device, q.DESTAGES] += 1
    unit[device, q.AT] = block + blocks
    busy_s, _ = _times_s(queues, machine_devices, disk, log_disk, random, setting, device, number, now_s)
    _answer_later(core, queues, calendar, number, now_s + busy_s)


@lean_part
def serve(core, queues, machine_devices, disk, log_disk, calendar, random, setting, device, now_s):
    """Let the free servers of a device begin what waits, unless it waits for its last process itself.

    What is left of them destages; before all others where a write waits for room.
    """
    unit, request = queues.unit, queues.request
    first_event = core.job.shape[0]
    if unit[device, q.STALLED] > 0 and unit[device, q.BUSY] < unit[device, q.SERVERS] and unit[device, q.EXTENTS] > 0:
        _destage(core, queues, machine_devices, disk, log_disk, calendar, random, setting, device, now_s)
    while unit[device, q.BUSY] < unit[device, q.SERVERS] and unit[device, q.WAITING] > 0:
        if unit[device, q.WAIT_FOR] != NOBODY:
            break
        if q.worth_waiting(queues, device, setting[m.BLOCK_BYTES], now_s):
            unit[device, q.WAIT_FOR] = unit[device, q.JUST]
            unit[device, q.WAITS] += 1
            until_s = queues.pace[unit[device, q.JUST], q.DONE_S] + q.WAIT_S
            queues.clock[device, q.WAIT_UNTIL_S] = until_s
            push(calendar, until_s, first_event + unit.shape[0] + device)
            break
        number = q.take_next(queues, device, now_s)
        note(core, m.DEVICE, request[number, q.OPERATION], request[number, q.BLOCKS])
        busy_s, delay_s = _times_s(queues, machine_devices, disk, log_disk, random, setting, device, number, now_s)
        request[number, q.HOLDS] = delay_s == 0.0
        if delay_s > 0.0:
            push(calendar, now_s + busy_s, first_event + device)
        _answer_later(core, queues, calendar, number, now_s + busy_s + delay_s)
    while unit[device, q.EXTENTS] > 0 and unit[device, q.BUSY] < unit[device, q.SERVERS]:
        _destage(core, queues, machine_devices, disk, log_disk, calendar, random, setting, device, now_s)
        if core.scalar[m.STATUS] != m.RUNNING:
            break


@lean_part
def answered(core, queues, calendar, number, now_s):
    """A request and those merged into it are answered; whose phase this ends is ready. Where it was an extent that a
    device has destaged, its room is free: writes that waited for it are taken."""
    request, fields = queues.request, core.job
    device = request[number, q.DEVICE]
    if request[number, q.HOLDS]:
        q.serve_ends(queues, device, now_s)
        core.scalar[m.TOUCHED] |= 1 << device
    if request[number, q.JOB] == NOBODY:
        queues.unit[device, q.DESTAGING] -= request[number, q.BLOCKS]
        q.give_back(queues, number)
        number = write_cache.let_in(queues, device, now_s)
        while number != NOBODY:
            _carried(core, queues, calendar, device, number, now_s)
            number = write_cache.let_in(queues, device, now_s)
        return
    if request[number, q.OPERATION] == q.READ and not request[number, q.CACHED]:
        queues.unit[device, q.JUST] = request[number, q.JOB]
    while number != NOBODY:
        job = request[number, q.JOB]
        queues.pace[job, q.DONE_S] = now_s
        fields[job, m.OUTSTANDING] -= 1
        if fields[job, m.OUTSTANDING] == 0:
            fields[job, m.STEP] = m.DONE if fields[job, m.CHAIN_FIRST] == NOBODY else m.ISSUE
            ready(core, job)
        merged = request[number, q.MERGED]
        q.give_back(queues, number)
        number = merged


@lean_part
def wait_ends(core, queues, device, now_s):
    """The device has waited long enough for its last process, unless that has come and it waits for another by now."""
    if queues.clock[device, q.WAIT_UNTIL_S] <= now_s and queues.unit[device, q.WAIT_FOR] != NOBODY:
        queues.unit[device, q.JUST] = NOBODY
        queues.unit[device, q.WAIT_FOR] = NOBODY
        core.scalar[m.TOUCHED] |= 1 << device
