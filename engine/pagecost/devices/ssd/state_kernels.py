"""What an SSD in time consists of: parameters, requests, and the state of a run that goes on."""

from typing import NamedTuple

import numpy as np

FIFO, READS_FIRST, SUSPEND = range(3)  # Params.order

# Phases of a die
IDLE, BETWEEN, COPY_READ, COPY_PROGRAM, ERASE, READ, READ_OUT, WRITE, SUSPENDING = range(9)

# State.sums[write, term]: the response of all finished requests by cause
QUEUE, INTERFACE_WAIT, INTERFACE, OVERHEAD, CACHE_WAIT, DIE_WAIT, COLLECTION, CHANNEL_WAIT, TRANSFER, ARRAY = range(10)
TERMS = 10
FIRST_OF_NODE = DIE_WAIT

# State.clock
NOW, AREA, INTERFACE_FREE, INTERFACE_BUSY, DIE_BUSY, CHANNEL_WAITED, SUSPENDED_FOR = range(7)
CLOCKS = 7
# State.counts
OUTSTANDING, FREE_SLOTS, HOST_READS, HOST_UNITS, COPIES, COPY_READS, ERASES, DONE, CACHED, READ_HITS = range(10)
COUNTS = 10
# State.slot_s and slot
ARRIVAL, ISSUED, LINE_AT, WAITED = range(4)
LEFT, IS_WRITE, NUMBER, ANSWERED, FIRST = range(5)
# State.node_s (the first five as the terms from FIRST_OF_NODE on) and node
N_DIE, N_COLLECTION, N_CHANNEL, N_TRANSFER, N_ARRAY, CAME, COLLECTED, SCAN_S = range(8)
NEXT, SLOT, UNITS, COPIES_LEFT, ERASES_LEFT, WRITES, DIE = range(7)
# State.die_s and die
BUSY_SINCE, COLLECTING, COLLECTING_SINCE, PROGRAM_END, REMAINING, SUSPENDED_AT = range(6)
PHASE, AT_WORK, READS_HEAD, READS_TAIL, HEAD, TAIL, RESUME, INTERRUPTED = range(8)
# State.lines
READS_READY, WRITES_READY, OUT, NO_ROOM = range(4)
NOBODY = -1
NEVER = np.inf


class Params(NamedTuple):
    """Times of one unit (what the map moves) and rules."""

    read_s: float
    program_s: float  # of a unit: its share of a program of a multi-plane page
    erase_s: float
    transfer_s: float  # out of the chip
    write_transfer_s: float  # into it, with its share of the program's command and address cycles
    read_command_s: float  # command and address cycles of a page read
    copy_transfer_s: float  # out of the chip and in again
    suspend_s: float
    overhead_s: float
    interface_s: float  # of a whole request
    batch: int  # units of a multi-plane page
    block_pages: int  # multi-plane pages of an erase block
    order: int
    units: int  # of a request
    depth: int  # requests that the host may have outstanding
    cache_units: int  # written units that the write cache holds; 0: there is none
    closed: bool
    last: bool


class Stream(NamedTuple):
    """Requests in the order in which they are issued."""

    first: np.ndarray  # uint32[n]: first unit
    write: np.ndarray  # uint8[n]
    arrival_s: np.ndarray  # float64[n], empty if closed
    programs: np.ndarray  # uint32[n, units]: blame of every unit
    reads: np.ndarray
    erases: np.ndarray


class State(NamedTuple):
    """What a run that goes on remembers."""

    clock: np.ndarray
    counts: np.ndarray
    sums: np.ndarray  # float64[2, TERMS]
    slot_s: np.ndarray  # float64[slots, 4]; slots: requests outstanding, and those answered from the write cache
    slot: np.ndarray  # int64[slots, 5]
    free: np.ndarray  # int64[slots]: free slots
    node_s: np.ndarray  # float64[slots * units, 8]
    node: np.ndarray  # int64[slots * units, 7]
    die_s: np.ndarray  # float64[dies, 6]
    die: np.ndarray  # int64[dies, 8]
    when: np.ndarray  # float64[leaves]: next event of each die
    best: np.ndarray  # int64[2 * leaves]: tournament over `when`
    channel_free: np.ndarray  # float64[channels]
    channel_busy: np.ndarray  # float64[channels]
    lines: np.ndarray  # int64[4, slots]: slots on their way, in order
    line: np.ndarray  # int64[4, 2]: head, length
    line_when: np.ndarray  # float64[4]: when the head arrives; never, where it waits for room
    bucket: np.ndarray  # int64[power of 2]: first place of a chain of units in the write cache, by unit
    chain: np.ndarray  # int64[slots * units]: next place of the chain; place: slot x units + unit of the request


def new_state(dies: int, channels: int, slots: int, units: int) -> State:
    """An idle device with places for so many requests of `units` units."""
    leaves = 1 << max(dies - 1, 0).bit_length()
    best = np.zeros(2 * leaves, np.int64)
    best[leaves:] = np.arange(leaves)
    for at in range(leaves - 1, 0, -1):
        best[at] = best[2 * at]
    counts = np.zeros(COUNTS, np.int64)
    counts[FREE_SLOTS] = slots
    die = np.full((dies, 8), NOBODY, np.int64)
    die[:, PHASE] = IDLE
    die_s = np.zeros((dies, 6))
    die_s[:, COLLECTING_SINCE] = -1.0
    return State(
        clock=np.zeros(CLOCKS),
        counts=counts,
        sums=np.zeros((2, TERMS)),
        slot_s=np.zeros((slots, 4)),
        slot=np.zeros((slots, 5), np.int64),
        free=np.arange(slots)[::-1].copy(),
        node_s=np.zeros((slots * units, 8)),
        node=np.zeros((slots * units, 7), np.int64),
        die_s=die_s,
        die=die,
        when=np.full(leaves, NEVER),
        best=best,
        channel_free=np.zeros(channels),
        channel_busy=np.zeros(channels),
        lines=np.zeros((4, slots), np.int64),
        line=np.zeros((4, 2), np.int64),
        line_when=np.full(4, NEVER),
        bucket=np.full(1 << max(slots * units - 1, 0).bit_length(), NOBODY, np.int64),
        chain=np.full(slots * units, NOBODY, np.int64),
    )
