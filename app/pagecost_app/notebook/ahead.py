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
from collections.abc import Iterable, Iterator
from pathlib import Path

from pagecost import _jit, studies
from pagecost.errors import ModelError
from pagecost_app import compiling, kernels_needed
from pagecost_app.compiling import Question
from pagecost_app.notebook.explorer import explore
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
    """What the cells of a notebook explore, each question once, with the values that stand there. Those that are
    computed, or of what is not there yet, are the study's own: most of the kernels are the same.

    A notebook that cannot be read asks nothing: its own cells will say what is wrong.
    """
    return list(dict.fromkeys(_questions(lesson)))


def _questions(lesson: Path) -> Iterator[Question]:
    try:
        cells = json.loads(lesson.read_text("utf8"))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    for call in (call for source in sources for call in _explorations(source)):
        try:
            stated = inspect.signature(explore).bind(*_plain(call.args), **_named(call.keywords)).arguments
            study = studies.find(stated["study"])
        except (TypeError, ModelError):  # which the cell will say
            continue
        try:
            inputs = study.inputs(stated.get("values"), stated.get("preset"), read(stated.get("system")))
        except (TypeError, ModelError):  # of a device, say, that the lesson makes
            inputs = study.inputs()
        yield Question.of_study(study.name, inputs.model_dump())


def _explorations(source: str) -> list[ast.Call]:
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError):  # a magic, half a cell, or no Python at all
        return []
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    return [call for call in calls if getattr(call.func, "id", getattr(call.func, "attr", "")) == "explore"]


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
