"""What a transaction system is made of, as arrays: settings that stay, and the state that a run changes."""

from typing import NamedTuple

import numpy as np

from pagecost.transactions.caches_kernels import Caches
from pagecost.transactions.calendar_kernels import Calendar
from pagecost.transactions.locks_kernels import Locks
from pagecost.transactions.stations_kernels import Stations
from pagecost.transactions.storage_kernels import Load, Rules

# Stations; those of disk unit u follow: its controllers, its disks
CPUS, NVEM_SERVERS, FIRST_CONTROLLER = 0, 1, 2

# Places in Machine.number
BOT_S, REFERENCE_S, EOT_S, IO_S, NVEM_S, DESTAGE_S, NVEM_DELAY_S, RATE_HZ, THINK_S, GROUP_WAIT_S = range(10)
NUMBERS = 10

# Places in Machine.setting
LEVEL, CLOSED, ARRIVAL_LAW, CONTROLLER_LAW, GROUP_SIZE, CLEANING, LOGGING, NVEM_HELD, NVEM_BUFFER = range(9)
SETTINGS = 9

CONTROLLER_S, TRANSMISSION_S, READ_S, WRITE_S, READ_DELAY_S, WRITE_DELAY_S = range(6)  # columns of Machine.unit_s
UNIT_TIMES = 6

# Terms of the response time behind those of the stations
TRANSMISSION, LOCK_WAIT, INPUT_QUEUE, GROUP_WAIT = -4, -3, -2, -1
MORE_TERMS = 4

# Columns of State.job
STEP, AFTER, STATION, TRANSACTION, REFERENCE, END, KEY, FRESH, OPERATION, OPERATIONS = range(10)
KIND, ON_KEY, HELD, ON_DISK, CHANGED, UPDATES, BEHIND, OWES = range(10, 18)
JOB_FIELDS = 18

# Places in State.scalar
ACTIVE, NEXT_TRANSACTION, SLOTS_FREE, WORKERS_FREE, READY, WAITING_FIRST, WAITING_COUNT = range(7)
STATUS, NVEM_BUFFERED, LOG_PAGES, GROUP_FIRST, GROUP_COUNT, COMPLETED, RESTARTS, EVENTS = range(7, 15)
SCALARS = 15
RUNNING, TOO_MANY_WAIT, TOO_MANY_WRITES = 0, 1, 2  # STATUS

# Columns of State.unit_count
UNIT_READS, UNIT_WRITES, READ_HITS, FAST_WRITES = range(4)

# Steps: what a job does when it is its turn
BEGIN, NEXT, LOCK, GRANTED, FIX, OPERATE, ACCESS, NVEM_READY, UNIT_READY, CONTROLLED, TRANSMITTED, ACCESSED = range(12)
COMMIT, LEAD, LOGGED, FOLLOW, FORCE, FINISH, WRITTEN, OLD_READ = range(12, 20)

# Kinds of operations; WRITE_THROUGH goes past the NVEM write buffer
READ, WRITE, WRITE_THROUGH, NVEM_ACCESS, NVEM_AND_DISK = range(5)

# What a worker settles when its write is done
NOTHING, DISK_CACHE, NVEM_WRITE_BUFFER, OTHER_DISKS = range(4)


class Machine(NamedTuple):
    """What stays during a run."""

    rules: Rules
    load: Load
    number: np.ndarray  # float64[NUMBERS]; _S of instructions: mean seconds of a processor
    setting: np.ndarray  # int64[SETTINGS]
    unit_s: np.ndarray  # float64[units, UNIT_TIMES], mean service times and delays
    disk_law: np.ndarray  # int64[units], distribution of the service times of the disks
    samples: np.ndarray  # float64[units, 2, n]: times of reads and of writes with mean 1, where disk_law is SAMPLED


class State(NamedTuple):
    """What a run changes. Jobs are the transactions in their slots, then the workers that write behind their backs."""

    calendar: Calendar
    stations: Stations
    caches: Caches
    locks: Locks
    random: np.ndarray  # uint64, one state per stream
    job: np.ndarray  # int64[jobs, JOB_FIELDS]
    operation: np.ndarray  # int64[slots, most, 2]: (kind, key), what a transaction still has to do
    changed: np.ndarray  # int64[slots, most]: pages that a transaction has changed
    arrived_s: np.ndarray  # float64[slots]
    held_s: np.ndarray  # float64[jobs]: since when a processor waits with its job
    waiting_s: np.ndarray  # float64[n]: arrival times in the input queue, a ring
    free: np.ndarray  # int64[jobs]: spare slots, and from `slots` on spare workers, as stacks
    ready: np.ndarray  # int64[jobs]: jobs that can go on now
    scalar: np.ndarray  # int64[SCALARS]
    group_s: np.ndarray  # float64[1]: when the open commit group began
    clock_s: np.ndarray  # float64[1]
    victim: np.ndarray  # int64[1]
    appended: np.ndarray  # int64[partitions]: records appended so far
    buffered: np.ndarray  # int64[units]: pages in plain write buffers
    counts: np.ndarray  # int64[partitions, 6], as in storage_kernels
    unit_count: np.ndarray  # int64[units, 4]
    total_s: np.ndarray  # float64[terms]: summed over completed transactions
