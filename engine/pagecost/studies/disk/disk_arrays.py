"""What do more disks gain, and what does parity cost?"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from pagecost import catalogue
from pagecost.answers import disk_runs
from pagecost.answers.disk_runs import REPLICATIONS, Mean, disks
from pagecost.devices.disk import SECTOR_BYTES, Array, Disk, open_wait_s
from pagecost.devices.disk.arrays import LEAST
from pagecost.studies.disk import disk_inputs
from pagecost.studies.fields import Choices, OfSystem, Steps
from pagecost.studies.finding import Finding, bare, cells, compared
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, formulas_first, no_progress
from pagecost.units import format_bytes, format_cell, format_seconds, grouped

LEVELS = {"raid-0": 0, "raid-1": 1, "raid-10": 10, "raid-5": 5}
TITLES = {
    "raid-0": "RAID-0 (striped)",
    "raid-1": "RAID-1 (all mirrored)",
    "raid-10": "RAID-10 (mirrored pairs)",
    "raid-5": "RAID-5 (parity)",
}
FORMULA, SIMULATED = "formula", "simulated"
WAYS = {FORMULA: "by formula", SIMULATED: "simulated"}
DISKS = (2, 3, 4, 6, 8, 12, 16)
FULL = 0.95  # of its members' time: beyond, an open queue has no response time worth showing


class Inputs(StudyInputs):
    """Which array of which disks is asked for what."""

    disk: Annotated[str, *disk_inputs.disk("Members are equal: a disk of which enough is known.")] = "wd400bb"
    levels: Annotated[
        tuple[str, ...],
        Choices(lambda: TITLES, most=4),
        OfSystem("devices.database.level", words=(("raid-1", "raid-10"),)),
        Field(
            min_length=1,
            title="Levels",
            description="How the array spreads its data. What is raid-1 in a system are mirrored pairs: RAID-10 here.",
        ),
    ] = ("raid-0", "raid-1", "raid-5")
    write_share: Annotated[
        float,
        Steps(disk_inputs.SHARES, "1", lambda share: f"{share:.0%}"),
        OfSystem("load.write_share"),
        Field(ge=0, le=1, title="Share of writes", description="Of the requests to the array."),
    ] = 0.33
    requests_per_s: Annotated[
        float,
        Steps((20.0, 40.0, 60.0, 80.0, 100.0, 150.0, 200.0), "1/s", lambda rate: f"{format_cell(rate, '1')}/s"),
        Field(gt=0, le=10_000, title="Requests per second", description="To the array, at random times (Poisson)."),
    ] = 100.0
    request_bytes: Annotated[
        int,
        Steps(disk_inputs.SIZES[:8], "B", format_bytes),
        disk_inputs.WHOLE_SECTORS,
        Field(ge=512, le=65536, title="Request size", description="Small: within one striping unit of 64 KiB."),
    ] = 4096
    requests: Annotated[
        int,
        Steps((500, 1000, 2000, 5000), "requests", grouped),
        Field(ge=200, le=100_000, title="Requests per run", description=f"Of each of {REPLICATIONS} runs."),
    ] = 1000
    seed: SEED = 1


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per level and number of disks: largest throughput, by formula and simulated.

    Table "responses": mean response times, one row per level, number of disks and way. Where the array is (nearly)
    overloaded there is none, and none by formula for requests that fork.
    """
    arrays = [(level, disks) for level in inputs.levels for disks in DISKS if _possible(level, disks)]
    formulas = {array: _theory(inputs, *array) for array in arrays}
    by_formula = [(*array, *formula[:2], *[np.nan] * 3, formula[2]) for array, formula in formulas.items()]
    progress(0.0, lambda: _result(by_formula))
    rows = []
    for array, formula in formulas.items():
        simulated = _simulated(inputs, *array)
        rows.append((*array, *formula[:2], *simulated[:3], formula[2] + simulated[3]))
        progress(len(rows) / len(arrays), None)
    return _result(rows).with_notes(_notes(inputs))


def _possible(level: str, disks: int) -> bool:
    return disks >= LEAST[LEVELS[level]] and (level != "raid-10" or disks % 2 == 0)


def _result(rows: Sequence[tuple]) -> Result:
    """rows: (level, disks, requests by formula, throughput by formula, requests, throughput, interval, responses)."""
    column = [np.array(each) for each in zip(*(row[:7] for row in rows), strict=True)]
    columns = {
        "level": Column(column[0], "text", "level", TITLES),
        "disks": Column(column[1], "1", "disks"),
        "ios_per_request": Column(column[2], "1", "disk requests per request, by formula"),
        "theory_iops": Column(column[3], "1/s", "largest throughput by formula"),
        "counted_ios": Column(column[4], "1", "disk requests per request"),
        "iops": Column(column[5], "1/s", "largest throughput, simulated"),
        "iops_interval": Column(column[6], "1/s", "half of its 95 % interval"),
    }
    responses = [(*row[:2], *found) for row in rows for found in row[7]]
    return Result.of(columns, more={"responses": _responses(responses)} if responses else {})


def _responses(rows) -> dict[str, Column]:
    column = [np.array(each) for each in zip(*rows, strict=True)]
    return {
        "level": Column(column[0], "text", "level", TITLES),
        "disks": Column(column[1], "1", "disks"),
        "way": Column(column[2], "text", "found", WAYS),
        "response_s": Column(column[3], "s", "mean response"),
        "half_width_s": Column(column[4], "s", "half of its 95 % interval, 0 by formula"),
    }


def explain(inputs: Inputs, result: Result) -> list[str]:
    """How the largest throughput of each level comes about, with eight disks."""
    lines = []
    for row in result.rows(disks=8):
        level, ios = str(result["level"][row]), result["ios_per_request"][row]
        service = format_seconds(moments_of(inputs, level, 8).service_s)
        lines.append(
            f"{TITLES[level]}, 8 disks, {inputs.write_share:.0%} writes: a request is {ios:.3g} requests of disks of "
            f"{service} each: 8 / ({ios:.3g} × {service}) = {result['theory_iops'][row]:.4g} requests/s; simulated "
            f"{result['iops'][row]:.4g}."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        result.rows(disks=8),
        "iops",
        cells(result, "level"),
        several="Eight {disk} with {share} writes carry most as {most}: {high} requests per second, {times} as "
        "many as "
        "{least} with {low}.",
        one="Eight {disk} with {share} writes carry {high} requests per second as {most}.",
        none="Nothing is known of eight {disk}.",
        show=bare,
        disk=disks()[inputs.disk],
        share=f"{inputs.write_share:.0%}",
    )


def moments_of(inputs: Inputs, level: str, disks: int):
    """Moments of the requests of a member, whose share of writes is not that of the array."""
    disk, sectors = Disk.of(catalogue.device(inputs.disk)), inputs.request_bytes // SECTOR_BYTES
    writes = {"raid-0": 1, "raid-1": disks, "raid-10": 2, "raid-5": 2}[level] * inputs.write_share
    share = writes / Array(disks=disks, level=LEVELS[level]).ios_per_request(inputs.write_share)
    return disk_runs.mixed(disk, disk.geometry.sectors, sectors, share)


Response = tuple[str, float, float]
"""(way, mean response [s], half of its interval [s])."""


def _theory(inputs: Inputs, level: str, disks: int) -> tuple[float, float, list[Response]]:
    """(disk requests per request, largest throughput, mean response where there is one).

    Response: M/G/1 at each member; those of a mirror or pair take reads in turn (`open_wait_s`). Writes that fork are
    left to the simulation.
    """
    moments = moments_of(inputs, level, disks)
    ios = Array(disks=disks, level=LEVELS[level]).ios_per_request(inputs.write_share)
    largest = disks / (ios * moments.service_s)
    forks = inputs.write_share > 0 and level != "raid-0"
    if forks or inputs.requests_per_s >= FULL * largest:
        return ios, largest, []
    each = inputs.requests_per_s / disks
    arrivals_variation = {"raid-1": 1 / disks, "raid-10": 1 / 2}.get(level, 1.0)
    wait_s = open_wait_s(moments.service_s, moments.squared_variation, each, arrivals_variation)
    response_s = moments.service_s + wait_s
    return ios, largest, [(FORMULA, response_s, 0.0)]


def _simulated(inputs: Inputs, level: str, disks: int) -> tuple[float, float, float, list[Response]]:
    """(disk requests per request, largest throughput and its half interval, mean response where there is one)."""
    disk = Disk.of(catalogue.device(inputs.disk))
    asked = (inputs.request_bytes // SECTOR_BYTES, inputs.write_share, inputs.requests_per_s, inputs.requests)
    runs = [
        disk_runs.array_load(disk, LEVELS[level], disks, *asked, inputs.seed, replication)
        for replication in range(REPLICATIONS)
    ]
    throughput = Mean.of([run.largest_iops for run in runs])
    waited = Mean.of([run.response_s for run in runs])
    full = inputs.requests_per_s >= FULL * throughput.value
    responses = [] if full else [(SIMULATED, waited.value, waited.half_width)]
    return float(np.mean([run.ios for run in runs])), throughput.value, throughput.half_width, responses


def _notes(inputs: Inputs):
    yield from disk_inputs.notes_of(inputs.disk)
    yield (
        "Each disk serves in order of arrival, without cache; 64 KiB of neighbouring data lie on one disk. A RAID-5 "
        "write reads old data and old parity, then writes both. No row of parity is written as a whole."
    )
    yield (
        "Largest throughput: requests over the mean working time of a disk; simulated, all requests come at once. In "
        "response times the two writes of RAID-5 save the seek where nobody came between them and their reads."
    )
    if {"raid-1", "raid-10"} & {*inputs.levels} and inputs.write_share == 0:
        yield (
            "The disks of a mirror take its reads in turn, so each is asked more evenly than at random: the formula of "
            "its response (Krämer and Langenbach-Belz) is within 7 %."
        )
    yield "There is no response time where the array is loaded to more than 95 %."


STUDY = Study(
    name="disk_arrays",
    title="What do more disks gain, and what does parity cost?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    estimate=formulas_first(compute),
    place="device",
    source="rahm1992 (RAID remarks); Patterson, Gibson and Katz 1988",
    presets={
        "reads only": {"write_share": 0.0},
        "writes only": {"write_share": 1.0, "requests_per_s": 40.0},
        "15 000 turns a minute": {"disk": "cheetah-15k5", "requests_per_s": 200.0},
    },
)
