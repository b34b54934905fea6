"""How long is a QLC drive fast? The write rate over the bytes written, and what an idle hour gives back."""

from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost import catalogue
from pagecost.devices import ftl
from pagecost.devices.ftl.slc_cache import SLOW
from pagecost.studies.fields import Choice, From, OfSystem, Steps
from pagecost.studies.finding import Finding, at, found
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_seconds, format_si

NEEDED = ("sequential_write_bytes_per_s", "after_cache_write_bytes_per_s")
SOURCE = "intel-660p-reviews"


def drives() -> dict[str, str]:
    """The devices whose two write rates are known, id -> name."""
    return {
        name: device.name
        for name, device in catalogue.devices().items()
        if all(parameter in device.parameters for parameter in NEEDED)
    }


def _size(size: float) -> str:
    return format_si(size, "B")


class Inputs(StudyInputs):
    """A drive with an SLC cache, and the bursts that it has to take."""

    device: Annotated[
        str,
        Choice(drives, noun="drive with a known SLC cache"),
        OfSystem("devices.database.device"),
        Field(title="Drive", description="Drives of the catalogue whose rates into and past the cache are known."),
    ] = "intel-660p-1tb"
    cache_bytes: Annotated[
        float,
        Steps((0, 6e9, 24e9, 76e9, 280e9), "B", _size),
        From(SOURCE),
        Field(ge=0, le=1e13, title="Cache of an empty drive", description="Flash written with one bit a cell."),
    ] = 76e9
    fixed_bytes: Annotated[
        float,
        Steps((0, 6e9, 24e9), "B", _size),
        From(SOURCE),
        Field(ge=0, le=1e13, title="Fixed part", description="What is left of the cache when the drive is full."),
    ] = 6e9
    filled: Annotated[
        float,
        Steps((0, 0.25, 0.5, 0.75, 0.9, 1.0), "1", lambda share: f"{share:.0%} full"),
        Field(ge=0, le=1, title="Drive", description="The cache borrows free cells: a full drive has few to lend."),
    ] = 0.0
    burst_bytes: Annotated[
        float,
        Steps((10e9, 20e9, 50e9, 100e9, 150e9, 200e9, 500e9), "B", _size),
        Field(gt=0, le=1e14, title="Burst", description="Bytes that the host writes without a pause."),
    ] = 100e9
    bursts: Annotated[
        int,
        Steps((1, 2, 3, 4, 6, 8), "1", str),
        Field(ge=1, le=100, title="Bursts", description="How many bursts of that size."),
    ] = 3
    idle_s: Annotated[
        float,
        Steps((0, 60, 300, 600, 1800, 3600), "s", format_seconds),
        Field(ge=0, le=1e6, title="Idle after a burst", description="Time in which the drive empties its cache."),
    ] = 300.0


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per phase: into the cache, past the full cache, idle. burst_rate: mean rate of the phase's burst."""
    phases = model(inputs).serve(inputs.burst_bytes, inputs.bursts, inputs.idle_s)
    lasts_s = phases["to_s"] - phases["from_s"]
    written = phases["to_bytes"] - phases["from_bytes"]
    writing_s = np.bincount(phases["burst"], lasts_s * (written > 0))
    columns = {
        "burst": Column(phases["burst"], "1", "burst"),
        "phase": Column(phases["phase"], "text", "phase"),
        "from_s": Column(phases["from_s"], "s", "from"),
        "to_s": Column(phases["to_s"], "s", "to"),
        "from_bytes": Column(phases["from_bytes"], "B", "written before"),
        "to_bytes": Column(phases["to_bytes"], "B", "written after"),
        "rate": Column(phases["rate"], "B/s", "write rate"),
        "burst_rate": Column(inputs.burst_bytes / writing_s[phases["burst"]], "B/s", "mean write rate of the burst"),
        "from_cached": Column(phases["from_cached"], "B", "in the cache before"),
        "to_cached": Column(phases["to_cached"], "B", "in the cache after"),
    }
    return Result.of(columns, _notes(inputs))


def model(inputs: Inputs) -> ftl.SlcCache:
    """The drive of the inputs. Folding is taken to be as fast as writing past the cache."""
    fast, slow = (catalogue.device(inputs.device).value(name) for name in NEEDED)
    borrowed = max(0.0, inputs.cache_bytes - inputs.fixed_bytes) * (1 - inputs.filled)
    fixed = min(inputs.fixed_bytes, inputs.cache_bytes)
    return ftl.SlcCache(
        cache_bytes=fixed + borrowed, fast_bytes_per_s=fast, slow_bytes_per_s=slow, fold_bytes_per_s=slow
    )


def explain(inputs: Inputs, result: Result) -> list[str]:
    """The cache that is left, and the time of each burst as the sum of its two phases."""
    drive = model(inputs)
    lines = [
        f"Cache: {_size(min(inputs.fixed_bytes, inputs.cache_bytes))} fixed + (1 - {inputs.filled:g}) of what is "
        f"borrowed = {_size(drive.cache_bytes)}."
    ]
    for burst in range(1, inputs.bursts + 1):
        rows = [row for row in result.rows(burst=burst) if result["rate"][row] > 0]
        terms = " + ".join(
            f"{_size(result['to_bytes'][row] - result['from_bytes'][row])} / "
            f"{_size(result['rate'][row])}/s {result['phase'][row]}"
            for row in rows
        )
        took_s = sum(result["to_s"][row] - result["from_s"][row] for row in rows)
        lines.append(
            f"Burst {burst}: {terms} = {format_seconds(took_s)}, {_size(result['burst_rate'][rows[0]])}/s on average."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    cliff, last = cliff_bytes(result), at(result, "burst_rate", len(result) - 1)
    bursts = f"Bursts of {format_si(inputs.burst_bytes, 'B')}, {format_seconds(inputs.idle_s)} idle after each"
    if np.isnan(cliff):
        return found(f"{bursts}: the cache takes them all, at {{last}}.", last=last)
    return found(
        f"{bursts}: after {{cliff}} the cache is full; the first burst is written at {{first}}, the last at {{last}}.",
        cliff=Fact(cliff, "B", "written until the cache is full"),
        first=at(result, "burst_rate", 0),
        last=last,
    )


def cliff_bytes(result: Result) -> float:
    """Host bytes written when the rate first falls; nan if it never does."""
    rows = result.rows(phase=SLOW)
    return float(result["from_bytes"][rows[0]]) if rows.size else float("nan")


def _notes(inputs: Inputs):
    yield (
        "Known of this drive: the two rates, and that the cache of its family is 6 to 24 GB fixed and up to 76 to "
        "280 GB when empty. That the borrowed part shrinks in proportion to the free space, and that folding runs as "
        "fast as writing past the cache, are assumptions."
    )
    yield "Overwrites of what is still in the cache would save folding; here every byte is folded."


STUDY = Study(
    name="slc_cache",
    title="How long is a QLC drive fast? Write rate over the bytes written",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="reviews of the Intel 660p, 2018",
    presets={
        "the same drive, nine tenths full": {"filled": 0.9},
        "small bursts that fit": {"burst_bytes": 20e9, "bursts": 6},
        "no time to fold": {"idle_s": 0.0},
        "an hour between bursts": {"idle_s": 3600.0},
    },
)
