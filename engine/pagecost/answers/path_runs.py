"""Runs of a whole system that several questions ask for: a case by value, its repetitions, and the drives in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagecost import catalogue, devices, oltp, reads
from pagecost.answers.oltp_drives import drive_of
from pagecost.answers.path_loads import Load, loaded
from pagecost.devices import ssd
from pagecost.economics import LEVELS
from pagecost.errors import known, require
from pagecost.filesystem import InPlace, LogStructured, OutOfPlace
from pagecost.filesystem.layouts import FileSystem
from pagecost.intervals import mean_and_half_width
from pagecost.remembering import remembered

FILE_SYSTEMS = {
    "in-place": "in place, as ext2",
    "log-structured": "log-structured, as nilfs2",
    "out-of-place": "the database's own log",
    "none": "none: places on the device",
}
"""How pages lie on the device."""

SHORT = {
    "in-place": "in place",
    "log-structured": "log-structured",
    "out-of-place": "own log",
    "none": "no file system",
}
"""The same in as few words as stand beside a bar."""

ROOM_BYTES = 6 * 2**30  # of the file system beside the tables: more than a log fills in a run of a minute
SYNCS_PER_CHECKPOINT = 1000  # nilfs2 takes one every 5 s; in between a sync that only changes data writes data alone
TIMES_SYNCED = False  # a synchronous write to a file of fixed size does not write the inode: Linux before 2.6.33
FILL = 20_000  # transactions that pass through buffer and page cache before the clock starts
LEAST_LOADED, MOST_LOADED = 2_000, 120_000  # transactions of a run
MOST_FILL = 100_000  # so that enough are left to be measured
MOST_RUNS = 10


def drives() -> dict[str, str]:
    """Device id -> name of all that the loop can be run on."""
    return devices.modelled() | {id: catalogue.device(id).name for id in ssd.catalogued()}


def drive(name: str) -> oltp.Drive:
    """A device of the loop: by its mechanics, by its ratings or measurements, or by its chips where those lack.

    Raises ModelError for an unknown name.
    """
    return drive_of(known("device", name, drives()))


def joined(
    device: str,
    count: int = 1,
    level: str = "raid-0",
    scheduler: str = "noop",
    write_cache_bytes: int = 0,
    held_bytes: float = 0.0,
) -> oltp.Storage:
    """So many of one kind of drive, or as many more as their RAID level needs, in one group, each with that cache.

    held_bytes: of data on all of them; 0: those of the load alone. Raises ModelError for an unknown name or level.
    """
    how = LEVELS[known("RAID level", level, LEVELS)]
    return oltp.Storage(
        drive=drive(device),
        count=how.joined(count),
        copies=how.copies,
        parities=how.parities,
        scheduler=scheduler,
        write_cache_bytes=write_cache_bytes,
        held_bytes=held_bytes,
    )


@dataclass(frozen=True, kw_only=True)
class Cleaner:
    """How a log is cleaned. interval_s: 0: the cleaner does not wake. The rest as `LogStructured` has it."""

    interval_s: float = 0.0
    segments: int = 2
    selection: str = "timestamp"
    protection_s: float = 3600.0
    min_clean: float = 0.0
    max_clean: float = 1.0


def file_system(layout: str, cleaner: Cleaner) -> FileSystem | None:
    """A file system with its own defaults, or none.

    nilfs2 as it was in 2009: the cleaner works whenever it wakes, however many segments are clean; the thresholds came
    later.
    """
    known("file system", layout, FILE_SYSTEMS)
    if layout == "none":
        return None
    if layout == "in-place":
        return InPlace(times_synced=reads.constant("path_runs.TIMES_SYNCED", TIMES_SYNCED))
    if layout == "out-of-place":
        return OutOfPlace()
    return LogStructured(
        cleaning_interval_s=cleaner.interval_s or 5.0,
        segments_per_clean=cleaner.segments,
        selection=cleaner.selection,
        protection_period_s=cleaner.protection_s,
        min_clean=cleaner.min_clean,
        max_clean=cleaner.max_clean,
        syncs_per_checkpoint=reads.constant("path_runs.SYNCS_PER_CHECKPOINT", SYNCS_PER_CHECKPOINT),
    )


@dataclass(frozen=True, kw_only=True)
class Case:
    """A system and what is asked of it, by value. fill: transactions that fill the caches before; seconds: measured.

    transaction_s: mean processor time of a transaction, in the setup shared out by the pages that its type touches.
    """

    setup: oltp.Setup
    load: Load
    transaction_s: float
    seconds: float = 60.0
    fill: int = FILL
    seed: int = 1

    @property
    def transactions(self) -> int:
        """As many as the processors can do in this time, and those before; at most `MOST_LOADED`."""
        processors = self.setup.processors.servers
        most = MOST_LOADED - self.fill
        wanted = 1.3 * self.seconds * processors / self.transaction_s if self.transaction_s > 0 else most
        return self.fill + int(min(max(wanted, LEAST_LOADED), most))


@remembered
def measured(case: Case) -> oltp.OltpRun:
    """One run. Raises ModelError where the parts of the system do not fit."""
    load = loaded(case.load, case.transactions, case.seed)
    return oltp.run(case.setup, load, seconds=case.seconds, fill=case.fill, seed=case.seed)


class Mean(NamedTuple):
    """A mean over runs and the half of its 95 % interval."""

    value: float
    half_width: float


def mean_tpm(runs: Sequence[oltp.OltpRun]) -> Mean:
    """Transactions per minute; of a single run the interval is that of its response time, batch by batch."""
    require(bool(runs), "a mean needs at least one run; got none")
    rates = [run.tpm for run in runs]
    if len(runs) == 1:
        return Mean(rates[0], rates[0] * runs[0].half_width_s / runs[0].response_s)
    return Mean(*mean_and_half_width(rates))


def mean_of(runs: Sequence[oltp.OltpRun], read) -> float:
    """The mean of a number over runs."""
    return float(np.mean([read(run) for run in runs]))
