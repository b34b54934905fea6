"""Work that nobody wants any more ends at its next cancellation point, in all of its threads, and leaves nothing."""

import threading
import time

import pytest

from pagecost import cancellation, remembering, studies
from pagecost.answers.workers import Dropped, side_by_side, workers
from pagecost.remembering import Memory

PATIENCE_S = 60.0
QUICK = {  # a question of each kind of simulation, small
    "buffer_size": {},
    "cleaning_interval": {"seconds": 10.0, "runs": 1},
    "database_allocation": {},
    "disk_sharing": {},
    "read_write_mix": {},
    "ssd_queue_depth": {},
    "storage_plan": {},
    "wear_and_lifetime": {},
    "xml_writes": {},
}


class Enough(Exception):
    """Raised by whoever wants no more."""


def after(points: int):
    """(a check that raises from so many points on, how many there were, in a list)."""
    passed = [0]
    lock = threading.Lock()

    def check():
        with lock:
            passed[0] += 1
            if passed[0] > points:
                raise Enough

    return check, passed


def test_a_point_asks_everybody_around_it_and_nobody_afterwards():
    asked = []
    with cancellation.asked_by(lambda: asked.append("outer")):
        with cancellation.asked_by(lambda: asked.append("inner")):
            cancellation.point()
        cancellation.point()
    cancellation.point()
    assert asked == ["outer", "inner", "outer"]


def test_threads_beside_each_other_are_asked_by_who_asks_their_answer():
    check, passed = after(10**9)
    with cancellation.asked_by(check):
        list(side_by_side(lambda case: cancellation.point(), [1, 2, 3]))
    list(side_by_side(lambda case: cancellation.point(), [1, 2, 3]))
    assert passed == [3]


def test_what_runs_is_dropped_when_the_one_who_waits_is_interrupted():
    begun, ended = threading.Event(), []

    def endless():
        begun.set()
        try:
            while True:
                cancellation.point()
                time.sleep(0.001)
        except Dropped:
            ended.append(True)
            raise

    def interrupted():
        with workers() as pool:
            pool.submit(endless)
            assert begun.wait(PATIENCE_S)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert ended == [True]  # and the block was left only after it


def test_a_failure_of_one_drops_the_others(monkeypatch):
    monkeypatch.setattr("pagecost.answers.workers.processors", lambda: 2)
    begun = threading.Event()

    def work(case):
        if case == 0:
            assert begun.wait(PATIENCE_S)
            raise ValueError("the first")
        begun.set()
        while True:
            cancellation.point()
            time.sleep(0.001)

    with pytest.raises(ValueError, match="the first"):
        list(side_by_side(work, [0, 1]))


def test_nothing_is_remembered_of_what_was_cancelled():
    memory = Memory(1 << 20)

    def refuse():
        raise Enough

    with cancellation.asked_by(refuse), pytest.raises(Enough):
        memory.answer(("key",), lambda: 1)
    assert memory.answer(("key",), lambda: 2) == 2
    with cancellation.asked_by(refuse):  # what is there already is had without a point
        assert memory.answer(("key",), lambda: 3) == 2


def test_who_waits_for_what_another_computes_may_give_up_and_the_other_goes_on():
    memory, begun, done = Memory(1 << 20), threading.Event(), threading.Event()

    def slowly():
        begun.set()
        assert done.wait(PATIENCE_S)
        return 1

    owner = threading.Thread(target=memory.answer, args=(("key",), slowly))
    owner.start()
    assert begun.wait(PATIENCE_S)
    check, passed = after(3)
    with cancellation.asked_by(check), pytest.raises(Enough):
        memory.answer(("key",), lambda: 2)
    assert passed == [4]
    assert owner.is_alive()
    done.set()
    owner.join(PATIENCE_S)
    assert memory.answer(("key",), lambda: 3) == 1


@pytest.mark.long
@pytest.mark.parametrize("name", QUICK)
def test_a_study_ends_where_it_is_cancelled_and_answers_alike_afterwards(name, monkeypatch):
    monkeypatch.setattr(remembering, "POINTS_EVERY_S", PATIENCE_S)  # or who waits for others would be asked by chance
    study = studies.find(name)
    inputs = study.inputs(QUICK[name])
    remembering.forget()
    check, passed = after(10**9)
    with cancellation.asked_by(check):
        whole = study.compute(inputs)
    points = passed[0]
    assert points >= 10, "so few points leave much between them"
    for stop_at in (0, points // 3, points - 1):
        remembering.forget()
        check, passed = after(stop_at)
        with cancellation.asked_by(check), pytest.raises(Enough):
            study.compute(inputs)
        again = study.compute(inputs)
        assert again.csv() == whole.csv()


@pytest.mark.timed
@pytest.mark.parametrize("name", ["device_fit", "path_lifetime", "ssd_or_disks", "ssd_queue_depth", "whole_path"])
def test_an_answer_that_is_not_wanted_ends_within_moments(name):
    study = studies.find(name)
    inputs = study.Inputs()
    study.compute(inputs)  # its kernels are loaded
    late_s = []
    for wait_s in (0.05, 0.2, 0.4, 0.8):
        remembering.forget()
        over_s = time.monotonic() + wait_s

        def check(over_s=over_s):
            if time.monotonic() > over_s:
                raise Enough

        with cancellation.asked_by(check), pytest.raises(Enough):
            study.compute(inputs)
        late_s.append(time.monotonic() - over_s)
    assert sorted(late_s)[2] < 0.1, late_s  # as a slider has
