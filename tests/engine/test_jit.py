"""The kernel cache: it never runs stale machine code, survives damage, and a folder that cannot be written."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pagecost

PACKAGE = Path(pagecost.__file__).parent
ASK = """
import numpy as np
from pagecost import _jit
from pagecost.buffer import replay
run = replay(np.array([1, 2, 1, 3, 1]), 2, "lru", np.array([0, 1, 0, 0, 1], bool))
print(run.hits, run.write_backs, _jit.compilations(), _jit.loaded())
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the package that a test may edit, with a cache of its own."""
    shutil.copytree(PACKAGE, tmp_path / "pagecost", ignore=shutil.ignore_patterns("__pycache__", "_datasets"))
    return tmp_path


def ask(copy: Path, **environment) -> tuple[int, ...]:
    """hits, write-backs, kernels compiled, kernels loaded, from a fresh process."""
    own = {name: value for name, value in os.environ.items() if name != "PAGECOST_KERNEL_CACHE"}
    settings = {"PYTHONPATH": str(copy), "XDG_CACHE_HOME": str(copy / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        env={**own, **settings, **environment},
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return tuple(int(word) for word in done.stdout.split())


def test_the_second_session_compiles_nothing(copy):
    *counts, compiled, loaded = ask(copy)
    assert (counts, loaded) == ([2, 1], 0)
    assert compiled > 0
    assert ask(copy) == (2, 1, 0, compiled)


def test_a_change_in_another_kernel_file_is_never_missed(copy):
    """Plain `cache=True` of Numba looks only at the file of the entry point and would answer 2 again."""
    assert ask(copy)[0] == 2
    loop = copy / "pagecost" / "buffer" / "replay_kernels.py"
    loop.write_text(loop.read_text("utf8").replace("read_hits += 1 - write", "read_hits += 101 - write"), "utf8")
    assert ask(copy)[0] == 202  # one read hit counts 101, one write hit 100 + 1


def test_damaged_machine_code_is_compiled_again(copy):
    whole = ask(copy)
    for file in (copy / "cache").rglob("*.nbi"):
        file.write_bytes(b"not an index")
    assert ask(copy) == whole


def test_a_cache_that_cannot_be_written_costs_time_but_not_the_answer(copy):
    (copy / "cache").write_text("a file where the folder should be")
    assert ask(copy)[:2] == (2, 1)


def test_old_caches_are_cleared_away(copy):
    caches = copy / "cache" / "pagecost" / "kernels"
    for number in range(6):
        (caches / f"old{number}").mkdir(parents=True)
    ask(copy)
    assert len(list(caches.iterdir())) == 4


def test_everything_also_runs_as_plain_python(copy):
    hits, write_backs, compiled, _ = ask(copy, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="ignore")
    assert (hits, write_backs, compiled) == (2, 1, 0)


def test_importing_pagecost_is_quick():
    """Budget: 0.5 s for the first import. It loads nothing heavy; what it must not load is named."""
    code = (
        "import sys, pagecost; print([name for name in ('numpy', 'numba', 'bokeh', 'duckdb') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
