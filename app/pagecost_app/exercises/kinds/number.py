"""A question whose answer is one number with a unit: worked out, or predicted before exploring."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass

from pagecost.errors import ModelError
from pagecost.units import UNITS, grouped, quantity
from pagecost_app.exercises.exercise import Exercise, Field, Judged, Unreadable, alone

DIGITS = 0.006  # relative: how near digits must be for the unit to be blamed, not the number
LONGEST = 60  # characters of a number with its unit


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
        return (Field("number", "number", "Your prediction" if self.within else "Your answer", self.unit),)

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
        return number_in(alone(answer, "number"), self.unit)

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


def number_in(answer, unit: str) -> float:
    """An answer as a number in `unit`: a number, or a text with or without a unit. Raises Unreadable."""
    if isinstance(answer, str):
        return _of_text(answer, unit)
    try:
        number = None if isinstance(answer, (bool, list, dict)) else float(answer)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None:
        raise Unreadable(f"{str(answer)[:LONGEST]!r} is not a number; the answer is wanted {wanted(unit)}.")
    if not math.isfinite(number):
        raise Unreadable("that is not a finite number.")
    return number


def _of_text(answer: str, unit: str) -> float:
    text = _plain(answer).replace("×", "").removesuffix("times").strip()
    if len(text) > LONGEST:
        raise Unreadable(f"{text[:20]!r}… is too long for a number; the answer is wanted {wanted(unit)}.")
    own = "1" if unit == "%" else unit
    text = _without(text, unit)
    if unit == "USD" and text.startswith("$"):
        text = text[1:].lstrip()
    in_percent = unit == "%" and not text.endswith("%")
    try:
        number = float(quantity(text, own, "your answer"))
    except ModelError as error:
        raise Unreadable(f"{error}; it is wanted {wanted(unit)}.") from None
    return number if unit != "%" or in_percent else 100 * number


def _plain(answer: str) -> str:
    """Without what sets thousands apart, and with a point for a decimal comma.

    Raises Unreadable where a comma may be either: behind it stand three digits, in front one to three.
    """
    text = _SPACES.sub("", answer.strip())
    if _SEVERAL.fullmatch(text):
        return text.replace(",", "")
    if _EITHER.match(text):
        raise Unreadable(f"{text[:LONGEST]!r} may be some thousands or a fraction: write it with a point, or no comma.")
    return text.replace(",", ".")


def _without(text: str, unit: str) -> str:
    """Without its unit, where that is none which `quantity` reads: one with a digit in it, or a thing that is counted;
    and without what people say for it."""
    ends = [f" {unit}"] if unit in UNITS else [unit]
    if unit in UNITS and not any(letter.isdigit() for letter in unit):
        ends = []
    for end in (*ends, *_SAID.get(unit, ())):
        if text.lower().endswith(end.lower()) and text[: -len(end)].rstrip()[-1:].isdigit():
            return text[: -len(end)].rstrip()
    return text


def wanted(unit: str) -> str:
    """How an answer is to be given."""
    return "as a plain number" if unit == "1" else f"in {_SPOKEN.get(unit, unit)}"


def written(number: float, unit: str) -> str:
    """A number with its unit, four digits; what is counted in whole things has all of them."""
    counted = unit not in UNITS and number == int(number)
    said = digits(number if counted else float(f"{number:.4g}"))
    return said if unit == "1" else f"{said} {unit if said == '1' else _PLURAL.get(unit, unit)}"


def digits(number: float) -> str:
    """A number as people write it: 0.0125, 12.5, 1250, 12 500."""
    if 10_000 <= abs(number) < 1e12 and number == int(number):
        return grouped(number)
    return f"{number:g}" if abs(number) < 1e5 and number != int(number) else f"{number:.7g}"


_SPACES = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f](?=\d{3}(?!\d))")  # between groups of three digits
_SEVERAL = re.compile(r"[+-]?\d{1,3}((,\d{3}){2,}|(,\d{3})+\.\d+)\D*")
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}(?![\d.,])")
_SAID = {"1/s": (" per second", "/s", " IOPS", " tps"), "%": (" percent", " per cent"), "USD": ("$", " dollars")}
_PLURAL = {"year": "years", "day": "days"}
_SPOKEN = {**_PLURAL, "1/s": "1/s (per second)"}
