"""What a lesson calls on lines of their own, and what its own test moves: read from its text, nothing is run."""

import ast
import copy
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from pagecost_app.course.lessons import Cell, Lesson

NOTEBOOK = "pagecost_app.notebook"  # which a lesson may import under a name of its own
NOTHING: Mapping[str, Any] = {}


class Shown(NamedTuple):
    """A call that stands alone on a line of a cell. bound: the name that its result is given, or "". said: as written.

    unread: whether an argument is neither a literal nor a name for one, so that it could not be known without running
    the lesson; a name for another call is that call. place: of a stepper, where its cell moves it (`bound.go(7)`).
    """

    name: str
    given: tuple
    named: dict[str, Any]
    bound: str = ""
    said: str = ""
    unread: bool = False
    place: int = 0


def shown(cell: Cell, names: Collection[str], known: Mapping[str, Any] = NOTHING) -> list[Shown]:
    """The calls of these names that stand on lines of their own in a code cell. known: what earlier cells bound."""
    found: list[Shown] = []
    for line in _lines(cell):
        target = line.targets[0] if isinstance(line, ast.Assign) else None
        made = line.value if isinstance(line, ast.Assign | ast.Expr) else None
        name = _called(made, known)
        if isinstance(made, ast.Call) and name in names:
            found.append(_call(made, name, known, target.id if isinstance(target, ast.Name) else ""))
        elif isinstance(made, ast.Call):
            found = [each._replace(place=_moved_to(made, each)) for each in found]
        known = _after(line, known)
    return found


def known_after(cell: Cell, known: Mapping[str, Any] = NOTHING) -> Mapping[str, Any]:
    """What names stand for after a cell: literals, calls, and the notebook's own module."""
    for line in _lines(cell):
        known = _after(line, known)
    return known


def value_shown(cell: Cell) -> str:
    """The expression on the last line of a code cell, whose value a notebook shows; "" for what only prints or asks."""
    lines = _lines(cell)
    last = lines[-1].value if lines and isinstance(lines[-1], ast.Expr) else None
    if last is None or (isinstance(last, ast.Call) and isinstance(last.func, ast.Name) and last.func.id in PRINTING):
        return ""
    return ast.unparse(last)


PRINTING = {"print", "reasons", "claimed"}  # calls without a value


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
    if cell.kind != "code":
        return []
    try:
        return ast.parse(cell.source).body
    except SyntaxError:  # a magic of IPython
        return [ast.Pass()]


def _called(made: ast.expr | None, known: Mapping[str, Any]) -> str:
    """The name of what is called, if it is one of the notebook's, or ""."""
    if not isinstance(made, ast.Call):
        return ""
    if isinstance(made.func, ast.Attribute) and isinstance(made.func.value, ast.Name):
        return made.func.attr if known.get(made.func.value.id) == NOTEBOOK else ""
    return made.func.id if isinstance(made.func, ast.Name) else ""


def _call(node: ast.Call, name: str, known: Mapping[str, Any], bound: str = "") -> Shown:
    said = ast.unparse(node)
    try:
        given = tuple(_value(each, known) for each in node.args)
        named: dict[str, Any] = {}
        for each in node.keywords:
            value = _value(each.value, known)
            named |= {each.arg: value} if each.arg else dict(value)
    except (ValueError, TypeError):
        return Shown(name, (), {}, bound, said, unread=True)
    return Shown(name, given, named, bound, said)


def _value(node: ast.expr, known: Mapping[str, Any]) -> Any:
    """Raises ValueError or TypeError for what is neither a literal nor made of names for them."""

    class Named(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return ast.Constant(known[node.id]) if node.id in known else node

    return ast.literal_eval(Named().visit(copy.deepcopy(node)))


def _after(line: ast.stmt, known: Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(line, ast.Import):
        return {**known, **{each.asname: NOTEBOOK for each in line.names if each.asname and each.name == NOTEBOOK}}
    if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
        name, made = _called(line.value, known), line.value
        try:
            value = _call(made, name, known) if name and isinstance(made, ast.Call) else _value(made, known)
            return {**known, line.targets[0].id: value}
        except (ValueError, TypeError):
            pass
    written = {node.id for node in ast.walk(line) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return {name: value for name, value in known.items() if name not in written}


def _moved_to(made: ast.Call, call: Shown) -> int:
    """Where `made` moves a stepper, if it does."""
    is_move = isinstance(made.func, ast.Attribute) and made.func.attr == "go" and len(made.args) == 1
    if not is_move or not call.bound or ast.unparse(made.func) != f"{call.bound}.go":
        return call.place
    place = made.args[0].value if isinstance(made.args[0], ast.Constant) else None
    return place if isinstance(place, int) else call.place


def _sets(node: ast.Call, bound: str) -> bool:
    made = node.func
    if not isinstance(made, ast.Attribute) or made.attr != "set" or not isinstance(made.value, ast.Name):
        return False
    return made.value.id == bound
