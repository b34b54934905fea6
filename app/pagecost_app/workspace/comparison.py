"""Answers to one question side by side: what was asked, what came out, and where they differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pagecost import studies, units
from pagecost.errors import require
from pagecost.studies import Column
from pagecost.studies.study import Table
from pagecost_app.workspace import settings
from pagecost_app.workspace.answers import Answer

MOST = 8
ABSENT = "–"
CHOSEN = "chosen"
"""The column of yes or no by which a study marks the rows of what was asked for."""


@dataclass(frozen=True)
class Line:
    """cells: what each answer says, "–" where it says nothing. differs: not all say the same."""

    title: str
    cells: tuple[str, ...]

    @property
    def differs(self) -> bool:
        return len(set(self.cells)) > 1


@dataclass(frozen=True)
class Numbers:
    """A column of a table of every answer, row by row. key: what the rows are called by. asked: the rows of what was
    asked for once more, in one line where it is another size in each."""

    key: str
    title: str
    lines: tuple[Line, ...]
    asked: tuple[Line, ...] = ()


def check(answers: Sequence[Answer]) -> None:
    """Raises ModelError unless they can stand side by side."""
    require(0 < len(answers) <= MOST, f"1 to {MOST} answers stand side by side; got {len(answers)}")
    asked = sorted({answer.study for answer in answers})
    require(len(asked) == 1, f"answers to one question can be compared; got {' and '.join(asked)}")


def inputs(answers: Sequence[Answer]) -> list[Line]:
    """Each input, those that differ first."""
    study = studies.find(answers[0].study)
    lines = [
        Line(
            field.title or name,
            tuple(
                settings.shown(study, name, answer.values[name]) if name in answer.values else ABSENT
                for answer in answers
            ),
        )
        for name, field in study.Inputs.model_fields.items()
    ]
    return sorted(lines, key=lambda line: not line.differs)


def facts(answers: Sequence[Answer]) -> list[Line]:
    """Each fact of any of them."""
    labels = {name: fact.label for answer in answers for name, fact in answer.result.facts.items()}
    return [
        Line(
            label,
            tuple(answer.result.facts[name].cell if name in answer.result.facts else ABSENT for answer in answers),
        )
        for name, label in labels.items()
    ]


def columns(answers: Sequence[Answer]) -> dict[str, dict[str, str]]:
    """What `numbers` can set side by side: table -> column -> label; first those that differ in rows of one key."""
    found: dict[str, dict[str, str]] = {}
    for answer in answers:
        for name, table in answer.result.tables.items():
            keys = key_of(table)
            offered = {each: column.label for each, column in table.columns.items() if each not in keys}
            if offered:
                found[name] = offered | found.get(name, {})
    for called, offered in found.items():
        differing = {each for each in offered if _differs(numbers(answers, called, each))}
        kinds = {
            name: column.values.dtype.kind
            for answer in answers
            if called in answer.result.tables
            for name, column in answer.result.tables[called].columns.items()
        }
        # what is only yes or no comes last, and what is measured before what is counted
        order = sorted(offered, key=lambda name: (kinds[name] == "b", name not in differing, kinds[name] != "f"))
        found[called] = {name: offered[name] for name in order}
    return found


def numbers(answers: Sequence[Answer], table: str, column: str) -> Numbers:
    """One column of one table of each answer; rows of the same key stand in one line.

    Those that all have come first, of these the ones that differ.
    """
    asked: dict[tuple[str, ...], list[str]] = {}
    found: dict[tuple[str, ...], list[str]] = {}
    title, key = column, ""
    for place, answer in enumerate(answers):
        own = answer.result.tables.get(table)
        if own is None or column not in own.columns:
            continue
        title = own.columns[column].axis
        names = key_of(own)
        key = key or ", ".join(own.columns[name].label for name in names)
        cells = zip(*(own.columns[name].cells() for name in names), strict=True) if names else [()] * len(own)
        for row, called in zip(own.columns[column].cells(), _apart(cells), strict=True):
            found.setdefault(called, [ABSENT] * len(answers))[place] = row
        for called, row in _asked_for(own, column, names):
            asked.setdefault(called, [ABSENT] * len(answers))[place] = row
    first, lines = (
        [Line(", ".join(called), tuple(cells)) for called, cells in each.items()] for each in (asked, found)
    )
    lines.sort(key=lambda line: (ABSENT in line.cells, not line.differs))
    return Numbers(key, title, tuple(lines), tuple(first))


def _asked_for(table: Table, column: str, names: Sequence[str]) -> list[tuple[tuple[str, ...], str]]:
    """(key, cell) of the rows that a table marks as those of what was asked for, without the numbers that say which.

    Empty where all are, where several would have the same key, and where nothing but texts tells rows apart.
    """
    mark = table.columns.get(CHOSEN)
    texts = [name for name in names if table.columns[name].unit == units.TEXT]
    if mark is None or len(texts) == len(names) or mark.values.dtype != bool or mark.values.all():
        return []
    rows = table.rows(**{CHOSEN: True})
    found = [
        ((*(table.columns[name].cell(row) for name in texts), mark.label), table.columns[column].cell(row))
        for row in rows
    ]
    return found if len(dict(found)) == len(found) else []


def _differs(found: Numbers) -> bool:
    return any(line.differs and ABSENT not in line.cells for line in (*found.asked, *found.lines))


def key_of(table: Table) -> list[str]:
    """The columns that tell the rows of a table apart: its texts, and as many of its first numbers as are needed."""
    keys = [name for name, column in table.columns.items() if _is_name(column)]
    for name in table.columns:
        if _unique(table.columns, keys):
            break
        if name not in keys:
            keys.append(name)
    return sorted(keys, key=list(table.columns).index)


def _is_name(column: Column) -> bool:
    """Whether a text calls something: a sentence of its own in each row does not."""
    texts = column.values
    return column.unit == units.TEXT and (texts.size == 0 or max(map(len, map(str, texts))) <= 60)


def _unique(columns: Mapping[str, Column], keys: Sequence[str]) -> bool:
    rows = list(zip(*(columns[name].values.tolist() for name in keys), strict=True)) if keys else []
    size = next(iter(columns.values())).values.size
    return size <= 1 or (bool(keys) and len(set(rows)) == size)


def _apart(cells) -> list[tuple[str, ...]]:
    """The keys of rows, numbered where two are the same."""
    seen: dict[tuple[str, ...], int] = {}
    made = []
    for called in cells:
        seen[called] = number = seen.get(called, 0) + 1
        made.append(called if number == 1 else (*called, f"({number})"))
    return made
