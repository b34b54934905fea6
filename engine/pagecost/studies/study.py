"""What a study is: a question, inputs in, labelled columns out."""

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Generic, Protocol, TypeVar

import numpy as np
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from pagecost import reads, units
from pagecost.errors import ModelError, known, require
from pagecost.studies.fields import kind_of
from pagecost.studies.taking import Taken, taken
from pagecost.system import System
from pagecost.validation import Checked, sentence


class StudyInputs(Checked):
    """Base of every study's inputs: frozen, complete, and no unknown names. What is read of them can be recorded."""

    def __getattribute__(self, name: str):
        value = super().__getattribute__(name)
        if reads.are_recorded() and name in type(self).model_fields:
            reads.note([f"input:{type(self).__module__.rpartition('.')[2]}.{name}={value}"])
        return value

    @classmethod
    def unit(cls, name: str, field: FieldInfo) -> str:
        """The unit that the kind of an input says."""
        return getattr(kind_of(field), "unit", "1")


@dataclass(frozen=True)
class Column:
    """One column of a table. unit: a symbol of `units.UNITS` in which the values stand, "1" for ratios and counts,
    "text" for labels. names: what people call the labels (id -> name), where programs use ids.

    Raises ModelError for an unknown unit.
    """

    values: np.ndarray
    unit: str
    label: str
    names: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self):
        units.known_unit(self.unit)

    def cell(self, row: int) -> str:
        """The value of a row as every face shows it to people."""
        value = self.values[row]
        if self.names:
            value = self.names.get(str(value), value)
        return units.format_cell(value, self.unit, self._decimal)

    @cached_property
    def _decimal(self) -> bool:
        """Whether its bytes are shown decimal although some are round in binary: so that a column has one system."""
        return self.unit == "B" and units.decimal_bytes(self.values.tolist())

    def cells(self) -> list[str]:
        """`cell` of every row."""
        return [self.cell(row) for row in range(self.values.size)]

    @property
    def axis(self) -> str:
        """What stands at an axis: the label, with the unit where the numbers have one."""
        return self.label if self.unit in ("1", units.TEXT) else f"{self.label} [{self.unit}]"


@dataclass(frozen=True)
class Fact:
    """One number or text of an answer that is no row of a table. unit, label: as for a `Column`."""

    value: float | int | str | None
    unit: str
    label: str

    def __post_init__(self):
        units.known_unit(self.unit)

    @property
    def cell(self) -> str:
        """The value as every face shows it to people."""
        return units.format_cell(self.value, self.unit)

    @property
    def number(self) -> float:
        """The value to compute with, nan where it is not known. Raises ModelError for a text."""
        if isinstance(self.value, str):
            raise ModelError(f"{self.label} is a text, {self.value!r}, not a number")
        return math.nan if self.value is None else self.value


@dataclass(frozen=True, eq=False)
class Table:
    """Aligned labelled columns. Raises ModelError for columns of different lengths."""

    columns: Mapping[str, Column]

    def __post_init__(self):
        sizes = {name: column.values.size for name, column in self.columns.items()}
        require(len(set(sizes.values())) == 1, f"the columns of a table must have one length; got {sizes}")

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name].values

    def __len__(self) -> int:
        return next(iter(self.columns.values())).values.size

    def rows(self, **where) -> np.ndarray:
        """Indices of the rows whose columns equal the given values, shape (k,)."""
        kept = np.ones(len(self), bool)
        for name, value in where.items():
            kept &= self[known("column", name, self.columns)] == value
        return np.flatnonzero(kept)

    def arrays(self) -> dict:
        """The columns by name, bare: float and integer arrays, texts as lists."""
        return {
            name: column.values.tolist() if column.unit == units.TEXT else column.values
            for name, column in self.columns.items()
        }

    def plain(self) -> dict[str, list]:
        """The columns as lists of plain Python numbers and strings; what is not known (nan) becomes None."""
        return {name: [_plain(value) for value in column.values.tolist()] for name, column in self.columns.items()}

    def csv(self) -> str:
        """The table as text: one header line `name [unit]`, every digit kept."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(name if c.unit == units.TEXT else f"{name} [{c.unit}]" for name, c in self.columns.items())
        writer.writerows(zip(*self.plain().values(), strict=True))
        return text.getvalue()


MAIN = "main"  # the table that the chart draws, where an answer has one only


@dataclass(frozen=True, eq=False)
class Result:
    """An answer: tables, the first of which is the main one, facts, and sentences that a reader must know to use them.

    What a result is asked for as if it were a table, its main table answers.
    """

    tables: Mapping[str, Table]
    facts: Mapping[str, Fact] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Column],
        notes: Iterable[str] = (),
        *,
        facts: Mapping[str, Fact] | None = None,
        more: Mapping[str, Mapping[str, Column]] | None = None,
    ) -> "Result":
        """A result whose main table has these columns. more: further tables, name -> columns."""
        tables = {MAIN: Table(columns)} | {name: Table(each) for name, each in (more or {}).items()}
        return cls(tables, facts or {}, tuple(notes))

    def with_notes(self, notes: Iterable[str]) -> "Result":
        """The same answer with other notes."""
        return replace(self, notes=tuple(notes))

    @property
    def main(self) -> Table:
        """The main table."""
        return next(iter(self.tables.values()))

    @property
    def columns(self) -> Mapping[str, Column]:
        """The columns of the main table."""
        return self.main.columns

    def __getitem__(self, name: str) -> np.ndarray:
        return self.main[name]

    def __len__(self) -> int:
        return len(self.main)

    def rows(self, **where) -> np.ndarray:
        """Indices of the rows of the main table whose columns equal the given values, shape (k,)."""
        return self.main.rows(**where)

    def rows_in(self, table: str, /, **where) -> np.ndarray:
        """`rows` of a further table, shape (k,); none where the answer has no such table."""
        return self.tables[table].rows(**where) if table in self.tables else np.empty(0, np.int64)

    def cell(self, name: str, row: int) -> str:
        """A value of the main table as every face shows it to people."""
        return self.columns[name].cell(row)

    def arrays(self) -> dict:
        """The columns of the main table by name, bare."""
        return self.main.arrays()

    def plain(self) -> dict[str, list]:
        """The columns of the main table as plain lists; what is not known (nan) becomes None."""
        return self.main.plain()

    def csv(self, table: str | None = None) -> str:
        """A table (default: the main one) as text with every digit. Raises ModelError for an unknown table."""
        return (self.tables[known("table", table, self.tables)] if table else self.main).csv()

    def record(self) -> dict:
        """The whole answer as plain lists, numbers and texts, for JSON: the main table as `columns` and `units`, the
        others under `tables`, then `facts` and `notes`."""
        others = {name: table for name, table in self.tables.items() if table is not self.main}
        facts = {
            name: {"value": _plain(fact.value), "unit": fact.unit, "label": fact.label}
            for name, fact in self.facts.items()
        }
        return (
            _table_record(self.main)
            | {"tables": {name: _table_record(table) for name, table in others.items()}}
            | {"facts": facts, "notes": list(self.notes)}
        )


def _table_record(table: Table) -> dict:
    return {
        "columns": table.plain(),
        "units": {name: column.unit for name, column in table.columns.items()},
        "labels": {name: column.label for name, column in table.columns.items()},
    }


def _plain(value):
    """A number of NumPy as Python's own; nan as None."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if value != value else value


Growing = Callable[[], Result] | None
"""What makes a growing result of what is there now, if there is one to show: only a face that draws it makes it, and
perhaps later, so that it holds copies of what grows on."""
Progress = Callable[[float, Growing], None]
"""progress(share done, growing); it may raise to cancel."""


def no_progress(share: float, growing: Growing) -> None:
    """The progress of someone who just waits."""


def part_of(progress: Progress, start: float, end: float) -> Progress:
    """The progress of a part of the work, from the share `start` of the whole to `end`."""

    def of_part(share: float, growing: Growing) -> None:
        progress(start + (end - start) * share, growing)

    return of_part


Asked = TypeVar("Asked", bound=StudyInputs)
"""The inputs of one study."""
AskedOf = TypeVar("AskedOf", bound=StudyInputs, contravariant=True)


class Compute(Protocol[AskedOf]):
    """What answers a question: compute(inputs) or compute(inputs, progress)."""

    def __call__(self, inputs: AskedOf, progress: Progress = ..., /) -> Result: ...


class _Formulas(Exception):
    """Carries the result of the formulas out of a study."""

    def __init__(self, result: Result):
        self.result = result


def formulas_first(compute: Compute[AskedOf]) -> Callable[[AskedOf], Result]:
    """The `estimate` of a study that hands on a result of its formulas at share 0, before anything is simulated.

    It raises ModelError where the study hands on none.
    """

    def take(share: float, growing: Growing) -> None:
        if share > 0:
            raise ModelError("no formula is known for these inputs")
        if growing is not None:
            raise _Formulas(growing())

    def estimate(inputs: AskedOf) -> Result:
        try:
            return compute(inputs, take)
        except _Formulas as found:
            return found.result

    return estimate


PLACES = {
    "load": "what is asked for, and how it is stored",
    "buffer": "pages that are kept in memory",
    "log": "what makes a commit durable",
    "file system": "where on the volume a page goes",
    "device": "how long disk and flash take, and what they wear",
    "money": "what it costs over the years",
    "whole path": "all of it together",
}
"""What a question can be about, along the way of a page access, each in words."""


@dataclass(frozen=True)
class Study(Generic[Asked]):
    """A question and how it is answered.

    compute(inputs, progress) returns the Result. explain(inputs, result) lists the formula with the numbers filled in,
    one sentence a line. describe(inputs, result) is the answer in words, a `finding.Finding` that knows its numbers;
    the result may still be growing, or be an `estimate`. presets: name -> values that differ from the defaults. place:
    what of the path it is about, one of `PLACES`. source: where the question is from. estimate(inputs), where there are
    closed forms beside a simulation: a Result like that of `compute`, much sooner, with nan in place of what only a
    simulation knows. Faces find studies in `STUDIES`. Raises ModelError for an unknown place.
    """

    name: str
    title: str
    Inputs: type[Asked]
    compute: Compute[Asked]
    explain: Callable[[Asked, Result], list[str]]
    describe: Callable[[Asked, Result], str]
    place: str
    source: str
    presets: Mapping[str, Mapping] = field(default_factory=dict)
    estimate: Callable[[Asked], Result] | None = None

    def __post_init__(self):
        known("place on the path", self.place, PLACES)

    @property
    def module(self) -> str:
        """Name of the module that the study stands in."""
        return self.Inputs.__module__

    @property
    def topic(self) -> str:
        """The topic that the study belongs to: the folder that it stands in."""
        return self.module.split(".")[-2]

    def of_system(self, system: System, preset: str | None = None, values: Mapping | None = None) -> Taken:
        """What a system fills in, and what it cannot and why. preset, values: what the other inputs are; those that
        `values` names take nothing.

        Raises ModelError for an unknown preset, NotCompiled as `taken`.
        """
        return taken(self.Inputs, system, self._start(preset), values)

    def _start(self, preset: str | None) -> dict:
        return dict(self.presets[known("preset", preset, self.presets)]) if preset else {}

    def inputs(self, values: Mapping | None = None, preset: str | None = None, system: System | None = None) -> Asked:
        """Checked inputs: the defaults, changed by the preset, by the system, by `values` (text is converted).

        What the system says and the study cannot take is left out (`of_system` says why). Raises ModelError with one
        sentence for an unknown preset or input, or a value that breaks a rule.
        """
        chosen = self._start(preset)
        chosen |= dict(self.of_system(system, preset, values).values if system else {}) | dict(values or {})
        try:
            return self.Inputs(**chosen)
        except ValidationError as error:
            raise ModelError(f"{self.name}: {sentence(error, self.Inputs.model_fields)}") from None
