"""What a path is like around its drives, as the question of a goal on it asks for it; what drives may cost."""

from typing import Annotated

from pydantic import Field

from pagecost.answers import path_runs
from pagecost.buffer import POLICIES
from pagecost.buffer.policies import find, title_of
from pagecost.oltp.setup import MOST_USERS
from pagecost.studies.fields import Choice, Group, OfSystem, Steps, how_many
from pagecost.studies.loop_fields import (
    FILE_SYSTEM,
    GROUP_SIZE,
    HOST,
    LEVEL,
    LOG,
    LOG_COUNT,
    LOG_LEVEL,
    RUN,
    SCHEDULER,
    SYSTEM,
    TABLES,
    TOGETHER,
    WRITE_CACHE,
    place_of_log,
)
from pagecost.studies.loop_loads import titles
from pagecost.studies.plan.goal_money import MONEY, PRICES, VOLUME, WATTS
from pagecost.studies.plan.plan_inputs import choosable
from pagecost.studies.shared_fields import (
    STRATEGY,
    energy_price,
    share_of_reads,
    size_or_none,
)
from pagecost.studies.study import StudyInputs
from pagecost.studies.typed import CATALOGUE
from pagecost.units import format_bytes, format_seconds

REQUESTS, OF_REQUESTS = "requests", ("read_share", "pages", "skew")
"""A load beside those of `loop_loads`, and the inputs that say more of it."""
MOST_SEEDS = 10
PAGE_BYTES = 4096


def load_titles() -> dict[str, str]:
    """Every load: name -> title."""
    return {REQUESTS: "requests for single pages", **titles()}


class OpenPathInputs(StudyInputs):
    """What there is around the drives of a path, what they may cost, and how long a run is."""

    read_share: Annotated[float, *share_of_reads("Of the requests for single pages."), Group(TABLES)] = 0.7
    pages: Annotated[
        int,
        Steps((10_000, 50_000, 200_000, 1_000_000), "pages", how_many("pages")),
        Group(TABLES),
        Field(ge=1000, le=4_000_000, title="Database", description="Pages that requests are for."),
    ] = 200_000
    skew: Annotated[
        float,
        Steps((0.0, 0.5, 0.8, 1.0, 1.2), "1", lambda alpha: f"{alpha:g}" if alpha else "0: all alike"),
        Group(TABLES),
        Field(ge=0, le=2, title="Skew", description="α of Zipf: the k-th page gets a share in proportion to 1 / k^α."),
    ] = 1.0
    warehouses: Annotated[
        int,
        Steps((3, 10, 30, 100), "1", how_many("warehouses")),
        OfSystem("load.warehouses"),
        Group(TABLES),
        Field(ge=1, le=150, title="Warehouses", description="Of TPC-C; 71 MB each, without indexes."),
    ] = 10
    fill: Annotated[
        int,
        Steps((2000, 8000, 20_000, 50_000), "1", how_many("transactions")),
        Group(TABLES),
        Field(
            ge=100,
            le=path_runs.MOST_FILL,
            title="Before the clock starts",
            description="Transactions that fill buffer and page cache, without time.",
        ),
    ] = 50_000
    processors: Annotated[
        int,
        Steps((1, 2, 4, 8, 16), "1", how_many("processors")),
        OfSystem("processors.servers"),
        Group(SYSTEM),
        Field(ge=1, le=256, title="Processors", description="Of one queue."),
    ] = 4
    transaction_s: Annotated[
        float,
        Steps((0.0, 2e-5, 1e-4, 1e-3, 5e-3, 1e-2), "s", format_seconds),
        OfSystem("processors.transaction_s"),
        Group(SYSTEM),
        Field(ge=0, le=10, title="Processor time", description="Mean of a transaction on one processor."),
    ] = 2e-5
    page_bytes: Annotated[
        int,
        Steps((PAGE_BYTES, 8192, 16384), "B", format_bytes),
        OfSystem("memory.page_bytes"),
        Group(SYSTEM),
        Field(
            ge=4096, le=65536, multiple_of=4096, title="Page", description="Of the database; a trace may have its own."
        ),
    ] = PAGE_BYTES
    connections: Annotated[
        int,
        Steps((1, 8, 32, 64, 128, 256), "1", how_many("connections")),
        Group(SYSTEM),
        Field(ge=1, le=MOST_USERS, title="Connections", description="Transactions at a time; others wait at the door."),
    ] = 64
    page_cache_bytes: Annotated[
        float,
        Steps((0, 64 * 2**20, 256 * 2**20, 2**30, 1.9 * 2**30), "B", size_or_none),
        OfSystem("memory.page_cache_bytes"),
        Group(HOST),
        Field(ge=0, le=2**36, title="Page cache", description="Of the operating system; none: direct I/O."),
    ] = 0.0
    policy: Annotated[
        str,
        Choice(lambda: {name: title_of(name) for name in POLICIES}, free=True, such=find, of_file=False),
        OfSystem("memory.policy"),
        Group(SYSTEM),
        Field(title="Replacement", description="Of the buffer."),
    ] = "lru"
    file_system: Annotated[str, *FILE_SYSTEM, Group(HOST)] = "in-place"
    scheduler: Annotated[str, *SCHEDULER, Group(HOST)] = "deadline"
    strategy: Annotated[str, *STRATEGY, Group(LOG)] = "NOFORCE"
    group_size: Annotated[int, *GROUP_SIZE] = 0
    log_device: Annotated[str, *place_of_log(choosable)] = TOGETHER
    log_count: Annotated[int, *LOG_COUNT] = 1
    log_level: Annotated[str, *LOG_LEVEL] = "raid-0"
    level: Annotated[str, *LEVEL] = "raid-0"
    write_cache_bytes: Annotated[int, *WRITE_CACHE] = 0
    prices: Annotated[str, *PRICES] = CATALOGUE
    watts: Annotated[str, *WATTS] = CATALOGUE
    price_per_kwh: Annotated[float, MONEY, *energy_price("Dollars a kWh; yours, for prices are volatile.")] = 0.15
    volume_bytes: Annotated[float, *VOLUME] = 0.0
    measured: Annotated[
        int,
        Steps((2000, 4000, 10_000, 20_000), "1", how_many("transactions")),
        Group(RUN),
        Field(ge=1000, le=50_000, title="Measured", description="Transactions of a run, after a quarter as many."),
    ] = 4000
    seeds: Annotated[
        int,
        Steps((2, 3, 4, 6, 10), "1", how_many("seeds")),
        Group(RUN),
        Field(ge=2, le=MOST_SEEDS, title="Seeds", description="Of everything; intervals are over them."),
    ] = 4
