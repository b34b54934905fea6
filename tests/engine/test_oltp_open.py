"""The whole path under transactions that come by themselves: exact theory, laws, its SimPy twin.

It stands in docs/models/loop.md#arrivals.
"""

import dataclasses

import numpy as np
import pytest

from helpers.oltp_parts import of_pages, storage
from pagecost import oltp
from pagecost.errors import ModelError
from pagecost.intervals import batch_interval
from pagecost.oltp.setup import Buffer, Log, Processors, Setup
from pagecost.transactions.theory import wait_s
from pagecost.workload.debit_credit import DebitCredit
from pagecost.workload.tpcc import TpcC
from twins import queues
from twins.oltp import Twin

EACH_S = 2e-3
MISSES = np.arange(80_000) * 7919 % 100_003  # no page twice: every reference is read
LOAD = of_pages(MISSES, False, 1)
FREE = Processors(transaction_s=0.0)


def setup(rate_hz, users=500, **changes):
    """Transactions of one read each, as many connections as nobody ever waits for."""
    alike = {"processors": FREE, "log": None, "storage": storage(EACH_S)}
    return Setup(users=users, rate_hz=rate_hz, buffer=Buffer(frames=500), **alike | changes)


def many(setup, seeds=4, transactions=75_000):
    """(mean response, half width, runs) over seeds: near a full queue the batches of a single run are too alike."""
    made = [oltp.run(setup, LOAD, transactions=transactions, seed=seed) for seed in range(1, seeds + 1)]
    means = [run.response_s for run in made]
    return np.mean(means), max(2 * np.std(means, ddof=1) / seeds**0.5, 0.004 * np.mean(means)), made


# Exact theory


@pytest.mark.parametrize("load", [0.3, 0.7, 0.85])
@pytest.mark.parametrize(("law", "variation"), [("constant", 0.0), ("exponential", 1.0)])
def test_one_device_is_the_queue_of_pollaczek_and_khinchine(law, variation, load):
    rate_hz = load / EACH_S
    found_s, half_s, _ = many(setup(rate_hz, storage=storage(EACH_S, law=law)), seeds=12)
    exact_s = EACH_S + wait_s(rate_hz, EACH_S, 1, variation)
    assert abs(found_s - exact_s) < 2 * half_s
    assert found_s == pytest.approx(exact_s, rel=0.05)


@pytest.mark.parametrize("servers", [2, 5])
def test_several_servers_are_the_queue_of_erlang_and_so_is_the_percentile(servers):
    rate_hz = 0.8 * servers / EACH_S
    found_s, half_s, made = many(setup(rate_hz, storage=storage(EACH_S, law="exponential", servers=servers)))
    assert abs(found_s - EACH_S - wait_s(rate_hz, EACH_S, servers)) < 2 * half_s
    exact_s = queues.percentile_s(0.99, rate_hz, EACH_S, servers)
    assert np.mean([run.percentiles[99] for run in made]) == pytest.approx(exact_s, rel=0.05)


def test_a_single_connection_makes_the_whole_path_one_server():
    """Processor and device in a row, one transaction at a time: M/G/1 of their sum, and the wait is at the door."""
    rate_hz = 0.6 / (1e-3 + EACH_S)
    one = setup(rate_hz, users=1, processors=Processors(transaction_s=1e-3, law="constant"))
    found_s, half_s, made = many(one)
    exact_s = wait_s(rate_hz, 1e-3 + EACH_S, 1, 0.0)
    assert abs(found_s - exact_s - 1e-3 - EACH_S) < 2 * half_s
    for run in made:
        assert run.composition["entry_s"] == pytest.approx(run.response_s - 1e-3 - EACH_S, rel=1e-6)


def test_exponential_stations_in_a_row_do_not_know_of_each_other():
    """Jackson 1957: each is the queue that it would be alone, though a transaction comes to the processors twice."""
    both = setup(
        100.0,
        processors=Processors(servers=2, transaction_s=2 * 4e-3),
        storage=storage(EACH_S, law="exponential"),
    )
    found_s, half_s, _ = many(both)  # it computes before its reference and at its end, 4 ms each
    exact_s = 2 * (4e-3 + wait_s(200.0, 4e-3, 2)) + EACH_S + wait_s(100.0, EACH_S)
    assert abs(found_s - exact_s) < 2 * half_s


# Laws


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_below_its_capacity_what_comes_is_answered_and_littles_law_holds(share):
    parts = setup(share / EACH_S, processors=Processors(transaction_s=1e-3), users=100)
    made = oltp.run(parts, LOAD, transactions=60_000)
    assert made.tps == pytest.approx(parts.rate_hz, rel=0.02)
    inside = made.utilisation["processors"] + made.queue["processors"] + made.utilisation["device"]
    inside += made.queue["device"]
    assert inside == pytest.approx(made.tps * (made.response_s - made.composition["entry_s"]), rel=0.01)


def test_above_its_capacity_it_carries_what_users_without_a_pause_make_it_carry():
    closed = setup(0.0, users=30, processors=Processors(transaction_s=1e-3))
    most = oltp.run(closed, LOAD, transactions=20_000).tps
    over = oltp.run(dataclasses.replace(closed, rate_hz=2 * most), LOAD, transactions=20_000)
    assert over.tps == pytest.approx(most, rel=0.02)
    assert over.composition["entry_s"] > 10 * over.composition["read_s"]


TPCC = oltp.tpcc(TpcC(warehouses=2), transactions=3000)


@pytest.mark.parametrize(
    "parts",
    [
        Setup(users=8, rate_hz=12.0, buffer=Buffer(frames=300), storage=storage(), log=Log(storage=storage())),
        Setup(
            users=40,
            rate_hz=150.0,
            buffer=Buffer(frames=300, policy="cfdc"),
            processors=Processors(servers=2, io_s=1e-4, law="constant"),
            log=Log(group_size=4, group_wait_s=2e-3),
            page_cache=oltp.PageCache(pages=2000),
            checkpoint_interval_s=0.5,
            storage=oltp.Storage(drive=oltp.drive("intel-x25-e"), scheduler="anticipatory"),
        ),
        Setup(users=30, rate_hz=20.0, buffer=Buffer(frames=300, force=True), storage=storage(count=4, copies=2)),
    ],
    ids=["log apart", "all of it", "forced and mirrored"],
)
def test_what_comes_in_is_accounted_for_at_every_level_and_the_terms_add_up(parts):
    made = oltp.run(parts, TPCC, transactions=2000, fill=500)  # asserts both laws at every station
    assert sum(made.composition.values()) == pytest.approx(made.response_s, rel=1e-9)
    assert made.transactions == 2000
    assert made.requests["database", "read"] == made.counts["page reads"]
    handed, done = made.moved_bytes["file system", "write"], made.moved_bytes["device", "write"] / parts.storage.copies
    assert abs(handed - done) <= 100 * 4096 < 0.05 * done  # what waits at the end


def test_transactions_come_at_the_same_chances_whatever_the_rate():
    """With constant times nothing but the rate differs, so no percentile falls as it grows."""
    made = [oltp.run(setup(rate_hz), LOAD, transactions=20_000) for rate_hz in (100, 200, 300, 400, 450)]
    for percentile in (50, 95, 99):
        times_s = [run.percentiles[percentile] for run in made]
        assert times_s == sorted(times_s)
    assert made[0].seconds == pytest.approx(2 * made[1].seconds, rel=1e-3)


def test_what_was_measured_is_handed_on_one_by_one():
    simulation = oltp.Simulation(setup(300.0), LOAD)
    simulation.carry_on(transactions=1000)
    simulation.measure_from_here()
    simulation.carry_on(transactions=5000)
    assert simulation.responses_s.size == 5000
    assert simulation.responses_s.mean() == simulation.result().response_s


# The slow twin


@pytest.mark.parametrize(
    ("cached", "group_size", "users", "rate_hz"),
    [(0, 1, 60, 80.0), (1000, 5, 60, 110.0), (0, 5, 6, 110.0)],
    ids=["direct", "page cache and groups", "few connections"],
)
def test_the_open_system_agrees_with_its_slow_twin(cached, group_size, users, rate_hz):
    load = oltp.debit_credit(DebitCredit(branches=20, accounts_per_branch=2000), transactions=30_000)
    alike = {"users": users, "rate_hz": rate_hz}
    twin = Twin(
        load,
        **alike,
        processors=2,
        transaction_s=4e-3,
        frames=300,
        cache_pages=cached,
        devices=2,
        group_size=group_size,
        fill=3000,
        seed=2,
    )
    _, responses = twin.run(6000, 300)
    parts = Setup(
        **alike,
        processors=Processors(servers=2, transaction_s=4e-3),
        buffer=Buffer(frames=300),
        page_cache=oltp.PageCache(pages=cached, read_ahead_pages=0) if cached else None,
        log=Log(storage=storage(write_s=1e-3), group_size=group_size),
        storage=storage(count=2, stripe_bytes=4096),
    )
    made = oltp.run(parts, load, transactions=25_000, fill=3000)
    mean_s, half_s = batch_interval(responses)
    assert half_s < 0.06 * mean_s
    assert abs(made.response_s - mean_s) < 1.5 * (half_s + made.half_width_s)


# What cannot be


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"rate_hz": -1.0}, "a rate of arrivals must be above 0 a second"),
        ({"rate_hz": float("inf")}, "a rate of arrivals must be above 0 a second"),
        ({"rate_hz": float("nan")}, "a rate of arrivals must be above 0 a second"),
        ({"rate_hz": 10.0, "think_s": 1.0}, "transactions that come by themselves know no think time"),
    ],
)
def test_arrivals_that_cannot_be_are_refused(values, sentence):
    with pytest.raises(ModelError, match=sentence):
        Setup(storage=storage(), **values)
