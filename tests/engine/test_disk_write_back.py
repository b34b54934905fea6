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


def slow_twin(requests, limit, bus_s, rest_s):
    """When each request (lbn, sectors, write, pause) is answered, and the sectors that are still held, step by step.

    held: sector -> when it came; what touches is one extent, as old as its oldest sector.
    """
    arm, host, held, on_arm, emptying, times = Arm(INSIDE), 0.0, {}, 0, False, []

    def extents():
        starts = [sector for sector in held if sector - 1 not in held]
        return [(first, next(n for n in range(1, len(held) + 1) if first + n not in held)) for first in starts]

    def write_back():
        oldest_first = sorted(extents(), key=lambda extent: min(held[extent[0] + n] for n in range(extent[1])))
        _, lbn, sectors, _ = sptf(arm, [(0, *extent, True) for extent in oldest_first])
        arm.serve(lbn, sectors, True)
        for sector in range(lbn, lbn + sectors):
            del held[sector]
        return sectors

    for lbn, sectors, write, pause in requests:
        ready = host + pause + DISK.overhead_s
        while held:
            if not emptying:
                if min(held.values()) + rest_s >= ready:
                    break
                emptying, arm.now = True, max(arm.now, min(held.values()) + rest_s)
            if arm.now >= ready:
                break
            on_arm = write_back()
            emptying = bool(held)
        on_arm = 0 if arm.now <= ready else on_arm
        wanted = range(lbn, lbn + sectors)
        if write:
            start = ready
            while len(held) + on_arm + sectors > limit:
                start, on_arm = max(start, arm.now), 0
                if len(held) + sectors > limit:
                    arm.now = arm.now if emptying else max(arm.now, start)
                    on_arm = write_back()
                    emptying = bool(held)
            host = start + sectors * bus_s
            for sector in wanted:
                held[sector] = held.get(sector, host)
        elif all(sector in held for sector in wanted):
            host = ready + sectors * bus_s
        else:
            arm.now = max(ready, arm.now)
            host = arm.serve(lbn, sectors, False)
        times.append(host)
    return times, len(held)


BLOCKS = st.tuples(st.integers(0, 12), st.integers(1, 3), st.booleans(), st.sampled_from((0.0, 0.004, 0.03)))


@settings(max_examples=60, deadline=None)
@given(st.lists(BLOCKS, min_size=1, max_size=40), st.integers(3, 9), st.sampled_from((0.0, 0.005, 0.1)), st.booleans())
def test_it_agrees_with_a_slow_twin(blocks, limit, rest_s, apart):
    """Blocks that touch and overlap, in places near each other or far apart."""
    requests = [(place * (390_000 if apart else 8), 8 * count, *rest) for place, count, *rest in blocks]
    lbn, sectors, write, pause_s = (np.array(column) for column in zip(*requests, strict=True))
    session = WriteBackSession(DISK, limit_bytes=limit * 4096, rest_s=rest_s)
    run = session.serve(lbn, sectors, write, pause_s=pause_s)
    times, held = slow_twin(requests, limit * 8, 512 / 100e6, rest_s)
    assert (run.response_s + pause_s).cumsum() == pytest.approx(times)
    assert session.held_bytes == held * 512


def test_what_rests_longer_is_written_less_often_and_a_sweep_positions_less():
    """The same thousand blocks again and again: a longer rest joins more of them, and the arm works less."""
    lbn = np.random.default_rng(3).integers(0, 1000, 4000) * 8
    runs = [WriteBackSession(DISK, rest_s=rest, pause_s=0.01).serve(lbn, 8) for rest in (0.0, 0.3, 3.0, 1e9)]
    working = [run.writing_s for run in runs]
    written = [run.written_bytes for run in runs]
    assert working == sorted(working, reverse=True)
    assert written == sorted(written, reverse=True)
    assert working[2] < 0.3 * working[0]
    assert written[-1] == 0, "4 MB never fill a cache of 8 MiB"


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 500), st.integers(1, 16), st.booleans()), min_size=1, max_size=60))
def test_every_write_is_written_back_joined_or_held(requests):
    lbn, sectors, write = (np.array(column) for column in zip(*requests, strict=True))
    session = WriteBackSession(DISK, limit_bytes=32 * 512)
    run = session.serve(lbn, sectors, write)
    assert np.count_nonzero(write) >= run.destaged + run.joined + session.extents  # two held extents may become one
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
        (lambda: WriteBackSession(DISK, pause_s=-1), "pause_s must not be negative; got -1"),
        (lambda: WriteBackSession(DISK, rest_s=-1), "rest_s must not be negative; got -1"),
        (lambda: WriteBackSession(DISK).serve([0], 8, pause_s=[-1.0]), "one pause per request, none negative"),
        (lambda: WriteBackSession(DISK, limit_bytes=4096).serve([0], 16), "holds 8 sectors; a write has 16"),
        (lambda: WriteBackSession(DISK).serve([-8], 8), "must lie in sectors"),
        (lambda: WriteBackSession(DISK).serve([0, 8], 8, arrival_s=[2.0, 1.0]), "must not fall"),
    ]:
        with pytest.raises(ModelError, match=sentence):
            wrong()
