"""From a setup and a load to the arrays that the event loop works on."""

from dataclasses import replace

import numpy as np

from pagecost import cancellation
from pagecost.errors import require
from pagecost.filesystem import FileSystem, InPlace, LogStructured
from pagecost.filesystem.state_kernels import BLOCKS, HOME, FileSystemState, verb_rows
from pagecost.oltp import machine_kernels as m
from pagecost.oltp import page_cache_kernels as page_cache
from pagecost.oltp import queues_kernels as q
from pagecost.oltp.drives import LAWS, SCHEDULERS, Storage, mechanics, tables
from pagecost.oltp.loads import Load
from pagecost.oltp.outcomes import outcomes
from pagecost.oltp.setup import Log, Setup
from pagecost.remembering import shared
from pagecost.transactions.calendar_kernels import PAYLOAD_BITS, Calendar
from pagecost.transactions.locks_kernels import new_locks
from pagecost.transactions.random_kernels import ARRIVALS, new_streams
from pagecost.transactions.stations_kernels import new_stations
from pagecost.units import format_bytes

PROCESSORS, DEVICE, LOG_DEVICE = "processors", "device", "log device"  # stations by name; several have numbers
POOL = 1 << 14  # requests at a time
MOST_PLANNED = 1 << 12
LEAST_VOLUME_BYTES = 1 << 28  # beyond twice the files, where the size of a volume is not said
WRITTEN_BEFORE_S = 30 * 86400.0  # the files, before the clock starts: nothing of them is young for a cleaner
COLLECTOR_S = 0.1  # between two looks of a collector in the database, which has no interval of its own


def assemble(setup: Setup, load: Load, fill: int, seed: int) -> tuple[m.Machine, m.State]:
    """The arrays at time 0. fill: transactions that have been before. Raises ModelError where parts do not fit."""
    page_blocks = _page_blocks(setup, load)
    log = setup.log or Log()
    storages = [setup.storage] + ([log.storage] if setup.log and log.storage else [])
    log_pages = max(1, log.file_bytes // load.page_bytes)
    beside = 0 if setup.log is None or log.storage else log_pages  # of the log's file on the devices of the data
    _check_room(load.name + (" and its log" if beside else ""), (load.pages + beside) * load.page_bytes, setup.storage)
    if log.storage:
        _check_room("the log", log.file_bytes, log.storage)
    require(
        setup.users <= load.transactions,
        f"{setup.users} users need at least as many transactions; {load.name} has {load.transactions}",
    )
    found = outcomes(load, 1 if setup.rate_hz else setup.users, setup.buffer)
    cache = setup.page_cache
    volume = _volume(setup, load, beside)
    cancellation.point()
    setting = np.zeros(m.SETTINGS, np.int64)
    ends = [_ends_bytes(setup, load, volume, beside)] + [(log.file_bytes, log.file_bytes)] * (len(storages) - 1)
    values = {
        m.USERS: setup.users,
        m.PROCESSOR_LAW: LAWS.index(setup.processors.law),
        m.GROUP_SIZE: log.group_size,
        m.FLUSH: log.flush,
        m.LOGGING: setup.log is not None,
        m.LOG_BUFFER_BYTES: log.buffer_bytes,
        m.PAGE_BLOCKS: page_blocks,
        m.BLOCK_BYTES: setup.block_bytes,
        m.LOG_FIRST: 0 if log.storage else load.pages * page_blocks,
        m.LOG_BLOCKS: log_pages * page_blocks,
        m.TRANSACTION_LOG_BYTES: log.transaction_bytes,
        m.CHANGE_LOG_BYTES: log.change_bytes,
        m.VOLUME: setup.file_system is not None,
        m.LOG_FIRST_PAGE: load.pages,
        m.BATCH_PAGES: setup.buffer.write_batch,
        m.FORCED: setup.buffer.force,
        m.CACHED: cache is not None,
        m.WRITES_WAIT: cache is not None and not cache.synchronous,
        m.BACKGROUND_PAGES: cache.background_share * cache.pages if cache else 0,
        m.DIRTY_PAGES: cache.dirty_share * cache.pages if cache else 0,
        m.READ_AHEAD: cache.read_ahead_pages if cache else 0,
        m.THINKS: _thinks(setup, load),
    }
    for place, value in values.items():
        setting[place] = value
    first = 0
    for array, storage in zip((m.DATA_ARRAY, m.LOG_ARRAY), storages, strict=False):
        stripe = max(1, storage.stripe_bytes // setup.block_bytes)
        setting[array : array + 5] = first, storage.count, stripe, storage.copies, storage.parities
        first += storage.count
    number = np.zeros(m.NUMBERS)
    number[m.THINK_S] = 0.0 if _thinks(setup, load) else setup.think_s
    number[m.IO_S] = setup.processors.io_s
    number[m.GROUP_WAIT_S] = log.group_wait_s
    number[m.CHECKPOINT_S : m.FLUSHER_S + 1] = _intervals_s(setup)
    number[m.EXPIRE_S] = cache.expire_s if cache else 0.0
    machine = m.Machine(
        m.Load(load.first, load.page, load.write.view(np.uint8), load.lock, load.kind, *found[:3]),
        number,
        setting,
        _comes_s(setup, load, fill, seed),
        _demands_s(setup, load),
        np.array([kind not in load.uncommitted for kind in load.kinds], np.uint8),
        mechanics(setup.storage.drive),
        mechanics(storages[-1].drive),
        tables(storages, setup.block_bytes, ends),
    )
    cancellation.point()
    state = _state(setup, load, storages, volume, fill, seed)
    if not setup.buffer.force:
        state.core.page_state[found.changed(load, load.first[fill])] = m.CHANGED
    if cache:
        cancellation.point()
        page_cache.fill(state.cache, found.order, load.page, *found[:3], load.first[fill])
        state.cache.count[page_cache.HITS :] = 0
    return machine, state


def _intervals_s(setup: Setup) -> list[float]:
    """Of checkpoints, cleaner and flusher, in the order of the timers; 0: never."""
    cleaner_s = 0.0
    if setup.cleaning and setup.file_system is not None and not isinstance(setup.file_system, InPlace):
        cleaner_s = getattr(setup.file_system, "cleaning_interval_s", COLLECTOR_S)
    cache = setup.page_cache
    flusher_s = cache.flush_interval_s if cache and not cache.synchronous else 0.0
    return [setup.checkpoint_interval_s or 0.0, cleaner_s, flusher_s]


def _volume(setup: Setup, load: Load, log_pages: int) -> FileSystemState:
    """The volume with database and log laid out on it; a small one that nobody uses where there is no file system."""
    if setup.file_system is None:
        return InPlace(block_bytes=512).state(1024, 1, 512)
    needed = (load.pages + log_pages) * load.page_bytes
    size = setup.volume_bytes or min(2 * needed + LEAST_VOLUME_BYTES, setup.storage.capacity_bytes)
    require(
        size <= setup.storage.capacity_bytes,
        f"a file system of {format_bytes(size)} is larger than its device, {setup.storage.in_words}",
    )
    files = (load.pages, *((log_pages,) if log_pages else ()))
    file_system = setup.file_system
    if isinstance(file_system, LogStructured):
        file_system = replace(file_system, cleaning_interval_s=COLLECTOR_S)  # of which the state knows nothing
    volume = laid_out(file_system, int(size // setup.block_bytes), files, load.page_bytes)
    cancellation.point()
    return FileSystemState(*(array.copy() for array in volume))


def _ends_bytes(setup: Setup, load: Load, volume: FileSystemState, log_pages: int) -> tuple[int, int]:
    """Where pages that keep their places end, and the log behind them; a log-structured volume is one to its end."""
    if setup.file_system is None:
        return load.pages * load.page_bytes, (load.pages + log_pages) * load.page_bytes
    if isinstance(setup.file_system, InPlace):
        first = volume.page[HOME, [load.pages - 1, -1]] * setup.block_bytes
        return int(first[0]) + load.page_bytes, int(first[1]) + load.page_bytes
    size = int(volume.setting[BLOCKS]) * setup.block_bytes
    return size, size


@shared(2)
def laid_out(file_system: FileSystem, blocks: int, files: tuple[int, ...], page_bytes: int) -> FileSystemState:
    """A volume on which the files were written long ago. Writing them takes longer than many a run."""
    state = file_system.state(blocks, files, page_bytes)
    state.closed_s[:] = -WRITTEN_BEFORE_S
    return state


def station_names(setup: Setup) -> tuple[str, ...]:
    """The stations at which something waits and is served: the processors, then the devices one by one."""
    log = setup.log and setup.log.storage
    return (PROCESSORS, *_members(DEVICE, setup.storage), *(_members(LOG_DEVICE, log) if log else ()))


def _members(title: str, storage: Storage) -> list[str]:
    """The devices of a storage by name; one alone has no number."""
    return [title] if storage.count == 1 else [f"{title} {number}" for number in range(1, storage.count + 1)]


def _page_blocks(setup: Setup, load: Load) -> int:
    blocks, rest = divmod(load.page_bytes, setup.block_bytes)
    require(
        blocks >= 1 and rest == 0,
        f"a page of the database must be a whole number of blocks of {setup.block_bytes} bytes; got {load.page_bytes}",
    )
    return blocks


def _check_room(what: str, needed_bytes: int, storage: Storage) -> None:
    require(
        needed_bytes <= storage.capacity_bytes,
        f"a file system for the {format_bytes(needed_bytes)} of {what} is larger than its device, {storage.in_words}",
    )


def _thinks(setup: Setup, load: Load) -> bool:
    """Whether users think as the load says; transactions that come by themselves wait for nobody's thoughts."""
    return load.think_s is not None and not setup.rate_hz


def _comes_s(setup: Setup, load: Load, fill: int, seed: int) -> np.ndarray:
    """When each transaction comes [s], those that have been before at 0; empty where users bring them. Where the load
    says it, how long is thought before each.

    Equal seeds give equal times but for the rate: what differs between two rates is not due to chance.
    """
    if _thinks(setup, load):
        return np.array(load.think_s, float)
    if not setup.rate_hz:
        return np.zeros(0)
    gaps = np.random.default_rng((seed, ARRIVALS)).exponential(size=load.transactions - fill)
    return np.concatenate([np.zeros(fill), np.cumsum(gaps) / setup.rate_hz])


def _demands_s(setup: Setup, load: Load) -> np.ndarray:
    """Mean processor time of a burst, by type: each reference has one, and the end."""
    lengths = np.diff(load.first)
    counts = np.bincount(load.kind, minlength=len(load.kinds))
    bursts = np.bincount(load.kind, lengths + 1, minlength=len(load.kinds)) / np.maximum(counts, 1)
    given = [setup.processors.of(kind) if counts[at] else 0.0 for at, kind in enumerate(load.kinds)]
    return np.array(given) / np.maximum(bursts, 1)


def _state(setup: Setup, load: Load, storages: list[Storage], volume: FileSystemState, fill: int, seed: int) -> m.State:
    users = setup.users
    jobs = users + m.AGENTS
    devices = sum(storage.count for storage in storages)
    queues = q.new_queues(devices, jobs, POOL, cached=any(storage.write_cache_bytes for storage in storages))
    device = 0
    for storage in storages:
        for _ in range(storage.count):
            queues.unit[device, q.SERVERS] = getattr(storage.drive, "servers", 1)
            queues.unit[device, q.SCHEDULER] = SCHEDULERS[storage.scheduler]
            queues.unit[device, q.MOST_BLOCKS] = storage.merge_bytes // setup.block_bytes
            queues.unit[device, q.CACHE_BLOCKS] = storage.write_cache_bytes // setup.block_bytes
            queues.clock[device, q.BLOCK_BUS_S] = setup.block_bytes / storage.interface_bytes_per_s
            device += 1
    job = np.zeros((jobs, m.JOB_FIELDS), np.int64)
    job[:, m.STEP] = m.BEGIN
    job[users:, m.STEP] = m.IDLE
    job[:users, m.THINKING] = 1
    job[:, m.CHAIN_FIRST] = job[:, m.BEHIND] = q.NOBODY
    scalar = np.zeros(m.SCALARS, np.int64)
    scalar[m.NEXT_TRANSACTION] = fill
    scalar[m.CLEANING_WAITERS] = q.NOBODY
    joined = new_stations([setup.processors.servers], jobs, m.TERMS - 2)
    core = m.Core(
        job=job,
        ready=np.zeros(jobs, np.int64),
        scalar=scalar,
        since_s=joined.since_s,
        pages=np.zeros((jobs, _most_pages(setup, load)), np.int64),
        page_state=np.zeros(load.pages, np.uint8),
        counts=np.zeros(m.COUNTS, np.int64),
        sizes=np.zeros((m.LEVELS, 3, m.SIZES), np.int64),
        blocks=np.zeros((m.LEVELS, 3), np.int64),
        request=np.zeros((max(MOST_PLANNED, 2 * verb_rows(volume)), 5), np.int64),
        asked=np.zeros(2, np.int64),
    )
    record = m.Record(
        began_s=np.zeros(users),
        total_s=np.zeros((len(load.kinds), m.TERMS)),
        done_s=np.zeros(load.transactions),
        response_s=np.zeros(load.transactions),
        done_kind=np.zeros(load.transactions, np.uint8),
    )
    locks = new_locks(users, max(1, load.longest))
    cache = page_cache.new_page_cache(setup.page_cache.pages if setup.page_cache else 0, load.pages, jobs)
    calendar = _calendar(setup, load, jobs, devices, seed)
    return m.State(core, record, calendar, joined, locks, queues, volume, cache, new_streams(seed), np.zeros(1))


def _most_pages(setup: Setup, load: Load) -> int:
    """Pages that a job has in hand at most: a batch, or a log write of all who wait or of a full log buffer."""
    log = setup.log or Log()
    record_bytes = log.transaction_bytes + load.longest * log.change_bytes
    log_bytes = setup.users * record_bytes + (0 if log.flush else log.buffer_bytes + record_bytes)
    return max(m.BATCH, log_bytes // load.page_bytes + 3)


def _calendar(setup: Setup, load: Load, jobs: int, devices: int, seed: int) -> Calendar:
    """The first transaction of every user, and the timers."""
    users = setup.users
    times_s = np.zeros(users)
    if setup.think_s > 0 and not _thinks(setup, load):
        times_s = np.random.default_rng((seed, ARRIVALS)).exponential(setup.think_s, users)
    events = list(zip(times_s.tolist(), range(users), strict=True))
    for timer, interval_s in enumerate(_intervals_s(setup), start=m.CHECKPOINT_TIMER):
        if interval_s > 0:
            events.append((interval_s, jobs + 2 * devices + timer))
    events.sort()  # a sorted list is a heap
    room = 2 * POOL + 8 * jobs + 8 * devices + 64
    calendar = Calendar(np.zeros(room), np.zeros(room, np.int64), np.array([len(events), len(events)]))
    for at, (time_s, payload) in enumerate(events):
        calendar.time_s[at] = time_s
        calendar.entry[at] = ((at + 1) << PAYLOAD_BITS) | payload
    return calendar
