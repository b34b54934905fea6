"""A package carries machine code for processors that are older than the one on which it is built."""

import os
import platform
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from pagecost import _jit, studies

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "app" / "packaging" / "pagecost.spec"
COMPILE = ROOT / "app" / "packaging" / "compile_kernels.py"
STUDY, KERNELS = "trace_insight", ("numbering_kernels.factorise", "workload.insight_kernels.count")
ANSWER = f"""
from pagecost import _jit, studies

def refuse(kernel):
    raise AssertionError(f"no machine code of {{kernel}} was found")

_jit.ask_before_compiling(refuse)
study = studies.find({STUDY!r})
print(study.compute(study.inputs()).csv())
print("loaded", _jit.loaded())
"""

pytestmark = pytest.mark.skipif(platform.machine().lower() not in ("x86_64", "amd64"), reason="levels are x86's")


def run(*arguments, **environment):
    """What a Python says that runs with these variables."""
    command = [sys.executable, *map(str, arguments)]
    ran = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-4000:]
    return ran.stdout


def stems(folder):
    return Counter(path.name.rpartition("-")[0] for path in folder.iterdir())


def test_kernels_of_a_study_are_compiled_for_an_older_processor_and_answer_there_as_here(tmp_path):
    """By the very steps of a release, for the kernels of one study; those of all take minutes."""
    study = studies.find(STUDY)
    here = study.compute(study.inputs()).csv()  # which compiles them for this machine, if nobody has
    known, caches = tmp_path / "known", tmp_path / "caches"
    known.mkdir()
    for name in KERNELS:
        for path in _jit.kernel_cache().glob(f"{_jit.kernels()[name].stem()}-*{_jit.ENDING}"):
            shutil.copy(path, known)
    older = {"NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": "", "PAGECOST_KERNEL_CACHE": str(caches)}
    run(COMPILE, "compile", known, 0, 1, **older)
    run(COMPILE, "tidy", caches / "x86-64-v2")
    assert stems(caches / "x86-64-v2") == stems(known)
    assert len(stems(known)) == len(KERNELS)
    there, _, loaded = run("-c", ANSWER, **older).rpartition("loaded")
    assert int(loaded) == sum(stems(known).values())
    assert there.split() == here.split()


def test_a_release_is_built_for_every_processor_level_that_pagecost_pins(monkeypatch):
    """`make package` says nothing about levels, and then the package's recipe takes them all."""
    recipe = SPEC.read_text()
    start, end = recipe.index("OF_A_RELEASE ="), recipe.index("def start(")
    pinned = set()
    monkeypatch.setattr(_jit.private, "pin_processor", pinned.add)
    monkeypatch.delenv("NUMBA_CPU_NAME", raising=False)
    for features in (_jit.LEVEL_3, _jit.LEVEL_2):
        monkeypatch.setattr(
            _jit.llvmlite.binding, "get_host_cpu_features", lambda has=features: dict.fromkeys(has, True)
        )
        _jit._pin_processor_level()
    for said, expected in ((None, pinned), ("own", {_jit.private.pinned_processor()})):
        if said:
            monkeypatch.setenv("PAGECOST_LEVELS", said)
        else:
            monkeypatch.delenv("PAGECOST_LEVELS", raising=False)
        names = {"os": os, "platform": platform, "_jit": _jit}
        exec(recipe[start:end], names)
        assert set(names["LEVELS"]) == expected
    assert "PAGECOST_LEVELS" not in (ROOT / "Makefile").read_text()
