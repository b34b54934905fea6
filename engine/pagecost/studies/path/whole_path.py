"""How many transactions does the whole path carry? Wang et al. 2011, Figs. 6 to 9, 11 and 12."""

from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from pagecost import oltp
from pagecost.answers.path_runs import FILE_SYSTEMS, SHORT
from pagecost.errors import require
from pagecost.studies import mix_fields
from pagecost.studies.fields import Choices, From, how_many
from pagecost.studies.finding import Finding, compared
from pagecost.studies.loop_fields import SCHEDULER
from pagecost.studies.path.path_answers import (
    MOST_ROWS,
    Found,
    answered,
    log_columns,
    names_of,
    notes,
    numbers,
    of_term,
    place_columns,
    rate_of,
    size_of,
    tpm_columns,
)
from pagecost.studies.path.path_fields import (
    BUFFERS,
    COMMERCIAL,
    DATABASES,
    DATABASES_OF,
    FILE_SYSTEMS_OF,
    IN_FEW_WORDS,
    MYSQL,
    devices_of,
    seconds_of,
)
from pagecost.studies.path.path_inputs import LoopInputs, MixesInputs, Point
from pagecost.studies.study import Column, Progress, Result, Study, no_progress
from pagecost.units import format_bytes, format_seconds, grouped

LOGICAL, PHYSICAL = "database", "device"
"""The levels that the paper calls logical and physical."""


class Inputs(LoopInputs, MixesInputs):
    """A grid: each file system under each device, database system, mix and buffer."""

    file_systems: Annotated[tuple[str, ...], *FILE_SYSTEMS_OF] = ("in-place", "log-structured")
    devices: Annotated[tuple[str, ...], *devices_of(6, "Of the data and the log.")] = (
        "hgst-7k1000-750gb",
        "mtron-pro-7500",
        "intel-x25-e",
    )
    databases: Annotated[tuple[str, ...], *DATABASES_OF] = (COMMERCIAL,)
    mixes: Annotated[
        tuple[str, ...], *mix_fields.mixes(6, "How many of each transaction of TPC-C run.", From("wang2011 Table 3"))
    ] = ("normal",)
    buffers_bytes: Annotated[
        tuple[float, ...],
        Choices(
            lambda: {float(size): format_bytes(size) if size else "its own" for size in BUFFERS},
            unit="B",
            noun="buffer",
        ),
        From("wang2011 Table 4, Fig. 11"),
        Field(min_length=1, title="Buffers", description="Of the database; its own: 8 MiB, MySQL 4 MiB."),
    ] = (0.0,)
    scheduler: Annotated[str, *SCHEDULER, From("wang2011 §3.1: anticipatory, the default of its Linux")] = (
        "anticipatory"
    )
    seconds: Annotated[float, *seconds_of((10.0, 20.0, 60.0, 120.0))] = 60.0

    @property
    def chosen_mixes(self) -> tuple[str, ...]:
        """Those of the grid."""
        return self.mixes_of(self.mixes)

    @model_validator(mode="after")
    def _not_too_many(self):
        axes = (self.file_systems, self.devices, self.databases, self.chosen_mixes, self.buffers_bytes)
        rows = int(np.prod([len(axis) for axis in axes]))
        require(
            rows <= MOST_ROWS, f"a grid may have {MOST_ROWS} systems; got {rows}: leave out devices, mixes or buffers"
        )
        return self


def points_of(inputs: Inputs) -> list[Point]:
    """All systems of the grid, those that differ by the file system alone side by side."""
    return [
        inputs.point(
            database=database,
            device=device,
            file_system=layout,
            mix=mix,
            buffer_bytes=size,
            scheduler=inputs.scheduler,
        )
        for database in inputs.databases
        for mix in inputs.chosen_mixes
        for size in inputs.buffers_bytes
        for device in inputs.devices
        for layout in inputs.file_systems
    ]


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per system: a simulated run of each, or several."""
    points = points_of(inputs)

    def result(found: Found) -> Result:
        return _result(inputs, found)

    found = answered(inputs, points, inputs.seconds, progress, result)
    return result(found).with_notes(notes(inputs, found))


def _result(inputs: Inputs, found: Found) -> Result:
    points = list(found)
    rates = {
        f"{word}_{operation}_bytes_per_s": numbers(
            found, rate_of(level, operation), "B/s", f"{operation}s {where}, bytes per second"
        )
        for word, level, where in (("logical", LOGICAL, "of the database"), ("physical", PHYSICAL, "of the device"))
        for operation in ("read", "write")
    }
    sizes = {
        f"{word}_{operation}_bytes": numbers(found, size_of(level, operation), "B", f"mean {operation} {where}")
        for word, level, where in (("logical", LOGICAL, "of the database"), ("physical", PHYSICAL, "of the device"))
        for operation in ("read", "write")
    }
    columns = {
        "database": Column(names_of(points, lambda point: point.database), "text", "database system", DATABASES),
        **place_columns(points),
        "mix": Column(names_of(points, lambda point: point.mix), "text", "mix", inputs.mix_titles()),
        "buffer_bytes": Column(np.array([point.buffer_bytes for point in points]), "B", "buffer (0: its own)"),
        **tpm_columns(found),
        "response_s": numbers(found, lambda run: run.response_s, "s", "mean response time"),
        "percentile_95_s": numbers(found, lambda run: run.percentiles[95], "s", "95 % are faster"),
        **{term: numbers(found, of_term(term), "s", label) for term, label in oltp.TERMS.items()},
        **rates,
        **sizes,
        "write_factor": numbers(
            found, write_factor, "1", "bytes written by the device per byte that the database wrote"
        ),
        "processors": numbers(found, lambda run: run.utilisation["processors"], "1", "busy share of the processors"),
        "busy": numbers(found, oltp.OltpRun.busy, "1", "busy share of the device"),
        **log_columns(found),
        "transactions": Column(
            np.array([sum(run.transactions for run in runs) for runs in found.values()]), "1", "transactions measured"
        ),
    }
    return Result.of(columns)


def write_factor(run: oltp.OltpRun) -> float:
    """Bytes written by the device over bytes written by the database, log included; nan where it wrote none."""
    asked = run.moved_bytes[LOGICAL, "write"]
    return sum(run.written_bytes.values()) / asked if asked else float("nan")


def label_of(result: Result, row: int, inputs: Inputs) -> str:
    """What a system is called without its file system: what the grid varies, the device always."""
    words = []
    if len(inputs.databases) > 1:
        words.append(IN_FEW_WORDS[str(result["database"][row])])
    words.append(short_name(result.cell("device", row)))
    if len(inputs.chosen_mixes) > 1:
        words.append(result.cell("mix", row))
    if len(inputs.buffers_bytes) > 1:
        size = result["buffer_bytes"][row]
        words.append(format_bytes(size) if size else "its own buffer")
    return ", ".join(words)


def short_name(name: str) -> str:
    """The first two words of a device's name."""
    return " ".join(name.split()[:2])


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each system the sum behind its response time, and the law that leads from it to the throughput."""
    lines, think_s, users = [], inputs.mean_think_s(inputs.think_s), how_many("users")(inputs.users)
    for row in range(len(result)):
        parts = [
            f"{label} {format_seconds(result[term][row])}"
            for term, label in oltp.TERMS.items()
            if result[term][row] > 5e-9
        ]
        name = f"{label_of(result, row, inputs)}, {SHORT[str(result['file_system'][row])]}"
        measured, factor = result["tpm"][row], result["write_factor"][row]
        written = f"wrote {factor:.2f} bytes for each that the database wrote" if factor == factor else "wrote nothing"
        response = result.cell("response_s", row)
        if np.isfinite(result["response_s"][row]):
            by_law = 60 * inputs.users / (think_s + result["response_s"][row])
            law = (
                f"{' + '.join(parts)} = {response}; {users} / ({format_seconds(think_s)} + {response}) = "
                f"{grouped(by_law)} transactions per minute (measured {grouped(measured)})"
            )
        else:
            of_run = "in one of its runs " if result["transactions"][row] else ""
            law = f"{of_run}no transaction ended within {format_seconds(inputs.seconds)}"
        lines.append(f"{name}: {law}; the device {written}.")
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        range(len(result)),
        "tpm",
        lambda row: f"{label_of(result, row, inputs)}, {file_system_of(result, row)}",
        several="With {users} {most} carries most, {high} transactions per minute: {times} as many as "
        "{least} with "
        "{low}.",
        same="With {users} {most} carries {high} transactions per minute and {least} {low}, "
        "without intervals that tell them apart.",
        half="half_width",
        best="most",
        one="With {users} {most} carries {high} transactions per minute.",
        none="Nothing is known of these paths.",
        users=how_many("users")(inputs.users),
    )


def file_system_of(result: Result, row: int) -> str:
    """The file system of a row in a word or two, for bars and sentences."""
    return SHORT[str(result["file_system"][row])]


PREDICTED_S = 20.0  # of the runs with which the ledger's lines were predicted
WANG = {"devices": ("hgst-7k1000-750gb", "mtron-pro-7500", "intel-x25-e", "indilinx-barefoot-ssd"), "seconds": 60.0}

STUDY = Study(
    name="whole_path",
    title="How many transactions does the whole path carry?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="whole path",
    source="wang2011 §3, Tables 3 and 4, Figs. 6 to 9, 11, 12",
    presets={
        "Wang 2011, commercial system": WANG,
        "Wang 2011, MySQL": {**WANG, "databases": (MYSQL,)},
        "Wang 2011, both systems on four devices": {**WANG, "databases": (COMMERCIAL, MYSQL)},
        "Wang 2011, larger buffers": {
            "devices": ("mtron-pro-7500",),
            "databases": (COMMERCIAL, MYSQL),
            "buffers_bytes": (0.0, 32.0 * 2**20, 128.0 * 2**20),
            "seconds": PREDICTED_S,
        },
        "Wang 2011, mixes": {
            "devices": ("mtron-pro-7500",),
            "mixes": ("read-intensive", "normal", "write-intensive"),
            "seconds": PREDICTED_S,
        },
        "the database writes its own log": {
            "file_systems": tuple(FILE_SYSTEMS),
            "devices": ("mtron-pro-7500", "intel-x25-e"),
        },
    },
)
