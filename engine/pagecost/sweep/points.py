"""The points of a sweep: what is asked at each, checked before the first is computed."""

import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pagecost import catalogue, provenance
from pagecost.errors import ModelError, known, require
from pagecost.studies import Study, StudyInputs
from pagecost.system import System
from pagecost.workload.sources import Version

MOST_POINTS = 1_000_000


@dataclass(frozen=True)
class Point:
    """One combination. over: what differs from point to point, as checked. asked: all inputs, plain values. key:
    digest of the study, all inputs, the files and own devices that they name, and the code: equal keys, equal answers.
    """

    over: Mapping[str, Any]
    asked: Mapping[str, Any]
    key: str


def grid(
    study: Study,
    over: Mapping[str, Sequence],
    values: Mapping | None = None,
    preset: str | None = None,
    system: System | None = None,
) -> list[Point]:
    """Every combination of the values of `over`, the last input varying fastest; the other inputs as for a study.

    Raises ModelError for an input that the study lacks, one without a value, one that is set as well, values that stand
    twice, more than `MOST_POINTS` combinations, and for a combination that breaks a rule of the study, which it names.
    """
    require(bool(over), f"a sweep of {study.name} needs an input to sweep over, such as {_example(study)}")
    count = 1
    for name, given in over.items():
        known(f"input of {study.name}", name, study.Inputs.model_fields)
        require(len(given) > 0, f"{name} has no value to sweep over")
        require(name not in (values or {}), f"{name} is both set and swept over; leave one out")
        count *= len(given)
    require(count <= MOST_POINTS, f"a sweep may have {MOST_POINTS} points; these are {count}")
    points, seen = [], set()
    own = {name: device.file for name, device in catalogue.devices().items() if device.file}
    for chosen in itertools.product(*over.values()):
        here = dict(zip(over, chosen, strict=True))
        try:
            inputs = study.inputs(dict(values or {}) | here, preset, system)
        except ModelError as error:
            words = ", ".join(f"{name}={value}" for name, value in here.items())
            raise ModelError(f"at {words}: {error}") from None
        point = _point(study, inputs, over, own)
        require(point.key not in seen, f"the point {_said(point.over)} stands twice in the sweep")
        seen.add(point.key)
        points.append(point)
    return points


def _point(study: Study, inputs: StudyInputs, over: Mapping, own: Mapping[str, str]) -> Point:
    asked = inputs.model_dump(mode="json")
    paths = [own.get(text, text) for text in _texts(asked)]
    files = [list(map(str, Version.of(Path(path)))) for path in paths if _is_file(path)]
    content = json.dumps([study.name, asked, files, provenance.state()], sort_keys=True)
    return Point({name: asked[name] for name in over}, asked, hashlib.sha256(content.encode()).hexdigest()[:32])


def _texts(value) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in _texts(each)]


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long, or not a path at all
        return False


def _said(over: Mapping) -> str:
    return ", ".join(f"{name} = {value}" for name, value in over.items())


def _example(study: Study) -> str:
    name, field = next(iter(study.Inputs.model_fields.items()))
    default = field.get_default()
    return f"{name}={','.join(map(str, default)) if isinstance(default, tuple) else default}"
