"""What does a program write, what does the drive get of it, and how long does the drive last?"""

import math
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from pagecost.answers import program_wear
from pagecost.answers.program_wear import Drive, Flash, Life
from pagecost.devices.ftl import lifetime
from pagecost.errors import require
from pagecost.programs import FILE_SYSTEMS, Settings, Wear
from pagecost.programs.ledger import BLOCK_BYTES
from pagecost.studies.fields import Choice, Choices, FilePath, From, Group, OfSystem, Steps
from pagecost.studies.finding import Finding, cells, compared
from pagecost.studies.shared_fields import SEED
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import bytes_alike, format_bytes, format_cell, format_seconds, format_si, grouped

ASKED, DEVICE, FLASH = "asked", "device", "flash"
STAGES = {ASKED: "asked by the program", DEVICE: "to the device", FLASH: "to flash"}
TERMS = {
    "data": "what the program changed",
    "partial": "rest of pages changed in part",
    "journal": "journal of the file system",
    "metadata": "metadata in place",
    "log": "nodes, summaries and cleaning of a log",
    "collection": "copied in the drive",
    "kept": "changed again or deleted before it was written",
}
CAUSE_OF = {
    "data": "data",
    "partial pages": "partial",
    "journal": "journal",
    "metadata": "metadata",
    "log": "log",
    "cleaning": "log",
}
MOST = 4  # recordings side by side
JOURNAL_SOURCE = "docs/models/programs.md#the-journal"


class Inputs(StudyInputs):
    """Recorded runs, what stands below them, and the drive."""

    recordings: Annotated[
        tuple[str, ...],
        Choices(program_wear.recordings, most=MOST, noun="recording"),
        Field(title="Recorded runs", description="What strace saw. SQLite: its journal mode and level of synchronous."),
    ] = ("sqlite-delete-full", "sqlite-wal-full", "sqlite-wal-normal")
    own_file: Annotated[
        str,
        FilePath("recording by pagecost wear"),
        Field(title="Your own recording", description="Of pagecost wear --keep FILE, or of strace -f -y -ttt."),
    ] = ""
    file_system: Annotated[
        str,
        Choice(lambda: {name: title for name, (title, _) in FILE_SYSTEMS.items()}, noun="file system"),
        Field(title="File system", description="What turns changed pages into blocks."),
    ] = "ext4"
    device: Annotated[
        str,
        Choice(
            program_wear.drives,
            noun="drive",
            lacks="capacity_bytes and what wears it out (rated_write_bytes or drive_writes_per_day) must be known of a "
            "flash SSD; state them with a source",
        ),
        OfSystem("devices.database.device"),
        Field(title="Drive", description="Flash of the catalogue whose endurance or cycles are known."),
    ] = "samsung-970-pro-1tb"
    runs_per_day: Annotated[
        float,
        Steps(
            (0, 1, 10, 100, 1e3, 1e4, 1e5, 1e6),
            "1",
            lambda runs: grouped(runs) if runs else "without a pause",
        ),
        Field(ge=0, le=1e9, title="Runs a day", description="0: without a pause, as fast as under strace."),
    ] = 1e5
    expire_s: Annotated[
        float,
        Steps((1, 5, 10, 30, 60, 300), "s", format_seconds),
        Group("What the kernel does"),
        From("docs/models/programs.md#the-page-cache"),
        Field(gt=0, le=1e6, title="Write-back after", description="Age at which a changed page is written."),
    ] = 30
    commit_s: Annotated[
        float,
        Steps((1, 5, 30, 60, 300), "s", format_seconds),
        Group("What the kernel does"),
        From(JOURNAL_SOURCE),
        Field(gt=0, le=1e6, title="Commit after", description="Age at which the journal's transaction is written."),
    ] = 5
    journal_bytes: Annotated[
        float,
        Steps(tuple(2.0**power for power in (20, 22, 24, 26, 28, 30)), "B", format_bytes),
        Group("What the kernel does"),
        From("docs/models/programs.md#beside-real-runs: 64 MiB"),
        Field(ge=2**20, le=2**40, title="Journal", description="When it is full, metadata are written in place."),
    ] = 2.0**26
    seed: SEED = 1

    @model_validator(mode="after")
    def _has_a_recording(self):
        require(bool(self.recordings or self.own_file), "choose a recorded run, or give a recording of your own")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """Every recording that is asked for."""
        return (*self.recordings, self.own_file) if self.own_file else self.recordings

    @property
    def settings(self) -> Settings:
        """What stands below the program."""
        return Settings(
            file_system=self.file_system,
            expire_s=self.expire_s,
            commit_s=self.commit_s,
            journal_bytes=self.journal_bytes,
        )


class Row(NamedTuple):
    """A recording and what became of it. seen_bytes: what the device was seen to get; nan where nobody looked."""

    name: str
    wear: Wear
    flash: Flash
    life: Life
    seen_bytes: float

    @property
    def flash_bytes(self) -> float:
        """Bytes programmed for one run."""
        return self.wear.device_bytes * self.flash.write_amplification if self.wear.device_bytes else 0.0

    @property
    def worn_bytes(self) -> float:
        """Bytes erased for one run in the long run."""
        return self.wear.device_bytes * self.flash.wear_amplification if self.wear.device_bytes else 0.0


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """A row per recording; `stages`: asked, to the device and to flash by cause; `files`: the same by kind of file;
    `seen`: what was recorded below the file system.

    Raises ModelError for a file that is no recording, and for a run that writes to more than the drive holds.
    """
    drive = program_wear.drive(inputs.device)
    seen = {row["case"]: float(row["device_bytes"]) for row in program_wear.measured()}
    rows = []
    for number, name in enumerate(inputs.names, start=1):
        wear = program_wear.worn(name, inputs.settings)
        flash = program_wear.worn_flash(name, inputs.settings, drive, inputs.seed)
        per_s = program_wear.rate_bytes_per_s(wear.device_bytes, wear.recording.seconds, inputs.runs_per_day)
        life = program_wear.life(per_s, drive, flash)
        known = seen.get(name, math.nan) if inputs.file_system == "ext4" else math.nan
        rows.append(Row(name, wear, flash, life, known))
        progress(number / len(inputs.names), partial(_result, inputs, drive, rows.copy()))
    return _result(inputs, drive, rows, tuple(_notes(inputs, drive, rows)))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """For each run the bytes that add up, and the years."""
    lines = []
    stages = result.tables["stages"]
    for row in range(len(result)):
        (at,) = stages.rows(recording=result["recording"][row], stage=FLASH)
        counts = {term: float(stages[term][at]) for term in TERMS if stages[term][at] > 0}
        said = bytes_alike(counts.values())
        terms = " + ".join(f"{said(count)} {TERMS[term]}" for term, count in counts.items())
        often = f"{format_cell(inputs.runs_per_day, '1')} times a day" if inputs.runs_per_day else "without a pause"
        lines.append(
            f"{result.cell('recording', row)}: {terms or '0 B'} = {format_si(float(result['flash_bytes'][row]), 'B')} "
            f"programmed for {format_si(float(result['asked_bytes'][row]), 'B')} asked, "
            f"{result['amplification'][row]:.2f} times as much. {often.capitalize()} that is "
            f"{format_si(float(result['daily_bytes'][row]), 'B')} to the device a day: "
            f"{_life(result, row, 'rated_life_s')} by stated endurance, {_life(result, row, 'cell_life_s')} by cycles."
        )
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    return compared(
        result,
        range(len(result)),
        "amplification",
        cells(result, "recording"),
        several="{most} wears the drive most: {high} bytes go to flash for each byte asked; for {least} it is {low}.",
        one="For {most} {high} bytes go to flash for each byte asked.",
        none="Nothing reached the flash.",
    )


def _life(result: Result, row: int, column: str) -> str:
    return result.cell(column, row) if result[column][row] == result[column][row] else "not known"


def _result(inputs: Inputs, drive: Drive, rows: list[Row], notes=()) -> Result:
    names = {
        row.name: program_wear.recordings().get(row.name, row.name.replace("\\", "/").split("/")[-1]) for row in rows
    }

    def of(take) -> np.ndarray:
        return np.array([take(row) for row in rows], float)

    year_s = lifetime.YEAR_S
    columns = {
        "recording": Column(np.array([row.name for row in rows]), "text", "recorded run", names),
        "asked_bytes": Column(of(lambda row: row.wear.asked_bytes), "B", "asked by the program"),
        "device_bytes": Column(of(lambda row: row.wear.device_bytes), "B", "to the device"),
        "flash_bytes": Column(of(lambda row: row.flash_bytes), "B", "to flash"),
        "worn_bytes": Column(of(lambda row: row.worn_bytes), "B", "erased in flash in the long run"),
        "amplification": Column(
            of(lambda row: row.flash_bytes / row.wear.asked_bytes if row.wear.asked_bytes else math.nan),
            "1",
            "bytes programmed per byte asked",
        ),
        "at_end_bytes": Column(of(lambda row: row.wear.at_end_bytes), "B", "to the device before the program ended"),
        "checkpoint_bytes": Column(of(lambda row: row.wear.checkpoint_bytes), "B", "asked by checkpoints"),
        "syncs": Column(of(lambda row: row.wear.syncs), "1", "syncs"),
        "commits": Column(of(lambda row: row.wear.commits), "1", "commits of the journal"),
        "daily_bytes": Column(of(lambda row: row.life.bytes_per_s * lifetime.DAY_S), "B", "to the device a day"),
        "rated_life_s": Column(of(lambda row: row.life.rated_years * year_s), "s", "until the endurance is written"),
        "cell_life_s": Column(of(lambda row: row.life.cell_years * year_s), "s", "until the cells are worn out"),
        "usd_per_year": Column(of(lambda row: row.life.usd_per_year), "USD", "price of the wear, a year"),
    }
    facts = {
        "drive": Fact(drive.name, "text", "drive"),
        "endurance": Fact(drive.rated, "text", "stated endurance"),
        "price_usd": Fact(None if math.isnan(drive.price_usd) else drive.price_usd, "USD", "newest known price"),
    }
    more = {"stages": _stages(rows, names), "files": _files(rows, names)}
    seen = [row for row in rows if not math.isnan(row.seen_bytes)]
    if seen:
        more["seen"] = _seen(seen, names)
    return Result.of(columns, notes, facts=facts, more=more)


def _seen(rows: list[Row], names: dict[str, str]) -> dict[str, Column]:
    """Beside what the device was seen to get."""
    seen = np.array([row.seen_bytes for row in rows], float)
    predicted = np.array([row.wear.device_bytes for row in rows], float)
    return {
        "recording": Column(np.array([row.name for row in rows]), "text", "recorded run", names),
        "device_bytes": Column(predicted, "B", "to the device, predicted"),
        "seen_bytes": Column(seen, "B", "to the device, as recorded"),
        "distance": Column(predicted / seen - 1, "1", "predicted over recorded, less one"),
    }


def _stages(rows: list[Row], names: dict[str, str]) -> dict[str, Column]:
    table = []
    for row in rows:
        wear = row.wear
        kept = float(sum(wear.kept_back.values()))
        device = dict.fromkeys(TERMS, 0.0)
        for cause, size in wear.causes.items():
            device[CAUSE_OF[cause]] += size
        asked = dict.fromkeys(TERMS, 0.0) | {"data": wear.asked_bytes - kept, "kept": kept}
        copied = device | {"collection": max(0.0, row.flash_bytes - wear.device_bytes)}
        table += [(row.name, stage, terms) for stage, terms in ((ASKED, asked), (DEVICE, device), (FLASH, copied))]
    return {
        "recording": Column(np.array([name for name, _, _ in table]), "text", "recorded run", names),
        "stage": Column(np.array([stage for _, stage, _ in table]), "text", "where", STAGES),
        **_terms([terms for _, _, terms in table]),
    }


def _files(rows: list[Row], names: dict[str, str]) -> dict[str, Column]:
    table = []
    for row in rows:
        of_kind: dict[str, dict[str, float]] = {}
        for path in row.wear.paths:
            label = row.wear.labels.get(path, "") or "the file system itself"
            terms = of_kind.setdefault(label, dict.fromkeys(TERMS, 0.0))
            for cause, term in CAUSE_OF.items():
                terms[term] += row.wear.by.get((path, cause), 0)
            terms["kept"] += sum(size for (of, _), size in row.wear.kept_back.items() if of == path)
        table += [(row.name, label, terms) for label, terms in of_kind.items()]
    return {
        "recording": Column(np.array([name for name, _, _ in table]), "text", "recorded run", names),
        "file": Column(np.array([label for _, label, _ in table]), "text", "files"),
        **_terms([terms for _, _, terms in table]),
    }


def _terms(table: list[dict[str, float]]) -> dict[str, Column]:
    return {term: Column(np.array([row[term] for row in table], float), "B", label) for term, label in TERMS.items()}


def _notes(inputs: Inputs, drive: Drive, rows: list[Row]):
    for row in rows:
        title = program_wear.recordings().get(row.name, row.name)
        for unseen in row.wear.recording.unseen:
            yield f"{title}: {unseen}"
        if overlap := program_wear.overlap_said(row.wear.recording.seconds, inputs.runs_per_day):
            yield f"{title}: {overlap}"
        if not row.wear.asked_bytes:
            yield f"{title}: nothing is written to a file on a device."
        if not row.flash.steady:
            yield f"{title}: the simulated drive is not steady yet; its write amplification still moves."
    largest = max(rows, key=lambda row: row.flash.share)
    if largest.flash.share > largest.flash.true_share > 0:
        yield (
            f"The drive is simulated with {format_bytes(largest.flash.simulated_pages * BLOCK_BYTES)}, of which the "
            f"program writes to at most {largest.flash.share:.1%}; of {drive.name} that is "
            f"{format_cell(100 * largest.flash.true_share, '1')}%, and it copies less. It is full otherwise, "
            "with what rests."
        )
    if inputs.runs_per_day == 0:
        yield "The rate is that under strace, which slows a program that calls often; alone it may write faster."
    yield "What is written behind the program's end is counted, as if everything were written back then."
    if inputs.file_system != "ext4":
        yield "In place and in a log: directories are left out, and the log is too large to be cleaned within a run."


STUDY = Study(
    name="program_wear",
    title="What does a program write, and what does it do to the drive?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="device",
    source="docs/models/programs.md#beside-real-runs",
    presets={
        "SQLite: which journal mode, synced fully?": {
            "recordings": ("sqlite-delete-full", "sqlite-truncate-full", "sqlite-persist-full", "sqlite-wal-full")
        },
        "SQLite's log: what does each level of synchronous cost?": {
            "recordings": ("sqlite-wal-off", "sqlite-wal-normal", "sqlite-wal-full", "sqlite-wal-extra")
        },
        "PostgreSQL with checkpoints": {"recordings": ("postgresql",)},
        "an SSD of 2008 with log blocks": {"device": "mtron-pro-7500"},
        "without a journal of the file system": {"file_system": "ext2"},
        "in a log-structured file system": {"file_system": "nilfs2"},
    },
)
