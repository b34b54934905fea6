"""Replays a load with a learner's replacement policy, alone in a process of its own: no import, no file, few seconds.

Read from standard input: {"code", "references": [[page, write], …], "frames", "seconds", "bytes"}. Written: {"misses",
"write_backs"} or {"error"}. Nothing of the project is imported: the process starts with Python's bare library.
"""

import ast
import json
import sys

ALLOWED = (
    *(ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.If, ast.For, ast.While, ast.Break),
    *(ast.Continue, ast.Pass, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Call, ast.keyword, ast.Name),
    *(ast.Attribute, ast.Subscript, ast.Slice, ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp),
    *(ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Lambda, ast.IfExp, ast.Compare, ast.BoolOp),
    *(ast.BinOp, ast.UnaryOp, ast.Starred, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context),
    ast.Assert,
)
WORDS = {
    **{"AsyncFor": "async for", "AsyncFunctionDef": "async def", "AsyncWith": "async with", "Await": "await"},
    **{"ClassDef": "class", "Delete": "del", "Global": "global", "Import": "import", "ImportFrom": "import"},
    **{"JoinedStr": "f-string", "Match": "match", "NamedExpr": "walrus (:=)", "Nonlocal": "nonlocal"},
    **{"Raise": "raise", "TemplateStr": "t-string", "Try": "try", "TryStar": "try", "TypeAlias": "type"},
    **{"With": "with", "Yield": "yield", "YieldFrom": "yield from"},
}
"""What a learner calls that which is not allowed."""
ATTRIBUTES = {
    *("number", "dirty", "uses", "loaded", "used"),
    *("append", "pop", "get", "items", "keys", "values", "add", "discard", "remove", "index", "count", "sort"),
    *("insert", "extend", "setdefault", "update", "copy", "clear"),
}
FUNCTIONS = (
    *(abs, all, any, bool, dict, enumerate, filter, float, int, len, list, map, max, min, range, reversed, round, set),
    *(sorted, sum, tuple, zip),
)


class Page:
    """A page in the buffer. number: which; dirty: whether it was changed since it came; uses: how often it was referred
    to since; loaded, used: the reference (0, 1, …) at which it came, and at which it was used last."""

    __slots__ = ("dirty", "loaded", "number", "used", "uses")

    def __init__(self, number, dirty, now):
        self.number, self.dirty, self.uses, self.loaded, self.used = number, dirty, 1, now, now

    def copied(self):
        page = Page(self.number, self.dirty, self.loaded)
        page.uses, page.used = self.uses, self.used
        return page


class Refused(Exception):
    """What is wrong with the learner's code, in one sentence."""


def compiled(code):
    """The function `victim` of a learner's code. Raises Refused."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Refused(f"this is not Python: {error}") from None
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 1)
        if not isinstance(node, ALLOWED):
            word = WORDS.get(type(node).__name__, type(node).__name__.lower())
            raise Refused(f"line {line}: a policy needs no {word}, and may not use it")
        if isinstance(node, ast.Attribute) and node.attr not in ATTRIBUTES:
            raise Refused(f"line {line}: .{node.attr} is not known here; a page has number, dirty, uses, loaded, used")
        if isinstance(node, ast.Name) and node.id.startswith("_"):
            raise Refused(f"line {line}: names that start with _ are not used here")
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            raise Refused(f"line {line}: a decorator is not used here")
    names = {"__builtins__": {function.__name__: function for function in FUNCTIONS}}
    exec(compile(tree, "<policy>", "exec"), names)
    if not callable(names.get("victim")):
        raise Refused("write a function victim(pages) that returns one of the pages")
    return names["victim"]


def replayed(victim, references, frames):
    """Misses and write-backs. Raises Refused where the function chooses what is not in the buffer."""
    held: dict[int, Page] = {}  # the least recently used page first; a policy sees copies, so that it changes nothing
    misses = write_backs = 0
    for now, (number, write) in enumerate(references):
        page = held.pop(number, None)
        if page is None:
            misses += 1
            if len(held) >= frames:
                leaves = victim([page.copied() for page in held.values()])
                leaves = leaves.number if isinstance(leaves, Page) else leaves
                if isinstance(leaves, (bool, list, dict, set)) or leaves not in held:
                    raise Refused(f"reference {now + 1}: victim(pages) must return a page of these; it gave {leaves!r}")
                write_backs += held.pop(leaves).dirty
            page = Page(number, bool(write), now)
        else:
            page.uses, page.used, page.dirty = page.uses + 1, now, page.dirty or bool(write)
        held[number] = page
    return {"misses": misses, "write_backs": write_backs}


def limited(seconds, size):
    """Let the system end this process when it takes too much; where there is no such limit, the parent's clock does."""
    try:
        import resource
    except ImportError:
        return
    most = {"RLIMIT_CPU": seconds, "RLIMIT_AS": size, "RLIMIT_FSIZE": 0, "RLIMIT_NOFILE": 3, "RLIMIT_CORE": 0}
    for name, value in most.items():
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
        except (AttributeError, ValueError, OSError):
            continue


def main():
    """Run what standard input says."""
    asked = json.loads(sys.stdin.read())
    limited(asked["seconds"], asked["bytes"])
    try:
        found = replayed(compiled(asked["code"]), asked["references"], asked["frames"])
    except Refused as error:
        found = {"error": str(error)[:300]}
    except MemoryError:
        found = {"error": "the policy took too much memory"}
    except Exception as error:
        at = error.__traceback__
        line = 0
        while at is not None:
            line = at.tb_lineno if at.tb_frame.f_code.co_filename == "<policy>" else line
            at = at.tb_next
        found = {"error": f"line {line} of the policy fails: {type(error).__name__}: {str(error)[:200]}"}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
