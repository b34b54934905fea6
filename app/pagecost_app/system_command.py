"""`pagecost system`: a system as one file, which questions take what they can from."""

import json
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from pagecost import system, texts
from pagecost.errors import require
from pagecost.studies import STUDIES, Study
from pagecost.studies.taking import Taken, takes
from pagecost.units import format_years, grouped, so_many
from pagecost.workload import iostat, measured, sources, traces
from pagecost.workload.measured import MeasuredLoad
from pagecost.workload.traces import packed
from pagecost_app import printing
from pagecost_app.command_parts import DataFormat, Output
from pagecost_app.waiting import progress_line


def new(file: Path, changes: dict[str, str], force: bool, load: MeasuredLoad | None = None) -> str:
    """Write a system with these changes (path -> text of a TOML value); what was written, as a sentence.

    load: fills in what the system says of the load, before the changes. Raises ModelError for a file that is there
    already, for a change that breaks a rule, and for a load in which nothing was asked.
    """
    require(not file.is_dir(), f"system {file}: this is a folder; name a file in it, such as {file / 'system.toml'}")
    require(force or not file.exists(), f"system {file}: the file is there already; --force writes over it")
    filled = {} if load is None else load.of_system()
    made = system.System().changed(filled | {path: _value(text) for path, text in changes.items()})
    system.write(made, file)
    return f"wrote {file}: {_sentence(made)}"


def measured_load(file: str, device: str | None, trace_format: str | None = None, kept: bool = True) -> MeasuredLoad:
    """The load in a file of `iostat -x` (of one device, that with most requests where none is named) or in a trace.

    kept: the file stays where it is, so that a trace can be replayed. Raises ModelError for what is neither.
    """
    path = traces.path_of(file)
    require(
        path.suffix.lower() != ".toml" or not path.is_file(),
        f"{file}: a load is read from iostat -x or from a trace; this is TOML, as a system or a device is",
    )
    if (
        trace_format is None
        and path.is_file()
        and iostat.is_one(texts.of_bytes(packed.head_of(path, 1 << 16), "replace"))
    ):
        return iostat.of_device(path, device)
    require(device is None, f"{file}: --device names one of the devices of iostat; this is no output of iostat -x")
    pieces = sources.Pieces(file, trace_format, None, progress_line("reading"))
    return measured.of_trace(pieces, replayed_as(file, pieces) if kept else None)


def replayed_as(file: str, pieces: sources.Pieces) -> str:
    """The name that finds a trace again from any folder, with its columns where they were named."""
    columns = (pieces.asked_format or "").removeprefix(traces.PREFIX)
    named = f"#{columns}" if columns != (pieces.asked_format or "") else ""
    return f"{pieces.path.resolve()}{named}" if pieces.path and file not in sources.titles() else file


def described(load: MeasuredLoad) -> dict:
    """Named facts about a measured load."""
    found = asdict(load) | {"rates_hz": [round(rate, 3) for rate in load.rates_hz]}
    return {name: value for name, value in found.items() if value not in (None, [], ()) and name != "notes"} | {
        "notes": [{"note": note} for note in load.notes]
    }


def show(file: Path) -> tuple[system.System, dict[str, list[str]]]:
    """The system in a file, and for each of its paths which `study.input` takes it."""
    found = system.read(file)
    takers: dict[str, list[str]] = {}
    for study in STUDIES.values():
        for name, path in takes(study.Inputs).items():
            takers.setdefault(path, []).append(f"{study.name}.{name}")
    return found, takers


def print_all(found: system.System, takers: dict[str, list[str]], out: Output) -> None:
    """Print a system: its values with their meaning, and which inputs take them."""
    if out.format == DataFormat.json:
        printing.as_json({"schema": system.SCHEMA} | found.model_dump(mode="json"))
        return
    rows = []
    for name, field in type(found).model_fields.items():
        part = getattr(found, name)
        if name == "devices":
            groups = [(f"devices.{item.role}", item) for item in part]
        elif hasattr(part, "model_dump"):
            groups = [(name, part)]
        else:
            rows.append((name, str(part), field.description or "", ""))
            continue
        for prefix, item in groups:
            for inner, described in type(item).model_fields.items():
                path = f"{prefix}.{inner}"
                value = getattr(item, inner)
                text = json.dumps(value) if isinstance(value, dict) else str(value)
                rows.append((path, text, described.description or "", ", ".join(takers.get(path, ()))))
    named = [dict(zip(("value", "is", "meaning", "taken by"), row, strict=True)) for row in rows]
    printing.records(named, out, printing.typed(out), _sentence(found), most=None)


def check(file: Path) -> str:
    """What the system is and what studies take from it, as lines; what they cannot take stands there with the reason.

    Raises ModelError when the file is no system.
    """
    found = system.read(file)
    of_study = {study.name: study.of_system(found) for study in STUDIES.values()}
    taking = [name for name, taken in of_study.items() if taken.values]
    refused = [line for name, taken in of_study.items() for line in _refused(name, taken)]
    lines = [
        f"{file} is a system: {_sentence(found)}",
        f"{so_many(len(taking), 'study takes', 'studies take')} from it: {', '.join(taking)}",
    ]
    return "\n".join([*lines, *(f"  not for {line}" for line in refused)])


def taken(study: Study, file: Path, preset: str | None, values: Mapping) -> system.System:
    """The system in a file, after saying on standard error what the study takes from it, and what it cannot and why.

    values: of inputs that are set and take nothing.

    Raises ModelError where it can take nothing.
    """
    found = system.read(file)
    of_study = study.of_system(found, preset, values)
    others = ", ".join(other.name for other in STUDIES.values() if takes(other.Inputs))
    refused = _refused(study.name, of_study)
    require(bool(of_study.values or refused), f"{study.name} takes nothing from a system; these do: {others}")
    require(bool(of_study.values), f"{study.name} can take nothing from {file}: {'; '.join(refused)}")
    shown = ", ".join(f"{name} = {_shown(value)}" for name, value in of_study.values.items())
    print(f"from {file}: {shown}", file=sys.stderr)
    for line in refused:
        print(f"not from {file}: {line}", file=sys.stderr)
    return found


def _refused(study: str, found: Taken) -> list[str]:
    return [f"{study}.{name}: {why.removeprefix(f'{name}: ')}" for name, why in found.refused.items()]


def _value(text: str):
    """A TOML value, or the text itself where it is none."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _shown(value) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _sentence(found: system.System) -> str:
    places = "; ".join(f"{item.role} on {item.count} × {item.device} ({item.level})" for item in found.devices)
    memory = f"{grouped(found.memory.buffer_frames)} frames, {found.memory.policy}"
    return f"{found.name}, {found.load.source}, {memory}, {places}, {format_years(found.economics.horizon_years)}"
