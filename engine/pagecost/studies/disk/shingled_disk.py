"""When does a disk's write cache run out?"""

from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost import catalogue
from pagecost.answers import disk_runs
from pagecost.devices.disk import SECTOR_BYTES, Disk, Shingled
from pagecost.studies.disk import disk_inputs
from pagecost.studies.fields import Choice, Steps
from pagecost.studies.finding import Finding, at, bare, found
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_bytes, format_cell, format_seconds, grouped

PATTERNS = {"random": "random", "sequential": "sequential"}
SERIES = {"none": "no cache", "memory": "cache in memory", "shingled": "shingled, cache on the platter"}
WRITES = 20_000  # to the plain disk, which has long settled by then; the shingled one gets more
ROUNDS = 6  # fillings of the media cache
POINTS = 48
MIB = 1 << 20


def shingled_disks() -> dict[str, str]:
    """Disk id -> name of every disk whose media cache is known."""
    return {
        id: device.name for id, device in catalogue.devices().items() if device.get("media_cache_bytes") is not None
    }


class Inputs(StudyInputs):
    """Which disks are written to, and how."""

    disk: Annotated[str, *disk_inputs.disk("Without a cache, and with one in its memory.", title="Plain disk")] = (
        "wd400bb"
    )
    shingled: Annotated[
        str,
        Choice(shingled_disks, noun="shingled disk"),
        Field(title="Shingled disk", description="Disks whose cache on the platter is known."),
    ] = "seagate-archive-v2-8tb"
    pattern: Annotated[
        str, Choice(lambda: PATTERNS), Field(title="Pattern", description="Where the next write goes.")
    ] = "random"
    request_bytes: Annotated[
        int,
        Steps(disk_inputs.SIZES[3:], "B", format_bytes),
        disk_inputs.WHOLE_SECTORS,
        Field(ge=4096, le=MIB, title="Request size", description="Bytes of one write, a whole number of sectors."),
    ] = 4096
    cache_bytes: Annotated[
        int,
        Steps(tuple(MIB << k for k in range(7)), "B", format_bytes),
        Field(ge=MIB, le=256 * MIB, title="Cache in memory", description="Of the plain disk: held, not yet written."),
    ] = 2 * MIB
    span_bytes: Annotated[
        float,
        Steps((1e9, 1e10, 1e11, 1e12, 8e12), "B", format_bytes),
        Field(ge=1e8, title="Span of the data", description="Part of the shingled disk that writes fall on."),
    ] = 8e12
    band_bytes: Annotated[
        float,
        Steps((1e7, 2e7, 3e7, 4e7, 1e8), "B", format_bytes),
        Field(ge=1e6, le=1e9, title="Band", description="Of shingled tracks, written anew together. Assumed."),
    ] = 3e7
    map_entries: Annotated[
        int,
        Steps((50_000, 100_000, 200_000, 500_000, 1_000_000), "writes", grouped),
        Field(ge=100, le=2_000_000, title="Writes in the map", description="That the cache can tell apart. Assumed."),
    ] = 200_000
    seed: SEED = 1


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """Rows by what is written to and how many bytes have gone before: requests per second in that stretch."""
    device = model_of(inputs)
    rounds = inputs.pattern == "random"
    total = max(WRITES, ROUNDS * device.entries(inputs.request_bytes) if rounds else 0)
    rows = []
    for number, name in enumerate(SERIES, start=1):
        took_s = _shingled(inputs, device, total) if name == "shingled" else _plain(inputs, name == "memory")
        ends = np.unique(np.geomspace(min(64, total), total, POINTS).astype(int))
        clock = np.concatenate([[0.0], np.cumsum(took_s)])
        reached = ends[ends < clock.size]
        rate = np.diff(reached, prepend=0) / np.diff(clock[reached], prepend=0.0)
        settled = (took_s.size - took_s.size // 3) / (clock[-1] - clock[took_s.size // 3])
        rate = np.concatenate([rate, np.full(ends.size - reached.size, settled)])
        rows.append((np.full(ends.size, name), ends * inputs.request_bytes, rate))
        progress(number / len(SERIES), None)
    series, written, rate = (np.concatenate(column) for column in zip(*rows, strict=True))
    columns = {
        "series": Column(series, "text", "what is written to", names_of(inputs)),
        "written_bytes": Column(written, "B", "written before"),
        "iops": Column(rate, "1/s", "writes per second"),
        "throughput_bytes_per_s": Column(rate * inputs.request_bytes, "B/s", "throughput"),
    }
    return Result.of(columns, _notes(inputs))


def model_of(inputs: Inputs) -> Shingled:
    """The shingled disk with the assumed bands and map."""
    device = catalogue.device(inputs.shingled)
    return Shingled.of(device, band_bytes=inputs.band_bytes, map_entries=inputs.map_entries)


def names_of(inputs: Inputs) -> dict[str, str]:
    """Series -> what people call it: the disk and its cache."""
    plain, shingled = (catalogue.device(name).name for name in (inputs.disk, inputs.shingled))
    return {series: f"{shingled if series == 'shingled' else plain}, {title}" for series, title in SERIES.items()}


def explain(inputs: Inputs, result: Result) -> list[str]:
    """When each cache is full, and what is left then."""
    device = model_of(inputs)
    entries = device.entries(inputs.request_bytes)
    plain, shingled = (catalogue.device(name).name for name in (inputs.disk, inputs.shingled))
    last = {series: result["iops"][result.rows(series=series)[-1]] for series in SERIES}
    lines = [
        f"{plain}: {last['none']:.4g} writes/s without a cache; with {format_bytes(inputs.cache_bytes)} it sorts "
        f"{inputs.cache_bytes // inputs.request_bytes} writes and reaches {last['memory']:.4g}/s in the long run.",
        f"{shingled}: to write a band anew takes 2 × {format_bytes(inputs.band_bytes)} / "
        f"{format_bytes(device.media_bytes_per_s)}/s = {format_seconds(device.clean_s)}.",
    ]
    if inputs.pattern == "random":
        bands = max(1, int(min(inputs.span_bytes, device.capacity_bytes) // device.band_bytes))
        room = format_cell(1 + (entries - 1) / bands, "1")
        by_formula = format_cell(device.sustained_rate(inputs.span_bytes, inputs.request_bytes), "1")
        lines.append(
            f"Its cache takes {grouped(entries)} writes ({format_bytes(entries * inputs.request_bytes)}). They fall on "
            f"{grouped(bands)} bands, so that a band brings room for 1 + {grouped(entries)} / {grouped(bands)} = "
            f"{room} writes: {by_formula} writes/s by formula, "
            f"{format_cell(last['shingled'], '1')} simulated."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    ends = {series: result.rows(series=series)[[0, -1]] for series in names_of(inputs)}
    falls = {series: result["iops"][first] / result["iops"][last] for series, (first, last) in ends.items()}
    worst = max(falls, key=lambda series: falls[series])
    first, last = (at(result, "iops", row) for row in ends[worst])
    return found(
        "{pattern} writes on {name} begin at {first} a second and end at {last}, where the caches are full.",
        pattern=inputs.pattern.capitalize(),
        name=names_of(inputs)[worst],
        first=bare(first),
        last=bare(last),
    )


def _shingled(inputs: Inputs, device: Shingled, total: int) -> np.ndarray:
    if inputs.pattern == "sequential":
        return np.full(total, device.sequential_write_s(inputs.request_bytes))
    return device.random_writes_s(inputs.span_bytes, inputs.request_bytes, total, inputs.seed)


def _plain(inputs: Inputs, cached: bool) -> np.ndarray:
    disk, sectors = Disk.of(catalogue.device(inputs.disk)), inputs.request_bytes // SECTOR_BYTES
    cache_bytes = inputs.cache_bytes if cached else 0
    return disk_runs.write_times_s(disk, inputs.pattern, sectors, cache_bytes, WRITES, inputs.seed)


def _notes(inputs: Inputs):
    yield from disk_inputs.notes_of(inputs.disk)
    yield (
        f"{catalogue.device(inputs.shingled).name}: size of the media cache and rates as in the catalogue; bands and "
        "the size of the map are assumed, no maker states them. What a busy host sees: the disk gets no idle time to "
        "clean."
    )
    yield f"The plain disk is simulated for {grouped(WRITES)} writes and then goes on as in their last two thirds."


STUDY = Study(
    name="shingled_disk",
    title="When does a disk's write cache run out?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="Aghayev and Desnoyers, FAST 2015, recalled; write-back cache as in Ruemmler and Wilkes 1994",
    presets={
        "sequential writes": {"pattern": "sequential"},
        "a small span: many writes to a band": {"span_bytes": 1e10},
        "64 KiB a write": {"request_bytes": 65536},
    },
)
