"""How many devices a volume, an availability and a throughput need, and how busy they are."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from pagecost import devices
from pagecost.catalogue import Device
from pagecost.devices import energy
from pagecost.economics.cost import Cost, energy_per_s
from pagecost.economics.ownership import Holding
from pagecost.errors import known, require


class Level(NamedTuple):
    """A RAID level: device requests per small write, as (reads, writes); copies of data, or parities per group."""

    title: str
    write_reads: int
    write_writes: int
    copies: int
    parities: int
    least: int

    def joined(self, count: int) -> int:
        """The least number of devices, at least `count`, that can be joined so in one group."""
        return max(math.ceil(count / self.copies) * self.copies, self.least)

    def devices_for(self, data: int) -> int:
        """How many devices hold what so many would without redundancy, in one group; at least `least`, 0 for none."""
        return max(data * self.copies + self.parities, self.least) if data else 0


LEVELS = {
    "raid-0": Level("RAID-0: no redundancy", 0, 1, 1, 0, 1),
    "raid-1": Level("RAID-1: mirrored", 0, 2, 2, 0, 2),
    "raid-5": Level("RAID-5: one parity", 2, 2, 1, 1, 3),
    "raid-6": Level("RAID-6: two parities", 3, 3, 1, 2, 4),
}
"""A small write reads old data and parities, and writes them anew: each on as many devices as it writes."""
GROUP = 8
"""Devices of a group with parity, at most, where nothing else is said."""


class Power(NamedTuple):
    """Watts of a device while it idles and while it works; nan where not known."""

    idle_w: float
    active_w: float


def power_of(device: Device) -> Power:
    """The catalogue's watts of a device in a working server. Raises ModelError where one is unknown or only a bound:
    that is the power of a drive that sleeps, or of the hungriest of its family, not of this one at work.
    """
    for name, what in (("idle_w", "idle"), ("active_w", "load")):
        bound = device.parameter(name).bound
        require(
            not bound,
            f"{device.name}: the {what} power of the catalogue, {device.parameter(name).stated}, is a bound and no "
            f"value for a working server; give its watts, such as {device.id}=IDLE/LOAD",
        )
    return Power(device.value("idle_w"), device.value("active_w"))


def group_said(level: str, group: int) -> str:
    """A level in words, with its groups: "RAID-5: one parity, in groups of 7 + 1"."""
    redundancy = LEVELS[known("RAID level", level, LEVELS)]
    groups = f", in groups of {group - redundancy.parities} + {redundancy.parities}" if redundancy.parities else ""
    return f"{redundancy.title}{groups}"


def _require_volume(volume_bytes: float) -> None:
    require(0 < volume_bytes < math.inf, f"the volume must be above 0 and finite; got {volume_bytes:g} bytes")


def _require_group(level: str, group: int) -> None:
    least = LEVELS[known("RAID level", level, LEVELS)].least
    require(group >= least, f"a group of {level} has at least {least} devices; got {group}")


@dataclass(frozen=True, kw_only=True)
class Need:
    """What the application asks of its storage.

    volume_bytes of data; iops: requests per second of request_bytes at random places, read_share of them reads, 0..1.
    level: of `LEVELS`. busy_at_most: share of the time that a device may work, so that queues stay short. reserve:
    share of a device that stays empty. group: devices of a group with parity, at most.
    """

    volume_bytes: float
    iops: float
    read_share: float
    level: str = "raid-0"
    request_bytes: float = 4096.0
    busy_at_most: float = 0.7
    reserve: float = 0.0
    group: int = GROUP

    def __post_init__(self):
        _require_group(self.level, self.group)
        _require_volume(self.volume_bytes)
        require(0 <= self.iops < math.inf, f"requests per second must be finite and not negative; got {self.iops:g}")
        require(0 <= self.read_share <= 1, f"the share of reads must be 0..1; got {self.read_share:g}")
        require(0 < self.busy_at_most <= 1, f"busy_at_most must be above 0 and at most 1; got {self.busy_at_most:g}")
        require(0 <= self.reserve < 1, f"the reserve must be 0..1, below 1; got {self.reserve:g}")


@dataclass(frozen=True)
class System:
    """So many devices. for_volume, for_throughput: how many each demand alone needs. request_s: device time of a
    request of the application, all its device requests together. busy: share of the time that a device works.
    written_bytes_per_s: to one device. mean_w: of all devices together, nan where the power is not known. wanted,
    data: how many the load fills, and the data without redundancy, fractions. level: of `LEVELS`. group: devices of one
    with parity, at most."""

    device: str
    count: int
    for_volume: int
    for_throughput: int
    request_s: float
    busy: float
    mean_w: float
    written_bytes_per_s: float
    wanted: float
    data: float
    level: str
    group: int

    @property
    def iops(self) -> float:
        """Requests per second that the system does at most, all devices always busy."""
        return self.count / self.request_s

    @property
    def decided_by(self) -> str:
        """Which demand sets the number of devices."""
        if self.for_throughput > self.for_volume:
            return "throughput"
        return "volume" if self.for_volume == self.count else "the level"

    def cost(self, price: float, price_per_kwh: float, overhead: float = 1.0) -> Cost:
        """The straight line of so many devices of that price and of their energy."""
        return Cost(self.count * price, energy_per_s(self.mean_w, price_per_kwh, overhead))

    def holding(self, price: float, idle_w: float, worn_s: float = math.inf, embodied_kg: float = math.nan) -> Holding:
        """The devices as `ownership` takes them: so much of them is filled, mirrors come in pairs."""
        return Holding(
            self.count,
            price,
            self.mean_w / self.count,
            worn_s,
            embodied_kg,
            idle_w=idle_w,
            wanted=self.wanted,
            data=self.data,
            together=LEVELS[self.level].copies,
            parities=LEVELS[self.level].parities,
            group=self.group,
        )


def devices_for_volume(volume_bytes: float, device_bytes: float, level: str, group: int = GROUP) -> int:
    """Devices that hold a volume at a level of redundancy, at least the fewest that the level can have.

    group: devices of a group with parity, at most. Raises ModelError for a volume or a device of nothing or without
    end, an unknown level and a group that is too small for it.
    """
    redundancy = LEVELS[known("RAID level", level, LEVELS)]
    _require_volume(volume_bytes)
    require(device_bytes > 0, f"the capacity of a device must be above 0; got {device_bytes:g} bytes")
    _require_group(level, group)
    data = math.ceil(volume_bytes / device_bytes * (1 - 1e-12))
    parities = redundancy.parities * math.ceil(data / (group - redundancy.parities))
    return max(data * redundancy.copies + parities, redundancy.least)


def request_s(device: Device, need: Need) -> float:
    """Device time [s] of a request of the application: a read, or all reads and writes of a write, by their shares."""
    model, level = devices.model_of(device), LEVELS[need.level]
    read_s, write_s = (float(model.service(f"random {what}", need.request_bytes).total_s) for what in ("read", "write"))
    write = level.write_reads * read_s + level.write_writes * write_s
    return need.read_share * read_s + (1 - need.read_share) * write


def sized(device: Device, need: Need, power: Power | None = None) -> System:
    """The fewest devices that hold the volume and serve the requests. Load is spread evenly over all of them.

    power: of a device, by default the catalogue's. Raises ModelError where capacity or service times of the device are
    not known, and as `power_of`.
    """
    level, power = LEVELS[need.level], power or power_of(device)
    usable = device.value("capacity_bytes") * (1 - need.reserve)
    for_volume = devices_for_volume(need.volume_bytes, usable, need.level, need.group)
    each_s = request_s(device, need)
    working = need.iops * each_s
    for_throughput = math.ceil(working / need.busy_at_most * (1 - 1e-12))
    count = level.joined(max(for_volume, for_throughput))
    busy = working / count
    mean_w = count * float(energy.average_w(power.idle_w, power.active_w, busy))
    written = need.iops * (1 - need.read_share) * level.write_writes * need.request_bytes / count
    wanted, data = min(working / need.busy_at_most, count), need.volume_bytes / usable
    found = (for_volume, for_throughput, each_s, busy, mean_w, written, wanted, data, need.level, need.group)
    return System(device.id, count, *found)
