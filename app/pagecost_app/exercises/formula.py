"""Arithmetic over names, as an instructor writes it into a file: `seek_ms + 30_000 / rpm`. Nothing else is understood.

The text is parsed by Python and walked through: what is not listed here is refused, so no file can run code.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping

from pagecost.errors import ModelError, require

LONGEST = 500
OPERATORS: dict[type, Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}


def _rounded(value: float, digits: float = 0.0) -> float:
    if digits != int(digits):
        raise ValueError(f"round() takes a whole number of digits, not {digits:g}")
    return round(value, int(digits))


MANY = LONGEST
FUNCTIONS: dict[str, tuple[Callable[..., float], int, int]] = {
    "abs": (abs, 1, 1),
    "ceil": (math.ceil, 1, 1),
    "exp": (math.exp, 1, 1),
    "floor": (math.floor, 1, 1),
    "log": (math.log, 1, 2),
    "log10": (math.log10, 1, 1),
    "log2": (math.log2, 1, 1),
    "max": (max, 2, MANY),
    "min": (min, 2, MANY),
    "round": (_rounded, 1, 2),
    "sqrt": (math.sqrt, 1, 1),
}
"""Each with the fewest and the most numbers that it takes."""


class Formula:
    """A formula over some names. `of(values)` is what it comes to.

    Raises ModelError for a text that is no such formula; it says what is not understood.
    """

    def __init__(self, text: str, names: set[str]):
        require(len(text) <= LONGEST, f"a formula has at most {LONGEST} signs; this one has {len(text)}")
        self.text = text
        try:
            self._tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ModelError(f"{text!r} is no formula; write it as seek_ms + 30000 / rpm") from None
        self._check(self._tree, names)

    def of(self, values: Mapping[str, float]) -> float:
        """The number. Raises ModelError where there is none: a division by zero, a root of less than 0."""
        try:
            found = _value(self._tree, values)
            if isinstance(found, complex) or not math.isfinite(found):
                raise ValueError("it is no finite number")
        except (ArithmeticError, ValueError, TypeError) as error:
            said = ", ".join(f"{name} = {value:g}" for name, value in values.items())
            raise ModelError(f"{self.text!r} gives no number ({error}) for {said or 'it'}") from None
        return float(found)

    def _check(self, node: ast.AST, names: set[str]) -> None:
        if isinstance(node, ast.Constant):
            number = isinstance(node.value, int | float) and not isinstance(node.value, bool)
            require(number, f"{node.value!r} is no number")
        elif isinstance(node, ast.Name):
            known = ", ".join(sorted(names)) or "none"
            require(node.id in names, f"{node.id!r} is not drawn; the names that are: {known}")
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            self._check(node.left, names)
            self._check(node.right, names)
        elif isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
            self._check(node.operand, names)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            _, least, most = FUNCTIONS[node.func.id]
            right = least <= len(node.args) <= most and not node.keywords
            require(right, f"{node.func.id}() takes {_count(least, most)}; this one has {len(node.args)}")
            for each in node.args:
                self._check(each, names)
        else:
            part = ast.get_source_segment(self.text.strip(), node) or self.text
            functions = ", ".join(FUNCTIONS)
            raise ModelError(f"{part!r} is not understood; a formula has numbers, names, + - * / // % **, {functions}")


def _count(least: int, most: int) -> str:
    if most == MANY:
        return f"{least} numbers or more"
    return f"{least} number{'s' * (least != 1)}" if least == most else f"{least} or {most} numbers"


def _value(node: ast.AST, values: Mapping[str, float]) -> float:
    if isinstance(node, ast.Constant):
        return float(node.value)  # type: ignore[arg-type]  # never whole: those of 9**9**9 would fill the memory
    if isinstance(node, ast.Name):
        return float(values[node.id])
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](_value(node.left, values), _value(node.right, values))
    if isinstance(node, ast.UnaryOp):
        return OPERATORS[type(node.op)](_value(node.operand, values))
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    return float(FUNCTIONS[node.func.id][0](*(_value(each, values) for each in node.args)))
