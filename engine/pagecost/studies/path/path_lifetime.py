"""How many years does a drive last under the whole path? Bytes layer by layer, from a transaction to the flash."""

from concurrent.futures import as_completed
from dataclasses import replace
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from pagecost import catalogue, oltp
from pagecost.answers import path_runs
from pagecost.answers.path_loads import smaller
from pagecost.answers.path_runs import SHORT, Cleaner
from pagecost.answers.path_wear import Below, Wear, refuse_idle, wear_below
from pagecost.answers.ssd_runs import ssd_of
from pagecost.devices import ssd
from pagecost.devices.ftl import lifetime
from pagecost.economics.wear import Endurance, endurance
from pagecost.errors import ModelError, require
from pagecost.filesystem import LogStructured, OutOfPlace
from pagecost.filesystem.layouts import FileSystem
from pagecost.intervals import mean_and_half_width
from pagecost.oltp.machine_kernels import BATCH
from pagecost.studies.fields import Choices, From, Steps
from pagecost.studies.finding import Finding, compared
from pagecost.studies.loop_fields import TOGETHER
from pagecost.studies.loop_loads import TPC_C
from pagecost.studies.path.path_answers import (
    MOST_ROWS,
    Found,
    answered,
    case_of,
    name_of,
    names_of,
    notes,
    place_columns,
    tpm_columns,
)
from pagecost.studies.path.path_fields import (
    BUFFERS,
    COMMERCIAL,
    DATABASES,
    DATABASES_OF,
    FILE_SYSTEMS_OF,
    IN_FEW_WORDS,
    MIX,
    MYSQL,
    RUNS,
    devices_of,
    seconds_of,
)
from pagecost.studies.path.path_inputs import LogApartInputs, Point
from pagecost.studies.path.whole_path import short_name
from pagecost.studies.study import Column, Progress, Result, Study, no_progress
from pagecost.studies.workers import workers
from pagecost.units import format_bytes, format_seconds, format_si, grouped
from pagecost.workload.tpcc import TRANSACTIONS as TRANSACTIONS_OF_TPCC
from pagecost.workload.tpcc import parts_of

WRITERS = ("New-Order", "Payment", "Delivery")  # the types of transactions that change pages
CLEANED = Cleaner(protection_s=0.0)  # over years nothing is young: whenever a log is full it is cleaned


class Inputs(LogApartInputs):
    """A grid: each file system on each device, under each database system, buffer and interval of checkpoints."""

    file_systems: Annotated[tuple[str, ...], *FILE_SYSTEMS_OF] = ("in-place", "log-structured")
    devices: Annotated[tuple[str, ...], *devices_of(6, "Of the data.")] = ("mtron-pro-7500", "intel-x25-e")
    databases: Annotated[tuple[str, ...], *DATABASES_OF] = (COMMERCIAL,)
    mix: Annotated[str, *MIX] = "normal"
    buffers_bytes: Annotated[
        tuple[float, ...],
        Choices(
            lambda: {float(size): format_bytes(size) if size else "its own" for size in BUFFERS},
            unit="B",
            noun="buffer",
        ),
        From("wang2011 Table 4, Fig. 11"),
        Field(min_length=1, title="Buffers", description="Of the database; its own: 8 MiB, MySQL 4 MiB."),
    ] = (0.0,)
    checkpoints_s: Annotated[
        tuple[float, ...],
        Choices(
            lambda: {every: format_seconds(every) if every else "never" for every in (0.0, 1.0, 10.0, 60.0)},
            unit="s",
            noun="interval",
        ),
        Field(
            min_length=1,
            title="Checkpoints",
            description="How often all changed pages are written; never: only those that must leave the buffer.",
        ),
    ] = (0.0,)
    other_share: Annotated[
        float,
        Steps((0.0, 0.25, 0.5, 0.75, 0.85), "1", lambda share: f"{share:.0%}"),
        Field(
            ge=0,
            le=0.99,
            title="Other data",
            description="Share of the device with data that nobody changes. The rest is the volume, which a log fills.",
        ),
    ] = 0.5
    seconds: Annotated[float, *seconds_of((10.0, 20.0, 60.0, 120.0))] = 10.0
    runs: Annotated[int, *RUNS] = 3

    @model_validator(mode="after")
    def _writes_and_can_be_drawn(self):
        changes = any(parts_of(self.mix)[TRANSACTIONS_OF_TPCC.index(name)] for name in WRITERS)
        require(
            changes or self.load != TPC_C,
            f"mix {self.mix} changes nothing and wears nothing out; choose a mix that writes",
        )
        axes = (self.file_systems, self.devices, self.databases, self.buffers_bytes, self.checkpoints_s)
        rows = int(np.prod([len(axis) for axis in axes]))
        require(rows <= MOST_ROWS, f"a grid may have {MOST_ROWS} systems; got {rows}: leave out devices or buffers")
        return self


def points_of(inputs: Inputs) -> list[Point]:
    """All systems of the grid, those that differ by the file system alone side by side."""
    return [
        inputs.point(
            database=database,
            device=device,
            file_system=layout,
            mix=inputs.mixes_of([inputs.mix])[0],
            buffer_bytes=size,
            checkpoint_s=every_s,
        )
        for database in inputs.databases
        for size in inputs.buffers_bytes
        for every_s in inputs.checkpoints_s
        for device in inputs.devices
        for layout in inputs.file_systems
    ]


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per system. Each run has a stream of writes of its own, so that the interval of a life is over both.

    Raises ModelError for a load that changes nothing.
    """
    case = case_of(inputs, points_of(inputs)[0], 0, inputs.seconds)
    refuse_idle(case.load, case.transactions, case.seed)
    worn: dict[Point, list[Wear]] = {}

    def result(found: Found) -> Result:
        return _result(inputs, found, worn)

    found = answered(inputs, points_of(inputs), inputs.seconds, lambda share, part: progress(share / 2, part), result)
    with workers() as pool:
        running = {
            pool.submit(_wear, inputs, point, runs): point
            for point, runs in found.items()
            if point.device in ssd.catalogued()
        }
        for done, future in enumerate(as_completed(running), start=1):
            point = running[future]
            try:
                worn[point] = future.result()
            except ModelError as error:
                found.left_out[point] = str(error)
                del found[point]
            require(bool(found), next(iter(found.left_out.values()), ""))
            part = Found(found, found.left_out)
            progress((1 + done / len(running)) / 2, partial(_result, inputs, part, worn.copy()))
    oltp.forget()
    found.left_out = {point: found.left_out[point] for point in points_of(inputs) if point in found.left_out}
    return result(found).with_notes(_notes(inputs, found, worn))


def _wear(inputs: Inputs, point: Point, runs: list[oltp.OltpRun]) -> list[Wear]:
    return [wear_below(below_of(inputs, point, number, run)) for number, run in enumerate(runs)]


def below_of(inputs: Inputs, point: Point, number: int, run: oltp.OltpRun) -> Below:
    """What is written below a system in its run of that number, scaled down to a part of the data.

    How many commits share a write of the log, and pages a sync, is what the run has shown.
    """
    case = case_of(inputs, point, number, inputs.seconds)
    setup, counts = case.setup, run.counts
    assert setup.log is not None
    load, scale, _ = smaller(case.load)
    log = None
    if point.log_storage is None:
        log = replace(
            setup.log,
            file_bytes=int(scale * setup.log.file_bytes),
            buffer_bytes=int(scale * setup.log.buffer_bytes),
        )
    group = counts["commits"] / max(1, counts["log writes"]) * (1 if setup.log.flush else scale)
    syncs = counts["syncs"] - counts["log writes"] - counts["checkpoint writes"] / BATCH
    syncs -= counts["commits"] if setup.buffer.force else 0
    batch = counts["page writes"] / max(1, syncs) if setup.buffer.write_batch > 1 else 1
    return Below(
        load=load,
        frames=max(1, round(scale * setup.buffer.frames)),
        policy=setup.buffer.policy,
        log=log,
        group=max(1, round(group)),
        batch=min(max(1, round(batch)), setup.buffer.write_batch),
        force=setup.buffer.force,
        checkpoint_transactions=max(1, round(run.tps * point.checkpoint_s * scale)) if point.checkpoint_s else 0,
        file_system=scaled(path_runs.file_system(point.file_system, CLEANED), scale),
        ssd=ssd_of(catalogue.device(point.device)),
        capacity_bytes=scale * catalogue.device(point.device).value("capacity_bytes"),
        other_share=inputs.other_share,
        seed=case.seed,
    )


def scaled(file_system: FileSystem | None, scale: float) -> FileSystem | None:
    """The file system under a part of the data. A log writes the blocks of its trees that changed at each checkpoint:
    on a part of the data they are fewer, so that checkpoints must lie as much closer for as many to each page."""
    if not isinstance(file_system, LogStructured | OutOfPlace):
        return file_system
    return replace(file_system, syncs_per_checkpoint=max(1, round(scale * file_system.syncs_per_checkpoint)))


class Layers(NamedTuple):
    """Bytes per second of a run on the devices of the data: pages that transactions change, database, device, flash
    programmed and worn, that is erased in the long run (nan: its layer not known)."""

    asked: float
    database: float
    device: float
    flash: float
    worn: float


def layers_of(inputs: Inputs, point: Point, run: oltp.OltpRun, wear: Wear | None) -> Layers:
    """What is written a second at each layer. Without a wear the file system does what it did in the run."""
    load = inputs.load_of(point.mix, inputs.profile(point.database).page_bytes)
    asked = run.counts["logical writes"] * load.page_bytes / run.seconds
    database = run.moved_bytes["database", "write"] / run.seconds
    if point.log_storage is not None:  # the rest is the log, which is no data's device's
        database = (counted_pages(run) * load.page_bytes) / run.seconds
    if wear is None:
        device = sum(run.written_bytes[name] for name in run.devices()) / run.seconds
        return Layers(asked, database, device, float("nan"), float("nan"))
    device = database * wear.file_system
    return Layers(asked, database, device, device * wear.flash, device * wear.worn)


def counted_pages(run: oltp.OltpRun) -> int:
    """Pages that the database has written in a run, its log left out."""
    return sum(run.counts[f"{why} writes"] for why in ("page", "checkpoint", "forced"))


def _log_row(point: Point, runs: list[oltp.OltpRun]) -> dict[str, float]:
    """What the log writes to the devices that it has for itself, and how long they last; empty where it has none."""
    if point.log_storage is None:
        return {}
    written = [sum(run.written_bytes[name] for name in run.devices(of_log=True)) / run.seconds for run in runs]
    rated = rated_of(point.log_device)
    rate = float(np.mean(written))
    rated_bytes = point.log_storage.count * rated.written_bytes if rated else float("nan")
    return {"log_bytes_per_s": rate, "log_lifetime_s": _over(rated_bytes, rate)}


def _over(part: float, whole: float) -> float:
    """A ratio, nan over nothing: a run that wrote nothing does not say what a longer one would write."""
    return part / whole if whole else float("nan")


def wrote_nothing(inputs: Inputs, found: Found, worn: dict[Point, list[Wear]]) -> list[Point]:
    """The systems of which a run gave nothing to the devices of the data, so that their years are not known."""
    return [
        point
        for point, runs in found.items()
        if any(not each.device for each in _layers(inputs, point, runs, worn.get(point)))
    ]


def _layers(inputs: Inputs, point: Point, runs: list[oltp.OltpRun], worn: list[Wear] | None) -> list[Layers]:
    wears: list[Wear | None] = [None] * len(runs) if worn is None else [*worn]
    return [layers_of(inputs, point, run, wear) for run, wear in zip(runs, wears, strict=True)]


def _row(inputs: Inputs, point: Point, runs: list[oltp.OltpRun], worn: list[Wear] | None) -> dict[str, float]:
    of_runs = _layers(inputs, point, runs, worn)
    mean = Layers(*np.mean(of_runs, axis=0))
    rated = rated_of(point.device)
    rated_bytes = rated.written_bytes if rated and np.isfinite(rated.written_bytes) else float("nan")
    lives_s = [_over(rated_bytes, layers.device) for layers in of_runs]
    half_s = (
        mean_and_half_width(lives_s)[1] if len(lives_s) > 1 else lives_s[0] * runs[0].half_width_s / runs[0].response_s
    )
    life_s = float(np.mean(lives_s))
    cells_bytes = _cells_bytes(point.device)
    return {
        **{f"{name}_bytes_per_s": value for name, value in mean._asdict().items()},
        "database_factor": _over(mean.database, mean.asked),
        "file_system_factor": _over(mean.device, mean.database),
        "flash_factor": _over(mean.flash, mean.device),
        "worn_factor": _over(mean.worn, mean.device),
        "rated_bytes": rated_bytes,
        "lifetime_s": life_s,
        "lifetime_low_s": max(life_s - half_s, 0.0) if np.isfinite(life_s) else life_s,
        "lifetime_high_s": life_s + half_s,
        "transactions": life_s * float(np.mean([run.tps for run in runs])),
        "cells_lifetime_s": _over(cells_bytes, mean.worn),
        **_log_row(point, runs),
    }


COLUMNS = {
    "asked_bytes_per_s": ("B/s", "pages that transactions change"),
    "database_bytes_per_s": ("B/s", "written by the database, log included"),
    "device_bytes_per_s": ("B/s", "given to the device by the file system"),
    "flash_bytes_per_s": ("B/s", "programmed in flash"),
    "worn_bytes_per_s": ("B/s", "erased in flash"),
    "database_factor": ("1", "bytes that the database writes per byte of changed pages"),
    "file_system_factor": ("1", "bytes given to the device per byte that the database writes"),
    "flash_factor": ("1", "bytes programmed per byte given to the device"),
    "worn_factor": ("1", "bytes erased per byte given to the device"),
    "rated_bytes": ("B", "bytes that the device is rated for"),
    "lifetime_s": ("s", "until the rated bytes are written"),
    "lifetime_low_s": ("s", "at least, at 95 % confidence"),
    "lifetime_high_s": ("s", "at most"),
    "transactions": ("1", "transactions until then"),
    "cells_lifetime_s": ("s", "until the cells have stood their cycles, if all wear alike"),
    "log_bytes_per_s": ("B/s", "written to the log's own devices"),
    "log_lifetime_s": ("s", "until the rated bytes of these are written"),
}
ENDS = ("lifetime_low_s", "lifetime_high_s")


def rated_of(name: str) -> Endurance | None:
    """What a device of the loop may be written; None where nothing is known."""
    device = catalogue.devices().get(name)
    return None if device is None else endurance(device)


def _cells_bytes(name: str) -> float:
    """Bytes that all cells of a device stand, nan where its cycles are not known."""
    device = catalogue.devices().get(name)
    if name not in ssd.catalogued() or device is None:
        return float("nan")
    cycles = device.get("program_erase_cycles", catalogue.device(device.text("flash_chip")).get("program_erase_cycles"))
    if cycles is None:
        return float("nan")
    spare = ssd_of(device).spare
    return lifetime.total_bytes_written(device.value("capacity_bytes"), cycles, over_provisioning=spare / (1 - spare))


def _result(inputs: Inputs, found: Found, worn: dict[Point, list[Wear]]) -> Result:
    points = list(found)
    rows = [_row(inputs, point, runs, worn.get(point)) for point, runs in found.items()]
    columns = {
        "database": Column(names_of(points, lambda point: point.database), "text", "database system", DATABASES),
        **place_columns(points),
        "buffer_bytes": Column(np.array([point.buffer_bytes for point in points]), "B", "buffer (0: its own)"),
        "checkpoint_s": Column(np.array([point.checkpoint_s for point in points]), "s", "checkpoint every (0: never)"),
        **tpm_columns(found),
    }
    for name, (unit, label) in COLUMNS.items():
        values = np.array([row.get(name, np.nan) for row in rows], float)
        kept = ("lifetime_s", "flash_factor", *(ENDS if any(np.isfinite(row["lifetime_s"]) for row in rows) else ()))
        if np.isfinite(values).any() or name in kept:  # what nobody can fill is no column
            apart = name == "database_bytes_per_s" and inputs.log_device != TOGETHER
            columns[name] = Column(values, unit, label.replace("log included", "without its log") if apart else label)
    return Result.of(columns)


def label_of(result: Result, row: int, inputs: Inputs) -> str:
    """What a system is called without its file system: what the grid varies, the device always."""
    words = [IN_FEW_WORDS[str(result["database"][row])]] if len(inputs.databases) > 1 else []
    words.append(short_name(result.cell("device", row)))
    if len(inputs.buffers_bytes) > 1:
        size = result["buffer_bytes"][row]
        words.append(f"{format_bytes(size)} buffer" if size else "its own buffer")
    if len(inputs.checkpoints_s) > 1:
        every_s = result["checkpoint_s"][row]
        words.append(f"checkpoint every {format_seconds(every_s)}" if every_s else "no checkpoints")
    return ", ".join(words)


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The bytes of each layer from those of the one above it, and the years that follow."""
    lines = []
    for row in range(len(result)):
        rate = {name: format_si(result[f"{name}_bytes_per_s"][row], "B/s") for name in ("asked", "database", "device")}
        words = [
            f"{label_of(result, row, inputs)}, {SHORT[str(result['file_system'][row])]}: "
            f"{_written_in_words(result, row, rate)}"
        ]
        if np.isfinite(result["flash_factor"][row]):
            flash = format_si(result["flash_bytes_per_s"][row], "B/s")
            words.append(f" × {result['flash_factor'][row]:.3f} = {flash} programmed in flash")
        if np.isfinite(result["lifetime_s"][row]):
            rated, life = format_si(result["rated_bytes"][row], "B"), format_seconds(result["lifetime_s"][row])
            count = format_si(result["transactions"][row], "")
            words.append(f"; rated {rated} / {rate['device']} = {life}, {count} transactions")
        if "log_bytes_per_s" in result.columns:
            lasts = ""
            if "log_lifetime_s" in result.columns and np.isfinite(result["log_lifetime_s"][row]):
                lasts = f", whose rated bytes are written after {format_seconds(result['log_lifetime_s'][row])}"
            words.append(f"; the log {format_si(result['log_bytes_per_s'][row], 'B/s')} to its own devices{lasts}")
        lines.append("".join(words) + ".")
    return lines


def _written_in_words(result: Result, row: int, rate: dict[str, str]) -> str:
    """From the pages that transactions change to what the device is given."""
    if not result["database_bytes_per_s"][row]:
        return f"transactions change pages of {rate['asked']}, and the database wrote nothing within the time"
    changed = "transactions changed no page within the time; "
    if result["asked_bytes_per_s"][row]:
        changed = f"transactions change pages of {rate['asked']} × {result['database_factor'][row]:.3f} = "
    return (
        f"{changed}{rate['database']} that the database writes × {result['file_system_factor'][row]:.3f} = "
        f"{rate['device']} given to the device"
    )


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    unknown = "How many bytes the drives are rated for is not known."
    if "rated_bytes" in result.columns:  # of one at least it is, and its years are blank all the same
        unknown = "A run wrote nothing within its time: how long the drives last is not known."
    return compared(
        result,
        range(len(result)),
        "lifetime_s",
        lambda row: f"{label_of(result, row, inputs)}, {SHORT[str(result['file_system'][row])]}",
        several="The rated bytes are written after {low} on {least}, and after {high} on {most}.",
        one="The rated bytes are written after {high} on {most}.",
        none=unknown,
    )


def _notes(inputs: Inputs, found: Found, worn: dict[Point, list[Wear]]):
    yield from notes(inputs, found)
    if worn:
        part = smaller(case_of(inputs, next(iter(found)), 0, inputs.seconds).load).in_words
        its_log = "log" if inputs.log_device == TOGETHER else "no log"
        several = max(wear.transactions for wears in worn.values() for wear in wears)
        yield (
            f"What a byte becomes below the database is found on {part}, with their share of buffer, log file and "
            f"device: the pages that leave, checkpoints and {its_log} of {grouped(several)} transactions are written "
            "again and again, a file system's log cleaned where it is full, until the flash is steady."
        )
    if idle := wrote_nothing(inputs, found, worn):
        yield (
            f"A run wrote nothing within {format_seconds(inputs.seconds)}, so that years are left blank: "
            f"{'; '.join(name_of(point) for point in idle)}. Ask for more seconds."
        )
    yield "The drive is written all the time at the rate of the run."
    data = dict.fromkeys(point.device for point in found)
    of_log = () if inputs.log_device == TOGETHER else (inputs.log_device,)
    yield "Rated bytes are those that the host writes: write amplification is in them already, as its maker saw it."
    for name in dict.fromkeys((*data, *of_log)):
        rated, title = rated_of(name), path_runs.drives()[name]
        if rated is None:
            yield f"{title}: how much it may be written is not known, so that its years are left blank."
        elif not np.isfinite(rated.written_bytes):
            yield f"{title} is {rated.said}: its years are left blank."
        else:
            yield f"{title} is {rated.said}."
        if name in data and name not in ssd.catalogued():
            yield (
                f"{title}: nothing is known of a translation layer, so that what is programmed is left blank; the file "
                "system writes what it wrote in the run, without cleaning."
            )
    cut = max((wear.cut for wears in worn.values() for wear in wears), default=1.0)
    if cut > 1.01:
        yield (
            f"The largest device is simulated up to {cut:.1f} times smaller than its share, with less space that is "
            "not used: what cleaning and the translation layer write is at most what is shown."
        )


STUDY = Study(
    name="path_lifetime",
    title="How many years does a drive last under the whole path?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="whole path",
    source="wang2011 Table 5, §4",
    presets={
        "little room: other data on 85 %": {"other_share": 0.85},
        "the database writes its own log": {"file_systems": tuple(path_runs.FILE_SYSTEMS)},
        "both database systems": {"databases": (COMMERCIAL, MYSQL)},
        "a large buffer, with and without checkpoints": {
            "devices": ("intel-x25-e",),
            "buffers_bytes": (0.0, 128.0 * 2**20),
            "checkpoints_s": (0.0, 1.0, 10.0),
        },
    },
)
