"""Devices of the loop: a disk by its mechanics, anything else by times that depend on operation, size and pattern."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan

import numpy as np

from pagecost import catalogue
from pagecost.devices import Model, least_alone_s, load, title_of
from pagecost.devices.disk import Disk
from pagecost.devices.disk.geometry import SECTOR_BYTES
from pagecost.devices.disk.mechanics_kernels import Mechanics
from pagecost.errors import known, require
from pagecost.oltp import devices_kernels as kernels
from pagecost.oltp.queues_kernels import ANTICIPATORY, C_LOOK, DEADLINE, NOOP
from pagecost.units import format_bytes

SCHEDULERS = {"noop": NOOP, "c-look": C_LOOK, "deadline": DEADLINE, "anticipatory": ANTICIPATORY}
"""Schedulers of the host by name: in order of arrival; one way upwards; reads first, upwards, nothing overdue; and the
same with a wait for the next read of the process that was just answered."""
LAWS = ("constant", "exponential")
MOST_MEMBERS = 32
INTERFACE_BYTES_PER_S = 300e6  # SATA of 3 Gbit/s: a byte is 10 bits on the wire
_OPERATIONS = ("read", "write")
_PATTERNS = ("random", "sequential")


@dataclass(frozen=True, kw_only=True)
class DiskDrive:
    """A hard disk: seek, rotation and transfer of every request from where arm and platters stand.

    idle_w, active_w: its power, nan where not known.
    """

    disk: Disk
    idle_w: float = nan
    active_w: float = nan

    @property
    def name(self) -> str:
        """Of the disk."""
        return self.disk.name

    @property
    def capacity_bytes(self) -> float:
        """Bytes that it holds."""
        return self.disk.geometry.sectors * SECTOR_BYTES


@dataclass(frozen=True, kw_only=True)
class TimedDrive:
    """A device that is known by its times: those of `model` for each operation, size and pattern.

    The server is busy for the device time (1 / rate with many outstanding); where a request alone takes longer
    (`latency_s`, or at least `LEAST_FLASH_S`), the rest passes while the server has the next one already. servers:
    requests that it works on at a time. law: "constant" or "exponential" times with these means. streams: a request
    counts as sequential where one of the latest so many of its operation ended. slow_above_bytes, slow_factor:
    sequential writes larger than that take so many times as long, as Wang 2011, Fig. 1 (c) and (d), shows of two drives
    without numbers. capacity_bytes: that it holds; inf where nobody says it. Raises ModelError for values outside their
    ranges.
    """

    model: Model
    capacity_bytes: float = inf
    servers: int = 1
    law: str = "constant"
    streams: int = 4
    slow_above_bytes: float = inf
    slow_factor: float = 1.0
    idle_w: float = nan
    active_w: float = nan

    def __post_init__(self):
        require(self.servers >= 1, f"{self.name}: servers must be at least 1; got {self.servers}")
        known("distribution of device times", self.law, LAWS)
        require(
            1 <= self.streams <= kernels.OPEN, f"{self.name}: streams must be 1..{kernels.OPEN}; got {self.streams}"
        )
        require(self.slow_factor >= 1, f"{self.name}: slow_factor must be at least 1; got {self.slow_factor}")

    @property
    def name(self) -> str:
        """Of the model."""
        return self.model.name

    def times_s(self, block_bytes: int) -> tuple[np.ndarray, np.ndarray]:
        """(busy, further delay) [s] of 1, 2, 4, … blocks, float64[2 operations, 2 patterns, SIZES].

        Raises ModelError where the model says nothing of an operation.
        """
        sizes = block_bytes * 2.0 ** np.arange(kernels.SIZES)
        shape = (len(_OPERATIONS), len(_PATTERNS), kernels.SIZES)
        busy_s, delay_s = np.empty(shape), np.empty(shape)
        for write, operation in enumerate(_OPERATIONS):
            for sequential, pattern in enumerate(_PATTERNS):
                service = self.model.service(f"{pattern} {operation}", sizes)
                times = _beyond(sizes, np.broadcast_to(service.total_s, sizes.shape))
                require(
                    bool(np.isfinite(times).all()),
                    f"{self.name}: nothing is known of its {pattern} {operation}s, so that it cannot be simulated",
                )
                if write and sequential:
                    times = np.where(sizes > self.slow_above_bytes, times * self.slow_factor, times)
                alone_s = np.broadcast_to(service.latency_s, sizes.shape)
                least_s = least_alone_s(self.model, f"{pattern} {operation}")
                further_s = np.where(np.isfinite(alone_s), alone_s, least_s) - times
                busy_s[write, sequential] = times
                delay_s[write, sequential] = np.where(further_s > 1e-9, further_s, 0.0)
        return busy_s, delay_s


def _beyond(sizes: np.ndarray, times_s: np.ndarray) -> np.ndarray:
    """Outside what is known: smaller requests as the smallest, larger ones at the rate of the largest."""
    found = np.flatnonzero(np.isfinite(times_s))
    if not found.size:
        return times_s
    first, last = found[0], found[-1]
    times_s = np.where(np.arange(sizes.size) < first, times_s[first], times_s)
    return np.where(np.arange(sizes.size) > last, times_s[last] * sizes / sizes[last], times_s)


Drive = DiskDrive | TimedDrive


def drive(name: str, **changes) -> Drive:
    """The device of the catalogue (or measurement) of that name; changes: other fields of the drive.

    Raises ModelError for an unknown name, or a device of which too little is known.
    """
    if has_arm(name):
        device = catalogue.device(name)
        return DiskDrive(**{"disk": Disk.of(device), **power_of(device), **changes})
    return timed(name, load(name), **changes)


def has_arm(name: str) -> bool:
    """Whether a device is a disk that is known by its mechanics; of one that is known by mean times they are not."""
    device = catalogue.devices().get(name)
    return device is not None and device.model == "hard_disk"


def timed(name: str, model: Model, **changes) -> TimedDrive:
    """A device that is known by these times, with what the catalogue says of its power and capacity."""
    device = catalogue.devices().get(name)
    known_of = {} if device is None else power_of(device) | {"capacity_bytes": device.get("capacity_bytes", inf)}
    return TimedDrive(**{"model": model, **known_of, **changes})


def power_of(device: catalogue.Device) -> dict[str, float]:
    """Watts of a drive as its fields are called; nan where the catalogue does not know them, or only a bound."""
    return {name: device.known(name) for name in ("idle_w", "active_w")}


@dataclass(frozen=True, kw_only=True)
class Storage:
    """Equal devices side by side, striped, each with a queue and a scheduler of the host.

    copies: devices that keep the same; all of them write, and one reads (RAID-1). parities: of each row of stripes
    (RAID-5, RAID-6); a write reads old data and parities first, then writes both, whole rows as well; a log of its own
    is only written.
    scheduler: a key of `SCHEDULERS`. merge_bytes: requests that touch in place are merged up to this size while they
    wait; 0: never. stripe_bytes: neighbouring bytes that lie on one device. write_cache_bytes: what each device may
    hold of what is written and not yet destaged; a write is then answered when the interface has carried it, whatever
    the power does; 0: none, or none beside what its times say. interface_bytes_per_s: into that cache and out of it.
    held_bytes: of data that the devices hold in all, among which those in use lie evenly, stripe by stripe, so that the
    arm of a disk has so far to go; a log lies behind them; 0: there are no others. Raises ModelError for values outside
    their ranges.
    """

    drive: Drive
    count: int = 1
    stripe_bytes: int = 65536
    copies: int = 1
    parities: int = 0
    scheduler: str = "noop"
    merge_bytes: int = 512 * 1024
    write_cache_bytes: int = 0
    interface_bytes_per_s: float = INTERFACE_BYTES_PER_S
    held_bytes: float = 0.0

    def __post_init__(self):
        who = f"storage on {self.drive.name}"
        known("scheduler of the host", self.scheduler, SCHEDULERS)
        require(1 <= self.count <= MOST_MEMBERS, f"{who}: count must be 1..{MOST_MEMBERS}; got {self.count}")
        require(
            self.copies >= 1 and self.count % self.copies == 0,
            f"{who}: count must be a multiple of copies; got {self.count} and {self.copies}",
        )
        require(
            0 <= self.parities < self.count and (self.copies == 1 or not self.parities),
            f"{who}: parities must be 0..{self.count - 1}, and 0 where there are copies; got {self.parities}",
        )
        require(self.stripe_bytes >= 1, f"{who}: stripe_bytes must be at least 1; got {self.stripe_bytes}")
        for name in ("merge_bytes", "write_cache_bytes", "held_bytes"):
            require(getattr(self, name) >= 0, f"{who}: {name} must not be negative; got {getattr(self, name)}")
        require(
            self.interface_bytes_per_s > 0,
            f"{who}: interface_bytes_per_s must be above 0; got {self.interface_bytes_per_s}",
        )

    @property
    def counts(self) -> range:
        """How many devices can be joined so, fewest first: a mirror has as many of each copy, a row keeps two of data
        beside its parities."""
        return range(self.parities + 2 if self.parities else self.copies, MOST_MEMBERS + 1, self.copies)

    @property
    def capacity_bytes(self) -> float:
        """Bytes of data that all of them hold."""
        return (self.count // self.copies - self.parities) * self.drive.capacity_bytes

    def stripes(self, data_bytes: int, all_bytes: int) -> tuple[int, int]:
        """(in use, held) on each device, at least 1 and as many. data_bytes: where the data in use end that lie among
        others; all_bytes: where all ends that is in use, behind which nothing else lies."""
        columns = self.count // self.copies - self.parities
        used, ended = (-(-size // (columns * self.stripe_bytes)) for size in (data_bytes, all_bytes))
        room_bytes = self.drive.capacity_bytes - (ended - used + 1) * self.stripe_bytes
        held = min(self.held_bytes / columns, room_bytes) // self.stripe_bytes
        return max(1, used), max(1, used, int(held))

    @property
    def in_words(self) -> str:
        """What it is and holds: 2 × Mtron PRO 7500 32 GB, which hold 64 GB."""
        many, holds = (f"{self.count} × ", "hold") if self.count > 1 else ("", "holds")
        return f"{many}{title_of(self.drive.name)}, which {holds} {format_bytes(self.capacity_bytes)}"


def mechanics(drive: Drive) -> Mechanics:
    """The disk as the kernels want it; a disk that is never asked where the drive is none."""
    if isinstance(drive, DiskDrive):
        return drive.disk.mechanics()
    return Disk.flat(drive.name, capacity_bytes=2 * SECTOR_BYTES, access_s=1.0, bytes_per_s=1.0).mechanics()


def _spindle(storage: Storage, member: int) -> int:
    """Which of the spindles that are out of step a member has: its own where a write goes to several at a time.

    Members that write each for itself stand at different places anyway.
    """
    return member if storage.copies > 1 or storage.parities else 0


def tables(storages: list[Storage], block_bytes: int, ends_bytes: Sequence[tuple[int, int]]) -> kernels.Devices:
    """All members of the storages, one after the other, as the kernels want them. ends_bytes: where the data in use end
    on each storage, and where the log does."""
    members = [storage.drive for storage in storages for _ in range(storage.count)]
    setting = np.zeros((len(members), 8), np.int64)
    setting[:, kernels.MEMBER :] = [
        (_spindle(storage, member), max(1, storage.stripe_bytes // block_bytes), *storage.stripes(*ends))
        for storage, ends in zip(storages, ends_bytes, strict=True)
        for member in range(storage.count)
    ]
    shape = (len(members), 2, 2, kernels.SIZES)
    busy_s, delay_s = np.zeros(shape), np.zeros(shape)
    for number, member in enumerate(members):
        setting[number, kernels.STREAMS] = 1
        setting[number, kernels.BLOCK_SECTORS] = block_bytes // SECTOR_BYTES
        if isinstance(member, DiskDrive):
            setting[number, kernels.KIND] = kernels.DISK
        else:
            setting[number, kernels.KIND] = kernels.TABLE
            setting[number, kernels.LAW] = LAWS.index(member.law)
            setting[number, kernels.STREAMS] = member.streams
            busy_s[number], delay_s[number] = member.times_s(block_bytes)
    end = np.full((len(members), 2, kernels.OPEN), -1, np.int64)
    return kernels.Devices(
        setting, busy_s, delay_s, np.zeros((len(members), 2), np.int64), end, np.zeros((len(members), 2), np.int64)
    )
