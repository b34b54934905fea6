"""How long does one request take, and how long do the unlucky ones? Distributions with their cliffs."""

from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, field_validator

from pagecost import catalogue
from pagecost.devices import disk
from pagecost.devices.ssd import catalogued
from pagecost.devices.ssd.run import BIN_EDGES_S, PERCENTILES
from pagecost.errors import known, require
from pagecost.studies import disk_inputs
from pagecost.studies.fields import Choices, Steps
from pagecost.studies.ssd_runs import assumption_notes, per_second, random_run, scale_note, ssd_of
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_bytes, format_seconds

LOADS = {"reads": ("random reads", 1.0), "writes": ("random writes", 0.0), "mix": ("half reads, half writes", 0.5)}
"""Load -> (title, share of reads)."""
DEPTHS = tuple(1 << k for k in range(9))
SIZES = tuple(4096 << k for k in range(5))
SCHEDULER = "sptf"  # of a disk's own queue


class Inputs(StudyInputs):
    """Which devices are asked for what."""

    devices: Annotated[
        tuple[str, ...],
        Choices(lambda: {**catalogued(), **disk_inputs.disks()}),
        Field(min_length=1, max_length=6, title="Devices", description="SSDs, and hard disks with an arm that moves."),
    ] = ("mtron-pro-7500", "intel-x25-e", "hgst-7k1000-750gb")
    depth: Annotated[
        int,
        Steps(DEPTHS, "requests", str),
        Field(ge=1, le=256, title="Queue depth", description="Requests that are outstanding at all times."),
    ] = 1
    request_bytes: Annotated[
        int,
        Steps(SIZES, "B", format_bytes),
        Field(ge=4096, le=1 << 20, title="Request size", description="Bytes of one request, a whole number of pages."),
    ] = 4096
    span: Annotated[
        float,
        Steps((0.01, 0.03, 0.1, 0.3, 1.0), "1", lambda share: f"{share:.0%} of the device"),
        Field(gt=0, le=1, title="Span of the data", description="Share of the device that requests fall on."),
    ] = 1.0
    requests: Annotated[
        int,
        Steps((2000, 5000, 10_000, 20_000, 50_000), "requests", lambda n: f"{n:,}".replace(",", " ")),
        Field(ge=500, le=2_000_000, title="Requests per run", description="Of each device and load."),
    ] = 20_000
    seed: Annotated[
        int,
        Steps(tuple(range(1, 11)), "1", str),
        Field(ge=0, le=2**31, title="Seed", description="Another seed draws other requests."),
    ] = 1

    @field_validator("devices")
    @classmethod
    def _known_devices(cls, names):
        for name in names:
            known("device with a queue", name, {**catalogued(), **disk_inputs.disks()})
        require(len(set(names)) == len(names), f"a device is named twice in {', '.join(names)}")
        return names


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
            ssd_of(device),
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
    session.serve(lbn[:warm_up], sectors, write[:warm_up])
    run = session.serve(lbn[warm_up:], sectors, write[warm_up:])
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
    return Result(columns, tuple(notes))


def _notes(inputs: Inputs):
    for name in inputs.devices:
        if name in catalogued():
            yield scale_note(ssd_of(name), name)
            yield from assumption_notes(ssd_of(name), name)
        else:
            yield from (f"{name}: {note}." for note in disk.Disk.of(catalogue.device(name)).notes)
    yield (
        f"{inputs.requests} requests per device and load, {inputs.depth} outstanding; SSDs are steady, disks serve the "
        "nearest first when they have a choice. No write cache anywhere: with one, most writes would look fast and a "
        "few would pay."
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
