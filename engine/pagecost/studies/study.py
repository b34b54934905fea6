"""What a study is: a question, inputs in, labelled columns out."""

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from pagecost.errors import ModelError, known


class StudyInputs(BaseModel):
    """Base of every study's inputs: frozen, complete, and no unknown names."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True)
class Column:
    """One column of a result. unit: SI symbol, "1" for ratios and counts, "text" for labels."""

    values: np.ndarray
    unit: str
    label: str


@dataclass(frozen=True, eq=False)
class Result:
    """Aligned labelled columns, plus sentences that a reader must know to use them."""

    columns: Mapping[str, Column]
    notes: tuple[str, ...] = ()

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
            name: column.values.tolist() if column.unit == "text" else column.values
            for name, column in self.columns.items()
        }

    def plain(self) -> dict[str, list]:
        """The columns as lists of plain Python numbers and strings; what is not known (nan) becomes None."""
        return {name: [_plain(value) for value in column.values.tolist()] for name, column in self.columns.items()}

    def csv(self) -> str:
        """The table as text: one header line `name [unit]`, every digit kept."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(name if c.unit == "text" else f"{name} [{c.unit}]" for name, c in self.columns.items())
        writer.writerows(zip(*self.plain().values(), strict=True))
        return text.getvalue()


def _plain(value):
    return None if value != value else value


Progress = Callable[[float, Result | None], None]
"""progress(share done, the growing result if there is one to show); it may raise to cancel."""


def no_progress(share: float, partial: Result | None) -> None:
    """The progress of someone who just waits."""


def part_of(progress: Progress, start: float, end: float) -> Progress:
    """The progress of a part of the work, from the share `start` of the whole to `end`."""
    return lambda share, partial=None: progress(start + (end - start) * share, partial)


@dataclass(frozen=True)
class Study:
    """A question and how it is answered.

    compute(inputs, progress) returns the Result. explain(inputs, result) lists the formula with the numbers filled
    in, one sentence a line. presets: name -> values that differ from the defaults. source: where the question is
    from. Faces find studies in `STUDIES`.
    """

    name: str
    title: str
    Inputs: type[StudyInputs]
    compute: Callable[..., Result]
    explain: Callable[[StudyInputs, Result], list[str]]
    source: str
    presets: Mapping[str, Mapping] = field(default_factory=dict)

    @property
    def module(self) -> str:
        """Name of the module that the study stands in."""
        return self.Inputs.__module__

    @property
    def topic(self) -> str:
        """The topic that the study belongs to: the folder that it stands in."""
        return self.module.split(".")[-2]

    def inputs(self, values: Mapping | None = None, preset: str | None = None) -> StudyInputs:
        """Checked inputs: the defaults, changed by the preset, changed by `values` (text is converted).

        Raises ModelError with one sentence for an unknown preset or input, or a value that breaks a rule.
        """
        chosen = dict(self.presets[known("preset", preset, self.presets)]) if preset else {}
        chosen.update(values or {})
        try:
            return self.Inputs(**chosen)
        except ValidationError as error:
            raise ModelError(self._sentence(error)) from None

    def _sentence(self, error: ValidationError) -> str:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "inputs"
        if first["type"] == "extra_forbidden":
            return f"{self.name}: unknown input {name!r}; known: {', '.join(self.Inputs.model_fields)}"
        if first["type"] == "value_error":
            why = str(first["ctx"]["error"])
            return f"{self.name}: {why}" if why.startswith(name) else f"{self.name}: {name}: {why}"
        rule = first["msg"].removeprefix("Input ")
        return f"{self.name}: {name} {rule[0].lower()}{rule[1:]}; got {first['input']!r}"
