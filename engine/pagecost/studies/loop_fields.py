"""What questions of more than one topic ask alike of a path in time: how it is built, and the parts of their panels."""

from collections.abc import Callable, Iterable, Iterator

from pydantic import Field

from pagecost import oltp
from pagecost.answers.bounds_said import average_seeks, bounds_alone, knows_distances
from pagecost.answers.path_runs import FILE_SYSTEMS
from pagecost.devices import disk, title_of
from pagecost.economics import LEVELS
from pagecost.oltp.drives import INTERFACE_BYTES_PER_S, MOST_MEMBERS
from pagecost.studies.fields import About, Choice, Group, OfSystem, Steps, how_many
from pagecost.studies.shared_fields import size_or_none
from pagecost.units import format_bytes, format_si

SYSTEM, RUN = "Users, processors, memory", "How long it is run"
TABLES, LOG, HOST = "Tables and start", "Log and checkpoints", "Page cache and host"
SCHEDULERS = {
    "noop": "Noop",
    **{name: disk.SCHEDULERS[name].title for name in ("c-look", "deadline")},
    "anticipatory": "anticipatory",
}
"""What people call the schedulers of the host (`oltp.SCHEDULERS`)."""
SCHEDULER: About = (
    Choice(lambda: SCHEDULERS),
    OfSystem("devices.database.scheduler", words=(("fcfs", "noop"),)),
    Field(title="Scheduler", description="Of the host, in front of each device."),
)
FILE_SYSTEM: About = (
    Choice(lambda: FILE_SYSTEMS),
    OfSystem("file_system.layout"),
    Field(title="File system", description="How pages lie on the device."),
)
GROUP_SIZE: About = (
    Steps((0, 1, 10, 30, 100), "1", how_many("transactions", zero="all that wait")),
    OfSystem("log.group_size"),
    Group(LOG),
    Field(ge=0, le=10_000, title="Group commit", description="Transactions that share a log write at most."),
)
COUNT: About = (
    Steps((1, 2, 4, 8, 16), "1", how_many("devices")),
    OfSystem("devices.database.count"),
    Group(HOST),
    Field(ge=1, le=MOST_MEMBERS, title="Devices side by side", description="Striped in units of 64 KiB."),
)
_JOINED: About = (Choice(lambda: {name: level.title for name, level in LEVELS.items()}, noun="RAID level"),)
LEVEL: About = (
    *_JOINED,
    OfSystem("devices.database.level"),
    Group(HOST),
    Field(title="Availability", description="How the devices are joined, and what a small write then costs."),
)
LOG_COUNT: About = (
    Steps((1, 2, 4), "1", how_many("devices")),
    OfSystem("devices.log.count"),
    Group(LOG),
    Field(ge=1, le=MOST_MEMBERS, title="Devices of the log", description="Where it has its own."),
)
LOG_LEVEL: About = (
    *_JOINED,
    OfSystem("devices.log.level"),
    Group(LOG),
    Field(title="Availability of the log", description="How its own devices are joined."),
)
VOLUME: About = (
    Steps(
        (0.0, 1e10, 3e10, 1e11, 3e11, 1e12, 3e12), "B", lambda size: format_bytes(size) if size else "the load alone"
    ),
    OfSystem("load.volume_bytes"),
    Group(HOST),
    Field(ge=0, le=1e18, title="Volume", description="Data on the devices, over which the arm of a disk moves."),
)
WRITE_CACHES = Steps((0, 2 * 2**20, 8 * 2**20, 32 * 2**20, 256 * 2**20), "B", size_or_none)
WRITE_CACHE: About = (
    WRITE_CACHES,
    OfSystem("devices.database.write_cache_bytes"),
    Group(HOST),
    Field(
        ge=0,
        le=2**40,
        title="Write cache of a device",
        description="Each answers a write when its cache has it, writes it back later, and keeps it without power.",
    ),
)
TOGETHER = "together"


def write_cache_in_words(cache_bytes: int) -> str:
    """What a note says of the devices' write caches."""
    rate = format_si(INTERFACE_BYTES_PER_S, "B/s")
    return (
        f"A write is answered when the device's cache of {format_bytes(cache_bytes)} has it (interface: {rate}); it "
        "writes back when nothing else is to do, neighbours in one piece, and what it holds survives without power. "
        "Times of SSDs are with their own caches already."
    )


def bounds_in_words(storages: Iterable[oltp.Storage]) -> Iterator[str]:
    """Which solid-state drives among these nobody times alone, of which disks only the average seek is known, and what
    stands in the place of that."""
    storages = list(storages)
    yield from average_seeks(storage.drive.name for storage in storages)
    drives = [storage.drive for storage in storages if isinstance(storage.drive, oltp.TimedDrive)]
    yield from bounds_alone((title_of(drive.name), drive.model) for drive in drives)


def arms_in_words(storages: Iterable[oltp.Storage]) -> Iterator[str]:
    """How far the arms of the disks among these go, where a shorter way takes less, and which are full because they
    hold less than is said."""
    disks = [storage for storage in storages if isinstance(storage.drive, oltp.DiskDrive)]
    names = dict.fromkeys(storage.drive.name for storage in disks)
    arms = ", ".join(title_of(name) for name in names if knows_distances(name))
    if arms and any(storage.held_bytes for storage in disks):
        yield f"The arms of {arms} move over the part of a drive that holds its share of the volume."
    elif arms:
        yield f"The load's pages lie side by side, so that the arms of {arms} move little; say a volume to move them."
    full = dict.fromkeys(each.in_words for each in disks if each.held_bytes > each.capacity_bytes)
    if full:
        yield f"As if full, for the volume is larger than what they hold: {'; '.join(full)}."


def place_of_log(devices: Callable[[], dict[str, str]]) -> About:
    """The kind of input that says where the log lies: with the data, or on one of these devices (id -> name)."""
    return (
        Choice(lambda: {TOGETHER: "with the data", **devices()}, noun="device"),
        OfSystem("devices.log.device"),
        Group(LOG),
        Field(title="Log lies", description="With the data, or on devices of its own, without a file system."),
    )
