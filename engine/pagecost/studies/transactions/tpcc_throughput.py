"""How many TPC-C transactions does a device carry, and what does a larger buffer change? Lee 2009, Wang et al. 2011."""

from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from pagecost import catalogue
from pagecost.answers import remembered
from pagecost.buffer import References, replay
from pagecost.devices import ALONE, BUSY, PageTimes, modelled, random_page_times
from pagecost.errors import ModelError
from pagecost.oscaches import Host
from pagecost.studies import mix_fields
from pagecost.studies.fields import Choice, Choices, From, Group, OfSystem, Steps, how_many
from pagecost.studies.finding import Finding, bare, compared
from pagecost.studies.shared_fields import SEED, per_second, size_or_none
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.workers import side_by_side
from pagecost.transactions.theory import share_of_stations
from pagecost.units import format_bytes, format_seconds, grouped, so_many
from pagecost.workload import tpcc
from pagecost.workload.tpcc import Run, TpcC
from pagecost.workload.tpcc_kernels import ORDER_STATUS, STOCK_LEVEL

TRANSACTIONS, WARM_UP = 24_000, 12_000
COUNTED = TRANSACTIONS - WARM_UP
BUFFERS = tuple(2**power * 2**20 for power in range(1, 8))  # 2 .. 128 MiB: what the warm-up fills
FULL_LOAD = "Indexes, log and checkpoints"
READ_AHEAD_PAGES = 32  # of Linux, where there is a page cache


class Inputs(StudyInputs):
    """The load, the memory in front of the devices, and the devices."""

    mix: Annotated[
        str,
        *mix_fields.mix(),
        Field(title="Mix", description="How many of each transaction run; what each mix is stands under the numbers."),
    ] = "normal"
    warehouses: Annotated[
        int,
        Steps((1, 3, 10, 30, 100), "1", how_many("warehouses")),
        From("wang2011 §3.1: 30"),
        OfSystem("load.warehouses"),
        Field(ge=1, le=150, title="Warehouses", description="71 MB each, without indexes."),
    ] = 30
    page_bytes: Annotated[
        int,
        Steps((4096, 8192, 16384), "B", format_bytes),
        From("wang2011 Table 4: 4 KB, MySQL 16 KB"),
        OfSystem("memory.page_bytes"),
        Field(ge=4096, le=65536, title="Page", description="Of the database."),
    ] = 4096
    buffer_bytes: Annotated[
        float,
        Steps(BUFFERS, "B", format_bytes),
        From("wang2011 Table 4: 8 MB, MySQL 4 MB"),
        OfSystem("memory.buffer_bytes"),
        Field(ge=2**20, le=2**27, title="Buffer", description="Of the database; LRU. The marked size in the chart."),
    ] = 8 * 2**20
    page_cache_bytes: Annotated[
        float,
        Steps((0, 64 * 2**20, 256 * 2**20, 2**30, 1.9 * 2**30), "B", size_or_none),
        OfSystem("memory.page_cache_bytes"),
        Field(
            ge=0,
            le=2**36,
            title="Page cache",
            description="Of the operating system; LRU. Reads are answered there, writes go through at once.",
        ),
    ] = 0.0
    devices: Annotated[
        tuple[str, ...],
        Choices(modelled, most=6),
        OfSystem("devices.database.device"),
        Field(min_length=1, title="Devices", description="Where the tables lie."),
    ] = ("hgst-7k1000-750gb", "mtron-pro-7500", "intel-x25-e")
    indexes: Annotated[
        str,
        Choice(lambda: {"no": "tables alone", "yes": "with indexes and aborts"}),
        Group(FULL_LOAD),
        Field(
            title="Rows are found",
            description="Through B-trees that are read and grow, with 1 % of the New-Orders rolled back; or at once.",
        ),
    ] = "no"
    log: Annotated[
        str,
        Choice(lambda: {"elsewhere": "elsewhere", "same": "on the same devices"}),
        Group(FULL_LOAD),
        Field(title="Log", description="Each transaction that changed something forces it by one write at its end."),
    ] = "elsewhere"
    checkpoint_transactions: Annotated[
        int,
        Steps(
            (0, 1, 10, 100, 300, 1000, 3000),
            "1",
            lambda count: f"every {so_many(count, 'transaction')}" if count else "none",
        ),
        Group(FULL_LOAD),
        Field(
            ge=0,
            le=COUNTED,
            title="Checkpoints",
            description="Write every changed page of the buffer, which stays there; so many transactions apart.",
        ),
    ] = 0
    disks: Annotated[
        int,
        Steps((1, 2, 4, 8, 10, 16), "1", how_many("disks")),
        From("lee2009 slide 12: 8"),
        OfSystem("devices.database.count"),
        Field(ge=1, le=10_000, title="Hard disks", description="So many of each hard disk; of the others one."),
    ] = 1
    users: Annotated[
        int,
        Steps((0, 1, 4, 8, 12, 20, 50, 200), "1", how_many("users", zero="always work")),
        OfSystem("load.users"),
        Field(
            ge=0,
            le=10_000,
            title="Users at the devices",
            description="That wait for a page at a time, without think times. 0: every device always has work.",
        ),
    ] = 0
    seed: SEED = 1


class Load(NamedTuple):
    """What the database asks for."""

    mix: str
    warehouses: int
    page_bytes: int
    seed: int
    indexes: bool = False

    def generator(self) -> TpcC:
        """What makes the references."""
        return TpcC(
            warehouses=self.warehouses,
            mix=self.mix,
            page_bytes=self.page_bytes,
            indexes=self.indexes,
            aborts=self.indexes,
        )


class PerTransaction(NamedTuple):
    """Pages per transaction. asked_reads: misses of the buffer; reads, writes: what is left for the devices, without
    the log. forced: transactions that changed something and were not rolled back, of all."""

    references: float
    hit_ratio: float
    asked_reads: float
    reads: float
    writes: float
    forced: float


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device and buffer size, `BUFFERS` and the chosen one.

    A device that always has work carries 1 / (reads × time of a random read + writes × time of a random write)
    transactions per second, n disks n times as many: `users` = 0. So many users, each of whom waits for the pages that
    a transaction reads and writes back, leave some of the disks idle: `share_of_stations` of that. What an SSD does
    side by side they leave idle too: it stands for as many stations as its times alone are times those of `users` = 0.
    """
    sizes = sorted({*BUFFERS, inputs.buffer_bytes})
    _requests(_load(inputs))  # once, before several ask for it side by side
    found: dict[float, PerTransaction] = {}
    for size, counted in side_by_side(lambda size: counted_at(inputs, size), sizes):
        found[size] = counted
        progress(len(found) / len(sizes), partial(_result, inputs, found.copy()))
    return _result(inputs, found).with_notes(_notes(inputs))


def at_chosen(inputs: Inputs) -> Result:
    """The rows of the chosen buffer alone, as `compute` has them: the other sizes are for the chart."""
    return _result(inputs, {inputs.buffer_bytes: counted_at(inputs, inputs.buffer_bytes)})


def counted_at(inputs: Inputs, buffer_bytes: float) -> PerTransaction:
    """What is asked and left at one size of the buffer."""
    return counted_on(_load(inputs), _host(inputs, buffer_bytes), inputs.checkpoint_transactions)


def _load(inputs: Inputs) -> Load:
    return Load(inputs.mix, inputs.warehouses, inputs.page_bytes, inputs.seed, inputs.indexes == "yes")


def _host(inputs: Inputs, buffer_bytes: float) -> Host:
    cached = int(inputs.page_cache_bytes // inputs.page_bytes)
    return Host(
        buffer_pages=max(1, int(buffer_bytes // inputs.page_bytes)),
        page_cache_pages=cached,
        read_ahead_pages=READ_AHEAD_PAGES if cached else 0,
        force=False,
    )


@remembered
def _requests(load: Load) -> tuple[np.ndarray, np.ndarray, int, int, Run]:
    """Pages, write flags, pages of the file, the first reference that counts, and what the transactions are."""
    run = load.generator().run(TRANSACTIONS, load.seed)
    pages, writes = run.requests.page_references()
    return pages, writes, int(pages.max()) + 1, int(run.ends[WARM_UP - 1]), run


@remembered
def counted_on(load: Load, host: Host, every: int = 0) -> PerTransaction:
    """The second half of the transactions on a host, after the first has filled its caches.

    every: transactions from checkpoint to checkpoint, 0: none.
    """
    pages, writes, file_pages, warm_up, run = _requests(load)
    traffic = host.run(pages, writes, file_pages, page_bytes=load.page_bytes, warm_up=warm_up)
    misses = traffic.asked["buffer"][0] - traffic.hits["buffer"][0]
    changes = ~np.isin(run.kinds, (STOCK_LEVEL, ORDER_STATUS)) & ~run.aborted
    written = traffic.device_requests(write=True)
    if every:
        written = written_by_checkpoints(load, host.buffer_pages, every)
    return PerTransaction(
        references=traffic.references / COUNTED,
        hit_ratio=traffic.hit_ratio("buffer"),
        asked_reads=misses / COUNTED,
        reads=traffic.device_requests(write=False) / COUNTED,
        writes=written / COUNTED,
        forced=float(changes[WARM_UP:].mean()),
    )


@remembered
def written_by_checkpoints(load: Load, buffer_pages: int, every: int) -> int:
    """Pages that an LRU buffer writes from one checkpoint before the transactions that count to the one behind them.

    A checkpoint leaves every page where it is, so that hits and misses are those without any. From its coming in to its
    going out, a page is written once for each time between two checkpoints in which it was changed.
    """
    references, order, changed, between = _by_page(load)
    hit = replay(references, buffer_pages, "lru", each=True).hit
    assert hit is not None
    stay = np.cumsum(~hit[order])[changed]  # a number for each page and time in the buffer
    interval = (TRANSACTIONS - 1 - between) // every
    return 1 + int(np.count_nonzero((np.diff(stay) != 0) | (np.diff(interval) != 0))) if stay.size else 0


@remembered
def _by_page(load: Load) -> tuple[References, np.ndarray, np.ndarray, np.ndarray]:
    """The references; their order by page and then by time; which of them, in that order, change a page and count; and
    the transaction of each of these."""
    pages, writes, _, warm_up, run = _requests(load)
    order = np.argsort(pages, kind="stable")
    changed = np.flatnonzero(writes[order] & (order >= warm_up))
    transaction = np.repeat(np.arange(TRANSACTIONS), np.diff(run.first))
    return References.of(pages, writes), order, changed, transaction[order[changed]]


def _result(inputs: Inputs, found: dict[float, PerTransaction]) -> Result:
    sizes = sorted(found)
    size = np.tile(sizes, len(inputs.devices))
    per = {name: np.tile([getattr(found[size], name) for size in sizes], len(inputs.devices)) for name in LABELS}
    read_s, write_s, read_alone_s, write_alone_s, number = (
        np.repeat(column, len(sizes))
        for column in zip(*(_device(inputs, name) for name in inputs.devices), strict=True)
    )
    log_writes = per["forced"] if inputs.log == "same" else np.zeros(size.size)
    all_writes = per["writes"] + log_writes
    device_s = per["reads"] * read_s + all_writes * write_s
    alone_s = per["reads"] * read_alone_s + all_writes * write_alone_s
    stations = number * np.divide(alone_s, device_s, out=np.ones(size.size), where=device_s > 0)
    share = np.array([busy_share(inputs.users, float(count)) for count in stations])
    with np.errstate(divide="ignore", invalid="ignore"):
        tps = np.where(device_s > 0, number * share / device_s, np.nan)  # nothing is left for the device to do
        ratio = np.where(per["reads"] > 0, (per["writes"] + log_writes) / per["reads"], np.nan)
    columns = {
        "device": Column(np.repeat(inputs.devices, len(sizes)), "text", "device", modelled()),
        "number": Column(number, "1", "devices"),
        "busy_share": Column(share, "1", "share of the rate with always enough work"),
        "buffer_bytes": Column(size, "B", "buffer of the database"),
        **{name: Column(per[name], "1", label) for name, label in LABELS.items() if name != "forced"},
        "log_writes": Column(log_writes, "1", "writes of the log to the device"),
        "write_ratio": Column(ratio, "1", "writes per read, on the device"),
        "read_s": Column(read_s, "s", "device time of a random page read"),
        "write_s": Column(write_s, "s", "device time of a random page write"),
        "device_s": Column(device_s, "s", "device time per transaction"),
        "alone_s": Column(alone_s, "s", "time of its requests, one after the other"),
        "tps": Column(tps, "1/s", "transactions per second"),
        "chosen": Column(size == inputs.buffer_bytes, "1", "the chosen buffer"),
    }
    return Result.of(columns)


LABELS = {
    "references": "page references per transaction",
    "hit_ratio": "buffer hit ratio",
    "asked_reads": "pages that the buffer asks for",
    "reads": "pages read from the device",
    "writes": "pages written back, all of them to the device",
    "forced": "transactions that force the log",
}


def busy_share(users: int, stations: float) -> float:
    """Share of the time that each of so many stations has work: all of it for 0 users, who stand for always enough."""
    return share_of_stations(users, stations) if users else 1.0


def _device(inputs: Inputs, name: str) -> tuple[float, float, float, float, int]:
    """Device time [s] of a random page read and write, what either takes alone, and how many devices there are.

    What takes how long alone is not known counts as with many outstanding; so does a write that a cache answers sooner,
    for what follows it waits until it is done.
    """
    busy, number = _page_times(inputs, name)
    return busy.read_s, busy.write_s, *_alone(inputs, name, busy), number


def _alone(inputs: Inputs, name: str, busy: PageTimes) -> tuple[float, float]:
    try:
        alone, _ = _page_times(inputs, name, ALONE)
    except ModelError:  # nothing is known of it
        return busy.read_s, busy.write_s
    pairs = ((alone.read_s, busy.read_s), (alone.write_s, busy.write_s))
    read_s, write_s = (float(np.fmax(own, many)) for own, many in pairs)
    return read_s, write_s


def _page_times(inputs: Inputs, name: str, kind: str = BUSY) -> tuple[PageTimes, int]:
    """Times of a page over the database's span, if not asked otherwise with as many outstanding as the device bears;
    how many devices."""
    load = TpcC(warehouses=inputs.warehouses, page_bytes=inputs.page_bytes, indexes=inputs.indexes == "yes")
    entry = catalogue.devices().get(name)
    number = inputs.disks if entry is not None and entry.device_class == "hard disk" else 1
    span = sum(load.pages_of().values()) * inputs.page_bytes / number
    return random_page_times(name, inputs.page_bytes, span, kind=kind), number


def _notes(inputs: Inputs):
    indexed = inputs.indexes == "yes"
    load = TpcC(warehouses=inputs.warehouses, mix=inputs.mix, page_bytes=inputs.page_bytes, indexes=indexed)
    pages = sum(load.pages_of().values())
    found = "with" if indexed else "no"
    parts = [f"{share:.2%} {kind}" for share, kind in zip(load.shares(), tpcc.TRANSACTIONS, strict=True) if share]
    yield f"The mix ({tpcc.MIX_TITLES.get(inputs.mix, inputs.mix)}): {', '.join(parts)}."
    yield (
        f"{grouped(COUNTED)} transactions on {format_bytes(pages * inputs.page_bytes)} ({grouped(pages)} pages, "
        f"{found} indexes) after {grouped(WARM_UP)} that fill the caches; a page that nobody has touched until then is "
        "read from the device, however large the page cache."
    )
    queue = (
        f"A closed queue: {inputs.users} user{'s' if inputs.users > 1 else ''} wait for a page each, on a device by "
        "chance, and of several devices some stand idle while others have a queue (exact for exponential times). So do "
        "parts of an SSD, as many as its requests one after the other take longer than with many outstanding, where it "
        "is known what they take alone;"
        if inputs.users
        else "An upper bound: the devices always have work and share it evenly,"
    )
    elsewhere = ", locks and the log, which stands elsewhere,"
    free = f"the processor{' and locks' if inputs.log == 'same' else elsewhere}"
    aborted = "1 % of the New-Orders are rolled back;" if indexed else "Without aborted New-Orders and"
    yield f"{queue} {free} take no time. {aborted} without think times."
    if inputs.log == "same":
        yield (
            "Each transaction that changed something writes the log once, at its end and for itself; the device has to "
            "position for it as for any page."
        )
    if inputs.checkpoint_transactions:
        yield (
            f"A checkpoint every {grouped(inputs.checkpoint_transactions)} transactions, and one before those that "
            "count, writes all changed pages of the buffer."
        )
    for name in inputs.devices:
        yield _page_times(inputs, name)[0].note


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The sum behind each device's rate at the chosen buffer."""
    lines = []
    for row in result.rows(chosen=True):
        name, number = result.cell("device", row), int(result["number"][row])
        reads, read_s, write_s = (result[column][row] for column in ("reads", "read_s", "write_s"))
        writes = result["writes"][row] + result["log_writes"][row]
        busy = f" × {result['busy_share'][row]:.3%} at work" if inputs.users else ""
        lines.append(
            f"{name}, by device time: {number}{busy} / ({reads:.4g} reads × {format_seconds(read_s)} + {writes:.4g} "
            f"writes × {format_seconds(write_s)}) = {carried(result, row)}."
        )
    row = result.rows(chosen=True)[0]
    ahead = _host(inputs, inputs.buffer_bytes).read_ahead_pages > 0
    more = "blocks that say where pages lie" + (" and pages that are read ahead" if ahead else "")
    lines.append(
        f"Of {result['references'][row]:.4g} page references of a transaction the buffer answers "
        f"{result['hit_ratio'][row]:.1%}; it asks for {result['asked_reads'][row]:.4g} pages. With {more}, "
        f"{result['reads'][row]:.4g} come from a device, and {result['writes'][row]:.4g} are written back."
    )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        result.rows(chosen=True),
        "tps",
        lambda row: drives_of(result, str(result["device"][row])),
        several="With a buffer of {buffer} {most} carries {high} transactions per second, {times} as many as "
        "{least} with {low}.",
        one="With a buffer of {buffer} {most} carries {high} transactions per second.",
        none="Nothing is known of a buffer of {buffer}.",
        show=bare,
        buffer=format_bytes(inputs.buffer_bytes),
    )


def drives_of(result: Result, device: str) -> str:
    """A device as people read it, with how many there are where it is not one: 4 × Intel X25-E."""
    row = result.rows(device=device)[0]
    number, name = int(result["number"][row]), result.cell("device", row)
    return f"{number} × {name}" if number > 1 else name


def carried(result: Result, row: int) -> str:
    """A rate of transactions as people read it, by the second and as TPC-C counts them, by the minute."""
    tps = result["tps"][row]
    if not np.isfinite(tps):
        return "no bound, for nothing is left for the device to do"
    return f"{per_second(tps)} transactions per second, {grouped(round(60 * tps))} per minute"


LEE = {
    "mix": "lee2009",
    "warehouses": 140,  # 10 GB
    "page_bytes": 8192,
    "buffer_bytes": 100 * 2**20,
    "devices": ("cheetah-15k5", "intel-x25-e"),
    "disks": 8,
}

FULLER = {"indexes": "yes", "checkpoint_transactions": 1000}

STUDY = Study(
    name="tpcc_throughput",
    title="How many TPC-C transactions does a device carry?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="lee2009 slides 11-14; wang2011 §3, Tables 3 and 4, Figs. 7, 8, 11",
    presets={
        "Wang 2011, commercial system": {"page_cache_bytes": 1.9 * 2**30},
        "Wang 2011, MySQL": {"page_cache_bytes": 1.9 * 2**30, "page_bytes": 16384, "buffer_bytes": 4 * 2**20},
        "mostly reading": {"mix": "read-intensive", "page_cache_bytes": 1.9 * 2**30},
        "mostly writing": {"mix": "write-intensive", "page_cache_bytes": 1.9 * 2**30},
        "Lee 2009, eight disks": LEE,
        "Lee 2009, eight disks, 12 users": {**LEE, "users": 12},
        "Lee 2009, with indexes, log and checkpoints": {**LEE, **FULLER, "log": "same"},
        "Wang 2011, with indexes and checkpoints": {"page_cache_bytes": 1.9 * 2**30, **FULLER},
    },
)
