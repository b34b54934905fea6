"""The parts of `make wheelhouse` that need no network. The whole is tried by `make test-wheelhouse`."""

import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pagecost import _ahead, _jit, studies

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "app" / "packaging"
STUDY, KERNELS = "trace_insight", ("numbering_kernels.factorise", "workload.insight_kernels.count")
CARRY = f"""
import sys
from pathlib import Path
import compile_ahead
of_all = compile_ahead.listed()
compile_ahead.listed = lambda: {{name: of_all[name] for name in {KERNELS!r}}}
compile_ahead.have_compiled()
compile_ahead.carry(Path(sys.argv[1]), sys.argv[2:])
"""
ANSWER = f"""
import sys
from pathlib import Path
from pagecost import _jit
_jit.PACKAGE = Path(sys.argv[1])
from pagecost import studies
study = studies.find({STUDY!r})
print(study.compute(study.inputs()).csv())
print("level", _jit.level(), _jit.compilations(), _jit.loaded())
"""
EXPORTED = """\
appnope==1.0.0 ; sys_platform == 'darwin' \\
    --hash=sha256:aa
numpy==2.4.6 ; python_full_version < '3.12' \\
    --hash=sha256:b1 \\
    --hash=sha256:b2
numpy==2.5.5 ; python_full_version >= '3.12' \\
    --hash=sha256:b3
pywinpty==3.1.2 ; os_name == 'nt' \\
    --hash=sha256:cc
soupsieve==2.10 ; python_full_version < '3.11.5' \\
    --hash=sha256:d1
soupsieve==4.1.1 ; python_full_version >= '3.11.5' \\
    --hash=sha256:d2
typer==0.29.0 \\
    --hash=sha256:ee
"""


@pytest.fixture(scope="module")
def wheelhouse():
    """app/packaging/wheelhouse.py as a module, for Python 3.11."""
    spec = importlib.util.spec_from_file_location("wheelhouse", PACKAGING / "wheelhouse.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.PYTHON = "3.11"
    return module


def test_of_the_lock_file_it_takes_what_the_labs_platform_and_any_such_python_need(wheelhouse):
    found = {name: {each.pinned for each in wheelhouse.needed(EXPORTED, name)} for name in wheelhouse.PLATFORMS}
    for_all = {"numpy==2.4.6", "soupsieve==2.10", "soupsieve==4.1.1", "typer==0.29.0"}
    assert found["linux-x86_64"] == found["linux-aarch64"] == for_all
    assert found["macos-arm64"] == for_all | {"appnope==1.0.0"}
    assert found["windows-x86_64"] == for_all | {"pywinpty==3.1.2"}


def test_what_hangs_on_the_last_digit_of_the_python_keeps_its_condition_and_its_own_hash(wheelhouse, tmp_path):
    requirements = wheelhouse.needed(EXPORTED, "linux-x86_64")
    assert {each.pinned: (each.condition, each.python) for each in requirements if each.condition} == {
        "soupsieve==2.10": ("python_full_version < '3.11.5'", "3.11.0"),
        "soupsieve==4.1.1": ("python_full_version >= '3.11.5'", "3.11.99"),
    }
    assert next(each.hashes for each in requirements if each.pinned == "numpy==2.4.6") == (
        *("--hash=sha256:b1", "--hash=sha256:b2"),
    )
    for name in ("soupsieve-2.10", "typer-0.29.0", "pagecost-0.3.0", "pip-26.3"):
        (tmp_path / f"{name}-py3-none-any.whl").write_text(name)
    digest = hashlib.sha256(b"soupsieve-2.10").hexdigest()
    lines = wheelhouse.pinned(tmp_path, requirements).splitlines()
    assert f"soupsieve==2.10 ; python_full_version < '3.11.5' --hash=sha256:{digest}" in lines
    assert [line.partition("==")[0] for line in lines] == ["pagecost", "soupsieve", "typer"], "pip stays out"


def test_the_oldest_glibc_is_the_newest_that_any_wheel_asks_for(wheelhouse, tmp_path):
    assert wheelhouse.oldest_glibc(tmp_path) == 0
    for tags in ("py3-none-any", "cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64"):
        (tmp_path / f"a-1-{tags}.whl").touch()
    assert wheelhouse.oldest_glibc(tmp_path) == 27, "the least that one wheel is content with"
    (tmp_path / "b-1-cp311-cp311-manylinux2014_x86_64.manylinux_2_34_x86_64.whl").touch()
    assert wheelhouse.oldest_glibc(tmp_path) == 27
    (tmp_path / "c-1-cp311-cp311-manylinux_2_34_x86_64.whl").touch()
    assert wheelhouse.oldest_glibc(tmp_path) == 34


# the installer, up to where it makes an environment ------------------------------------------------------------------


@pytest.fixture
def installer(wheelhouse, tmp_path):
    """install(*arguments, **facts of the folder; path=...) -> what install.sh says in a folder without wheels."""
    if sys.platform == "win32":
        pytest.skip("a shell script")

    def install(*arguments, path=os.environ["PATH"], **changed):
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        known = {"pagecost": "1.2.3", "python": version, "glibc": 17, "wheels": 2, "wheel_megabytes": 1, "kernels": {}}
        wheelhouse.add_installer(tmp_path, {**known, "platform": wheelhouse.this_platform(), **changed})
        (tmp_path / "wheels").mkdir(exist_ok=True)
        (tmp_path / "requirements.txt").touch()
        environment = {"PATH": str(path), "HOME": str(tmp_path / "home")}
        script = [shutil.which("sh"), str(tmp_path / "install.sh"), *map(str, arguments)]
        return subprocess.run(script, env=environment, capture_output=True, text=True)

    return install


def test_nothing_of_the_template_is_left_in_what_is_given_away(wheelhouse, installer, tmp_path):
    installer()
    for name in ("install.sh", "README.txt"):
        assert not re.search(r"@[A-Z]+@", (tmp_path / name).read_text())
    known = {"pagecost": "1.2.3", "python": "3.11", "platform": "windows-x86_64", "glibc": 0, "wheels": 2}
    wheelhouse.add_installer(tmp_path, {**known, "wheel_megabytes": 1, "kernels": {}})
    for name in ("install.ps1", "README.txt"):
        assert not re.search(r"@[A-Z]+@", (tmp_path / name).read_text())
    assert "powershell" in (tmp_path / "README.txt").read_text()


def test_another_python_is_refused_in_words_that_say_which_one_and_what_is_here(installer, tmp_path):
    said = installer(tmp_path / "lab", python="3.99")
    assert said.returncode == 1
    assert "pagecost was not installed: it needs Python 3.99, for which its wheels are. Here" in said.stderr
    assert f" is {sys.version_info.major}.{sys.version_info.minor};" in said.stderr
    assert "make wheelhouse PYTHON=" in said.stderr
    assert not (tmp_path / "lab").exists()


def test_without_any_python_it_says_what_to_install(installer, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("dirname", "id", "uname"):
        (tools / name).symlink_to(shutil.which(name))
    said = installer(tmp_path / "lab", path=tools)
    assert said.returncode == 1
    assert f"the package python{sys.version_info.major}.{sys.version_info.minor}" in said.stderr


def test_another_system_an_old_library_and_a_folder_in_use_are_refused(installer, tmp_path):
    other = installer(tmp_path / "lab", platform="macos-arm64" if sys.platform == "linux" else "linux-x86_64")
    assert (other.returncode, "this folder is for" in other.stderr) == (1, True)
    if sys.platform == "linux":
        old = installer(tmp_path / "lab", glibc=99)
        assert (old.returncode, "it needs glibc 2.99 or later" in old.stderr) == (1, True)
    (tmp_path / "used" / "bin").mkdir(parents=True)
    used = installer(tmp_path / "used")
    assert (used.returncode, "there is something in" in used.stderr) == (1, True)


# machine code that goes along ----------------------------------------------------------------------------------------


def answered(package: Path, home: Path, **environment) -> tuple[str, str]:
    """(answer, what was compiled for it) of a Python with an empty kernel cache beside that package's machine code."""
    own = os.environ | {"PAGECOST_KERNEL_CACHE": str(home), **environment}
    ran = subprocess.run([sys.executable, "-c", ANSWER, str(package)], env=own, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-4000:]
    answer, _, level = ran.stdout.rpartition("level")
    return answer, level.strip()


@pytest.mark.skipif(platform.machine().lower() not in ("x86_64", "amd64"), reason="levels are x86's")
def test_carried_machine_code_answers_the_same_on_both_levels_and_nothing_is_compiled(tmp_path):
    path = os.environ | {"PYTHONPATH": str(PACKAGING)}
    folder = tmp_path / "package" / _jit.SHIPPED_CACHE
    subprocess.run([sys.executable, "-c", CARRY, str(folder)], env=path, check=True)
    levels = [path.name for path in sorted(folder.iterdir(), reverse=True)]
    assert levels == (list(_ahead.LEVELS) if _jit.level() in _ahead.LEVELS else [_jit.level()])
    study = studies.find(STUDY)
    here = study.compute(study.inputs()).csv().split()
    for level in levels[levels.index(_jit.level()) :]:  # a processor runs its own level and those below it
        pinned = {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": ""}
        answer, compiled = answered(folder.parent, tmp_path / "home", **pinned)
        assert compiled == f"{level} 0 {len(KERNELS)}"
        assert answer.split() == here
    assert not list((tmp_path / "home").rglob("*.kernel"))
    codes = [[path.stat().st_size for path in sorted((folder / level).iterdir())] for level in levels]
    assert len(codes) == 1 or codes[0] != codes[1], "the levels differ in instructions"


def test_machine_code_that_others_could_have_written_is_not_loaded(tmp_path):
    folder = tmp_path / "package" / _jit.SHIPPED_CACHE
    path = os.environ | {"PYTHONPATH": str(PACKAGING)}
    subprocess.run([sys.executable, "-c", CARRY, str(folder), _jit.level()], env=path, check=True)
    for file in (folder / _jit.level()).iterdir():
        file.chmod(0o666)
    _, compiled = answered(folder.parent, tmp_path / "home")
    assert compiled == f"{_jit.level()} {len(KERNELS)} 0"
