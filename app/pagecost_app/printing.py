"""How the command line prints: the answer and a table for people, CSV and JSON with every digit for programs.

CSV is bare rows, with what made them as lines that begin with # when that is asked for. JSON of an answer has `answer`
and `provenance` beside its own keys; a list stays a list unless provenance is asked for: then it stands under `rows`.
"""

from __future__ import annotations

import csv
import io
import json
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

from pagecost.errors import ModelError, known, require
from pagecost.units import TEXT, format_cell, so_many, unit_of
from pagecost_app import plain_json, terminal
from pagecost_app.command_parts import DataFormat, Output
from pagecost_app.terminal import Shown

if TYPE_CHECKING:
    from pagecost.studies import Result, Study
    from pagecost.studies.study import Table

EVENLY = 25  # rows that people are shown of a curve, unless all are asked for
Made = Callable[[], Mapping[str, Any]]
"""Gives the provenance of an answer when it is needed."""
YEAR = "year"  # of a device: a number whose thousands are not set apart


def assignments(texts: list[str]) -> dict:
    """`name=value` texts as a dictionary; values of list inputs are split at commas.

    Raises ModelError for a text without "=".
    """
    values = {}
    for text in texts:
        name, equals, value = text.partition("=")
        require(bool(equals) and bool(name), f"--set needs NAME=VALUE; got {text!r}")
        values[name] = value
    return values


def split_lists(study: Study, values: dict) -> dict:
    """Texts for inputs that take several values become lists, split at commas, or as JSON: ["a, b", "c"].

    Raises ModelError for a text that begins as a list in JSON and is none.
    """
    from pagecost.studies.fields import Choices, kind_of

    fields = study.Inputs.model_fields
    several = {name for name, field in fields.items() if isinstance(kind_of(field), Choices)}
    return {name: _several(name, value.strip()) if name in several else value.strip() for name, value in values.items()}


def _several(name: str, text: str) -> list:
    if not text.startswith("["):
        return [each.strip() for each in text.split(",")]
    try:
        return list(json.loads(text))
    except (ValueError, RecursionError):
        raise ModelError(f'{name}: a list is written a,b or as JSON, ["a, b", "c"]; got {text[:60]!r}') from None


def files_of(study: Study) -> list[str]:
    """The inputs of a study that are, or may be, the path of a file."""
    from pagecost.studies.fields import Choice, FilePath, kind_of

    kinds = {name: kind_of(field) for name, field in study.Inputs.model_fields.items()}
    return [
        name
        for name, kind in kinds.items()
        if isinstance(kind, FilePath) or (isinstance(kind, Choice) and kind.free and kind.of_file)
    ]


def result(found: Result, out: Output, made: Made, said: str = "", table: str | None = None) -> None:
    """Print a study's result: the answer `said`, its tables, facts and notes, or one table. As CSV the main table, or
    the one named.

    Raises ModelError for an unknown table.
    """
    if table is not None:
        found = replace(found, tables={table: found.tables[known("table", table, found.tables)]}, facts={})
    if out.format == DataFormat.csv:
        _head(out, made)
        sys.stdout.write(found.csv())
    elif out.format == DataFormat.json:
        as_json({"answer": said} | found.record() | {"provenance": made()})
    else:
        _result_for_people(found, out, said)
        foot(out, made)


def _result_for_people(found: Result, out: Output, said: str) -> None:
    main, *others = found.tables.items()
    if said:
        terminal.say(said, strong=True)
        print()
    terminal.table(_columns(main[1]), wide=out.wide)
    if out.wide:
        for name, each in others:
            print(f"\n{name}")
            terminal.table(_columns(each), wide=True)
    if found.facts:
        print()
        terminal.pairs([(fact.label, fact.cell) for fact in found.facts.values()])
    if found.notes:
        print()
        for note in found.notes:
            terminal.say(note, indent="- ")
    if others and not out.wide:
        print()
        listed = ", ".join(f"{name} ({len(each)} row{'s' * (len(each) != 1)})" for name, each in others)
        terminal.say(f"more tables: {listed}: --table NAME, or --wide for all")


def _columns(table: Table) -> list[Shown]:
    return [Shown(column.label, column.cells(), column.unit == TEXT) for column in table.columns.values()]


def typed(out: Output, **named) -> Made:
    """The provenance of what a command gives that is no study: the command as it was typed. named: options that may
    name a device.
    """

    def made() -> Mapping[str, Any]:
        from pagecost_app import made_with  # late: versions are asked of what takes a second to load

        return made_with.of_command(shlex.join(["pagecost", *sys.argv[1:]]), out.date, named)

    return made


def records(
    rows: list[dict],
    out: Output,
    made: Made,
    said: str = "",
    *,
    evenly: bool = False,
    most: int | None = terminal.MOST_ROWS,
) -> None:
    """Print records of one shape, and the answer `said` before them for people. evenly: people see rows from all of a
    long list, not the first. most: rows that people are shown, unless they ask for all.
    """
    if out.format == DataFormat.json:
        as_json({"answer": said, "rows": rows, "provenance": made()} if out.provenance else rows)
    elif out.format == DataFormat.csv:
        _head(out, made)
        if rows:
            _csv(list(rows[0]), [row.values() for row in rows])
    else:
        if said:
            terminal.say(said, strong=True)
            print()
        if evenly and not out.wide and len(rows) > EVENLY:
            kept = [rows[round(at * (len(rows) - 1) / (EVENLY - 1))] for at in range(EVENLY)]
            terminal.table(shown(kept))
            terminal.say(f"{EVENLY} of {so_many(len(rows), 'row')}: --wide for all")
        elif rows:
            terminal.table(shown(rows), wide=out.wide, most=most)
        else:
            print("there are none")
        foot(out, made)


def shown(rows: list[dict]) -> list[Shown]:
    """Records as columns for people. A name that ends in a unit is said without it: the cells have it."""
    return [
        Shown(
            name.replace("_", " "),
            [_cell(name, row[name]) for row in rows],
            any(isinstance(row[name], str) for row in rows),
        )
        for name in rows[0]
    ]


def texts(rows: list[dict[str, str]]) -> list[Shown]:
    """Records of texts as columns."""
    return [Shown(name, [row[name] for row in rows], True) for name in rows[0]]


def facts(found: dict, out: Output, made: Made | None, said: str = "") -> None:
    """Print named facts, one a line; as CSV a fact within a fact is named `outer.inner`, in a list by its number.

    made: None where nothing was computed, so that nothing made it but what was typed.
    """
    if out.format == DataFormat.json:
        as_json(({"answer": said} if said else {}) | found | ({"provenance": made()} if made else {}))
        return
    if out.format == DataFormat.csv:
        if made:
            _head(out, made)
        _csv(["fact", "value"], _flat(found))
        return
    if said:
        terminal.say(said, strong=True)
        print()
    terminal.pairs(list(_facts_for_people(found)))
    if made:
        foot(out, made)


def _facts_for_people(found: dict) -> Iterator[tuple[str, str]]:
    for name, value in found.items():
        if value in ("", []):
            continue
        if isinstance(value, list) and any(isinstance(item, dict) for item in value):
            for number, item in enumerate(value):
                cells = [(key.replace("_", " "), _cell(key, text)) for key, text in item.items()]
                said = cells[0][1] if len(cells) == 1 else ", ".join(" ".join(each) for each in cells)
                yield name if number == 0 else "", said
            continue
        if isinstance(value, dict):
            cells = [(str(key).replace("_", " "), _cell(_with_unit(key, name), item)) for key, item in value.items()]
            value = ", ".join(" ".join(each) for each in cells)
        elif isinstance(value, list):
            value = ", ".join(_cell(name, item) for item in value)
        yield name, _cell(name, value)


def _flat(found: dict, within: str = "") -> Iterator[tuple[str, object]]:
    for name, value in found.items():
        if isinstance(value, list):
            value = {str(number): item for number, item in enumerate(value, start=1)}
        if isinstance(value, dict):
            yield from _flat(value, f"{within}{name}.")
        else:
            yield f"{within}{name}", value


def _with_unit(inner: str, outer: str) -> str:
    """The name that says the unit: `energy_j` of {"energy_j": {"read": …}}."""
    return inner if unit_of(inner) != "1" else outer


def _cell(name: str, value) -> str:
    """The value of a record, whose name ends in its unit."""
    if name == YEAR:
        return str(value)
    return format_cell(value, TEXT if isinstance(value, str) else unit_of(name))


def short(value) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str("" if value is None else value)


def as_json(value) -> None:
    print(plain_json.text(value))


def csv_text(rows: list[dict]) -> str:
    """Records of one shape, of which there is at least one, as CSV."""
    text = io.StringIO()
    _csv(list(rows[0]), [row.values() for row in rows], text)
    return text.getvalue()


def _csv(header: list[str], rows: Iterable[Iterable], to: TextIO | None = None) -> None:
    writer = csv.writer(to or sys.stdout, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)


def _head(out: Output, made: Made) -> None:
    """The provenance before CSV, where it is asked for."""
    if out.provenance:
        from pagecost_app import made_with

        sys.stdout.write(made_with.head(made()))


def foot(out: Output, made: Made) -> None:
    """The provenance below a table, where it is asked for."""
    if out.provenance:
        from pagecost_app import made_with

        print()
        for line in made_with.lines(made()):
            terminal.say(line)
