"""Ownership: every part of the cost against a table that is worked out year by year, and bad terms in a sentence."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost import catalogue
from pagecost.economics import (
    PARTS,
    YEAR_S,
    Currency,
    Holding,
    Owning,
    Terms,
    crossings_s,
    device_writes_per_day,
    endurance,
    ownership,
    turns_s,
    worn_out_s,
)
from pagecost.errors import ModelError
from pagecost.studies import find
from pagecost.studies.typed import typed_failures, typed_prices, typed_watts
from pagecost.units import UNITS, format_cell

STEPS = 20_000  # of a year, where a flow is summed up


def terms(years=5.0, price_per_kwh=0.2, **values):
    return Terms(horizon_s=years * YEAR_S, price_per_kwh=price_per_kwh, **values)


def stores(held: Holding, count: int, load: float) -> bool:
    """Whether so many devices, group by group, hold the data and their parities."""
    groups, data = 0, held.data * load - 1e-9
    while groups * (held.group - held.parities) < data:
        groups += 1
    return (count - groups * held.parities) // held.together >= data


def ledger(held: Holding, on: Terms) -> dict[str, float]:
    """Slow twin: a diary of single devices, in steps of a year cut in thousands for what is paid as time goes."""
    horizon, rate = on.horizon_s / YEAR_S, 1 + on.discount_per_year
    found = dict.fromkeys([*PARTS, "device_years"], 0.0)
    found["purchase"] = held.count * held.price
    count, spare = held.count, math.ceil(on.spare_share * held.count - 1e-9)
    found["spares"] = spare * held.price
    wanted = held.count if held.wanted is None else held.wanted
    alive = [0.0] * held.count  # share of its life that each device has behind it
    for year in range(math.ceil(horizon)):
        load = (1 + on.growth_per_year) ** year
        while year and (count < wanted * load - 1e-9 or not stores(held, count, load)):
            count += held.together
            alive += [0.0] * held.together
            found["growth"] += held.together * held.price / rate**year
        more = math.ceil(on.spare_share * count - 1e-9)
        found["spares"] += max(0, more - spare) * held.price / rate**year
        spare = max(spare, more)
        idle_w = held.mean_w if held.idle_w is None else held.idle_w
        watts = idle_w * count + (held.mean_w - idle_w) * held.count * load
        end = min(year + 1, horizon)
        found["device_years"] += len(alive) * (end - year)
        step = (end - year) / STEPS
        for part in range(STEPS):
            middle = year + (part + 0.5) * step
            kwh = watts * on.power_usage_effectiveness * step * 365 * 24 / 1000
            found["energy"] += kwh * on.price_per_kwh / rate**middle
            found["failed"] += on.failures_per_year * count * step * held.price / rate**middle
        pace = load * held.count / count * YEAR_S / held.worn_s
        for device in range(len(alive)):
            at = year
            while alive[device] + (end - at) * pace > 1 + 1e-9 or (
                end < horizon and alive[device] + (end - at) * pace > 1 - 1e-9
            ):
                at += (1 - alive[device]) / pace
                alive[device] = 0.0
                found["worn"] += held.price / rate**at
            alive[device] += (end - at) * pace
    return found


CASES = {
    "nothing but a purchase and energy": (Holding(3, 100.0, 10.0), terms()),
    "worn out every other year": (Holding(2, 100.0, 0.0, worn_s=1.7 * YEAR_S), terms(years=6.0, discount_per_year=0.1)),
    "worn out on the last day of a year": (Holding(1, 50.0, 0.0, worn_s=YEAR_S), terms(years=4.0)),
    "everything at once": (
        Holding(4, 200.0, 12.0, worn_s=1.3 * YEAR_S, idle_w=5.0, wanted=3.5, together=2),
        terms(
            years=4.4,
            power_usage_effectiveness=1.6,
            discount_per_year=0.07,
            growth_per_year=0.3,
            spare_share=0.1,
            failures_per_year=0.02,
        ),
    ),
    "data that grow in groups with two parities": (
        Holding(4, 100.0, 10.0, worn_s=9 * YEAR_S, wanted=1.2, data=1.95, parities=2, group=5),
        terms(years=7.0, growth_per_year=0.35),
    ),
    "data that grow in pairs": (
        Holding(4, 100.0, 10.0, worn_s=3 * YEAR_S, wanted=0.1, data=1.7, together=2),
        terms(years=6.0, growth_per_year=0.25),
    ),
    "less every year": (Holding(5, 80.0, 9.0, idle_w=3.0, worn_s=2 * YEAR_S), terms(growth_per_year=-0.2)),
}


@pytest.mark.parametrize("case", CASES)
def test_every_part_is_what_a_diary_of_single_devices_sums_up(case):
    held, on = CASES[case]
    owned, slow = ownership(held, on), ledger(held, on)
    assert owned.device_years == pytest.approx(slow.pop("device_years"))
    for part, amount in slow.items():
        # the diary sums flows by the midpoint rule: its error is of second order in a step of 1/20000 year
        assert getattr(owned, part) == pytest.approx(amount, rel=1e-8, abs=1e-9), part
        assert owned.by_year[part].sum() == pytest.approx(amount, rel=1e-8, abs=1e-9)
    assert owned.total == pytest.approx(sum(slow.values()))


@pytest.mark.parametrize(
    ("horizon", "worn", "years"),
    [
        (20.0, 336.0, 14 + (336 - (1.4**14 - 1) / 0.4) / 1.4**14),
        (2.0, 10.0, 4 + (10 - (1.4**4 - 1) / 0.4) / 1.4**4),  # it grows on behind the horizon
        (2.0, 1e-6, 1e-6),  # sooner than anybody would buy devices anew
        (2.0, (1.4**100 - 1) / 0.4 + 1.4**99, 101),  # the load of the hundredth year stays
        (2.0, math.inf, math.inf),
    ],
)
def test_a_device_is_worn_out_when_a_growing_load_has_used_it_up(horizon, worn, years):
    held, on = Holding(1, 100.0, 0.0, worn_s=worn * YEAR_S, wanted=0.0), terms(years=horizon, growth_per_year=0.4)
    assert worn_out_s(held, on) / YEAR_S == pytest.approx(years)
    if worn > 1e-3:
        assert (ownership(held, on).worn > 0) == (years < horizon)


@given(
    st.integers(1, 4), st.floats(0.05, 60), st.floats(-0.3, 0.8), st.floats(0.1, 4.0), st.floats(0.5, 12), st.booleans()
)
def test_a_life_is_the_same_for_every_horizon_and_the_day_of_the_first_worn_device(
    count, worn, growth, data, years, by_load
):
    """Devices are added behind the horizon as before it; within one, the day is that of the first purchase anew."""
    data = min(data, count)
    held = Holding(count, 100.0, 0.0, worn_s=worn * YEAR_S, wanted=count if by_load else 0.0, data=data)
    life = float(worn_out_s(held, terms(years, growth_per_year=growth)))
    assert life == float(worn_out_s(held, terms(15.0, growth_per_year=growth)))
    if YEAR_S / 1000 < life < 15 * YEAR_S:
        before, after = (
            ownership(held, terms(life / YEAR_S * part, growth_per_year=growth)) for part in (0.999, 1.001)
        )
        assert before.worn == 0 < after.worn


def test_a_table_by_hand():
    """Two drives of 100, 10 W each, PUE 1.5, 0.2 a kWh, 10 % a year, three years; worn out after 18 months."""
    held = Holding(2, 100.0, 10.0, worn_s=1.5 * YEAR_S)
    owned = ownership(held, terms(years=3.0, power_usage_effectiveness=1.5, discount_per_year=0.1))
    a_year = 2 * 0.010 * 24 * 365 * 1.5 * 0.2  # 52.56
    assert a_year == pytest.approx(52.56)
    paid_in_a_year = (1 - 1 / 1.1) / math.log(1.1)  # of 1 that flows evenly, at the year's start
    table = [
        {"purchase": 200.0, "worn": 0.0, "energy": a_year * paid_in_a_year},
        {"purchase": 0.0, "worn": 200 / 1.1**1.5, "energy": a_year * paid_in_a_year / 1.1},
        {"purchase": 0.0, "worn": 0.0, "energy": a_year * paid_in_a_year / 1.1**2},
    ]
    for part in ("purchase", "worn", "energy"):
        assert owned.by_year[part].tolist() == pytest.approx([row[part] for row in table])
    assert owned.total == pytest.approx(200 + 200 / 1.1**1.5 + sum(row["energy"] for row in table))
    assert owned.energy_kwh == pytest.approx(3 * 2 * 0.010 * 24 * 365 * 1.5)


@given(
    count=st.integers(1, 40),
    price=st.floats(0, 1e4),
    watts=st.floats(0, 50),
    worn=st.floats(0.2, 30),
    years=st.floats(0.1, 12),
    growth=st.floats(-0.3, 0.6),
    discount=st.floats(0, 0.3),
)
def test_more_discount_costs_less_longer_costs_more_and_parts_add_up(
    count, price, watts, worn, years, growth, discount
):
    held = Holding(count, price, watts, worn_s=worn * YEAR_S)
    on = {"growth_per_year": growth, "failures_per_year": 0.01, "spare_share": 0.05}
    plain, less = (ownership(held, terms(years, discount_per_year=rate, **on)) for rate in (0.0, discount))
    assert less.total <= plain.total * (1 + 1e-12)
    longer = ownership(held, terms(years * 1.1, discount_per_year=discount, **on))
    assert longer.total >= less.total * (1 - 1e-12)
    assert less.total == pytest.approx(sum(getattr(less, part) for part in PARTS))
    dear = ownership(Holding(count, 1.0, watts, worn_s=worn * YEAR_S), terms(years, **on))
    assert dear.worn == pytest.approx(round(float(dear.worn)), abs=1e-6), "whole devices where money keeps its worth"


def test_many_plans_at_once_cost_what_each_costs_alone():
    random = np.random.default_rng(5)
    count, price, watts = random.integers(1, 30, 50), random.uniform(1, 900, 50), random.uniform(0, 20, 50)
    worn_s, years = random.uniform(0.3, 9, 50) * YEAR_S, random.uniform(0.1, 7, 50)
    on = {"price_per_kwh": 0.3, "discount_per_year": 0.06, "growth_per_year": 0.15, "failures_per_year": 0.01}
    together = ownership(Holding(count, price, watts, worn_s), Terms(horizon_s=years * YEAR_S, **on))
    for plan in range(50):
        held = Holding(int(count[plan]), price[plan], watts[plan], worn_s[plan])
        alone = ownership(held, Terms(horizon_s=years[plan] * YEAR_S, **on))
        assert alone.total == pytest.approx(together.total[plan])
        assert alone.replacements == together.replacements[plan]
    assert together.by_year["energy"].shape == (7, 50)


def test_carbon_is_that_of_the_energy_and_of_every_device_that_was_bought():
    held = Holding(2, 100.0, 10.0, worn_s=1.5 * YEAR_S, embodied_kg=30.0)
    owned = ownership(held, terms(years=3.0, carbon_kg_per_kwh=0.4, spare_share=0.5))
    assert owned.carbon_kg == pytest.approx(2 * 10 * 24 * 365 * 3 / 1000 * 0.4 + (2 + 1 + 2) * 30)
    assert math.isnan(ownership(held, terms()).carbon_kg), "left out where a kWh's carbon is not given"
    assert math.isnan(ownership(Holding(2, 100.0, 10.0), terms(carbon_kg_per_kwh=0.4)).carbon_kg)


def test_the_days_of_further_purchases_are_steps_of_the_cost():
    held, on = CASES["everything at once"]
    turns = turns_s(held, on)
    owning = Owning(held, on)
    before, after = owning.at(turns * (1 - 1e-9)), owning.at(turns * (1 + 1e-9))
    assert (after - before > 1).all()
    times = np.linspace(0, on.horizon_s, 997)
    steps = np.diff(owning.at(times)) > 20
    assert steps.sum() <= turns.size, "and there are no others"


def test_discounted_lines_cross_where_both_have_cost_the_same():
    on = {"horizon_s": 0.0, "price_per_kwh": 0.3, "discount_per_year": 0.08, "growth_per_year": 0.1}
    thrifty, cheap = Owning(Holding(1, 900.0, 3.0), Terms(**on)), Owning(Holding(1, 500.0, 40.0), Terms(**on))
    found = crossings_s(thrifty, cheap, 20 * YEAR_S)
    assert found
    for time_s in found:
        around = np.array([time_s * (1 - 1e-6), time_s * (1 + 1e-6)])
        assert np.sign(thrifty.at(around) - cheap.at(around)).prod() < 0


def test_money_has_one_dimension():
    """A watt for a year at a price of a kWh, by the units of the house."""
    owned = ownership(Holding(1, 0.0, 1.0), terms(years=1.0, price_per_kwh=1.0))
    kwh = YEAR_S * UNITS["W"].si / UNITS["kWh"].si
    assert owned.energy == pytest.approx(kwh) == pytest.approx(8.76)
    assert owned.energy == pytest.approx(YEAR_S * 1.0 * UNITS["USD/kWh"].si * 1.0)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: terms(price_per_kwh=-1), "the price of energy must be finite and at least 0; got -1"),
        (lambda: terms(price_per_kwh=math.inf), "the price of energy must be finite"),
        (lambda: terms(years=101), "the horizon"),
        (lambda: terms(years=math.nan), "the horizon must be a number of seconds; got nan"),
        (lambda: terms(power_usage_effectiveness=0.9), "PUE, all energy over that of the devices, must be"),
        (lambda: terms(discount_per_year=-0.1), "the discount of a year must be"),
        (lambda: terms(growth_per_year=-1), "the growth of a year must be"),
        (lambda: Holding(1, -5.0, 1.0), "the price of a device must be finite and at least 0; got -5"),
        (lambda: Holding(np.array([1, -2]), 5.0, 1.0), "the number of devices must be .* got -2"),
        (lambda: Holding(1, 5.0, 1.0, worn_s=0.0), "the time until worn out must be above 0 s; got 0"),
        (lambda: ownership(Holding(1, 5.0, 1.0, worn_s=60.0), terms()), "replaced more than 10000 times"),
        (lambda: Currency.read("euro=1"), "unknown currency 'euro': write its three capital letters"),
        (lambda: Currency.read("EUR"), "EUR: its rate is not known; write the dollars for one of it"),
        (lambda: Currency.read("EUR=x"), "EUR: its rate is not known"),
        (lambda: Currency.read("EUR=-1"), r"EUR: the dollars for one of it must be 1e-09\.\.1e\+09; got -1"),
        (lambda: Currency.read("USD=2"), "USD: a dollar is one dollar; got 2"),
    ],
)
def test_bad_terms_are_refused_in_a_sentence(make, sentence):
    with pytest.raises(ModelError, match=sentence) as refused:
        make()
    assert "\n" not in str(refused.value)


def asked(**values):
    study = find("total_cost")
    inputs = study.inputs(values)
    return study.compute(inputs), study.explain(inputs, study.compute(inputs))


def test_another_currency_changes_no_dollar_and_shows_its_own():
    dollars, _ = asked(price_per_kwh=0.15)
    euros, said = asked(price_per_kwh=0.15 / 1.25, currency="EUR=1.25")
    for name in ("price_usd", "initial_usd", "energy_usd", "total_usd"):
        assert euros[name] == pytest.approx(dollars[name])
    made, of_dollars = euros.tables["parts"], dollars.tables["parts"]
    assert made.columns["total"].unit == "EUR"
    assert made["total"] * 1.25 == pytest.approx(of_dollars["total"])
    assert "EUR" in said[0]
    assert "$" not in said[0]
    assert format_cell(1234.0, "EUR") == "1\N{NARROW NO-BREAK SPACE}234 EUR"


@pytest.mark.parametrize("currency", ["EUR=1.25", "JPY=0.007"])
def test_a_price_of_energy_that_nobody_set_is_in_the_currency_of_the_answer_and_said(currency):
    """As all that is typed is; what those dollars would be that it was meant in stands beside it."""
    dollars, _ = asked()
    others, said = asked(currency=currency)
    rate, code = Currency.read(currency).usd_per_unit, currency[:3]
    assert others["energy_usd"] == pytest.approx(dollars["energy_usd"] * rate)
    assert f"{format_cell(0.15, code)}/kWh" in said[0]
    assert [note for note in others.notes if format_cell(0.15 / rate, code) in note]
    typed, _ = asked(currency=currency, price_per_kwh=0.3)
    assert typed["energy_usd"] == pytest.approx(dollars["energy_usd"] * 2 * rate)
    assert not [note for note in typed.notes if "say what it costs you" in note]
    assert not [note for note in dollars.notes if "say what it costs you" in note]


def test_the_studys_years_add_up_to_its_parts_and_growth_buys_devices():
    result, said = asked(growth=0.2, discount=0.05, spares=0.1, failures="wd800aajs=0.03", carbon_kg_per_kwh=0.3)
    parts, years = result.tables["parts"], result.tables["by_year"]
    for row in range(len(parts)):
        of_device = years.rows(device=parts["device"][row])
        for part in PARTS:
            assert years[part][of_device].sum() == pytest.approx(parts[part][row])
        assert parts["growth"][row] > 0
    assert (parts["failed"] > 0).tolist() == [True, False]
    assert result.tables["carbon"]["energy_kg"] == pytest.approx(result.tables["carbon"]["energy_kwh"] * 0.3)
    assert "discounted by 5.0% a year" in said[0]
    assert any("how often it fails is not known" in note for note in result.notes)


def test_failures_come_from_the_mean_time_between_them():
    result, _ = asked(devices=("intel-dc-p3700-800gb",), failures="catalogue", watts="intel-dc-p3700-800gb=5/20")
    made = result.tables["parts"]
    a_year = 365 * 24 / 2e6
    assert made["failed"][0] == pytest.approx(made["purchase"][0] * a_year * 5)
    assert any("from 2000000 h between failures" in note for note in result.notes)


def test_endurance_is_said_as_bytes_and_as_drive_writes_a_day():
    """By hand: 1200 TB on 1.024 TB over five years; a drive of 1 TB that gets 1 TB a day is written once a day."""
    pro = catalogue.device("samsung-970-pro-1tb")
    assert device_writes_per_day(pro, pro.value("capacity_bytes"), 86400.0) == 1
    said = endurance(pro).said
    assert "1200 TB" in said
    assert f"{1200e12 / pro.value('capacity_bytes') / (365 * 5):.2g} drive writes a day over 5 years" in said
    result, _ = asked()
    wear = result.tables["endurance"]
    (row,) = wear.rows(device="intel-x25-m-g2-80gb")
    assert wear["asked_per_day"][row] == pytest.approx(300 * 4096 * 2 / 8 * 86400 / 80e9)
    assert wear["rated_per_day"][row] == pytest.approx(7.5e12 / 80e9 / (365 * 5))


@pytest.mark.parametrize("read", [typed_prices, typed_failures, typed_watts])
def test_a_device_named_twice_and_a_decimal_comma_are_refused_in_words(read):
    amount = "1/2" if read is typed_watts else "45"
    with pytest.raises(ModelError, match="wd800aajs stands there twice"):
        read(f"wd800aajs={amount}, wd400bb={amount}, wd800aajs={amount}")
    with pytest.raises(ModelError, match="write decimals with a point"):
        read(f"wd800aajs={amount},5{amount[1:]}")
