"""What is remembered: by value, never by name, within a bound, once among threads."""

import inspect
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import pagecost.studies  # noqa: F401  so that all of them have registered
from pagecost import catalogue, remembering
from pagecost.devices import disk as disks
from pagecost.oltp import loads
from pagecost.remembering import MEMORY, REMEMBERED, Memory, held_bytes, remembered

ENGINE = Path(remembering.__file__).parent
OF_FILES = {"catalogue", "catalogue_tables", "device_files", "papers", "ledger", "fitted", "changes"}
NAMES_OF_WHAT_CAN_CHANGE = {"device", "devices", "trace", "source", "path", "file", "load", "disk", "system"}


@pytest.mark.parametrize("function", REMEMBERED, ids=lambda function: f"{function.__module__}.{function.__qualname__}")
def test_nothing_is_remembered_by_the_name_of_what_can_change(function):
    for name, parameter in inspect.signature(function).parameters.items():
        assert parameter.annotation is not inspect.Parameter.empty, f"{name} needs a type"
        if name in NAMES_OF_WHAT_CAN_CHANGE:
            assert parameter.annotation not in (str, "str"), f"{name} is a name, not a value"


def test_nothing_that_was_computed_is_kept_elsewhere():
    """One place bounds and empties what is remembered; `functools.cache` keeps what is read of the project's files."""
    for path in sorted(ENGINE.rglob("*.py")):
        if path.stem in OF_FILES or path.stem.startswith("_"):  # devices and papers by file; the kernels' own
            continue
        text = path.read_text("utf8")
        assert "lru_cache" not in text, path
        for match in re.finditer(r"@(?:functools\.)?cache\ndef \w+\((.*)\)", text):
            assert not match[1], f"{path}: {match[0]} keeps an answer for each {match[1]}"


def test_forgetting_reaches_what_models_remember_and_what_runs_share():
    disk = disks.Disk.of(catalogue.device("wd400bb"))
    assert disk.mechanics() is disk.mechanics()
    load = loads.tpcc(transactions=10)
    assert loads.tpcc(transactions=10) is load
    remembering.forget()
    assert len(MEMORY) == MEMORY.held_bytes == 0
    assert loads.tpcc(transactions=10) is not load


def test_what_runs_share_is_of_any_size_and_only_the_latest():
    calls = []

    @remembering.shared(2)
    def pages(number: int) -> np.ndarray:
        calls.append(number)
        return np.zeros(number)

    for number in (1, 2, 1, 3, 1, 2):
        pages(number)
    assert calls == [1, 2, 3, 2]
    assert len(remembering.SHARED.pop(pages)) == 2
    assert REMEMBERED.pop() is pages


def test_what_runs_share_outlives_its_owner_while_somebody_keeps_it():
    with remembering.keeping_shared():
        with remembering.keeping_shared():
            load = loads.tpcc(transactions=10)
        remembering.forget_shared()  # as a study does at its end
        assert loads.tpcc(transactions=10) is load
        remembering.forget()  # as one does who changed a constant of the engine
        other = loads.tpcc(transactions=10)
        assert other is not load
    assert loads.tpcc(transactions=10) is not other


def test_an_array_that_answers_and_their_questions_share_is_counted_once_and_as_long_as_one_holds_it():
    memory, array = Memory(20_500), np.zeros(1000)

    class Load:  # a question by identity, as a long load is
        def __init__(self):
            self.page = array

    load = Load()
    for number in range(3):
        memory.answer((load, number), lambda: array[:10])
    assert 8000 < memory.held_bytes < 9000
    memory.answer(("other",), lambda: np.zeros(1400))
    assert len(memory) == 4
    memory.answer(("third",), lambda: np.zeros(100))  # of the array's holders two are still there
    assert (len(memory), memory.held_bytes > 19_200) == (4, True)


def test_an_answer_is_computed_once_and_given_again():
    asked = []
    memory = Memory(10_000)
    for _ in range(3):
        assert memory.answer(("a", 1), lambda: asked.append(1) or "found") == "found"
    assert len(asked) == 1
    memory.forget()
    assert len(memory) == memory.held_bytes == 0
    memory.answer(("a", 1), lambda: asked.append(1) or "found")
    assert len(asked) == 2


def test_what_was_not_asked_for_longest_is_forgotten_first():
    memory = Memory(3 * 8000 + 1000)
    for number in range(3):
        memory.answer((number,), lambda: np.zeros(1000))
    memory.answer((0,), lambda: pytest.fail("it is remembered"))
    memory.answer((3,), lambda: np.zeros(1000))
    assert memory.held_bytes <= memory.limit_bytes
    asked = []
    memory.answer((0,), lambda: asked.append(0))
    memory.answer((1,), lambda: asked.append(1))
    assert asked == [1]


def test_an_answer_that_alone_is_too_large_is_given_and_not_kept():
    memory = Memory(1000)
    assert memory.answer(("large",), lambda: np.zeros(1000)).size == 1000
    assert len(memory) == 0


def test_two_threads_that_want_the_same_answer_compute_it_once():
    memory, computed, both = Memory(1000), [], threading.Barrier(4)

    def ask():
        both.wait()
        return memory.answer(("slow",), compute)

    def compute():
        computed.append(1)
        time.sleep(0.05)
        return 7

    with ThreadPoolExecutor(4) as pool:
        assert [future.result() for future in [pool.submit(ask) for _ in range(4)]] == [7] * 4
    assert len(computed) == 1


def test_a_computation_that_fails_is_asked_again():
    memory = Memory(1000)
    with pytest.raises(ValueError, match="not yet"):
        memory.answer(("x",), _fail)
    assert memory.answer(("x",), lambda: 5) == 5


def _fail():
    raise ValueError("not yet")


def test_the_bytes_of_an_answer_are_those_of_its_arrays_each_counted_once():
    @dataclass
    class Run:
        times_s: np.ndarray
        again: np.ndarray
        parts: dict

    times = np.zeros(10_000)
    held = held_bytes(Run(times, times, {"half": times[:5000], "other": np.zeros(100, np.uint8)}))
    assert 80_100 <= held < 82_000


def test_a_changed_device_is_another_key_and_an_equal_one_the_same():
    asked = []

    @remembered
    def access_s(device: catalogue.Device) -> float:
        asked.append(device)
        return device.value("average_seek_read_s")

    disk = catalogue.device("wd400bb")
    access_s(disk)
    assert access_s(catalogue.load(catalogue.root()).device("wd400bb")) == disk.value("average_seek_read_s")
    assert len(asked) == 1
    assert access_s(disk.replaced("average_seek_read_s", 0.001)) == 0.001
    REMEMBERED.pop()
    MEMORY.forget()
