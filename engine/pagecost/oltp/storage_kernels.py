"""From pages of the database to requests: through the page cache and the file system, or straight to their places."""

import numpy as np

from pagecost._jit import lean_part
from pagecost.filesystem import verbs_kernels as verbs
from pagecost.filesystem.state_kernels import FAILED, NOW, Plan
from pagecost.oltp import machine_kernels as m
from pagecost.oltp import page_cache_kernels as page_cache
from pagecost.oltp import queues_kernels as q
from pagecost.oltp.requests_kernels import ask, note, ready
from pagecost.transactions.stations_kernels import NOBODY


@lean_part
def load_page(core, cache, setting, job, page):
    """The page that is not in the buffer must be read, and where the job reads on, those behind it."""
    fields = core.job
    core.counts[m.PAGE_READS] += 1
    note(core, m.DATABASE, q.READ, setting[m.PAGE_BLOCKS])
    fields[job, m.TERM] = m.READ
    fields[job, m.AFTER] = m.NEXT
    count = np.int64(1)
    if setting[m.CACHED]:
        count = page_cache.read(cache, job, page, setting[m.READ_AHEAD])
    core.pages[job, 0] = page
    fields[job, m.PAGES] = count
    fields[job, m.STEP] = m.FETCH if count > 0 else m.NEXT


@lean_part
def write_pages(core, cache, setting, job, now_s):
    """The pages that the job has in hand are written: at once, or they wait in the page cache.

    Where too much waits in the page cache, who writes must write some of that.
    """
    fields = core.job
    for i in range(fields[job, m.PAGES]):
        note(core, m.DATABASE, q.WRITE, setting[m.PAGE_BLOCKS])
        if setting[m.CACHED]:
            page_cache.write(cache, core.pages[job, i], setting[m.WRITES_WAIT], now_s)
    fields[job, m.STEP] = m.HAND_OVER
    if setting[m.WRITES_WAIT]:
        too_many = cache.count[page_cache.DIRTY] > setting[m.DIRTY_PAGES]
        fields[job, m.STEP] = m.FLUSH_PAGES if too_many else m.DONE


@lean_part
def flush_pages(core, cache, setting, job, expired_s):
    """Take the pages that have waited longest; the flusher does so again while there are more to write.

    expired_s: what waits since then or longer is written in any case. Returns whether the job goes on.
    """
    fields = core.job
    flusher = job == setting[m.USERS] + m.FLUSHER
    count = 0
    while count < m.BATCH and cache.count[page_cache.DIRTY] > 0:
        expired = cache.changed_s[cache.count[page_cache.FIRST]] <= expired_s
        if flusher and not expired and cache.count[page_cache.DIRTY] <= setting[m.BACKGROUND_PAGES]:
            break
        core.pages[job, count] = page_cache.take_waiting(cache)
        count += 1
    core.counts[m.FLUSHED] += count
    fields[job, m.PAGES] = count
    if flusher:
        fields[job, m.TERM] = m.WRITE
        fields[job, m.AFTER] = m.FLUSH_PAGES
    if count > 0:
        fields[job, m.STEP] = m.HAND_OVER
        return True
    fields[job, m.STEP] = m.IDLE if flusher else m.DONE
    return not flusher


@lean_part
def log_pages(core, setting, job, records_bytes):
    """Plan the blocks of the next log records: pages of the log's file, or blocks of a ring without a file system.

    The block that is not yet full is written again.
    """
    fields, block_bytes, position = core.job, setting[m.BLOCK_BYTES], core.scalar[m.LOG_POSITION]
    core.scalar[m.LOG_POSITION] = position + records_bytes
    first = position // block_bytes
    blocks = (position + records_bytes - 1) // block_bytes - first + 1
    ring = setting[m.LOG_BLOCKS]
    note(core, m.DATABASE, q.WRITE, blocks)
    fields[job, m.STEP] = m.POST
    if setting[m.VOLUME] and setting[m.LOG_ARRAY + m.MEMBERS] == 0:
        page_blocks = setting[m.PAGE_BLOCKS]
        page = first // page_blocks
        fields[job, m.PAGES] = (first + blocks - 1) // page_blocks - page + 1
        for i in range(fields[job, m.PAGES]):
            core.pages[job, i] = setting[m.LOG_FIRST_PAGE] + (page + i) % (ring // page_blocks)
        fields[job, m.STEP] = m.HAND_OVER
        return
    first %= ring
    here = min(blocks, ring - first)
    ask(core, q.WRITE, setting[m.LOG_FIRST] + first, here, m.LOG_CAUSE)
    if here < blocks:
        ask(core, q.WRITE, setting[m.LOG_FIRST], blocks - here, m.LOG_CAUSE)


@lean_part
def ask_storage(core, volume, setting, job, now_s):
    """What pages become: FETCH reads them, HAND_OVER writes and syncs them, CLEAN frees segments.

    The one place that calls the verbs of the file system, which are large. Returns whether the job goes on: where no
    segment is clean beyond what the cleaner needs, it waits.
    """
    fields, step, plan = core.job, core.job[job, m.STEP], Plan(core.request, core.asked)
    if step == m.HAND_OVER and setting[m.VOLUME] and verbs.must_clean(volume):
        fields[job, m.STEP] = m.CLEANING_OVER
        fields[job, m.BEHIND] = core.scalar[m.CLEANING_WAITERS]
        core.scalar[m.CLEANING_WAITERS] = job
        start_cleaner(core, setting)
        return False
    fields[job, m.STEP] = m.POST
    if step == m.CLEAN:
        freed = verbs.clean(volume, now_s, plan)
        core.since_s[job] = now_s
        if freed < 0:
            core.scalar[m.STATUS] = m.NO_SPACE
        core.scalar[m.CLEANINGS] += freed > 0
        core.scalar[m.FREED] += freed
        fields[job, m.TERM] = m.CLEANING
        fields[job, m.AFTER] = m.CLEANED
    elif not setting[m.VOLUME]:
        operation = q.READ if step == m.FETCH else q.WRITE
        for i in range(fields[job, m.PAGES]):
            page = core.pages[job, 0] + i if step == m.FETCH else core.pages[job, i]
            ask(core, operation, page * setting[m.PAGE_BLOCKS], setting[m.PAGE_BLOCKS], m.DATA_CAUSE)
    else:
        volume.clock[NOW] = now_s
        for i in range(fields[job, m.PAGES]):
            if step == m.FETCH:
                verbs.read(volume, core.pages[job, 0] + i, plan)
            else:
                verbs.write(volume, core.pages[job, i], plan)
        if step == m.HAND_OVER:
            core.counts[m.SYNCS] += 1
            verbs.sync(volume, plan)
    if volume.at[FAILED] > 0:
        core.scalar[m.STATUS] = m.NO_SPACE
    return True


# Cleaning


@lean_part
def start_cleaner(core, setting):
    """The cleaner wakes, unless it is at work."""
    job = setting[m.USERS] + m.CLEANER
    if core.job[job, m.STEP] == m.IDLE:
        core.job[job, m.STEP] = m.CLEAN
        ready(core, job)


@lean_part
def cleaned(core, job):
    """Who waited for clean segments looks again."""
    core.job[job, m.STEP] = m.IDLE
    waiter = core.scalar[m.CLEANING_WAITERS]
    core.scalar[m.CLEANING_WAITERS] = NOBODY
    while waiter != NOBODY:
        ready(core, waiter)
        following = core.job[waiter, m.BEHIND]
        core.job[waiter, m.BEHIND] = NOBODY
        waiter = following
