"""What is kept for recovery is written a moment after a change, in one thread for all of them."""

import threading
import time

import pytest

from pagecost_app.workspace.autosave import Autosave

PATIENCE_S = 10


@pytest.fixture
def kept():
    made = Autosave(lambda trouble: None, delay_s=0.01)
    yield made
    made.close()


def until(condition) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_many_changes_are_written_by_one_thread_and_the_latest_stays(kept, monkeypatch):
    written, writers = [], set()

    def write(project):
        written.append(project)
        writers.add(threading.get_ident())

    monkeypatch.setattr(kept, "_write", write)
    for number in range(50):
        kept.changed(number)
        time.sleep(0.002)
    until(lambda: written and written[-1] == 49)
    assert written == sorted(set(written))
    assert len(writers) == 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_after_a_failure_that_nobody_expected_the_next_change_is_written(kept, monkeypatch):
    written = []

    def write(project):
        if project == "first":
            raise RuntimeError("nobody expected this")
        written.append(project)

    monkeypatch.setattr(kept, "_write", write)
    kept.changed("first")
    until(lambda: kept._thread is None)
    kept.changed("second")
    until(lambda: written == ["second"])
