"""The log: private, bounded, without secrets, and no reason to stop where it cannot be written."""

import logging
import os
import stat
import threading

import pytest

from pagecost_app import faults, logbook

FULL = "/dev/full"


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setattr(logbook, "folder", lambda: tmp_path / "state" / "pagecost" / "log")
    hooks = threading.excepthook
    yield tmp_path / "state"
    logbook.end()
    threading.excepthook = hooks
    logbook.sys.excepthook = logbook.sys.__excepthook__


def written():
    return (logbook.folder() / logbook.FILE).read_text("utf8")


def test_only_this_user_can_read_it(state):
    logbook.begin()
    assert logbook.problem() == ""
    logbook.LOG.info("begun")
    assert "begun" in written()
    for path, mode in ((logbook.folder(), 0o700), (logbook.folder() / logbook.FILE, 0o600)):
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_it_is_bounded(state, monkeypatch):
    monkeypatch.setattr(logbook, "LIMIT_BYTES", 2000)
    logbook.begin()
    for number in range(400):
        logbook.LOG.info("line %d of many", number)
    files = sorted(logbook.folder().iterdir())
    assert len(files) == 1 + logbook.OLD_FILES
    assert all(file.stat().st_size <= 2000 for file in files)
    assert "line 399" in written()
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_what_lets_a_browser_in_is_left_out(state):
    logbook.begin()
    logging.getLogger("tornado.general").warning("GET /enter?key=SECRET1&x=1 (127.0.0.1) refused")
    logging.getLogger("bokeh.server").error("Cookie: pagecost8080=SECRET2; other=3, token='SECRET3'")
    logbook.LOG.info("http://127.0.0.1:1/?bokeh-session-id=SECRET4")
    try:
        raise ValueError("no such session ID: 'SECRET5'")
    except ValueError as error:
        told = faults.fault(error, "opening a page", {"key": "kept"})
    assert "SECRET" not in written() + told.details
    assert "127.0.0.1" in written()


def test_a_fault_is_said_told_in_full_and_logged(state):
    logbook.begin()
    try:
        raise ZeroDivisionError("of a chart")
    except ZeroDivisionError as error:
        told = faults.fault(error, "answering “buffer_size”", {"frames": 100})
    assert "not yours" in told.sentence
    assert "ZeroDivisionError: of a chart" in told.sentence
    for part in ("Traceback", 'raise ZeroDivisionError("of a chart")', '"frames": 100', "pagecost 0", "numba", "bokeh"):
        assert part in told.details
    assert "raise ZeroDivisionError" in written()


def test_what_ends_a_thread_is_logged(state):
    logbook.begin()
    thread = threading.Thread(target=lambda: [][1], name="of a test")
    thread.start()
    thread.join()
    assert "IndexError" in written()
    assert "of a test" in written()


@pytest.mark.skipif(not os.path.exists(FULL), reason="a disk that is always full is Linux's /dev/full")
def test_a_disk_that_fills_up_is_no_error_of_whoever_logs_and_is_said(state, monkeypatch):
    logbook.begin()
    handler = logbook.LOG.handlers[-1]
    handler.close()
    monkeypatch.setattr(handler, "shouldRollover", lambda record: False)
    handler.stream = open(FULL, "w")  # noqa: SIM115  the log closes it
    logbook.LOG.error("lost")
    assert "No space left" in logbook.problem()


def test_a_place_that_cannot_be_written_is_said_and_nothing_is_raised(state):
    (state.parent / "state").write_text("a file where a folder is to be")
    logbook.begin()
    assert logbook.problem().startswith("pagecost writes no log")
    logbook.LOG.error("nobody writes this")


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="links of other users are planted where users share a folder")
def test_a_link_that_stands_in_its_place_is_not_followed(state):
    target = state.parent / "mine.txt"
    target.write_text("mine")
    logbook.folder().mkdir(parents=True, mode=0o700)
    (logbook.folder() / logbook.FILE).symlink_to(target)
    logbook.begin()
    assert logbook.problem() != ""
    assert target.read_text() == "mine"
