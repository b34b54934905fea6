"""What the questions about the whole path ask of a person alike: kinds of inputs, and the words of their choices."""

from pydantic import Field

from pagecost.answers import path_runs
from pagecost.answers.path_runs import FILE_SYSTEMS, drives
from pagecost.oltp.setup import LEAST_CACHED
from pagecost.studies import mix_fields
from pagecost.studies.fields import About, Choice, Choices, From, Group, OfSystem, Steps, how_many
from pagecost.studies.loop_fields import HOST, LOG, RUN, TABLES, place_of_log
from pagecost.units import format_bytes, format_seconds

COMMERCIAL, MYSQL, OWN = "commercial", "mysql", "own"
DATABASES = {
    COMMERCIAL: "commercial system, 4 KiB pages",
    MYSQL: "MySQL, 16 KiB pages",
    OWN: "your own",
}
IN_FEW_WORDS = {COMMERCIAL: "commercial", MYSQL: "MySQL", OWN: "own"}
SELECTIONS = {
    "timestamp": "oldest first",
    "greedy": "fewest live blocks first",
    "cost-benefit": "by benefit over cost",
}
"""What people call the selections of a cleaner (`filesystem.layouts.SELECTIONS`)."""
BUFFERS = (0, *(2**power * 2**20 for power in range(1, 8)))
FLUSHED = {"commit": "at each commit", "later": "when the log buffer is full"}
THROUGH, BACK = "through", "back"
CACHE_WRITES = {THROUGH: "at once, and who writes waits", BACK: "later, by the flusher"}
WITHOUT, WITH = "without", "with"
NO_MIX = "none"  # of a load that has none
YOURS = "A database of your own"
LEAST_FRAMES = 64


def devices_of(most: int, description: str) -> About:
    """The kind of input that names several devices of the loop."""
    return (
        Choices(drives, most=most),
        OfSystem("devices.database.device"),
        Field(min_length=1, title="Devices", description=description),
    )


DATABASE: About = (
    Choice(lambda: DATABASES),
    OfSystem("memory.database"),
    From("wang2011 Table 4"),
    Field(title="Database system", description="With its pages, its buffer and the processor's time of a transaction."),
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
    OfSystem("memory.database", alone=True),
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
    Steps((1, 2, 3, 5), "1", how_many("runs")),
    Group(RUN),
    Field(ge=1, le=path_runs.MOST_RUNS, title="Runs", description="Each with other random numbers; for intervals."),
)


INDEXES: About = (
    Choice(lambda: {WITHOUT: "rows are found at once", WITH: "through B-trees, whose pages are read and grow"}),
    Group(TABLES),
    Field(title="Indexes", description="Of TPC-C's tables: whether every page from a root to a leaf is a reference."),
)
ABORTS: About = (
    Choice(lambda: {WITHOUT: "none", WITH: "1 % of the New-Orders, as TPC-C asks"}),
    Group(TABLES),
    Field(title="Rolled back", description="Transactions of TPC-C that end with an item that does not exist."),
)
FILL: About = (
    Steps((0, 2000, 8000, path_runs.FILL), "1", how_many("transactions", zero="none: a cold start")),
    Group(TABLES),
    Field(
        ge=0,
        le=path_runs.MOST_FILL,
        title="Before the clock starts",
        description="Transactions that fill buffer and page cache, without time.",
    ),
)
READ_AHEAD: About = (
    Steps((0, 8, 32, 128), "pages", how_many("pages", zero="never")),
    From("the default of Linux 2.6.24: 128 KiB"),
    Group(HOST),
    Field(ge=0, le=LEAST_CACHED, title="Read ahead", description="Largest window of the page cache."),
)
CACHE_WRITE: About = (
    Choice(lambda: CACHE_WRITES, noun="moment"),
    Group(HOST),
    Field(
        title="Page cache writes",
        description="Later: every 5 s what has waited for 30 s, or where more than a tenth of the cache waits.",
    ),
)
IO: About = (
    Steps((0.0, 1e-5, 5e-5, 1e-4, 3e-4), "s", format_seconds),
    Group(HOST),
    Field(ge=0, le=1, title="Processor, of a request", description="That the host spends on each request to a device."),
)
GROUP_WAIT: About = (
    Steps((0.0, 1e-3, 5e-3, 1e-2), "s", format_seconds),
    Group(LOG),
    Field(ge=0, le=10, title="Wait for a group", description="How long the first of a group waits for others."),
)
CHECKPOINT: About = (
    Steps((0.0, 1.0, 10.0, 60.0), "s", lambda every: format_seconds(every) if every else "never"),
    Group(LOG),
    Field(
        ge=0,
        le=3600,
        title="Checkpoints",
        description="How often all changed pages are written; never: only those that must leave the buffer.",
    ),
)
LOG_DEVICE = place_of_log(drives)
