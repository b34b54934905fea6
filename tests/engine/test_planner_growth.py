"""A plan whose load and data grow holds in every year, and is paid for what it then needs."""

import math
from dataclasses import replace

import numpy as np
import pytest

from pagecost import planner, system
from pagecost.economics import YEAR_S, devices_for_volume
from pagecost.planner import crossing, growth, run_lines, searching, space
from pagecost.planner.screening import screen

GROWING = 0.16


def asked(growth_per_year: float = GROWING, **changed) -> system.System:
    """Orders on disks or SSDs for five years."""
    paths = {
        "load.source": "sqlite-order-entry",
        "load.transaction_rate_hz": 60.0,
        "load.volume_bytes": 2e10,
        "processors.servers": 4,
        "targets.response_s": 0.05,
        "targets.growth_per_year": growth_per_year,
        "economics.horizon_years": 5.0,
        "economics.discount_per_year": 0.0,
        "candidates.devices": ["wd800aajs", "intel-x25-m-g2-80gb"],
        "candidates.counts": [1, 2, 3, 4],
        "candidates.levels": ["raid-0", "raid-1", "raid-5"],
    }
    return system.System().changed(paths | changed)


def in_year(found: searching.Search, load: float):
    """All plans, as they were bought, under so many times the load and data of the start."""
    n = found.numbers
    later = replace(n, growth_per_year=0.0, rate_hz=n.rate_hz * load, volume_bytes=n.volume_bytes * load)
    return screen(found.space, later, found.visits, found.system.targets.percentile)


def added(found: searching.Search) -> np.ndarray:
    """Dollars of each plan for devices that are added as it grows."""
    return found.screened.parts_usd["growth"]


def groups_of(parts: space.Parts) -> list[tuple[str, int, str]]:
    """(device, count, level) of each."""
    return [group for group in (parts.database, parts.log, parts.hot) if group]


def dollars_added(found: searching.Search, group: tuple[str, int, str]) -> float:
    """Undiscounted: as many times the devices as the load, mirrors in pairs; the data are no more than that."""
    device, count, level = group
    together = 2 if level == "raid-1" else 1
    wanted = math.ceil(count / together * (1 + GROWING) ** 4) * together
    return (wanted - count) * float(found.numbers.price_usd[found.numbers.place(device)])


def test_a_plan_that_is_not_added_to_holds_in_every_year():
    found = searching.search(asked())
    mine = found.feasible & (added(found) == 0)
    assert mine.any()
    for year in range(5):
        then = in_year(found, (1 + GROWING) ** year)
        assert (then.percentile_s[mine] <= 0.05).all()
        assert (then.busiest[mine] <= found.system.candidates.busy_at_most).all()
        assert (then.usable[mine] >= 1).all()


def test_a_plan_that_would_break_a_target_later_is_added_to():
    """As many times the devices as the load, so that none has more to do than at the start."""
    found = searching.search(asked(**{"targets.response_s": 0.02}))
    last = in_year(found, (1 + GROWING) ** 4)
    breaks = (last.percentile_s > 0.02) | (last.busiest > found.system.candidates.busy_at_most)
    mine = found.feasible & breaks
    assert mine.any()
    assert (added(found)[mine] > 0).all()
    for place in np.flatnonzero(mine):
        parts = space.parts_of(found.space.code(int(place)))
        assert added(found)[place] == pytest.approx(sum(dollars_added(found, group) for group in groups_of(parts)))


def test_the_line_of_a_plan_says_what_decides_which_devices_are_added():
    """A goal for the response time and the busy share: without them the line would buy other devices as it grows."""
    wanted = asked(**{"targets.response_s": 0.02, "candidates.busy_at_most": 0.7})
    found = searching.search(wanted)
    said = {name: value for name, value in run_lines.values_of(wanted).items() if name != "prices"}
    again = run_lines.system_of(said, {})
    for place in np.flatnonzero(found.feasible)[:12].tolist():
        code = found.space.code(place)
        alone = searching.search(space.candidates_of(code, again))
        cost = alone.screened.cost_usd[space.place_of(alone.space, code)]
        assert cost == pytest.approx(found.screened.cost_usd[place], rel=1e-12), code


def test_little_growth_buys_no_second_device_where_the_first_is_enough():
    found, still = searching.search(asked(0.01)), searching.search(asked(0.0))
    idle = still.feasible & (still.screened.busiest < 0.4) & (still.screened.percentile_s < 0.03)
    idle &= still.screened.usable > 1.1
    assert idle.any()
    assert (added(found)[idle] == 0).all()


def test_processors_that_growth_outruns_are_a_limit():
    """They are not bought: 0.5 busy at the start, 0.905 in the fifth year."""
    one = {"processors.servers": 1, "processors.transaction_s": 0.5 / 60}
    found = searching.search(asked(**one))
    assert growth.processors_in_last_year(found.numbers) == pytest.approx(0.5 * 1.16**4)
    assert not found.feasible.any()
    excess = {limit.name: limit.excess.max() for limit in found.limits}
    assert excess["processors"] == pytest.approx(0.905 / 0.8, rel=1e-3)
    assert searching.search(asked(0.1, **one)).feasible.any()


@pytest.mark.parametrize(("count", "level", "stored", "needed"), [(3, "raid-5", 158e9, 4), (8, "raid-5", 558e9, 13)])
def test_data_that_grow_need_whole_groups_with_their_parities(count, level, stored, needed):
    """Half more in the second year: 237 GB on disks of 80 GB are 3 and a parity, 837 GB are 11 and two."""
    assert devices_for_volume(1.5 * stored, 80e9, level) == needed
    changed = {
        "load.rate_hz": 5.0,
        "load.transaction_rate_hz": 0.5,
        "targets.response_s": None,
        "load.volume_bytes": stored,
        "economics.horizon_years": 2.0,
        "economics.price_usd_per_device": {"wd800aajs": 40.0},
        "candidates.devices": ["wd800aajs"],
        "candidates.counts": [count],
        "candidates.levels": [level],
        "candidates.placements": ["together"],
    }
    found = searching.search(asked(0.5, **changed))
    assert found.screened.usable[0] >= 1
    assert added(found)[0] == pytest.approx((needed - count) * 40.0)


def test_a_device_does_not_outlive_its_replacement():
    """20 GB growing 20 % a year for 20: what its life says and what is paid for worn devices agree."""
    changed = {
        "load.transaction_rate_hz": 20.0,
        "economics.horizon_years": 20.0,
        "candidates.devices": ["samsung-970-pro-1tb"],
        "candidates.counts": [1],
        "candidates.levels": ["raid-0"],
        "candidates.placements": ["together"],
        "targets.response_s": None,
    }
    found = searching.search(asked(0.2, **changed))
    paid, years = found.screened.parts_usd["worn"], found.screened.life_s / YEAR_S
    still = searching.search(asked(0.0, **changed)).screened.life_s / YEAR_S
    assert (years < still).all()
    assert ((paid > 0) == (years < 20)).all()


def test_changes_of_order_are_counted_and_what_nobody_would_notice_is_none():
    """A gap of less than its allowance has no sign: 0.4 cents between two changes are not a change."""
    gap = np.array([-900.0, -0.004, 0.004, -900.0, 450.0, 0.001, 300.0, -20.0])
    assert crossing._changes(gap, np.full(8, 1.0)) == [(3, 4), (6, 7)]
    assert crossing._changes(gap, np.full(8, 1e-9)) == [(1, 2), (2, 3), (3, 4), (6, 7)]


def test_the_power_of_a_plan_is_that_of_its_first_year_and_says_so():
    plan = "database=4*wd800aajs:raid-0/buffer=2048"
    still, grown = (
        planner.figures_of_one(planner.candidates_of(plan, asked(rate)), plan).plan.figures["mean_w"]
        for rate in (0.0, GROWING)
    )
    assert grown.value == still.value
    assert "by busy shares of the first year" in grown.formula
    assert "of the first year" not in still.formula


def test_a_life_does_not_end_to_grow_with_the_horizon():
    """At a light load, with no data to speak of, it is by hand a sum over its years, within the horizon and behind."""
    light = {
        "load.rate_hz": 8.0,
        "load.transaction_rate_hz": 0.05,
        "load.volume_bytes": 1e7,
        "candidates.devices": ["intel-x25-m-g2-80gb"],
        "candidates.placements": ["together"],
        "targets.response_s": None,
    }
    still = searching.search(asked(0.0, **light)).screened.life_s / YEAR_S
    lives = [searching.search(asked(**light, **{"targets.years": years})).screened.life_s for years in (2.0, 5.0, 9.0)]
    assert (lives[0] == lives[1]).all()
    assert (lives[0] == lives[2]).all()
    assert lives[0].max() > 9 * YEAR_S
    for life, of_start in zip(lives[0] / YEAR_S, still, strict=True):
        whole = int(life)
        used = sum((1 + GROWING) ** year for year in range(whole)) + (life - whole) * (1 + GROWING) ** whole
        assert used == pytest.approx(of_start)


def test_what_is_worn_by_the_last_years_load_is_not_grown_twice():
    """Break-evens look at thrice the horizon: 27 years at 30 % are 917 times the load, and not that squared."""
    found = searching.search(asked(0.3, **{"targets.years": 27.0, "load.transaction_rate_hz": 2.0}))
    last = growth.in_last_year(found.numbers)
    assert last.rate_hz == pytest.approx(2.0 * 1.3**26)
    assert growth.last_load(last) == 1
