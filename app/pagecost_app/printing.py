"""How the command line prints: aligned tables for people, CSV and JSON with every digit for programs."""

import csv
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pagecost import catalogue
from pagecost.errors import known, require
from pagecost.studies import STUDIES, Result, Study
from pagecost.studies.fields import Choices, kind_of
from pagecost.system import SCHEMA, System
from pagecost.units import TEXT, format_cell, unit_of


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
    """Texts for inputs that take several values become lists, split at commas."""
    fields = study.Inputs.model_fields
    several = {name for name, field in fields.items() if isinstance(kind_of(field), Choices)}
    return {name: value.split(",") if name in several else value for name, value in values.items()}


def result(answer: Result, format: str, table: str | None = None) -> None:
    """Print a study's result: all its tables and facts, or one table. As CSV the main table, or the one named.

    Raises ModelError for an unknown table.
    """
    if table is not None:
        answer = replace(answer, tables={table: answer.tables[known("table", table, answer.tables)]}, facts={})
    if format == "csv":
        sys.stdout.write(answer.csv())
        return
    if format == "json":
        as_json(answer.record())
        return
    for number, (name, each) in enumerate(answer.tables.items()):
        if len(answer.tables) > 1:
            print(f"{chr(10) if number else ''}{name}")
        columns = each.columns.values()
        aligned([c.label for c in columns], [list(row) for row in zip(*(c.cells() for c in columns), strict=True)])
    for fact in answer.facts.values():
        print(f"{fact.label}: {fact.cell}")
    for note in answer.notes:
        print(f"  {note}")


def records(rows: list[dict], format: str) -> None:
    """Print records of one shape, of which there is at least one."""
    if format == "json":
        as_json(rows)
    elif format == "csv":
        _csv(list(rows[0]), [row.values() for row in rows])
    else:
        aligned(list(rows[0]), [[_cell(name, value) for name, value in row.items()] for row in rows])


def facts(found: dict, format: str) -> None:
    """Print named facts, one a line; as CSV a fact within a fact is named `outer.inner`, in a list by its number."""
    if format == "json":
        as_json(found)
        return
    if format == "csv":
        _csv(["fact", "value"], _flat(found))
        return
    width = max(map(len, found))
    for name, value in found.items():
        if isinstance(value, list) and any(isinstance(item, dict) for item in value):
            print(f"{name}:")
            for item in value:
                print("  " + "  ".join(f"{key} {_cell(key, text)}" for key, text in item.items()))
            continue
        if isinstance(value, dict):
            value = ", ".join(f"{key} {_cell(_with_unit(key, name), item)}" for key, item in value.items())
        elif isinstance(value, list):
            value = ", ".join(_cell(name, item) for item in value)
        print(f"{name.ljust(width)}  {_cell(name, value)}".rstrip())


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


def system(found: System, takers: dict[str, list[str]], format: str) -> None:
    """Print a system: its values with their meaning, and which inputs take them."""
    header, rows = ["value", "is", "meaning", "taken by"], []
    if format == "json":
        as_json({"schema": SCHEMA} | found.model_dump(mode="json"))
        return
    for name, field in type(found).model_fields.items():
        part = getattr(found, name)
        if name == "devices":
            groups = [(f"devices.{item.role}", item) for item in part]
        elif hasattr(part, "model_dump"):
            groups = [(name, part)]
        else:
            rows.append([name, str(part), field.description or "", ""])
            continue
        for prefix, item in groups:
            for inner, described in type(item).model_fields.items():
                path = f"{prefix}.{inner}"
                shown = json.dumps(value) if isinstance(value := getattr(item, inner), dict) else str(value)
                rows.append([path, shown, described.description, ", ".join(takers.get(path, ()))])
    (_csv if format == "csv" else aligned)(header, rows)


def studies(format: str) -> None:
    """Print every study with its inputs and presets."""
    described: list[dict] = [
        {
            "name": study.name,
            "title": study.title,
            "source": study.source,
            "inputs": {
                name: {"default": field.get_default(), "meaning": field.description}
                for name, field in study.Inputs.model_fields.items()
            },
            "presets": list(study.presets),
        }
        for study in STUDIES.values()
    ]
    if format == "json":
        as_json(described)
        return
    if format == "csv":
        rows = [
            (study["name"], study["title"], study["source"], name, _listed(field["default"]), field["meaning"])
            for study in described
            for name, field in study["inputs"].items()
        ]
        _csv(["study", "title", "source", "input", "default", "meaning"], rows)
        return
    for study in described:
        print(f"{study['name']}: {study['title']}")
        for name, field in study["inputs"].items():
            print(f"  --set {name}={_listed(field['default'])}\n      {field['meaning']}")
        for preset in study["presets"]:
            print(f"  --preset {preset!r}")
        print()


def devices(name: str | None, format: str) -> None:
    """Print the catalogue, or every number of one device with its source."""
    if name is None:
        rows = [
            {
                "device": device.id,
                "name": device.name,
                "class": device.device_class,
                "year": device.year,
                "model": device.model,
            }
            for device in catalogue.devices().values()
        ]
        records([{key: "" if value is None else value for key, value in row.items()} for row in rows], format)
        return
    device = catalogue.device(name)
    parameters = [
        {
            "parameter": parameter.name,
            "stated": parameter.stated,
            "value": parameter.value,
            "low": parameter.low,
            "high": parameter.high,
            "status": parameter.status,
            "source": parameter.source,
            "place": parameter.place,
            "note": parameter.note,
        }
        for parameter in device.parameters.values()
    ]
    prices = [{field: getattr(price, field) for field in price.__slots__} for price in device.prices]
    if format == "json":
        as_json({"device": device.id, "name": device.name, "parameters": parameters, "prices": prices})
        return
    if format == "csv":
        records([{"device": device.id} | parameter for parameter in parameters], format)
        return
    print(f"{device.name} ({device.device_class}, {device.year or 'year unknown'})")
    shown = ("parameter", "stated", "status", "source", "place")
    aligned(list(shown), [[row[key] for key in shown] for row in parameters])
    for price in device.prices:
        amount = price.amount if price.amount is not None else f"{price.low}-{price.high}"
        print(f"price: {amount} {price.currency} per {price.per}, {price.date} ({price.source} {price.place})")


def _cell(name: str, value) -> str:
    """The value of a record, whose name ends in its unit."""
    return format_cell(value, TEXT if isinstance(value, str) else unit_of(name))


def _listed(default) -> str:
    return ",".join(map(str, default)) if isinstance(default, tuple) else str(default)


def short(value) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str("" if value is None else value)


def as_json(value) -> None:
    print(json.dumps(value, indent=1, ensure_ascii=False))


def _csv(header: list[str], rows: Iterable[Iterable]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)


def aligned(header: list[str], rows: list[list]) -> None:
    texts = [header, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in texts) for i in range(len(header))]
    for number, row in enumerate(texts):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))
