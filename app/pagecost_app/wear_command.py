"""`pagecost wear`: run a command or read its recording, and say what it writes to a drive."""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pagecost import programs, units
from pagecost.answers import program_wear
from pagecost.answers.program_wear import Drive, Flash, Life
from pagecost.devices.ftl import lifetime
from pagecost.errors import ModelError, require
from pagecost.programs import CAUSES, KEPT_BACK, Settings, Wear
from pagecost.units import format_bytes, so_many

LIMIT = re.compile(r"\s*([0-9]*\.?[0-9]+(?:e[0-9]+)?)\s*([A-Za-z]+)\s*(?:/\s*(day|run))?\s*", re.IGNORECASE)
DAY, RUN = "day", "run"
SIGNALLED = 128  # a shell's exit code of a command that a signal killed, plus its number
MOST_FILES = 12


class Asked(NamedTuple):
    """What was asked of the command line, checked before anything is run."""

    command: tuple[str, ...]
    trace: str | None
    keep: Path | None
    block: Path | None
    at_most: "Limit | None"
    device: str
    settings: Settings
    runs_per_day: float


def asked(
    command: Sequence[str],
    trace: str | None,
    keep: Path | None,
    block: Path | None,
    at_most: str | None,
    device: str,
    file_system: str,
    runs_per_day: float,
) -> Asked:
    """The options, checked. Raises ModelError for what is not possible."""
    require(bool(command) != bool(trace), "either a command behind -- or a recording by --trace is needed")
    require(keep is None or not trace, "--keep is for a command that is run; a recording of --trace is there already")
    require(block is None or not trace, "--block is for a command that is run; what --trace reads has it or has it not")
    program_wear.drive(device)
    require(math.isfinite(runs_per_day) and runs_per_day >= 0, f"runs a day must be 0 or more; got {runs_per_day}")
    most = None if at_most is None else limit(at_most)
    return Asked(tuple(command), trace, keep, block, most, device, Settings(file_system=file_system), runs_per_day)


def answer(what: Asked) -> tuple["Found", int]:
    """Run the command or read its recording; what it does to the drive, and the exit code of the command."""
    if what.trace is not None:
        return judged(program_wear.worn(what.trace, what.settings), what), 0
    path, code = programs.record(what.command, what.keep, what.block)
    try:
        wear = programs.wear(programs.read(path), what.settings)
    finally:
        if what.keep is None:
            path.unlink(missing_ok=True)
    return judged(wear, what), code if code >= 0 else SIGNALLED - code


class Limit(NamedTuple):
    """Bytes to the device, at most, in a `per`: day or run."""

    size_bytes: float
    per: str
    text: str


class Found(NamedTuple):
    """A run, what it did to a drive, and what is said of a limit.

    broken: the sentence, if it is; doubtful: if it is kept by what was seen, and not all was.
    """

    wear: Wear
    drive: Drive
    flash: Flash
    life: Life
    runs_per_day: float
    broken: str | None
    doubtful: str | None


def limit(text: str) -> Limit:
    """`10GB/day`, `200MB` (a run). Raises ModelError for anything else."""
    found = LIMIT.fullmatch(text)
    byte_units = {name.lower(): name for name, unit in units.UNITS.items() if unit.dimension == "bytes"}
    unit = byte_units.get(found[2].lower()) if found else None
    if found is None or unit is None:
        raise ModelError(f"a limit is bytes a day or a run, as 10GB/day or 200MB; got {text!r}")
    return Limit(units.to_si(float(found[1]), unit), found[3].lower() if found[3] else RUN, text.strip())


def judged(wear: Wear, what: Asked) -> Found:
    """What a run does to the drive."""
    on = program_wear.drive(what.device)
    flash = program_wear.flash(wear.reached_blocks, on)
    per_s = program_wear.rate_bytes_per_s(wear.reached_bytes, wear.recording.seconds, what.runs_per_day)
    life = program_wear.life(per_s, on, flash)
    broken = _broken(wear, per_s, what.at_most)
    doubtful = None if broken else _doubtful(wear, what.at_most)
    return Found(wear, on, flash, life, what.runs_per_day, broken, doubtful)


def _broken(wear: Wear, per_s: float, at_most: Limit | None) -> str | None:
    if at_most is None:
        return None
    size = wear.reached_bytes if at_most.per == RUN else per_s * lifetime.DAY_S
    if size <= at_most.size_bytes:
        return None
    said = f"the limit of {at_most.text} is broken: {units.format_si(size, 'B')} a {at_most.per} reach the device"
    if not wear.device_bytes:  # what was recorded there is of others
        return said
    most = max(wear.causes, key=lambda cause: wear.causes[cause])
    return f"{said}, of which {wear.causes[most] / wear.device_bytes:.0%} are {CAUSES[most]}"


def _misses_writes(wear: Wear) -> bool:
    """Whether more may reach the device than is told: nothing was recorded there, and not all calls were seen."""
    return wear.recording.misses_writes and wear.recording.block is None


def _doubtful(wear: Wear, at_most: Limit | None) -> str | None:
    if at_most is None or not _misses_writes(wear):
        return None
    return f"the limit of {at_most.text} is kept by the writes that were seen. {' '.join(wear.recording.unseen)}"


def sentence(found: Found) -> str:
    """The whole in one sentence, and another where writes may be missing."""
    wear = found.wear
    missing = " Writes that were not seen are missing in it." if _misses_writes(wear) else ""
    if not wear.asked_bytes and not wear.reached_bytes:
        if missing:
            return "No call that was seen wrote to a file on a device, and not all writes were seen."
        return "The command wrote nothing to a file on a device."
    per_day = found.life.bytes_per_s * lifetime.DAY_S
    often = f"{found.runs_per_day:g} runs a day" if found.runs_per_day else "run after run"
    lasts = units.format_si(found.life.years * lifetime.YEAR_S, "s") if math.isfinite(found.life.years) else "for ever"
    money = "" if math.isnan(found.life.usd_per_year) else f", {found.life.usd_per_year:.3g} dollars a year"
    return (
        f"{format_bytes(wear.asked_bytes)} asked, {format_bytes(wear.reached_bytes)} to the device{_recorded(wear)}, "
        f"{format_bytes(flash_bytes(found))} to flash; {often} that is {units.format_si(per_day, 'B')} a day, and "
        f"{found.drive.name} lasts {lasts}{money}.{missing}"
    )


def _recorded(wear: Wear) -> str:
    if wear.recording.block is None:
        return ""
    return f" as recorded, of all programs ({format_bytes(wear.device_bytes)} of this one were predicted)"


def flash_bytes(found: Found) -> float:
    """Bytes programmed in flash for one run."""
    return found.wear.reached_bytes * found.flash.write_amplification if found.wear.reached_bytes else 0.0


def facts(found: Found) -> dict:
    """All of it as named numbers, for printing."""
    wear, life = found.wear, found.life
    added = flash_bytes(found) - wear.reached_bytes
    causes: dict[str, float] = {CAUSES[cause]: size for cause, size in wear.causes.items()}
    if added:
        causes["copied by garbage collection in the drive"] = added
    code = wear.recording.exit_code
    return {
        "command": " ".join(wear.recording.command) or None,
        "exit_code": code,
        "seconds_s": wear.recording.seconds,
        "processes": wear.recording.processes,
        "syncs": wear.syncs,
        "journal_commits": wear.commits,
        "asked_bytes": wear.asked_bytes,
        "kept_back_bytes": {
            KEPT_BACK[why]: sum(size for (_, reason), size in wear.kept_back.items() if reason == why)
            for why in KEPT_BACK
        },
        "of_checkpoints_bytes": wear.checkpoint_bytes,
        "device_bytes": wear.device_bytes,
        "at_end_bytes": wear.at_end_bytes,
        "seen_by_then_bytes": wear.recording.seen_bytes or None,
        "recorded_at_device": _at_device(wear),
        "flash_bytes": flash_bytes(found),
        "causes_bytes": causes,
        "files": [_file(wear, path) for path in wear.paths[:MOST_FILES]] or None,
        "further_files": max(0, len(wear.paths) - MOST_FILES),
        "file_system": _taken_for(wear),
        "drive": found.drive.name,
        "endurance": found.drive.rated,
        "write_amplification": _known(found.flash.write_amplification),
        "daily_bytes": life.bytes_per_s * lifetime.DAY_S,
        "rated_life_s": _known(life.rated_years * lifetime.YEAR_S),
        "cell_life_s": _known(life.cell_years * lifetime.YEAR_S),
        "usd_per_year": _known(life.usd_per_year),
        "runs": program_wear.overlap_said(wear.recording.seconds, found.runs_per_day) or None,
        "not_seen": [*wear.recording.unseen, *_lost(wear)],
        "says": sentence(found),
    }


def _taken_for(wear: Wear) -> str:
    """The file system of the answer, and that of the recording where it is none of ours."""
    title, own = programs.FILE_SYSTEMS[wear.settings.file_system][0], wear.recording.file_system
    return f"{title}, in place of {own}, which is not modelled" if own and own not in programs.OF_LINUX else title


def _at_device(wear: Wear) -> dict | None:
    """What was recorded below the file system."""
    block = wear.recording.block
    if block is None:
        return None
    return {
        "disk": block.device,
        "written_bytes": block.written_bytes,
        "writes": block.size_bytes.size,
        "mean_write_bytes": _known(block.written_bytes / block.size_bytes.size) if block.size_bytes.size else None,
        "flushes": block.flushes,
        "discarded_bytes": block.discarded_bytes,
        "events_lost": block.lost,
    }


def _lost(wear: Wear) -> list[str]:
    lost = wear.recording.block.lost if wear.recording.block else 0
    few = "the disk got more than is told here: record a shorter run"
    return (
        [f"{so_many(lost, 'request')} of the disk came faster than they could be written down; {few}"] if lost else []
    )


def _known(value: float) -> float | None:
    """A number that there is: neither nan nor infinite."""
    return value if math.isfinite(value) else None


def _file(wear: Wear, path: str) -> dict:
    causes = {cause: wear.by.get((path, cause), 0) for cause in CAUSES}
    return {
        "path": path or "(no file)",
        "is": wear.labels.get(path, ""),
        "asked_bytes": wear.asked.get(path, 0),
        "device_bytes": wear.device_bytes_of(path),
        **{f"{cause.replace(' ', '_')}_bytes": size for cause, size in causes.items() if size},
    }
