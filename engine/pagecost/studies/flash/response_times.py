"""How long does one request take, and how long do the unlucky ones? Distributions with their cliffs."""

from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, field_validator

from pagecost import catalogue
from pagecost.devices import disk
from pagecost.devices.ssd import catalogued
from pagecost.devices.ssd.run import BIN_EDGES_S, PERCENTILES
from pagecost.studies.disk import disk_inputs
from pagecost.studies.fields import Choices, Steps
from pagecost.studies.flash.ssd_runs import (
    AS_CATALOGUED,
    DEPTH,
    REQUEST_BYTES,
    WRITE_CACHE,
    assumption_notes,
    cache_changes,
    cache_note,
    random_run,
    scale_note,
    ssd_of,
)
from pagecost.studies.shared_fields import SEED, all_known, grouped, per_second
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_seconds

LOADS = {"reads": ("random reads", 1.0), "writes": ("random writes", 0.0), "mix": ("half reads, half writes", 0.5)}
"""Load -> (title, share of reads)."""
SCHEDULER = "sptf"  # of a disk's own queue


class Inputs(StudyInputs):
    """Which devices are asked for what."""

    devices: Annotated[
        tuple[str, ...],
        Choices(lambda: {**catalogued(), **disk_inputs.disks()}),
        Field(min_length=1, max_length=6, title="Devices", description="SSDs, and hard disks with an arm that moves."),
    ] = ("mtron-pro-7500", "intel-x25-e", "hgst-7k1000-750gb")
    depth: DEPTH = 1
    request_bytes: REQUEST_BYTES = 4096
    span: Annotated[
        float,
        Steps((0.01, 0.03, 0.1, 0.3, 1.0), "1", lambda share: f"{share:.0%} of the device"),
        Field(gt=0, le=1, title="Span of the data", description="Share of the device that requests fall on."),
    ] = 1.0
    requests: Annotated[
        int,
        Steps((2000, 5000, 10_000, 20_000, 50_000), "requests", grouped),
        Field(ge=500, le=2_000_000, title="Requests per run", description="Of each device and load."),
    ] = 20_000
    write_cache: WRITE_CACHE = AS_CATALOGUED
    seed: SEED = 1

    @field_validator("devices")
    @classmethod
    def _known_devices(cls, names):
        return all_known("device with a queue", names, {**catalogued(), **disk_inputs.disks()}, "device")


class Times(NamedTuple):
    """What a run leaves: response times [s] and requests per second."""

    response_s: np.ndarray
    iops: float


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device, load and bin of the response time, with the figures of the whole distribution beside it."""
    found: dict[tuple[str, str], Times] = {}
    for done, device in enumerate(inputs.devices, start=1):
        for load, (_, read_share) in LOADS.items():
            found[device, load] = _times(inputs, device, read_share)
        progress(done / len(inputs.devices), _result(found))
    return _result(found, _notes(inputs))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For every device and load the mean, the spread and the percentiles, and what they come from."""
    lines = []
    for row in whole_rows(result):
        figures = ", ".join(f"{name} {format_seconds(result[f'{name}_s'][row])}" for name in PERCENTILES)
        lines.append(
            f"{name_of(result['device'][row])}, {LOADS[result['load'][row]][0]}: mean "
            f"{format_seconds(result['mean_s'][row])} = {inputs.depth} / {per_second(result['iops'][row])} per second "
            f"(Little); {figures}; coefficient of variation {result['variation'][row]:.2f}."
        )
    return lines


def whole_rows(result: Result) -> np.ndarray:
    """The first row of every device and load."""
    return result.rows(bin=0)


def name_of(device: str) -> str:
    """The device as a legend calls it."""
    return catalogue.device(device).name


def _times(inputs: Inputs, device: str, read_share: float) -> Times:
    if device in catalogued():
        run = random_run(
            ssd_of(device, **cache_changes(inputs.write_cache)),
            "steady",
            inputs.depth,
            read_share,
            inputs.request_bytes,
            inputs.requests,
            inputs.seed,
            inputs.span,
        )
        return Times(run.response_s, run.iops)
    model = disk.Disk.of(catalogue.device(device))
    sectors = inputs.request_bytes // disk.SECTOR_BYTES
    places = max(1, int(model.geometry.sectors * inputs.span) // sectors)
    random = np.random.default_rng([inputs.seed, 41])
    warm_up = 4 * inputs.depth
    lbn = random.integers(0, places, inputs.requests + warm_up) * sectors
    write = random.random(lbn.size) >= read_share
    session = disk.Session(model, SCHEDULER if inputs.depth > 1 else "fcfs", inputs.depth)
    session.serve(lbn[:warm_up], sectors, write[:warm_up], last=False)
    run = session.serve(lbn[warm_up:], sectors, write[warm_up:], last=False)
    return Times(run.response_s, run.throughput)


def _result(found: dict, notes=()) -> Result:
    bins = BIN_EDGES_S.size
    shares, figures = [], []
    for times in found.values():
        ordered = np.sort(times.response_s)
        shares.append(np.searchsorted(ordered, BIN_EDGES_S, side="right") / ordered.size)
        percentiles = [float(np.quantile(ordered, share, method="inverted_cdf")) for share in PERCENTILES.values()]
        mean = float(ordered.mean())
        figures.append((times.iops, mean, float(ordered.std() / mean), *percentiles))
    table = np.repeat(np.array(figures), bins, axis=0)
    labels = np.repeat(np.array(list(found)), bins, axis=0)
    share = np.concatenate(shares)
    first = np.tile(np.arange(bins), len(found))
    columns = {
        "device": Column(labels[:, 0], "text", "device"),
        "load": Column(labels[:, 1], "text", "load"),
        "bin": Column(first, "1", "number of the bin"),
        "response_s": Column(np.tile(BIN_EDGES_S, len(found)), "s", "response time"),
        "share": Column(share, "1", "share of the requests within it"),
        "iops": Column(table[:, 0], "1/s", "requests per second"),
        "mean_s": Column(table[:, 1], "s", "mean response"),
        "variation": Column(table[:, 2], "1", "coefficient of variation"),
    }
    for number, name in enumerate(PERCENTILES):
        columns[f"{name}_s"] = Column(table[:, 3 + number], "s", f"{PERCENTILES[name]:.1%} within")
    return Result.of(columns, notes)


def _notes(inputs: Inputs):
    ssds = {name: ssd_of(name, **cache_changes(inputs.write_cache)) for name in inputs.devices if name in catalogued()}
    for name in inputs.devices:
        if name in ssds:
            yield scale_note(ssds[name], name)
            yield from assumption_notes(ssds[name], name)
        else:
            yield from (f"{name}: {note}." for note in disk.Disk.of(catalogue.device(name)).notes)
    yield (
        f"{inputs.requests} requests per device and load, {inputs.depth} outstanding; SSDs are steady, disks serve the "
        f"nearest first when they have a choice and write no cache. {cache_note(ssds.values())}"
    )


STUDY = Study(
    name="response_times",
    title="How long does one request take, and how long do the unlucky ones?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
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
