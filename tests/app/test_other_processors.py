"""A package carries machine code, compiled ahead, for processors that are older than the one on which it is built."""

import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pagecost import _ahead, _jit, studies
from pagecost.errors import ModelError

ROOT = Path(__file__).parents[2]
STUDY, KERNELS = "trace_insight", ("numbering_kernels.factorise", "workload.insight_kernels.count")
LINK = f"""
import sys
from pathlib import Path
import compile_ahead
of_all = compile_ahead.listed()
compile_ahead.listed = lambda: {{name: of_all[name] for name in {KERNELS!r}}}
compile_ahead.link_all(Path(sys.argv[1]), sys.argv[2:])
"""
ANSWER = f"""
import sys
from pagecost import _ahead
_ahead.stand_in()
_ahead.level = lambda: sys.argv[1]
from pagecost import studies
study = studies.find({STUDY!r})
print(study.compute(study.inputs()).csv())
print("called", sorted(_ahead.asked_for()), [name for name in ("numba", "llvmlite") if name in sys.modules])
"""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine().lower() not in ("x86_64", "amd64"), reason="levels are x86's"
)


def run(code, *arguments, **environment):
    """What a Python says that runs the code with these variables."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    ran = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-4000:]
    return ran.stdout


@pytest.mark.long
def test_machine_code_compiled_ahead_answers_on_every_level_as_numba_does_here_and_without_it(tmp_path):
    """By the very steps of a release, for the kernels of one study."""
    study = studies.find(STUDY)
    here = study.compute(study.inputs()).csv()
    run(LINK, tmp_path, *_ahead.LEVELS, PYTHONPATH=str(ROOT / "app" / "packaging"))
    for level in _ahead.LEVELS if _ahead.level() == "x86-64-v3" else ("x86-64-v2",):
        there, _, called = run(ANSWER, level, PAGECOST_KERNELS_AHEAD=str(tmp_path)).rpartition("called")
        assert called.split(None, 0) == [f"{sorted(KERNELS)} []\n"]
        assert there.split() == here.split()


def test_the_processor_is_taken_for_the_same_level_with_and_without_a_compiler():
    assert _ahead.level() == (_jit.private.pinned_processor() or _ahead.BASIC)


def test_a_kernel_that_the_package_lacks_is_one_sentence(monkeypatch, tmp_path):
    (tmp_path / _ahead.TABLE).write_text('{"numba": "1", "helpers": [], "kernels": {}}')
    monkeypatch.setenv("PAGECOST_KERNELS_AHEAD", str(tmp_path))
    monkeypatch.setattr(_ahead, "_table", _ahead._table.__wrapped__)
    monkeypatch.setattr(_ahead, "_KERNELS", {})

    @_ahead.kernel
    def made_up(data, many):
        raise AssertionError("Python would run it")

    with pytest.raises(ModelError, match=r"no machine code of .*made_up for uint8\[1\]C! int64; pagecost as a Python"):
        made_up(np.frombuffer(b"abc", np.uint8), 3)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.zeros((2, 3), np.uint32), ["uint32[2]C"]),
        (np.zeros((2, 3)).T, ["float64[2]F"]),
        (np.zeros((4, 4), np.int64)[:, ::2], ["int64[2]A"]),
        (True, ["bool"]),
        (-1, ["int64"]),
        (2**63, ["uint64"]),
        (np.uint8(3), ["uint8"]),
        (0.5, ["float64"]),
        (np.float64(0.5), ["float64"]),
        ((1, 0.5), ["builtins.tuple(2)", "int64", "float64"]),
    ],
)
def test_arguments_are_named_as_numba_types_them(value, words, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "app" / "packaging"))
    import compile_ahead
    import numba

    found: list = []
    _ahead._take(value, found, [])
    assert found == words
    assert compile_ahead.words(numba.typeof(value)) == words
    assert compile_ahead.kinds(words) == [numba.typeof(value)]


def test_signatures_that_the_package_carries_are_of_the_tuples_of_today(monkeypatch):
    """A field more in a tuple of a kernel, and what was written down of it before can no longer be compiled."""
    monkeypatch.syspath_prepend(str(ROOT / "app" / "packaging"))
    import compile_ahead

    written = [signature for signatures in compile_ahead.listed().values() for signature in signatures]
    assert {compile_ahead.stale(signature) for signature in written} == {""}, "write it anew: compile_ahead.py list"
    some = next(each for each in written if "oltp.queues_kernels.Queues(" in each)
    fewer = re.sub(r"Queues\(\d+\)", "Queues(1)", some)
    assert compile_ahead.stale(fewer) == "pagecost.oltp.queues_kernels.Queues"
    assert compile_ahead.stale(some.replace("Queues(", "Cues(")) == "pagecost.oltp.queues_kernels.Cues"


@pytest.mark.parametrize(("signature", "compiles"), [("int64 float64", True), ("uint8[1]C float64", False)])
def test_what_today_s_kernel_cannot_be_compiled_for_leaves_the_list(signature, compiles, monkeypatch, tmp_path):
    """A field of a tuple may have another type than when its signature was written down, and the same name."""
    monkeypatch.syspath_prepend(str(ROOT / "app" / "packaging"))
    import compile_ahead

    name = "transactions.feedback_kernels.erlang_b"
    (tmp_path / "signatures.json").write_text(json.dumps({name: [signature]}), encoding="utf-8")
    monkeypatch.setattr(compile_ahead, "SIGNATURES", tmp_path / "signatures.json")
    monkeypatch.setattr(compile_ahead, "kept", dict)
    monkeypatch.setattr(_jit._announcer, "ask", None)  # a page that was served in this process before may not compile
    compile_ahead.write_list()
    assert (signature in compile_ahead.listed().get(name, [])) == compiles
