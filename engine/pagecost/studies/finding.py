"""A finding: the answer of a study in a sentence, which knows its numbers. Plain text for whoever wants only that."""

import math
import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from pagecost import units
from pagecost.errors import require
from pagecost.studies.study import Column, Fact, Result, Table


@dataclass(frozen=True)
class Derived(Fact):
    """A number that comes from others of the answer. how: from which and how, in words; of: those others."""

    how: str = ""
    of: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Times(Derived):
    """How often one number goes into another."""

    @property
    def cell(self) -> str:
        """3.5 times."""
        return f"{units.format_cell(float(f'{self.number:.3g}'), '1')} times"


class Finding(str):
    """A sentence whose numbers are marked: a `str` for all who print it. parts: its texts and its numbers in order."""

    __slots__ = ("parts",)
    parts: tuple[str | Fact, ...]

    def __new__(cls, *parts: str | Fact) -> "Finding":
        """The parts in a row; a text that is a finding gives its own parts."""
        flat = tuple(one for part in parts for one in (part.parts if isinstance(part, Finding) else (part,)))
        made = super().__new__(cls, "".join(part.cell if isinstance(part, Fact) else part for part in flat))
        made.parts = flat
        return made

    def __reduce__(self):
        return Finding, self.parts

    @property
    def numbers(self) -> tuple[Fact, ...]:
        """The numbers that carry the finding."""
        return tuple(part for part in self.parts if isinstance(part, Fact))


def found(template: str, **values: str | Fact) -> Finding:
    """A finding from a template such as "{name} answers {rate}": a `Fact` is marked, a text is not.

    A text that begins a sentence begins it with a capital.
    """
    parts: list[str | Fact] = []
    for text, name, _, _ in string.Formatter().parse(template):
        parts += [text] if text else []
        if name is not None:
            value, begins = values[name], not parts or (isinstance(parts[-1], str) and parts[-1].endswith(". "))
            parts.append(value[:1].upper() + value[1:] if begins and type(value) is str else value)
    return Finding(*parts)


def at(table: Table | Result, name: str, row: int) -> Fact:
    """The number of a column in a row."""
    column: Column = table.columns[name]
    return Fact(column.values[row].item(), column.unit, column.label)


def percent(fact: Fact) -> Derived:
    """A share in percent."""
    return Derived(100 * fact.number, "%", fact.label, f"{fact.label}, times 100", (fact,))


def times(larger: Fact, smaller: Fact) -> Times:
    """How often `smaller` goes into `larger`, nan where that cannot be said."""
    known = smaller.number and math.isfinite(smaller.number) and math.isfinite(larger.number)
    ratio = larger.number / smaller.number if known else math.nan
    how = f"{larger.label}, {larger.cell}, over {smaller.cell}"
    return Times(ratio, "1", f"ratio of {larger.label}", how, (larger, smaller))


@dataclass(frozen=True)
class Whole(Derived):
    """A number of things that come whole, though it stands between two of them."""

    @property
    def cell(self) -> str:
        """No digit behind the point, thousands set apart."""
        return units.grouped(self.number)


def whole(fact: Fact) -> Whole:
    """A number of whole things: a quantile of counts, say, which may stand between two of them."""
    return Whole(fact.value, fact.unit, fact.label, "rounded to a whole number", (fact,))


@dataclass(frozen=True)
class Things(Derived):
    """A number with what it counts, which is one where it is shown as 1. one: in the singular."""

    one: str = ""

    @property
    def cell(self) -> str:
        """1 page, 1.25 pages."""
        shown = units.format_cell(self.number, self.unit)
        return f"{shown} {self.one}{'s' * (shown != '1')}"


def things(fact: Fact, one: str) -> Things:
    """A number of things, each called `one`: 1 page, 1.25 pages."""
    return Things(fact.value, fact.unit, fact.label, of=(fact,), one=one)


class Bare(Derived):
    """A number whose unit the sentence says."""

    @property
    def cell(self) -> str:
        """Three digits and no unit."""
        return units.format_si(self.number, "1")


def bare(fact: Fact) -> Bare:
    """A number of a unit that the sentence around it says, such as `1/s`."""
    return Bare(fact.value, fact.unit, fact.label, of=(fact,))


def counted(table: Table | Result, rows: Iterable[int], label: str) -> Derived:
    """How many rows of a table are meant."""
    count = len(tuple(rows))
    require(count <= len(table), f"{count} rows were counted in a table of {len(table)}")
    return Derived(count, "1", label, f"counted in the table, of {len(table)} rows")


def least_and_most(table: Table | Result, rows: Iterable[int], name: str) -> tuple[int, int] | None:
    """The rows with the least and the most of a column, of those where it is known; None where it is known of none."""
    known = [int(row) for row in rows if np.isfinite(table[name][row])]
    if not known:
        return None
    values = table[name][known]
    return known[int(values.argmin())], known[int(values.argmax())]


def compared(
    table: Table | Result,
    rows: Iterable[int],
    name: str,
    called: Callable[[int], str],
    *,
    several: str,
    one: str,
    none: str,
    same: str = "",
    half: str = "",
    best: str = "least",
    show: Callable[[Fact], Fact] = lambda fact: fact,
    **more: str | Fact,
) -> Finding:
    """What a column says of rows: which has the least and which the most.

    several: template with {least}, {low}, {most}, {high} and {times}: what the two rows are `called`, their numbers as
    `show` makes them, and high over low. one: where only one row is known, or all are equal, with {most} and {high}.
    none: where no row is known. half: the column of the half widths of their intervals, if there is one; same: what is
    said in place of `several`, if given, where the intervals of the two meet, or one is not known. best: "least" or
    "most", the row that `several` puts first: which others' intervals meet that of it is said too. more: further values
    of the templates.
    """
    both = least_and_most(table, rows, name)
    if both is None:
        return found(none, **more)
    low, high = (at(table, name, row) for row in both)
    ends = {"least": called(both[0]), "most": called(both[1])} | {"low": show(low), "high": show(high)}
    if low.value == high.value:
        return found(one, **ends, **more)
    if half and same and not high.number - low.number > sum(table[half][row] for row in both):  # nan: not known
        return found(same, **ends, **more)
    said = found(several, **ends, times=times(high, low), **more)
    return Finding(said, _untold(table, rows, name, half, called, both[best == "most"])) if half else said


def _untold(
    table: Table | Result, rows: Iterable[int], name: str, half: str, called: Callable[[int], str], best: int
) -> str:
    """From which other rows the intervals do not tell the best, in a sentence; nothing where they tell it from all."""
    values, halves = table[name], table[half]
    others = [
        called(int(row))
        for row in rows
        if row != best and abs(values[row] - values[best]) <= halves[row] + halves[best]  # nan: not known
    ]
    if not others:
        return ""
    *first, last = others
    named = f"{', '.join(first)} and {last}" if first else last
    return f" Their intervals do not tell {called(best)} from {named if len(others) <= 3 else f'{len(others)} others'}."


def cells(table: Table | Result, *names: str) -> Callable[[int], str]:
    """What rows are called: their cells of these columns, with a comma between them."""
    return lambda row: ", ".join(table.columns[name].cell(row) for name in names)


def marked(sentence: str, *facts: Fact) -> Finding:
    """A sentence that was written elsewhere, with these numbers marked where it says them."""
    parts: list[str | Fact] = [sentence]
    for fact in facts:
        for place, part in enumerate(parts):
            if isinstance(part, str) and fact.cell in part:
                before, _, after = part.partition(fact.cell)
                parts[place : place + 1] = [before, fact, after]
                break
    return Finding(*(part for part in parts if part))
