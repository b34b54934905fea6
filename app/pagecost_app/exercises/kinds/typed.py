"""How people type a number: one grammar, for the reader here and, as data, for the pages of the book.

A number or a fraction, then what it is a number of: nothing, a unit, or the thing that the question asks to count.
"""

import math
import re
from collections.abc import Iterator

from pagecost.errors import ModelError
from pagecost.units import SPELT, UNITS, quantity
from pagecost_app.exercises.exercise import Unreadable

LONGEST = 60  # characters of a number with its unit
LARGEST = 1e300
UNKNOWN = "?"  # an ending that is none
SYMBOL = 3  # letters of a unit's symbol at most, which may stand in any case
PLURAL = {"year": "years", "day": "days"}

GRAMMAR = {
    "spaces": r"(?<=\d)[ \u00a0\u2009\u202f](?=\d{3}(?!\d))",  # between groups of three digits
    "several": r"^[+-]?\d{1,3}((,\d{3}){2,}|(,\d{3})+\.\d+)\D*$",
    "either": r"^[+-]?[1-9]\d{0,2},\d{3}(?![\d.,])",
    "number": r"^([+-]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d{1,5})?)"
    r"(?:\s*/\s*((?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d{1,5})?))?\s*(.*)$",
    "mixed": r"^\d+\s*/\s*\d+",
}
"""Patterns that Python and JavaScript read alike. number: its parts are numerator, denominator and ending; mixed: the
ending of a whole number with a fraction behind it."""

REFUSED = {
    "long": "is too long for a number",
    "either": "may be some thousands or a fraction: write it with a point, or no comma",
    "none": "is no number",
    "mixed": "may be a sum or a slip: write one fraction, as 7/3, or a point, as 2.333",
    "zero": "divides by zero",
    "large": "is too large",
}
"""What is said behind a text that is refused."""

DATA = {"grammar": GRAMMAR, "refused": REFUSED, "longest": LONGEST, "largest": LARGEST}
"""All that is the same for every number, for who cannot ask the engine."""

_SPACES, _SEVERAL, _EITHER, _NUMBER, _MIXED = (re.compile(each, re.ASCII) for each in GRAMMAR.values())
_SAID = {
    "1": ("x", "×", "times"),
    "times": ("x", "×"),
    "1/s": ("per second", "/s", "IOPS", "tps"),
    "%": ("percent", "per cent"),
    "USD": ("$", "dollars"),
}
_SPOKEN = {**PLURAL, "1/s": "1/s (per second)"}
_ONE = "your answer"
_COUNTED = re.compile(
    r"\bhow many (?:of [^?]*? are (?P<behind>\w+)\?|(?P<front>[\w ]+?)"
    r"(?= (?:a|are|as|at|can|did|do|does|has|have|in|is|may|must|of|per|should|the|will)\b|[?,(]))",
    re.IGNORECASE,
)


def number_in(answer, unit: str, question: str = "") -> float:
    """An answer as a number in `unit`: a number, or a text, with or without a unit. Raises Unreadable.

    question: what is asked; behind a plain number, or one per second, may stand what it asks to count (`counted`).
    """
    if isinstance(answer, str):
        return _of_text(answer, unit, question)
    try:
        number = None if isinstance(answer, (bool, list, dict)) else float(answer)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None:
        raise Unreadable(f"{str(answer)[:LONGEST]!r} is not a number; the answer is wanted {wanted(unit)}.")
    if not math.isfinite(number):
        raise Unreadable("that is not a finite number.")
    return number


def wanted(unit: str) -> str:
    """How an answer is to be given."""
    return "as a plain number" if unit == "1" else f"in {_SPOKEN.get(unit, unit)}"


def counted(question: str, unit: str) -> tuple[str, ...]:
    """What a question asks to count, as an answer may name it: "page reads", "reads", "read"; nothing where `unit` says
    what it is a number of, or the question none."""
    found = _COUNTED.search(question) if unit in ("1", "1/s") else None
    phrase = (found["behind"] or found["front"]).lower() if found else "times"
    noun = phrase.split()[-1]
    if noun == "times" or noun in UNITS or noun in SPELT:
        return ()
    singular = phrase.removesuffix("s") if not phrase.endswith("ies") else f"{phrase.removesuffix('ies')}y"
    return tuple(dict.fromkeys((phrase, singular, noun, singular.split()[-1])))


def leading(unit: str) -> str:
    """What people write in front of a number of this unit: the sign of a currency."""
    return "$" if unit == "USD" else ""


def reading(unit: str, question: str = "") -> dict:
    """What else must be known to read a number in `unit`: its endings, what is said to any other, the sign in front,
    how it is wanted."""
    try:
        _meaning(UNKNOWN, unit, question)
    except Unreadable as why:
        said = str(why)
    return {"endings": endings(unit, question), "unknown": said, "leading": leading(unit), "wanted": wanted(unit)}


def endings(unit: str, question: str = "") -> dict[str, float | str]:
    """What each ending of a number in `unit` means, for who cannot ask the engine: what one of it is in `unit`, or what
    is said to it where it is refused for a reason of its own."""
    found: dict[str, float | str] = {}
    for each in _candidates(unit, question):
        cases = (each, each.lower(), each.upper(), each.capitalize(), each[:1] + each[1:].upper())
        for form in dict.fromkeys(cases if len(each) <= SYMBOL else cases[:4]):
            try:
                found[form] = _meaning(form, unit, question)
            except Unreadable as why:
                if not str(why).startswith(REFUSED["none"]):
                    found[form] = str(why)
    return found


def _of_text(answer: str, unit: str, question: str) -> float:
    typed = _SPACES.sub("", answer.strip().removeprefix(leading(unit)).strip())
    if len(typed) > LONGEST:
        raise _refused(f"{typed[:20]}…", REFUSED["long"], unit)
    if _SEVERAL.match(typed):
        plain = typed.replace(",", "")
    elif _EITHER.match(typed):
        raise _refused(typed, REFUSED["either"], unit)
    else:
        plain = typed.replace(",", ".")
    found = _NUMBER.match(plain)
    if not found:
        raise _refused(typed, REFUSED["none"], unit)
    if not found[2] and _MIXED.match(found[3]):
        raise _refused(typed, REFUSED["mixed"], unit)
    try:
        number = _value(found[1]) / (_value(found[2]) if found[2] else 1.0) * _meaning(found[3].strip(), unit, question)
    except ZeroDivisionError:
        raise _refused(typed, REFUSED["zero"], unit) from None
    except Unreadable as why:
        raise _refused(typed, str(why), unit) from None
    if not abs(number) < LARGEST:
        raise _refused(typed, REFUSED["large"], unit)
    return number


def _value(digits: str) -> float:
    return float(digits.replace("_", ""))


def _refused(typed: str, why: str, unit: str) -> Unreadable:
    return Unreadable(f"{typed!r} {why}; it is wanted {wanted(unit)}.")


def _meaning(ending: str, unit: str, question: str) -> float:
    """What one of `ending` is in `unit`. Raises Unreadable with what is said behind the text."""
    things = counted(question, unit)
    if ending.lower() in {"", *(word.lower() for word in _own_words(unit, things))}:
        return 1.0
    try:
        size = float(quantity(f"1 {ending}", "1" if unit == "%" else unit, _ONE))
    except ModelError as error:
        why = str(error).removeprefix(f"{_ONE}: {f'1 {ending}'!r} ")
        counts = why.startswith(REFUSED["none"]) and things
        raise Unreadable(f"{REFUSED['none']} of {things[0]}, which are asked for" if counts else why) from None
    return 100 * size if unit == "%" and ending.endswith("%") else size


def _own_words(unit: str, things: tuple[str, ...]) -> Iterator[str]:
    """What may stand behind a number without changing it."""
    is_read = unit in UNITS and not any(letter.isdigit() for letter in unit)  # by `quantity`, which tells ms from Ms
    yield from (*(() if is_read or unit == "1" else (unit,)), *_SAID.get(unit, ()), *things)
    if unit == "1/s":
        yield from (f"{thing}{behind}" for thing in things for behind in (" per second", "/s"))


def _candidates(unit: str, question: str) -> Iterator[str]:
    """Every ending that can mean something."""
    own = UNITS.get(unit, UNITS["1"]).dimension
    yield from ("", "k", "m", "g", "t", *_own_words(unit, counted(question, unit)))
    yield from (symbol for symbol, each in UNITS.items() if each.dimension == own)
    yield from (spelt for spelt, symbol in SPELT.items() if UNITS[symbol].dimension == own)
