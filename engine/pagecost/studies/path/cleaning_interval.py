"""What does cleaning cost a log-structured file system? Wang et al. 2011, Fig. 10."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from pagecost import oltp
from pagecost.answers.path_runs import Cleaner, drives
from pagecost.errors import require
from pagecost.studies import finding
from pagecost.studies.fields import Choice, Choices, From, Group, Steps, how_many
from pagecost.studies.finding import Finding, compared
from pagecost.studies.path.path_answers import (
    Found,
    answered,
    log_columns,
    names_of,
    notes,
    numbers,
    tpm_columns,
)
from pagecost.studies.path.path_fields import (
    COMMERCIAL,
    DATABASES,
    DATABASES_OF,
    IN_FEW_WORDS,
    MYSQL,
    SELECTIONS,
    devices_of,
    seconds_of,
)
from pagecost.studies.path.path_inputs import LoopInputs, Point
from pagecost.studies.path.whole_path import short_name
from pagecost.studies.shared_fields import percent, shares
from pagecost.studies.study import Column, Progress, Result, Study, no_progress
from pagecost.units import format_bytes, format_seconds, grouped

INTERVALS_S = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
LONGEST_S = 3600.0
CLEANING = ("cleaning: read", "cleaning: write")
CLEANER = "Cleaner"
MOST_LINES = 8
CLEAN_SHARES = shares(0, 5, 10, 20, 50, 100)


def _an_interval(interval_s: float) -> None:
    require(
        0 < interval_s <= LONGEST_S,
        f"an interval of the cleaner must be above 0 and up to {LONGEST_S:g} s; got {interval_s:g}",
    )


class Inputs(LoopInputs):
    """A log-structured file system, its cleaner, and the systems that it carries."""

    devices: Annotated[tuple[str, ...], *devices_of(4, "Of the data and the log.")] = ("mtron-pro-7500", "intel-x25-e")
    databases: Annotated[tuple[str, ...], *DATABASES_OF] = (COMMERCIAL,)
    intervals_s: Annotated[
        tuple[float, ...],
        Choices(
            lambda: {interval_s: format_seconds(interval_s) for interval_s in INTERVALS_S},
            most=6,
            unit="s",
            such=_an_interval,
            noun="interval",
        ),
        From("wang2011 Fig. 10"),
        Field(min_length=1, title="Intervals", description="How often the cleaner wakes; without it stands beside."),
    ] = (1.0, 2.0, 5.0, 10.0)
    segments_per_clean: Annotated[
        int,
        Steps((1, 2, 4, 8), "1", how_many("segments")),
        From("nilfs_cleanerd.conf: 2"),
        Group(CLEANER),
        Field(ge=1, le=64, title="Segments at a time", description="Of 8 MiB; each time that the cleaner wakes."),
    ] = 2
    selection: Annotated[
        str,
        Choice(lambda: SELECTIONS, noun="selection"),
        From("nilfs2: timestamp, the oldest first"),
        Group(CLEANER),
        Field(title="Which segments", description="Oldest, fewest live blocks, or cost against benefit."),
    ] = "timestamp"
    protection_s: Annotated[
        float,
        Steps((0.0, 60.0, 600.0, 3600.0), "s", format_seconds),
        From("nilfs_cleanerd.conf: 3600 s"),
        Group(CLEANER),
        Field(ge=0, le=1e6, title="Protection", description="So long a block that was replaced is kept, and copied."),
    ] = 3600.0
    min_clean: Annotated[
        float,
        Steps(CLEAN_SHARES, "1", lambda share: percent(share) if share else "always"),
        From("nilfs2 of 2009 had no thresholds"),
        Group(CLEANER),
        Field(ge=0, le=1, title="It begins below", description="So much of the segments clean; always: in any case."),
    ] = 0.0
    max_clean: Annotated[
        float,
        Steps(CLEAN_SHARES[1:], "1", percent),
        From("nilfs2 of 2009 had no thresholds"),
        Group(CLEANER),
        Field(ge=0, le=1, title="It ends at", description="So much of the segments clean."),
    ] = 1.0
    seconds: Annotated[float, *seconds_of((20.0, 30.0, 60.0, 120.0))] = 30.0

    @model_validator(mode="after")
    def _can_be_drawn(self):
        lines = len(self.devices) * len(self.databases)
        require(
            self.min_clean <= self.max_clean,
            f"the cleaner begins below min_clean and ends at max_clean, in this order; got {self.min_clean:g} and "
            f"{self.max_clean:g}",
        )
        require(lines <= MOST_LINES, f"at most {MOST_LINES} lines can be told apart; got {lines}: leave out devices")
        return self


def points_of(inputs: Inputs) -> list[Point]:
    """Each system without cleaning, then with each interval."""
    return [
        inputs.point(
            database=database,
            device=device,
            file_system="log-structured",
            cleaner=Cleaner(
                interval_s=interval_s,
                segments=inputs.segments_per_clean,
                selection=inputs.selection,
                protection_s=inputs.protection_s,
                min_clean=inputs.min_clean,
                max_clean=inputs.max_clean,
            ),
        )
        for database in inputs.databases
        for device in inputs.devices
        for interval_s in (0.0, *sorted(inputs.intervals_s))
    ]


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per system and interval; interval 0 is the system whose cleaner does not wake."""
    points = points_of(inputs)
    found = answered(inputs, points, inputs.seconds, progress, _result)
    return _result(found).with_notes(_notes(inputs, found))


def _result(found: Found) -> Result:
    points = list(found)
    tpm = tpm_columns(found)
    base = {
        (point.database, point.device): tpm["tpm"].values[row]
        for row, point in enumerate(points)
        if not point.cleaner.interval_s and tpm["tpm"].values[row] > 0
    }
    without = np.array([base.get((point.database, point.device), np.nan) for point in points])
    woke = np.array([not _asleep(point, runs) for point, runs in found.items()])
    columns = {
        "database": Column(names_of(points, lambda point: point.database), "text", "database system", DATABASES),
        "device": Column(names_of(points, lambda point: point.device), "text", "device", drives()),
        "interval_s": Column(
            np.array([point.cleaner.interval_s for point in points]), "s", "the cleaner wakes every (0: never)"
        ),
        **tpm,
        "loss": Column(np.where(woke, 1 - tpm["tpm"].values / without, np.nan), "1", "loss of throughput"),
        "cleaned_bytes_per_s": numbers(
            found,
            lambda run: (
                sum(run.by_cause.get((cause, op), 0) for cause in CLEANING for op in ("read", "write")) / run.seconds
            ),
            "B/s",
            "read and written by the cleaner",
        ),
        "freed": numbers(found, lambda run: run.counts["segments freed"] / run.seconds, "1/s", "segments freed"),
        "physical_write_bytes_per_s": numbers(
            found, lambda run: run.moved_bytes["device", "write"] / run.seconds, "B/s", "written by the device"
        ),
        "busy": numbers(found, oltp.OltpRun.busy, "1", "busy share of the device"),
        **log_columns(found),
    }
    return Result.of(columns)


def _asleep(point: Point, runs: Sequence[oltp.OltpRun]) -> bool:
    """Whether the cleaner shall wake and did not while any run lasted: none was longer than its interval."""
    return point.cleaner.interval_s >= max(run.seconds for run in runs)


def line_of(result: Result, row: int, inputs: Inputs) -> str:
    """What a line is called."""
    device = short_name(result.cell("device", row))
    return f"{IN_FEW_WORDS[str(result['database'][row])]}, {device}" if len(inputs.databases) > 1 else device


def _notes(inputs: Inputs, found: Found):
    yield from notes(inputs, found)
    late = sorted({point.cleaner.interval_s for point, runs in found.items() if _asleep(point, runs)})
    if late:
        yield (
            f"A run was too short for the cleaner to wake every {' or '.join(map(format_seconds, late))}: what that "
            "costs is left blank; take a longer time of a run."
        )
    yield (
        f"The cleaner takes {inputs.segments_per_clean} segments of 8 MiB each time that it wakes, {_when(inputs)}. At "
        "first all segments are full of live pages: what is cleaned is copied."
    )


def _when(inputs: Inputs) -> str:
    """From how few clean segments the cleaner works, and until when."""
    if inputs.min_clean == 0 and inputs.max_clean == 1:
        return "however many are clean, as nilfs2 did in 2009"
    begins = f"from less than {percent(inputs.min_clean)} clean " if inputs.min_clean else ""
    return f"{begins}until {percent(inputs.max_clean)} are clean"


def _beside(loss: float) -> str:
    """A share that is lost, in words up to the one that it is compared with; below a twentieth of a percent it is
    nothing, and of runs with other chance it may be less than that."""
    if abs(loss) < 5e-4:
        return "as many as"
    return f"{abs(loss):.1%} {'less' if loss > 0 else 'more'} than"


def explain(inputs: Inputs, result: Result) -> list[str]:
    """What the cleaner moves and what that costs, row by row."""
    lines = []
    for row in range(len(result)):
        interval_s = result["interval_s"][row]
        if interval_s and np.isfinite(result["loss"][row]):
            lines.append(
                f"{line_of(result, row, inputs)}, every {format_seconds(interval_s)}: "
                f"{inputs.segments_per_clean} × 8 MiB / {format_seconds(interval_s)}, of which the cleaner moves "
                f"{format_bytes(result['cleaned_bytes_per_s'][row])}/s; {grouped(result['tpm'][row])} transactions per "
                f"minute, {_beside(result['loss'][row])} without."
            )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        [row for row in range(len(result)) if result["interval_s"][row]],
        "loss",
        lambda row: _told(result, row, inputs),
        several="Cleaning takes {high} of the throughput on {most}, and {low} on {least}.",
        one="Cleaning takes {high} of the throughput on {most}.",
        none="Nothing is cleaned.",
        show=finding.percent,
    )


def _told(result: Result, row: int, inputs: Inputs) -> str:
    """What a row is called in a sentence: Indilinx Barefoot (commercial, every 1 s)."""
    database, _, device = line_of(result, row, inputs).rpartition(", ")
    return f"{device} ({f'{database}, ' if database else ''}every {result.cell('interval_s', row)})"


SSDS = ("mtron-pro-7500", "intel-x25-e", "indilinx-barefoot-ssd")

STUDY = Study(
    name="cleaning_interval",
    title="What does cleaning cost a log-structured file system?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="file system",
    source="wang2011 §3.2.3, Fig. 10; nilfs_cleanerd.conf(5)",
    presets={
        "Wang 2011, three SSDs": {"devices": SSDS, "databases": (COMMERCIAL, MYSQL), "seconds": 60.0},
        "the emptiest segments first, nothing protected": {"selection": "greedy", "protection_s": 0.0},
    },
)
