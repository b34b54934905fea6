"""Answers that are kept to be compared: question, inputs, finding, tables and the versions that gave them."""

import datetime
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pagecost import provenance, studies
from pagecost.errors import ModelError, require
from pagecost.studies import Column, Result, Study, StudyInputs
from pagecost.studies.study import Fact, Table
from pagecost_app.workspace import settings
from pagecost_app.workspace.parts import State, Told
from pagecost_app.workspace.settings import Setting

MOST = 40  # that a project keeps
LARGEST_CELLS = 200_000  # of an answer that is kept
MOST_RECENT = 30
MOST_NAME = 80  # letters


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class Answer:
    """name: what a person calls it. values: of every input, as it was asked. headline: the answer in a sentence."""

    study: str
    name: str
    preset: str | None
    values: Mapping[str, Any]
    headline: str
    result: Result
    made_at: str = field(default_factory=_now)
    versions: Mapping[str, str] = field(default_factory=provenance.versions)

    @classmethod
    def of(cls, study: Study, preset: str | None, inputs: StudyInputs, result: Result, headline: str) -> "Answer":
        """An answer as it is shown. Raises ModelError for one that is too large to be kept."""
        cells = sum(len(table) * len(table.columns) for table in result.tables.values())
        require(
            cells <= LARGEST_CELLS,
            f"{study.name}: this answer has {cells} numbers; up to {LARGEST_CELLS} are kept. Copy its command instead",
        )
        values = settings.plain({name: getattr(inputs, name) for name in study.Inputs.model_fields})
        made = cls(study.name, "", preset, values, headline, result)
        return replace(made, name=made.default_name)

    @property
    def setting(self) -> Setting:
        """What opens the question as it was asked."""
        return Setting.of(studies.find(self.study), self.preset, self.values)

    @property
    def version(self) -> str:
        """Of the pagecost that computed it."""
        return self.versions.get("pagecost", "?")

    @property
    def is_of_another_version(self) -> bool:
        """Whether what computes was another one: then it need not be understood here."""
        return dict(self.versions) != provenance.versions()

    @property
    def inputs(self) -> StudyInputs:
        """What was asked, for a chart that draws it; not checked again."""
        given = {name: tuple(value) if isinstance(value, list) else value for name, value in self.values.items()}
        return studies.find(self.study).Inputs.model_construct(**given)

    @property
    def default_name(self) -> str:
        """What differs from the preset, in words."""
        study, setting = studies.find(self.study), self.setting
        fields = study.Inputs.model_fields
        said = [f"{fields[name].title or name} {settings.shown(study, name, v)}" for name, v in setting.values.items()]
        named = ", ".join([*([setting.preset] if setting.preset else []), *said]) or "defaults"
        return named if len(named) <= MOST_NAME else f"{named[: MOST_NAME - 1]}…"

    def record(self) -> State:
        """For JSON: what `of_record` reads, to the last digit."""
        return {
            "study": self.study,
            "name": self.name,
            "preset": self.preset,
            "values": dict(self.values),
            "headline": self.headline,
            "made_at": self.made_at,
            "versions": dict(self.versions),
            "tables": {name: _table_record(table) for name, table in self.result.tables.items()},
            "facts": {
                name: {"value": _coded(fact.value), "unit": fact.unit, "label": fact.label}
                for name, fact in self.result.facts.items()
            },
            "notes": list(self.result.notes),
        }


def of_record(record: State) -> Answer:
    """The answer that `record` wrote. Raises ModelError for anything else, and for a study that is gone."""
    try:
        tables = {name: _table(each) for name, each in record["tables"].items()}
        facts = {name: Fact(_decoded(f["value"]), f["unit"], f["label"]) for name, f in record["facts"].items()}
        study = studies.find(record["study"])
        return Answer(
            study.name,
            str(record["name"]),
            record["preset"] if record["preset"] in study.presets else None,
            dict(record["values"]),
            str(record["headline"]),
            Result(tables, facts, tuple(map(str, record["notes"]))),
            str(record["made_at"]),
            dict(record["versions"]),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:  # ModelError is a ValueError
        why = str(error) if isinstance(error, ModelError) else f"{type(error).__name__}: {error}"
        raise ModelError(f"a kept answer cannot be shown: {why}") from None


class Answers:
    """The kept answers as a part of the workspace, in the order in which they were kept."""

    name = "answers"

    def __init__(self) -> None:
        self._state: list[State] = []
        self._read: dict[int, tuple[State, Answer]] = {}  # by the identity of the record, which is kept with it
        self._changed: list[Callable[[], None]] = []

    @property
    def kept(self) -> list[Answer]:
        """All of them."""
        return [self._answer(record) for record in self._state]

    def keep(self, answer: Answer) -> Answer:
        """Keep it, under a name that no other has. Raises ModelError when there are too many."""
        require(len(self._state) < MOST, f"{MOST} answers are kept already; remove one on the page Compare")
        answer = replace(answer, name=self._free_name(answer.study, answer.name))
        record = answer.record()
        self._read[id(record)] = record, answer
        self._set([*self._state, record])
        return answer

    def remove(self, place: int) -> None:
        """Take one out."""
        self._set(self._state[:place] + self._state[place + 1 :])

    def rename(self, place: int, name: str) -> None:
        """Call one by another name. Raises ModelError for none."""
        name = " ".join(name.split())[:MOST_NAME]
        require(bool(name), "an answer needs a name; nothing was written")
        record = self._state[place]
        if name != record["name"]:
            free = self._free_name(record["study"], name)
            self._set([*self._state[:place], {**record, "name": free}, *self._state[place + 1 :]])

    def state(self) -> State:
        return self._state

    def restore(self, state: State) -> None:
        """Raises ModelError that says what had to be left out."""
        require(isinstance(state, list), f"the kept answers are damaged: {str(state)[:80]!r}")
        said, self._state = [], []
        for record in state[:MOST]:
            try:
                self._answer(record)
                self._state.append(record)
            except ModelError as error:
                said.append(str(error))
        require(not said, "; ".join(said))

    def on_change(self, callback: Callable[[], None]) -> None:
        self._changed.append(callback)

    def told(self, before: State, after: State) -> Told:
        """Which answer was kept, removed or renamed."""
        came = [record["name"] for record in after if record not in before]
        went = [record["name"] for record in before if record not in after]
        if came and went:
            return Told("Renamed an answer", f"{went[0]} → {came[0]}")
        return Told("Kept" if came else "Removed", ", ".join(came or went))

    def _answer(self, record: State) -> Answer:
        known = self._read.get(id(record))
        if known is None:
            known = self._read[id(record)] = record, of_record(record)
        return known[1]

    def _free_name(self, study: str, name: str) -> str:
        names = {record["name"] for record in self._state if record["study"] == study}
        number, free = 1, name
        while free in names:
            number += 1
            free = f"{name} ({number})"
        return free

    def _set(self, state: list[State]) -> None:
        self._state = state
        for callback in self._changed:
            callback()


class Recent:
    """The latest answers that were looked at: question, setting and finding, as a part of the workspace."""

    name = "recent"
    passing = True

    def __init__(self) -> None:
        self._state: list[State] = []
        self._changed: list[Callable[[], None]] = []

    def note(self, setting: Setting, headline: str) -> None:
        """An answer is shown now; where it was shown before it comes to the front."""
        record = {"study": setting.study, **setting.record(), "headline": headline, "made_at": _now()}
        same = [
            each
            for each in self._state
            if (each["study"], each["preset"], each["values"]) != (setting.study, setting.preset, dict(setting.values))
        ]
        self._state = [record, *same][:MOST_RECENT]
        for callback in self._changed:
            callback()

    def state(self) -> State:
        return self._state

    def restore(self, state: State) -> None:
        """What is none is left out."""
        shaped = isinstance(state, list)
        self._state = [each for each in state if _is_recent(each)][:MOST_RECENT] if shaped else []

    def on_change(self, callback: Callable[[], None]) -> None:
        self._changed.append(callback)


def _is_recent(record: State) -> bool:
    if not isinstance(record, dict) or record.get("study") not in studies.STUDIES:
        return False
    texts = all(isinstance(record.get(key), str) for key in ("headline", "made_at"))
    return texts and isinstance(record.get("values"), dict) and isinstance(record.get("preset"), str | None)


def _table_record(table: Table) -> State:
    return {
        name: {
            "values": [_coded(value) for value in column.values.tolist()],
            "type": column.values.dtype.str,
            "unit": column.unit,
            "label": column.label,
            "names": dict(column.names),
        }
        for name, column in table.columns.items()
    }


def _table(record: State) -> Table:
    return Table(
        {
            name: Column(
                np.array([_decoded(value) for value in each["values"]], dtype=_type(each["type"])),
                each["unit"],
                str(each["label"]),
                {str(key): str(name) for key, name in each["names"].items()},
            )
            for name, each in record.items()
        }
    )


def _type(text: str) -> np.dtype:
    found = np.dtype(text)
    require(found.kind in "fiubU", f"a column holds {text!r}, neither numbers nor texts")
    return found


def _coded(value):
    """A number that JSON cannot hold as a list of its name."""
    return [repr(value)] if isinstance(value, float) and not math.isfinite(value) else value


def _decoded(value):
    return float(value[0]) if isinstance(value, list) else value
