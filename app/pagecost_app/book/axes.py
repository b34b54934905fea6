"""Which inputs of an exploration a reader of the book moves, and at which values: what fits into a budget."""

import math
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pagecost.errors import ModelError
from pagecost.studies import Result, Study, StudyInputs
from pagecost.studies.fields import Choice, Choices, Steps, group_of, kind_of

MOST_AXES, MOST_OPTIONS = 4, 16
MOST_MOVED, MOST_OTHER = 24, 6  # stops of an input that the lesson moves, and of another one
LEAST, LEAST_FIRST = 3, 5  # stops of a slider, and of the lesson's first


class Budget(NamedTuple):
    """What an exploration may take: answers, 0 for none, and seconds for them beyond the first."""

    answers: int = 90
    time_s: float = 3.0


class Axis(NamedTuple):
    """An input that is moved. values: of the study, labels: as people read them, at: the place of the lesson's own.

    is_number: whether it has an order, and a slider; is_smooth: whether there is something between two values.
    """

    name: str
    title: str
    help: str
    values: tuple
    labels: tuple[str, ...]
    at: int
    is_number: bool
    is_smooth: bool


class Computed(NamedTuple):
    """An answer of the engine, or why there is none."""

    inputs: StudyInputs | None
    result: Result | None
    refused: str = ""


def computed(study: Study, values: Mapping[str, Any]) -> Computed:
    """The answer to these inputs, which the study may refuse."""
    try:
        inputs = study.inputs(values)
        return Computed(inputs, study.compute(inputs))
    except ModelError as error:
        return Computed(None, None, str(error))


def chosen(
    study: Study, start: StudyInputs, moved: Sequence[str], budget: Budget, without: Collection[str] = ()
) -> list[Axis]:
    """The axes of the grid, of which every combination is computed: first what the lesson moves, then the study's other
    inputs in their order, each with as many stops as are left of the budget. An input is left out where a slider would
    have fewer than three stops, or a list not all of its options; and those of `without`.

    The lesson's first is offered whatever its answers take.
    """
    fields = study.Inputs.model_fields
    firsts = [name for name in moved if name in fields]
    others = [name for name, field in fields.items() if not group_of(field) and name not in moved]
    wanted = {name: _axis(study, name, getattr(start, name), name in moved) for name in (*firsts, *others)}
    wanted = {name: whole for name, whole in wanted.items() if name not in without}
    found: list[Axis] = []
    answers, slowest_s = 1, 0.0
    for name, whole in wanted.items():
        if whole is None or len(whole.values) < 2 or len(found) == MOST_AXES:
            continue
        least, is_first = _least(whole), not found and name in moved
        if not is_first and _fits(budget, answers, slowest_s) < least:
            continue
        slowest_s = max(slowest_s, _takes_s(study, start, whole))
        fits = max(_fits(budget, answers, slowest_s), min(LEAST_FIRST, len(whole.values)) if is_first else 0)
        if fits >= least:
            behind = firsts[firsts.index(name) + 1 :] if name in moved else []
            later = [axis for other in behind if (axis := wanted.get(other))]
            fits = max(least, fits // math.prod(map(_least, later)))  # so that all that the lesson moves is offered
            most = min(fits, MOST_MOVED if name in moved else MOST_OTHER) if whole.is_number else len(whole.values)
            found.append(thinned(whole, most))
            answers *= len(found[-1].values)
    return found


def idle(found: Sequence[Axis], seen: Sequence) -> set[str]:
    """The axes along which nothing changes. seen: what each combination shows, the last axis moving fastest."""
    shape = [len(axis.values) for axis in found]
    numbers: dict = {}
    grid = np.array([numbers.setdefault(each, len(numbers)) for each in seen]).reshape(shape)
    return {axis.name for place, axis in enumerate(found) if (grid == grid.take([0], place)).all()}


def _least(axis: Axis) -> int:
    """With how many values an input is worth offering."""
    return min(LEAST, len(axis.values)) if axis.is_number else len(axis.values)


def _fits(budget: Budget, answers: int, slowest_s: float) -> int:
    """With how many stops of a further input a grid of so many answers stays within the budget."""
    in_time = int(budget.time_s / slowest_s / answers) + 1 if slowest_s > 0 else budget.answers
    return min(budget.answers // answers, in_time)


def thinned(axis: Axis, most: int) -> Axis:
    """At most so many of the stops, evenly: the ends and the lesson's own among them."""
    size = len(axis.values)
    if size <= most:
        return axis
    even = [np.linspace(0, size - 1, max(count, 2)).round().astype(int).tolist() for count in (most, most - 1)]
    places = sorted({*(even[0] if axis.at in even[0] else even[1]), axis.at})
    return axis._replace(
        values=tuple(axis.values[place] for place in places),
        labels=tuple(axis.labels[place] for place in places),
        at=places.index(axis.at),
    )


def _axis(study: Study, name: str, value, is_moved: bool) -> Axis | None:
    """An input with everything that can be chosen; None for what the book has no control for."""
    field = study.Inputs.model_fields[name]
    kind = kind_of(field)
    about = (name, field.title or name, field.description or "")
    if isinstance(kind, Steps):
        values: tuple = tuple(sorted({*kind.stops, value}))
        labels = tuple(kind.label(each) for each in values)
        return Axis(*about, values, labels, values.index(value), True, field.annotation is float)
    if isinstance(kind, Choice):
        options = kind.options()
        if value not in options or len(options) > MOST_OPTIONS:
            return None
        return Axis(*about, tuple(options), tuple(options.values()), list(options).index(value), False, False)
    if isinstance(kind, Choices) and is_moved and len(value) > 1:
        options = {each: str(label) for each, label in kind.options().items()}
        single = tuple((each,) for each in value)
        labels = ("all of the lesson", *(f"only {options.get(each, each)}" for each in value))
        return Axis(*about, (tuple(value), *single), labels, 0, False, False)
    return None


def _takes_s(study: Study, start: StudyInputs, axis: Axis) -> float:
    """How long an answer takes that is as far as it goes from the lesson's own."""
    far = axis.values[-1 if axis.at < len(axis.values) / 2 else 0]
    began = time.perf_counter()
    computed(study, start.model_dump() | {axis.name: far})
    return time.perf_counter() - began
