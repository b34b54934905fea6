"""`pagecost studies`: what can be asked, from the list that is kept of it (`studies_listed`)."""

from typing import Any

from pagecost.errors import known
from pagecost.units import UNITS, format_cell
from pagecost_app import printing, studies_listed, terminal
from pagecost_app.command_parts import DataFormat, Output

MOST_OPTIONS = 12  # are listed; of more, the first


def show(name: str | None, out: Output) -> None:
    """Print every study, or all about one. Raises ModelError for an unknown name."""
    studies = studies_listed.studies()
    if name is not None:
        studies = {known("study", name, studies): studies[name]}
    if out.format == DataFormat.table:
        _one(name, out) if name is not None else _all(out)
        return
    described = [_described(each, about) for each, about in studies.items()]
    if out.format == DataFormat.json:
        printing.as_json(described if name is None else described[0])
        return
    rows = [
        {"study": study["name"], "title": study["title"], "source": study["source"], "input": name}
        | about
        | {"default": _listed(about["default"])}
        for study in described
        for name, about in study["inputs"].items()
    ]
    printing.records(rows, out, printing.typed(out))


def _described(name: str, about: dict[str, Any]) -> dict[str, Any]:
    inputs = {
        each: {key: given[key] for key in ("default", "meaning", "unit", "range", "takes", "system")}
        | {"source": given["source"]}
        for each, given in about["inputs"].items()
    }
    head = {key: about[key] for key in ("title", "topic", "source")}
    return {"name": name} | head | {"inputs": inputs, "presets": list(about["presets"])}


def _all(out: Output) -> None:
    studies = studies_listed.studies()
    for topic in dict.fromkeys(about["topic"] for about in studies.values()):
        terminal.say(topic, strong=True)
        terminal.pairs([(f"  {name}", about["title"]) for name, about in studies.items() if about["topic"] == topic])
        print()
    terminal.say(f"{len(studies)} studies. pagecost studies STUDY: its inputs and presets; pagecost run STUDY: answers")


def _one(name: str, out: Output) -> None:
    about = studies_listed.studies()[name]
    terminal.say(about["title"], strong=True)
    terminal.say(f"Topic: {about['topic']}. Source: {about['source']}.")
    print("\ninputs, as --set NAME=VALUE:")
    most = None if out.wide else MOST_OPTIONS
    terminal.pairs([(f"  {each}", _input(name, each, given, most)) for each, given in about["inputs"].items()])
    if about["presets"]:
        print("\npresets, as --preset NAME:")
        for preset, values in about["presets"].items():
            changes = ", ".join(f"{key}={_listed(value)}" for key, value in values.items())
            terminal.say(f"{preset!r}: {changes}", indent="  ")


def _input(study: str, name: str, given: dict[str, Any], most: int | None) -> str:
    """All about an input in sentences. most: options are named."""
    default = f"Default {_listed(given['default'])}" if given["default"] != "" else "Default: none"
    in_words = _in_words(given["default"], given["unit"])
    said = [given["title"] + (f": {given['meaning']}" if given["meaning"] else "")]
    said.append(default + in_words + (f" ({given['source']})" if given["source"] else ""))
    said.append(f"A {given['takes']} {given['range']}".rstrip() if not given["options"] else "")
    options = list(studies_listed.options(study, name))
    if options:
        more = f" and {len(options) - most} more (--wide)" if most and len(options) > most else ""
        takes, _, typed = given["takes"].partition(", or ")
        other = f", or your own: {typed}" if typed else ""
        said.append(f"{takes.capitalize()} of {', '.join(options[:most])}{more}{other}")
    said.append(f"Of a system: {given['system']}" if given["system"] else "")
    return " ".join(f"{each.rstrip('.')}." for each in said if each)


def _in_words(value, unit: str) -> str:
    """A number with its unit as people read it, where that says more than the number."""
    if not isinstance(value, int | float) or isinstance(value, bool) or unit == "1":
        return ""
    if unit not in UNITS:
        return f" {unit}"  # a thing that is counted
    return f" {unit}, {said}" if (said := format_cell(value, unit)) != f"{value} {unit}" else f" {unit}"


def _listed(default) -> str:
    return ",".join(map(str, default)) if isinstance(default, list) else str(default)
