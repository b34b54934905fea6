"""Goals of response times: the knee really holds with other seeds, a step above does not; arrays, buffers, money."""

import math
from dataclasses import replace

import numpy as np
import pytest

from pagecost import catalogue
from pagecost.answers import disk_runs, response_goals
from pagecost.answers.response_goals import Goal, capacity_hz, devices_for, judged, knee, percentile, response, served
from pagecost.devices import disk
from pagecost.errors import ModelError
from pagecost.studies import find

STUDY = find("response_goal")
CHEETAH, P3700 = "cheetah-15k5", "intel-dc-p3700-800gb"
DISK_GOAL = Goal(within_s=0.03, share=0.95, read_share=0.7)


def asked(**values):
    inputs = STUDY.inputs(values)
    result = STUDY.compute(inputs)
    return result, STUDY.explain(inputs, result)


def found() -> response_goals.Knee:
    return knee(catalogue.device(CHEETAH), DISK_GOAL)


def test_the_knee_holds_with_other_seeds_and_a_step_above_it_does_not():
    device, at = catalogue.device(CHEETAH), found()
    assert at.low_hz <= at.rate_hz <= at.high_hz <= at.capacity_hz
    assert at.monotone
    below = [response(device, DISK_GOAL, at.low_hz * 0.97, 64_000, seed) for seed in (11, 12, 13)]
    above = [response(device, DISK_GOAL, at.high_hz * 1.03, 64_000, seed) for seed in (11, 12, 13)]
    assert all(each.value_s <= DISK_GOAL.within_s for each in below)
    assert all(each.value_s > DISK_GOAL.within_s for each in above)


def test_the_formula_finds_the_knee_of_a_disk():
    """One arm, first come first served, is M/G/1 but for seeks of neighbours, which share a place."""
    at = found()
    assert at.formula_hz == pytest.approx(at.rate_hz, rel=0.03)  # what a bracket leaves


@pytest.mark.parametrize("name", disk_runs.disks())
@pytest.mark.parametrize("load", [0.1, 0.5, 0.8])
def test_percentiles_of_the_simulated_arm_are_those_of_the_formula(name, load):
    """Within the run's interval, or 4 % beside it: neighbouring seeks share a place, which M/G/1 leaves out."""
    device = catalogue.device(name)
    for share in (0.5, 0.95, 0.99):
        goal = Goal(share=share, read_share=0.7)
        formula = served(device, goal)
        rate_hz = load * formula.queue.capacity_hz
        run = response(device, goal, rate_hz, 64_000, 2)
        assert run.low_s * 0.96 <= formula.percentile_s(share, rate_hz) <= run.high_s * 1.04


def test_the_mean_wait_of_the_simulated_arm_is_that_of_pollaczek_and_khinchine():
    model, random = disk.Disk.of(catalogue.device(CHEETAH)), np.random.default_rng(3)
    queue = served(catalogue.device(CHEETAH), DISK_GOAL).queue
    rate_hz, count = 0.6 * queue.capacity_hz, 120_000
    lbn = random.integers(0, model.geometry.sectors // 8, count) * 8
    write = random.random(count) >= DISK_GOAL.read_share
    session = disk.Session(model, depth=65_536, closed=False)
    run = session.serve(lbn, 8, write, np.cumsum(random.exponential(1 / rate_hz, count)))
    load = rate_hz * queue.service_s
    kinds = [disk.random_requests(model, model.geometry.sectors, 8, write=write) for write in (False, True)]
    second_s2 = sum(
        share * (kind.service_s**2 + kind.variance_s2) for share, kind in zip((0.7, 0.3), kinds, strict=True)
    )
    mean_s = rate_hz * second_s2 / (2 * (1 - load))
    assert run.terms["queue_s"].mean() == pytest.approx(mean_s, rel=0.05)
    assert run.mean_in_system == pytest.approx(count / run.elapsed_s * run.response_s.mean(), rel=1e-6), "Little"


def test_what_no_device_can_do_for_ever_does_not_hold_however_short_the_run():
    device, goal = catalogue.device("mtron-pro-7500"), Goal(within_s=3000.0, read_share=0.0)
    most_hz = capacity_hz(device, 0.0, 4096, 1)
    assert judged(device, goal, most_hz * 1.2, 1)[1] is not True
    assert knee(device, goal).high_hz <= most_hz


def test_a_goal_shorter_than_a_lone_request_has_no_knee():
    at = knee(catalogue.device(CHEETAH), replace(DISK_GOAL, within_s=1e-3))
    assert at.low_hz == at.rate_hz == 0
    assert at.alone.low_s > 1e-3
    assert devices_for(100.0, at) == (0, 0, 0)


def test_devices_are_counted_by_the_rate_that_surely_holds():
    at = replace(found(), low_hz=90.0, rate_hz=100.0, high_hz=125.0)
    assert devices_for(1000.0, at) == (12, 10, 8)
    assert devices_for(90.0, at)[0] == 1


def test_a_percentile_has_the_interval_of_its_batches():
    """Of independent exponential times it covers the true percentile in about 95 of 100 cases."""
    random, true = np.random.default_rng(8), -math.log(0.05)
    inside = 0
    for _ in range(200):
        one = percentile(random.exponential(1.0, 10_000), 0.95)
        inside += one.low_s <= true <= one.high_s
    assert inside >= 180  # 200 trials at 0.95: below 180 has a chance of 1 in 1000
    assert percentile(random.exponential(1.0, 100), 0.999).high_s == math.inf, "too few to tell"


def test_the_least_number_that_holds_is_found():
    assert response_goals.least_that_holds(lambda number: number >= 37, 0, 100) == 37
    assert response_goals.least_that_holds(lambda number: False, 0, 100) is None
    assert response_goals.least_that_holds(lambda number: True, 5, 100) == 5


def test_so_many_drives_hold_and_one_less_does_not():
    result, said = asked(
        devices=(CHEETAH,),
        within_s=0.03,
        share=0.95,
        rate_hz=1500.0,
        prices=f"{CHEETAH}=300",
        watts=f"{CHEETAH}=10/14",
    )
    numbers, costs = result.tables["numbers"], result.tables["costs"]
    drives = int(numbers["count"][0])
    assert numbers["checked"][0] == "holds"
    least = int(numbers["count_low"][0])
    assert 1 < least <= drives
    goal = Goal(within_s=0.03, share=0.95, read_share=0.7)
    fewer = response(catalogue.device(CHEETAH), goal, 1500.0 / (least - 1), 64_000, 21)
    assert fewer.value_s > 0.03, "below the interval it does not hold"
    busy = 1500.0 / drives / result["capacity_hz"][0]
    assert costs["purchase_usd"][0] == drives * 300
    kwh = drives * (10 + 4 * busy) * 24 * 365 * 5 / 1000
    assert costs["energy_usd"][0] == pytest.approx(kwh * 0.15)
    assert result["verdict"][0] == ("holds" if costs["total_usd"][0] <= 10_000 else "over the budget")
    assert f"{drives} × " in said[0]


def test_an_impossible_goal_is_answered_with_the_nearest_possible():
    slow, said = asked(devices=(CHEETAH,), within_s=1e-4)
    assert slow["verdict"][0] == "slower even alone"
    assert "impossible with these drives, however many" in said[0]
    assert "numbers" not in slow.tables
    own = {"devices": (CHEETAH,), "within_s": 0.03, "prices": f"{CHEETAH}=300", "watts": f"{CHEETAH}=10/14"}
    dear, said = asked(**own, share=0.95, rate_hz=1500.0, budget_usd=900.0)
    assert dear["verdict"][0] == "over the budget"
    assert "nothing holds it all. The nearest is" in said[0]
    assert "within the budget" in said[0]
    unpriced, said = asked(devices=(CHEETAH,), within_s=0.03, share=0.95, rate_hz=1500.0)
    assert unpriced["verdict"][0] == "in time, cost not known"
    assert "give prices and watts" in said[0]


@pytest.mark.long
def test_the_goal_of_the_issue_is_met_by_one_drive():
    """p99 within 2 ms at 20,000 requests a second, 70 % reads, five years, 10,000 dollars."""
    result, said = asked(devices=(P3700,))
    assert result.facts["chosen"].value == P3700
    assert result.tables["numbers"]["count"][0] == 1
    assert "1 × Intel SSD DC P3700 800 GB" in said[0]
    wear = result.tables["wear"]
    years = 10 * 800e9 * 365 * 5 / (20_000 * 0.3 * 4096) / (365 * 86400)
    assert wear["worn_years"][0] == pytest.approx(years)


@pytest.mark.long
def test_a_larger_buffer_needs_less_of_the_drive_and_the_least_one_is_bracketed():
    own = {"devices": ("mtron-pro-7500",), "load": "sqlite-order-entry", "rate_hz": 300.0, "within_s": 0.05}
    small, _ = asked(**own, frames=128)
    large, said = asked(**own, frames=2048)
    assert small.facts["misses"].number > large.facts["misses"].number
    if "knee_hz" in large.columns:
        assert large["knee_hz"][0] > small["knee_hz"][0]
    else:
        assert "no drive decides" in said[0]
    buffers = small.tables["buffers"]
    assert 0 <= buffers["too_small"][0] < buffers["frames"][0]
    assert buffers["larger_hold"][0]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"within_s": 0}, "within_s"),
        ({"within_s": -1}, "within_s"),
        ({"rate_hz": 0}, "rate_hz"),
        ({"share": 1.0}, "share"),
        ({"budget_usd": -5}, "budget_usd"),
        ({"budget_usd": 1e13}, "budget_usd"),
        ({"devices": ("floppy",)}, "unknown drive with mechanics 'floppy'"),
        ({"devices": ("samsung-970-pro-1tb",)}, "cannot stand here: only mean times are known of it"),
        ({"prices": "cheetah-15k5=-1"}, "prices: write cheetah-15k5=AMOUNT"),
        ({"load": "nothing-there"}, "nothing-there"),
        ({"price_per_kwh": -1}, "price_per_kwh"),
    ],
)
def test_bad_goals_are_refused_in_a_sentence(values, sentence):
    with pytest.raises(ModelError, match=sentence) as refused:
        STUDY.inputs(values)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"within_s": 0.0}, "the goal of a response time must be above 0 s; got 0 s"),
        ({"within_s": math.nan}, "the goal of a response time"),
        ({"share": 1.0}, "a percentile's share must lie between 0 and 1"),
        ({"read_share": 2.0}, r"the share of reads must be 0\.\.1"),
        ({"read_share": 0.0, "reads_only": True}, "a goal for reads needs reads"),
    ],
)
def test_a_goal_that_cannot_be_is_refused(values, sentence):
    with pytest.raises(ModelError, match=sentence):
        Goal(**values)


def test_a_device_without_mechanics_is_refused():
    with pytest.raises(ModelError, match="it is known by mean times only"):
        knee(catalogue.device("samsung-970-pro-1tb"), DISK_GOAL)


@pytest.mark.parametrize("name", ["intel-x25-e", "indilinx-barefoot-ssd", "mtron-pro-7500"])
@pytest.mark.parametrize("read_share", [0.7, 0.3])
def test_what_a_drive_can_do_for_ever_leaves_no_die_without_work(name, read_share):
    """Dies that are always busy do what their work takes (utilisation 1); these drives' channels are hardly asked."""
    queues = served(catalogue.device(name), Goal(read_share=read_share))
    most_hz = queues.queues * queues.queue.capacity_hz
    assert capacity_hz(catalogue.device(name), read_share, 4096, 1) == pytest.approx(most_hz, rel=0.03)


def test_a_formula_above_what_a_drive_can_do_is_said():
    result, _ = asked(devices=(P3700,), rate_hz=1000.0)
    assert result["formula_hz"][0] > result["capacity_hz"][0]
    assert any("more than it can do for ever" in note for note in result.notes)
