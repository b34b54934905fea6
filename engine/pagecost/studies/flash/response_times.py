"""How long does one request take, and how long do the unlucky ones? Distributions with their cliffs."""

from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from pagecost import catalogue
from pagecost.answers import disk_runs, ssd_runs
from pagecost.answers.service_samples import LACKS
from pagecost.devices import disk
from pagecost.devices.ssd import WITHIN, Ssd, catalogued
from pagecost.devices.ssd.run import BIN_EDGES_S, PERCENTILES
from pagecost.intervals import mean_and_half_width
from pagecost.studies import finding
from pagecost.studies.fields import Choices, OfSystem, Steps
from pagecost.studies.finding import Finding, at
from pagecost.studies.flash.flash_fields import (
    AS_CATALOGUED,
    DEPTH,
    INTERVAL,
    REQUEST_BYTES,
    WRITE_CACHE,
    cache_changes,
    names_of,
    rate_text,
)
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_seconds

LOADS = {"reads": ("random reads", 1.0), "writes": ("random writes", 0.0), "mix": ("half reads, half writes", 0.5)}
"""Load -> (title, share of reads)."""
SCHEDULER = "sptf"  # of a disk's own queue
DISK_BATCHES = (2000, 4000, 8000, 16_000, 32_000)  # requests


class Inputs(StudyInputs):
    """Which devices are asked for what."""

    devices: Annotated[
        tuple[str, ...],
        Choices(lambda: {**catalogued(), **disk_runs.disks()}, most=6, noun="device with a queue", lacks=LACKS),
        OfSystem("devices.database.device"),
        Field(min_length=1, title="Devices", description="SSDs, and hard disks with an arm that moves."),
    ] = ("mtron-pro-7500", "intel-x25-e", "hgst-7k1000-750gb")
    depth: DEPTH = 1
    request_bytes: REQUEST_BYTES = 4096
    span: Annotated[
        float,
        Steps((0.01, 0.03, 0.1, 0.3, 1.0), "1", lambda share: f"{share:.0%} of the device"),
        Field(gt=0, le=1, title="Span of the data", description="Share of the device that requests fall on."),
    ] = 1.0
    interval: INTERVAL = WITHIN
    write_cache: WRITE_CACHE = AS_CATALOGUED
    seed: SEED = 1


class Times(NamedTuple):
    """What a run leaves: latencies [s] by their names, requests per second ± half_width, and their distribution."""

    latencies_s: dict[str, float]
    iops: float
    half_width: float
    variation: float
    share_within: np.ndarray
    steady: bool
    sentence: str


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device and load; table "distribution": the share of requests that are done within each time."""
    found: dict[tuple[str, str], Times] = {}
    for done, device in enumerate(inputs.devices, start=1):
        for load, (_, read_share) in LOADS.items():
            found[device, load] = _times(inputs, device, read_share)
        progress(done / len(inputs.devices), partial(_result, found.copy()))
    return _result(found, _notes(inputs, found))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For every device and load the mean, the spread and the percentiles, and what they come from."""
    lines = []
    for row in range(len(result)):
        figures = ", ".join(f"{name} {format_seconds(result[f'{name}_s'][row])}" for name in PERCENTILES)
        lines.append(
            f"{result.cell('device', row)}, {result.cell('load', row)}: mean {format_seconds(result['mean_s'][row])} = "
            f"{inputs.depth} / {rate_text(result, row)} per second "
            f"(Little); {figures}; coefficient of variation {result['variation'][row]:.2f}."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    loads = [row for row in range(len(result)) if result["load"][row] != "mix"]
    tails = result["p99_s"][loads] / result["p50_s"][loads]
    worst = loads[int(np.nanargmax(tails))]
    slow, usual = at(result, "p99_s", worst), at(result, "p50_s", worst)
    return finding.found(
        "{load} on {device} have the longest tail: half of them within {usual}, 99 % within {slow}, {times} as long.",
        load=result.cell("load", worst),
        device=result.cell("device", worst),
        usual=usual,
        slow=slow,
        times=finding.times(slow, usual),
    )


def _times(inputs: Inputs, device: str, read_share: float) -> Times:
    if device not in catalogued():
        return _of_disk(inputs, device, read_share)
    run = ssd_runs.measured(
        _ssd(inputs, device),
        ssd_runs.Load(
            depth=inputs.depth,
            read_share=read_share,
            request_bytes=inputs.request_bytes,
            span_share=inputs.span,
            within=inputs.interval,
            seed=inputs.seed,
        ),
    )
    half_width = run.half_width * run.iops
    return Times(run.latencies_s[None], run.iops, half_width, run.variation, run.share_within, run.steady, run.sentence)


def _ssd(inputs: Inputs, device: str) -> Ssd:
    return ssd_runs.ssd_of(catalogue.device(device), **cache_changes(inputs.write_cache))


def _of_disk(inputs: Inputs, device: str, read_share: float) -> Times:
    """Ten batches, twice as long until the rate is known; what came before warms up."""
    model = disk.Disk.of(catalogue.device(device))
    sectors = inputs.request_bytes // disk.SECTOR_BYTES
    places = max(1, int(model.geometry.sectors * inputs.span) // sectors)
    random = np.random.default_rng([inputs.seed, 41])
    session = disk.Session(model, SCHEDULER if inputs.depth > 1 else "fcfs", inputs.depth)

    def serve(count: int):
        lbn, write = random.integers(0, places, count) * sectors, random.random(count) >= read_share
        return session.serve(lbn, sectors, write, last=False)

    serve(4 * inputs.depth)
    for batch in DISK_BATCHES:
        parts = [serve(batch) for _ in range(10)]
        iops, half_width = mean_and_half_width([part.throughput for part in parts])
        if half_width <= inputs.interval * iops:
            break
    response_s = np.sort(np.concatenate([part.response_s for part in parts]))
    mean_s = float(response_s.mean())
    percentiles = {
        name: float(np.quantile(response_s, share, method="inverted_cdf")) for name, share in PERCENTILES.items()
    }
    return Times(
        {"mean": mean_s, **percentiles},
        iops,
        half_width,
        float(response_s.std() / mean_s),
        np.searchsorted(response_s, BIN_EDGES_S, side="right") / response_s.size,
        half_width <= inputs.interval * iops,
        f"± {half_width / iops:.1%} at 95 % confidence, {response_s.size} requests.",
    )


def _result(found: dict[tuple[str, str], Times], notes=()) -> Result:
    devices, loads = (np.array(names) for names in zip(*found, strict=True))
    device_names, load_names = names_of(set(devices.tolist())), {load: title for load, (title, _) in LOADS.items()}

    def figures(values, unit: str, label: str) -> Column:
        return Column(np.array(list(values)), unit, label)

    times = found.values()
    columns = {
        "device": Column(devices, "text", "device", device_names),
        "load": Column(loads, "text", "load", load_names),
        "iops": figures((one.iops for one in times), "1/s", "requests per second"),
        "half_width": figures((one.half_width for one in times), "1/s", "± at 95 % confidence"),
        "mean_s": figures((one.latencies_s["mean"] for one in times), "s", "mean response"),
        "variation": figures((one.variation for one in times), "1", "coefficient of variation"),
    }
    for name, share in PERCENTILES.items():
        columns[f"{name}_s"] = figures((one.latencies_s[name] for one in times), "s", f"{100 * share:g} % within")
    columns["steady"] = figures((one.steady for one in times), "1", "steady")
    bins = BIN_EDGES_S.size
    distribution = {
        "device": Column(np.repeat(devices, bins), "text", "device", device_names),
        "load": Column(np.repeat(loads, bins), "text", "load", load_names),
        "response_s": Column(np.tile(BIN_EDGES_S, len(found)), "s", "response time"),
        "share": Column(np.concatenate([one.share_within for one in times]), "1", "share of the requests within it"),
    }
    return Result.of(columns, notes, more={"distribution": distribution})


def _notes(inputs: Inputs, found: dict[tuple[str, str], Times]):
    ssds = {name: _ssd(inputs, name) for name in inputs.devices if name in catalogued()}
    for name in inputs.devices:
        device = catalogue.device(name)
        if name in ssds:
            yield ssd_runs.scale_note(ssds[name], device)
            yield from ssd_runs.assumption_notes(ssds[name], device)
        else:
            yield from (f"{device.name}: {note}." for note in disk.Disk.of(device).notes)
    for (name, load), times in found.items():
        if not times.steady:
            yield f"{catalogue.device(name).name}, {LOADS[load][0]}: {times.sentence}"
    yield (
        f"Queue depth {inputs.depth}; each run is as long as it takes to know its rate to "
        f"± {100 * inputs.interval:g} %. SSDs are steady, disks serve the nearest first when they have a choice and "
        f"write no cache. {ssd_runs.cache_note(ssds.values())}"
    )


STUDY = Study(
    name="response_times",
    title="How long does one request take, and how long do the unlucky ones?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="wang2011 Fig. 4; lee2009 slides 9 and 10",
    presets={
        "30 requests at once": {"depth": 30},
        "Lee 2009: 8 KiB on an SSD and a 15 000 rpm disk": {
            "devices": ("indilinx-barefoot-ssd", "cheetah-15k5"),
            "request_bytes": 8192,
        },
        "flash only: 2008 to 2014": {"devices": ("mtron-pro-7500", "intel-x25-e", "intel-dc-p3700-800gb")},
        "a tenth of the device": {"span": 0.1},
    },
)
