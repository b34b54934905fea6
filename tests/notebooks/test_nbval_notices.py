"""A lesson's printed numbers hold the engine: a number of the engine that changes by one percent fails nbval.

The change is made in the lesson's kernel as it starts; files stay as they are. That the lesson passes with the engine
as it is, is what its own run shows.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.corrupted import value_of
from pagecost_app.course import lessons

TESTS = Path(__file__).parents[1]
LESSON = lessons.lesson("flash_pages_and_blocks")
IN_A_KERNEL = """
import os, sys
if any("ipykernel" in word for word in sys.orig_argv):
    from helpers.corrupted import corrupted
    constant, value = os.environ["CORRUPTED"].split("=")
    sys.held = corrupted(constant, float(value))  # or it would end at once
    sys.held.__enter__()
"""
SMALL = [
    ("devices.ftl.lifetime:DAY_S", 86400 * 1.01),
    ("device:samsung-4gb-flash-chip.page_program_s", 202e-6),
    ("device:consumer-disk-2009.idle_w", 6.06),
]


@pytest.fixture
def lesson(tmp_path):
    """The lesson with what it imports and what nbval compares, without its widgets."""
    written = json.loads(LESSON.path.read_text("utf8"))
    first, *others = [cell for cell in written["cells"] if cell["cell_type"] == "code"]
    checked = [cell for cell in others if lessons.CHECKED in cell["metadata"].get("tags", ())]
    file = tmp_path / LESSON.path.name
    file.write_text(json.dumps(written | {"cells": [first, *checked]}), "utf8")
    return file


def nbval(lesson, **corrupting):
    """What nbval says of the lesson: (how many cells passed, the report of those that failed)."""
    lesson.with_name("sitecustomize.py").write_text(IN_A_KERNEL, "utf8")
    plain = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}  # those are of this run
    quiet = {"PAGECOST_QUIET": "1", "PAGECOST_DEVICES": str(lesson.with_name("none"))}
    options = ("--nbval-lax", "--nbval-current-env", "--nbval-cell-timeout=120", "-q", "-p", "no:cacheprovider")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", lesson.name, f"--rootdir={lesson.parent}", *options],
        cwd=lesson.parent,
        env=plain | quiet | {"PYTHONPATH": os.pathsep.join([str(lesson.parent), str(TESTS)])} | corrupting,
        capture_output=True,
        text=True,
        check=False,
    )
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed, done.stdout + done.stderr
    return int(passed[1]), done.stdout if done.returncode else ""


@pytest.mark.long
@pytest.mark.parametrize(("constant", "value"), SMALL, ids=[row[0] for row in SMALL])
def test_nbval_fails_when_a_number_of_the_engine_changes_by_a_hundredth(lesson, constant, value):
    assert value_of(constant) == pytest.approx(value, rel=0.0101)
    assert value_of(constant) != value
    passed, report = nbval(lesson, CORRUPTED=f"{constant}={value}")
    assert passed > 1, "other cells do not rest on it"
    assert "mismatch 'stdout'" in report
    assert "exception" not in report, "numbers differ; nothing broke"
