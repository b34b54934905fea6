"""What a lesson will ask is compiled by another process while its head is read."""

import json
import os
import re
import subprocess
import sys

import pytest

from pagecost import _jit, studies
from pagecost_app import compiler, compiling, kernels_needed
from pagecost_app.compiling import Question
from pagecost_app.course import lessons
from pagecost_app.notebook import ahead, waiting

BEGIN = """
import sys, time
from pagecost import _jit
from pagecost_app import compiling
from pagecost_app.kernels_needed import missing
from pagecost_app.notebook import ahead
busy = "kernel", time.monotonic()
if "busy" in sys.argv:
    _jit._announcer.current = busy
ahead.AT_REST_S = 0.3
thread = ahead.begin()
before = missing("study", "disk_arrays")
if "busy" in sys.argv:
    thread.join(3)
    assert thread.is_alive(), "it waits until this process compiles no more"
    _jit._announcer.current = None
if "asked" in sys.argv:
    while not (compiling._beside and compiling._beside._busy):
        time.sleep(0.001)
    ahead.explore("disk_arrays")
while missing("study", "disk_arrays"):
    time.sleep(0.1)
print(before, _jit.compilations())
"""


def notebook(folder, *cells, name="mine.ipynb"):
    path = folder / name
    made = [{"cell_type": "code", "source": [line + "\n" for line in cell.split("\n")]} for cell in cells]
    path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": ["explore('no_code')"]}, *made]}))
    return path


@pytest.mark.parametrize("lesson", lessons.lessons(), ids=lambda lesson: lesson.path.stem)
def test_every_exploration_of_a_lesson_is_found(lesson):
    cells = json.loads(lesson.path.read_text("utf8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    stated = [name for source in sources for name in re.findall(r"\bexplore\(\s*\"(\w+)\"", source)]
    assert stated
    assert [question.name for question in ahead.questions(lesson.path) if question.kind == "study"] == stated


def test_what_a_lesson_walks_through_is_found_with_its_values(tmp_path):
    path = notebook(
        tmp_path,
        "step('cflru:window=0.25', '1r 2w', frames=3, beside='lru')",
        "first = walk_path(load='1w 2w', frames=3, **more)",
        "step(frames=number)",
        "step_disk()",
        "walk_path('by place')",
        "step(frames={1})",
        "explore('disk_arrays')",
    )
    stepped, walked, own, explored = ahead.questions(path)
    assert stepped == Question("walk", "cflru:window=0.25", json.dumps({"text": "1r 2w", "frames": 3}))
    assert walked == Question("path", "lru", json.dumps({"load": "1w 2w", "frames": 3}))
    assert (own, explored.kind) == (Question("walk", "lru"), "study")
    for asked in (stepped, walked, own):
        compiler.KINDS[asked.kind](asked.name, json.loads(asked.values))


@pytest.mark.parametrize(
    "cell", ["step([1])", "step({'a': 1}, frames=[2])", "walk_path(policy=[1])", "walk_path(policy={})"]
)
def test_a_walk_of_what_is_no_policy_ends_nothing(tmp_path, cell):
    wrong, explored = ahead.questions(notebook(tmp_path, cell, "explore('disk_arrays')"))
    assert kernels_needed.missing(wrong.kind, wrong.name) == 0, "nobody is asked to compile for it"
    assert explored.name == "disk_arrays"


def test_how_many_kernels_a_walk_of_a_lesson_needs_is_known():
    asked = [question for lesson in lessons.lessons() for question in ahead.questions(lesson.path)]
    walks = {kernels_needed.key(question.kind, question.name) for question in asked if question.kind == "path"}
    assert walks
    assert all(kernels_needed.listed().get(walk) for walk in walks)


def test_a_question_has_the_values_of_its_cell(tmp_path):
    path = notebook(
        tmp_path,
        "kept = explore('disk_arrays', write_share=0.25)\nkept",
        "explore('best_block_size', preset='thesis plan: its five devices and block sizes')",
        "explore('disk_arrays', write_share=0.25)",
        "%matplotlib inline",
        "\0",
        "explore([])",
        "explore('nothing of the kind')",
        "explore()",
        "lab.explore('disk_arrays', write_share=0.5)",
    )
    first, sizes, second = ahead.questions(path)
    assert [json.loads(each.values)["write_share"] for each in (first, second)] == [0.25, 0.5]
    assert len(json.loads(sizes.values)["devices"]) == 5


@pytest.mark.parametrize(
    "cell",
    [
        "for share in (0.1, 0.2):\n    explore('disk_arrays', write_share=share)",
        "explore('disk_arrays', system=shop, **small)",
        "explore('disk_arrays', disk='my-own-disk')",
        "explore('disk_arrays', [], system=3)",
    ],
    ids=["computed", "of a system", "not there yet", "of another type"],
)
def test_what_is_not_known_yet_is_asked_as_the_study_asks_it(tmp_path, cell):
    (asked,) = ahead.questions(notebook(tmp_path, cell))
    assert json.loads(asked.values) == json.loads(json.dumps(studies.find("disk_arrays").inputs().model_dump()))


@pytest.mark.parametrize("text", ["", "[]", '{"cells": 3}', '{"cells": [{"cell_type": "code"}]}', "\udcff"])
def test_what_is_no_notebook_asks_nothing(tmp_path, text):
    (tmp_path / "mine.ipynb").write_bytes(text.encode("utf8", "surrogateescape"))
    assert ahead.questions(tmp_path / "mine.ipynb") == ahead.questions(tmp_path / "gone.ipynb") == []


@pytest.mark.parametrize(("name", "quiet"), [("", ""), ("a console", ""), ("mine.ipynb", "1")])
def test_nothing_begins_without_a_notebook_or_where_outputs_are_compared(name, quiet, monkeypatch):
    monkeypatch.setenv(ahead.LESSON, name)
    monkeypatch.setenv(ahead.QUIET, quiet)
    assert ahead.begin() is None


def test_nothing_is_asked_of_another_process_where_a_package_carries_it(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(compiling, "ahead", asked.append)
    monkeypatch.setattr(ahead, "AT_REST_S", 0.0)
    path = notebook(tmp_path, "explore('disk_arrays')")
    user, carried = tmp_path / "user", tmp_path / "carried"
    user.mkdir()
    carried.mkdir()
    monkeypatch.setattr(_jit, "folders", lambda: (user, carried))
    ahead._compile(path)
    assert [question.name for question in asked[0]] == ["disk_arrays"]
    stem = _jit.kernels()["devices.disk.array_kernels.serve"].stem()
    (carried / f"{stem}-0{_jit.ENDING}").touch()
    ahead._compile(path)
    assert len(asked) == 1


def test_a_cell_that_waits_for_the_other_process_says_so(monkeypatch):
    monkeypatch.setattr(compiling, "waited_for", lambda: "buffer.policies.lru_kernels.replay")
    said = waiting._words(3.2, 0)
    assert said == "compiling for this machine, once, begun while you read: lru: replay, 3 s so far"


@pytest.mark.parametrize("state", ["idle", "busy", "asked"])
def test_another_process_compiles_and_this_one_takes_what_it_did(tmp_path, state):
    path = notebook(tmp_path, "explore('disk_arrays')")
    own = {"PAGECOST_KERNEL_CACHE": str(tmp_path / "cache"), ahead.LESSON: str(path), ahead.QUIET: ""}
    run = [sys.executable, "-c", BEGIN, state]
    done = subprocess.run(run, env={**os.environ, **own}, capture_output=True, text=True, timeout=180)
    assert done.stderr == ""
    assert done.stdout.split() == ["1", "0"]
