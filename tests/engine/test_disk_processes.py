"""Processes that share a disk: who waits for a reader wins on a disk, and can only lose where nothing moves."""

import itertools

import numpy as np
import pytest

from pagecost import catalogue
from pagecost.devices.disk import HOSTS, Disk, Process, Session, queue_kernels, share
from pagecost.devices.disk.processes_kernels import BATCH, BATCH_OF, Crowd, pick_reads_first
from pagecost.errors import ModelError
from pagecost.studies.disk import disk_sharing

DISK = Disk.of(catalogue.device("wd400bb"))
FLAT = Disk.flat("flat", capacity_bytes=4e9, access_s=1e-4, bytes_per_s=250e6)
SECONDS = 20.0


def reader(pause_s=1e-3, disk=DISK, start=0):
    return Process(lbn=start + np.arange(20_000) * 128, sectors=128, pause_s=pause_s)


def writer(disk=DISK, outstanding=16):
    lbn = np.random.default_rng(1).integers(0, disk.geometry.sectors // 8, 5000) * 8
    return Process(lbn=lbn, sectors=8, write=True, outstanding=outstanding)


def test_with_anticipation_a_reader_keeps_four_fifths_of_its_rate_beside_a_writer():
    alone = share(DISK, [reader()], "noop", SECONDS).bytes_per_s[0]
    rates = {host: share(DISK, [reader(), writer()], host, SECONDS) for host in HOSTS}
    assert rates["anticipatory"].bytes_per_s[0] > 0.8 * alone
    assert rates["anticipatory"].won > 0.9 * rates["anticipatory"].waits > 0
    assert rates["anticipatory"].requests_per_s[1] > 0, "an overdue write gets its turn"
    for host in ("noop", "elevator"):
        assert rates[host].bytes_per_s[0] < 0.3 * alone
        assert rates[host].waits == 0


def test_where_nothing_moves_waiting_can_only_lose():
    for pause_s in (1e-4, 1e-3, 5e-3, 2e-2):
        totals = {}
        for host in HOSTS:
            run = share(FLAT, [reader(pause_s), writer(FLAT)], host, 5.0)
            totals[host] = run.requests_per_s.sum()
        assert totals["anticipatory"] <= 1.001 * totals["noop"]
        if 1e-3 <= pause_s <= 6e-3:
            assert totals["anticipatory"] < 0.8 * totals["noop"]
        elif pause_s > 6e-3:
            assert totals["anticipatory"] == pytest.approx(totals["noop"], rel=0.01), "it gives up waiting"


def test_nobody_waits_for_a_reader_who_thinks_too_long_or_jumps():
    slow = share(DISK, [reader(0.05), writer()], "anticipatory", SECONDS)
    assert slow.waits == 0
    places = np.random.default_rng(2).integers(0, DISK.geometry.sectors // 8, 5000) * 8
    far = share(DISK, [Process(lbn=places, sectors=8, pause_s=1e-3), writer()], "anticipatory", SECONDS)
    assert far.waits < 100, "a few, until its distance is known"


def test_a_single_process_runs_as_in_a_plain_session():
    lbn = np.random.default_rng(3).integers(0, DISK.geometry.sectors // 8, 3000) * 8
    for host in HOSTS:
        run = share(DISK, [Process(lbn=lbn, sectors=8)], host, 10.0)
        served = round(run.requests_per_s[0] * 10)
        plain = Session(DISK).serve(lbn[:served], 8)
        assert run.requests_per_s[0] == pytest.approx(plain.throughput, rel=0.02), host
        assert run.response_s[0] == pytest.approx(plain.response_s.mean(), rel=0.02)
        assert run.idle == 0


def test_each_process_goes_round_its_own_list_however_long_that_of_another_is():
    """Two places by turns, far apart: one after the other is never the same, so that every request moves the arm."""
    far = DISK.geometry.sectors - 8
    for length in (3, 5, 6):
        idle = Process(lbn=np.arange(length) * 8, sectors=8, pause_s=1e6)  # asks once
        two = Process(lbn=np.array([0, far]), sectors=8)
        alone = share(DISK, [two], "noop", SECONDS)
        beside = share(DISK, [two, idle], "noop", SECONDS)
        assert beside.requests_per_s[0] == pytest.approx(alone.requests_per_s[0], rel=0.01), length


@pytest.mark.parametrize("host", HOSTS)
def test_a_reader_gets_at_most_one_answer_in_each_pause_and_service(host):
    """Whenever the run ends: it begins with a pause, and no wait goes beyond its end."""
    least_s = 1.0 + 1e-4
    for seconds in (5.5, 6.0, 6.3, 20.0):
        run = share(FLAT, [reader(1.0), writer(FLAT, outstanding=256)], host, seconds, wait_s=1.0)
        assert run.requests_per_s[0] <= 1 / least_s, seconds
        alone = share(FLAT, [reader(1.0)], host, seconds)
        assert 1 / least_s - 1 / seconds <= alone.requests_per_s[0] <= 1 / least_s


def test_a_run_of_the_question_holds_many_pauses_of_its_reader():
    """One read more or less is 1 % of them at most."""
    for pause_s in (0.0, 1e-3, 2e-2, 0.5, 1.0):
        assert disk_sharing.seconds(disk_sharing.Inputs(pause_s=pause_s)) >= 100 * pause_s
    assert disk_sharing.seconds(disk_sharing.Inputs()) == 6.0
    assert disk_sharing.seconds(disk_sharing.Inputs(outstanding=256)) > 60


def test_noop_merges_requests_that_touch_and_serves_in_order():
    """A sequential writer with 32 outstanding: merged requests lose one turn together, not one each."""
    lbn = np.arange(30_000) * 8
    merged = share(DISK, [Process(lbn=lbn, sectors=8, write=True, outstanding=32)], "noop", 10.0)
    single = share(DISK, [Process(lbn=lbn, sectors=8, write=True)], "noop", 10.0)
    assert merged.merged > 0.9 * merged.requests_per_s[0] * 10
    assert single.merged == 0
    assert merged.bytes_per_s[0] > 10 * single.bytes_per_s[0]


def test_of_the_writes_that_are_overdue_the_oldest_begins_the_batch():
    """Wherever it stands: what leaves the queue gives its place to the last one."""
    for order in itertools.permutations(range(4)):
        queue = queue_kernels.new_queue(5)
        queue_kernels.put(DISK.mechanics(), queue, 0, 9, 9.0, 0, 8, 0)  # a read, which has just come
        for at, number in enumerate(order, start=1):
            queue_kernels.put(DISK.mechanics(), queue, at, number, 0.1 * number, 8 * (7 - number), 8, 1)
        queue.counts[queue_kernels.WAITING] = 5
        crowd = Crowd(*[np.zeros(5)] * len(Crowd._fields))  # of which the batch counts
        assert pick_reads_first(queue, 9.0, crowd) == 1 + order.index(0)
        assert crowd.totals[BATCH] == BATCH_OF - 1
        crowd.totals[BATCH] = 0.0
        assert pick_reads_first(queue, 5.0, crowd) == 0, "none is overdue"


def test_utilisation_and_littles_law_hold():
    run = share(DISK, [reader(), writer(outstanding=8)], "elevator", SECONDS)
    in_system = run.requests_per_s * run.response_s
    assert in_system[1] == pytest.approx(8, rel=0.02)
    assert in_system[0] == pytest.approx(1 - run.requests_per_s[0] * 1e-3, rel=0.02)
    assert run.idle == 0


def test_a_flat_device_takes_the_same_time_everywhere():
    lbn = np.random.default_rng(4).integers(0, FLAT.geometry.sectors // 8, 2000) * 8
    run = Session(FLAT).serve(lbn, 8)
    expected_s = 1e-4 + 4096 / 250e6
    assert run.service_s == pytest.approx(expected_s, abs=9 * FLAT.turn_s)
    ahead = Session(FLAT).serve(np.arange(2000) * 8, 8)
    assert ahead.throughput == pytest.approx(run.throughput, rel=0.02)


def test_bad_input_is_one_sentence():
    lbn = np.arange(8)
    for wrong, sentence in [
        (lambda: share(DISK, [], "noop", 1.0), "at least one process"),
        (lambda: share(DISK, [reader()], "cfq", 1.0), "cfq"),
        (lambda: share(DISK, [reader()], "noop", 0.0), "longer than nothing"),
        (lambda: share(DISK, [Process(lbn=lbn, sectors=0)], "noop", 1.0), "at least one sector"),
        (lambda: share(DISK, [Process(lbn=lbn[:0], sectors=1)], "noop", 1.0), "at least one place"),
        (lambda: share(DISK, [Process(lbn=lbn, sectors=1, outstanding=0)], "noop", 1.0), "got 0"),
        (lambda: share(DISK, [Process(lbn=-lbn, sectors=1)], "noop", 1.0), "must lie in sectors"),
        (lambda: Disk.flat("x", capacity_bytes=1e9, access_s=0, bytes_per_s=1e8), "access_s must be positive"),
    ]:
        with pytest.raises(ModelError, match=sentence):
            wrong()
