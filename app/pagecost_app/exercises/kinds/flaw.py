"""Find the flaw: statements with numbers, in one of which the numbers contradict each other.

The statements stand in `flaws.toml`, after contradictions of the five papers. Each has numbers that may be given, and
rules of arithmetic: what follows from them (`follows`) and what a flawed statement says instead (`flawed`). Which
statement contradicts itself is computed from the numbers that are shown, and from nothing else.
"""

import ast
import math
import operator
import random
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from pagecost.errors import ModelError, known, require
from pagecost.units import UNITS
from pagecost_app.exercises.exercise import Exercise, Field, Judged, Option, by_name, chosen
from pagecost_app.exercises.kinds.number import digits, within, written
from pagecost_app.exercises.kinds.typed import number_in, wanted

STATEMENTS = 4  # of which one contradicts itself
AGREE = 0.02  # relative: two numbers agree that differ by rounding only
LETTERS = "abcdefgh"
FLAWS_FILE = Path(__file__).parents[1] / "flaws.toml"
RELATION = {True: "agrees with", False: "contradicts"}


@dataclass(frozen=True)
class Statement:
    """A statement about numbers. text: with their names in braces, last {said}, which follows from the others [unit].

    given: name -> the values it may have. follows, flawed: expressions over the given numbers. shows: the arithmetic
    in words. paper, printed, used: where the contradiction stands, what is printed there, what this project does.
    """

    id: str
    text: str
    unit: str
    given: Mapping[str, list]
    follows: str
    flawed: str
    shows: str
    paper: str
    printed: str
    used: str

    def known(self, numbers: Mapping[str, float], flawed: bool) -> dict[str, Any]:
        """The numbers of a statement and what it says follows from them, rounded as it is printed."""
        value = float(f"{arithmetic(self.flawed if flawed else self.follows, numbers):.4g}")
        return {**numbers, "said": value}

    def is_flawed(self, known: Mapping[str, float]) -> bool:
        """Whether what is said differs from what follows from the other numbers, and is not that number rounded."""
        right = arithmetic(self.follows, known)
        return not (math.isclose(known["said"], right, rel_tol=AGREE) or _rounds_to(right, known["said"]))

    def told(self, known: Mapping[str, float]) -> str:
        """The statement with its numbers."""
        return self.text.format(**_readable(known))

    def worked(self, known: Mapping[str, float]) -> str:
        """The arithmetic of its numbers, and whether what is said agrees."""
        right = arithmetic(self.follows, known)
        shown = self.shows.format(**_readable(known), right=written(right, "1"))
        return f"{shown} That {RELATION[not self.is_flawed(known)]} the {written(known['said'], '1')} that is said."


def _rounds_to(right: float, said: float) -> bool:
    """Whether `said` is `right` with as many decimals as `said` is printed with; a half goes either way."""
    decimals = max(-int(Decimal(f"{said:.4g}").as_tuple().exponent), 0)
    return abs(said - right) <= 0.5 * 10**-decimals * (1 + 1e-9)


def _readable(known: Mapping[str, float]) -> dict[str, str]:
    return {name: digits(value) if value == round(value, 3) else f"{value:.4g}" for name, value in known.items()}


@cache
def statements() -> dict[str, Statement]:
    """Every statement by its id. Raises ModelError for one that lacks something."""
    found = tomllib.loads(FLAWS_FILE.read_text("utf8"))
    try:
        return {id: Statement(id=id, **each) for id, each in found.items()}
    except TypeError as error:
        raise ModelError(f"{FLAWS_FILE.name}: {error}") from None


@dataclass(frozen=True, eq=False, repr=False)
class Flaw(Exercise):
    """One of four statements contradicts itself: which, and what should its last number be? among: the ids of those
    that may be the flawed one, () for all; the sound ones are drawn from all."""

    question: str = (
        "Three of these statements are sound: what they say follows from their own numbers. In one the last number "
        "contradicts the others. Which one, and what should its last number be (in the unit that stands there)?"
    )
    _: KW_ONLY
    among: tuple[str, ...] = ()
    draw: Callable[[random.Random], Mapping] | None = None  # type: ignore[assignment]
    attempts: int = 3

    kind = "flaw"

    def __post_init__(self):
        object.__setattr__(self, "draw", self._draw)

    def _draw(self, dice: random.Random) -> Mapping:
        """Statements with numbers; one of them, and nobody remembers which, says the flawed number."""
        all_of_them = statements()
        flawed = dice.choice([known("statement", id, all_of_them) for id in self.among] or list(all_of_them))
        ids = [flawed, *dice.sample([id for id in all_of_them if id != flawed], STATEMENTS - 1)]
        dice.shuffle(ids)
        said = {}
        for id in ids:
            numbers = {name: dice.choice(values) for name, values in all_of_them[id].given.items()}
            said[id] = all_of_them[id].known(numbers, flawed=id == flawed)
        return {"statements": said}

    def fits(self, numbers: Mapping) -> bool:
        return len(self._flawed(numbers["statements"])) == 1

    def _flawed(self, said: Mapping[str, Mapping[str, float]]) -> list[str]:
        """The ids of the statements whose numbers contradict each other."""
        return [id for id, numbers in said.items() if statements()[id].is_flawed(numbers)]

    def _said(self, seed) -> dict[str, Mapping[str, float]]:
        return self.numbers(seed)["statements"]

    def form(self, seed) -> tuple[Field, ...]:
        pairs = zip(LETTERS, self._said(seed).items(), strict=False)
        options = tuple(Option(letter, statements()[id].told(numbers)) for letter, (id, numbers) in pairs)
        return (
            Field("statement", "choice", "Which statement contradicts itself?", options=options),
            Field("number", "number", "What should its last number be?", "1", within(AGREE)),
        )

    def key(self, seed) -> dict[str, Any]:
        said = self._said(seed)
        (flawed,) = self._flawed(said)
        return {
            "statement": LETTERS[list(said).index(flawed)],
            "number": arithmetic(statements()[flawed].follows, said[flawed]),
        }

    def _read(self, seed, answer) -> dict[str, Any]:
        fields = self.form(seed)
        parts = by_name(answer, fields)
        letter = chosen(parts["statement"], fields[0].options, "statement")
        id = list(self._said(seed))[LETTERS.index(letter)]
        return {"id": id, "number": number_in(parts["number"], statements()[id].unit)}

    def _judge(self, seed, answer: dict[str, Any]) -> Judged:
        said, id = self._said(seed), answer["id"]
        statement, numbers = statements()[id], said[id]
        if not statement.is_flawed(numbers):
            say = "the numbers of that statement agree"
            return Judged("failed", f"{say}: {statement.worked(numbers)}", say)
        right = arithmetic(statement.follows, numbers)
        if math.isclose(answer["number"], right, rel_tol=AGREE):
            return Judged("passed", f"right. {statement.worked(numbers)} {self._in_the_paper(statement)}")
        if math.isclose(answer["number"], numbers["said"], rel_tol=AGREE):
            say = "that is the number that stands there; which one follows from the others?"
            return Judged("failed", f"the statement is right. But {say}", say)
        say = "the statement is right, the number is not yet"
        return Judged("failed", f"{say}: work out what follows from its other numbers, {_unit(statement)}.", say)

    def worked(self, seed) -> tuple[str, ...]:
        steps = [
            f"{letter}: {statements()[id].worked(numbers)}"
            for letter, (id, numbers) in zip(LETTERS, self._said(seed).items(), strict=False)
        ]
        return (*steps, self._closing(seed))

    def _closing(self, seed) -> str:
        key = self.key(seed)
        (flawed,) = self._flawed(self._said(seed))
        statement = statements()[flawed]
        return (
            f"So statement {key['statement']} contradicts itself; its last number should be "
            f"{written(key['number'], '1')}. {self._in_the_paper(statement)}"
        )

    def _in_the_paper(self, statement: Statement) -> str:
        return f"In the papers ({statement.paper}): {statement.printed} Here: {statement.used}"


def _unit(statement: Statement) -> str:
    return wanted(statement.unit) if statement.unit in UNITS else f"in {statement.unit}"


_OPERATIONS: dict[type, Callable] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}
_FUNCTIONS: dict[str, Callable] = {"min": min, "max": max, "abs": abs, "floor": math.floor, "ceil": math.ceil}


def arithmetic(text: str, numbers: Mapping[str, float]) -> float:
    """The value of an expression over named numbers: + - * / **, min, max, abs, floor, ceil. Raises ModelError."""

    def value(node: ast.AST) -> float:
        if isinstance(node, ast.Expression):
            return value(node.body)
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.Name):
            return numbers[known("number", node.id, numbers)]
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
            return _OPERATIONS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATIONS:
            return _OPERATIONS[type(node.op)](value(node.operand))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            require(not node.keywords, f"rule {text!r}: arguments have no names")
            return _FUNCTIONS[known("function", node.func.id, _FUNCTIONS)](*map(value, node.args))
        raise ModelError(f"rule {text!r}: {ast.unparse(node)} is no arithmetic")

    try:
        return value(ast.parse(text, mode="eval"))
    except SyntaxError:
        raise ModelError(f"rule {text!r} is no expression") from None
