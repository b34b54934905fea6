"""What reaches a block device while a program runs: the kernel's tracepoint that blktrace reads, for root.

Requests of all processes are seen, also those that the file system makes by itself. What waits in the page cache when
the program ends is written before the recording does.
"""

import contextlib
import os
import re
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pagecost.errors import ModelError, require
from pagecost.programs.ledger import BLOCK_BYTES

TRACING, DEVICES = Path("/sys/kernel/tracing"), Path("/sys/dev/block")
EVENT = "block_rq_complete"  # of a request that is put back and issued again there is one all the same
LINE = re.compile(
    rf" (?P<time>\d+\.\d+): {EVENT}: \S+ (?P<kind>[A-Z]+) \(.*?\) (?P<at>\d+) \+ (?P<size>\d+) .*"
    r"\[(?P<error>-?\d+)\]"
)
SECTOR_BYTES, MINOR_BITS = 512, 20
BUFFER_KB = 4096  # of each processor, some 40 000 requests
PAUSE_S = 0.02


@dataclass(frozen=True, eq=False)
class BlockRequests:
    """Writes that a device has done, in order, whoever asked for them.

    device: its name. time_s float64[n]: since the machine's start. offset_bytes, size_bytes int64[n]: of each write.
    flushes: requests to empty the drive's own cache. discarded_bytes: told to hold nothing (TRIM). lost: events that
    did not fit into the kernel's buffer.
    """

    device: str
    time_s: np.ndarray
    offset_bytes: np.ndarray
    size_bytes: np.ndarray
    flushes: int
    discarded_bytes: int
    lost: int

    @property
    def written_bytes(self) -> int:
        """Bytes of all writes."""
        return int(self.size_bytes.sum())

    def blocks(self) -> np.ndarray:
        """The blocks of `BLOCK_BYTES` that were written, in order, int64[m]; one that is written in part counts."""
        first = self.offset_bytes // BLOCK_BYTES
        counts = -(-(self.offset_bytes + self.size_bytes) // BLOCK_BYTES) - first
        before = np.cumsum(counts) - counts
        return np.arange(counts.sum(), dtype=np.int64) + np.repeat(first - before, counts)

    def plain(self) -> dict[str, Any]:
        """As it is kept in the head of a recording; `of_plain` makes it again."""
        own = {name: getattr(self, name) for name in ("device", "flushes", "discarded_bytes", "lost")}
        arrays = {name: getattr(self, name).tolist() for name in ("time_s", "offset_bytes", "size_bytes")}
        return own | arrays


def of_plain(kept: Mapping[str, Any]) -> BlockRequests:
    """What `BlockRequests.plain` has told. Raises ModelError for anything else."""
    damaged = (
        "the recorded requests of a block device are damaged: each write has a time, an offset and a size, and all of "
        "them a device, flushes, discarded bytes and lost events; record it anew"
    )
    try:
        found = BlockRequests(
            device=str(kept["device"]),
            time_s=np.array(kept["time_s"], float),
            offset_bytes=np.array(kept["offset_bytes"], np.int64),
            size_bytes=np.array(kept["size_bytes"], np.int64),
            flushes=int(kept["flushes"]),
            discarded_bytes=int(kept["discarded_bytes"]),
            lost=int(kept["lost"]),
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        raise ModelError(damaged) from None
    one_shape = found.time_s.shape == found.offset_bytes.shape == found.size_bytes.shape
    in_range = bool((found.offset_bytes >= 0).all() and (found.size_bytes > 0).all())
    require(one_shape and found.time_s.ndim == 1 and in_range, damaged)
    return found


def disk_of(folder: Path) -> tuple[str, int, int]:
    """Name, major and minor number of the one disk that a folder lies on. Raises ModelError where there is none."""
    number = folder.stat().st_dev
    place = DEVICES / f"{os.major(number)}:{os.minor(number)}"
    require(place.exists(), f"{folder} lies on no block device that the kernel names; choose a folder on a disk")
    place = place.resolve()
    while below := sorted((place / "slaves").glob("*")):  # a logical volume, an encrypted one
        require(len(below) == 1, f"{folder} lies on {len(below)} disks at once; choose a folder that lies on one")
        place = below[0].resolve()
    if (place / "partition").exists():
        place = place.parent
    major, minor = (place / "dev").read_text().strip().split(":")
    return place.name, int(major), int(minor)


def why_not() -> str | None:
    """Why no device can be watched here; None where it can."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "requests of a block device are seen by root only; run it with sudo, or without --block"
    if not (TRACING / "events" / "block" / EVENT).is_dir():
        return f"this kernel shows no requests of block devices: try mount -t tracefs none {TRACING}"
    return None


class Watch:
    """A recording that runs from `begin` to `end`. Raises ModelError where it cannot."""

    def __init__(self, folder: Path):
        require(folder.is_dir(), f"--block names a folder on the disk to be watched; {folder} is none")
        require(why_not() is None, str(why_not()))
        self.device, self._major, self._minor = disk_of(folder)
        self._room = TRACING / "instances" / f"pagecost-{os.getpid()}"
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # `end` closes it
        self._ending = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True, name="block requests")

    def begin(self) -> None:
        """Record from now on; what others have left to be written is written before."""
        os.sync()
        try:
            self._room.mkdir()
            (self._room / "buffer_size_kb").write_text(str(BUFFER_KB))
            event = self._room / "events" / "block" / EVENT
            (event / "filter").write_text(f"dev == {self._major << MINOR_BITS | self._minor}")
            (event / "enable").write_text("1")
            self._pipe = os.open(self._room / "trace_pipe", os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            self._leave()
            raise ModelError(f"requests of {self.device} cannot be watched: {error.strerror}") from error
        self._reader.start()

    def end(self) -> BlockRequests:
        """Have written what waits, and stop."""
        os.sync()
        try:
            (self._room / "events" / "block" / EVENT / "enable").write_text("0")
            self._ending.set()
            self._reader.join()
            lost = sum(_lost(path) for path in self._room.glob("per_cpu/cpu*/stats"))
            self._file.seek(0)
            with self._file as kept:
                return parsed((line.decode("utf8", "replace") for line in kept), self.device, lost)
        finally:
            self._leave()

    def _read(self) -> None:
        while True:
            ending = self._ending.is_set()
            with contextlib.suppress(BlockingIOError):
                while data := os.read(self._pipe, 1 << 16):
                    self._file.write(data)
            if ending:
                return
            self._ending.wait(PAUSE_S)

    def _leave(self) -> None:
        if hasattr(self, "_pipe"):
            os.close(self._pipe)
        with contextlib.suppress(OSError):
            self._room.rmdir()


@contextlib.contextmanager
def watched(folder: Path | None) -> Iterator[list[BlockRequests]]:
    """Within the block the disk of `folder` is watched; behind it the list holds what was seen. None: nothing."""
    found: list[BlockRequests] = []
    if folder is None:
        yield found
        return
    watch = Watch(folder)
    watch.begin()
    try:
        yield found
    finally:
        found.append(watch.end())


def _lost(stats: Path) -> int:
    counts = dict(line.split(": ", 1) for line in stats.read_text().splitlines() if ": " in line)
    return int(counts.get("overrun", 0))


def parsed(lines: Iterable[str], device: str, lost: int = 0) -> BlockRequests:
    """Requests of the kernel's lines; what is no request, or failed, is left out."""
    writes: list[tuple[float, int, int]] = []
    flushes = discarded = 0
    for line in lines:
        found = LINE.search(line)
        if found is None or found["error"] != "0":
            continue
        kind, size = found["kind"], int(found["size"]) * SECTOR_BYTES
        flushes += kind.startswith("F")
        if "D" in kind:
            discarded += size
        elif "W" in kind and size:
            writes.append((float(found["time"]), int(found["at"]) * SECTOR_BYTES, size))
    time_s, offset, size_of = zip(*writes, strict=True) if writes else ((), (), ())
    return BlockRequests(
        device=device,
        time_s=np.array(time_s, float),
        offset_bytes=np.array(offset, np.int64),
        size_bytes=np.array(size_of, np.int64),
        flushes=flushes,
        discarded_bytes=discarded,
        lost=lost,
    )
