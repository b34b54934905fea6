"""What the questions about the whole path have in common: the system around the devices, and how long it is run."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from pagecost import oltp
from pagecost.answers import path_runs
from pagecost.answers.path_runs import FILE_SYSTEMS, Case, Cleaner, Mean, drives
from pagecost.buffer import POLICIES
from pagecost.buffer.policies import find, title_of
from pagecost.errors import ModelError, require
from pagecost.oltp.setup import MOST_BATCH
from pagecost.studies import mix_fields
from pagecost.studies.fields import About, Choice, Choices, From, Group, OfSystem, Steps
from pagecost.studies.shared_fields import FORCE, SEED, STRATEGY, size_or_none
from pagecost.studies.study import Column, Progress, Result, StudyInputs
from pagecost.studies.workers import workers
from pagecost.units import format_bytes, format_seconds
from pagecost.workload.tpcc import TpcC

COMMERCIAL, MYSQL, OWN = "commercial", "mysql", "own"
DATABASES = {
    COMMERCIAL: "commercial system, 4 KiB pages",
    MYSQL: "MySQL, 16 KiB pages",
    OWN: "your own",
}
ASLEEP = Cleaner()
IN_FEW_WORDS = {COMMERCIAL: "commercial", MYSQL: "MySQL", OWN: "own"}
SCHEDULERS = {name: name for name in oltp.SCHEDULERS}
BUFFERS = (0, *(2**power * 2**20 for power in range(1, 8)))
FLUSHED = {"commit": "at each commit", "later": "when the log buffer is full"}
SYSTEM, YOURS, RUN = "Users, processors, memory", "A database of your own", "How long it is run"
MOST_ROWS = 64
LEAST_FRAMES = 64


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


def devices_of(most: int, description: str) -> About:
    """The kind of input that names several devices of the loop."""
    return (
        Choices(drives, most=most),
        OfSystem("devices.database.device"),
        Field(min_length=1, title="Devices", description=description),
    )


DATABASE: About = (
    Choice(lambda: DATABASES),
    From("wang2011 Table 4"),
    Field(title="Database system", description="With its pages, its buffer and the processor's time of a transaction."),
)
FILE_SYSTEM: About = (
    Choice(lambda: FILE_SYSTEMS),
    OfSystem("file_system.layout"),
    Field(title="File system", description="How pages lie on the device."),
)
FILE_SYSTEMS_OF: About = (
    Choices(lambda: FILE_SYSTEMS, most=4),
    OfSystem("file_system.layout"),
    From("wang2011 §3.1: ext2fs and nilfs2, its cleaner off"),
    Field(min_length=1, title="File systems", description="How pages lie on the device; no cleaner wakes."),
)
MIX: About = (
    *mix_fields.mix(From("wang2011 Table 3")),
    Field(title="Mix", description="How many of each transaction of TPC-C run."),
)
BUFFER: About = (
    Steps(BUFFERS, "B", lambda size: format_bytes(size) if size else "that of the database system"),
    From("wang2011 Table 4: 8 MB, MySQL 4 MB"),
    Field(ge=0, le=2**30, title="Buffer", description="Of the database."),
)


DATABASES_OF: About = (
    Choices(lambda: DATABASES, most=3),
    From("wang2011 Table 4"),
    Field(min_length=1, title="Database systems", description="Pages, buffer, processor time."),
)


def seconds_of(stops: tuple[float, ...]) -> About:
    """The kind of input that says how long a system is run."""
    return (
        Steps(stops, "s", format_seconds),
        Group(RUN),
        Field(ge=1, le=600, title="Time of a run", description="After the caches are filled; simulated seconds."),
    )


RUNS: About = (
    Steps((1, 2, 3, 5), "1", lambda count: f"{count} runs" if count > 1 else "1 run"),
    Group(RUN),
    Field(ge=1, le=path_runs.MOST_RUNS, title="Runs", description="Each with other random numbers; for intervals."),
)


class PathInputs(StudyInputs):
    """The system around the devices."""

    warehouses: Annotated[
        int,
        Steps((3, 10, 30, 100), "1", lambda count: f"{count} warehouses"),
        From("wang2011 §3.1: 30"),
        Group(SYSTEM),
        OfSystem("load.warehouses"),
        Field(ge=1, le=150, title="Warehouses", description="71 MB each, without indexes."),
    ] = 30
    users: Annotated[
        int,
        Steps((1, 2, 5, 10, 20, 30, 50, 100, 200), "1", lambda count: f"{count} users" if count > 1 else "1 user"),
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
        Steps((1, 2, 4, 8, 16), "1", lambda count: f"{count} processors" if count > 1 else "1 processor"),
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
            description="Of the operating system. Reads are answered there, writes go through to the device.",
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
        Steps((256, 1024, 4096, 16384, 65536), "frames", lambda frames: f"{frames} frames"),
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

    def mix_of(self, name: str) -> str:
        """What `TpcC` takes for a mix of this name."""
        return name


class MixesInputs(PathInputs):
    """The same for questions with several mixes, of which one may be typed."""

    own_mix: Annotated[str, *mix_fields.OWN_SHARES] = mix_fields.LEAST

    def mix_of(self, name: str) -> str:
        """What `TpcC` takes for a mix of this name."""
        return self.own_mix if name == mix_fields.OWN_MIX else name


@dataclass(frozen=True, kw_only=True)
class Point:
    """One place of a grid: what differs between the systems of an answer.

    buffer_bytes 0: that of the database. checkpoint_s: between two checkpoints; 0: none.
    """

    database: str
    device: str
    file_system: str
    mix: str = "normal"
    buffer_bytes: float = 0.0
    scheduler: str = "anticipatory"
    cleaner: Cleaner = ASLEEP
    count: int = 1
    checkpoint_s: float = 0.0


def case_of(inputs: PathInputs, point: Point, run: int, seconds: float) -> Case:
    """The system at a point, for one of its runs. Raises ModelError where its parts do not fit."""
    database = inputs.profile(point.database)
    load = TpcC(warehouses=inputs.warehouses, mix=inputs.mix_of(point.mix), page_bytes=database.page_bytes)
    shares = dict(path_runs.demands(load))
    cached = int(inputs.page_cache_bytes // database.page_bytes)
    frames = int((point.buffer_bytes or database.buffer_bytes) // database.page_bytes)
    storage = oltp.Storage(drive=path_runs.drive(point.device), count=point.count, scheduler=point.scheduler)
    setup = oltp.Setup(
        users=inputs.users,
        think_s=inputs.think_s,
        processors=oltp.Processors(
            servers=inputs.processors,
            transaction_s=tuple((kind, share * database.transaction_s) for kind, share in shares.items()),
        ),
        buffer=oltp.Buffer(
            frames=frames,
            policy=database.policy,
            write_batch=database.write_batch,
            force=inputs.strategy == FORCE,
        ),
        page_cache=oltp.PageCache(pages=cached) if cached else None,
        file_system=path_runs.file_system(point.file_system, point.cleaner),
        volume_bytes=min(_volume_bytes(load), storage.capacity_bytes),
        cleaning=point.cleaner.interval_s > 0,
        log=oltp.Log(
            group_size=inputs.users, flush=inputs.log_flush == "commit", buffer_bytes=database.log_buffer_bytes
        ),
        storage=storage,
        checkpoint_interval_s=point.checkpoint_s or None,
    )
    return Case(
        setup=setup, load=load, transaction_s=database.transaction_s, seconds=seconds, seed=inputs.seed + 1000 * run
    )


def _volume_bytes(load: TpcC) -> float:
    """Of the file system: so much that a log which nobody cleans has room for a run."""
    return path_runs.ROOM_BYTES + 1.2 * sum(load.pages_of().values()) * load.page_bytes


class Found(dict[Point, list[oltp.OltpRun]]):
    """The runs of each point, as many as there are by now. left_out: why a point has none, in a sentence."""

    def __init__(self, runs: Mapping[Point, list[oltp.OltpRun]], left_out: Mapping[Point, str]):
        super().__init__(runs)
        self.left_out = dict(left_out)


def answered(
    inputs: PathInputs,
    points: Sequence[Point],
    seconds: float | Callable[[Point], float],
    progress: Progress,
    result: Callable[[Found], Result],
) -> Found:
    """All runs of all points, side by side; `result` makes a Result of those that are there.

    Runs stand in the order of their streams, whichever ended first: each is known by its number.
    A system that breaks down while it runs is left out, and the others answer. Raises ModelError where none does.
    """
    of_point = seconds if callable(seconds) else lambda point: seconds
    made: dict[Point, dict[int, oltp.OltpRun]] = {point: {} for point in points}
    refused: dict[Point, dict[int, str]] = {point: {} for point in points}

    def found() -> Found:
        left_out = {point: reasons[min(reasons)] for point, reasons in refused.items() if reasons}
        there = {
            point: [runs[number] for number in sorted(runs)]
            for point, runs in made.items()
            if runs and point not in left_out
        }
        return Found(there, left_out)

    try:
        with workers() as pool:
            running = {
                pool.submit(path_runs.measured, case_of(inputs, point, run, of_point(point))): (point, run)
                for run in range(inputs.runs)
                for point in points
            }
            for done, future in enumerate(as_completed(running), start=1):
                point, run = running[future]
                try:
                    made[point][run] = future.result()
                except ModelError as error:
                    refused[point][run] = str(error)
                there = found()
                if there:
                    progress(done / len(running), result(there))
    finally:
        oltp.forget()
    there = found()
    require(bool(there), next(iter(there.left_out.values()), ""))
    return there


def numbers(found: Found, read: Callable[[oltp.OltpRun], float], unit: str, label: str) -> Column:
    """A column of means over the runs of each point."""
    return Column(np.array([path_runs.mean_of(runs, read) for runs in found.values()], float), unit, label)


def tpm_columns(found: Found) -> dict[str, Column]:
    """Transactions per minute and their intervals."""
    means = [path_runs.mean_tpm(runs) for runs in found.values()]
    return {
        "tpm": Column(np.array([mean.value for mean in means], float), "1", "transactions per minute"),
        "half_width": Column(np.array([mean.half_width for mean in means], float), "1", "± at 95 % confidence"),
    }


def names_of(points: Iterable[Point], read: Callable[[Point], str]) -> np.ndarray:
    """A column of texts."""
    return np.array([read(point) for point in points], str)


def place_columns(points: Sequence[Point]) -> dict[str, Column]:
    """Device and file system of each point."""
    return {
        "device": Column(names_of(points, lambda point: point.device), "text", "device", drives()),
        "file_system": Column(names_of(points, lambda point: point.file_system), "text", "file system", FILE_SYSTEMS),
    }


def rate_of(level: str, operation: str) -> Callable[[oltp.OltpRun], float]:
    """Bytes per second of an operation at a level."""
    return lambda run: run.moved_bytes[level, operation] / run.seconds


def size_of(level: str, operation: str) -> Callable[[oltp.OltpRun], float]:
    """Mean size [B] of the requests of an operation at a level."""
    return lambda run: run.mean_request_bytes(level, operation)


def of_term(term: str) -> Callable[[oltp.OltpRun], float]:
    """Seconds of a term of the response time."""
    return lambda run: run.composition[term]


def of_device(run: oltp.OltpRun) -> float:
    """Busy share of the devices, the mean over those of the data."""
    return float(np.mean([share for name, share in run.utilisation.items() if name != "processors"]))


def interval(mean: Mean) -> str:
    """A rate with its interval, as people read it."""
    return f"{mean.value:,.0f} ± {mean.half_width:,.0f}".replace(",", " ")


def name_of(point: Point) -> str:
    """A system in a few words: what the grids of the path may vary, where it is not as most have it."""
    words = [IN_FEW_WORDS[point.database], drives()[point.device], path_runs.SHORT[point.file_system]]
    if point.count > 1:
        words[1] = f"{point.count} × {words[1]}"
    if point.mix != "normal":
        words.append(f"mix {point.mix}")
    if point.buffer_bytes:
        words.append(f"buffer of {format_bytes(point.buffer_bytes)}")
    if point.checkpoint_s:
        words.append(f"a checkpoint every {format_seconds(point.checkpoint_s)}")
    if point.cleaner.interval_s:
        words.append(f"cleaned every {format_seconds(point.cleaner.interval_s)}")
    return ", ".join(words)


def notes(inputs: PathInputs, found: Found) -> Iterator[str]:
    """What a reader must know: what is left out, what runs, which device stands for another, what was cut short."""
    points = list(found)
    for point, reason in found.left_out.items():
        yield f"Left out: {name_of(point)}. {reason[0].upper()}{reason[1:].rstrip('.')}."
    yield (
        f"{inputs.users} users on {inputs.warehouses} warehouses of TPC-C without indexes and without aborted "
        f"New-Orders; {path_runs.FILL} transactions fill buffer and page cache, without time, before the clock starts."
    )
    if any(point.mix == mix_fields.OWN_MIX for point in points):
        yield f"Your own mix, in percent: {inputs.mix_of(mix_fields.OWN_MIX)}."
    if inputs.strategy == FORCE:
        yield (
            "FORCE: what a transaction has changed is written behind its log before it ends, its pages together; a "
            "page that leaves the buffer is then hardly ever written."
        )
    if any(point.database == MYSQL for point in points):
        yield (
            "The commercial system makes each page durable that must leave its buffer, and its user waits; MySQL has "
            f"one writer that takes up to {MOST_BATCH} pages with one sync. Its double writes are not modelled."
        )
    if any(point.device == "indilinx-barefoot-ssd" for point in points):
        yield (
            "Indilinx Barefoot: simulated, with numbers fitted to the ratios that Lee 2009 prints. For "
            "Wang 2011 it stands for the OCZ Vertex EX: the same controller, of whose random rates none is stated."
        )
    short = [run.seconds for runs in found.values() for run in runs if run.ended]
    if short:
        yield (
            f"{len(short)} of the runs ended before their time, the shortest after {format_seconds(min(short))}: at "
            f"most {path_runs.MOST_LOADED} transactions are made. Rates are of the time until then."
        )
