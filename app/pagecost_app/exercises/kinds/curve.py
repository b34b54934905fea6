"""A curve that is drawn before it is seen: y at given x, judged by direction, bend, knee and level."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np

from pagecost_app.exercises.exercise import Axis, Exercise, Field, Judged, Unreadable, alone
from pagecost_app.exercises.kinds.typed import number_in

FLAT = 0.25  # a curve is flat that rises or falls by less than this part of the engine's
BENT = 0.08  # a curve is straight that leaves the chord between its ends by less than this part of its range
GENERIC = {
    "direction": "it goes the other way.",
    "flat": "it is not that flat: from one end to the other much more happens.",
    "steep": "that is steeper than it is: much less happens from one end to the other.",
    "straight": "it is no straight line: there is a bend. Where does the first half end?",
    "bend": "it bends the other way.",
    "knee": "the bend is at another place.",
    "level": "the shape is right, the level is not: it lies {way}.",
    "near": "the course is right, but some points are off, most of all at {x}: there it lies {way}.",
    "far": "it is off, and not everywhere by as much: most of all at {x}, where it lies {way}.",
}


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Exercise):
    """x(**numbers), y(**numbers): the axes, x with its positions; course(**numbers): the engine's y at them [y.unit].

    mistakes: (the course that a wrong idea gives, what to say to it). tolerance: root mean square distance that
    passes, as a part of the range (of its logarithm on a logarithmic axis). words: what to say instead of `GENERIC`.
    Variants that a straight or a flat line would pass are never asked.
    """

    _: KW_ONLY
    x: Callable[..., Axis]
    y: Callable[..., Axis]
    course: Callable[..., Sequence[float]]
    mistakes: tuple[tuple[Callable[..., Sequence[float]], str], ...] = ()
    tolerance: float = 0.12
    words: Mapping[str, str] = ()  # type: ignore[assignment]
    attempts: int = 2

    kind = "curve"

    def form(self, seed) -> tuple[Field, ...]:
        numbers = self.numbers(seed)
        return (Field("curve", "curve", "Draw the curve", x=self.x(**numbers), y=self.y(**numbers)),)

    def key(self, seed) -> list[float]:
        return [float(value) for value in self.course(**self.numbers(seed))]

    def fits(self, numbers: Mapping) -> bool:
        own = self._scaled(self.course(**numbers), numbers)
        others = [self._scaled(wrong(**numbers), numbers) for wrong, _ in self.mistakes]
        dull = [np.linspace(own[0], own[-1], own.size), np.full(own.size, own.mean())]
        clear = all(_distance(own, other, own) > 1.5 * self.tolerance for other in (*others, *dull))
        pairs = ((one, other) for at, one in enumerate(others) for other in others[:at])
        return clear and all(_distance(one, other, own) > self.tolerance / 2 for one, other in pairs)

    def _scaled(self, values, numbers: Mapping) -> np.ndarray:
        """Values as they lie on the paper."""
        values = np.asarray(values, float)
        return np.log10(values) if self.y(**numbers).logarithmic else values

    def _read(self, seed, answer) -> np.ndarray:
        numbers = self.numbers(seed)
        wanted, axis = len(self.x(**numbers).positions), self.y(**numbers)
        answer = alone(answer, "curve")
        if not isinstance(answer, (list, tuple)) or len(answer) != wanted:
            raise Unreadable(f"the answer is a list of {wanted} values, one for each x; got {str(answer)[:60]!r}.")
        values = np.array([number_in(value, axis.unit or "1") for value in answer])
        known = [
            float(value) for wrong, _ in self.mistakes for value in wrong(**numbers)
        ]  # a wrong idea gets its words
        least, most = min([axis.least, *known]), max([axis.most, *known])
        outside = [value for value in values if not least <= value <= most]
        if outside:
            ends = f"{axis.least:g} to {axis.most:g} {axis.unit}".strip()
            raise Unreadable(f"{outside[0]:g} lies outside the drawing, which goes from {ends}.")
        return self._scaled(values, numbers)

    def _judge(self, seed, answer: np.ndarray) -> Judged:
        numbers = self.numbers(seed)
        own = self._scaled(self.course(**numbers), numbers)
        off = _distance(answer, own, own)
        if off <= self.tolerance:
            return Judged("passed", "right: direction, bend and level.")
        wrongs = [
            (_distance(answer, self._scaled(wrong(**numbers), numbers), own), say) for wrong, say in self.mistakes
        ]
        nearest, say = min(wrongs, default=(math.inf, ""))
        if nearest <= self.tolerance and nearest < off:
            return Judged("failed", self.text(say, seed), say)
        what, details = _difference(answer, own, self.tolerance)
        if "at" in details:
            details["x"] = f"{self.x(**numbers).positions[details.pop('at')]:g} {self.x(**numbers).unit}".strip()
        say = dict(self.words or {}).get(what, GENERIC[what])
        return Judged("failed", say.format(**details), say)

    def _closing(self, seed) -> str:
        numbers = self.numbers(seed)
        x, y = self.x(**numbers), self.y(**numbers)
        pairs = zip(x.positions, self.key(seed), strict=True)
        points = ", ".join(f"{value:.3g} {y.unit}".strip() + f" at {at:g} {x.unit}".rstrip() for at, value in pairs)
        return f"So: {points}."


def _range(values: np.ndarray) -> float:
    return float(np.ptp(values)) or 1.0


def _distance(one: np.ndarray, other: np.ndarray, own: np.ndarray) -> float:
    """Root mean square distance of two courses, as a part of the range of the engine's."""
    with np.errstate(over="ignore"):
        return float(np.sqrt(np.mean((one - other) ** 2))) / _range(own)


def _difference(answer: np.ndarray, own: np.ndarray, tolerance: float) -> tuple[str, dict]:
    """In what a drawn course differs first of all, as a word of `GENERIC` and what its sentence names.

    The shape is right where the course, moved to the level of the engine's, would pass; the level is wrong where also
    every point lies on the same side of the engine's.
    """
    rise, wanted = float(answer[-1] - answer[0]), float(own[-1] - own[0])
    span, own_span = _range(answer) if np.ptp(answer) else 0.0, _range(own)
    if span < FLAT * own_span:
        return "flat", {}
    if abs(wanted) > 0.5 * own_span and rise * wanted < 0:
        return "direction", {}
    if span > own_span / FLAT:
        return "steep", {}
    (bend, knee), (own_bend, own_knee) = _bend(answer), _bend(own)
    if abs(own_bend) > BENT:
        if abs(bend) <= BENT:
            return "straight", {}
        if bend * own_bend < 0:
            return "bend", {}
        if abs(knee - own_knee) > 1:
            return "knee", {}
    off = answer - own
    offset, beside = float(np.mean(off)), float(np.std(off))
    like = beside / own_span <= tolerance
    if like and (off * offset > 0).all():
        return "level", {"way": _way(offset)}
    at = int(np.argmax(np.abs(off)))
    return "near" if like else "far", {"at": at, "way": _way(off[at])}


def _way(off: float) -> str:
    return "too high" if off > 0 else "too low"


def _bend(values: np.ndarray) -> tuple[float, int]:
    """How far a course leaves the chord between its ends, as a part of its range, and where it does so most."""
    off = (values - np.linspace(values[0], values[-1], values.size)) / _range(values)
    at = int(np.argmax(np.abs(off)))
    return float(off[at]), at
