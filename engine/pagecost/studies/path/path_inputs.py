"""The system around the devices, as the questions about the whole path ask for it, and one place of their grids."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from pagecost import oltp
from pagecost.answers import path_loads, path_runs
from pagecost.answers.path_runs import Cleaner
from pagecost.buffer import POLICIES
from pagecost.buffer.policies import find, title_of
from pagecost.oltp.setup import MOST_BATCH
from pagecost.studies import mix_fields
from pagecost.studies.fields import Choice, From, Group, OfSystem, Steps, how_many
from pagecost.studies.loop_fields import (
    COUNT,
    GROUP_SIZE,
    LEVEL,
    LOG_COUNT,
    LOG_LEVEL,
    SYSTEM,
    TOGETHER,
    VOLUME,
    WRITE_CACHE,
)
from pagecost.studies.loop_loads import LOADS, TPC_C, LoadFields, load_of
from pagecost.studies.path.path_fields import (
    ABORTS,
    BACK,
    CACHE_WRITE,
    CHECKPOINT,
    COMMERCIAL,
    DATABASES,
    FILL,
    FLUSHED,
    GROUP_WAIT,
    INDEXES,
    IO,
    LEAST_FRAMES,
    LOG_DEVICE,
    MYSQL,
    NO_MIX,
    OWN,
    READ_AHEAD,
    RUNS,
    THROUGH,
    WITH,
    WITHOUT,
    YOURS,
)
from pagecost.studies.shared_fields import SEED, STRATEGY, size_or_none
from pagecost.studies.study import StudyInputs
from pagecost.units import format_bytes, format_seconds
from pagecost.workload.tpcc import TpcC

ASLEEP = Cleaner()
OF_DATABASE = {
    COMMERCIAL: ("commercial_s",),
    MYSQL: ("mysql_s",),
    OWN: ("own_s", "page_bytes", "buffer_frames", "policy"),
}
"""The inputs that say what a database system is like."""


class Database(NamedTuple):
    """What a system stores in what pages, and how it writes them.

    write_batch: pages that one writer makes durable together; 1: whoever needs the room writes one and waits.
    """

    page_bytes: int
    buffer_bytes: float
    log_buffer_bytes: int
    write_batch: int
    transaction_s: float
    policy: str = "lru"


class PathInputs(StudyInputs):
    """The system around the devices."""

    warehouses: Annotated[
        int,
        Steps((3, 10, 30, 100), "1", how_many("warehouses")),
        From("wang2011 §3.1: 30"),
        Group(SYSTEM),
        OfSystem("load.warehouses"),
        Field(ge=1, le=150, title="Warehouses", description="71 MB each, without indexes."),
    ] = 30
    users: Annotated[
        int,
        Steps((1, 2, 5, 10, 20, 30, 50, 100, 200), "1", how_many("users")),
        From("wang2011 §3.1: 30"),
        Group(SYSTEM),
        OfSystem("load.users"),
        Field(ge=1, le=1000, title="Users", description="Each has one transaction at a time."),
    ] = 30
    think_s: Annotated[
        float,
        Steps((0.0, 0.1, 0.5, 1.0, 5.0), "s", format_seconds),
        From("wang2011 §3.1: none"),
        Group(SYSTEM),
        OfSystem("load.think_s"),
        Field(ge=0, le=3600, title="Think time", description="Mean between an answer and the user's next transaction."),
    ] = 0.0
    processors: Annotated[
        int,
        Steps((1, 2, 4, 8, 16), "1", how_many("processors")),
        From("wang2011 §2.2.1: 2"),
        Group(SYSTEM),
        OfSystem("processors.servers"),
        Field(ge=1, le=256, title="Processors", description="Of one queue."),
    ] = 2
    page_cache_bytes: Annotated[
        float,
        Steps((0, 64 * 2**20, 256 * 2**20, 2**30, 1.9 * 2**30), "B", size_or_none),
        OfSystem("memory.page_cache_bytes"),
        From("wang2011 §2.2.1: memory of 2 GB"),
        Group(SYSTEM),
        Field(
            ge=0,
            le=2**36,
            title="Page cache",
            description="Of the operating system, between buffer and file system; none: direct I/O.",
        ),
    ] = 1.9 * 2**30
    strategy: Annotated[str, *STRATEGY, Group(SYSTEM)] = "NOFORCE"
    log_flush: Annotated[
        str,
        Choice(lambda: FLUSHED, noun="moment"),
        From("wang2011 Table 4: at transaction commit"),
        Group(SYSTEM),
        Field(title="Log is written", description="What a commit waits for; those that wait share a write."),
    ] = "commit"
    commercial_s: Annotated[
        float,
        Steps((0.0, 1e-3, 2e-3, 5.5e-3, 1e-2, 2e-2), "s", format_seconds),
        From("fitted: 11.6 MB/s written to the Intel drive on ext2fs, wang2011 Table 6"),
        Group(SYSTEM),
        Field(
            ge=0,
            le=10,
            title="Processor, commercial",
            description="Mean time of a transaction on one processor of the commercial system.",
        ),
    ] = 5.5e-3
    mysql_s: Annotated[
        float,
        Steps((0.0, 1e-3, 2e-3, 8.7e-3, 1e-2, 2e-2), "s", format_seconds),
        From("fitted: 28.9 MB/s written to the Intel drive on ext2fs, wang2011 Table 6"),
        Group(SYSTEM),
        Field(ge=0, le=10, title="Processor, MySQL", description="The same of MySQL."),
    ] = 8.7e-3
    own_s: Annotated[
        float,
        Steps((0.0, 1e-4, 1e-3, 2e-3, 5e-3, 1e-2), "s", format_seconds),
        OfSystem("processors.transaction_s"),
        Group(YOURS),
        Field(ge=0, le=10, title="Processor, your own", description="Mean time of a transaction on one processor."),
    ] = 1e-3
    page_bytes: Annotated[
        int,
        Steps((4096, 8192, 16384), "B", format_bytes),
        Group(YOURS),
        OfSystem("memory.page_bytes"),
        Field(ge=4096, le=65536, multiple_of=4096, title="Page", description="A whole number of blocks of 4 KiB."),
    ] = 8192
    buffer_frames: Annotated[
        int,
        Steps((256, 1024, 4096, 16384, 65536), "frames", how_many("frames")),
        OfSystem("memory.buffer_frames"),
        Group(YOURS),
        Field(
            ge=LEAST_FRAMES, le=2**20, title="Buffer", description="Pages that it holds; one for each user at least."
        ),
    ] = 4096
    policy: Annotated[
        str,
        Choice(lambda: {name: title_of(name) for name in POLICIES}, free=True, such=find, of_file=False),
        OfSystem("memory.policy"),
        Group(YOURS),
        Field(title="Replacement", description="Of the buffer of your own database; the two others have LRU."),
    ] = "lru"
    indexes: Annotated[str, *INDEXES] = WITHOUT
    aborts: Annotated[str, *ABORTS] = WITHOUT
    fill: Annotated[int, *FILL] = path_runs.FILL
    group_size: Annotated[int, *GROUP_SIZE] = 0
    group_wait_s: Annotated[float, *GROUP_WAIT] = 0.0
    read_ahead_pages: Annotated[int, *READ_AHEAD] = 32
    io_s: Annotated[float, *IO] = 0.0
    runs: Annotated[int, *RUNS] = 1
    seed: SEED = 1

    def profile(self, name: str) -> Database:
        """One of `DATABASES` as it is set here."""
        if name == COMMERCIAL:
            return Database(4096, 8 * 2**20, 5 * 2**20, 1, self.commercial_s)
        if name == MYSQL:
            return Database(16384, 4 * 2**20, 2 * 2**20, MOST_BATCH, self.mysql_s)
        return Database(
            self.page_bytes, self.buffer_frames * self.page_bytes, 5 * 2**20, 1, self.own_s, policy=self.policy
        )

    def tpcc_of(self, mix: str, page_bytes: int) -> TpcC:
        """TPC-C with a mix of this name, in pages of a database system."""
        return TpcC(
            warehouses=self.warehouses,
            mix=self.mix_of(mix),
            page_bytes=page_bytes,
            indexes=self.indexes == WITH,
            aborts=self.aborts == WITH,
        )

    def load_of(self, mix: str, page_bytes: int) -> path_loads.Load:
        """What is asked of a system."""
        return self.tpcc_of(mix, page_bytes)

    def mean_s(self, database: Database) -> float:
        """Processor time of a transaction [s]."""
        return database.transaction_s

    def mix_of(self, name: str) -> str:
        """What `TpcC` takes for a mix of this name."""
        return name

    def load_in_words(self, page_bytes: int) -> str:
        """What a note says of the load."""
        return self.tpcc_in_words()

    def tpcc_in_words(self) -> str:
        """What a note says of TPC-C."""
        size = f"{self.warehouses} warehouse{'s' if self.warehouses > 1 else ''}"
        return f"{size} of TPC-C {self.indexes} indexes and {self.aborts} aborted New-Orders"

    def unused(self, points: Sequence["Point"]) -> Iterator[tuple[tuple[str, ...], str]]:
        """Inputs that change nothing at these places of the grid, and why."""
        chosen = {point.database for point in points}
        for database, names in OF_DATABASE.items():
            if database not in chosen:
                yield names, f"The database system '{DATABASES[database]}' is not chosen, whose they are"
        if OWN in chosen and all(point.buffer_bytes for point in points):
            yield (
                ("buffer_frames",),
                "Sizes of the buffer are asked for, and the database's own is not among them",
            )
        if not self.page_cache_bytes:
            yield ("page_cache_writes", "read_ahead_pages"), "There is no page cache"
        if self.log_flush != "commit":
            yield (
                ("group_size", "group_wait_s"),
                "No commit waits for the log: it is written when its buffer is full",
            )


class LoadsInputs(LoadFields, PathInputs):
    """The same with any load."""

    load: Annotated[
        str,
        *load_of(
            "What transactions do. Warehouses, mixes and tables are of TPC-C alone.", From("wang2011 §3.1: TPC-C")
        ),
    ] = TPC_C

    def load_of(self, mix: str, page_bytes: int) -> path_loads.Load:
        """What is asked of a system."""
        return LOADS[self.load].of(self, mix, page_bytes)

    def mixes_of(self, mixes: Sequence[str]) -> tuple[str, ...]:
        """Those of the grid: a load without mixes has a place for itself."""
        return tuple(mixes) if self.load == TPC_C else (NO_MIX,)

    def mix_titles(self) -> dict[str, str]:
        """What people call the mixes of the grid; one that is none bears the name of its load."""
        return {**mix_fields.TITLES, NO_MIX: LOADS[self.load].title}

    def mean_s(self, database: Database) -> float:
        """Processor time of a transaction [s]: that of the load, where it has its own."""
        own = LOADS[self.load].mean_s
        return database.transaction_s if own is None else own(self)

    def load_in_words(self, page_bytes: int) -> str:
        """What a note says of the load."""
        return LOADS[self.load].in_words(self, page_bytes)

    def unused(self, points: Sequence["Point"]) -> Iterator[tuple[tuple[str, ...], str]]:
        """Inputs that change nothing at these places of the grid, and why."""
        yield from super().unused(points)
        yield from self.of_other_loads()
        if LOADS[self.load].mean_s is not None:
            yield ("commercial_s", "mysql_s", "own_s"), f"{LOADS[self.load].title} has a processor time of its own"
        if self.thinks_by_itself():
            yield ("think_s",), "Users think as the times of the trace say"


class MixesInputs(LoadsInputs):
    """The same for questions with several mixes, of which one may be typed."""

    own_mix: Annotated[str, *mix_fields.OWN_SHARES] = mix_fields.LEAST

    def mix_of(self, name: str) -> str:
        """What `TpcC` takes for a mix of this name."""
        return self.own_mix if name == mix_fields.OWN_MIX else name


class LogApartInputs(LoadsInputs):
    """The same for questions in which the log may have devices for itself."""

    log_device: Annotated[str, *LOG_DEVICE] = TOGETHER
    log_count: Annotated[int, *LOG_COUNT] = 1
    log_level: Annotated[str, *LOG_LEVEL] = "raid-0"

    def point(self, **differs: Any) -> "Point":
        """A place of the grid with what all of them have alike."""
        return Point(log_device=self.log_device, log_count=self.log_count, log_level=self.log_level, **differs)

    def unused(self, points: Sequence["Point"]) -> Iterator[tuple[tuple[str, ...], str]]:
        """Inputs that change nothing at these places of the grid, and why."""
        yield from super().unused(points)
        if self.log_device == TOGETHER:
            yield ("log_count", "log_level"), "The log lies with the data"


class VolumeInputs(LogApartInputs):
    """The same for questions that look at the times of devices, whose arms have so far to go."""

    volume_bytes: Annotated[float, *VOLUME] = 0.0

    def point(self, **differs: Any) -> "Point":
        """A place of the grid with what all of them have alike."""
        return super().point(volume_bytes=self.volume_bytes, **differs)

    def unused(self, points: Sequence["Point"]) -> Iterator[tuple[tuple[str, ...], str]]:
        """Inputs that change nothing at these places of the grid, and why."""
        yield from super().unused(points)
        if not any(isinstance(point.storage.drive, oltp.DiskDrive) for point in points):
            yield ("volume_bytes",), "No device here has an arm"


class LoopInputs(VolumeInputs):
    """The same for questions that look at a run alone, and not at years of writes: how devices and times are shared."""

    page_cache_writes: Annotated[str, *CACHE_WRITE] = THROUGH
    checkpoint_s: Annotated[float, *CHECKPOINT] = 0.0
    count: Annotated[int, *COUNT] = 1
    level: Annotated[str, *LEVEL] = "raid-0"
    write_cache_bytes: Annotated[int, *WRITE_CACHE] = 0

    def point(self, **differs: Any) -> "Point":
        """A place of the grid with what all of them have alike."""
        alike: dict[str, Any] = {
            **{"count": self.count, "level": self.level, "write_cache_bytes": self.write_cache_bytes},
            "checkpoint_s": self.checkpoint_s,
            "write_back": self.page_cache_writes == BACK,
        }
        return super().point(**alike | differs)


@dataclass(frozen=True, kw_only=True)
class Point:
    """One place of a grid: what differs between the systems of an answer.

    buffer_bytes 0: that of the database. checkpoint_s: between two checkpoints; 0: none. log_device: `TOGETHER`, or
    what the log has for itself. write_back: writes wait in the page cache. count, level and those of the log: how many
    devices are joined how; fewer than the level needs are as many as it needs. write_cache_bytes: of each device.
    volume_bytes: of data on all devices, those of the load among them; 0: none but those.
    """

    database: str
    device: str
    file_system: str
    mix: str = "normal"
    buffer_bytes: float = 0.0
    scheduler: str = "anticipatory"
    cleaner: Cleaner = ASLEEP
    count: int = 1
    level: str = "raid-0"
    checkpoint_s: float = 0.0
    log_device: str = TOGETHER
    log_count: int = 1
    log_level: str = "raid-0"
    write_back: bool = False
    write_cache_bytes: int = 0
    volume_bytes: float = 0.0

    @property
    def storage(self) -> oltp.Storage:
        """What the pages lie on."""
        return path_runs.joined(
            self.device, self.count, self.level, self.scheduler, self.write_cache_bytes, self.volume_bytes
        )

    @property
    def log_storage(self) -> oltp.Storage | None:
        """What the log has for itself; None: it lies with the data."""
        if self.log_device == TOGETHER:
            return None
        return path_runs.joined(
            self.log_device, self.log_count, self.log_level, write_cache_bytes=self.write_cache_bytes
        )
