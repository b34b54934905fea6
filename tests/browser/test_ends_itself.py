"""The app from a menu, in the system's browser and without a terminal: it ends with its last page and loses nothing."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pagecost_app import desktop
from pagecost_app.workspace import autosave, folders

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="the browser that is opened is a script of a POSIX shell"),
]
START = "import sys; sys.argv = ['pagecost', 'app', '--browser']; from pagecost_app.cli import main; main()"
READY = "window.Bokeh?.documents?.[0]?.get_model_by_name('address')?.value"
PATIENCE_S = 60


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setenv(folders.PLACE, str(tmp_path / "state"))


def until(condition):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@contextlib.contextmanager
def from_a_menu(folder: Path):
    """(the file that the opened browser is to show, the process, which must have ended by itself)."""
    browser, asked = folder / "programs" / "chromium", folder / "asked"
    browser.parent.mkdir()
    browser.write_text(f'#!/bin/sh\necho "$1" > {asked}.new; /bin/mv {asked}.new {asked}\n')
    browser.chmod(0o755)
    env = os.environ | {"PATH": f"{browser.parent}:/usr/bin:/bin", "QT_QPA_PLATFORM": "offscreen"}  # a display
    process = subprocess.Popen(
        [sys.executable, "-c", START], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    try:
        until(asked.exists)
        yield asked.read_text().strip().removeprefix("--app="), process
    finally:
        process.kill()  # nothing where it has ended
        process.wait(PATIENCE_S)
        process.stdout.close()


def test_it_ends_after_its_last_page_and_offers_what_was_not_saved(state, open_page, tmp_path):
    with from_a_menu(tmp_path) as (entry, process):
        assert "it ends when its last page is closed" in process.stdout.readline()
        first = open_page()
        first.goto(entry)
        first.wait_for_function(READY)
        second = first.context.new_page()
        second.goto(first.url)
        second.wait_for_function(READY)
        first.close()
        second.evaluate("location.hash = '#buffer_size?frames=64'")
        second.get_by_text("not saved in a file yet").wait_for()
        second.reload()
        second.wait_for_function(READY)
        time.sleep(2 * desktop.QUIET_S + 5)  # longer than after the last one
        assert process.poll() is None
        second.evaluate("location.hash = '#buffer_size?frames=32'")
        second.get_by_text("not saved in a file yet").wait_for()
        second.context.close()  # at once: the change is not written yet
        assert process.wait(PATIENCE_S) == 0
    (left, *_) = autosave.leftovers()
    assert left.project.state["questions"]["buffer_size"]["values"]["frames"] == 32


def test_it_waits_for_a_browser_that_is_slow_to_come(state, tmp_path):
    with from_a_menu(tmp_path) as (_, process):
        time.sleep(2 * desktop.QUIET_S)
        assert process.poll() is None
