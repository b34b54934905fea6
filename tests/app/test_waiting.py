"""The line on standard error that moves while the command line computes."""

import gc
import io
import re
import subprocess
import sys
import time
import types

import pytest

from pagecost import _jit
from pagecost_app import kernels_needed, waiting
from pagecost_app.command_parts import loading


class Terminal(io.StringIO):
    """A standard error that somebody watches."""

    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(waiting, "SAID_AFTER_S", 0.02)
    monkeypatch.setattr(waiting, "SAID_EVERY_S", 0.02)
    watched = Terminal()
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(
        waiting, "sys", types.SimpleNamespace(stderr=watched, modules=sys.modules)
    )  # pytest sets that of sys anew
    say = _jit._announcer.say
    yield watched
    _jit.announce_compiles(say)


def until_said(terminal, pattern):
    deadline = time.monotonic() + 20
    while not re.search(pattern, terminal.getvalue()):
        assert time.monotonic() < deadline, terminal.getvalue()
        time.sleep(0.01)


def test_what_takes_long_is_said_with_its_share_and_leaves_nothing_behind(terminal):
    with waiting.moving("answering buffer_size") as progress:
        until_said(terminal, r"\ranswering buffer_size … 0 s so far")
        progress(0.4, None)
        until_said(terminal, r"\ranswering buffer_size … 40%, 0 s so far")
    assert re.search(r"\r +\r$", terminal.getvalue())  # the line was wiped


def test_a_log_is_told_now_and_then_of_what_takes_long(terminal, monkeypatch):
    monkeypatch.setattr(terminal, "isatty", lambda: False)
    monkeypatch.setattr(waiting, "LOGGED_AFTER_S", 0.02)
    with waiting.moving("checking the claims") as progress:
        progress(0.4, None)
        until_said(terminal, "^pagecost: checking the claims … 40%, 0 s so far\n")
    assert "\r" not in terminal.getvalue()


def test_a_kernel_that_is_compiled_is_named(terminal, monkeypatch):
    monkeypatch.setattr(
        _jit._announcer, "current", ("pagecost.buffer.policies.lru_kernels.replay", time.monotonic() - 3)
    )
    with waiting.moving("answering buffer_size"):
        until_said(terminal, r"compiling once: kernel \d+ \(lru: replay, 3 s\), 0 s so far")


def test_it_is_said_how_many_kernels_a_study_will_compile(terminal, monkeypatch):
    monkeypatch.setattr(_jit._announcer, "current", ("pagecost.buffer.policies.lru_kernels.replay", time.monotonic()))
    monkeypatch.setattr(_jit._announcer, "compilations", 2)
    monkeypatch.setattr(kernels_needed, "missing", lambda kind, name: 5 if name == "buffer_size" else 0)
    with waiting.moving("answering buffer_size", "buffer_size"):
        until_said(terminal, r"compiling once: kernel 2 of about 6 \(lru: replay, 0 s\)")


def test_the_line_is_up_before_anything_that_takes_time_is_loaded():
    done = "import sys; from pagecost_app import cli, waiting; print([name for name in sys.modules if name in {}])"
    slow = {"numba", "numpy", "bokeh", "pydantic", "pagecost.studies"}
    out = subprocess.run([sys.executable, "-c", done.format(slow)], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_a_file_that_is_read_meanwhile_stands_on_the_same_line(terminal):
    with waiting.moving("replaying"):
        waiting.progress_line("reading own.csv")(0.25)
        until_said(terminal, r"\rreading own.csv … 25%, 0 s so far")
    assert waiting._line is None


def test_what_is_quick_says_nothing(terminal, monkeypatch):
    monkeypatch.setattr(waiting, "SAID_AFTER_S", 10.0)
    with waiting.moving("answering"):
        pass
    assert terminal.getvalue() == ""


def test_nothing_is_said_where_nobody_watches(monkeypatch):
    monkeypatch.setattr(waiting, "SAID_AFTER_S", 0.0)
    unwatched = io.StringIO()
    monkeypatch.setattr(waiting, "sys", types.SimpleNamespace(stderr=unwatched, modules=sys.modules))
    with waiting.moving("answering") as progress:
        progress(0.5, None)
        time.sleep(0.05)
    assert unwatched.getvalue() == ""


def test_a_fault_takes_the_line_away_too(terminal):
    def break_down():
        with waiting.moving("answering"):
            until_said(terminal, "answering")
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        break_down()
    assert waiting._line is None


@pytest.mark.parametrize("collects", [True, False])
def test_no_garbage_is_looked_for_while_modules_are_imported(collects):
    (gc.enable if collects else gc.disable)()
    try:
        with loading():
            assert not gc.isenabled()
        assert gc.isenabled() == collects
    finally:
        gc.enable()
