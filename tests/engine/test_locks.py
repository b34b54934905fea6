"""Locks alone (docs/models/transactions.md#a-transaction): every answer is that of a search in the graph of who waits
for whom, and a hot spot stays cheap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost.interpreted import Interpreter
from pagecost.transactions import locks_kernels
from pagecost.transactions.locks_kernels import EXCLUSIVE, SHARED, new_locks
from twins.locks import Twin

PLAIN = Interpreter({}).plain(locks_kernels)
ANSWERS = {locks_kernels.LOCKED: "locked", locks_kernels.WAITS: "waits", locks_kernels.DEADLOCK: "deadlock"}


def released(locks, owner) -> list[int]:
    ready = np.zeros(locks.held.size, np.int64)
    with np.errstate(over="ignore"):
        count = PLAIN.release_all(locks, owner, ready, 0)
    return ready[:count].tolist()


def acquired(locks, owner, key, mode) -> str:
    with np.errstate(over="ignore"):
        return ANSWERS[PLAIN.acquire(locks, owner, key, mode)]


@st.composite
def schedules(draw):
    """(owners, what happens): (owner, key, mode), or (owner, None, None) who gives everything back."""
    owners, keys = draw(st.integers(2, 9)), draw(st.integers(1, 5))
    asks = st.tuples(st.integers(0, owners - 1), st.integers(0, keys - 1), st.sampled_from([SHARED, EXCLUSIVE]))
    ends = st.tuples(st.integers(0, owners - 1), st.none(), st.none())
    return owners, draw(st.lists(st.one_of(asks, asks, asks, asks, ends), max_size=80))


@given(schedules())
def test_every_answer_is_that_of_a_search_in_the_whole_graph(drawn):
    owners, happens = drawn
    locks, twin, waiting = new_locks(owners, 5), Twin(), set()
    denied = deadlocks = 0
    for owner, key, mode in happens:
        if owner in waiting:
            continue  # who waits asks for nothing
        if key is None:
            answer = "ended"
        else:
            answer = acquired(locks, owner, key, mode)
            assert answer == twin.acquire(owner, key, mode)
        if answer == "waits":
            waiting.add(owner)
        elif answer != "locked":  # at its end, and where it closed a circle, an owner gives everything back
            ready = released(locks, owner)
            assert len(ready) == len(set(ready))
            assert set(ready) == twin.release_all(owner) <= waiting
            waiting -= set(ready)
        denied += answer in ("waits", "deadlock")
        deadlocks += answer == "deadlock"
    assert locks.counts[1:].tolist() == [denied, deadlocks]


class Counted(np.ndarray):
    """An array that counts how often its items are read."""

    read = 0

    def __getitem__(self, place):
        Counted.read += 1
        return super().__getitem__(place)


def reads_of_the_last(users: int, modes: tuple[int, ...]) -> int:
    """Reads of requests for the verdict on the last of so many users who lock a page of their own, then the same one.

    The first has it, and the last has a page that another one waits for: so it might close a circle."""
    locks = new_locks(users, 3)
    locks = locks._replace(request=locks.request.view(Counted))
    for owner in range(users):
        acquired(locks, owner, owner, EXCLUSIVE)
    assert acquired(locks, 0, users, EXCLUSIVE) == "locked"
    for owner in range(2, users - 1):
        assert acquired(locks, owner, users, modes[owner % len(modes)]) == "waits"
    assert acquired(locks, 1, users - 1, EXCLUSIVE) == "waits"
    before = Counted.read
    assert acquired(locks, users - 1, users, modes[-1]) == "waits"
    return Counted.read - before


@pytest.mark.parametrize("modes", [(SHARED,), (EXCLUSIVE,), (SHARED, EXCLUSIVE)])
def test_the_search_for_a_circle_reads_each_waiting_request_a_few_times_however_many_wait(modes):
    """With one branch and 1000 users, each request was read by each who waits behind it: two minutes for a minute."""
    assert reads_of_the_last(200, modes) < 2.2 * reads_of_the_last(100, modes)
