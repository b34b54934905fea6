"""What code of a cell calls, read without running it.

Lines of IPython alone, as `%matplotlib inline` and `!ls`, are left out, as it takes them out before Python sees them.
"""

import ast
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)
FOREIGN = re.compile(r"\s*%%(?!(?:time|timeit|capture|prun)\b)")  # a cell whose text goes elsewhere, as %%bash
ARITHMETIC: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}  # no power: 9**9**9 would fill the memory


@dataclass(frozen=True)
class Call:
    """A call in a code cell that has literals for arguments: `explore("block_size", span_bytes=1e9)`."""

    name: str
    arguments: tuple
    keywords: dict


def calls(source: str) -> Iterator[Call]:
    """The calls of plain names whose arguments are literals or arithmetic of numbers, in the order they stand in."""
    yield from filter(None, map(_call, nodes(source)))


def unread(source: str, name: str) -> Iterator[str]:
    """The first argument of each call of `name` that `calls` leaves out, "" where it is no text.

    Code that is no Python and names such a call counts as one of them.
    """
    if _tree(source) is None:
        yield from [""] * bool(re.search(rf"\b{name}\s*\(", source) and not FOREIGN.match(source))
        return
    for node in nodes(source):
        called = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if called == name and _call(node) is None:
            first = node.args[0] if node.args else None
            yield first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def nodes(source: str) -> list[ast.Call]:
    """All calls in code, in the order in which they stand; none where it is no Python."""
    found = [node for node in ast.walk(_tree(source) or ast.Pass()) if isinstance(node, ast.Call)]
    return sorted(found, key=lambda each: (each.lineno, each.col_offset))


def _tree(source: str) -> ast.AST | None:
    """Code parsed, without the lines of IPython; None where it is no Python."""
    without = "" if FOREIGN.match(source) else MAGIC.sub(r"\1pass", source)
    for text in (source, without):
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _call(node: ast.Call) -> Call | None:
    if not isinstance(node.func, ast.Name):
        return None
    try:
        keywords = {each.arg: _literal(each.value) for each in node.keywords if each.arg}
        return Call(node.func.id, tuple(map(_literal, node.args)), keywords)
    except (ValueError, TypeError, ArithmeticError, RecursionError, MemoryError):
        return None


def _literal(node: ast.expr):
    """What an expression is worth. Raises ValueError for anything but literals and + - * / of numbers."""
    if not (isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC):
        return ast.literal_eval(node)
    left, right = _literal(node.left), _literal(node.right)
    if not (isinstance(left, int | float) and isinstance(right, int | float)):
        raise ValueError("arithmetic is of numbers")
    return ARITHMETIC[type(node.op)](float(left), float(right))
