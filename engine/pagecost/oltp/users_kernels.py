"""What a user's transaction does between its beginning and its commit: locks, pages, victims."""

from pagecost._jit import lean_part
from pagecost.oltp import machine_kernels as m
from pagecost.transactions import locks_kernels as locks
from pagecost.transactions.calendar_kernels import push
from pagecost.transactions.stations_kernels import spend


@lean_part
def begin(core, load, setting, comes_s, began_s, stations, calendar, job, now_s):
    """The user takes the next transaction; one that comes by itself may have waited, or is waited for; before one with
    a think time of its own he thinks.

    Who is free first takes what comes first, so that the order is that of one queue. Returns whether he goes on now.
    """
    fields, scalar = core.job, core.scalar
    number = scalar[m.NEXT_TRANSACTION]
    if number == load.first.size - 1:
        scalar[m.STATUS] = m.LOAD_ENDED
        return False
    scalar[m.NEXT_TRANSACTION] = number + 1
    fields[job, m.TRANSACTION] = number
    fields[job, m.REFERENCE] = load.first[number]
    fields[job, m.REACHED] = load.first[number]
    fields[job, m.END] = load.first[number + 1]
    fields[job, m.UPDATES] = 0
    fields[job, m.FORCED_UNTIL] = load.first[number]
    fields[job, m.STEP] = m.NEXT
    if comes_s.size == 0:
        began_s[job] = now_s
        core.since_s[job] = now_s
        return True
    came_s = now_s + comes_s[number] if setting[m.THINKS] else comes_s[number]
    began_s[job] = came_s
    core.since_s[job] = came_s
    if came_s > now_s:
        fields[job, m.THINKING] = 1
        push(calendar, came_s, job)
        return False
    spend(stations, job, m.ENTRY, now_s)
    return True


@lean_part
def lock(core, load, held, job):
    """Lock what the next reference needs; returns whether the user can go on."""
    fields = core.job
    reference = fields[job, m.REFERENCE]
    what = load.lock[reference]
    fields[job, m.STEP] = m.FIX
    if what < 0:
        return True
    mode = locks.EXCLUSIVE if load.write[reference] else locks.SHARED
    answer = locks.acquire(held, job, what, mode)
    if answer == locks.WAITS:
        fields[job, m.STEP] = m.GRANTED
        return False
    if answer == locks.DEADLOCK:  # who closes the circle gives way and begins again
        core.scalar[m.RESTARTS] += 1
        release(core, held, job)
        fields[job, m.REFERENCE] = load.first[fields[job, m.TRANSACTION]]
        fields[job, m.UPDATES] = 0
        fields[job, m.STEP] = m.NEXT
    return True


@lean_part
def release(core, held, job):
    """Give the locks back; who waited for them is ready."""
    core.scalar[m.READY] = locks.release_all(held, job, core.ready, core.scalar[m.READY])


@lean_part
def fix(core, load, job):
    """The next reference: its page is in the buffer, or others must make room for it and it is read."""
    fields = core.job
    reference = fields[job, m.REFERENCE]
    fields[job, m.REFERENCE] = reference + 1
    write = load.write[reference]
    core.counts[m.LOGICAL_READS + write] += 1
    if write:
        fields[job, m.UPDATES] += 1
        core.page_state[load.page[reference]] = m.CHANGED
    if reference < fields[job, m.REACHED] or load.hit[reference]:  # again after a deadlock: its pages are there
        fields[job, m.STEP] = m.NEXT
    else:
        fields[job, m.VICTIM] = load.victims[reference, 0]
        fields[job, m.VICTIM_END] = load.victims[reference, 1]
        fields[job, m.STEP] = m.EVICT
    fields[job, m.REACHED] = max(fields[job, m.REACHED], reference + 1)


@lean_part
def evict(core, load, setting, job):
    """The next changed page that must leave the buffer is written; then the wanted one is read.

    Who leaves was found without times (`outcomes`): with FORCE, a page whose change comes later in time is clean now.
    """
    fields = core.job
    if fields[job, m.VICTIM] == fields[job, m.VICTIM_END]:
        fields[job, m.STEP] = m.LOAD
        return
    page = load.victim[fields[job, m.VICTIM]]
    fields[job, m.VICTIM] += 1
    state = core.page_state[page]
    core.page_state[page] = m.UNCHANGED
    if state == m.SAVED or (setting[m.FORCED] and state == m.UNCHANGED):
        return
    core.counts[m.PAGE_WRITES] += 1
    core.pages[job, 0] = page
    fields[job, m.PAGES] = 1
    fields[job, m.TERM] = m.WRITE
    fields[job, m.AFTER] = m.EVICT
    fields[job, m.STEP] = m.GATHER if setting[m.BATCH_PAGES] > 1 else m.WRITE_PAGES


@lean_part
def force_pages(core, load, job):
    """FORCE: the pages that the transaction has changed and nobody has written since are written, then it ends."""
    fields, count = core.job, 0
    reference = fields[job, m.FORCED_UNTIL]
    while reference < fields[job, m.END] and count < m.BATCH:
        page = load.page[reference]
        if load.write[reference] and core.page_state[page] == m.CHANGED:
            core.page_state[page] = m.SAVED
            core.pages[job, count] = page
            count += 1
        reference += 1
    core.counts[m.FORCED_WRITES] += count
    fields[job, m.FORCED_UNTIL] = reference
    fields[job, m.PAGES] = count
    fields[job, m.TERM] = m.WRITE
    fields[job, m.AFTER] = m.FORCE_PAGES
    fields[job, m.STEP] = m.WRITE_PAGES if count > 0 else m.FINISH


@lean_part
def complete(core, load, record, spent_s, job, now_s):
    """Record a transaction that is complete."""
    kind = load.kind[core.job[job, m.TRANSACTION]]
    for term in range(m.TERMS):
        record.total_s[kind, term] += spent_s[job, term]
        spent_s[job, term] = 0.0
    at = core.scalar[m.COMPLETED]
    record.done_s[at] = now_s
    record.response_s[at] = now_s - record.began_s[job]
    record.done_kind[at] = kind
    core.scalar[m.COMPLETED] = at + 1
    core.job[job, m.STEP] = m.BEGIN
