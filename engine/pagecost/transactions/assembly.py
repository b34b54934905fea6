"""From a described transaction system to the arrays that the event loop works on."""

import math

import numpy as np

from pagecost import reads
from pagecost.errors import require
from pagecost.transactions import machine_kernels as m
from pagecost.transactions import storage_kernels as storage
from pagecost.transactions.caches_kernels import new_caches
from pagecost.transactions.calendar_kernels import PAYLOAD_BITS, Calendar
from pagecost.transactions.loads import Load
from pagecost.transactions.locks_kernels import new_locks
from pagecost.transactions.parameters import (
    CACHING,
    KINDS,
    LAWS,
    LOCKING,
    MAIN_MEMORY,
    NONVOLATILE,
    NVEM,
    WRITE_BUFFER,
    DiskUnit,
    TransactionSystem,
)
from pagecost.transactions.random_kernels import ARRIVALS, new_streams
from pagecost.transactions.stations_kernels import NOBODY, new_stations

SPARE_WORKERS = 4000  # writes behind the transactions' backs that may pile up before a run is stopped
INPUT_QUEUE = 1 << 14


def station_names(system: TransactionSystem) -> tuple[str, ...]:
    """The stations in the order of the arrays: CPU, NVEM, and of each disk unit its controllers and its disks."""
    return ("CPU", NVEM, *(f"{unit.name} {what}" for unit in system.units for what in ("controller", "disk")))


def queue_names(system: TransactionSystem) -> tuple[str, ...]:
    """The same for all queues: behind the stations, of each unit whose disks have their own, all but the first disk."""
    more = (f"{unit.name} disk" for unit in system.units for _ in range(1, unit.queues))
    return (*station_names(system), *more)


def rules_of(system: TransactionSystem, load: Load) -> storage.Rules:
    """The allocation as arrays. Raises ModelError where a partition of the load has no place."""
    missing = [name for name in load.partitions if name not in system.partitions]
    require(not missing, f"{load.name}: no place is given for partition {', '.join(missing)}")
    places = [*(system.partitions[name] for name in load.partitions), system.log]
    place = np.zeros((len(places), storage.COLUMNS), np.int64)
    names = [unit.name for unit in system.units]
    for row, where in zip(place, places, strict=True):
        home = {MAIN_MEMORY: storage.IN_MEMORY, NVEM: storage.IN_NVEM}.get(where.home)
        row[storage.HOME] = names.index(where.home) if home is None else home
        row[storage.LOCKING] = LOCKING.index(where.locking)
        row[storage.CACHING] = CACHING[where.nvem_caching]
        row[storage.BUFFERED] = where.nvem_write_buffer
        row[storage.SYNCHRONOUS] = where.synchronous
    for number, name in enumerate(load.partitions):
        place[number, storage.GROWS] = load.appended.get(name, 0)
    second = len(station_names(system))
    unit = np.zeros((len(system.units), storage.UNIT_COLUMNS), np.int64)
    for row, u in zip(unit, system.units, strict=True):
        row[storage.UNIT_KIND] = KINDS.index(kind_of(system, u))
        row[storage.CACHE_READ_MISSES], row[storage.CACHE_WRITE_MISSES] = u.cache_read_misses, u.cache_write_misses
        row[storage.COPIES], row[storage.READS_OLD] = u.copies, u.reads_old
        row[storage.QUEUES], row[storage.SECOND_DISK] = u.queues, second
        second += u.queues - 1
    reads.note([f"constant:parameters.READS_APPENDED={system.computer.reads_appended}"])
    return storage.Rules(place, unit, system.computer.force, system.computer.reads_appended)


def caches_of(system: TransactionSystem):
    """Empty main memory, NVEM cache and disk caches."""
    computer = system.computer
    return new_caches([computer.buffer_pages, computer.nvem_cache_pages, *(u.cache_pages for u in system.units)])


def kind_of(system: TransactionSystem, unit: DiskUnit) -> str:
    """Its kind; a non-volatile cache in front of the log alone is a plain write buffer (§3.3)."""
    only_log = system.log.home == unit.name and all(place.home != unit.name for place in system.partitions.values())
    return WRITE_BUFFER if unit.kind == NONVOLATILE and only_log else unit.kind


def assemble(
    system: TransactionSystem,
    load: Load,
    rate_hz: float | None,
    terminals: int | None,
    think_s: float,
    seed: int,
    arrivals: str = "exponential",
) -> tuple[m.Machine, m.State]:
    """A machine and its state at time 0, with the first arrivals in the calendar."""
    computer, units = system.computer, system.units
    reads.note(_chosen(system))
    slots = computer.multiprogramming
    jobs = slots + SPARE_WORKERS + computer.nvem_write_buffer_pages + sum(u.cache_pages for u in units)
    require(jobs + 2 < 1 << PAYLOAD_BITS, f"all caches together have too many pages for one run: {jobs}")
    laws = [LAWS.index(arrivals), LAWS.index(computer.controller_law)]
    machine = m.Machine(
        rules_of(system, load),
        load.arrays(),
        _numbers(system, rate_hz, think_s),
        np.array(
            [
                *(slots, terminals is not None, *laws, computer.group_size, computer.clean_early, computer.logging),
                *(computer.nvem_synchronous, computer.nvem_write_buffer_pages),
            ],
            np.int64,
        ),
        np.array([_times_s(u) for u in units], float).reshape(-1, m.UNIT_TIMES),
        np.array([LAWS.index("sampled" if u.samples else computer.disk_law) for u in units], np.int64),
        _samples(units),
    )
    of_queue = [u.servers // u.queues for u in units]
    servers = [
        *(computer.processors, computer.nvem_servers),
        *(n for u, each in zip(units, of_queue, strict=True) for n in (u.controllers, each)),
        *(each for u, each in zip(units, of_queue, strict=True) for _ in range(1, u.queues)),
    ]
    most = load.longest + 4  # a transaction's operations at a time: two per reference, or log and forced writes
    free = np.concatenate([np.arange(slots)[::-1], np.arange(slots, jobs)[::-1]])
    scalar = np.zeros(m.SCALARS, np.int64)
    scalar[m.SLOTS_FREE], scalar[m.WORKERS_FREE], scalar[m.GROUP_FIRST] = slots, jobs - slots, NOBODY
    terms = 2 * len(servers) + m.MORE_TERMS
    job = np.zeros((jobs, m.JOB_FIELDS), np.int64)
    job[:, m.STATION] = NOBODY
    state = m.State(
        _first_arrivals(jobs, slots, rate_hz, terminals, think_s, seed),
        new_stations(servers, jobs, m.MORE_TERMS),
        caches_of(system),
        new_locks(slots, load.longest),
        new_streams(seed),
        job,
        np.zeros((slots, most, 2), np.int64),
        np.zeros((slots, load.longest), np.int64),
        np.zeros(slots),
        np.zeros(jobs),
        np.zeros(INPUT_QUEUE),
        free,
        np.zeros(jobs, np.int64),
        scalar,
        np.zeros(1),
        np.zeros(1),
        np.zeros(1, np.int64),
        np.zeros(len(load.partitions), np.int64),
        np.zeros(len(units), np.int64),
        np.zeros((len(load.partitions), storage.TALLIES), np.int64),
        np.zeros((len(units), 4), np.int64),
        np.zeros(terms),
    )
    return machine, state


def _times_s(unit: DiskUnit) -> tuple[float, ...]:
    """A row of `Machine.unit_s`."""
    delays_s = (unit.read_delay_s, unit.write_delay_s)
    return (unit.controller_s, unit.transmission_s, unit.read_s, unit.write_s, *delays_s)


def _samples(units) -> np.ndarray:
    """Times of reads and writes of each unit with mean 1, shape (units, 2, n); shorter rows are repeated."""
    tables = [(u.samples or (1.0,), u.write_samples or u.samples or (1.0,)) for u in units]
    size = math.lcm(*(len(row) for table in tables for row in table))
    return np.array([[np.resize(row, size) for row in table] for table in tables], float).reshape(-1, 2, size)


def _chosen(system: TransactionSystem) -> list[str]:
    """What was chosen for the papers' timed runs and stands in no table of theirs, as `pagecost.reads` names it."""
    computer = system.computer
    places = (*system.partitions.values(), system.log)
    destages = any(place.nvem_write_buffer or place.nvem_caching != "none" for place in places)
    of_destage = [f"constant:parameters.INSTRUCTIONS_DESTAGE={computer.instructions_destage:g}"]
    return [f"constant:parameters.DISK_LAW={computer.disk_law}", *(of_destage if destages else [])]


def _numbers(system: TransactionSystem, rate_hz, think_s) -> np.ndarray:
    c = system.computer
    transaction = (c.instructions_begin, c.instructions_reference, c.instructions_end)
    access = (c.instructions_io, c.instructions_nvem, c.instructions_destage)
    number = np.zeros(m.NUMBERS)
    number[: m.DESTAGE_S + 1] = np.array([*transaction, *access]) / c.instructions_per_s
    number[m.NVEM_DELAY_S] = c.nvem_s
    number[m.RATE_HZ] = rate_hz or 0.0
    number[m.THINK_S] = think_s
    number[m.GROUP_WAIT_S] = c.group_wait_s
    return number


def _first_arrivals(jobs, slots, rate_hz, terminals, think_s, seed) -> Calendar:
    """The first arrival, or that of every terminal. A sorted list is a heap."""
    count = terminals or 1
    mean_s = think_s if rate_hz is None else 1 / rate_hz
    times = np.sort(np.random.default_rng((seed, ARRIVALS)).exponential(mean_s, count)) if mean_s else np.zeros(count)
    room = jobs + count + slots + 8
    calendar = Calendar(np.zeros(room), np.zeros(room, np.int64), np.array([count, count]))
    calendar.time_s[:count] = times
    calendar.entry[:count] = (np.arange(1, count + 1) << PAYLOAD_BITS) | jobs
    return calendar
