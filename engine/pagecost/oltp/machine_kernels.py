"""The system in a closed loop as arrays: what stays during a run, and the state that a run changes."""

from typing import NamedTuple

import numpy as np

from pagecost.devices.disk.mechanics_kernels import Mechanics
from pagecost.filesystem.state_kernels import FileSystemState
from pagecost.oltp.devices_kernels import Devices
from pagecost.oltp.page_cache_kernels import PageCache
from pagecost.oltp.queues_kernels import Queues
from pagecost.transactions.calendar_kernels import Calendar
from pagecost.transactions.locks_kernels import Locks
from pagecost.transactions.stations_kernels import Stations

# Jobs are the users 0 .. users - 1, and behind them the agents that work for all
LOG_WRITER, CHECKPOINTER, PAGE_WRITER, CLEANER, FLUSHER = range(5)
AGENTS = 5
# Events: a job's number, then the free server of each device, the end of each device's wait, the timers, the requests
GROUP_TIMER, CHECKPOINT_TIMER, CLEANER_TIMER, FLUSHER_TIMER = range(4)
TIMERS = 4

# Terms of the response time; the first two are those of the station of processors
PROCESSOR_WAIT, PROCESSOR, LOCK_WAIT, READ, WRITE, LOG, CLEANING, ENTRY = range(8)
TERMS = 8

# Places in Machine.number
THINK_S, IO_S, GROUP_WAIT_S, CHECKPOINT_S, CLEANER_S, FLUSHER_S, EXPIRE_S = range(7)
NUMBERS = 7

# Places in Machine.setting
USERS, PROCESSOR_LAW, GROUP_SIZE, FLUSH, PAGE_BLOCKS, BLOCK_BYTES, LOG_FIRST, LOG_BLOCKS = range(8)
TRANSACTION_LOG_BYTES, CHANGE_LOG_BYTES, LOGGING, LOG_BUFFER_BYTES = range(8, 12)
VOLUME, LOG_FIRST_PAGE, BATCH_PAGES, CACHED, WRITES_WAIT, BACKGROUND_PAGES, DIRTY_PAGES, READ_AHEAD = range(12, 20)
FORCED = 20
DATA_ARRAY, LOG_ARRAY = 21, 26  # where the places of an array of devices begin; that of the log may have no members
THINKS = 31  # whether `Machine.comes_s` says how long a user thinks before each transaction
SETTINGS = 32
# Places from there on: the array's first device, its devices, and how they are joined
FIRST_DEVICE, MEMBERS, STRIPE_BLOCKS, COPIES, PARITIES = range(5)

# Columns of State.job
STEP, AFTER, THINKING, TRANSACTION, REFERENCE, END, REACHED, UPDATES, VICTIM, VICTIM_END = range(10)
OUTSTANDING, CHAIN_FIRST, CHAIN_LAST, TERM, PAGES, BEHIND, LOG_BYTES, FORCED_UNTIL = range(10, 18)
JOB_FIELDS = 18

# Steps: what a job does when it is its turn
BEGIN, NEXT, LOCK, GRANTED, FIX, EVICT, LOAD, WRITE_PAGES, POST, ISSUE, DONE, COMMIT, LOGGED, FINISH = range(14)
WRITE_LOG, LOG_WRITTEN, CHECKPOINT, IDLE, GATHER, WRITE_BATCH, BATCH_WRITTEN, CLEAN, CLEANED, CLEANING_OVER = range(
    14, 24
)
FLUSH_PAGES, FETCH, HAND_OVER, FORCE_PAGES = range(24, 28)

# Places in State.scalar
STATUS, READY, NEXT_TRANSACTION, COMPLETED, RESTARTS, EVENTS = range(6)
LOG_FIRST_WAITING, LOG_LAST_WAITING, LOG_WAITING, LOG_BUSY, LOG_WRITING, LOG_POSITION, LOG_PENDING = range(6, 13)
CHECKPOINT_AT, CHECKPOINTS, TOUCHED = range(13, 16)  # TOUCHED: a bit for each device that may have work
BATCH_FIRST_WAITING, BATCH_LAST_WAITING, BATCH_WAITING, BATCH_WRITING, CLEANING_WAITERS, CLEANINGS, FREED = range(
    16, 23
)
SCALARS = 23
RUNNING, LOAD_ENDED, TOO_MANY_REQUESTS, NO_SPACE = range(4)  # STATUS

# State of a page in the buffer
UNCHANGED, CHANGED, SAVED = 0, 1, 2  # SAVED: a checkpoint or a commit has written it since its last change

# Columns of State.counts
LOGICAL_READS, LOGICAL_WRITES, PAGE_READS, PAGE_WRITES, CHECKPOINT_WRITES, LOG_WRITES, COMMITS, FLUSHED, SYNCS = range(
    9
)
FORCED_WRITES = 9
COUNTS = 10

DATA_CAUSE, LOG_CAUSE = 0, 8  # beside the causes of a file system
BATCH = 64  # pages that agents write at a time
MOST_AT_ONCE = 128  # requests of a job that stand in queues, as many as Linux 2.6 lets wait
TRIM = 2  # an operation beside reads and writes of the queues

# Levels of State.sizes: what the database asks for, what is put to the devices' queues, what they carry out
DATABASE, FILE_SYSTEM, DEVICE = range(3)
LEVELS, SIZES = 3, 24  # request sizes by powers of two of a block


class Load(NamedTuple):
    """Transactions in the order in which users take them, and what the buffer does at each reference."""

    first: np.ndarray  # int64[transactions + 1]: transaction t makes the references first[t] .. first[t + 1] - 1
    page: np.ndarray  # int64[references]
    write: np.ndarray  # uint8[references]
    lock: np.ndarray  # int64[references]: what is locked, below 0 for nothing
    kind: np.ndarray  # uint8[transactions]
    hit: np.ndarray  # uint8[references]
    victims: np.ndarray  # int64[references + 1, 2]: from, to in `victim`: pages that must be written first
    victim: np.ndarray  # int64[victims]


class Machine(NamedTuple):
    """What stays during a run."""

    load: Load
    number: np.ndarray  # float64[NUMBERS]
    setting: np.ndarray  # int64[SETTINGS]
    comes_s: np.ndarray  # float64[transactions]: when each comes, or as THINKS says; empty where users bring them
    demand_s: np.ndarray  # float64[kinds]: processor seconds between two references
    commits: np.ndarray  # uint8[kinds]: whether transactions of the kind leave a log
    disk: Mechanics  # of the devices for data, where they are disks
    log_disk: Mechanics
    devices: Devices


class Core(NamedTuple):
    """What nearly every step looks at: few arrays, so that they go from function to function at little cost."""

    job: np.ndarray  # int64[jobs, JOB_FIELDS]
    ready: np.ndarray  # int64[jobs]
    scalar: np.ndarray  # int64[SCALARS]
    since_s: np.ndarray  # float64[jobs]: when the phase began that a job is in, as the stations keep it
    pages: np.ndarray  # int64[jobs, most]: pages that a job writes
    page_state: np.ndarray  # uint8[pages]: UNCHANGED, CHANGED, SAVED
    counts: np.ndarray  # int64[COUNTS]
    sizes: np.ndarray  # int64[LEVELS, 3, SIZES]: requests of each operation by the power of two of their blocks
    blocks: np.ndarray  # int64[LEVELS, 3]
    request: (
        np.ndarray
    )  # int64[most, 5]: the plan, what one step asks for: operation, first block, blocks, cause, stream
    asked: np.ndarray  # int64[2]: requests in the plan, and a place for the file system


class Record(NamedTuple):
    """What is kept of transactions."""

    began_s: np.ndarray  # float64[users]
    total_s: np.ndarray  # float64[kinds, TERMS]: summed over completed transactions
    done_s: np.ndarray  # float64[transactions]: when each completed, by completion
    response_s: np.ndarray  # float64[transactions]
    done_kind: np.ndarray  # uint8[transactions]


class State(NamedTuple):
    """What a run changes."""

    core: Core
    record: Record
    calendar: Calendar
    stations: Stations
    locks: Locks
    queues: Queues
    volume: FileSystemState
    cache: PageCache
    random: np.ndarray  # uint64, one state per stream
    clock_s: np.ndarray  # float64[1]
