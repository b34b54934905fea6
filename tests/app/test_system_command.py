"""`pagecost system` and `pagecost run --system`, as they are typed."""

import json

import pytest
from typer.testing import CliRunner

from pagecost import system
from pagecost.errors import ModelError
from pagecost_app.cli import app


def typed(*words) -> str:
    done = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_new_system_is_written_shown_checked_and_fills_in_a_study(tmp_path):
    file = tmp_path / "mine.toml"
    assert "300 frames, arc" in typed(
        *("system", "new", file, "--set", "memory.buffer_frames=300", "--set", "memory.policy=arc"),
        *("--set", "devices.log.device=wd400bb", "--set", "devices.database.device=intel-x25-e"),
    )
    assert system.read(file).value("devices.log.device") == "wd400bb"
    shown = typed("system", "show", file)
    assert "buffer_size.frames" in shown
    assert "Pages that the database buffer holds." in shown
    assert json.loads(typed("system", "show", file, "--format", "json"))["memory"]["buffer_frames"] == 300
    assert "is a system: my system" in typed("system", "check", file)
    answer = json.loads(typed("run", "buffer_size", "--system", file, "--format", "json"))
    assert set(answer["columns"]["policy"]) == {"arc"}
    chosen = answer["columns"]["chosen"].index(True)
    assert answer["columns"]["frames"][chosen] == 300


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["new", "FILE", "--set", "memry.policy=lru"], "a system has no memry.policy; it has name, load.source"),
        (["new", "FILE", "--set", "memory.policy=best"], "memory.policy: unknown replacement policy 'best'"),
        (["new", "FILE", "--set", "load.source=nonsense"], "load.source: unknown trace 'nonsense'"),
        (["new", "FILE", "--set", "schema=3"], "a system has no schema"),
        (["new", "FILE", "--set", "devices.log.count=2"], "devices.2.device is missing"),
        (["show", "FILE"], "there is no such file"),
        (["check", "FILE"], "there is no such file"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence_and_nothing_is_written(tmp_path, words, sentence):
    file = tmp_path / "mine.toml"
    with pytest.raises(ModelError, match=sentence):
        typed("system", *(file if word == "FILE" else word for word in words))
    assert not file.exists()


def test_a_file_that_is_there_is_not_written_over_unless_it_is_wanted(tmp_path):
    file = tmp_path / "mine.toml"
    typed("system", "new", file)
    with pytest.raises(ModelError, match="is there already; --force writes over it"):
        typed("system", "new", file)
    typed("system", "new", file, "--force", "--set", "name=another")
    assert system.read(file).name == "another"


def test_a_study_that_takes_nothing_from_a_system_says_which_do(tmp_path):
    file = tmp_path / "mine.toml"
    typed("system", "new", file)
    with pytest.raises(ModelError, match="xml_page takes nothing from a system; these do: buffer_size"):
        typed("run", "xml_page", "--system", file)


def test_what_a_study_cannot_take_from_a_system_is_said_with_the_reason(tmp_path):
    file = tmp_path / "mine.toml"
    typed("system", "new", file, "--set", "devices.database.device=intel-x25-e")
    said = typed("system", "check", file)
    assert "not for disk_scheduling: disk: " in said
    assert "buffer_size" in said.splitlines()[1]
