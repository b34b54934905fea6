"""The manual page says all that can be typed, and is read by man without a complaint."""

import re
import shutil
import subprocess

import pytest
import typer.main

from pagecost_app import cli, man


def commands(group, path=()):
    for name, command in group.commands.items():
        below = getattr(command, "commands", None)
        yield from commands(command, (*path, name)) if below else [(" ".join((*path, name)), command)]


def test_every_command_and_option_stands_in_the_manual():
    text = man.page().replace("\\-", "-")
    for path, command in commands(typer.main.get_command(cli.app)):
        part = text.partition(f".SS pagecost {path} ")[2].partition(".SS ")[0]
        assert part, path
        for each in command.params:
            assert all(option in part for option in each.opts if option.startswith("-")), (path, each.opts)
    assert man.page() == man.page()


@pytest.mark.skipif(shutil.which("man") is None, reason="there is no man")
def test_man_reads_it_without_a_complaint(tmp_path):
    (tmp_path / man.PAGE).write_text(man.page(), "utf8")
    done = subprocess.run(
        ["man", "--warnings", "-l", str(tmp_path / man.PAGE)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "pagecost devices add" in done.stdout


def test_no_line_of_the_help_is_cut(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for words in ((), ("trace",), ("system",), ("devices",)):
        code, out, _ = run(*words, "-h")
        assert code == 0
        assert not re.search(r"\.\.\.\s*$", out.partition("Commands:")[2], re.M), out
