"""A write buffer that is full (docs/models/transactions.md#write-buffers): its formula against a queue that is run,
and against runs of the system."""

import dataclasses
import heapq
import math

import numpy as np
import pytest

from pagecost import studies
from pagecost.answers.transaction_runs import estimated
from pagecost.errors import ModelError
from pagecost.studies.transactions import log_allocation
from pagecost.transactions import debit_credit, rahm, simulate
from pagecost.transactions.parameters import Computer, DiskUnit
from pagecost.transactions.theory import estimate, wait_s
from pagecost.transactions.write_buffers import RARE, finds_full, load_with, never_full, present
from pagecost.workload.debit_credit import DebitCredit


def queue_at_work(load: float, servers: int, pages: int, share: float, customers: int = 400_000) -> tuple[float, float]:
    """(chance that a write finds all pages taken, mean time that any write loses by it), in mean services."""
    random = np.random.default_rng(1)
    arrivals = np.cumsum(random.exponential(1 / (load * servers), customers)).tolist()
    services, writes = random.exponential(1.0, customers).tolist(), (random.random(customers) < share).tolist()
    free, held = [0.0] * servers, []  # when servers are free, and when pages are
    full = lost = 0.0
    for now, service, write in zip(arrivals, services, writes, strict=True):
        end = max(now, heapq.heappop(free)) + service
        heapq.heappush(free, end)
        while held and held[0] <= now:
            heapq.heappop(held)
        if write and len(held) == pages:
            full, lost = full + 1, lost + end - now
        elif write:
            heapq.heappush(held, end)
    return full / sum(writes), lost / sum(writes)


@pytest.mark.parametrize(
    ("load", "servers", "pages", "share"),
    [
        *((load, 1, pages, 1.0) for load in (0.3, 0.6, 0.9) for pages in (1, 2, 4, 16)),
        *((0.9, 4, pages, 1.0) for pages in (1, 4, 16)),
        *((0.8, 2, pages, 0.4) for pages in (1, 2, 6)),
        (0.95, 1, 40, 1.0),
    ],
)
def test_who_finds_the_buffer_full_loses_what_a_queue_at_work_says(load, servers, pages, share):
    """The order in which they stand is not known to the chain: it finds it full a little too often, by up to 0.04, and
    the time lost is within 6 % of the mean response of the disks. The queue itself is run for 3 % of that."""
    full, lost = queue_at_work(load, servers, pages, share)
    found, times = finds_full(load, servers, pages, share)
    response = present(load, servers) / (load * servers)
    assert found == pytest.approx(full, abs=0.045)
    assert found * times * response == pytest.approx(lost, abs=0.09 * response)


@pytest.mark.parametrize("servers", [1, 3, 400])
def test_customers_of_a_load_and_the_load_of_customers(servers):
    for load in (0.1, 0.7, 0.99):
        assert present(load, servers) == pytest.approx(load * servers * (1 + wait_s(load * servers, 1.0, servers)))
        assert load_with(present(load, servers), servers) == pytest.approx(load)


@pytest.mark.parametrize("servers", [1, 2, 5, 40])
@pytest.mark.parametrize("load", [0.01, 0.3, 0.7, 0.9, 0.97])
def test_a_buffer_that_the_bound_calls_large_enough_is_never_found_full(load, servers):
    """And the bound is no idle one: some hundred pages are enough before a few disks at any of these loads."""
    customers = present(load, servers)
    for pages in (1, 2, 5, 10, 50, 200, 1000):
        assert not never_full(customers, servers, pages) or finds_full(load, servers, pages) == (0.0, 1.0)
    assert servers > 5 or never_full(customers, servers, servers + math.ceil(math.log(RARE) / math.log(0.975)))


def test_a_buffer_is_full_at_most_as_often_as_so_many_are_there_and_always_where_the_disk_is():
    for load in (0.2, 0.5, 0.8, 0.97):
        chances = [finds_full(load, 1, pages)[0] for pages in (1, 2, 3, 5, 8, 13, 21, 60, 500)]
        assert all(0 <= chance <= load**pages for chance, pages in zip(chances, (1, 2, 3, 5, 8, 13, 21), strict=False))
        assert chances == sorted(chances, reverse=True)
    assert finds_full(0.99999, 1, 1)[0] > 0.99
    assert finds_full(0.9999, 1000, 10)[0] > 0.99
    assert finds_full(0.5, 1, 1000) == (0.0, 1.0)
    assert finds_full(0.5, 1, 1, share=0.0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ((1.0, 1, 1), "the load of a disk must be 0 <= load < 1; got 1.0"),
        ((0.5, 1, 0), "a disk and a page are needed at least; got 1 and 0"),
        ((0.5, 1, 1, 1.5), "a share of writes must lie within 0..1; got 1.5"),
    ],
)
def test_bad_values_are_refused_in_a_sentence(values, sentence):
    with pytest.raises(ModelError, match=sentence):
        finds_full(*values)


def of_study(log: str, pages: int, rate_hz: float, disks: int):
    """(formula, run) of a point of `log_allocation` without locks, whose waits are in no formula."""
    inputs = studies.find("log_allocation").Inputs(
        write_buffer_pages=pages, log_disks=disks, account_locks="none", branch_locks="none"
    )
    case = log_allocation.case_of(inputs, log, rate_hz)
    run = simulate(case.system, case.transactions.load(), rate_hz=rate_hz, least=80_000, most=80_000)
    return estimated(case), run


@pytest.mark.parametrize("log", ["disk cache write buffer", "NVEM write buffer"])
@pytest.mark.parametrize("pages", [1, 2, 4, 16, 1000])
@pytest.mark.parametrize(("rate_hz", "disks"), [(50.0, 1), (150.0, 1), (400.0, 4)])
def test_a_commit_takes_what_a_run_says_however_small_the_write_buffer_of_the_log(log, pages, rate_hz, disks):
    """With one page at 150 transactions a second the formula said 41.4 ms, the run 59. 3 % or the run's interval."""
    formula, run = of_study(log, pages, rate_hz, disks)
    assert formula.response_s == pytest.approx(run.response_s, rel=0.03, abs=run.half_width_s)


PLAIN = dict.fromkeys(rahm.LOCKING, "none")
DATABASE, LOG = DiskUnit(name=rahm.DATABASE, disks=16), rahm.log_disk(4)
BUFFERED, FORCED = {"log": "disk cache write buffer"}, {"computer": Computer(force=True)}
SYSTEMS = {
    "constant times": ({**BUFFERED, "computer": Computer(disk_law="constant")}, 150.0),
    "mirrored": ({**BUFFERED, "log_unit": dataclasses.replace(LOG, copies=2)}, 250.0),
    "parity": ({**BUFFERED, "log_unit": dataclasses.replace(LOG, reads_old=True)}, 250.0),
    "of the database": (
        {"database": "disk cache write buffer", "log": "nvem", "computer": Computer(force=True)},
        150.0,
    ),
    "of both, in NVEM": ({"database": "NVEM write buffer", "log": "NVEM write buffer", **FORCED}, 120.0),
}


@pytest.mark.parametrize("pages", [1, 4, 16])
@pytest.mark.parametrize("name", SYSTEMS)
def test_other_disks_behind_a_write_buffer_lose_as_much_within_six_percent(name, pages):
    """Measured: 5.0 % for one buffer before two units, 3.1 % for constant times, 2.9 % for the database's."""
    options, rate_hz = SYSTEMS[name]
    system = rahm.system(**{"database_unit": DATABASE} | options, write_buffer_pages=pages, locking=PLAIN)
    load = debit_credit(DebitCredit(), transactions=90_000)
    run = simulate(system, load, rate_hz=rate_hz, least=60_000, most=60_000)
    assert estimate(system, load, rate_hz).response_s == pytest.approx(run.response_s, rel=0.06, abs=run.half_width_s)


def test_the_response_rises_without_end_towards_the_rate_at_which_the_log_disk_is_full():
    inputs = studies.find("log_allocation").Inputs(write_buffer_pages=1)
    found = [
        estimated(log_allocation.case_of(inputs, "disk cache write buffer", rate)).response_s
        for rate in (1.0, 100.0, 150.0, 190.0, 199.0, 200.0)
    ]
    assert found == sorted(found)
    assert math.isfinite(found[-2])
    assert math.isinf(found[-1])
