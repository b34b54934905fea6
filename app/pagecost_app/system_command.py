"""`pagecost system`: a system as one file, which questions take what they can from."""

import sys
import tomllib
from pathlib import Path
from typing import Any

from pagecost import system
from pagecost.errors import ModelError, require
from pagecost.studies import STUDIES, Study
from pagecost.studies.fields import place_in_system


def new(file: Path, changes: dict[str, str], force: bool) -> str:
    """Write a system with these changes (path -> text of a TOML value); what was written, as a sentence.

    Raises ModelError for a file that is there already, and for a change that breaks a rule.
    """
    require(force or not file.exists(), f"system {file}: the file is there already; --force writes over it")
    made = changed(system.System(), changes)
    system.write(made, file)
    return f"wrote {file}: {_sentence(made)}"


def changed(base: system.System, changes: dict[str, str]) -> system.System:
    """A system with other values at some paths (`memory.policy`, `devices.database.count`). Raises ModelError."""
    content = {"schema": system.SCHEMA} | base.model_dump(mode="json")
    for path, text in changes.items():
        *parts, last = path.split(".")
        here: Any = content
        for number, part in enumerate(parts):
            if number and parts[number - 1] == "devices":
                continue
            here = here.get(part) if isinstance(here, dict) else None
            if part == "devices" and len(parts) > number + 1:
                here = _place(here, parts[number + 1])
        require(isinstance(here, dict) and path != "schema", f"a system has no {path}; it has {', '.join(_paths())}")
        here[last] = _value(text)
    return system.of(content)


def show(file: Path) -> tuple[system.System, dict[str, list[str]]]:
    """The system in a file, and for each of its paths which `study.input` takes it."""
    found = system.read(file)
    takers: dict[str, list[str]] = {}
    for study in STUDIES.values():
        for name, field in study.Inputs.model_fields.items():
            if path := place_in_system(field):
                takers.setdefault(path, []).append(f"{study.name}.{name}")
    return found, takers


def check(file: Path) -> str:
    """What the system is and which studies take something from it, as lines; those that cannot take it say why.

    Raises ModelError when the file is no system.
    """
    found = system.read(file)
    taking, refused = [], []
    for study in filter(_takes, STUDIES.values()):
        try:
            study.inputs(system=found)
            taking.append(study.name)
        except ModelError as error:
            refused.append(f"  not for {error}")
    lines = [f"{file} is a system: {_sentence(found)}", f"{len(taking)} studies take it: {', '.join(taking)}"]
    return "\n".join([*lines, *refused])


def taken(study: Study, file: Path) -> system.System:
    """The system in a file, after saying on standard error what the study takes from it.

    Raises ModelError where it takes nothing.
    """
    found = system.read(file)
    values = study.of_system(found)
    others = ", ".join(other.name for other in filter(_takes, STUDIES.values()))
    require(bool(values), f"{study.name} takes nothing from a system; these do: {others}")
    shown = ", ".join(f"{name} = {_shown(value)}" for name, value in values.items())
    print(f"from {file}: {shown}", file=sys.stderr)
    return found


def _takes(study: Study) -> bool:
    return any(map(place_in_system, study.Inputs.model_fields.values()))


def _place(placements, role: str) -> dict:
    found = next((item for item in placements if item["role"] == role), None)
    if found is None:
        found = {"role": role}
        placements.append(found)
    return found


def _value(text: str):
    """A TOML value, or the text itself where it is none."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _paths() -> list[str]:
    names = []
    for name, field in system.System.model_fields.items():
        if name == "devices":
            names += [f"devices.ROLE.{part}" for part in system.Placement.model_fields]
        else:
            inner = getattr(field.annotation, "model_fields", None)
            names += [f"{name}.{part}" for part in inner] if inner else [name]
    return names


def _shown(value) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _sentence(found: system.System) -> str:
    places = "; ".join(f"{item.role} on {item.count} × {item.device} ({item.level})" for item in found.devices)
    memory = f"{found.memory.buffer_frames} frames, {found.memory.policy}"
    return f"{found.name}, {found.load.source}, {memory}, {places}, {found.economics.horizon_years:g} years"
