"""An exercise: a question with seeded numbers, a reference from the engine, and what typical wrong answers mean."""

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pagecost.units import UNITS


@dataclass(frozen=True)
class Exercise:
    """A question with seeded numbers.

    draw(random) chooses the numbers; `question` is a text with their names in braces; reference(**numbers) is the
    answer in `unit` ("ms", "%", "1" for a ratio); show(numbers) rewrites numbers for the text. mistakes: (what a wrong
    idea computes, what to say to it). tolerance: largest relative difference that passes. A prediction has `within`,
    the factor that it may be off, and `surprise`, what to say when it is off by more.
    """

    id: str
    question: str
    unit: str
    draw: Callable[[random.Random], Mapping]
    reference: Callable[..., float]
    tolerance: float = 0.01
    within: float = 0.0
    surprise: str = ""
    hints: tuple[str, ...] = ()
    mistakes: tuple[tuple[Callable[..., float], str], ...] = ()
    points: int = 1
    show: Callable[[Mapping], Mapping] = field(default=dict)

    def numbers(self, seed: int) -> Mapping:
        """The numbers of a variant."""
        return self.draw(random.Random(f"{self.id} {seed}"))

    def asked(self, seed: int) -> str:
        """The question of a variant, ending with the unit of the answer."""
        numbers = self.numbers(seed)
        unit = "as a ratio" if self.unit == "1" else f"in {self.unit}"
        return f"{self.question.format(**{**numbers, **self.show(numbers)})} Answer {unit}."

    def close(self, answer: float, to: float) -> bool:
        """Whether an answer is as good as `to`."""
        if self.within:
            return answer > 0 and to > 0 and 1 / self.within <= answer / to <= self.within
        return math.isclose(answer, to, rel_tol=self.tolerance)


def grade(exercise: Exercise, seed: int, answer) -> tuple[str, str]:
    """Status and message for an answer."""
    number, complaint = in_unit(answer, exercise.unit)
    if number is None:
        return "todo" if is_open(answer) else "failed", complaint
    numbers = exercise.numbers(seed)
    reference = exercise.reference(**numbers)
    if exercise.close(number, reference):
        return "passed", "well done."
    for wrong, say in exercise.mistakes:
        if exercise.close(number, wrong(**numbers)):
            return "failed", say
    for factor in (1e-3, 1e3, 1e-6, 1e6, 1e-2, 1e2):
        if exercise.close(number * factor, reference):
            return "failed", f"the digits are right, the unit is not: the answer is wanted {_unit(exercise.unit)}."
    way = "too large" if number > reference else "too small"
    return "failed", f"{written(number, exercise.unit)} is {way}." + (
        f' Try hint("{exercise.id}").' if exercise.hints else ""
    )


def compare(exercise: Exercise, seed: int, predicted: float) -> tuple[str, str]:
    """Status and message for a prediction, beside what the engine says."""
    reference = exercise.reference(**exercise.numbers(seed))
    said = f"you predicted {written(predicted, exercise.unit)}, the model says {written(reference, exercise.unit)}."
    return ("passed", said) if exercise.close(predicted, reference) else ("failed", f"{said} {exercise.surprise}")


def is_open(answer) -> bool:
    """Whether nothing was answered yet."""
    return answer is None or answer is Ellipsis or answer == ""


def in_unit(answer, unit: str) -> tuple[float | None, str]:
    """The answer as a number in `unit`, or None and what is wrong with it."""
    if is_open(answer):
        return None, "replace the ... with your answer, then run this cell again."
    if isinstance(answer, str):
        text = answer.strip().replace(",", ".").replace("×", "").strip()
        digits = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZµ%/ ")
        symbol = text[len(digits) :].strip() or unit
        if symbol not in _SCALES or unit not in _SCALES or _SCALES[symbol][0] != _SCALES[unit][0]:
            return None, f"{symbol!r} is no unit of this answer; it is wanted {_unit(unit)}."
        factor = _SCALES[symbol][1] / _SCALES[unit][1]
    else:
        digits, factor = answer, 1.0
    try:
        number = float(digits) * factor
    except (TypeError, ValueError):
        return None, f"{answer!r} is not a number; the answer is wanted {_unit(unit)}."
    if not math.isfinite(number):
        return None, "that is not a finite number."
    return number, ""


def _unit(unit: str) -> str:
    return "as a plain ratio" if unit == "1" else f"in {unit}"


def written(number: float, unit: str) -> str:
    """A number with its unit, four digits."""
    return f"{number:.4g}" + ("" if unit == "1" else f" {unit}")


_SCALES = {symbol: (unit.dimension, unit.si) for symbol, unit in UNITS.items()} | {"%": ("number", 0.01)}
