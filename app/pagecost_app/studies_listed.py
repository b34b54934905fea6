"""What there is to ask, without loading any of it: the studies with their inputs and presets, and what else is named.

To import the studies loads every model, which takes seconds. Lists and completions read `studies_listed.json` instead.
Nobody keeps that file by hand: `python -m pagecost_app.studies_listed` writes it, and a test tells when it is out of
date.
"""

import json
import os
import tomllib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

FILE_PATH, ONE, SEVERAL, NUMBER = "path of a file", "one", "several", "number"
OWN = "your own"
FILE = Path(__file__).with_suffix(".json")


@cache
def listed() -> dict[str, Any]:
    """What the file says.

    studies: name -> title, topic, source, presets (name -> what they set), inputs (name -> default, unit, meaning,
    source, group, range, what it takes and the name of the list of its options). lists: of options, id -> label. names:
    what else is typed, by what it is (traces, policies, devices, ...).
    """
    return json.loads(FILE.read_text(encoding="utf-8"))


def studies() -> dict[str, dict[str, Any]]:
    """The studies by name, along the I/O path."""
    return listed()["studies"]


def options(study: str, name: str) -> dict[str, str]:
    """The options of an input, id -> label, with the user's own devices among devices of their model; none where it
    takes any number or text.
    """
    found = listed()["lists"].get(studies()[study]["inputs"][name]["options"], {})
    models = {model for device, model in listed()["models"].items() if device in found}
    return found | {device: OWN for device, model in _own_models().items() if model in models} if models else found


def own_devices() -> dict[str, str]:
    """The user's own devices by the names of their files."""
    return dict.fromkeys(_own_models(), OWN)


def _own_models() -> dict[str, str]:
    """Name of the file -> model, of the user's own devices; files that are none are left to those who read them."""
    from pagecost import device_files  # late: it takes a tenth of a second

    found = {}
    with suppress(OSError):
        for path in sorted(device_files.folder().glob("*.toml")):
            with suppress(ValueError):
                found[path.stem] = str(tomllib.loads(path.read_text(encoding="utf8")).get("model", ""))
    return found


def found() -> dict[str, Any]:
    """What the file has to say, from the studies themselves."""
    from pagecost import catalogue
    from pagecost.answers import flash_load
    from pagecost.buffer import policies
    from pagecost.studies import STUDIES, TOPICS
    from pagecost.workload import sources, traces

    lists: dict[str, dict[str, str]] = {}
    own = {device.id for device in catalogue.devices().values() if device.file}
    described = {}
    for topic, names in TOPICS.items():
        for study in map(STUDIES.__getitem__, names):
            fields = study.Inputs.model_fields.items()
            described[study.name] = {
                "title": study.title,
                "topic": topic,
                "source": study.source,
                "inputs": {name: _input(study.name, name, field, lists, own) for name, field in fields},
                "presets": {name: dict(values) for name, values in study.presets.items()},
            }
    return {
        "studies": described,
        "lists": lists,
        "models": {device.id: device.model for device in catalogue.devices().values() if device.id not in own},
        "names": {
            "devices": {device.id: device.name for device in catalogue.devices().values() if device.id not in own},
            "traces": dict(sources.titles()),
            "trace formats": dict.fromkeys(traces.FORMATS, ""),
            "policies": {name: policy.title for name, policy in policies.POLICIES.items()},
            "papers": {name: catalogue.sources()[name].title for name in _papers()},
            "settings of ssd": {name: setting.meaning for name, setting in flash_load.SETTINGS.items()},
        },
    }


def _papers() -> list[str]:
    from pagecost.claims import claims

    return list(dict.fromkeys(claim.paper for claim in claims()))


def _input(study: str, name: str, field, lists: dict, own: set[str]) -> dict[str, Any]:
    from pagecost.studies.fields import Choice, Choices, group_of, kind_of, of_system, source_of

    kind, given = kind_of(field), ""
    if isinstance(kind, Choice | Choices):
        options = {str(key): str(label) for key, label in kind.options().items() if key not in own}
        given = next((key for key, known in lists.items() if known == options), f"{study}.{name}")
        lists[given] = options
    return {
        "title": field.title or name,
        "default": field.get_default(),
        "unit": getattr(kind, "unit", "1") or "1",
        "range": _range(field),
        "meaning": field.description or "",
        "source": source_of(field),
        "group": group_of(field),
        "system": place.path if (place := of_system(field)) else "",
        "takes": _taken(kind),
        "options": given,
    }


def _taken(kind) -> str:
    """What may be typed for an input."""
    from pagecost.studies.fields import Choice, Choices, FilePath

    if isinstance(kind, FilePath):
        return FILE_PATH
    if isinstance(kind, Choice):
        return f"{ONE}, or {kind.typed}" if kind.free else ONE
    return SEVERAL if isinstance(kind, Choices) else NUMBER


def _range(field) -> str:
    """The numbers that pydantic takes, in words; empty where it is told nothing."""
    words = {"ge": "from", "gt": "above", "le": "to", "lt": "below"}
    said = {name: getattr(item, name) for item in field.metadata for name in words if hasattr(item, name)}
    return " ".join(f"{words[name]} {_typed(said[name])}" for name in words if name in said)


def _typed(bound: float) -> str:
    return str(int(bound)) if bound == int(bound) and abs(bound) < 1e15 else f"{bound:g}"


def written(content: dict[str, Any], deep: int = 4) -> str:
    """The text of the file: a line for each input and each list, so that two changes seldom meet."""
    if deep == 0 or not isinstance(content, dict) or not content:
        return json.dumps(content, ensure_ascii=False)
    lines = [f"{json.dumps(name)}: {written(value, deep - 1)}" for name, value in content.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


if __name__ == "__main__":
    os.environ["PAGECOST_DEVICES"] = os.devnull  # whatever devices whoever writes it has
    FILE.write_text(written(found()) + "\n", encoding="utf-8")
