"""The write-back cache: bimodal response, the arm's rate in the long run, sequential writes without a lost turn."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import catalogue
from pagecost.devices.disk import Disk, Session, WriteBackSession
from pagecost.errors import ModelError
from twins.disk import Arm, sptf

DISK = Disk.of(catalogue.device("wd400bb"))
INSIDE = dataclasses.replace(DISK, overhead_s=0.0)


def random_writes(count, seed=1):
    return np.random.default_rng(seed).integers(0, DISK.geometry.sectors // 8, count) * 8


def test_responses_are_bimodal_and_the_first_ones_cost_the_interface_only():
    session = WriteBackSession(DISK, limit_bytes=64 * 4096, interface_bytes_per_s=100e6)
    run = session.serve(random_writes(2000), 8)
    hit_s = DISK.overhead_s + 4096 / 100e6
    assert run.response_s[:60] == pytest.approx(hit_s)
    late = run.response_s[200:]
    assert np.median(late) > 10 * hit_s
    between = (run.response_s > 1.1 * hit_s) & (run.response_s < 1.5e-3)
    assert between.mean() < 0.1, "either the cache has room or the arm must work"


@pytest.mark.parametrize("held", [16, 64])
def test_in_the_long_run_writes_are_as_fast_as_the_drive_sorts_them(held):
    """A full cache is a closed queue of as many requests: SPTF at that depth, to 3 %."""
    run = WriteBackSession(DISK, limit_bytes=held * 4096).serve(random_writes(6000), 8)
    queue = Session(INSIDE, "sptf", held).serve(random_writes(6000), 8, np.ones(6000, bool))
    assert run.throughput == pytest.approx(queue.throughput, rel=0.03)
    alone = Session(DISK).serve(random_writes(6000), 8, np.ones(6000, bool))
    assert run.throughput > 1.3 * alone.throughput


def test_sequential_writes_with_pauses_lose_a_turn_each_without_a_cache_and_none_with_one():
    lbn = np.arange(4000) * 8
    paused = dataclasses.replace(DISK, overhead_s=DISK.overhead_s + 1e-4)
    bare = Session(paused).serve(lbn, 8, np.ones(lbn.size, bool))
    assert bare.elapsed_s / lbn.size == pytest.approx(DISK.turn_s, rel=0.02)
    cached = WriteBackSession(DISK, limit_bytes=2 << 20, pause_s=1e-4)
    run = cached.serve(lbn, 8)
    assert run.elapsed_s / lbn.size == pytest.approx(DISK.overhead_s + 1e-4 + 4096 / 100e6, rel=1e-6)
    assert run.joined > 0.5 * lbn.size


def test_a_pause_long_enough_hides_the_arm_and_a_flush_shows_it():
    session = WriteBackSession(DISK, limit_bytes=64 * 4096, pause_s=0.05)
    run = session.serve(random_writes(500), 8)
    assert (run.waited_s == 0).all()
    burst = WriteBackSession(DISK, limit_bytes=64 * 4096)
    burst.serve(random_writes(60), 8)
    waiting = burst.extents
    assert waiting > 50
    assert burst.flush() > waiting * 2e-3
    assert burst.held_bytes == burst.extents == 0
    assert burst.flush() == 0


def test_a_read_of_what_is_held_does_not_move_the_arm_and_another_one_waits_for_it():
    session = WriteBackSession(DISK, limit_bytes=1 << 20)
    lbn = random_writes(20)
    session.serve(lbn, 8)
    last = session.serve([lbn[-1]], 8, [False])
    assert last.read_hits == 1
    assert last.response_s[0] == pytest.approx(DISK.overhead_s + 4096 / 100e6)
    other = session.serve([DISK.geometry.sectors // 2], 8, [False])
    assert other.read_hits == 0
    assert other.response_s[0] > 1e-3


def slow_twin(disk, lbns, limit, bus_s):
    """Completion times of closed single-block writes, step by step."""
    arm, host, waiting, on_arm, times = Arm(INSIDE), 0.0, [], 0, []
    for lbn in lbns:
        ready = host + disk.overhead_s
        while waiting and arm.now < ready:
            on_arm = write_back(arm, waiting)
        if arm.now <= ready:
            on_arm = 0
        start = ready
        while len(waiting) + on_arm >= limit:
            start, on_arm = max(start, arm.now), 0
            if len(waiting) >= limit:
                on_arm = write_back(arm, waiting)
        host = start + bus_s
        if lbn not in waiting:
            if not waiting:
                arm.now = max(arm.now, host)
            waiting.append(lbn)
        times.append(host)
    return times


def write_back(arm, waiting):
    request = sptf(arm, [(0, lbn, 8, True) for lbn in waiting])
    waiting.remove(request[1])
    arm.serve(request[1], 8, True)
    return 1


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 200), min_size=1, max_size=40), st.integers(1, 6))
def test_it_agrees_with_a_slow_twin(blocks, limit):
    """Blocks far apart, so that none joins its neighbour."""
    lbns = [block * 390_000 for block in blocks]
    run = WriteBackSession(DISK, limit_bytes=limit * 4096).serve(lbns, 8)
    assert run.response_s.cumsum() == pytest.approx(slow_twin(DISK, lbns, limit, 4096 / 100e6))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 500), st.integers(1, 16), st.booleans()), min_size=1, max_size=60))
def test_every_write_is_written_back_joined_or_held(requests):
    lbn, sectors, write = (np.array(column) for column in zip(*requests, strict=True))
    session = WriteBackSession(DISK, limit_bytes=32 * 512)
    run = session.serve(lbn, sectors, write)
    assert np.count_nonzero(write) == run.destaged + run.joined + session.extents
    assert (run.response_s >= run.waited_s).all()
    assert (run.waited_s >= 0).all()
    assert session.held_bytes <= 32 * 512
    held = session.extents
    session.flush()
    assert session.extents == 0 <= held


def test_bad_input_is_one_sentence():
    for wrong, sentence in [
        (lambda: WriteBackSession(DISK, limit_bytes=100), "at least one sector; got 100 bytes"),
        (lambda: WriteBackSession(DISK, interface_bytes_per_s=0), "must be positive; got 0"),
        (lambda: WriteBackSession(DISK, pause_s=-1), "must not be negative; got -1"),
        (lambda: WriteBackSession(DISK, limit_bytes=4096).serve([0], 16), "holds 8 sectors; a write has 16"),
        (lambda: WriteBackSession(DISK).serve([-8], 8), "must lie in sectors"),
        (lambda: WriteBackSession(DISK).serve([0, 8], 8, arrival_s=[2.0, 1.0]), "must not fall"),
    ]:
        with pytest.raises(ModelError, match=sentence):
            wrong()
