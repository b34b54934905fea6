"""What the packaged program needs is in it, as far as its recipe tells; what is not is said in a sentence."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
APP = ROOT / "app" / "pagecost_app"
SPEC = ROOT / "app" / "packaging" / "pagecost.spec"
# Parts of the program that the package is without: they show, hand out and grade lessons, which it does not hold
WITHOUT = {"book", "course", "exercises", "notebook", "lab-settings", "slides"}
WITHOUT |= {"lab.py", "slides_group.py", "course_group.py"}
# Excluded modules that are asked for all the same, where their lack is said
SAID = {("charts/saving.py", "PIL")}


def constant(name):
    """The words of a list of the recipe."""
    for node in ast.walk(ast.parse(SPEC.read_text("utf8"))):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return {each.value for each in ast.walk(node.value) if isinstance(each, ast.Constant)}
    raise AssertionError(name)


def held(endings):
    """The files of the program that the package has to hold, by their path inside it."""
    for path in sorted(APP.rglob("*")):
        place = path.relative_to(APP)
        if path.is_file() and path.suffix in endings and place.parts[0] not in WITHOUT:
            yield path, place.as_posix()


def test_every_file_that_is_read_is_packed():
    recipe = SPEC.read_text("utf8")
    for path, place in held({".css", ".csv", ".html", ".js", ".json", ".toml", ".yaml"}):
        assert f'"{path.name}"), "{"/".join(["pagecost_app", *Path(place).parts[:-1]])}"' in recipe, place


def test_every_kind_of_data_is_packed():
    """Without scripts that recorded them and the job file that fio was given."""
    there = {
        path.suffix for path in (ROOT / "datasets").rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }
    assert there - {".py", ".fio"} == constant("DATA_ENDINGS")


def test_nothing_is_imported_that_is_left_out():
    excluded = {name for name in constant("EXCLUDED_MODULES") if name.isidentifier()}
    assert "rich" in excluded
    for path, place in held({".py"}):
        for node in ast.walk(ast.parse(path.read_text("utf8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] not in excluded or (place, name.split(".")[0]) in SAID, (place, name)


START = """
import sys
from pathlib import Path
from pagecost_app.course import lessons
lessons.FOLDER = Path(sys.argv.pop(1))
sys.modules["pagecost_app.exercises"] = None
for name in ("PIL", "rich", "jupyterlab"):
    sys.modules[name] = None
from pagecost_app.cli import main
main()
"""


def as_packaged(*arguments, **options):
    """A command of a program that holds no lessons and none of the modules that the recipe leaves out."""
    command = [sys.executable, "-c", START, *map(str, arguments)]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **options)


@pytest.mark.parametrize(
    "words",
    [
        ("slides", "1"),
        ("slides", ROOT / "notebooks" / "01_what_does_a_page_access_cost.ipynb"),
        ("hand-out", "1", "--out", "there", "--class", "names.csv"),
        ("grade", "there"),
        ("lab",),
        ("lab", "mine"),
    ],
    ids=lambda words: " ".join(map(str, words[:1])),
)
def test_what_needs_lessons_says_that_there_are_none(tmp_path, words):
    done = as_packaged(tmp_path / "_lessons", *words, cwd=tmp_path)
    said = "pagecost: this package of pagecost holds no lessons; its wheel and a checkout of pagecost do\n"
    assert (done.returncode, done.stderr) == (2, said)
    assert os.listdir(tmp_path) == []


def test_a_picture_that_it_cannot_write_is_said(tmp_path):
    done = as_packaged(tmp_path, "run", "five_minute_rule", "--chart", tmp_path / "a.png", stdout=subprocess.DEVNULL)
    assert done.returncode == 2
    assert done.stderr == "pagecost: this package of pagecost writes no .png; save .svg or .html instead\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of a POSIX system")
@pytest.mark.parametrize(("colour", "bold"), [("", True), ("1", False)])
def test_an_answer_is_bold_on_a_terminal_unless_its_user_wants_none(tmp_path, colour, bold):
    import pty

    ours, theirs = pty.openpty()
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}
    env |= {"NO_COLOR": colour} if colour else {}
    done = as_packaged(tmp_path, "run", "five_minute_rule", stdout=theirs, env=env)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, "")
    assert os.read(ours, 1000).startswith(b"\x1b[1m") == bold
    os.close(ours)


WITHOUT_QT = """
import sys
from pathlib import Path
from make_packages import without_qt
without_qt(*map(Path, sys.argv[1:]))
"""


@pytest.mark.skipif(shutil.which("objdump") is None, reason="reads libraries with binutils")
def test_the_small_package_keeps_pythons_own_library_and_leaves_what_only_qt_wanted(tmp_path):
    inside = tmp_path / "whole" / "_internal"
    for name in ("PySide6/QtCore.abi3.so", "shiboken6/Shiboken.abi3.so", "libQt6Core.so.6", "libpython3.11.so.1.0"):
        (inside / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile("/bin/true", inside / name)  # any machine code: nobody names one of these
    env = os.environ | {"PYTHONPATH": str(ROOT / "app" / "packaging")}
    small = tmp_path / "small"
    subprocess.run([sys.executable, "-c", WITHOUT_QT, inside.parent, small], env=env, check=True)
    assert [path.name for path in (small / "_internal").iterdir()] == ["libpython3.11.so.1.0"]
