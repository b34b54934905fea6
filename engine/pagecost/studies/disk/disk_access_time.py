"""Where does the time of one disk access go?"""

import dataclasses
import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost import catalogue
from pagecost.answers import disk_runs
from pagecost.answers.disk_runs import REPLICATIONS, SERVICE, Accesses, Buffer, Mean
from pagecost.devices.disk import (
    SECTOR_BYTES,
    TERMS,
    Disk,
    next_track,
    random_requests,
    sequential_read,
    sequential_unbuffered,
)
from pagecost.studies.disk import disk_inputs
from pagecost.studies.disk.disk_inputs import SPANS
from pagecost.studies.fields import Choice, Choices, OfSystem, Steps
from pagecost.studies.finding import Finding, compared
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, formulas_first, no_progress
from pagecost.units import format_bytes, format_cell, format_seconds, grouped

PATTERNS = {
    "whole disk": "random, whole disk",
    "span": "random, part of the disk",
    "next track": "one track further",
    "sequential": "sequential",
}
OPERATIONS = {"read": "read", "write": "write"}
SHOWN = 40  # accesses that can be looked at one by one


class Inputs(StudyInputs):
    """Which disks are asked for what."""

    disks: Annotated[
        tuple[str, ...],
        Choices(disk_runs.disks, most=4, such=disk_inputs.why_not),
        OfSystem("devices.database.device"),
        Field(min_length=1, title="Disks", description="The first one is drawn below."),
    ] = ("wd400bb", "hgst-7k1000-750gb", "cheetah-15k5")
    patterns: Annotated[
        tuple[str, ...],
        Choices(lambda: PATTERNS, most=4),
        Field(min_length=1, title="Patterns", description="Where the next request lies."),
    ] = ("whole disk", "span", "next track", "sequential")
    operation: Annotated[
        str,
        Choice(lambda: OPERATIONS),
        Field(title="Operation", description="Reads run through the read-ahead buffer, writes go to the platter."),
    ] = "read"
    request_bytes: disk_inputs.REQUEST_BYTES = 4096
    span_bytes: Annotated[
        float,
        Steps(SPANS, "B", format_bytes),
        Field(gt=0, title="Part of the disk", description="Of the second pattern, from the outside."),
    ] = 1e9
    pause_s: Annotated[
        float,
        Steps((0.0, 1e-5, 1e-4, 1e-3, 5e-3, 1e-2), "s", format_seconds),
        Field(
            ge=0,
            le=1,
            title="Pause of the host",
            description="Between the end of a request and the next command. It is not part of the access.",
        ),
    ] = 1e-4
    requests: Annotated[
        int,
        Steps((200, 500, 1000, 2000, 5000), "requests", grouped),
        Field(ge=100, le=100_000, title="Requests per run", description=f"Of each of {REPLICATIONS} runs."),
    ] = 1000
    shown_pattern: Annotated[
        str,
        Choice(lambda: PATTERNS, noun="pattern"),
        Field(title="Pattern in the picture", description="Of which single accesses are drawn, on the first disk."),
    ] = "whole disk"
    shown: Annotated[
        int,
        Steps(tuple(range(1, SHOWN + 1)), "1", str),
        Field(ge=1, le=SHOWN, title="Access in the picture", description="Step through one access after the other."),
    ] = 1
    seed: SEED = 1

    @property
    def write(self) -> bool:
        """Whether requests write."""
        return self.operation == "write"


@dataclasses.dataclass(frozen=True)
class Access:
    """One access as a picture needs it. disk: its name.

    zones: radii [0..1 of the platter's] where zones begin, from the outside, and where the last ends. before, after:
    radius of the head. terms: of `SERVICE` [s]. turn_s: one turn. held: it came out of the buffer.
    """

    disk: str
    zones: tuple[float, ...]
    before: float
    after: float
    terms: dict[str, float]
    turn_s: float
    held: bool


NOT_SIMULATED = (np.full(len(SERVICE), np.nan), Mean(math.nan, math.nan))
INNERMOST = 0.4  # radius of the innermost track, of the outermost's: where bits are about as dense on all tracks


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per disk and pattern: mean terms by formula, and by simulation with the 95 % interval of their sum."""
    formulas = {
        (name, pattern): expected(inputs, name, pattern) for name in inputs.disks for pattern in inputs.patterns
    }
    progress(0.0, lambda: _result(inputs, [(*case, terms, *NOT_SIMULATED) for case, terms in formulas.items()]))
    rows = []
    for case, terms in formulas.items():
        rows.append((*case, terms, *_simulated(inputs, *case)))
        progress(len(rows) / len(formulas), None)
    return _result(inputs, rows).with_notes(_notes(inputs))


def _result(inputs: Inputs, rows: Sequence[tuple]) -> Result:
    """rows: (disk, pattern, terms by formula, simulated terms, simulated access)."""
    total = np.array([row[4].value for row in rows])
    theory = {name: np.array([row[2][name] for row in rows]) for name in SERVICE}
    theory_s = np.sum(list(theory.values()), axis=0)
    columns = {
        "disk": Column(np.array([row[0] for row in rows]), "text", "disk", disk_runs.disks()),
        "pattern": Column(np.array([row[1] for row in rows]), "text", "pattern", PATTERNS),
        "access_s": Column(total, "s", "time of an access, simulated"),
        "access_interval": Column(np.array([row[4].half_width for row in rows]), "s", "half of the 95 % interval"),
        "theory_s": Column(theory_s, "s", "time of an access by formula"),
        "iops": Column(1 / (total + inputs.pause_s), "1/s", "requests per second, pauses included"),
        "theory_iops": Column(1 / (theory_s + inputs.pause_s), "1/s", "requests per second by formula"),
        "throughput_bytes_per_s": Column(
            inputs.request_bytes / (total + inputs.pause_s), "B/s", "throughput, pauses included"
        ),
    }
    for column, name in enumerate(SERVICE):
        columns[name] = Column(np.array([row[3][column] for row in rows]), "s", f"{TERMS[name]}, simulated")
        columns[f"theory_{name}"] = Column(theory[name], "s", f"{TERMS[name]} by formula")
    return Result.of(columns)


def expected(inputs: Inputs, name: str, pattern: str) -> dict[str, float]:
    """The mean terms [s] by formula."""
    disk, sectors = Disk.of(catalogue.device(name)), inputs.request_bytes // SECTOR_BYTES
    if pattern == "next track":
        return next_track(disk, sectors, write=inputs.write, pause_s=inputs.pause_s)
    if pattern == "sequential":
        if inputs.write:
            return sequential_unbuffered(disk, sectors, write=True, pause_s=inputs.pause_s)
        bus_s = SECTOR_BYTES / Buffer.of(catalogue.device(name)).interface_bytes_per_s
        return sequential_read(disk, sectors, pause_s=inputs.pause_s, bus_s=bus_s)
    return random_requests(disk, _span(inputs, disk, pattern), sectors, write=inputs.write).mean_s


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The formula of each row with its numbers, and what the simulation adds."""
    lines = []
    for row in range(len(result)):
        theory = {name: result[f"theory_{name}"][row] for name in SERVICE}
        parts = " + ".join(f"{TERMS[name]} {format_seconds(time)}" for name, time in theory.items() if time > 0)
        lines.append(
            f"{result.cell('disk', row)}, {result.cell('pattern', row)}: {parts} = "
            f"{format_seconds(result['theory_s'][row])}, {format_cell(result['theory_iops'][row], '1')} requests/s "
            "with the pause; "
            f"simulated {format_seconds(result['access_s'][row])} ± {format_seconds(result['access_interval'][row])}."
        )
    for name in inputs.disks:
        device = catalogue.device(name)
        disk, seek_s = Disk.of(device), device.value("average_seek_read_s")
        time_s = seek_s + disk.turn_s / 2
        lines.append(
            f"{device.name}, the textbook's access time without command and transfer: seek {format_seconds(seek_s)} + "
            f"half a turn of {60 * disk.rotation_hz:.0f} rpm {format_seconds(disk.turn_s / 2)} = {1e3 * time_s:.2f} "
            f"ms, so {1 / time_s:.1f} reads/s."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        range(len(result)),
        "access_s",
        lambda row: f"{result.cell('pattern', row)}, on {result.cell('disk', row)}",
        several="One access takes {high} ({most}), {times} as long as {low} ({least}).",
        one="One access takes {high} ({most}).",
        none="No access was simulated.",
    )


def one_access(inputs: Inputs) -> Access:
    """The access in the picture: the `shown`-th of the pattern's first run, on the first disk."""
    device = catalogue.device(inputs.disks[0])
    disk = Disk.of(device)
    lbn, table = _run(inputs, device, inputs.shown_pattern, 0)
    sectors, at = inputs.request_bytes // SECTOR_BYTES, disk_runs.ACCESS_WARM_UP + inputs.shown - 1
    cylinder = disk.places(np.array([lbn[at - 1] + sectors - 1, lbn[at]]))[0]
    terms = dict(zip(SERVICE, table[at, 1:].tolist(), strict=True))
    terms["overhead_s"] = max(0.0, terms["overhead_s"] - inputs.pause_s)
    held = terms["seek_s"] + terms["rotation_s"] + terms["switch_s"] == 0 and inputs.shown_pattern == "sequential"
    ends = np.cumsum([0] + [zone.cylinders for zone in disk.geometry.zones])
    zones, (before, after) = (1 - (1 - INNERMOST) * each / ends[-1] for each in (ends, cylinder))
    return Access(device.name, tuple(zones.tolist()), before, after, terms, disk.turn_s, held and not inputs.write)


def _simulated(inputs: Inputs, name: str, pattern: str) -> tuple[np.ndarray, Mean]:
    """(mean terms [s], mean of their sum with its interval) over the runs."""
    device = catalogue.device(name)
    runs = [_run(inputs, device, pattern, number) for number in range(REPLICATIONS)]
    tables = [run.terms[disk_runs.ACCESS_WARM_UP :, 1:] for run in runs]
    own = [table.copy() for table in tables]
    for table in own:  # of each access: of their mean, rounding would leave 1.8e-18 s where a command has no overhead
        table[:, 0] = np.maximum(0.0, table[:, 0] - inputs.pause_s)  # which the disk was told to be part of the command
    terms = np.mean([table.mean(axis=0) for table in own], axis=0)
    return terms, Mean.of([table.sum(axis=1).mean() - inputs.pause_s for table in tables])


def _run(inputs: Inputs, device: catalogue.Device, pattern: str, replication: int) -> Accesses:
    disk = Disk.of(device)
    paused = dataclasses.replace(disk, overhead_s=disk.overhead_s + inputs.pause_s)
    size = (_span(inputs, disk, pattern), inputs.request_bytes // SECTOR_BYTES, inputs.requests)
    return disk_runs.accesses(paused, pattern, inputs.write, *size, inputs.seed, Buffer.of(device), replication)


def _span(inputs: Inputs, disk: Disk, pattern: str) -> int:
    span_bytes = inputs.span_bytes if pattern == "span" else disk.geometry.capacity_bytes
    return disk_runs.span_sectors(disk, span_bytes, inputs.request_bytes)


def _notes(inputs: Inputs):
    for name in inputs.disks:
        yield from disk_inputs.notes_of(name)
        device = catalogue.device(name)
        if not Disk.of(device).overhead_s:
            yield f"{device.name}: its command overhead is not known and left out."
        if "sequential" in inputs.patterns and not inputs.write and "interface_bytes_per_s" not in device.parameters:
            yield f"{device.name}: its interface is not known; twice the media rate is assumed."
    yield (
        "Bars: mean terms by formula. Points: the same disk driven request by request, with the angle of the platter; "
        f"{REPLICATIONS} runs of {grouped(inputs.requests)} requests one at a time, 95 % interval (Student)."
    )
    yield "Sequential requests and those one track further run in the outermost zone; random reads meet no buffer."
    if inputs.write:
        yield "No write cache: a write is done when it is on the platter."


STUDY = Study(
    name="disk_access_time",
    title="Where does the time of one disk access go?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    estimate=formulas_first(compute),
    place="device",
    source="fernando2011 §2.1.1; schmidt2009 §3; Ruemmler and Wilkes 1994",
    presets={
        "writes without a cache: a turn is lost": {"operation": "write", "shown_pattern": "sequential"},
        "the disk of Wang 2011": {"disks": ("hgst-7k1000-750gb",), "pause_s": 0.0},
        "large requests": {"request_bytes": 1 << 20},
        "a disk of 1991 and one of 2006": {"disks": ("hp-97560", "cheetah-15k5")},
    },
)
