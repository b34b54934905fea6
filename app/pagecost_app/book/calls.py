"""What a lesson calls on lines of their own, and what its own test moves: read from its text, nothing is run."""

import ast
from collections.abc import Collection
from typing import Any, NamedTuple

from pagecost_app.course.lessons import Cell, Lesson


class Shown(NamedTuple):
    """A call that stands alone on a line of a cell. bound: the name that its result is given, or "". said: as written.

    unread: whether an argument is no literal, so that it could not be known without running the lesson.
    """

    name: str
    given: tuple
    named: dict[str, Any]
    bound: str = ""
    said: str = ""
    unread: bool = False


def shown(cell: Cell, names: Collection[str]) -> list[Shown]:
    """The calls of these names that stand on lines of their own in a code cell."""
    found = []
    for line in _lines(cell):
        target = line.targets[0] if isinstance(line, ast.Assign) else None
        made = line.value if isinstance(line, ast.Assign | ast.Expr) else None
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id in names:
            found.append(_call(made, made.func.id, target.id if isinstance(target, ast.Name) else ""))
    return found


def is_quiet(cell: Cell) -> bool:
    """Whether a code cell only imports, and names what it shows."""
    return all(
        isinstance(line, ast.Import | ast.ImportFrom)
        or (isinstance(line, ast.Expr) and isinstance(line.value, ast.Name))
        for line in _lines(cell)
    )


def moved(lesson: Lesson, bound: str) -> list[str]:
    """The inputs that the lesson's own test sets of what is called `bound`, in their order."""
    nodes = [node for cell in lesson.cells if cell.kind == "code" for line in _lines(cell) for node in ast.walk(line)]
    found = [each.arg for node in nodes if isinstance(node, ast.Call) and _sets(node, bound) for each in node.keywords]
    return list(dict.fromkeys(filter(None, found)))


def _lines(cell: Cell) -> list[ast.stmt]:
    try:
        return ast.parse(cell.source).body
    except SyntaxError:  # a magic of IPython
        return [ast.Pass()]


def _call(node: ast.Call, name: str, bound: str) -> Shown:
    try:
        given = tuple(map(ast.literal_eval, node.args))
        named = {str(each.arg): ast.literal_eval(each.value) for each in node.keywords}
    except ValueError:
        return Shown(name, (), {}, bound, ast.unparse(node), unread=True)
    return Shown(name, given, named, bound, ast.unparse(node))


def _sets(node: ast.Call, bound: str) -> bool:
    made = node.func
    if not isinstance(made, ast.Attribute) or made.attr != "set" or not isinstance(made.value, ast.Name):
        return False
    return made.value.id == bound
