"""Agents that work for all users: the log writer with its groups, the page writer, the checkpointer, the flusher."""

from pagecost._jit import lean_part
from pagecost.oltp import machine_kernels as m
from pagecost.oltp.requests_kernels import ready
from pagecost.oltp.storage_kernels import log_pages
from pagecost.transactions.calendar_kernels import push
from pagecost.transactions.stations_kernels import NOBODY


@lean_part
def committed(setting):
    """What follows when the log of a transaction that has changed pages is written."""
    return m.FORCE_PAGES if setting[m.FORCED] else m.FINISH


@lean_part
def commit(core, calendar, setting, number, devices, job, now_s):
    """Hand the log records over; returns whether the user can go on, because nobody waits for the log."""
    fields, scalar = core.job, core.scalar
    fields[job, m.STEP] = m.FINISH
    if fields[job, m.UPDATES] == 0:
        return True
    fields[job, m.STEP] = committed(setting)
    if not setting[m.LOGGING]:
        return True
    core.counts[m.COMMITS] += 1
    record_bytes = setting[m.TRANSACTION_LOG_BYTES] + fields[job, m.UPDATES] * setting[m.CHANGE_LOG_BYTES]
    if not setting[m.FLUSH]:
        scalar[m.LOG_PENDING] += record_bytes
        start_log(core, setting, number, now_s)
        return True
    fields[job, m.LOG_BYTES] = record_bytes
    fields[job, m.BEHIND] = NOBODY
    fields[job, m.STEP] = m.LOGGED
    if scalar[m.LOG_WAITING] == 0:
        scalar[m.LOG_FIRST_WAITING] = job
        if number[m.GROUP_WAIT_S] > 0:
            push(calendar, now_s + number[m.GROUP_WAIT_S], core.job.shape[0] + 2 * devices + m.GROUP_TIMER)
    else:
        fields[scalar[m.LOG_LAST_WAITING], m.BEHIND] = job
    scalar[m.LOG_LAST_WAITING] = job
    scalar[m.LOG_WAITING] += 1
    start_log(core, setting, number, now_s)
    return False


@lean_part
def start_log(core, setting, number, now_s):
    """The log writer begins, unless it is at work or has no reason to: a group that is full or has waited long enough,
    or a full log buffer."""
    scalar = core.scalar
    if scalar[m.LOG_BUSY] != 0:
        return
    if scalar[m.LOG_WAITING] == 0:
        due = scalar[m.LOG_PENDING] >= setting[m.LOG_BUFFER_BYTES]
    else:
        first_s = core.since_s[scalar[m.LOG_FIRST_WAITING]]
        due = scalar[m.LOG_WAITING] >= setting[m.GROUP_SIZE] or first_s + number[m.GROUP_WAIT_S] <= now_s
    if due:
        scalar[m.LOG_BUSY] = 1
        writer = setting[m.USERS] + m.LOG_WRITER
        core.job[writer, m.STEP] = m.WRITE_LOG
        core.since_s[writer] = now_s
        ready(core, writer)


@lean_part
def write_log(core, setting, job):
    """Write the records of all who wait, at most a group."""
    fields, scalar = core.job, core.scalar
    scalar[m.LOG_WRITING] = scalar[m.LOG_FIRST_WAITING] if scalar[m.LOG_WAITING] > 0 else NOBODY
    records_bytes = scalar[m.LOG_PENDING]
    scalar[m.LOG_PENDING] = 0
    last = NOBODY
    for _ in range(min(setting[m.GROUP_SIZE], scalar[m.LOG_WAITING])):
        last = scalar[m.LOG_FIRST_WAITING]
        records_bytes += fields[last, m.LOG_BYTES]
        scalar[m.LOG_FIRST_WAITING] = fields[last, m.BEHIND]
        scalar[m.LOG_WAITING] -= 1
    if last != NOBODY:
        fields[last, m.BEHIND] = NOBODY
    core.counts[m.LOG_WRITES] += 1
    log_pages(core, setting, job, records_bytes)
    fields[job, m.TERM] = m.LOG
    fields[job, m.AFTER] = m.LOG_WRITTEN


@lean_part
def log_written(core, calendar, setting, number, devices, job, now_s):
    """Who waited for the log goes on; the writer begins again where enough waits."""
    fields, scalar = core.job, core.scalar
    waiter = scalar[m.LOG_WRITING]
    while waiter != NOBODY:
        ready(core, waiter)
        waiter = fields[waiter, m.BEHIND]
    fields[job, m.STEP] = m.IDLE
    scalar[m.LOG_BUSY] = 0
    start_log(core, setting, number, now_s)
    if (
        scalar[m.LOG_BUSY] == 0 and scalar[m.LOG_WAITING] > 0
    ):  # those that are left behind wait for a timer of their own
        due_s = core.since_s[scalar[m.LOG_FIRST_WAITING]] + number[m.GROUP_WAIT_S]
        push(calendar, due_s, core.job.shape[0] + 2 * devices + m.GROUP_TIMER)


@lean_part
def start_checkpoint(core, setting, now_s):
    """It is time for a checkpoint; one that is still at work goes on instead."""
    job = setting[m.USERS] + m.CHECKPOINTER
    if core.job[job, m.STEP] == m.IDLE:
        core.scalar[m.CHECKPOINT_AT] = 0
        core.scalar[m.CHECKPOINTS] += 1
        core.since_s[job] = now_s
        core.job[job, m.STEP] = m.CHECKPOINT
        ready(core, job)


@lean_part
def checkpoint(core, job):
    """Write the next changed pages in the order of their places. Returns whether there were any."""
    fields, page_state = core.job, core.page_state
    page, count = core.scalar[m.CHECKPOINT_AT], 0
    while page < page_state.size and count < m.BATCH:
        if page_state[page] == m.CHANGED:
            page_state[page] = m.SAVED
            core.pages[job, count] = page
            count += 1
        page += 1
    core.scalar[m.CHECKPOINT_AT] = page
    core.counts[m.CHECKPOINT_WRITES] += count
    fields[job, m.PAGES] = count
    fields[job, m.TERM] = m.WRITE
    fields[job, m.AFTER] = m.CHECKPOINT
    fields[job, m.STEP] = m.WRITE_PAGES if count > 0 else m.IDLE
    return count > 0


@lean_part
def gather(core, setting, job, now_s):
    """The page that must leave joins those that the page writer writes together; it begins unless it is at work."""
    fields, scalar = core.job, core.scalar
    fields[job, m.BEHIND] = NOBODY
    fields[job, m.STEP] = m.DONE
    if scalar[m.BATCH_WAITING] == 0:
        scalar[m.BATCH_FIRST_WAITING] = job
    else:
        fields[scalar[m.BATCH_LAST_WAITING], m.BEHIND] = job
    scalar[m.BATCH_LAST_WAITING] = job
    scalar[m.BATCH_WAITING] += 1
    writer = setting[m.USERS] + m.PAGE_WRITER
    if fields[writer, m.STEP] == m.IDLE:
        fields[writer, m.STEP] = m.WRITE_BATCH
        core.since_s[writer] = now_s
        ready(core, writer)


@lean_part
def write_batch(core, setting, job):
    """The page writer takes the pages that have gathered, at most a batch, and writes them with one sync."""
    fields, scalar = core.job, core.scalar
    if scalar[m.BATCH_WAITING] == 0:
        fields[job, m.STEP] = m.IDLE
        return False
    scalar[m.BATCH_WRITING] = scalar[m.BATCH_FIRST_WAITING]
    last, count = NOBODY, 0
    while count < setting[m.BATCH_PAGES] and scalar[m.BATCH_WAITING] > 0:
        last = scalar[m.BATCH_FIRST_WAITING]
        core.pages[job, count] = core.pages[last, 0]
        scalar[m.BATCH_FIRST_WAITING] = fields[last, m.BEHIND]
        scalar[m.BATCH_WAITING] -= 1
        count += 1
    fields[last, m.BEHIND] = NOBODY
    fields[job, m.PAGES] = count
    fields[job, m.TERM] = m.WRITE
    fields[job, m.AFTER] = m.BATCH_WRITTEN
    fields[job, m.STEP] = m.WRITE_PAGES
    return True


@lean_part
def batch_written(core, job):
    """Whose page was written goes on; the page writer looks for more."""
    waiter = core.scalar[m.BATCH_WRITING]
    while waiter != NOBODY:
        ready(core, waiter)
        waiter = core.job[waiter, m.BEHIND]
    core.job[job, m.STEP] = m.WRITE_BATCH


@lean_part
def start_flusher(core, setting, now_s):
    """It is time to look for pages that have waited long enough in the page cache."""
    job = setting[m.USERS] + m.FLUSHER
    if core.job[job, m.STEP] == m.IDLE:
        core.since_s[job] = now_s
        core.job[job, m.STEP] = m.FLUSH_PAGES
        ready(core, job)
