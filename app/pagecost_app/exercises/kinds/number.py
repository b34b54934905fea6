"""A question whose answer is one number with a unit: worked out, or predicted before exploring."""

import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass

from pagecost.units import UNITS, grouped
from pagecost_app.exercises.exercise import Exercise, Field, Judged, alone
from pagecost_app.exercises.kinds.typed import PLURAL, number_in, wanted

EXACT = 1e-9  # relative: what whole numbers are wanted with
DIGITS = 0.006  # relative: how near digits must be for the unit to be blamed, not the number


@dataclass(frozen=True, eq=False, repr=False)
class Number(Exercise):
    """The answer is a number in `unit` ("ms", "%", "1" for a ratio): reference(**numbers).

    mistakes: (what a wrong idea computes, what to say to it). tolerance: largest relative difference that passes. A
    prediction has `within`, the factor that it may be off, and `surprise`, what to say when it is off by more; with
    `side`, where the idea is whether a ratio lies above or below 1, one on the other side never passes.
    """

    unit: str
    _: KW_ONLY
    reference: Callable[..., float]
    tolerance: float = 0.01
    within: float = 0.0
    surprise: str = ""
    side: bool = False
    mistakes: tuple[tuple[Callable[..., float], str], ...] = ()

    kind = "number"

    def __post_init__(self):
        if self.within:
            object.__setattr__(self, "attempts", 1)  # afterwards it is known

    def asked(self, seed) -> str:
        return f"{super().asked(seed)} Answer {wanted(self.unit)}."

    def form(self, seed) -> tuple[Field, ...]:
        label = "Your prediction" if self.within else "Your answer"
        return (Field("number", "number", label, self.unit, self.near),)

    @property
    def near(self) -> str:
        """How exact an answer must be, in a few words."""
        if self.within:
            return f"within a factor of {self.within:g}{', on the right side of 1' if self.side else ''}"
        return within(self.tolerance)

    def key(self, seed) -> float:
        return float(self.reference(**self.numbers(seed)))

    def close(self, answer: float, to: float) -> bool:
        """Whether an answer is as good as `to`."""
        if self.within:
            near = answer > 0 and to > 0 and 1 / self.within <= answer / to <= self.within
            return near and not (self.side and (answer - 1) * (to - 1) <= 0)
        return math.isclose(answer, to, rel_tol=self.tolerance)

    def fits(self, numbers: Mapping) -> bool:
        if not self.mistakes:
            return True
        values = [self.reference(**numbers), *(wrong(**numbers) for wrong, _ in self.mistakes)]
        pairs = ((one, other) for at, one in enumerate(values) for other in values[:at])
        return all(math.isfinite(value) for value in values) and not any(
            math.isclose(one, other, rel_tol=self.tolerance) for one, other in pairs
        )

    def _read(self, seed, answer) -> float:
        return number_in(alone(answer, "number"), self.unit, self.question)

    def _judge(self, seed, answer: float) -> Judged:
        numbers = self.numbers(seed)
        reference = float(self.reference(**numbers))
        right = self.close(answer, reference)
        if self.within:
            said = f"you predicted {written(answer, self.unit)}, the model says {written(reference, self.unit)}."
            return Judged("passed", said) if right else Judged("failed", f"{said} {self.text(self.surprise, seed)}")
        if right:
            return Judged("passed", "right.")
        for wrong, say in self.mistakes:
            if self.close(answer, wrong(**numbers)):
                return Judged("failed", self.text(say, seed), say)
        symbol = self._unit_that_fits(answer, reference)
        if symbol:
            say = "the digits are right, the unit is not"
            return Judged("failed", f"{say}: so many {symbol}, and it is wanted {wanted(self.unit)}.", say)
        way = "too large" if answer > reference else "too small"
        return Judged("failed", f"{written(answer, self.unit)} is {way}.")

    def _unit_that_fits(self, answer: float, reference: float) -> str:
        """The unit of the same dimension in which the answer would be right, "" if there is none."""
        own = UNITS[self.unit]
        for symbol, unit in UNITS.items():
            same = unit.dimension == own.dimension and unit.si != own.si
            if same and math.isclose(answer * unit.si / own.si, reference, rel_tol=min(DIGITS, self.tolerance)):
                return symbol if symbol != "1" else "as a plain number"
        return ""

    def _closing(self, seed) -> str:
        return f"So the answer is {written(self.key(seed), self.unit)}."


def within(tolerance: float) -> str:
    """In a few words how near to a number an answer must be, relative to it."""
    return "exact" if tolerance <= EXACT else f"within {100 * tolerance:g} %"


def written(number: float, unit: str) -> str:
    """A number with its unit, four digits; what is counted in whole things has all of them."""
    counted = unit not in UNITS and number == int(number)
    said = digits(number if counted else float(f"{number:.4g}"))
    return said if unit == "1" else f"{said} {unit if said == '1' else PLURAL.get(unit, unit)}"


def digits(number: float) -> str:
    """A number as people write it: 0.0125, 12.5, 1250, 12 500."""
    if 10_000 <= abs(number) < 1e12 and number == int(number):
        return grouped(number)
    return f"{number:g}" if abs(number) < 1e5 and number != int(number) else f"{number:.7g}"
