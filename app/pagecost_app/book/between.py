"""What is drawn between two computed stops of a slider, and how far off that is: measured at stops left out."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pagecost.studies import Study
from pagecost.studies.fields import Steps, kind_of
from pagecost_app.book.axes import Axis
from pagecost_app.book.recording import Place

LINEAR, LOG = "linear", "log"
WAYS = (LINEAR, LOG)
MOST_OFF = 0.05  # beyond it nothing is drawn between stops
PARTS = 4  # of the way from a stop to the next


class Missed(NamedTuple):
    """How far a stop that is drawn from its two neighbours is from the computed one: shares of its numbers.

    way: how is drawn between, `linear` or `log`; worst: inf where the neighbours have other lines or points.
    """

    way: str
    worst: float
    half: float

    @property
    def is_small(self) -> bool:
        """Whether it may be drawn between stops."""
        return self.worst <= MOST_OFF


def missed(
    axis: Axis, number: int, shape: Sequence[int], states: Sequence[Mapping[Place, int]], columns: Mapping
) -> Missed:
    """The error at every inner stop of an axis, the `number`th of a grid of that shape, in its better way.

    states: of the answers in the order of the grid; columns: the numbers of a value, where it has some.
    """
    grid = np.arange(len(states)).reshape(shape)
    lines = np.moveaxis(grid, number, -1).reshape(-1, len(axis.values))
    found = []
    for way in WAYS:
        off: list[float] = []
        for line, inner in itertools.product(lines.tolist(), range(1, len(axis.values) - 1)):
            before, there, behind = (states[line[inner + step]] for step in (-1, 0, 1))
            weight = place_of(axis.values[inner], axis.values[inner - 1], axis.values[inner + 1])
            off += _off(before, there, behind, weight, way, columns)
        found.append(Missed(way, max(off, default=math.inf), float(np.median(off)) if off else math.inf))
    return min(found, key=lambda each: (each.worst, each.half))


def place_of(value: float, low: float, high: float) -> float:
    """How far a value is on the way from `low` to `high`, 0..1: by its logarithm where there is one."""
    if low > 0:
        value, low, high = math.log(value), math.log(low), math.log(high)
    return (value - low) / (high - low)


def stops(study: Study, axis: Axis) -> list[list]:
    """Every place of the slider: the stop before it, how far it is from there to the next, 0 at a stop, and what it
    is called."""
    kind = kind_of(study.Inputs.model_fields[axis.name])
    made: list[list] = []
    for number, (value, label) in enumerate(zip(axis.values, axis.labels, strict=True)):
        made.append([number, 0, label])
        if number + 1 == len(axis.values) or not isinstance(kind, Steps):
            continue
        end = axis.values[number + 1]
        for part in range(1, PARTS):
            share = part / PARTS
            between = value * (end / value) ** share if value > 0 else value + (end - value) * share
            between = float(f"{between:.3g}")
            if value < between < end:
                made.append([number, place_of(between, value, end), kind.label(between)])
    return made


def _off(before, there, behind, weight: float, way: str, columns: Mapping) -> list[float]:
    """By what share each number that differs between the neighbours is missed."""
    off: list[float] = []
    for place, value in there.items():
        one, two = before.get(place, -1), behind.get(place, -1)
        if one == two == value or value not in columns:
            continue
        if one not in columns or two not in columns:
            return [math.inf]
        low, true, high = columns[one], columns[value], columns[two]
        if not low.shape == true.shape == high.shape:
            return [math.inf]
        drawn = mixed(low, high, weight, way)
        if not np.array_equal(np.isfinite(drawn), np.isfinite(true)):
            return [math.inf]
        known = np.isfinite(true)
        largest = np.abs(true[known]).max(initial=0.0)
        scale = np.where(true[known] == 0, largest or 1.0, np.abs(true[known]))
        off += (np.abs(drawn[known] - true[known]) / scale).tolist()
    return off


def mixed(low: np.ndarray, high: np.ndarray, weight: float, way: str) -> np.ndarray:
    """Numbers on the way from `low` to `high`. Logarithms are taken where both have one."""
    drawn = (1 - weight) * low + weight * high
    if way == LOG:
        both = (low > 0) & (high > 0)
        drawn[both] = np.exp((1 - weight) * np.log(low[both]) + weight * np.log(high[both]))
    return drawn
