"""Disks driven request by request: laws, published figures, queueing theory, and a plain-Python twin.

What they rest on: docs/models/disk.md#what-the-tests-drive.
"""

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import catalogue, requests
from pagecost.devices.disk import (
    SCHEDULERS,
    BufferedSession,
    Disk,
    Geometry,
    Session,
    Zone,
    joined,
    open_wait_s,
    random_requests,
    run,
)
from pagecost.devices.disk.geometry import skew
from pagecost.devices.disk.running import TERMS
from pagecost.devices.disk.seek import Constant, fitted
from pagecost.devices.disk.theory import shortest_wait_s, sorted_batch_distance
from pagecost.errors import ModelError
from twins.disk import PICKS, closed

MS = 1e-3
DISK = Disk.of(catalogue.device("wd400bb"))


def random_lbn(disk, count, sectors=8, seed=1, span=1.0):
    return np.random.default_rng(seed).integers(0, int(disk.geometry.sectors * span) // sectors, count) * sectors


def made(rpm=7200, read_ms=8.5, write_ms=9.5, media=80e6, overhead_ms=0.2) -> Disk:
    """A disk of docs/models/disk.md#random-requests: one zone, no skews, Lee's curve with the given average."""
    hz = rpm / 60
    track = round(media / hz / 512)
    zone = Zone(cylinders=30_000, track_sectors=track)
    curve, _ = fitted(30_000, read_ms * MS, 0.1 * read_ms * MS, 1.9 * read_ms * MS)
    return Disk(
        name="made",
        geometry=Geometry(heads=4, zones=(zone,), sectors=30_000 * 4 * track),
        rotation_hz=hz,
        curve=curve,
        write_settle_s=(write_ms - read_ms) * MS,
        overhead_s=overhead_ms * MS,
    )


# docs/models/disk.md#random-requests: queue depth 1, random 4 KB, overhead 0.2 ms, 80 MB/s
@pytest.mark.parametrize(
    ("rpm", "seek_ms", "write", "iops"),
    [
        (5400, 12.0, 0, 56),
        (7200, 8.5, 0, 77),
        (7200, 8.5, 1, 72),
        (10_000, 4.5, 0, 129),
        (10_000, 3.8, 0, 142),
        (15_000, 3.5, 0, 174),
    ],
)
def test_random_4_kb_requests_one_at_a_time_run_as_the_table_says(rpm, seek_ms, write, iops):
    disk = made(rpm, seek_ms, seek_ms + 1.0)
    lbn = random_lbn(disk, 50_000)
    assert Session(disk).serve(lbn, 8, np.full(lbn.size, write)).throughput == pytest.approx(iops, rel=0.03)


@pytest.mark.parametrize("name", ["wd400bb", "hp-97560", "cheetah-15k5"])
def test_the_mean_rotational_wait_is_half_a_turn(name):
    """1 %: the standard error of 100 000 uniform waits is 0.18 %."""
    disk = Disk.of(catalogue.device(name))
    served = Session(disk).serve(random_lbn(disk, 100_000), 8)
    assert served.terms["rotation_s"].mean() == pytest.approx(disk.turn_s / 2, rel=0.01)


@pytest.mark.parametrize("name", ["wd400bb", "hp-97560", "cheetah-15k5", "wd800aajs"])
@pytest.mark.parametrize("write", [False, True])
def test_mean_terms_agree_with_the_closed_form(name, write):
    disk = Disk.of(catalogue.device(name))
    for span in (1.0, 0.05):
        theory = random_requests(disk, int(disk.geometry.sectors * span), 8, write=write)
        lbn = random_lbn(disk, 100_000, span=span)
        served = Session(disk).serve(lbn, 8, np.full(lbn.size, write))
        for term, mean in theory.mean_s.items():
            assert served.terms[term].mean() == pytest.approx(mean, rel=0.01, abs=1e-5), term
        assert served.service_s.var() == pytest.approx(theory.variance_s2, rel=0.02)
        assert served.cylinders_per_request == pytest.approx(theory.distance, rel=0.01)
        assert theory.mean_s["rotation_s"] == disk.turn_s / 2


def test_the_analytic_hard_disk_is_the_same_disk():
    """HardDisk spreads requests evenly over cylinders and takes one media rate: 1 % apart."""
    disk = made()
    theory = random_requests(disk, disk.geometry.sectors, 8)
    assert disk.twin().service("random read", 4096).total_s == pytest.approx(theory.service_s, rel=0.003)
    assert DISK.twin().service("random read", 4096).total_s == pytest.approx(
        random_requests(DISK, DISK.geometry.sectors, 8).service_s, rel=0.01
    )


@pytest.mark.parametrize("name", ["wd400bb", "cheetah-15k5"])
def test_a_long_read_runs_at_the_zones_rate_less_skews(name):
    """Within 2 % of the catalogue's rate, outside and inside; the media rate without switches is never reached."""
    device = catalogue.device(name)
    disk = Disk.of(device)
    table, count = disk.geometry.table(), 200_000
    rates = []
    for zone, stated in ((0, "outer_media_bytes_per_s"), (-1, "inner_media_bytes_per_s")):
        served = Session(disk).serve([int(table[zone, 0])], count)
        rates.append(count * 512 / (served.elapsed_s - disk.overhead_s))
        skewed = disk.geometry.zones[zone]
        heads, turn = disk.geometry.heads, disk.turn_s
        switches = ((heads - 1) * skewed.track_skew + skewed.cylinder_skew) / heads / skewed.track_sectors * turn
        assert rates[-1] == pytest.approx(skewed.track_sectors * 512 / (turn + switches), rel=0.02)
        assert rates[-1] == pytest.approx(device.value(stated), rel=0.02)
        assert rates[-1] < skewed.track_sectors * 512 / turn
    stated = device.value("inner_media_bytes_per_s") / device.value("outer_media_bytes_per_s")
    assert rates[1] / rates[0] == pytest.approx(stated, rel=0.02)


def test_back_to_back_requests_without_overhead_lose_no_turn():
    disk = dataclasses.replace(DISK, overhead_s=0.0)
    whole = Session(disk).serve([0], 64_000).elapsed_s
    assert Session(disk).serve(64 * np.arange(1000), 64).elapsed_s == pytest.approx(whole, rel=1e-6)


@pytest.mark.parametrize("think_ms", [0.0, 0.5, 3.0])
def test_sequential_writes_with_a_pause_cost_a_turn_each(think_ms):
    """Without a write cache the next sector has just passed: a turn less the pause, then the transfer."""
    zone = Zone(cylinders=100, track_sectors=1000)
    disk = Disk(
        name="toy",
        geometry=Geometry(heads=1, zones=(zone,), sectors=100_000),
        rotation_hz=100.0,
        curve=Constant(5 * MS),
        overhead_s=0.1 * MS,
    )
    period, lbn = 10 * MS + 0.08 * MS, 8 * np.arange(100)
    first = Session(disk).serve(lbn[:1], 8, [1]).elapsed_s
    finish = first + period * np.arange(100)
    arrival = np.concatenate([[0], finish[:-1] + think_ms * MS])
    served = Session(disk, closed=False).serve(lbn, 8, np.ones(100), arrival)
    assert arrival + served.response_s == pytest.approx(finish)


def mixed(disk, count, seed=3):
    random = np.random.default_rng(seed)
    sectors = random.choice([1, 8, 64, 3000], count, p=[0.2, 0.5, 0.2, 0.1])
    last = disk.geometry.sectors - 3000
    lbn = np.where(random.random(count) < 0.1, random.integers(0, 4000, count), random.integers(0, last, count))
    lbn[count // 2 :: 7] = (lbn + sectors)[count // 2 - 1 : -1 : 7][: lbn[count // 2 :: 7].size]
    return lbn, sectors, random.random(count) < 0.4


@pytest.mark.parametrize("scheduler", PICKS)
@pytest.mark.parametrize("depth", [1, 5])
def test_the_plain_python_twin_agrees(scheduler, depth):
    lbn, sectors, write = mixed(DISK, 250)
    twin = closed(DISK, list(zip(lbn.tolist(), sectors.tolist(), write.tolist(), strict=True)), PICKS[scheduler], depth)
    served = Session(DISK, scheduler, depth).serve(lbn, sectors, write)
    assert served.number.tolist() == [number for number, _ in twin]
    assert served.response_s == pytest.approx([response for _, response in twin], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("scheduler", PICKS)
def test_the_plain_python_twin_agrees_where_many_ask_for_the_same_sector(scheduler):
    """Of equally near requests the oldest is served first."""
    lbn = np.random.default_rng(5).integers(0, 6, 200) * 40_000
    twin = closed(DISK, [(int(each), 8, False) for each in lbn], PICKS[scheduler], 12)
    served = Session(DISK, scheduler, 12).serve(lbn, 8, np.zeros(200, bool))
    assert served.number.tolist() == [number for number, _ in twin]


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("is_closed", [True, False])
def test_requests_and_time_are_conserved_and_a_run_in_pieces_is_the_same_run(scheduler, is_closed):
    """Every `serve` also checks Little's law, the utilisation law and the clock."""
    count, depth = 2000, 16
    lbn, sectors, write = mixed(DISK, count)
    arrival = np.cumsum(np.random.default_rng(5).exponential(1 / 60, count))
    whole = Session(DISK, scheduler, depth, is_closed).serve(lbn, sectors, write, arrival)
    session, cuts = Session(DISK, scheduler, depth, is_closed), [0, 1, 3, 500, 511, count]
    pieces = [
        session.serve(lbn[at:to], sectors[at:to], write[at:to], arrival[at:to], last=to == count)
        for at, to in itertools.pairwise(cuts)
    ]
    again = joined(pieces)
    assert (again.number == whole.number).all()
    assert (again.table == whole.table).all()
    assert np.unique(whole.number).size == whole.size
    assert whole.size == count
    assert (whole.table >= -1e-12).all()
    assert whole.response_s == pytest.approx(sum(whole.terms[term] for term in TERMS))
    assert whole.mean_in_system == pytest.approx(whole.throughput * whole.response_s.mean(), rel=0.02)
    assert whole.utilisation == pytest.approx(whole.throughput * whole.service_s.mean(), rel=1e-9)
    if is_closed:
        assert whole.utilisation == pytest.approx(1.0)
        full = Session(DISK, scheduler, depth).serve(lbn, sectors, write, last=False)
        assert full.mean_in_system == pytest.approx(depth)
        assert full.size == (count if scheduler == "fcfs" else count - depth + 1)
        assert (full.number == whole.number[: full.size]).all()
        assert (full.table == whole.table[: full.size]).all()


@pytest.mark.parametrize(("made", "scheduler"), [*((Session, name) for name in SCHEDULERS), (BufferedSession, "fcfs")])
def test_a_closed_run_answers_every_request_and_the_session_goes_on_from_there(made, scheduler):
    lbn, sectors, write = mixed(DISK, 300)
    whole = made(DISK, scheduler, 32).serve(lbn[:100], sectors[:100], write[:100])
    assert sorted(whole.number.tolist()) == list(range(100))
    session = made(DISK, scheduler, 32)
    begun = session.serve(lbn[:100], sectors[:100], write[:100], last=False)
    again = joined([begun, session.serve([], [], last=True)])
    assert (again.number == whole.number).all()
    assert again.table == pytest.approx(whole.table, rel=1e-12, abs=1e-12)
    assert again.area_s == pytest.approx(whole.area_s)
    later = session.serve(lbn[100:], sectors[100:], write[100:])
    assert sorted(later.number.tolist()) == list(range(100, 300))
    assert later.terms["queue_s"].min() == 0.0


def test_a_run_can_be_had_in_the_order_of_its_requests():
    lbn, sectors, write = mixed(DISK, 400)
    finished = Session(DISK, "sptf", 16).serve(lbn, sectors, write)
    asked = finished.in_order()
    assert asked.number.tolist() == list(range(400))
    assert finished.number.tolist() != list(range(400))
    assert (asked.table[finished.number] == finished.table).all()
    transfer_s = sectors / np.array([zone.track_sectors for zone in DISK.geometry.zones]).max() * DISK.turn_s
    assert (asked.terms["transfer_s"] >= 0.999 * transfer_s).all()
    assert asked.throughput == finished.throughput


def throughput(scheduler, depth, count=20_000):
    return Session(DISK, scheduler, depth).serve(random_lbn(DISK, count), 8).throughput


def test_positioning_time_beats_the_elevator_and_the_elevator_beats_the_order_of_arrival():
    fcfs, c_look, sptf = (throughput(name, 16) for name in ("fcfs", "c-look", "sptf"))
    assert sptf > 1.15 * c_look
    assert c_look > 1.3 * fcfs


def test_the_order_of_arrival_gains_nothing_from_a_deeper_queue_and_positioning_time_does():
    fcfs = [throughput("fcfs", depth) for depth in (1, 4, 16, 64)]
    assert fcfs == pytest.approx([fcfs[0]] * 4, rel=1e-9)
    for scheduler in ("sptf", "sstf", "look", "c-look"):
        rates = [throughput(scheduler, depth) for depth in (1, 2, 4, 8, 16, 32, 64)]
        assert rates == sorted(rates), scheduler
        assert rates[0] == pytest.approx(fcfs[0], rel=1e-3)
    assert 2.0 <= rates_at_32() <= 2.7


def rates_at_32() -> float:
    """docs/models/disk.md#schedulers: SPTF at depth 32 of a 7200 rpm disk gains about 2 to 2.5 times."""
    return throughput("sptf", 32) / throughput("fcfs", 1)


def test_ageing_shortens_the_slowest_responses_and_costs_throughput():
    aged, plain = (Session(DISK, name, 32).serve(random_lbn(DISK, 20_000), 8) for name in ("aged-sptf", "sptf"))
    assert aged.percentile(0.99) < 0.6 * plain.percentile(0.99)
    assert aged.throughput < plain.throughput
    without = Session(DISK, "aged-sptf:weight=0", 32).serve(random_lbn(DISK, 20_000), 8)
    assert (without.number == plain.number).all()


def test_scan_goes_to_the_edge_and_look_does_not():
    scan, look = (Session(DISK, name, 8).serve(random_lbn(DISK, 5000, span=0.5), 8) for name in ("scan", "look"))
    assert scan.cylinders_per_request > look.cylinders_per_request
    assert look.throughput > scan.throughput


def test_deadline_prefers_reads_and_lets_no_write_wait_for_ever():
    lbn, write = random_lbn(DISK, 20_000), np.random.default_rng(4).random(20_000) < 0.3
    served = Session(DISK, "deadline", 32).serve(lbn, 8, write)
    response = served.response_s
    wrote = write[served.number]
    assert np.median(response[wrote]) > np.median(response[~wrote])
    assert response.max() < 8.0


@pytest.mark.parametrize("scheduler", ["sstf", "look", "c-look"])
def test_a_sorted_batch_moves_the_arm_by_n_over_q_plus_1(scheduler):
    disk, batch = made(), 15
    distances = []
    for seed in range(400):
        session = Session(disk, scheduler, batch, closed=False)
        distances.append(
            session.serve(random_lbn(disk, batch, seed=seed), 8, None, np.zeros(batch)).cylinders_per_request
        )
    expected = sorted_batch_distance(disk.geometry.cylinders, batch)
    assert np.mean(distances) == pytest.approx(expected, rel=0.02)


def test_the_first_of_q_sectors_of_a_cylinder_comes_round_in_a_turn_over_q_plus_1():
    zone = Zone(cylinders=2, track_sectors=100_000)
    disk = Disk(
        name="ring", geometry=Geometry(heads=1, zones=(zone,), sectors=200_000), rotation_hz=120.0, curve=Constant(MS)
    )
    waits = []
    for seed in range(1500):
        lbn = np.random.default_rng(seed).integers(0, 100_000, 7)
        waits.append(Session(disk, "sptf", 7, closed=False).serve(lbn, 1, None, np.zeros(7)).terms["rotation_s"][0])
    assert np.mean(waits) == pytest.approx(shortest_wait_s(disk.turn_s, 7), rel=4 * 0.9 / 1500**0.5)


@pytest.mark.parametrize(("hz", "load"), [(120.0, 0.5), (120.0, 0.8), (1e5, 0.7)])
def test_poisson_arrivals_wait_as_pollaczek_and_khinchine_say(hz, load):
    """A seek of one length makes services independent: M/G/1; at 10⁵ turns a second the service is constant: M/D/1.

    Twenty batches; three standard errors, so that one run in 400 would fail, and the seeds are fixed.
    """
    zone = Zone(cylinders=20_000, track_sectors=1000)
    disk = Disk(
        name="even",
        geometry=Geometry(heads=1, zones=(zone,), sectors=20_000_000),
        rotation_hz=hz,
        curve=Constant(6 * MS),
    )
    theory = random_requests(disk, disk.geometry.sectors, 8)
    rate, count = load / theory.service_s, 400_000
    if hz > 1e4:
        assert theory.squared_variation < 1e-3
    arrival = np.cumsum(np.random.default_rng(7).exponential(1 / rate, count))
    served = Session(disk, closed=False).serve(random_lbn(disk, count, seed=8), 8, None, arrival)
    batches = served.terms["queue_s"].reshape(20, -1).mean(axis=1)
    error = batches.std(ddof=1) / 20**0.5
    wait = open_wait_s(theory.service_s, theory.squared_variation, rate)
    assert batches.mean() == pytest.approx(wait, abs=3 * error)
    assert error < 0.02 * wait
    assert served.utilisation == pytest.approx(load, rel=0.01)


def test_the_waiting_formula_has_the_published_values():
    """docs/models/transactions.md#queues: s = 1, load 0.8: R = 3, 5, 11 for C² = 0, 1, 4."""
    assert [1 + open_wait_s(1.0, squared, 0.8) for squared in (0, 1, 4)] == pytest.approx([3, 5, 11])
    assert open_wait_s(1.0, 0.5, 0.0, 0.5) == 0
    with pytest.raises(ModelError, match=r"a load in .0, 1.; got 1"):
        open_wait_s(1.0, 1.0, 1.0)
    with pytest.raises(ModelError, match="more than 0 and at most 1; got 0"):
        open_wait_s(1.0, 1.0, 0.5, 0.0)


@settings(max_examples=25, deadline=None)
@given(
    scheduler=st.sampled_from(list(SCHEDULERS)),
    depth=st.integers(1, 12),
    is_closed=st.booleans(),
    seed=st.integers(0, 2**20),
    count=st.integers(0, 200),
)
def test_any_stream_is_served_once_each_under_the_laws(scheduler, depth, is_closed, seed, count):
    lbn, sectors, write = mixed(DISK, count + 20, seed)
    arrival = np.sort(np.random.default_rng(seed).random(count + 20) * count * 8 * MS)
    served = Session(DISK, scheduler, depth, is_closed).serve(lbn, sectors, write, arrival)
    assert np.unique(served.number).size == served.size
    if not is_closed:
        assert served.size == count + 20
        assert (served.table[:, 0] >= -1e-12).all()


def page_requests(count=1000) -> requests.Requests:
    return requests.Requests(
        arrival_s=np.arange(count) * 0.02,
        op=np.resize(np.array([requests.READ, requests.WRITE, requests.READ, requests.TRIM], np.uint8), count),
        page=random_lbn(DISK, count) // 8,
        pages=np.ones(count, np.int32),
        stream=np.zeros(count, np.int16),
        page_bytes=4096,
    )


def test_page_requests_are_served_in_chunks_that_can_be_cancelled(monkeypatch):
    monkeypatch.setattr("pagecost.devices.disk.running.CHUNK", 100)
    shares = []
    served = run(DISK, page_requests(), "sptf", depth=8, closed=False, progress=lambda *at: shares.append(at))
    assert served.size == 750, "trims are left out"
    assert shares[-1] == (750, 750)
    assert len(shares) == 8

    def cancel(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(DISK, page_requests(), progress=cancel)


def test_skews_are_switches_rounded_up():
    assert skew(1 * MS, 100.0, 1000) == 100
    assert skew(1.001 * MS, 100.0, 1000) == 101
    assert skew(0.0, 100.0, 1000) == 0


def test_impossible_runs_are_refused_in_a_sentence():
    session = Session(DISK, closed=False)
    last = DISK.geometry.sectors - 1
    odd = dataclasses.replace(page_requests(8), page_bytes=1000)
    for wrong, sentence in [
        (lambda: Session(DISK, "lottery"), "unknown disk scheduler 'lottery'; known: fcfs, sstf"),
        (lambda: Session(DISK, depth=0), "1..65536 places; got 0"),
        (lambda: Session(DISK, "sptf:weight=1"), "disk scheduler sptf has no parameters; got 'weight=1'"),
        (lambda: Session(DISK).serve([last], 2), f"must lie in sectors 0..{last}; got {last + 1}"),
        (lambda: Session(DISK).serve([-8], 8), "wd400bb: requests must lie in sectors .*; got -8"),
        (lambda: Session(DISK).serve([0, 8], [8, 8, 8]), r"as many as lbn, \(2,\); got \(3,\)"),
        (lambda: Session(DISK).serve([0], 0), "at least one sector; got 0"),
        (lambda: Session(DISK).serve([0], 1, [2]), "write flags must be 0 or 1; got 2"),
        (lambda: session.serve([0], 8), "needs the arrival of every request"),
        (lambda: session.serve([0, 0], 8, None, [1.0, 0.5]), "arrivals must not fall"),
        (lambda: session.serve([0, 0], 8, None, [1.0]), "must have one length"),
        (lambda: session.serve([0, 0], [8], None, [1.0, 1.0]), "one number or as many as lbn"),
        (lambda: run(DISK, odd), "whole number of 512-byte sectors; got 1000 bytes"),
        (lambda: random_requests(DISK, 4, 8), "a span must be 8..78166015 sectors; got 4"),
    ]:
        with pytest.raises(ModelError, match=sentence):
            wrong()
