"""Waits of who asks for one page after the other, against queues in plain Python; plans against runs."""

from collections import deque

import numpy as np
import pytest

from pagecost import planner, studies, system
from pagecost.answers import path_goals
from pagecost.planner import finalists, space, waits

RANDOM = 7


def queue(busy: float, visits: np.ndarray, devices: int) -> tuple[np.ndarray, np.ndarray]:
    """Waits of each visit, and of all visits of each transaction: services of 1 s, each visit to a device at random."""
    random = np.random.default_rng(RANDOM)
    transactions, most = visits.size, int(visits.max())
    came_s = random.exponential(visits.mean() / (busy * devices), transactions).cumsum()
    where = random.integers(devices, size=(transactions, most))
    lines: list[deque] = [deque() for _ in range(devices)]
    free_s = [0.0] * devices
    waited = np.full((transactions, most), np.nan)
    done, at = [0] * transactions, 0
    while at < transactions or any(lines):
        starts = [max(free_s[d], lines[d][0][0]) if lines[d] else np.inf for d in range(devices)]
        device = int(np.argmin(starts))
        if at < transactions and came_s[at] <= starts[device]:
            lines[where[at, 0]].append((came_s[at], at))
            at += 1
            continue
        asked_s, who = lines[device].popleft()
        waited[who, done[who]] = starts[device] - asked_s
        free_s[device] = starts[device] + 1.0
        done[who] += 1
        if done[who] < visits[who]:
            lines[where[who, done[who]]].append((free_s[device], who))
            lines[where[who, done[who]]] = deque(sorted(lines[where[who, done[who]]]))
    return waited[~np.isnan(waited)], np.nansum(waited, axis=1)


@pytest.mark.parametrize("busy", [0.3, 0.6])
@pytest.mark.parametrize("visits", [1, 4, 20])
def test_who_comes_back_for_the_next_page_waits_as_counted_one_by_one(busy, visits):
    """Constant services, geometrically many for each: exact, and so many waits are known to 5 %. They are half as long
    as exponential ones where nobody comes back, and nearly as long where most do."""
    waited, _ = queue(busy, np.random.default_rng(1).geometric(1 / visits, 200_000 // visits), 1)
    again = waits.feedback_variation(np.array(0.0), np.array(1 - 1 / visits))
    found = waits.servers_wait(np.array(busy), np.array(1.0), np.array(1), again)
    assert float(found.wait_s) == pytest.approx(waited.mean(), rel=0.06)


@pytest.mark.parametrize(("busy", "visits", "devices"), [(0.5, 10, 1), (0.7, 20, 1), (0.5, 20, 2), (0.5, 20, 4)])
def test_all_waits_of_a_transaction_vary_as_counted_one_by_one(busy, visits, devices):
    """The deviation within a fifth. As if each visit found other company, it would be a half or less on one device."""
    waited, of_all = queue(busy, np.full(8_000, visits), devices)
    stays = (visits + of_all.mean()) * (1 - busy) ** 2 / (visits / 2)
    found = waits.visits_wait_variance(np.array(visits), np.array(waited.var()), np.array(devices), np.array(stays))
    assert float(np.sqrt(found)) == pytest.approx(of_all.std(), rel=0.2)
    if devices == 1:
        assert np.sqrt(visits * waited.var()) < 0.5 * of_all.std()


def test_one_visit_varies_as_one_wait_does():
    assert float(
        waits.visits_wait_variance(np.array(1.0), np.array(2.5), np.array(4), np.array(1e-9))
    ) == pytest.approx(2.5)
    assert float(waits.visits_wait_variance(np.array(0.0), np.array(2.5), np.array(4), np.array(1.0))) == 0


@pytest.mark.parametrize("busy", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("together", [0, 1, 2, 3])
def test_the_longest_of_several_waits_is_that_of_waits_drawn_at_random(busy, together):
    random = np.random.default_rng(RANDOM)
    drawn = random.exponential(3.0, (3, 400_000)) * (random.random((3, 400_000)) < busy)
    wait = waits.Wait(np.array(busy), np.array(3.0 * busy), np.array(1.0), np.array(0.0))
    longer = drawn[: max(together, 1)].max(axis=0).mean() - 3.0 * busy
    assert float(waits.longest_wait_beyond(wait, np.array(together))) == pytest.approx(longer, abs=0.02)


@pytest.mark.parametrize("busy", [0.3, 0.8])
def test_who_waits_for_a_writer_waits_as_counted_one_by_one(busy):
    """Writes of 1 or 3 s, by Lindley's recursion; a mean of 400 000 is known to 2 %."""
    random = np.random.default_rng(RANDOM)
    write_s = random.choice([1.0, 3.0], 400_000)
    gap_s = random.exponential(2.0 / busy, 400_000)
    waited, each = 0.0, np.empty(400_000)
    for at in range(each.size):
        each[at] = waited
        waited = max(waited + write_s[at] - gap_s[at], 0.0)
    mean, variance = waits.writer_wait(np.array(busy / 2.0), np.array(2.0), np.array(1.0))
    assert float(mean) == pytest.approx(each.mean(), rel=0.04)
    assert float(variance) == pytest.approx(each.var(), rel=0.3)  # as of exponential waits
    assert float(waits.writer_wait(np.array(0.6), np.array(2.0), np.array(1.0))[0]) == np.inf


@pytest.mark.parametrize(("busy", "wait_s"), [(0.0, 0.0), (0.3, 0.01), (0.9, 0.02), (0.9, 0.2)])
def test_at_its_capacity_a_writer_never_rests(busy, wait_s):
    rate_hz, write_s = 20.0, 0.01
    full = float(waits.writer_utilisation(np.array(rate_hz), np.array(write_s), np.array(wait_s), np.array(busy)))
    times = 1 / full  # the rate so many times as high
    longer_s = wait_s * (1 - busy) * times / (1 - busy * times)
    assert rate_hz * times * (write_s + longer_s) == pytest.approx(1.0)
    assert float(waits.writer_utilisation(np.array(0.0), np.array(write_s), np.array(wait_s), np.array(busy))) == 0
    assert float(waits.writer_utilisation(np.array(rate_hz), np.array(write_s), np.array(np.inf), np.array(1.7))) == 1.7


def tpcc(rate_hz: float) -> system.System:
    """30 warehouses at a rate of transactions."""
    return system.System(
        load=system.Load(source="tpc-c", warehouses=30, transaction_rate_hz=rate_hz, volume_bytes=6e10),
        memory=system.Memory(page_bytes=8192),
        processors=system.Processors(servers=4),
        targets=system.Targets(response_s=10.0),
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "group",
    [
        "1*wd800aajs:raid-0",
        "4*wd800aajs:raid-0",
        "4*wd800aajs:raid-1",
        "4*wd800aajs:raid-5",
        "8*wd800aajs:raid-6",
        "1*intel-x25-m-g2-80gb:raid-0",
        "2*intel-x25-m-g2-80gb:raid-0",
    ],
)
@pytest.mark.parametrize("log", ["/log=1*wd800aajs:raid-0", ""], ids=["log apart", "together"])
@pytest.mark.parametrize("full", [0.3, 0.6])
def test_plans_answer_by_formula_as_in_runs_of_what_comes_at_random(group, log, full):
    """TPC-C: the mean within 12 % (six runs know it to 5), of 95 % within 30, for tails are of a gamma distribution.
    As if pages were asked for at random and not one after the other, means were 0.52 to 0.95 of runs at 0.6."""
    plan = f"database={group}{log}/buffer=8192"
    rate_hz = 1.0
    for _ in range(3):  # waits for the log's writer do not grow as the rate does
        asked = planner.candidates_of(plan, tpcc(rate_hz))
        rate_hz = full * float(planner.search(asked).screened.capacity_hz[0])
    found = planner.figures_of_one(asked, plan, runs=6).plan
    assert found.value("response_s") == pytest.approx(found.value("simulated_response_s"), rel=0.12)
    assert found.value("percentile_s") == pytest.approx(found.value("simulated_percentile_s"), rel=0.3)


def test_the_rarest_transactions_are_simulated_too():
    """Once in 11 days: a warm-up of a thousand of them would be longer than a run may be. Nobody waits for anybody."""
    plan = "database=1*intel-x25-m-g2-80gb:raid-0/buffer=8192"
    found = planner.figures_of_one(planner.candidates_of(plan, tpcc(1e-6)), plan, runs=1).plan
    assert found.value("simulated_response_s") == pytest.approx(found.value("response_s"), rel=0.1)


@pytest.mark.long
def test_a_plan_and_a_goal_say_the_same_of_the_same_system():
    """`path_goal` asks how much a path can do, a plan what it answers at a rate: one path, one stream of transactions.
    Within 5 %, for so many runs; as long as those of plans came from users who waited, they were a tenth apart."""
    rate_hz, seeds = 8.0, range(1, 5)
    goal = studies.find("path_goal").inputs(
        {
            "load": "tpc-c",
            "warehouses": 30,
            "devices": ("wd800aajs",),
            "count": 4,
            "volume_bytes": 6e10,
            "frames": 8192,
            "page_bytes": 8192,
            "transaction_s": 0.005,
            "processors": 4,
            "connections": 1000,
            "scheduler": "noop",
            "group_size": 1,
            "fill": finalists.FILL,
            "measured": finalists.MEASURED,
        }
    )
    of_goal = [path_goals.ran(goal.path("wd800aajs"), 0.95, rate_hz, seed).mean_s for seed in seeds]
    plan = "database=4*wd800aajs:raid-0/buffer=8192"
    asked = tpcc(rate_hz)
    found = planner.search(planner.candidates_of(plan, asked))
    parts = space.parts_of(plan)
    of_plan = [
        finalists.measured(finalists.case_of(parts, found.asked, asked, found.numbers, seed)).response_s
        for seed in seeds
    ]
    assert np.mean(of_plan) == pytest.approx(np.mean(of_goal), rel=0.05)


@pytest.mark.parametrize("drives", [1, 4])
def test_a_log_of_its_own_is_as_busy_as_its_writes_make_it(drives):
    """Its one writer waits for no page: the devices of the database, however busy, are not his."""
    log_device = "samsung-970-pro-1tb"
    code = f"database={drives}*wd800aajs:raid-0/log=1*{log_device}:raid-0/buffer=4096"
    rate_hz = 8.0 * drives
    wanted = planner.candidates_of(
        code,
        system.System(
            load=system.Load(source="tpc-c", warehouses=2, transaction_rate_hz=rate_hz),
            candidates=system.Candidates(devices=("wd800aajs", log_device), counts=(1, 4)),
        ),
    )
    found = planner.search(wanted)
    n, at = found.numbers, list(found.numbers.devices).index(log_device)
    write_s = n.log_s[at] + n.log_delay_s[at]
    assert found.screened.busy["database"][0] > 0.2
    assert found.screened.busy["log"][0] == pytest.approx(n.rate_hz * n.updates * write_s, rel=0.01)
