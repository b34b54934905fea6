"""The list of what can be asked is that of the studies, it loads nothing else, and TAB offers what it holds."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pagecost import studies
from pagecost_app import completing, made_with, printing, studies_listed

WRITE_ANEW = "make lists writes it anew, or this one alone python -m pagecost_app.studies_listed"


def test_the_list_is_what_the_studies_say():
    found = json.loads(studies_listed.written(studies_listed.found()))
    listed = studies_listed.listed()
    assert found.keys() == listed.keys()
    for part in listed:
        assert found[part] == listed[part], f"{part}: {WRITE_ANEW}"


@pytest.mark.parametrize("study", studies.STUDIES.values(), ids=lambda study: study.name)
def test_the_run_line_asks_the_same_question(study):
    import shlex

    for preset in (None, *study.presets):
        inputs = study.inputs(preset=preset)
        words = shlex.split(made_with.run_line(study, inputs))
        assert words[:3] == ["pagecost", "run", study.name]
        assert set(words[3::2]) <= {"--set"}
        values = printing.split_lists(study, printing.assignments(words[4::2]))
        assert study.inputs(values) == inputs, preset


def test_provenance_names_what_differs_and_the_devices():
    study = studies.find("buffer_size")
    made = made_with.of_study(study, study.inputs({"frames": 500, "device": "wd400bb"}), "a day in May")
    assert made["inputs"] == {"frames": 500, "device": "wd400bb"}
    assert made["devices"] == {"wd400bb": "Western Digital Caviar WD400BB 40 GB"}
    assert made["command"] == "pagecost run buffer_size --set frames=500 --set device=wd400bb"
    assert made["date"] == "a day in May"
    json.dumps(made)
    assert all("\n" not in line for line in made_with.lines(made | {"command": "a\nb"}))
    assert "500" in made_with.in_one_line(made)


LOADS_NOTHING = """
import os, sys
os.environ |= {"_PAGECOST_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "pagecost run buffer_size --set de"}
sys.argv = ["pagecost"]
from pagecost_app import cli
try:
    cli.main()
except SystemExit:
    slow = {"numba", "bokeh", "scipy", "pagecost.studies", "pagecost.catalogue"}
    print(slow & sys.modules.keys())
"""


def test_a_completion_loads_no_model():
    done = subprocess.run([sys.executable, "-c", LOADS_NOTHING], capture_output=True, text=True, check=True)
    assert "device=" in done.stdout
    assert done.stdout.endswith("set()\n")


DRAWS_NOTHING = """
import sys
sys.argv = ["pagecost", "run", "label_length", "--format", "json"]
from pagecost_app import cli
try:
    cli.main()
finally:
    print({"bokeh", "ipywidgets", "pagecost_app.charts"} & sys.modules.keys(), file=sys.stderr)
"""


def test_an_answer_in_words_and_numbers_loads_nothing_that_draws():
    done = subprocess.run([sys.executable, "-c", DRAWS_NOTHING], capture_output=True, text=True, check=True)
    study = studies.find("label_length")
    assert json.loads(done.stdout)["answer"] == study.describe(study.inputs(), study.compute(study.inputs()))
    assert done.stderr.endswith("set()\n")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("pagecost run buffer_s", ["buffer_size"]),
        ("pagecost run buffer_size --set fra", ["1024"]),
        ("pagecost run buffer_size --set device=wd4", ["wd400bb"]),
        ("pagecost run buffer_size --set policies=lru,cloc", ["lru,clock"]),
        ("pagecost buffer sqlite", ["sqlite-order-entry"]),
        ("pagecost buffer x --policy lru,cfl", ["lru,cflru"]),
        ("pagecost buffer x --trace-format parq", ["parquet"]),
        ("pagecost claims --paper rah", ["rahm1992"]),
        ("pagecost ssd --set spa", ["spare="]),
        ("pagecost devices wd400", ["wd400bb"]),
        ("pagecost run nothing_like_that --set a", []),
    ],
)
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_tab_in_bash_offers_names_and_values(typed, offered):
    """The words as bash parts them: at blanks and at each =."""
    words = typed.replace("=", " = ").split()
    said = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    command = Path(sys.executable).parent / "pagecost"
    environment = os.environ | said | {"_PAGECOST_COMPLETE": "complete_bash"}
    done = subprocess.run([command], capture_output=True, text=True, check=False, env=environment)
    found = done.stdout.split()
    assert set(offered) <= {word.rpartition("=")[2] or word for word in found}
    assert bool(found) == bool(offered)
    assert done.stderr == ""


def test_words_are_put_together_at_each_equals_sign(monkeypatch):
    def joined(*words: str, place: int) -> tuple[list[str], int]:
        monkeypatch.setenv("_PAGECOST_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", "\n".join(words))
        monkeypatch.setenv("COMP_CWORD", str(place))
        completing.join_words()
        return os.environ["COMP_WORDS"].split("\n"), int(os.environ["COMP_CWORD"])

    assert joined("pagecost", "run", "x", "--set", "a", "=", "b", place=6) == (
        ["pagecost", "run", "x", "--set", "a=b"],
        4,
    )
    assert joined("pagecost", "run", "--set", "a", "=", place=4) == (["pagecost", "run", "--set", "a="], 3)
    assert joined("pagecost", "ru", place=1) == (["pagecost", "ru"], 1)
    assert joined("pagecost", "run", "", place=2) == (["pagecost", "run", ""], 2)
