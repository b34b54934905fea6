"""An instructor's own exercises: questions with drawn numbers and formulas, in one TOML file, no line of Python.

docs/teaching.md shows one. Beside a notebook the file has the name `exercises.toml`.
"""

import functools
import itertools
import math
import random
import re
import string
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, PlainValidator, Tag, ValidationError
from pydantic_core import PydanticCustomError

from pagecost.errors import ModelError, require
from pagecost.units import UNITS
from pagecost_app.exercises.exercise import Exercise
from pagecost_app.exercises.formula import Formula
from pagecost_app.exercises.kinds.number import Number

FILE = "exercises.toml"
MOST_BYTES, MOST_EXERCISES, MOST_VALUES = 200_000, 100, 1_000
TRIED = 25  # seeds with which an exercise is tried before it is taken
MOST_TRIED = 4_000  # combinations of its numbers that are tried as well
LARGEST = 1e15
ID = r"^[a-z0-9]+(-[a-z0-9]+)*$"
LONGEST_ID = 60
MODEL = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)
Text = Annotated[str, Field(min_length=1, max_length=4_000)]


def _amount(value: Any) -> float:
    """A number as it stands in the file: whole ones stay whole."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise PydanticCustomError("amount", f"must be a number from {-LARGEST:g} to {LARGEST:g}")
    return value


def _positive(value: float) -> float:
    if value <= 0:
        raise PydanticCustomError("positive", "must be greater than 0")
    return value


Amount = Annotated[float, PlainValidator(_amount)]


class Range(BaseModel):
    """Numbers from one to another, in steps."""

    model_config = MODEL
    least: Annotated[Amount, Field(alias="from")]
    most: Annotated[Amount, Field(alias="to")]
    step: Annotated[Amount, AfterValidator(_positive)]


LIST, RANGE = "a list", "a range"
Drawn = Annotated[
    Annotated[list[Amount], Field(min_length=1, max_length=MOST_VALUES), Tag(LIST)] | Annotated[Range, Tag(RANGE)],
    Discriminator(lambda drawn: RANGE if isinstance(drawn, dict) else LIST),
]


class Mistake(BaseModel):
    """What a wrong idea computes, and what is said to it."""

    model_config = MODEL
    answer: Text
    say: Text


class Question(BaseModel):
    """One exercise as it stands in the file."""

    model_config = MODEL
    id: Annotated[str, Field(pattern=ID, max_length=LONGEST_ID)]
    question: Text
    unit: str
    answer: Text
    draw: dict[str, Drawn]
    tolerance: Annotated[float, Field(gt=0, le=0.5)] = 0.01
    hints: Annotated[list[Text], Field(max_length=9)] = []
    solution: Annotated[list[Text], Field(max_length=20)] = []
    mistake: Annotated[list[Mistake], Field(max_length=20)] = []
    points: Annotated[int, Field(ge=1, le=100)] = 1
    attempts: Annotated[int, Field(ge=2, le=20)] = 4


class Paper(BaseModel):
    """The file."""

    model_config = MODEL
    exercise: Annotated[list[Question], Field(min_length=1, max_length=MOST_EXERCISES)]


def text_of(path: Path) -> str:
    """The text of a file of exercises. Raises ModelError where it cannot be read."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
        require(len(data) <= MOST_BYTES, f"exercises {path}: a file of exercises has at most {MOST_BYTES // 1000} kB")
        return data.decode("utf8")
    except OSError as error:
        raise ModelError(f"exercises {path}: it cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ModelError(f"exercises {path}: it is not UTF-8") from None


@functools.lru_cache(maxsize=8)
def parse(text: str, name: str = FILE) -> Mapping[str, Exercise]:
    """The exercises of such a text, by id; `name` is what errors call it.

    Raises ModelError, which names the line or the exercise and its field.
    """
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ModelError(f"exercises {name}: this is no TOML: {error or 'it is too deep'}") from None
    try:
        paper = Paper.model_validate(found)
    except ValidationError as error:
        raise ModelError(f"exercises {name}: {_first_fault(error, found)}") from None
    exercises: dict[str, Exercise] = {}
    for question in paper.exercise:
        where = f"exercises {name}: {question.id}"
        require(question.id not in exercises, f"{where}: two exercises have this id")
        exercises[question.id] = _exercise(question, where)
    return exercises


def beside() -> Mapping[str, Exercise]:
    """Those in the file beside the notebook, none where there is no such file. Raises ModelError like `parse`."""
    path = Path(FILE).absolute()
    return parse(text_of(path), FILE) if path.is_file() else {}


def _first_fault(error: ValidationError, found: Mapping) -> str:
    """What is wrong first, by the exercise's id (its number from 1 where it has none) and its field."""
    first = error.errors()[0]
    place = [part for part in first["loc"] if part not in (LIST, RANGE)]
    said = first["msg"].replace("Input should be", "must be")
    where = ""
    if len(place) > 2 and place[0] == "exercise" and isinstance(place[1], int):
        called = found["exercise"][place[1]].get("id")
        known = isinstance(called, str) and len(called) <= LONGEST_ID and re.match(ID, called)
        where = f"{called if known else f'exercise {place[1] + 1}'}: "
        place = place[2:]
    field = ".".join(str(part + 1 if isinstance(part, int) else part) for part in place)
    return f"{where}{field[:100]}: {said}"


def _exercise(question: Question, where: str) -> Exercise:
    """The exercise, tried with some seeds and with its numbers. Raises ModelError."""
    require(question.unit in UNITS, f"{where}: unit: {question.unit!r} is none of {', '.join(UNITS)}")
    values = {name: _values(each, f"{where}: draw.{name}") for name, each in question.draw.items()}
    for name in values:
        require(name.isidentifier(), f"{where}: draw.{name}: a name has letters, digits and _")
    named = [("question", question.question)]
    named += [("hints", text) for text in question.hints] + [("solution", text) for text in question.solution]
    named += [(f"mistake.{number}.say", each.say) for number, each in enumerate(question.mistake, start=1)]
    for field, text in named:
        _require_names(text, set(values), f"{where}: {field}")
    answer = _formula(question.answer, set(values), f"{where}: answer")
    mistakes = [
        (_formula(each.answer, set(values), f"{where}: mistake.{number}.answer"), each.say)
        for number, each in enumerate(question.mistake, start=1)
    ]
    steps = tuple(question.solution)
    made = Number(
        question.id,
        question.question,
        question.unit,
        draw=lambda dice: _drawn(dice, values),
        reference=lambda **numbers: answer.of(numbers),
        tolerance=question.tolerance,
        hints=tuple(question.hints),
        mistakes=tuple((_of(formula), say) for formula, say in mistakes),
        steps=lambda **numbers: tuple(step.format(**numbers) for step in steps),
        points=question.points,
        attempts=question.attempts,
    )
    try:
        for seed in range(TRIED):
            made.asked(seed)
            made.key(seed)
        for numbers in _tried(values):
            made.fits(numbers)
            made.reference(**numbers)
    except ModelError as error:
        raise ModelError(f"{where}: {error}") from None
    return made


def _tried(values: Mapping[str, list]) -> Iterator[dict]:
    """All combinations of the numbers; where there are too many, each number at least once and more at random, as far
    as MOST_TRIED goes."""
    if math.prod(map(len, values.values())) <= MOST_TRIED:
        yield from (dict(zip(values, each, strict=True)) for each in itertools.product(*values.values()))
        return
    dice = random.Random(1)
    each_once = ({**_drawn(dice, values), name: one} for name, all_of in values.items() for one in all_of)
    at_random = (_drawn(dice, values) for _ in range(MOST_TRIED))
    yield from itertools.islice(itertools.chain(each_once, at_random), MOST_TRIED)


def _drawn(dice: random.Random, values: Mapping[str, list]) -> dict:
    return {name: dice.choice(each) for name, each in values.items()}


def _of(formula: Formula):
    return lambda **numbers: formula.of(numbers)


def _formula(text: str, names: set[str], where: str) -> Formula:
    try:
        return Formula(text, names)
    except ModelError as error:
        raise ModelError(f"{where}: {error}") from None


def _values(drawn: list | Range, where: str) -> list:
    if isinstance(drawn, list):
        return drawn
    require(drawn.most >= drawn.least, f"{where}: to ({drawn.most:g}) lies below from ({drawn.least:g})")
    count = int((drawn.most - drawn.least) / drawn.step + 1e-9) + 1
    require(count <= MOST_VALUES, f"{where}: these are {count} values; at most {MOST_VALUES} are drawn from")
    return [round(drawn.least + number * drawn.step, 12) for number in range(count)]


def _require_names(text: str, names: set[str], where: str) -> None:
    """Raises ModelError where braces hold anything but a drawn name, with or without a format."""
    try:
        parts = list(string.Formatter().parse(text))
        for _, name, layout, conversion in parts:
            if name is None:
                continue
            listed = ", ".join(sorted(names)) or "none"
            plain = name in names and not conversion and "{" not in (layout or "")
            require(plain, f"{where}: {{{name}}} is not drawn; the names that are: {listed}; a brace itself is {{{{")
            format(1.0, layout or "")
    except ModelError:
        raise
    except ValueError as error:
        raise ModelError(f"{where}: {error}; a brace itself is {{{{") from None
