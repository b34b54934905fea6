"""What becomes of a database's writes below it over years: through a file system and a translation layer, till steady.

The loop (`answers.path_runs`) says how much the database writes a second. A life takes much longer than any run of it,
so that what a byte becomes is found without time: the pages that leave the buffer, those that checkpoints write and the
log, in their order and with their syncs, go through the file system onto flash again and again until it is steady. For
that the whole is scaled down: a part of the data, with its share of the buffer, the log's file and the device.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pagecost import cancellation, oltp
from pagecost.answers.path_loads import Load, loaded
from pagecost.devices import ftl
from pagecost.devices.ssd import Ssd
from pagecost.errors import require
from pagecost.filesystem import FileSystem, driving_kernels
from pagecost.filesystem import state_kernels as kernels
from pagecost.filesystem.driving import drive
from pagecost.oltp import machine_kernels as m
from pagecost.oltp.outcomes import outcomes
from pagecost.path.devices import serve_flash
from pagecost.path.filesystem import blocks_asked
from pagecost.remembering import remembered
from pagecost.requests import READ, WRITE

BLOCK_BYTES = 4096
CHECKPOINT_BATCH = int(m.BATCH)  # pages that a checkpoint writes with one sync
TRANSACTIONS = 20_000  # of the stream, at least, which is then repeated: rows that it adds take the place of those
MOST_TRANSACTIONS = 200_000
CHANGES = 4  # of each page on average within the stream, so that what it leaves alone is what is hardly ever changed
MOST_PAGES = 1 << 21  # of the simulated flash: a larger device is simulated with less that is not used
LEAST_ROOM = 4  # times what the database needs, where it is
LEAST_BLOCKS = 16
PART = 1 << 15  # verbs at a time
WARM_ROUNDS, ROUNDS = 2, 1  # each writes as much as the flash has pages


@dataclass(frozen=True, kw_only=True)
class Below:
    """A database that is written to flash, scaled down to the data of `load`.

    frames: of its buffer. log: its file is a ring; None: it lies elsewhere. group: commits that share a write of the
    log. batch: pages that share a sync. force: commits write what they have changed. checkpoint_transactions: between
    two checkpoints, without force; 0: none. file_system: None: pages have their places.
    capacity_bytes: what the host sees of the device; other_share of it holds what nobody changes.
    """

    load: Load
    frames: int
    policy: str
    log: oltp.Log | None
    group: int
    batch: int
    force: bool
    checkpoint_transactions: int
    file_system: FileSystem | None
    ssd: Ssd
    capacity_bytes: float
    other_share: float
    seed: int


class Wear(NamedTuple):
    """file_system: bytes given to the device per byte that the database writes. flash: programmed per byte given to it;
    worn: erased per byte given to it in the long run, more where blocks are erased before they are full.

    cut: how many times smaller the simulated flash is than its share of the device, 1: it is not. transactions: of the
    stream.
    """

    file_system: float
    flash: float
    worn: float
    cut: float
    transactions: int


@remembered
def wear_below(case: Below) -> Wear:
    """Both factors once the flash is steady. Raises ModelError where the database does not fit."""
    load = changing(case)
    verbs = stream(case, load)
    page_blocks, log_pages = load.page_bytes // BLOCK_BYTES, log_pages_of(case)
    needed = (load.pages + log_pages) * page_blocks
    host_pages = int(case.capacity_bytes // BLOCK_BYTES)
    room = 1 - case.other_share
    require(
        needed <= room * host_pages,
        f"{case.ssd.name}: the database and its log need {needed / host_pages:.0%} of it, and other data leave "
        f"{room:.0%}",
    )
    volume, spare = room * host_pages, host_pages * case.ssd.spare / (1 - case.ssd.spare)
    cut = max(1.0, min((volume + spare) / MOST_PAGES, volume / (LEAST_ROOM * needed)))
    per_block = case.ssd.geometry.pages_per_block
    geometry = ftl.Geometry(
        blocks=max(LEAST_BLOCKS, round((volume + spare) / cut / per_block)),
        pages_per_block=per_block,
        page_bytes=BLOCK_BYTES,
        spare=spare / (volume + spare),
    )
    files = (load.pages, log_pages) if log_pages else (load.pages,)
    below = _Volume(case, geometry, files, load.page_bytes)
    at, given, asked_bytes, before = 0, 0, 0, below.device.counts()
    for rounds in (WARM_ROUNDS, ROUNDS):
        given, asked_bytes, before = 0, 0, below.device.counts()
        while given < rounds * geometry.physical_pages:
            cancellation.point()
            part = slice(at, at + PART)
            given += below.do(verbs.verb[part], verbs.page[part])
            asked_bytes += int(verbs.asked_bytes[part].sum())
            at = 0 if part.stop >= verbs.verb.size else part.stop
    counts = below.device.counts() - before
    return Wear(
        file_system=given * BLOCK_BYTES / asked_bytes,
        flash=counts.write_amplification,
        worn=counts.wear_amplification,
        cut=cut,
        transactions=load.transactions,
    )


def refuse_idle(load: Load, transactions: int, seed: int) -> None:
    """Raises ModelError for transactions of which none that is committed changes a page."""
    idle = _idle(load, transactions, seed)
    require(not idle, f"{idle}: what changes nothing wears nothing out; choose transactions that write")


@remembered
def _idle(load: Load, transactions: int, seed: int) -> str:
    """The name of a load that changes nothing; empty for any other."""
    made = loaded(load, transactions, seed)
    changed = np.diff(np.concatenate([[0], np.cumsum(made.write)])[made.first]) > 0
    return "" if (changed & _committed(made)).any() else made.name


def changing(case: Below) -> oltp.Load:
    """So many transactions that each page is changed `CHANGES` times on average, at least `TRANSACTIONS` and at most
    `MOST_TRANSACTIONS`. Raises ModelError for a load that changes nothing."""
    refuse_idle(case.load, TRANSACTIONS, case.seed)
    load = loaded(case.load, TRANSACTIONS, case.seed)
    wanted = CHANGES * load.pages * load.transactions // int(load.write.sum())
    if wanted <= load.transactions:
        return load
    return loaded(case.load, min(wanted, MOST_TRANSACTIONS), case.seed)


def log_pages_of(case: Below) -> int:
    """Pages of the log's file; 0 where it lies elsewhere."""
    return max(1, case.log.file_bytes // case.load.page_bytes) if case.log else 0


class Verbs(NamedTuple):
    """What a file system is asked to do, aligned: WRITE or SYNC of `driving_kernels`, pages of the database and of the
    log's file behind it (their parts, see `parts_of`), and the bytes that the database counts as written with that."""

    verb: np.ndarray
    page: np.ndarray
    asked_bytes: np.ndarray


def stream(case: Below, load: oltp.Load) -> Verbs:
    """The writes of the database in their order: pages that make room, checkpoints, and the log."""
    buffer = oltp.Buffer(frames=case.frames, policy=case.policy)
    found = outcomes(load, 1, buffer)
    cancellation.point()
    references = np.arange(load.page.size)
    left_at = np.repeat(references, found.victims[:, 1] - found.victims[:, 0])
    ends = load.first[1:]
    saved = np.zeros((0, 2), np.int64)
    if case.force or case.checkpoint_transactions:
        committed = _committed(load)
        if case.force:  # a commit is a checkpoint of what it has changed, for all before it is written
            checkpoints, kept = ends[committed], np.repeat(committed, np.diff(load.first))
        else:
            every = min(case.checkpoint_transactions, load.transactions)
            checkpoints = ends[every - 1 :: every]
            kept = np.ones(load.page.size, bool)
        saved, still = checkpointed(load.page, load.write, left_at, found.victim, checkpoints, kept)
        left_at, victim = left_at[still], found.victim[still]
    else:
        victim = found.victim
    cancellation.point()
    log_at, log_from, log_blocks = _log_writes(case, load)
    parts = parts_of(case)
    unit_blocks, ring = load.page_bytes // BLOCK_BYTES // parts, log_pages_of(case) * parts
    log_first = log_from // unit_blocks
    log_count = (log_from + log_blocks - 1) // unit_blocks - log_first + 1
    log_of = np.repeat(np.arange(log_at.size), log_count)
    log_page = load.pages * parts + (log_first[log_of] + _from_zero(log_count)) % max(ring, 1)
    log_bytes = np.where(_from_zero(log_count) == 0, log_blocks[log_of] * BLOCK_BYTES, 0)
    left_at, victim, saved = np.repeat(left_at, parts), _in_parts(victim, parts), np.repeat(saved, parts, axis=0)
    saved[:, 1] = _in_parts(saved[::parts, 1], parts)
    # in the order of their references; what makes room comes before a commit, and a checkpoint behind both
    at = np.concatenate([3 * left_at, 3 * (log_at[log_of] - 1) + 1, 3 * (saved[:, 0] - 1) + 2])
    page = np.concatenate([victim, log_page, saved[:, 1]])
    part_bytes = load.page_bytes // parts
    sizes = [np.full(left_at.size, part_bytes), log_bytes, np.full(len(saved), part_bytes)]
    last = [
        np.arange(1, left_at.size + 1) % case.batch == 0,
        np.diff(log_of, append=-1) != 0,
        _batch_ends(saved[:, 0]),
    ]
    cancellation.point()
    order = np.argsort(at, kind="stable")
    synced = np.concatenate(last)[order]
    synced[-1] = True
    behind = np.flatnonzero(synced) + 1
    return Verbs(
        np.insert(np.full(order.size, driving_kernels.WRITE), behind, driving_kernels.SYNC),
        np.insert(page[order], behind, 0),
        np.insert(np.concatenate(sizes)[order], behind, 0),
    )


def _batch_ends(checkpoint: np.ndarray) -> np.ndarray:
    """Whether a page that a checkpoint writes is the last of a batch, bool, shape (n,). checkpoint: of each, rising."""
    number = np.arange(checkpoint.size)
    begins = np.searchsorted(checkpoint, checkpoint)
    return ((number - begins + 1) % CHECKPOINT_BATCH == 0) | (np.diff(checkpoint, append=-1) != 0)


def parts_of(case: Below) -> int:
    """In how many parts a page is written: without a file system its blocks one by one, for the log is in blocks."""
    return 1 if case.file_system is not None else case.load.page_bytes // BLOCK_BYTES


def _in_parts(page: np.ndarray, parts: int) -> np.ndarray:
    return (page[:, None] * parts + np.arange(parts)).ravel()


def _from_zero(counts: np.ndarray) -> np.ndarray:
    """0 .. count - 1 of each count, one after the other."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


def _committed(load: oltp.Load) -> np.ndarray:
    """Of each transaction whether it is not rolled back, bool, shape (transactions,)."""
    return ~np.isin(load.kind, [load.kinds.index(kind) for kind in load.uncommitted])


def _log_writes(case: Below, load: oltp.Load) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(reference behind which, first block, blocks) of each log write; a block that is not full is written again.

    Who changes nothing and who is rolled back leaves no log.
    """
    if case.log is None:
        return (np.zeros(0, np.int64),) * 3
    changed = np.concatenate([[0], np.cumsum(load.write)])[load.first]
    changes = np.diff(changed)
    commits = np.flatnonzero((changes > 0) & _committed(load))
    position = np.cumsum(case.log.transaction_bytes + case.log.change_bytes * changes[commits])
    group = min(case.group, commits.size)
    chosen = np.arange(group - 1, commits.size, group)
    until = position[chosen]
    first = np.concatenate([[0], until[:-1]]) // BLOCK_BYTES
    return load.first[commits[chosen] + 1], first, (until - 1) // BLOCK_BYTES - first + 1


def checkpointed(page, write, left_at, victim, checkpoints, kept) -> tuple[np.ndarray, np.ndarray]:
    """What checkpoints before the references `checkpoints` write, int64[n, 2] of (checkpoint, page) in the order of
    both, and which of the changed pages `victim`, that leave for the references `left_at`, must then be written still:
    bool, shape (victims,).

    A change waits for the first of a checkpoint and the leaving of its page; one that is not `kept`, bool of each
    reference, for the latter alone.
    """
    changed = np.flatnonzero(write)
    event_page = np.concatenate([page[changed], victim])
    event_at = np.concatenate([2 * changed + 1, 2 * left_at])  # room is made before the page comes
    leaves = np.concatenate([np.full(changed.size, -1), np.arange(victim.size)])
    order = np.lexsort((event_at, event_page))
    event_page, event_at, leaves = event_page[order], event_at[order], leaves[order]
    follows = np.append(event_page[1:] == event_page[:-1], False)
    next_at = np.where(follows, np.append(event_at[1:], 0), np.iinfo(np.int64).max)
    number = np.searchsorted(2 * checkpoints, event_at)  # of the next checkpoint
    at = np.append(2 * checkpoints, np.iinfo(np.int64).max)[number]
    is_change = leaves < 0
    of_kept = np.concatenate([kept[changed], np.zeros(victim.size, bool)])[order]
    saved = is_change & of_kept & (number < checkpoints.size) & (at <= next_at)
    rows = np.column_stack([checkpoints[number[saved]], event_page[saved]])
    still = np.ones(victim.size, bool)
    gone = np.flatnonzero(saved & follows)
    gone = gone[leaves[gone + 1] >= 0]
    still[leaves[gone + 1]] = False
    return rows[np.lexsort((rows[:, 1], rows[:, 0]))], still


class _Volume:
    """The files on a volume, all written once, on flash that has all spare space of the device.

    What nobody changes lies in blocks of its own after a while, which nobody collects: it is left out.
    """

    def __init__(self, case: Below, geometry: ftl.Geometry, files: tuple[int, ...], page_bytes: int):
        aged = case.ssd.layer == "page"  # then cold pages gather, as in a device of some age
        options: dict[str, Any] = {"separate": True} if aged else {}
        simulation = ftl.Simulation(geometry, layer=case.ssd.layer, fill=False, seed=case.seed, **options)
        self.device, self.fs = simulation.device, None
        if case.file_system is not None:
            self.fs = case.file_system.state(geometry.logical_pages, files, page_bytes, laid_out=False)
        pages = np.arange(sum(files) * parts_of(case))
        self.do(np.append(np.full(pages.size, driving_kernels.WRITE), driving_kernels.SYNC), np.append(pages, 0))

    def do(self, verb: np.ndarray, page: np.ndarray) -> int:
        """Carry verbs out; returns how many blocks the device was given to write."""
        if self.fs is None:
            blocks = page[verb == driving_kernels.WRITE]
            self.device.write(blocks)
            return blocks.size
        given = 0
        for rows, _, _ in drive(self.fs, verb, page, keep=True):
            rows = rows[rows[:, kernels.OP] != READ]
            serve_flash(self.device, blocks_asked(rows, np.zeros(len(rows)), BLOCK_BYTES), BLOCK_BYTES)
            given += int(rows[rows[:, kernels.OP] == WRITE, kernels.BLOCK_COUNT].sum())
        return given
