"""The kernel cache: it never runs stale machine code, loads nothing that others could write, and survives damage."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pagecost
from pagecost import _jit

pytestmark = pytest.mark.long

PACKAGE = Path(pagecost.__file__).parent
ASK = """
import numpy as np
from pagecost import _jit
from pagecost.buffer import replay
run = replay(np.array([1, 2, 1, 3, 1]), 2, "lru", np.array([0, 1, 0, 0, 1], bool))
print(run.hits, run.write_backs, _jit.compilations(), _jit.loaded())
"""

KERNELS = 3  # that ASK needs


@pytest.fixture
def copy(tmp_path):
    """A copy of the package that a test may edit, with a cache of its own, which is empty."""
    shutil.copytree(PACKAGE, tmp_path / "pagecost", ignore=shutil.ignore_patterns("__pycache__", "_datasets"))
    return tmp_path


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The cache after the first answer."""
    folder = tmp_path_factory.mktemp("compiled")
    shutil.copytree(PACKAGE, folder / "pagecost", ignore=shutil.ignore_patterns("__pycache__", "_datasets"))
    assert ask(folder) == (2, 1, KERNELS, 0)
    return folder / "cache"


@pytest.fixture
def warm(copy, compiled):
    """A copy of the package whose kernels are compiled: machine code does not hang on where the source lies."""
    shutil.copytree(compiled, copy / "cache")
    return copy


def start(copy: Path, code: str = ASK, **environment) -> subprocess.Popen:
    own = {name: value for name, value in os.environ.items() if name != "PAGECOST_KERNEL_CACHE"}
    settings = {"PYTHONPATH": str(copy), "XDG_CACHE_HOME": str(copy / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**own, **settings, **environment},
        cwd=copy,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def answer(process: subprocess.Popen) -> tuple[int, ...]:
    """hits, write-backs, kernels compiled, kernels loaded; what the process said is `process.said`."""
    printed, process.said = process.communicate()
    assert process.returncode == 0, process.said
    return tuple(int(word) for word in printed.split())


def ask(copy: Path, **environment) -> tuple[int, ...]:
    """The answer of a fresh process."""
    return answer(start(copy, **environment))


def kept(copy: Path) -> list[Path]:
    """The files of machine code."""
    return sorted((copy / "cache").rglob("*.kernel"))


def kept_one(copy: Path) -> Path:
    """The file of one kernel, which compiles quickly."""
    return next(path for path in kept(copy) if path.name.startswith("numbering_kernels.invert"))


def test_the_second_session_compiles_nothing(warm):
    assert ask(warm) == (2, 1, 0, KERNELS)


def test_a_change_in_another_kernel_file_is_never_missed_and_compiles_what_it_reaches(warm):
    """Plain `cache=True` of Numba looks only at the file of the entry point and would answer 2 again."""
    loop = warm / "pagecost" / "buffer" / "replay_kernels.py"
    loop.write_text(loop.read_text("utf8").replace("read_hits += 1 - write", "read_hits += 101 - write"), "utf8")
    assert ask(warm) == (202, 1, 1, KERNELS - 1)  # one read hit counts 101, one write hit 100 + 1


def test_a_comment_or_a_new_kernel_file_compiles_nothing_anew(warm):
    loop = warm / "pagecost" / "buffer" / "replay_kernels.py"
    loop.write_text(f"# a comment, with a comma\n{loop.read_text('utf8')}", "utf8")
    policies = warm / "pagecost" / "buffer" / "policies"
    text = (policies / "mru_kernels.py").read_text("utf8")
    (policies / "new_kernels.py").write_text(text, "utf8")
    assert ask(warm) == (2, 1, 0, KERNELS)


def damaged(content: bytes, how: str, seed: int) -> bytes:
    place = random.Random(seed).randrange(len(content))
    if how == "truncated":
        return content[:place]
    if how == "flipped":
        return content[:place] + bytes([content[place] ^ (1 << seed % 8)]) + content[place + 1 :]
    return {"emptied": b"", "replaced": b"not machine code"}[how]


@pytest.mark.parametrize("how", ["truncated", "flipped", "emptied", "replaced"])
def test_damaged_machine_code_is_never_loaded(warm, how):
    """Wherever the damage lies: every file of the cache, at many places."""
    for number, file in enumerate(kept(warm)):
        whole = file.read_bytes()
        assert _jit.read_kept(file) is not None
        for seed in range(50):
            file.write_bytes(damaged(whole, how, seed + 50 * number))
            assert _jit.read_kept(file) is None


def test_damaged_machine_code_is_compiled_again(warm):
    file = kept_one(warm)
    file.write_bytes(damaged(file.read_bytes(), "flipped", 1))
    assert ask(warm) == (2, 1, 1, KERNELS - 1)
    assert ask(warm) == (2, 1, 0, KERNELS)


def test_machine_code_under_the_name_of_another_kernel_is_not_run(warm):
    file = kept_one(warm)
    file.write_bytes(next(path for path in kept(warm) if path != file).read_bytes())
    assert _jit.read_kept(file) is not None
    assert ask(warm) == (2, 1, 1, KERNELS - 1)


def plant_by_mode(file: Path) -> None:
    file.chmod(0o666)


def plant_by_owner(file: Path) -> None:
    os.chown(file, 65534, -1)


def plant_by_link(file: Path) -> None:
    elsewhere = file.with_name(f"elsewhere-{file.name}.txt")
    file.rename(elsewhere)
    file.symlink_to(elsewhere)


as_root = pytest.mark.skipif(getattr(os, "getuid", lambda: 1)() != 0, reason="only root can give files away")


@pytest.mark.skipif(sys.platform == "win32", reason="owners and modes of POSIX")
@pytest.mark.parametrize("plant", [plant_by_mode, plant_by_link, pytest.param(plant_by_owner, marks=as_root)])
def test_planted_machine_code_is_not_loaded(warm, plant):
    """Whole and right as it is: a file that another user could have put there counts as planted."""
    plant(kept_one(warm))
    assert ask(warm) == (2, 1, 1, KERNELS - 1)  # compiled again, and kept in the place of what was planted
    assert ask(warm) == (2, 1, 0, KERNELS)


def test_processes_that_compile_at_once_leave_a_whole_cache(warm):
    kept_one(warm).unlink()
    processes = [start(warm) for _ in range(3)]
    for process in processes:
        hits, write_backs, compiled, loaded = answer(process)
        assert (hits, write_backs, compiled + loaded) == (2, 1, KERNELS)
    assert ask(warm) == (2, 1, 0, KERNELS)
    assert list((warm / "cache").rglob("unfinished-*")) == []


KILLED = """
import os, signal
from pagecost import _private_files
def replace(*names):
    os.kill(os.getpid(), signal.SIGKILL)
_private_files.os.replace = replace
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_process_that_is_killed_while_it_saves_leaves_nothing_that_is_loaded(warm):
    gone = kept_one(warm)
    gone.unlink()
    process = start(warm, KILLED + ASK)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    (left,) = (warm / "cache").rglob("unfinished-*")
    assert not gone.exists()
    hours_ago = time.time() - 2 * _jit.UNFINISHED_AFTER_S
    os.utime(left, (hours_ago, hours_ago))
    assert ask(warm) == (2, 1, 1, KERNELS - 1)
    assert not left.exists()
    assert ask(warm) == (2, 1, 0, KERNELS)


FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))  # as on a full disk, a file ends in the middle
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_full_disk_costs_time_but_not_the_answer(warm):
    kept_one(warm).unlink()
    before = kept(warm)
    assert answer(start(warm, FULL + ASK)) == (2, 1, 1, KERNELS - 1)
    assert sorted(path for path in (warm / "cache").rglob("*") if path.is_file()) == before


def test_a_cache_that_cannot_be_written_costs_time_but_not_the_answer(copy):
    (copy / "cache").write_text("a file where the folder should be")
    process = start(copy)
    assert answer(process)[:2] == (2, 1)
    assert "this session compiles into a private folder" in process.said


def test_old_caches_are_cleared_away(copy):
    caches = copy / "cache" / "pagecost" / "kernels"
    for number in range(6):
        (caches / f"old{number}").mkdir(parents=True)
    process = start(copy, "from pagecost import _jit; _jit.kernel_cache()")
    assert answer(process) == ()
    assert len(list(caches.iterdir())) == _jit.KEPT_CACHES


def test_a_cache_holds_a_bounded_number_of_states_of_a_kernel(tmp_path):
    now = time.time()
    names = [f"room.run-{state:016x}-{signature:016x}.kernel" for state in range(12) for signature in range(2)]
    for age, name in enumerate([*names, "other.run-0-0.kernel", "room.run_2-0-0.kernel"]):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (now - age, now - age))
    forgotten = tmp_path / "third.run-0-0.kernel"
    forgotten.touch()
    os.utime(forgotten, (0, 0))
    _jit._clear_old_files(tmp_path, "room.run")
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {*names[: 2 * _jit.KEPT_STAMPS], "other.run-0-0.kernel", "room.run_2-0-0.kernel"}


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


def test_importing_the_studies_loads_no_part_of_scipy():
    """Every command and the app import them all; the planner's `scipy.stats` alone takes a second and 48 MB.

    Numba itself loads `scipy`, without any of its parts, to see that it is there.
    """
    code = (
        "import pkgutil, sys, pagecost.studies, scipy; "
        "parts = {f'scipy.{each.name}' for each in pkgutil.iter_modules(scipy.__path__) if each.name[0] != '_'}; "
        "print(len(parts) > 10, sorted(parts - {'scipy.version'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True []"


def test_machine_code_is_loaded_without_what_only_a_compiler_needs(warm):
    """And a kernel that must be compiled afterwards still is."""
    code = ASK.replace("print(", "import sys\nprint('numba.np.linalg' in sys.modules, ")
    then = "replay(np.array([1, 2, 1]), 2, 'fifo')\nprint(_jit.compilations(), 'numba.np.linalg' in sys.modules)\n"
    process = start(warm, code + then)
    printed, said = process.communicate()
    assert printed.split() == ["False", "2", "1", "0", str(KERNELS), "1", "True"], said
