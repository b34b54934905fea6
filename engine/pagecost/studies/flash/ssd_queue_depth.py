"""How much does an SSD gain from many requests at once, and what does it do to the slowest ones?"""

from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost import catalogue
from pagecost.answers import ssd_runs
from pagecost.devices.ssd import ORDERS, TERMS, WITHIN, Ssd, catalogued, theory
from pagecost.errors import require
from pagecost.studies import finding
from pagecost.studies.fields import Choice, Choices, OfSystem, Steps
from pagecost.studies.finding import Finding, bare, compared
from pagecost.studies.flash.flash_fields import (
    AS_CATALOGUED,
    DEPTHS,
    INTERVAL,
    REQUEST_BYTES,
    WRITE_CACHE,
    cache_changes,
    rate_text,
)
from pagecost.studies.shared_fields import SEED, per_second
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.workers import side_by_side
from pagecost.units import format_bytes, format_seconds

ROUNDING_S = 1e-13  # a mean wait below that is what sums of times differ by
LOADS = {
    "reads": ("random reads", "steady", 1.0),
    "writes fresh": ("random writes, fresh", "fresh", 0.0),
    "writes steady": ("random writes, steady", "steady", 0.0),
    "mix fresh": ("half reads, fresh", "fresh", 0.5),
    "mix steady": ("half reads, steady", "steady", 0.5),
}
"""Load -> (title, state of the device, share of reads)."""


class Inputs(StudyInputs):
    """Which SSD is asked for what."""

    device: Annotated[
        str,
        Choice(catalogued, such=lambda name: ssd_runs.ssd_of(catalogue.device(name)), noun="SSD"),
        OfSystem("devices.database.device"),
        Field(title="SSD", description="SSDs of the catalogue whose chips and channels are known or assumed."),
    ] = "intel-x25-e"
    loads: Annotated[
        tuple[str, ...],
        Choices(lambda: {name: title for name, (title, _, _) in LOADS.items()}),
        Field(min_length=1, title="Loads", description="Random requests; steady: collections are under way."),
    ] = ("reads", "writes fresh", "writes steady", "mix steady")
    depths: Annotated[
        tuple[int, ...],
        Choices(
            lambda: {depth: str(depth) for depth in DEPTHS},
            most=len(DEPTHS),
            unit="requests",
            such=lambda depth: require(1 <= depth <= 256, f"a queue depth must be 1..256; got {depth}"),
            noun="queue depth",
        ),
        Field(min_length=1, title="Queue depths", description="Requests that are outstanding at all times."),
    ] = DEPTHS
    request_bytes: REQUEST_BYTES = 4096
    order: Annotated[
        str,
        Choice(lambda: {AS_CATALOGUED: "as the drive does", **ORDERS}),
        Field(title="Order on a die", description="What a read does behind a collection."),
    ] = AS_CATALOGUED
    write_cache: WRITE_CACHE = AS_CATALOGUED
    interval: INTERVAL = WITHIN
    detail_depth: Annotated[
        int,
        Steps(DEPTHS, "requests", str),
        Field(ge=1, le=256, title="Queue depth in detail", description="The depth whose response is split into terms."),
    ] = 32
    seed: SEED = 1

    @property
    def all_depths(self) -> tuple[int, ...]:
        """The depths with the one in detail among them, rising."""
        return tuple(sorted({*self.depths, self.detail_depth}))

    @property
    def ssd_name(self) -> str:
        """The drive as people call it."""
        return catalogue.device(self.device).name

    @property
    def ssd(self) -> Ssd:
        """The drive, scaled down, with the order of work that was asked for."""
        order = {} if self.order == AS_CATALOGUED else {"order": self.order}
        return ssd_runs.ssd_of(catalogue.device(self.device), **order, **cache_changes(self.write_cache))


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per load and queue depth: rate, response times, utilisations, energy, and the terms of a response."""
    ssd = inputs.ssd
    wanted = [(load, depth) for depth in inputs.all_depths for load in inputs.loads]
    found: dict[tuple[str, int], ssd_runs.Measured] = {}
    for cell, run in side_by_side(lambda cell: ssd_runs.measured(ssd, _load(inputs, *cell)), wanted):
        found[cell] = run
        if len(found) % len(inputs.loads) == 0:
            progress(len(found) / len(wanted), partial(_result, inputs, found.copy()))
    return _result(inputs, found, _notes(inputs, ssd, found))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The peak rates, and for the depth in detail how each response comes about."""
    ssd, size = inputs.ssd, inputs.request_bytes
    lines = []
    groups = ssd.channels // ssd.lockstep
    dies = f"{ssd.dies // groups} {'dies' if ssd.dies > groups else 'die'}"
    page, transfer = format_bytes(ssd.page_bytes), format_seconds(ssd.page_bytes / ssd.bus_bytes_per_s)
    for write, name, array_s in ((False, "Reads", ssd.chip.read_s), (True, "Writes", ssd.chip.program_s)):
        lines.append(
            f"{name}: {groups} channel{'s' * (groups > 1)} · min(bus {format_bytes(ssd.bus_bytes_per_s)}/s, "
            f"{dies} · {page} / ({format_seconds(array_s)} + {transfer})) = "
            f"{format_bytes(theory.flash_bytes_per_s(ssd, write=write))}/s; over the host interface at most "
            f"{format_bytes(size / max(ssd.interface_s(size), 1e-12))}/s."
        )
    depth = inputs.detail_depth
    for row in detail_rows(inputs, result):
        parts = " + ".join(
            f"{TERMS[name]} {format_seconds(result[name][row])}" for name in TERMS if result[name][row] > ROUNDING_S
        )
        rate = result["iops"][row]
        lines.append(
            f"{result.cell('load', row)} at depth {depth}: {parts} = {format_seconds(result['mean_s'][row])}; "
            f"{rate_text(result, row)} requests/s, and by Little's law each takes {depth} / {per_second(rate)} = "
            f"{format_seconds(depth / rate)}."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        detail_rows(inputs, result),
        "iops",
        finding.cells(result, "load"),
        several="With {depth} requests outstanding {ssd} carries {high} requests per second as {most}, and "
        "{low} as {least}: "
        "{times} fewer.",
        one="With {depth} requests outstanding {ssd} carries {high} requests per second as {most}.",
        none="Nothing is known of {depth} requests outstanding.",
        show=bare,
        depth=str(inputs.detail_depth),
        ssd=inputs.ssd_name,
    )


def detail_rows(inputs: Inputs, result: Result) -> np.ndarray:
    """The rows of the depth in detail, one per load."""
    return result.rows(depth=inputs.detail_depth)


def _load(inputs: Inputs, load: str, depth: int) -> ssd_runs.Load:
    _, state, read_share = LOADS[load]
    return ssd_runs.Load(
        depth=depth,
        read_share=read_share,
        request_bytes=inputs.request_bytes,
        state=state,
        within=inputs.interval,
        seed=inputs.seed,
    )


def _result(inputs: Inputs, found: dict[tuple[str, int], ssd_runs.Measured], notes=()) -> Result:
    cells = [(load, depth) for load in inputs.loads for depth in inputs.all_depths if (load, depth) in found]
    runs = [found[cell] for cell in cells]
    times = [run.latencies_s[None] for run in runs]
    busy = [run.utilisation for run in runs]
    reads = np.array([LOADS[load][2] for load, _ in cells])
    titles = {load: title for load, (title, _, _) in LOADS.items()}

    def column(values, unit, label):
        return Column(np.array(values), unit, label)

    columns = {
        "load": Column(np.array([load for load, _ in cells]), "text", "load", titles),
        "depth": column([depth for _, depth in cells], "1", "queue depth"),
        "read_share": Column(reads, "1", "share of reads"),
        "iops": column([run.iops for run in runs], "1/s", "requests per second"),
        "half_width": column([run.iops * run.half_width for run in runs], "1/s", "± at 95 % confidence"),
        "throughput_bytes_per_s": column([run.throughput_bytes_per_s for run in runs], "B/s", "throughput"),
        "mean_s": column([one["mean"] for one in times], "s", "mean response"),
        "p50_s": column([one["p50"] for one in times], "s", "median response"),
        "p95_s": column([one["p95"] for one in times], "s", "95 % within"),
        "p99_s": column([one["p99"] for one in times], "s", "99 % within"),
        "p999_s": column([one["p999"] for one in times], "s", "99.9 % within"),
        "write_amplification": column([run.write_amplification for run in runs], "1", "programs per host page"),
        "die_utilisation": column([one["die"] for one in busy], "1", "utilisation of the dies"),
        "channel_utilisation": column([one["channel"] for one in busy], "1", "utilisation of the channels"),
        "interface_utilisation": column([one["interface"] for one in busy], "1", "utilisation of the host interface"),
        "energy_j": column([sum(run.energy_j.values()) / run.requests for run in runs], "J", "chip energy per request"),
    }
    for name, label in TERMS.items():
        columns[name] = column([run.terms_s[None][name] for run in runs], "s", label)
    columns["steady"] = column([run.steady for run in runs], "1", "steady")
    return Result.of(columns, notes)


def _notes(inputs: Inputs, ssd: Ssd, found: dict[tuple[str, int], ssd_runs.Measured]):
    device = catalogue.device(inputs.device)
    yield ssd_runs.scale_note(ssd, device)
    yield from ssd_runs.assumption_notes(ssd, device)
    yield (
        f"Random requests, as many as it takes to know each rate to ± {100 * inputs.interval:g} %; a run on a fresh "
        "device ends before it has to collect. A closed queue: one request arrives when another leaves. "
        f"{ssd_runs.cache_note([ssd])}"
    )
    for (load, depth), run in found.items():
        if not run.steady and LOADS[load][1] == "steady":
            yield f"{LOADS[load][0].capitalize()} at depth {depth}: {run.sentence}"


STUDY = Study(
    name="ssd_queue_depth",
    title="How much does an SSD gain from many requests at once?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="wang2011 Fig. 3; fernando2011 §2.1.3",
    presets={
        "a drive with log blocks (2008)": {"device": "mtron-pro-7500"},
        "an NVMe drive (2014)": {"device": "intel-dc-p3700-800gb"},
        "reads go first": {"order": "reads first"},
        "an NVMe drive without its write cache": {"device": "intel-dc-p3700-800gb", "write_cache": "none"},
        "reads suspend erases": {"order": "suspend", "loads": ("reads", "mix fresh", "mix steady")},
        "requests of 64 KiB": {"request_bytes": 65_536},
    },
)
