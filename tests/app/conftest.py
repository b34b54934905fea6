"""What the tests of the command line share: a command as it is typed."""

import sys

import pytest

from pagecost_app import cli


def pagecost(capsys, monkeypatch, *arguments) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command."""
    monkeypatch.setattr(sys, "argv", ["pagecost", *arguments])
    capsys.readouterr()  # what the test itself had computed before may have announced a compile
    try:
        cli.main()
        code = 0
    except SystemExit as exit:
        code = exit.code
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def run(capsys, monkeypatch):
    return lambda *arguments: pagecost(capsys, monkeypatch, *arguments)
