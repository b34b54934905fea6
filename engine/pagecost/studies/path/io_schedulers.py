"""Which scheduler of the host suits which device and file system? Wang et al. 2011, Fig. 13."""

from math import inf
from typing import Annotated

from pydantic import Field

from pagecost import oltp
from pagecost.answers.path_runs import SHORT
from pagecost.studies.fields import Choices, From
from pagecost.studies.finding import Finding, cells, compared
from pagecost.studies.loop_fields import SCHEDULERS
from pagecost.studies.loop_loads import TPC_C
from pagecost.studies.path.path_answers import (
    Found,
    answered,
    log_columns,
    names_of,
    notes,
    numbers,
    of_term,
    place_columns,
    size_of,
    tpm_columns,
)
from pagecost.studies.path.path_fields import BUFFER, COMMERCIAL, DATABASE, FILE_SYSTEMS_OF, MIX, devices_of, seconds_of
from pagecost.studies.path.path_inputs import LoopInputs, Point
from pagecost.studies.path.whole_path import short_name
from pagecost.studies.study import Column, Progress, Result, Study, no_progress
from pagecost.units import grouped


class Inputs(LoopInputs):
    """Each scheduler of the host in front of each device under each file system."""

    devices: Annotated[tuple[str, ...], *devices_of(6, "Of the data and the log.")] = (
        "hgst-7k1000-750gb",
        "mtron-pro-7500",
        "intel-x25-e",
    )
    file_systems: Annotated[tuple[str, ...], *FILE_SYSTEMS_OF] = ("in-place", "log-structured")
    schedulers: Annotated[
        tuple[str, ...],
        Choices(lambda: SCHEDULERS, most=4),
        From("wang2011 §3.3.3: noop and anticipatory"),
        Field(min_length=1, title="Schedulers", description="Of the host; all merge requests that touch."),
    ] = tuple(SCHEDULERS)
    database: Annotated[str, *DATABASE] = COMMERCIAL
    mix: Annotated[str, *MIX] = "normal"
    buffer_bytes: Annotated[float, *BUFFER] = 0.0
    seconds: Annotated[float, *seconds_of((10.0, 30.0, 60.0, 120.0))] = 10.0


def points_of(inputs: Inputs) -> list[Point]:
    """Each device and file system with each scheduler."""
    return [
        inputs.point(
            database=inputs.database,
            device=device,
            file_system=layout,
            mix=inputs.mixes_of([inputs.mix])[0],
            buffer_bytes=inputs.buffer_bytes,
            scheduler=scheduler,
        )
        for device in inputs.devices
        for layout in inputs.file_systems
        for scheduler in inputs.schedulers
    ]


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per device, file system and scheduler."""
    points = points_of(inputs)
    found = answered(inputs, points, inputs.seconds, progress, _result)
    near = NOT_NEAR if inputs.load == TPC_C else ""
    return _result(found).with_notes([*notes(inputs, found), f"{NOTE}{near}"])


NOTE = (
    "Noop serves in the order of arrival; C-LOOK sweeps one way; deadline reads first, one way, nothing overdue; the "
    "anticipatory one also waits a little for the next read of the user who was just answered, if his reads lie within "
    "1 MiB of each other."
)
NOT_NEAR = " Those of TPC-C do not, so that it does here what deadline does."


def _result(found: Found) -> Result:
    points = list(found)
    columns = {
        **place_columns(points),
        "scheduler": Column(names_of(points, lambda point: point.scheduler), "text", "scheduler", SCHEDULERS),
        **tpm_columns(found),
        "response_s": numbers(found, lambda run: run.response_s, "s", "mean response time"),
        **{term: numbers(found, of_term(term), "s", label) for term, label in oltp.TERMS.items()},
        "merged": numbers(found, _merged, "1", "requests merged with one that waits"),
        "read_bytes": numbers(found, size_of("device", "read"), "B", "mean read of the device"),
        "write_bytes": numbers(found, size_of("device", "write"), "B", "mean write of the device"),
        "waits": numbers(
            found, lambda run: run.counts["anticipations"] / run.seconds, "1/s", "waits for the next read"
        ),
        "waits_won": numbers(found, _won, "1", "share of them that were worth it"),
        "busy": numbers(found, oltp.OltpRun.busy, "1", "busy share of the device"),
        **log_columns(found),
    }
    return Result.of(columns)


def _merged(run: oltp.OltpRun) -> float:
    done = sum(run.requests["device", operation] for operation in ("read", "write"))
    return run.counts["merged"] / max(done + run.counts["merged"], 1)


def _won(run: oltp.OltpRun) -> float:
    waits = run.counts["anticipations"]
    return run.counts["anticipations won"] / waits if waits else float("nan")


def place_of(result: Result, row: int) -> str:
    """Device and file system of a row."""
    return f"{short_name(result.cell('device', row))}, {SHORT[str(result['file_system'][row])]}"


def explain(inputs: Inputs, result: Result) -> list[str]:
    """Beside each device and file system, the best scheduler and what it gains over the worst."""
    lines = []
    for place in dict.fromkeys(place_of(result, row) for row in range(len(result))):
        rows = [row for row in range(len(result)) if place_of(result, row) == place]
        rows.sort(key=lambda row: -result["tpm"][row])
        best, worst = rows[0], rows[-1]
        each = ", ".join(f"{result.cell('scheduler', row)} {grouped(result['tpm'][row])}" for row in rows)
        first, last = float(result["tpm"][best]), float(result["tpm"][worst])
        gain = f"the first does {first / last:.2f} times as many as the last" if last else "under the last none ended"
        lines.append(f"{place}: {each} transactions per minute; {gain}.")
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    rows_of: dict[str, list[int]] = {}
    for row in range(len(result)):
        rows_of.setdefault(place_of(result, row), []).append(row)
    ends = {place: (result["tpm"][rows].max(), result["tpm"][rows].min()) for place, rows in rows_of.items()}
    gains = {place: most / least if least else inf for place, (most, least) in ends.items()}
    place = max(gains, key=lambda name: gains[name])
    return compared(
        result,
        rows_of[place],
        "tpm",
        cells(result, "scheduler"),
        several="The scheduler matters most on {place}: {most} carries {high} transactions per minute, {times} "
        "as many as "
        "{least} with {low}.",
        same="The scheduler matters most on {place}: {most} carries {high} transactions per minute and {least} "
        "{low}, without intervals that tell them apart.",
        half="half_width",
        best="most",
        one="On {place} {most} carries {high} transactions per minute.",
        none="Nothing is known of {place}.",
        place=place,
    )


STUDY = Study(
    name="io_schedulers",
    title="Which scheduler suits which device and file system?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="file system",
    source="wang2011 §3.3.3, Fig. 13",
    presets={
        "Wang 2011, Fig. 13": {
            "devices": ("mtron-pro-7500", "intel-x25-e", "indilinx-barefoot-ssd"),
            "schedulers": ("noop", "anticipatory"),
            "seconds": 30.0,
        },
        "mostly reading": {"mix": "read-intensive"},
    },
)
