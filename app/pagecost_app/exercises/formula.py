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
FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs,
    "ceil": math.ceil,
    "exp": math.exp,
    "floor": math.floor,
    "log": math.log,
    "log10": math.log10,
    "log2": math.log2,
    "max": max,
    "min": min,
    "round": round,
    "sqrt": math.sqrt,
}


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
            require(bool(node.args) and not node.keywords, f"{node.func.id}() takes numbers, at least one")
            for each in node.args:
                self._check(each, names)
        else:
            part = ast.get_source_segment(self.text.strip(), node) or self.text
            functions = ", ".join(FUNCTIONS)
            raise ModelError(f"{part!r} is not understood; a formula has numbers, names, + - * / // % **, {functions}")


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
    return float(FUNCTIONS[node.func.id](*(_value(each, values) for each in node.args)))
