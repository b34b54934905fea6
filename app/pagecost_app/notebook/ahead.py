"""While people read the head of a lesson, what it will ask is compiled in another process, in the lesson's order.

The cells compile for themselves what is not there by then, and wait for what is being compiled. The other process
begins when this one compiles nothing, for two at once are slower than one, and the first cell is waited for most.
"""

import ast
import contextlib
import inspect
import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pagecost import _jit, studies
from pagecost.errors import ModelError
from pagecost_app import compiling, kernels_needed
from pagecost_app.compiling import Question
from pagecost_app.notebook.explorer import explore
from pagecost_app.notebook.path_stepper import walk_path
from pagecost_app.notebook.stepper import step
from pagecost_app.notebook.taking import read
from pagecost_app.notebook.waiting import QUIET

LESSON = "JPY_SESSION_NAME"  # in which Jupyter tells a kernel whose it is
AT_REST_S, AGAIN_S = 2.0, 0.2  # a first cell that is run at once has begun by then, and goes from kernel to kernel


def begin() -> threading.Thread | None:
    """Compile ahead for the notebook that this kernel belongs to; None where that is not known, or not wanted."""
    lesson = Path(os.environ.get(LESSON, ""))
    if os.environ.get(QUIET) or lesson.suffix != ".ipynb":
        return None
    thread = threading.Thread(target=_compile, args=(lesson,), daemon=True, name="ahead")
    thread.start()
    return thread


def questions(lesson: Path) -> list[Question]:
    """What the cells of a notebook explore and walk through, each question once, with the values that stand there.
    Those that are computed, or of what is not there yet, are the study's own: most of the kernels are the same.

    A notebook that cannot be read asks nothing: its own cells will say what is wrong.
    """
    return list(dict.fromkeys(_questions(lesson)))


def _questions(lesson: Path) -> Iterator[Question]:
    try:
        cells = json.loads(lesson.read_text("utf8"))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    for name, call in (found for source in sources for found in _calls(source)):
        asked, question = ASKED[name]
        try:
            stated = inspect.signature(asked).bind(*_plain(call.args), **_named(call.keywords)).arguments
            yield question(**stated)
        except (TypeError, ModelError):  # which the cell will say
            continue


def _explored(study: str, preset=None, *, system=None, values=None) -> Question:
    found = studies.find(study)
    try:
        inputs = found.inputs(values, preset, read(system))
    except (TypeError, ModelError):  # of a device, say, that the lesson makes
        inputs = found.inputs()
    return Question.of_study(found.name, inputs.model_dump())


def _stepped(policy: str = "lru", references: str = "", frames: int = 0, **_) -> Question:
    stated = {"text": references, "frames": frames}
    return Question("walk", str(policy), json.dumps({name: value for name, value in stated.items() if value}))


def _walked(values=None) -> Question:
    stated = values or {}
    return Question("path", str(stated.get("policy", "lru")), json.dumps(stated))


# what a cell calls, and the question that this is
ASKED: dict[str, tuple[Callable, Callable[..., Question]]] = {
    "explore": (explore, _explored),
    "step": (step, _stepped),
    "walk_path": (walk_path, _walked),
}


def _calls(source: str) -> list[tuple[str, ast.Call]]:
    """The calls of `ASKED` in a cell, in their order."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError):  # a magic, half a cell, or no Python at all
        return []
    calls = [(_name(node.func), node) for node in nodes if isinstance(node, ast.Call)]
    return [(name, call) for name, call in calls if name in ASKED]


def _name(called: ast.expr) -> str:
    return getattr(called, "id", getattr(called, "attr", ""))


def _plain(values: Iterable[ast.expr]) -> Iterator:
    for value in values:
        with contextlib.suppress(ValueError):
            yield ast.literal_eval(value)


def _named(keywords: Iterable[ast.keyword]) -> dict:
    return {each.arg: value for each in keywords if each.arg for value in _plain([each.value])}


def _compile(lesson: Path) -> None:
    needed = [question for question in questions(lesson) if kernels_needed.missing(question.kind, question.name)]
    if not needed:
        return
    rests_from = time.monotonic()
    while time.monotonic() < rests_from + AT_REST_S:
        time.sleep(AGAIN_S)
        if _jit.compiling_now():
            rests_from = time.monotonic()
    compiling.ahead(needed)
