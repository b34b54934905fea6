"""How a question is set: what differs from a preset. As words, as a link, and as the command line that answers it."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from pagecost import studies
from pagecost.errors import ModelError, known, require
from pagecost.studies import Study, StudyInputs
from pagecost.studies.fields import Choice, Choices, FilePath, Steps, kind_of
from pagecost_app import printing
from pagecost_app.made_with import as_typed
from pagecost_app.workspace.parts import State, Told

PRESET = "preset"  # in a link; no input has this name
MOST_TEXT = 4000  # letters of a value
MANY = 3  # so many chosen things are named, more are counted


@dataclass(frozen=True)
class Setting:
    """study: its name. preset: None for the defaults. values: name -> number, text or list, only where they differ."""

    study: str
    preset: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, study: Study, preset: str | None, values: Mapping) -> "Setting":
        """The setting in which the inputs have these values; a preset that there is not is none."""
        preset = preset if preset in study.presets else None
        base = of_preset(study, preset)
        given = {name: plain(value) for name, value in values.items() if name in base}
        return cls(study.name, preset, {name: value for name, value in given.items() if value != base[name]})

    @property
    def all_values(self) -> dict:
        """Every input, as it would be asked; not checked."""
        return of_preset(studies.find(self.study), self.preset) | dict(self.values)

    @property
    def is_default(self) -> bool:
        """Whether nothing was set."""
        return self.preset is None and not self.values

    def inputs(self) -> StudyInputs:
        """Checked inputs. Raises ModelError as `Study.inputs`."""
        return studies.find(self.study).inputs(self.values, self.preset)

    def record(self) -> State:
        """For JSON: what `of_record` reads."""
        return {"preset": self.preset, "values": dict(self.values)}

    def command(self, *more: str) -> str:
        """The line for a shell that answers it. more: further arguments."""
        sets = [part for name, value in self.values.items() for part in ("--set", f"{name}={as_typed(value)}")]
        preset = ["--preset", self.preset] if self.preset else []
        return shlex.join(["pagecost", "run", self.study, *preset, *sets, *more])

    def link(self) -> str:
        """What stands behind the address of the app to open it: `#STUDY?preset=…&NAME=VALUE`."""
        preset = {PRESET: self.preset} if self.preset else {}
        asked = urlencode(preset | {name: as_typed(value) for name, value in self.values.items()})
        return f"#{self.study}?{asked}" if asked else f"#{self.study}"


def of_record(study: str, record: State) -> tuple[Setting, list[str]]:
    """The setting that a file holds for a study, and sentences about what had to be left out of it.

    Raises ModelError where it is none at all, or the study is unknown.
    """
    found = studies.find(study)
    said: list[str] = []
    shaped = isinstance(record, dict) and isinstance(record.get("values"), dict)
    require(shaped, f"{study}: its setting has no preset and values; got {str(record)[:80]!r}")
    preset = record.get("preset")
    if preset is not None and preset not in found.presets:
        said.append(f"{study}: there is no preset {preset!r} any more; the defaults stand in its place")
        preset = None
    values = {}
    for name, value in record["values"].items():
        try:
            known("input", name, found.Inputs.model_fields)
            values[name] = _fitting(name, found.Inputs.model_fields[name], value)
        except ModelError as error:
            said.append(f"{study}: left out: {error}")
    return Setting.of(found, preset, values), said


def of_link(study: str, asked: str) -> Setting:
    """The setting of a study in a link: what stands there behind the "?".

    Raises ModelError with one sentence for an unknown study, preset or input, and a value that no control can show.
    """
    found = studies.find(study)
    require(len(asked) <= 2 * MOST_TEXT, f"a link has at most {2 * MOST_TEXT} letters; got {len(asked)}")
    given = dict(parse_qsl(asked.strip(), keep_blank_values=True))
    preset = given.pop(PRESET, None)
    if preset is not None:
        known("preset", preset, found.presets)
    fields = found.Inputs.model_fields
    for name in given:
        known("input", name, fields)
    texts = printing.split_lists(found, given)
    typed = {name: _fitting(name, fields[name], _typed(fields[name], text)) for name, text in texts.items()}
    return Setting.of(found, preset, typed)


def of_preset(study: Study, preset: str | None) -> dict:
    """Every input of a preset (None: the defaults), not checked."""
    base = study.Inputs.model_construct(**study.presets[preset] if preset else {})
    return {name: plain(getattr(base, name)) for name in study.Inputs.model_fields}


def shown(study: Study, name: str, value) -> str:
    """The value of an input as people read it."""
    kind = kind_of(study.Inputs.model_fields[name])
    if isinstance(kind, Steps) and isinstance(value, int | float):
        return kind.label(value)
    if isinstance(kind, Choices) and isinstance(value, list | tuple):
        options = {str(option): label for option, label in kind.options().items()}
        return ", ".join(options.get(str(each), str(each)) for each in value) or "none"
    if isinstance(kind, Choice) and value in (options := kind.options()):
        return options[value]
    return _file_name(str(value)) or "none"


def told(before: Setting, after: Setting) -> Told:
    """What differs between two settings of a study, in words."""
    study = studies.find(after.study)
    if before.preset != after.preset:
        return Told(f"Preset of {study.name}", after.preset or "defaults")
    old, new = before.all_values, after.all_values
    names = [name for name in new if new[name] != old[name]]
    if len(names) != 1:
        return Told(study.title, f"{len(names)} inputs")
    (name,) = names
    title = study.Inputs.model_fields[name].title or name
    if isinstance(new[name], list) and isinstance(old[name], list):
        return Told(title, _told_list(study, name, old[name], new[name]))
    return Told(title, f"{shown(study, name, old[name])} → {shown(study, name, new[name])}")


def _told_list(study: Study, name: str, old: list, new: list) -> str:
    came = [each for each in new if each not in old]
    went = [each for each in old if each not in new]
    if len(came) + len(went) > MANY:
        return f"{len(new)} chosen"
    with_sign = [f"+ {shown(study, name, [each])}" for each in came] + [
        f"− {shown(study, name, [each])}" for each in went
    ]
    return ", ".join(with_sign) or "in another order"


def plain(value):
    """As JSON holds it: lists for tuples, Python's own numbers."""
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    return value.item() if isinstance(value, np.generic) else value


def _file_name(text: str) -> str:
    return Path(text).name or text


def _typed(asked: FieldInfo, value):
    """A text of a link as what a control would give."""
    kind = kind_of(asked)
    if isinstance(kind, Choices):
        options = {str(option): option for option in kind.options()}
        return [options.get(each, each) if isinstance(each, str) else each for each in value]
    return value


def _number(asked: FieldInfo) -> TypeAdapter:
    """What checks the range of one input."""
    kind: Any = Annotated[asked.annotation, *asked.metadata]
    return TypeAdapter(kind)


def _fitting(name: str, asked: FieldInfo, value):
    """The value, if a control of that kind can show it; whether the study takes it is for the study to say.

    Raises ModelError with one sentence.
    """
    kind = kind_of(asked)
    if isinstance(kind, Steps):
        try:
            number = _number(asked).validate_python(value)
        except ValidationError as error:
            rule = error.errors()[0]["msg"].removeprefix("Input ")
            raise ModelError(f"{name}: it {rule}; got {str(value)[:80]!r}") from None
        require(isfinite(number) and not isinstance(value, bool), f"{name}: it must be a number; got {value!r}")
        return number
    if isinstance(kind, Choices):
        fits = isinstance(value, list) and all(isinstance(each, str | int | float) for each in value)
        require(fits and len(str(value)) <= MOST_TEXT, f"{name}: it must be a list of names; got {str(value)[:80]!r}")
        return value
    assert isinstance(kind, Choice | FilePath)
    fits = isinstance(value, str) and len(value) <= MOST_TEXT and value.isprintable()
    require(fits, f"{name}: it must be a text; got {str(value)[:80]!r}")
    return value
