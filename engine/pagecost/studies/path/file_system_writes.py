"""What does the device get to write for a page of a database, in place, in a log, and with a stream for each zone?"""

from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from pagecost.answers import file_systems
from pagecost.answers.file_systems import Below, Written
from pagecost.devices import ftl
from pagecost.errors import ModelError, require
from pagecost.filesystem import FileSystem, InPlace, LogStructured, OutOfPlace
from pagecost.studies import shared_fields
from pagecost.studies.fields import Choices, From, OfSystem, Steps, how_many
from pagecost.studies.finding import Finding, compared
from pagecost.studies.shared_fields import HOT_SHARE, HOT_WRITES, SEED, WORKLOAD, percent, shares
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.studies.workers import side_by_side
from pagecost.units import format_bytes

SYSTEMS = {
    "in-place": "in place (ext2)",
    "log": "in a log (nilfs2)",
    "database": "in the database's own log",
    "zones": "in the database's zones",
}
TRIMS = {"off": "without TRIM", "on": "with TRIM"}
TERMS = {
    "data": "the page itself",
    "metadata": "nodes that lead to it",
    "log": "summaries and checkpoints",
    "cleaning": "rewritten by the cleaner",
    "device": "copied within the device",
}
BLOCKS, PAGES_PER_BLOCK = 512, 64  # of flash, 128 MiB
SEGMENT_BYTES = 4 * PAGES_PER_BLOCK * file_systems.BLOCK_BYTES


class Inputs(StudyInputs):
    """The database, its load, and the flash below."""

    systems: Annotated[
        tuple[str, ...],
        Choices(lambda: SYSTEMS, noun="file system"),
        OfSystem("file_system.layout", words=(("log-structured", "log"),)),
        Field(min_length=1, title="Systems", description="Who decides where a changed page goes."),
    ] = tuple(SYSTEMS)
    trims: Annotated[
        tuple[str, ...],
        Choices(lambda: TRIMS, noun="TRIM"),
        Field(
            min_length=1,
            title="TRIM",
            description="Whether the device hears what was deleted, and which segments are clean.",
        ),
    ] = tuple(TRIMS)
    page_bytes: Annotated[
        int,
        Steps((4096, 8192, 16384), "B", format_bytes),
        OfSystem("memory.page_bytes"),
        Field(ge=4096, le=32768, multiple_of=4096, title="Page", description="Of the database; blocks have 4 KiB."),
    ] = 4096
    sync_every: Annotated[
        int,
        Steps((1, 2, 4, 8, 16, 32, 64, 128, 256), "pages", how_many("pages")),
        Field(
            ge=1,
            le=4096,
            title="Pages per sync",
            description="Pages that the database hands over before it waits until they are safe.",
        ),
    ] = 16
    filled: Annotated[
        float,
        Steps(shares(20, 30, 40, 50, 60, 70, 80), "1", percent),
        Field(ge=0.05, le=0.9, title="Fill level", description="Share of the volume that the database takes."),
    ] = 0.5
    dropped: Annotated[
        float,
        Steps(shares(0, 10, 20, 30, 40, 50), "1", percent),
        Field(
            ge=0,
            le=0.9,
            title="Dropped",
            description="Share of the database that is deleted after it was written once, as a table is.",
        ),
    ] = 0.0
    workload: WORKLOAD = "hot-cold"
    hot_share: HOT_SHARE = 0.1
    hot_writes: HOT_WRITES = 0.9
    spare: Annotated[float, *shared_fields.spare(*shares(7, 10, 12, 15, 20, 28))] = 0.12
    cached_blocks: Annotated[
        int,
        Steps((1, 4, 16, 64, 256, 4096), "blocks", how_many("blocks")),
        From("docs/models/filesystem.md#in-place"),
        Field(ge=1, le=1 << 20, title="Metadata in memory", description="Indirect blocks or nodes that stay there."),
    ] = 4096
    seed: SEED = 1

    @model_validator(mode="after")
    def _fits(self):
        require(
            self.filled * (1 - self.dropped) * self.page_bytes >= self.page_bytes * 0.02,
            "so much was dropped that nothing is left to write to; drop less",
        )
        return self

    @property
    def load(self) -> ftl.Workload:
        """Which pages are overwritten."""
        return ftl.Workload(kind=self.workload, hot_share=self.hot_share, hot_writes=self.hot_writes)


class Row(NamedTuple):
    """A system with or without TRIM, and what it did."""

    system: str
    trim: str
    found: Written


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """A row per system, with and without TRIM: bytes per byte of the database's pages, sizes, wear.

    A system that cannot hold so much is left out, and a note says why. Raises ModelError where none can.
    """
    cases = [(system, trim) for system in inputs.systems for trim in inputs.trims]
    rows, refused = [], {}
    found = side_by_side(lambda case: _tried(_case(inputs, *case)), cases)
    for number, ((system, trim), written) in enumerate(found, start=1):
        if isinstance(written, Written):
            rows.append(Row(system, trim, written))
            progress(number / len(cases), partial(_result, inputs, rows.copy()))
        else:
            refused[system] = f"{SYSTEMS[system]}: {written}."
    require(bool(rows), " ".join(refused.values()))
    return _result(inputs, rows, (*_notes(inputs), *refused.values()))


def _tried(case: Below) -> Written | str:
    """What was written, or the sentence that says why it cannot be."""
    try:
        return file_systems.written_below(case)
    except ModelError as error:
        return str(error)


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each row the bytes that add up, and what a request and an erase count are like."""
    lines = []
    for row in range(len(result)):
        terms = " + ".join(f"{result[term][row]:.2f} {TERMS[term]}" for term in TERMS if result[term][row] >= 0.005)
        lines.append(
            f"{label(result, row)}: {terms} = {result['programmed'][row]:.2f} bytes programmed per byte of a page; "
            f"writes of {result.cell('request_bytes', row)} on average, the device's own amplification "
            f"{result['device_amplification'][row]:.2f}; read for it: {result['metadata_read'][row]:.2f} metadata and "
            f"{result['cleaning_read'][row]:.2f} by the cleaner."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        range(len(result)),
        "programmed",
        lambda row: label(result, row),
        several="The flash programs {high} bytes for each byte of a page {most}, and {low} {least}: {times} as many.",
        one="The flash programs {high} bytes for each byte of a page {most}.",
        none="Nothing was programmed.",
    )


def label(result: Result, row: int) -> str:
    """A row by its system and whether it trims."""
    return f"{result.cell('system', row)}, {result.cell('trim', row)}"


def _system(inputs: Inputs, system: str, trim: bool) -> tuple[FileSystem, str]:
    """(file system, translation layer below it)."""
    if system == "in-place":
        return InPlace(trim=trim, cached_metadata_blocks=inputs.cached_blocks), "page"
    common: dict[str, Any] = {"segment_bytes": SEGMENT_BYTES, "min_clean": 0.0, "max_clean": 0.0, "trim": trim}
    if system == "log":
        log = LogStructured(**common, protection_period_s=0.0, cached_metadata_blocks=inputs.cached_blocks)
        return log, "page"
    streams = 3 if system == "zones" else 1
    return OutOfPlace(**common, streams=streams), "bast" if system == "zones" else "page"


def _case(inputs: Inputs, system: str, trim: str) -> Below:
    file_system, layer = _system(inputs, system, trim == "on")
    geometry = ftl.Geometry(blocks=BLOCKS, pages_per_block=PAGES_PER_BLOCK, spare=inputs.spare)
    volume = geometry.logical_pages * file_systems.BLOCK_BYTES
    return Below(
        file_system,
        layer,
        geometry,
        inputs.page_bytes,
        int(inputs.filled * volume / inputs.page_bytes),
        inputs.dropped,
        inputs.load,
        inputs.sync_every,
        inputs.seed,
    )


def _result(inputs: Inputs, rows: list[Row], notes=()) -> Result:
    def of(name: str) -> np.ndarray:
        return np.array([getattr(row.found, name) for row in rows])

    terms = {term: of(term) for term in TERMS}
    physical = sum(values for term, values in terms.items() if term != "device")
    columns = {
        "system": Column(np.array([row.system for row in rows]), "text", "file system", SYSTEMS),
        "trim": Column(np.array([row.trim for row in rows]), "text", "TRIM", TRIMS),
        "physical_per_logical": Column(np.asarray(physical), "1", "bytes written to the device per byte of a page"),
        "programmed": Column(physical + terms["device"], "1", "bytes programmed in flash per byte of a page"),
        **{term: Column(values, "1", f"{TERMS[term]}, per byte of a page") for term, values in terms.items()},
        "metadata_read": Column(of("metadata_read"), "1", "metadata read that were not in memory, per byte of a page"),
        "cleaning_read": Column(of("cleaning_read"), "1", "read by the cleaner, per byte of a page"),
        "request_bytes": Column(of("request_bytes"), "B", "mean size of a write, without the cleaner's"),
        "requests": Column(of("requests"), "1", "write requests, without the cleaner's"),
        "scan_bytes": Column(of("scan_bytes"), "B", "read in one piece by a scan afterwards"),
        "device_amplification": Column(of("device_amplification"), "1", "write amplification of the device"),
        "erases": Column(of("erases"), "1", "block erases"),
        "wear_variation": Column(of("wear_variation"), "1", "standard deviation over mean of the erase counts"),
        "logical_bytes": Column(of("logical_bytes"), "B", "written by the database"),
        "trimmed_bytes": Column(of("trimmed_bytes"), "B", "trimmed"),
    }
    return Result.of(columns, notes)


def _notes(inputs: Inputs):
    geometry = ftl.Geometry(blocks=BLOCKS, pages_per_block=PAGES_PER_BLOCK, spare=inputs.spare)
    volume = geometry.logical_pages * file_systems.BLOCK_BYTES
    yield (
        f"A volume of {format_bytes(volume)} on flash with {inputs.spare:.0%} spare space, greedy collection; segments "
        f"of {format_bytes(SEGMENT_BYTES)}, four erase blocks. Small, so that it answers soon: shares of the volume "
        "count, not its size."
    )
    yield (
        f"The database is written once, then overwritten {file_systems.WARM_PASSES} times, then "
        f"{file_systems.MEASURED_PASSES} times measured. The log is cleaned when it must be, oldest segment first for "
        "nilfs2, fewest live pages first in the database."
    )
    if "zones" in inputs.systems:
        yield (
            "Zones: new pages, cleaned pages and the map each fill a segment of their own, and the device keeps a log "
            "block for each that is open (BAST), which becomes the block itself when it is full."
        )


STUDY = Study(
    name="file_system_writes",
    title="What does the device get to write for a page of a database? In place, in a log, in zones",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="file system",
    source="wang2011 §3.2.2, §4, §5.1; Rosenblum and Ousterhout 1992",
    presets={
        "a fifth of the database dropped": {"dropped": 0.2},
        "uniform overwrites": {"workload": "uniform"},
        "pages of 16 KiB, 8 a sync": {"page_bytes": 16384, "sync_every": 8},
        "every page is synced": {"sync_every": 1},
        "four blocks of metadata in memory": {"cached_blocks": 4, "workload": "uniform"},
    },
)
