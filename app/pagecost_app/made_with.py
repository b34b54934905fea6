"""What an answer was made with, for whoever gets it without its maker: versions, question, inputs, devices, seed.

It stands in JSON as a key, before CSV as lines that begin with #, under a chart as one line. No time of day is in it
unless a date is given, so that the same question gives the same bytes.
"""

import json
import shlex
from collections.abc import Mapping
from typing import Any

from pagecost import catalogue, provenance
from pagecost.studies import Study, StudyInputs
from pagecost_app import stdin

UNITS = "units: as the names of the columns say: SI, bytes, dollars (usd), whatever is shown elsewhere"
SEED = "seed"  # the input that says what is drawn


def of_study(study: Study, inputs: StudyInputs, date: str | None = None) -> dict[str, Any]:
    """The provenance of an answer of a study, as plain values; `inputs` are those that differ from the defaults.

    date: as it shall stand there, if any.
    """
    found = of_command(run_line(study, inputs), date)
    found |= {"study": study.name, "inputs": _plain(changed(study, inputs))}
    found["devices"] = devices_in(inputs.model_dump())
    if SEED in study.Inputs.model_fields:
        found[SEED] = getattr(inputs, SEED)
    return found


def of_command(command: str, date: str | None = None, named: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The provenance of what a command gives. command: as it is typed. named: values, in which devices may be named."""
    found: dict[str, Any] = {"command": command, "versions": provenance.versions(), "state": provenance.state()}
    if named is not None:
        found["devices"] = devices_in(named)
    return found | ({"date": date} if date else {})


def changed(study: Study, inputs: StudyInputs) -> dict[str, Any]:
    """The inputs that differ from the defaults."""
    defaults = study.Inputs()
    given = inputs.model_dump().items()
    return {name: stdin.as_typed(value) for name, value in given if value != getattr(defaults, name)}


def run_line(study: Study, inputs: StudyInputs) -> str:
    """The command that gives the same answer: `pagecost run STUDY --set …`, for a shell."""
    sets = [f"--set {shlex.quote(f'{name}={as_typed(value)}')}" for name, value in changed(study, inputs).items()]
    return " ".join(["pagecost run", study.name, *sets])


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs as JSON knows them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def devices_in(values: Mapping[str, Any]) -> dict[str, str]:
    """The devices of the catalogue that are named among some values: id -> name."""
    known = catalogue.devices()
    texts = [each for value in values.values() for each in (value if isinstance(value, list | tuple) else (value,))]
    return {text: known[text].name for text in texts if isinstance(text, str) and text in known}


def lines(made: Mapping[str, Any]) -> list[str]:
    """The provenance as lines of text, without anything that breaks a line."""
    return [" ".join(f"{name}: {_said(value)}".split()) for name, value in made.items() if value not in ({}, None)]


def in_one_line(made: Mapping[str, Any]) -> str:
    """The provenance under a picture."""
    parts = [f"pagecost {made['versions']['pagecost']}", made["command"]]
    parts += [f"devices: {', '.join(made['devices'].values())}"] if made.get("devices") else []
    parts += [f"{SEED} {made[SEED]}"] if SEED in made else []
    parts += [made["date"]] if made.get("date") else []
    return " · ".join(" ".join(str(part).split()) for part in parts)


def head(made: Mapping[str, Any]) -> str:
    """The provenance as lines before CSV: readers are told that lines with # are no data."""
    return "".join(f"# {line}\n" for line in (*lines(made), UNITS))


def _said(value) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_said(each)}" for name, each in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def as_typed(value) -> str:
    """A value as `--set` takes it: a list with commas between, as JSON where they would not do."""
    if not isinstance(value, list | tuple):
        return str(value)
    texts = [str(each) for each in value]
    plain = texts and all(text and text == text.strip() and "," not in text for text in texts)
    return ",".join(texts) if plain and not texts[0].startswith("[") else json.dumps(value, ensure_ascii=False)
