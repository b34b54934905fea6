"""What answers a page away from its thread: the newest question wins, a drag is answered by formula, a run can stop."""

import queue
import threading
import time
from functools import partial

import numpy as np
import pytest

from helpers.page_session import PATIENCE_S
from pagecost import cancellation, studies
from pagecost.errors import require
from pagecost.remembering import Memory
from pagecost_app.pages import worker as worker_module
from pagecost_app.pages.worker import Worker


def test_a_newer_question_stops_an_older_one():
    study = studies.find("buffer_size")
    asked = [{"frames": frames} for frames in (100, 200, 300)]
    started, go = threading.Event(), threading.Event()
    shown, failed = [], []

    class Slow:
        name = "slow"
        inputs = staticmethod(study.inputs)

        def compute(self, inputs, progress):
            started.set()
            assert go.wait(PATIENCE_S)
            progress(0.5, None)
            return inputs.frames

    done = threading.Event()

    def show(inputs, result, final):
        shown.append(result)
        done.set()

    worker = Worker(Slow(), lambda callback: callback(), show, failed.append, lambda share: None)
    worker.ask(asked[0])
    assert started.wait(PATIENCE_S)
    worker.ask(asked[1])
    worker.ask(asked[2])
    go.set()
    assert done.wait(PATIENCE_S)
    worker.stop()
    assert shown == [300]
    assert failed == []


def test_a_worker_is_at_rest_when_all_that_was_asked_is_answered():
    started, go, shown = threading.Event(), threading.Event(), threading.Event()

    class Slow:
        name = "slow"
        inputs = staticmethod(dict)

        def compute(self, inputs, progress):
            started.set()
            assert go.wait(PATIENCE_S)
            return inputs

    worker = Worker(Slow(), lambda callback: callback(), lambda *answer: shown.set(), print, print)
    assert worker.at_rest
    worker.ask({})
    assert not worker.at_rest
    assert started.wait(PATIENCE_S)
    assert not worker.at_rest
    go.set()
    assert shown.wait(PATIENCE_S)
    deadline = time.monotonic() + PATIENCE_S
    while not worker.at_rest:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    worker.stop()


class Unasked:
    """A study that tells nobody how far it is, of work with cancellation points; 0 is answered at once, else never."""

    name = "unasked"

    def __init__(self):
        self.points = 0
        self.begun = threading.Event()

    @staticmethod
    def inputs(values):
        return values

    def compute(self, inputs, progress):
        while inputs["frames"]:
            self.begun.set()
            cancellation.point()
            self.points += 1
            time.sleep(0.001)
        return inputs


def test_work_that_tells_nothing_is_left_for_a_newer_question():
    study, shown, answered = Unasked(), [], threading.Event()

    def show(inputs, result, final):
        shown.append(result)
        answered.set()

    worker = Worker(study, lambda callback: callback(), show, pytest.fail, print)
    worker.ask({"frames": 1})
    assert study.begun.wait(PATIENCE_S)
    worker.ask({"frames": 0})
    assert answered.wait(PATIENCE_S)
    worker.stop()
    assert shown == [{"frames": 0}]


def test_a_quick_answer_is_drawn_though_the_slider_has_moved_on(monkeypatch):
    monkeypatch.setattr(worker_module, "QUICK_S", PATIENCE_S)
    begun, go, shown, both = threading.Event(), threading.Event(), [], threading.Event()

    class Quick:
        name = "quick"
        inputs = staticmethod(dict)

        def compute(self, inputs, progress):
            begun.set()
            assert go.wait(PATIENCE_S)
            cancellation.point()
            return inputs["frames"]

    def show(inputs, result, final):
        shown.append(result)
        if len(shown) == 2:
            both.set()

    worker = Worker(Quick(), lambda callback: callback(), show, pytest.fail, print)
    worker.ask({"frames": 1}, moving=True)
    assert begun.wait(PATIENCE_S)
    worker.ask({"frames": 2}, moving=True)
    worker.ask({"frames": 3}, moving=True)
    go.set()
    assert both.wait(PATIENCE_S)
    worker.stop()
    assert shown == [1, 3]


def test_nothing_is_said_of_a_run_after_its_answer(monkeypatch):
    monkeypatch.setattr(worker_module, "SAID_AFTER_S", 0.001)
    monkeypatch.setattr(worker_module, "SAID_EVERY_S", 0.001)
    monkeypatch.setattr(worker_module.heap, "give_back", lambda: time.sleep(0.2))  # as where much is to be given
    waiting, seen = queue.SimpleQueue(), []

    class Short:
        name = "short"
        inputs = staticmethod(dict)

        def compute(self, inputs, progress):
            time.sleep(0.05)
            return inputs

    worker = Worker(
        *(Short(), waiting.put, lambda *found: seen.append("answer"), pytest.fail, print),
        waiting=lambda seconds, news: seen.append("waiting"),
    )
    worker.ask({})
    while "answer" not in seen:
        waiting.get(timeout=PATIENCE_S)()
    deadline = time.monotonic() + PATIENCE_S
    while not worker.at_rest or not waiting.empty():
        assert time.monotonic() < deadline
        if not waiting.empty():
            waiting.get()()
        time.sleep(0.001)
    worker.stop()
    assert "waiting" in seen
    assert seen[-1] == "answer"


def test_work_that_tells_nothing_ends_when_it_is_stopped():
    study, cancelled = Unasked(), threading.Event()
    worker = Worker(
        *(study, lambda callback: callback(), pytest.fail, pytest.fail, print),
        cancelled=lambda share, partial: cancelled.set(),
    )
    worker.ask({"frames": 1})
    assert study.begun.wait(PATIENCE_S)
    worker.cancel()
    assert cancelled.wait(PATIENCE_S)
    worker.stop()


def test_a_paused_run_keeps_nobody_from_what_it_computes_for_others_too():
    begun, go, shown = threading.Event(), threading.Event(), {name: threading.Event() for name in ("first", "second")}
    memory = Memory(1 << 20)

    def work():
        begun.set()
        while not go.is_set():
            cancellation.point()
            time.sleep(0.001)
        cancellation.point()
        return 7

    class Sharing:
        name = "sharing"
        inputs = staticmethod(dict)

        def compute(self, inputs, progress):
            found = memory.answer(("both",), work)
            progress(0.5, None)
            return found

    first, second = (
        Worker(Sharing(), lambda callback: callback(), lambda *found, done=done: done.set(), pytest.fail, print)
        for done in shown.values()
    )
    first.ask({})
    assert begun.wait(PATIENCE_S)
    first.pause(True)
    second.ask({})
    go.set()
    assert shown["second"].wait(PATIENCE_S)
    assert not shown["first"].is_set()
    first.pause(False)
    assert shown["first"].wait(PATIENCE_S)
    first.stop()
    second.stop()


def test_a_formula_of_a_slider_that_has_moved_on_is_left():
    estimated, drawn = [], threading.Event()

    class ByFormula(Unasked):
        def estimate(self, inputs):
            found = self.compute(inputs, None)
            estimated.append(found)
            return found

    study = ByFormula()
    worker = Worker(study, lambda callback: callback(), print, pytest.fail, print, estimated=lambda *found: drawn.set())
    worker.ask({"frames": 1}, moving=True)
    assert study.begun.wait(PATIENCE_S)
    worker.ask({"frames": 0}, moving=True)
    assert drawn.wait(PATIENCE_S)
    worker.stop()
    assert estimated == [{"frames": 0}]


class Steps:
    """A study of a hundred steps that go on one at a time, when they are let."""

    name = "steps"
    inputs = staticmethod(dict)

    def __init__(self):
        self.let, self.done, self.drawn = threading.Semaphore(0), 0, range(1, 101)

    def compute(self, inputs, progress):
        for self.done in range(1, 101):
            assert self.let.acquire(timeout=PATIENCE_S)
            progress(self.done / 100, partial("partial {}".format, self.done) if self.done in self.drawn else None)
        return "whole"


@pytest.fixture
def long_run(monkeypatch):
    """A worker on `Steps` for which every run is long, and what it told: (what, value)."""
    monkeypatch.setattr(worker_module, "LONG_S", 0.0)
    study, told = Steps(), []

    def note(what):
        return lambda *values: told.append((what, *values))

    worker = Worker(
        study,
        lambda callback: callback(),
        lambda inputs, result, final: told.append(("show", result, final)),
        note("fail"),
        note("progress"),
        note("long"),
        note("cancelled"),
    )
    worker.ask({})
    yield worker, study, told
    worker.stop()
    study.let.release(200)


def wait_for(condition):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def test_a_long_run_can_be_paused_and_goes_on(long_run):
    worker, study, told = long_run
    study.let.release(3)
    wait_for(lambda: study.done == 4)
    assert ("long", True) in told
    worker.pause(True)
    study.let.release(200)
    time.sleep(0.1)
    assert study.done == 4
    worker.pause(False)
    wait_for(lambda: ("long", False) in told)
    assert told[-2:] == [("show", "whole", True), ("long", False)]


@pytest.mark.parametrize("paused", [False, True])
def test_a_cancelled_run_leaves_what_was_computed(long_run, paused):
    worker, study, told = long_run
    study.let.release(3)
    wait_for(lambda: study.done == 4)
    worker.pause(paused)
    worker.cancel()
    study.let.release(1)
    wait_for(lambda: ("long", False) in told)
    assert told[-3:] == [("show", "partial 4", False), ("cancelled", 0.04, "partial 4"), ("long", False)]
    worker.ask({})  # and the next question is answered
    study.let.release(200)
    wait_for(lambda: ("show", "whole", True) in told)


def test_a_growing_answer_is_made_only_where_it_is_drawn(long_run, monkeypatch):
    worker, study, told = long_run
    monkeypatch.setattr(worker_module, "BETWEEN_PICTURES_S", PATIENCE_S)
    wait_for(lambda: study.done == 1)  # what was asked first has begun
    made = []

    def compute(inputs, progress):
        for study.done in range(1, 11):
            assert study.let.acquire(timeout=PATIENCE_S)
            progress(study.done / 10, lambda: made.append(study.done) or f"partial {study.done}")
        return "whole"

    study.compute = compute
    study.let.release(105)  # what was asked first, and half of this
    wait_for(lambda: ("show", "whole", True) in told)
    worker.ask({"again": 1})
    wait_for(lambda: study.done == 6)
    worker.cancel()
    study.let.release(1)
    wait_for(lambda: ("cancelled", 0.6, "partial 6") in told)
    assert made == [6]


def test_a_growing_answer_that_cannot_be_made_is_said_and_the_next_question_is_answered(long_run, monkeypatch):
    worker, study, told = long_run
    monkeypatch.setattr(worker_module, "BETWEEN_PICTURES_S", PATIENCE_S)
    wait_for(lambda: study.done == 1)  # what was asked first has begun
    whole, refused = study.compute, partial(require, False, "no part of it can be shown")
    study.compute = lambda inputs, progress: whole(inputs, lambda share, growing: progress(share, refused))
    study.let.release(100)
    wait_for(lambda: ("show", "whole", True) in told)
    worker.ask({"again": 1})
    study.let.release(1)
    wait_for(lambda: study.done == 2)
    worker.cancel()
    study.let.release(1)
    wait_for(lambda: ("fail", "no part of it can be shown") in told)
    study.compute, told[:] = whole, []
    worker.ask({})
    study.let.release(200)
    wait_for(lambda: ("show", "whole", True) in told)


def test_a_cancelled_run_leaves_what_was_drawn_last_and_says_its_share(long_run):
    worker, study, told = long_run
    study.drawn = (2,)
    study.let.release(3)
    wait_for(lambda: study.done == 4)
    worker.cancel()
    study.let.release(1)
    wait_for(lambda: ("long", False) in told)
    assert told[-3:] == [("show", "partial 2", False), ("cancelled", 0.02, "partial 2"), ("long", False)]


def test_a_newer_question_ends_a_pause(long_run):
    worker, study, told = long_run
    worker.pause(True)
    study.let.release(200)
    time.sleep(0.05)
    assert study.done == 1
    worker.ask({})
    wait_for(lambda: ("show", "whole", True) in told)
    assert not any(what == "cancelled" for what, *_ in told)


def test_an_error_inside_a_study_reaches_the_page():
    class Broken:
        name = "broken"
        inputs = staticmethod(dict)

        def compute(self, inputs, progress):
            raise MemoryError

    told = threading.Event()
    messages = []
    worker = Worker(
        Broken(),
        lambda callback: callback(),
        None,
        lambda text: (messages.append(text), told.set()),
        lambda share: None,
    )
    worker.ask({})
    assert told.wait(PATIENCE_S)
    worker.stop()
    assert messages == ["MemoryError"]


class Estimated(Steps):
    """`Steps` with a formula, which answers at once."""

    name = "estimated"

    def __init__(self):
        super().__init__()
        self.estimated = []

    def estimate(self, inputs):
        self.estimated.append(inputs)
        return f"by formula {inputs}"


@pytest.fixture
def dragged(monkeypatch):
    """A worker on `Estimated`, and what it drew: ("formula" or "show", value)."""
    monkeypatch.setattr(worker_module, "REST_S", 30.0)  # a drag ends by being released
    study, told = Estimated(), []
    study.inputs = lambda values: values["number"]
    worker = Worker(
        study,
        lambda callback: callback(),
        lambda inputs, result, final: told.append(("show", inputs, result)),
        lambda text: told.append(("fail", text)),
        lambda share: None,
        estimated=lambda inputs, result: told.append(("formula", inputs, result)),
    )
    yield worker, study, told
    worker.stop()
    study.let.release(2000)


def test_a_drag_shows_the_formula_at_once_and_the_simulation_on_release(dragged):
    worker, study, told = dragged
    worker.ask({"number": 1}, moving=True)
    wait_for(lambda: told == [("formula", 1, "by formula 1")])
    time.sleep(0.05)
    assert study.done == 0  # nothing is simulated while it moves
    worker.release()
    study.let.release(100)
    wait_for(lambda: told[-1] == ("show", 1, "whole"))


def test_a_slider_that_is_held_still_counts_as_released(dragged, monkeypatch):
    monkeypatch.setattr(worker_module, "REST_S", 0.05)
    worker, study, told = dragged
    study.let.release(100)
    worker.ask({"number": 1}, moving=True)
    wait_for(lambda: told[-1:] == [("show", 1, "whole")])


def test_of_a_fast_drag_the_answer_that_stays_belongs_to_the_last_place(dragged):
    worker, study, told = dragged
    study.let.release(2000)
    places = np.random.default_rng(5).integers(0, 50, 400).tolist()
    for place in places:
        worker.ask({"number": place}, moving=True)
        if place % 7 == 0:
            worker.release()
    worker.release()
    wait_for(lambda: told[-1:] == [("show", places[-1], "whole")])
    time.sleep(0.1)
    assert told[-1] == ("show", places[-1], "whole")  # no formula comes late


def test_a_formula_does_not_wait_for_a_simulation_that_takes_its_time_to_stop(dragged):
    worker, study, told = dragged
    worker.ask({"number": 1})
    wait_for(lambda: study.done == 1)  # it stands in the middle of a step
    worker.ask({"number": 2}, moving=True)
    wait_for(lambda: ("formula", 2, "by formula 2") in told)
    study.let.release(100)
    worker.release()
    study.let.release(100)
    wait_for(lambda: told[-1] == ("show", 2, "whole"))
    assert not any(inputs == 1 for what, inputs, *_ in told)


def test_a_fault_in_a_formula_leaves_the_simulation(dragged):
    worker, study, told = dragged
    study.estimate = worker._estimate = lambda inputs: 1 / 0
    study.let.release(100)
    worker.ask({"number": 3}, moving=True)
    worker.release()
    wait_for(lambda: told == [("show", 3, "whole")])
