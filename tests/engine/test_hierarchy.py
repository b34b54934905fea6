"""The planner of storage hierarchies against a plain search over everything, and its prices by hand."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import catalogue, catalogue_tables
from pagecost.economics import hierarchy
from pagecost.economics.hierarchy import Offer, Sizes
from pagecost.errors import ModelError
from pagecost.transactions.plans import Plan

SIZES = Sizes(account=1000, history=500, branch=20, log=50)
COSTS = st.one_of(st.just(math.nan), st.floats(1, 1000))
POINTS = st.lists(st.tuples(COSTS, st.floats(0.001, 1)), min_size=1, max_size=30)


def by_search(points, gain):
    """Of all plans in the order of their cost, those that beat every cheaper front member by the gain."""
    kept = []
    for place, (cost, response) in enumerate(points):
        if math.isnan(cost):
            continue
        if all(response < (1 - gain) * points[other][1] for other in kept):
            kept.append(place)
    return kept


@settings(max_examples=200, deadline=None)
@given(POINTS, st.sampled_from([0.0, 0.02, 0.3]))
def test_the_front_is_that_of_a_search_over_all_pairs(points, gain):
    points.sort(key=lambda point: (math.isnan(point[0]), point[0], point[1]))
    costs, responses = zip(*points, strict=True)
    front = hierarchy.front(costs, responses, gain)
    assert front == by_search(points, gain)
    for one, other in itertools.pairwise(front):
        assert costs[one] <= costs[other]
        assert responses[other] < responses[one]
    priced = [place for place, cost in enumerate(costs) if not math.isnan(cost)]
    for place in set(priced) - set(front):  # whoever is left out is beaten or nearly met by one that costs no more
        assert any(costs[kept] <= costs[place] and responses[kept] * (1 - gain) <= responses[place] for kept in front)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=20), st.floats(0.001, 1))
def test_the_cheapest_within_the_target_is_found_by_trying_all(responses, target_s):
    places = list(range(len(responses)))
    within = [place for place in places if responses[place] <= target_s]
    assert hierarchy.cheapest_within(places, responses, target_s) == (min(within) if within else None)


@pytest.mark.parametrize("count", [1, 8, 9, 40])
@pytest.mark.parametrize("kept", [None, 5])
def test_what_is_looked_at_in_detail_is_spread_and_holds_the_ends_and_the_chosen_one(count, kept):
    places = list(range(0, 3 * count, 3))
    kept = None if kept is None else places[min(kept, count - 1)]
    spread = hierarchy.spread(places, 8, kept)
    assert spread == sorted(set(spread))
    assert len(spread) <= 8
    assert {places[0], places[-1]} <= set(spread)
    assert kept is None or kept in spread


@settings(max_examples=200, deadline=None)
@given(st.floats(0, 1e6), st.floats(0, 50), st.floats(10, 1e5), st.floats(0.1, 0.9))
def test_as_few_devices_are_bought_as_hold_the_bytes_and_do_the_work(size_bytes, busy_s, capacity_bytes, most_busy):
    usd, count = Offer(100.0, capacity_bytes).cost(size_bytes, busy_s, most_busy)
    assert usd == 100.0 * count

    def enough(devices: int) -> bool:
        return math.ceil(size_bytes / capacity_bytes) <= devices and math.ceil(busy_s / most_busy) <= devices

    assert enough(count)
    assert count == 0 or not enough(count - 1)


def test_every_plan_that_makes_sense_is_there_once():
    found = hierarchy.plans(300, 500)
    assert len(set(found)) == len(found)
    homes = [(home, 1000) for home in hierarchy.WAYS] + [("NVEM cache", pages) for pages in hierarchy.CACHE_PAGES]
    wanted = set()
    for main, (home, pages), log in itertools.product((*hierarchy.MAIN_PAGES, 300), homes, hierarchy.LOGS):
        for branch in {home, *hierarchy.BRANCH_HOMES}:
            wanted.add(
                Plan(
                    account=home, history=home, branch=branch, log=log,
                    buffer_pages=main, cache_pages=pages, write_buffer_pages=500,
                )
            )  # fmt: skip
    assert set(found) == wanted
    assert len({hierarchy.describe(plan) for plan in found}) == len(found), "two plans read alike"


def test_every_page_lives_on_one_level_and_caches_come_on_top():
    for plan in hierarchy.plans(300, 500):
        held = hierarchy.held_pages(plan, SIZES)
        top = plan.buffer_pages + plan.nvem_cached() + plan.nvem_buffered()
        top += plan.write_buffer_pages * [plan.account, plan.log].count("disk cache write buffer")
        assert sum(held.values()) == top + sum(SIZES)
        if plan.branch == "main memory":
            assert held["main"] == plan.buffer_pages + SIZES.branch


def test_a_plan_costs_what_its_levels_cost_and_needs_what_is_for_sale():
    plan = Plan(account="NVEM write buffer", history="disk", branch="nvem", log="disk cache write buffer")
    held = hierarchy.held_pages(plan, SIZES)
    offers = {
        "main": Offer(2e-3), "nvem": Offer(1e-3), "cache": None, "ssd": None, "disk": Offer(50.0, 1e6),
    }  # fmt: skip
    found = hierarchy.buy(plan, held, offers, {"disk": 1.3}, page_bytes=4096, most_busy=0.5)
    assert found.cost_usd["main"] == pytest.approx(2000 * 4096 * 2e-3)
    assert found.cost_usd["nvem"] == pytest.approx((500 + 20) * 4096 * 1e-3)
    assert found.devices == {"disk": 7}  # 1550 pages are 6.3 MB; 1.3 s of work a second need three
    assert found.cost_usd["disk"] == 350
    assert found.cost_usd["ssd"] == 0
    assert math.isnan(found.cost_usd["cache"])
    assert math.isnan(found.total_usd)
    asked = {"page_bytes": 4096, "most_busy": 0.5}
    assert hierarchy.buy(plan, held, offers | {"nvem": None}, {}, **asked) is None
    priced = hierarchy.buy(plan, held, offers | {"cache": Offer(1e-4)}, {}, **asked)
    assert np.isfinite(priced.total_usd)


@pytest.mark.parametrize(
    ("name", "per", "size_bytes"),
    [
        ("rahm-nvem", "MB", 2**20),
        ("rahm-main-memory", "GB", 2**30),
        ("rahm-ssd", "MB", 2**20),  # memory behind a channel
        ("rahm-db-disk", "MB", 10**6),
        ("intel-x25-m-g2-80gb", "GB", 10**9),
        ("intel-x25-m-g2-80gb", "device", 80 * 10**9),
        ("ddr5-rdimm-64gb", "device", 64 * 2**30),
    ],
)
def test_a_price_is_for_as_many_bytes_as_what_it_buys_is_sold_by(name, per, size_bytes):
    device = catalogue.device(name)
    assert device.bytes_of(replace(device.prices[0], per=per)) == size_bytes


def test_what_is_sold_as_memory_are_classes_of_the_catalogue():
    assert {each.device_class for each in catalogue.devices().values()} >= {*catalogue_tables.MEMORIES}


def test_a_price_of_one_whose_capacity_is_not_known_is_refused():
    device = catalogue.device("rahm-nvem")
    with pytest.raises(ModelError, match="rahm-nvem: its price is for one device, and its capacity is not known"):
        device.bytes_of(replace(device.prices[0], per="device"))


def test_prices_are_the_newest_and_of_a_range_the_end_that_was_asked_for():
    device = catalogue.device("rahm-nvem")
    price = hierarchy.newest_price(device)
    assert price.low < hierarchy.amount(price, "middle") < price.high
    assert hierarchy.amount(price, "low") == price.low
    assert hierarchy.offer(device, "high").usd == pytest.approx(price.high / 2**20)  # memory
    disk = catalogue.device("rahm-db-disk")
    assert hierarchy.offer(disk, "high").usd == pytest.approx(hierarchy.newest_price(disk).high / 1e6)
    assert hierarchy.offer(catalogue.device("hgst-7k1000-1tb"), "middle").capacity_bytes == 1e12
    with pytest.raises(ModelError, match="unknown end of a price range 'best'"):
        hierarchy.amount(price, "best")
    with pytest.raises(ModelError, match="wd400bb: no price in dollars is known"):
        hierarchy.newest_price(catalogue.device("wd400bb"))
