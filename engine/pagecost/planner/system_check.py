"""A system as it was planned beside a system as it runs: what was predicted, what was measured, and what that says.

The prediction is closed form on a replay: the references of the load, as the system's file says it, go through the
buffer's policy, what is missed through the page cache, and what is left over the devices of the database, which are as
many servers as the catalogue says.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from pagecost import catalogue, devices
from pagecost.answers import device_servers, page_costs
from pagecost.answers.bounds_said import bounds_alone
from pagecost.buffer import References, replay
from pagecost.devices.smart import HOUR_S, Smart
from pagecost.economics import LEVELS, YEAR_S, endurance
from pagecost.errors import present, require
from pagecost.planner.system_load import Buffered, buffered
from pagecost.system import FORCE, FileSystem, Load, Placement, System
from pagecost.transactions.theory import erlang_c
from pagecost.units import DAY_S, format_cell, grouped
from pagecost.workload import iostat, tpox
from pagecost.workload.measured import MeasuredLoad
from pagecost.workload.pg_stat_io import PgStatIo

NEAR = 0.1  # share of the prediction within which a measurement agrees with it
COARSE_BYTES = 1 << 20  # a count of written bytes in steps from here on is said to be in such steps
SMART_STEP = 0.01  # of the rated life, in which a drive counts what is used
FACTOR = 2.0  # beyond which it is another system than was planned
WRITTEN = "more is written than", "less is written than"


@dataclass(frozen=True)
class Predicted:
    """Of the buffer, and of one device of the database; nan where it is not known.

    hit_ratio: of the buffer, 0..1. reads_hz, writes_hz: requests of a page per second. utilisation: share of the time
    in which the device works, may exceed 1. written_bytes_per_s. worn_per_s: share of the rated life per second.
    read_s: of the mean read, waiting included, infinite where the device cannot follow. read_at_least: whether it is a
    bound from below, for nobody says how long a read of the device takes alone.
    """

    hit_ratio: float
    reads_hz: float
    writes_hz: float
    utilisation: float
    written_bytes_per_s: float
    worn_per_s: float
    read_s: float
    notes: tuple[str, ...] = ()
    read_at_least: bool = False


@dataclass(frozen=True)
class Compared:
    """One quantity. distance: of the measured from the predicted, as a share of that; nan where one is missing.

    tells: False where what is measured is too coarse to be held against the prediction; the distance is then nan.
    surely: what a coarse measurement is in the case that is nearest to the prediction, of which the distance then is.
    """

    quantity: str
    unit: str
    predicted: float
    measured: float
    said: str
    tells: bool = True
    surely: float | None = None
    distance: float = field(init=False)

    def __post_init__(self):
        measured = self.measured if self.surely is None else self.surely
        known = self.tells and math.isfinite(self.predicted) and math.isfinite(self.measured) and self.predicted != 0
        object.__setattr__(self, "distance", measured / self.predicted - 1 if known else math.nan)


def predicted(system: System) -> Predicted:
    """What a system says of its buffer and of one of its database's devices.

    Raises ModelError as reading its load, its policy and its device do.
    """
    require(
        system.load.source != tpox.SOURCE,
        f"what was measured is not held against {tpox.SOURCE}, which is no list of pages by itself; name a trace of "
        "what ran, tpc-c or debit-credit-1992",
    )
    load = buffered(system)
    run, references, page_bytes = load.run, load.run.references, load.page_bytes
    cached = int(system.memory.page_cache_bytes // page_bytes)
    misses = run.misses * (_missed_below(load, cached) if cached else 1.0)
    forced = system.log.update_strategy == FORCE
    written = load.forced * references if forced else run.write_backs
    placement = present(system.placement("database"), "a system has a place for its database")
    level = LEVELS[placement.level]
    scale = load.rate_hz / references / placement.count
    reads_hz = (misses + written * level.write_reads) * scale
    writes_hz = written * level.write_writes * scale
    costs = page_costs.of_pages(placement.device, page_bytes)
    busy = costs.busy_s(reads_hz, writes_hz)
    written_bytes_per_s = writes_hz * page_bytes
    device = catalogue.devices().get(placement.device)
    life = endurance(device) if device else None
    model = devices.load(placement.device)
    bounds = bounds_alone([(devices.title_of(placement.device), model)])
    return Predicted(
        hit_ratio=run.hit_ratio,
        reads_hz=reads_hz,
        writes_hz=writes_hz,
        utilisation=busy,
        written_bytes_per_s=written_bytes_per_s,
        worn_per_s=written_bytes_per_s / life.written_bytes if life else math.nan,
        read_s=_read_s(placement.device, page_bytes, reads_hz, writes_hz),
        notes=(*_notes(system, load.rate_hz, cached, life.said if life else ""), *load.notes, *bounds),
        read_at_least=devices.least_alone_s(model, "random read") > 0,
    )


def compared(
    system: System, load: MeasuredLoad | None = None, smart: Smart | None = None, database: PgStatIo | None = None
) -> tuple[list[Compared], tuple[str, ...]]:
    """Each quantity that was measured beside its prediction, and sentences that a reader must know.

    load: of one device of the database. Raises ModelError as `predicted`, and where nothing was measured.
    """
    require(any((load, smart, database)), "nothing was measured: name a file by --iostat, --smart or --pg-stat-io")
    ahead = predicted(system)
    rows = [*_of_database(ahead, database), *_of_load(ahead, load), *_of_smart(ahead, smart)]
    notes = [*ahead.notes, *(load.notes if load else ())]
    notes += _not_told(smart)
    if load:
        notes.append(f"{load.device} of {load.source} is taken as one device of the database.")
        if iostat.is_joined(load.device):
            notes.append(f"{load.device} may be several devices joined; what is predicted is of one: name a member.")
    return rows, tuple(notes)


def _of_database(ahead: Predicted, found: PgStatIo | None) -> Iterator[Compared]:
    if found is None:
        return
    ratio = found.hit_ratio
    if ratio is not None:
        better, worse = "the buffer holds more of the load than", "the buffer holds less of the load than"
        yield _row("hit ratio of the buffer", "1", ahead.hit_ratio, ratio, better, worse)
        yield _row("references that the buffer misses", "1", 1 - ahead.hit_ratio, 1 - ratio, worse, better)
    if found.mean_read_s is not None:
        slow, fast = "reads wait longer than", "reads are faster, some from the page cache, than"
        yield _read_row("a read of the database", ahead, found.mean_read_s, slow, fast)


def _of_load(ahead: Predicted, load: MeasuredLoad | None) -> Iterator[Compared]:
    if load is None:
        return
    if load.rate_hz == 0:  # nothing was asked, so that there is no share of reads
        reads = writes = 0.0
    else:
        share = load.read_share if load.read_share is not None else math.nan
        reads, writes = load.rate_hz * share, load.rate_hz * (1 - share)
    yield _row("reads of a device", "1/s", ahead.reads_hz, reads, *("more is read than", "less is read than"))
    yield _row("writes of a device", "1/s", ahead.writes_hz, writes, *("more is written than", "less is written than"))
    if load.utilisation is not None:
        yield _row(
            *("share of the time that a device works", "1", ahead.utilisation, load.utilisation),
            *("the device is busier than", "the device has more in hand than"),
        )
    if load.read_s is not None:
        slow, fast = "reads take longer than", "reads are faster than"
        yield _read_row("a read of a device, waiting included", ahead, load.read_s, slow, fast)
    if load.written_bytes_per_s is not None:
        yield _written_row("by iostat", ahead, load.written_bytes_per_s)


def _of_smart(ahead: Predicted, smart: Smart | None) -> Iterator[Compared]:
    if smart is None:
        return
    on_s = smart.on_s
    if not on_s:
        return
    least_s, most_s = on_s - HOUR_S, on_s + HOUR_S  # a counter of whole hours is up to one before or behind
    if smart.written_bytes is not None:
        step_bytes = smart.written_step_bytes or 0.0
        low = _rate(max(smart.written_bytes - step_bytes, 0.0), most_s)
        high = _rate(smart.written_bytes + step_bytes, least_s)
        row = _written_row("by SMART", ahead, smart.written_bytes / on_s)
        steps = "hours" if step_bytes < COARSE_BYTES else f"hours and {format_cell(step_bytes, 'B')}"
        yield _coarse(row, low * DAY_S, high * DAY_S, f"whole {steps}", *WRITTEN)
    if smart.used is not None:
        worn = smart.used / on_s * YEAR_S
        years = 1 / worn if worn else math.inf
        words = "it wears faster than", "it wears more slowly than"
        row = _row("rated life used in a year", "1", ahead.worn_per_s * YEAR_S, worn, *words)
        low = _rate(max(smart.used - SMART_STEP, 0.0), most_s) * YEAR_S
        high = _rate(smart.used + SMART_STEP, least_s) * YEAR_S
        row = _coarse(row, low, high, "whole percents and hours", *words)
        ends = f"at this rate it is worn out after {format_cell(years, 'year')}" if worn else "no wear is counted yet"
        yield replace(row, said=f"{row.said}; {ends}") if row.tells else row


def _rate(counted: float, span_s: float) -> float:
    return counted / span_s if span_s > 0 else math.inf if counted else 0.0


def _coarse(row: Compared, low: float, high: float, counted: str, more: str, less: str) -> Compared:
    """The row where what it measures may be anything from low to high: it says what it would at the nearest of them."""
    if not math.isfinite(row.predicted) or row.said == "as predicted":
        return row
    nearest = min(max(row.predicted, low), high)
    sure = _row(row.quantity, row.unit, row.predicted, nearest, more, less)
    ends = f"{_shown(low, row.unit)} to {_shown(high, row.unit)}"
    span = f"{counted} are counted, so that it is {ends if high < math.inf else f'{_shown(low, row.unit)} or more'}"
    if low <= row.predicted <= high or sure.said == "as predicted":
        return replace(row, said=f"too short to tell: {span}", tells=False)
    if sure.said == row.said and abs(nearest - row.measured) <= NEAR * row.measured:
        return row
    return replace(row, said=f"{sure.said}; {span}", surely=nearest)


def _shown(value: float, unit: str) -> str:
    return f"{value:.3g}" if unit == "1" else format_cell(value, unit)


def _not_told(smart: Smart | None) -> Iterator[str]:
    if smart is not None and smart.on_s is None:
        yield f"SMART {smart.source} does not say how long the drive was on, without which nothing in it is a rate."
    if smart is not None and smart.on_s == 0:
        yield f"SMART {smart.source} counts no whole hour that the drive was on; what is in it is no rate before that."
    if smart is not None and smart.written_bytes is None:
        yield f"SMART {smart.source} does not say in a known unit how much the host has written."
    if smart is not None and smart.used is None:
        yield f"SMART {smart.source} has no known attribute of how much of the rated life is used."


def _written_row(by: str, ahead: Predicted, measured: float) -> Compared:
    return _row(
        *(f"written to a device a day, {by}", "B", ahead.written_bytes_per_s * DAY_S, measured * DAY_S),
        *WRITTEN,
    )


def _read_row(quantity: str, ahead: Predicted, measured_s: float, slow: str, fast: str) -> Compared:
    """Of the time of a read. One that takes longer than what is a bound from below agrees with that."""
    row = _row(quantity, "s", ahead.read_s, measured_s, slow, fast)
    if not (ahead.read_at_least and ahead.read_s < measured_s) or row.said == "as predicted":
        return row
    said = "at least what is predicted, a bound from below: how long a read takes alone is not known"
    return Compared(quantity, "s", ahead.read_s, measured_s, said, tells=False)


def _row(quantity: str, unit: str, ahead: float, measured: float, more: str, less: str) -> Compared:
    """A quantity with the sentence that its distance asks for. more, less: begin it where it is above or below."""
    if not math.isfinite(ahead):
        why = "the device cannot follow the load as predicted" if ahead == math.inf else "it could not be predicted"
        return Compared(quantity, unit, ahead, measured, why)
    if not math.isfinite(measured):
        return Compared(quantity, unit, ahead, measured, "it was not measured")
    if ahead == 0:
        said = "as predicted, nothing" if measured == 0 else f"{more} predicted, which was nothing"
        return Compared(quantity, unit, ahead, measured, said)
    ratio = measured / ahead
    if abs(ratio - 1) <= NEAR:
        return Compared(quantity, unit, ahead, measured, "as predicted")
    far = ratio >= FACTOR or ratio <= 1 / FACTOR
    said = f"{more if ratio > 1 else less} predicted"
    return Compared(quantity, unit, ahead, measured, f"{said}: the load or the system is another one" if far else said)


def _read_s(device: str, page_bytes: int, reads_hz: float, writes_hz: float) -> float:
    """Mean time of a read [s] at a device of several servers: M/M/c with the mean of reads and writes."""
    servers = device_servers.servers_of(device, "random", page_bytes)
    rate = reads_hz + writes_hz
    mean_s = (reads_hz * servers.read_s + writes_hz * servers.write_s) / rate if rate else servers.read_s
    load = rate * mean_s
    if load >= servers.at_once:
        return math.inf
    wait_s = erlang_c(servers.at_once, load) * mean_s / (servers.at_once - load) if load else 0.0
    return wait_s + servers.read_s + servers.read_delay_s


def _missed_below(load: Buffered, cached: int) -> float:
    """Share of the buffer's misses that a page cache of so many pages misses too, as LRU; it is filled by the first
    half of them."""
    hit = present(load.run.hit, "asked for")
    missed = load.references.ids[load.references.pages[load.warm_up :][~hit]]
    if missed.size < 2:
        return 1.0
    half = missed.size // 2
    run = replay(References.of(missed, np.zeros(missed.size, bool)), cached, "lru", warm_up=half)
    return run.misses / run.references


def _notes(system: System, rate_hz: float, cached: int, life: str) -> Iterator[str]:
    placement = present(system.placement("database"), "a system has a place for its database")
    yield (
        f"Predicted for {rate_hz:.6g} page references a second of {system.load.source}, a buffer of "
        f"{grouped(system.memory.buffer_frames)} frames ({system.memory.policy}), on {placement.count} × "
        f"{devices.title_of(placement.device)} ({placement.level})."
    )
    if cached:
        yield f"Below the buffer is a page cache of {cached} pages, replayed as LRU; writes go through it."
    unused = list(_unused(system, placement))
    if unused:
        yield f"Of what the system says this is left out: {', '.join(unused)}."
    if system.placement("log") is None:
        yield "The log is left out: how many bytes a transaction logs is no value of a system."
    if life:
        yield f"The device is {life}." if life.startswith("rated") else f"The device is {life}"


def _unused(system: System, database: Placement) -> Iterator[str]:
    """What a system says that the prediction has no place for."""
    load = system.load
    if load.read_share != Load.model_fields["read_share"].default:
        yield "the share of reads, which is counted from the load"
    if load.users is not None or load.think_s is not None:
        yield "users and thinking"
    if system.file_system.layout != FileSystem.model_fields["layout"].default:
        yield f"the {system.file_system.layout} file system"
    if database.write_cache_bytes:
        yield "the write cache of the devices"
    if system.placement("cache") is not None:
        yield "the cache between memory and database"
