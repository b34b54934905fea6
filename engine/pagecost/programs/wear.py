"""From a recording to bytes: asked by the program, to the device, by file and by cause."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pagecost.errors import known, require
from pagecost.filesystem import InPlace, LogStructured
from pagecost.programs import events
from pagecost.programs.causes import CHECKPOINTED, POSTGRESQL, SQLITE
from pagecost.programs.events import Recording
from pagecost.programs.ext4 import Ext4
from pagecost.programs.ledger import BLOCK_BYTES, CAUSES, KEPT_BACK, Ledger
from pagecost.programs.page_cache import FileSystemBelow, PageCache
from pagecost.programs.plain import Plain

AS_RECORDED = "recorded"
OF_LINUX = {"ext4": "ext4", "ext3": "ext4", "ext2": "ext2", "nilfs2": "nilfs2"}
"""What a file system of Linux is taken for."""
BACKGROUND_BYTES = 400 * 2**20  # a tenth of 4 GB, where the recording does not say how much memory was free


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What stands below the program. Defaults are those of Linux and of mke2fs for volumes from 128 GiB.

    file_system: a name of `FILE_SYSTEMS`, or `AS_RECORDED`: ext4 where nobody knows it. commit_s: age of
    a transaction at which it is committed. writeback_s: how often the flusher wakes; expire_s: age at which it writes.
    background_bytes: dirty bytes at which it writes at once, None: as on the machine of the recording. tick_s: the
    clock of file times. journal_bytes: size of the journal.
    Raises ModelError for what is not possible.
    """

    file_system: str = "ext4"
    commit_s: float = 5.0
    writeback_s: float = 5.0
    expire_s: float = 30.0
    background_bytes: float | None = None
    tick_s: float = 0.004
    journal_bytes: float = 2.0**30

    def __post_init__(self):
        known("file system", self.file_system, (AS_RECORDED, *FILE_SYSTEMS))
        for name in ("commit_s", "writeback_s", "expire_s", "tick_s"):
            require(getattr(self, name) > 0, f"{name} must be above 0; got {getattr(self, name)}")
        require(
            self.journal_bytes >= 2**20, f"a journal has at least 1 MiB, as mke2fs says; got {self.journal_bytes} bytes"
        )
        require(
            self.background_bytes is None or self.background_bytes > 0,
            f"background_bytes must be above 0; got {self.background_bytes}",
        )


def _ext4(ledger: Ledger, recording: Recording, settings: Settings) -> FileSystemBelow:
    return Ext4(
        ledger,
        [*recording.paths, *(f"{folder}/" for folder in recording.folders)],
        recording.inodes,
        commit_s=settings.commit_s,
        expire_s=settings.expire_s,
        tick_s=settings.tick_s,
        journal_bytes=settings.journal_bytes,
    )


def _in_place(ledger: Ledger, recording: Recording, settings: Settings) -> FileSystemBelow:
    return Plain(ledger, InPlace(), _most_pages(recording))


def _log(ledger: Ledger, recording: Recording, settings: Settings) -> FileSystemBelow:
    return Plain(ledger, LogStructured(), _most_pages(recording))


FILE_SYSTEMS: dict[str, tuple[str, Callable[[Ledger, Recording, Settings], FileSystemBelow]]] = {
    "ext4": ("ext4, ordered journal", _ext4),
    "ext2": ("in place without journal (ext2)", _in_place),
    "nilfs2": ("in a log (nilfs2)", _log),
}
"""Name -> what it is called, and how it is made."""


@dataclass(frozen=True, eq=False)
class Wear:
    """What became of a program's writes. Bytes by path; labels: what a path is (`causes.labels`).

    by: (path, cause of `CAUSES`) -> bytes to the device. kept_back: (path, cause of `KEPT_BACK`) -> bytes that were
    asked for and did not get there. at_end_bytes: to the device before the program had ended; the rest follows behind
    its back. blocks: those that were written, in order, int64[n]. requests: writes of neighbouring blocks at once.
    """

    recording: Recording
    settings: Settings
    labels: dict[str, str]
    asked: dict[str, int]
    by: dict[tuple[str, str], int]
    kept_back: dict[tuple[str, str], int]
    at_end_bytes: int
    blocks: np.ndarray
    requests: int
    syncs: int
    commits: int

    @property
    def asked_bytes(self) -> int:
        """Bytes of all write calls."""
        return sum(self.asked.values())

    @property
    def device_bytes(self) -> int:
        """Bytes to the device, those after the end included."""
        return sum(self.by.values())

    @property
    def reached_bytes(self) -> int:
        """Bytes that reached the device: as recorded below the file system where that was done, else as predicted."""
        block = self.recording.block
        return self.device_bytes if block is None else block.written_bytes

    @property
    def reached_blocks(self) -> np.ndarray:
        """The blocks that they were written to, in order, int64[n]."""
        block = self.recording.block
        return self.blocks if block is None else block.blocks()

    @cached_property
    def causes(self) -> dict[str, int]:
        """Bytes to the device by cause, in the order of `CAUSES`, without those that are 0."""
        found: dict[str, int] = defaultdict(int)
        for (_, cause), size in self.by.items():
            found[cause] += size
        return {cause: found[cause] for cause in CAUSES if found[cause]}

    def device_bytes_of(self, path: str) -> int:
        """Bytes to the device that a file caused."""
        return sum(size for (of, _), size in self.by.items() if of == path)

    @cached_property
    def paths(self) -> list[str]:
        """Files that were written to or caused a write, most bytes to the device first."""
        found = {*self.asked, *(path for path, _ in self.by)}
        return sorted(found, key=lambda path: (-self.device_bytes_of(path), path))

    @cached_property
    def checkpoint_bytes(self) -> int:
        """Bytes that checkpoints asked for.

        PostgreSQL: by the processes that sync tables. SQLite: to a database that has a write-ahead log.
        """
        labels = [self.labels[path] for path in self.recording.paths]
        logged = {path.removesuffix("-wal") for path in self.recording.paths if self.labels[path] == SQLITE["-wal"]}
        found = [event for event in self.recording.events if event.file >= 0]
        by = {
            event.process for event in found if event.kind == events.SYNC and labels[event.file] == POSTGRESQL["base"]
        }
        return sum(
            event.size
            for event in found
            if event.kind == events.WRITE
            and (
                (event.process in by and labels[event.file] in CHECKPOINTED)
                or (self.recording.paths[event.file] in logged)
            )
        )

    def check(self) -> None:
        """Raise ModelError unless bytes are conserved: asked + added = to the device + kept back."""
        data = self.causes.get("data", 0)
        kept = sum(self.kept_back.values())
        require(
            self.asked_bytes == data + kept or self.settings.file_system == "nilfs2",
            f"bytes got lost: {self.asked_bytes} asked, {data} of data to the device, {kept} kept back",
        )


def wear(recording: Recording, settings: Settings | None = None) -> Wear:
    """What the device gets of a recorded run. Raises ModelError as `filesystem.driving.drive`."""
    settings = Settings() if settings is None else settings
    if settings.file_system == AS_RECORDED:
        settings = replace(settings, file_system=OF_LINUX.get(recording.file_system, "ext4"))
    ledger = Ledger()
    below = FILE_SYSTEMS[settings.file_system][1](ledger, recording, settings)
    background = settings.background_bytes or recording.background_bytes or BACKGROUND_BYTES
    PageCache(
        recording,
        below,
        ledger,
        writeback_s=settings.writeback_s,
        expire_s=settings.expire_s,
        background_bytes=background,
    ).run()
    at_end = below.finish()
    synced = (events.SYNC, events.DATA_SYNC, events.SYNC_ALL)
    found = Wear(
        recording=recording,
        settings=settings,
        labels=dict(zip(recording.paths, recording.labels, strict=True)),
        asked=dict(ledger.asked),
        by={key: size for key, size in ledger.bytes.items() if size},
        kept_back=dict(ledger.kept_back),
        at_end_bytes=at_end,
        blocks=ledger.blocks(),
        requests=len(ledger.writes),
        syncs=sum(event.kind in synced for event in recording.events),
        commits=ledger.commits,
    )
    found.check()
    return found


def _most_pages(recording: Recording) -> dict[str, int]:
    """Pages of each path, as many as it ever has."""
    found: dict[str, int] = defaultdict(int)
    for event in recording.events:
        if event.file >= 0:
            pages = -(-(event.offset + max(event.size, 0)) // BLOCK_BYTES)
            path = recording.paths[event.file]
            found[path] = max(found[path], pages)
    return dict(found)


__all__ = ["AS_RECORDED", "BLOCK_BYTES", "CAUSES", "FILE_SYSTEMS", "KEPT_BACK", "Settings", "Wear", "wear"]
