"""Economics: costs are straight lines that cross where the formula says, sizes hold what they must."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost import catalogue, economics
from pagecost.economics import Cost, Need
from pagecost.errors import ModelError
from pagecost.studies import find

MONEY = st.floats(0, 1e9, allow_nan=False)
RATE = st.floats(0, 1e3, allow_nan=False)
STUDY_OF_COST = find("total_cost")
WD, X25 = "wd800aajs", "intel-x25-m-g2-80gb"


def asked(study, **values):
    chosen = find(study)
    return chosen.compute(chosen.inputs(values))


def need(**values):
    return Need(**({"volume_bytes": 1e12, "iops": 500.0, "read_share": 0.7} | values))


@given(initial=MONEY, per_s=RATE, one=st.floats(0, 1e9), other=st.floats(0, 1e9))
def test_total_cost_is_a_straight_line_that_begins_at_the_purchase(initial, per_s, one, other):
    cost = Cost(initial, per_s)
    assert cost.at(0.0) == initial
    assert cost.at(one) + cost.at(other) == pytest.approx(cost.at(one + other) + initial, rel=1e-9)


@given(first=st.builds(Cost, MONEY, RATE), second=st.builds(Cost, MONEY, RATE))
def test_at_break_even_both_have_cost_the_same_and_without_one_the_cheaper_stays_cheaper(first, second):
    even = economics.break_even_s(first, second)
    assert even == economics.break_even_s(second, first)
    if even is not None:
        assert even >= 0
        scale = first.initial + second.initial + 1e-9
        assert first.at(even) == pytest.approx(second.at(even), rel=1e-6, abs=1e-6 * scale)
    else:
        order = [first.at(time) <= second.at(time) for time in (0.0, 1e3, 1e12)]
        other = [first.at(time) >= second.at(time) for time in (0.0, 1e3, 1e12)]
        assert all(order) or all(other)


def test_where_both_purchase_and_runtime_are_dearer_there_is_no_break_even():
    assert economics.break_even_s(Cost(10, 2), Cost(5, 1)) is None
    assert economics.break_even_s(Cost(10, 1), Cost(4, 3)) == 3
    assert economics.break_even_s(Cost(1, 1), Cost(1, 1)) == 0
    assert economics.break_even_s(Cost(0, 2.3e-308), Cost(5, 0)) is None, "not within any time that has a number"
    assert Cost(8, 2).overtaken_s() == 4
    assert Cost(8, 0).overtaken_s() == math.inf


def test_a_kilowatt_for_an_hour_costs_the_price_of_a_kilowatt_hour_times_what_cooling_adds():
    assert economics.energy_per_s(1000, 0.2) * 3600 == pytest.approx(0.2)
    assert economics.energy_per_s(1000, 0.2, 2.0) * 3600 == pytest.approx(0.4)
    # eight disks of 104 W in all at 0.15 a kWh and PUE 2, a year: docs/models/economics.md#energy-and-cost-of-running
    assert economics.energy_per_s(104, 0.15, 2.0) * economics.YEAR_S == pytest.approx(273, abs=0.5)


@pytest.mark.parametrize(
    ("volume", "level", "count"),
    [
        (1, "raid-0", 1),
        (100, "raid-0", 1),
        (101, "raid-0", 2),
        (1000, "raid-1", 20),
        (1, "raid-1", 2),
        (700, "raid-5", 8),
        (701, "raid-5", 10),
        (1, "raid-5", 3),
        (600, "raid-6", 8),
        (1, "raid-6", 4),
    ],
)
def test_devices_for_a_volume_are_counted_by_hand(volume, level, count):
    assert economics.devices_for_volume(volume, 100, level) == count


def test_as_many_devices_are_sized_as_copies_can_be_made_on(monkeypatch):
    """Busy with what four devices do, data in three copies lie on six: on five, two would have no third."""
    monkeypatch.setitem(economics.LEVELS, "three copies", economics.LEVELS["raid-1"]._replace(copies=3, least=3))
    known = catalogue.device(WD)
    of_one = economics.sized(known, need(level="three copies", iops=1.0, volume_bytes=1e9))
    asked = need(level="three copies", iops=3.9 * 0.7 / of_one.request_s, volume_bytes=1e9)
    system = economics.sized(known, asked)
    assert (of_one.count, system.for_throughput, system.count) == (3, 4, 6)


@pytest.mark.parametrize("level", economics.LEVELS)
@pytest.mark.parametrize("device", [WD, X25, "seagate-exos-x18-18tb"])
def test_a_sized_system_holds_the_volume_and_is_not_too_busy(level, device):
    known = catalogue.device(device)
    for iops in (0.0, 100.0, 20_000.0):
        system = economics.sized(known, need(level=level, iops=iops))
        copies = economics.LEVELS[level].copies
        assert system.count * known.value("capacity_bytes") / copies >= 1e12
        assert system.busy <= 0.7 + 1e-12
        assert system.count * known.value("idle_w") <= system.mean_w <= system.count * known.value("active_w")
        assert system.iops * 0.7 >= iops * (1 - 1e-9)
        if system.count > system.for_volume + copies - 1:  # one device less would be too busy
            assert iops * system.request_s / (system.count - copies) > 0.7


def test_the_work_of_a_small_write_is_that_of_its_level():
    """Penalties 1, 2, 4 and 6 (docs/models/economics.md#sizing) where a read takes as long as a write."""
    disk = catalogue.device(WD)
    alone = economics.request_s(disk, need(read_share=1.0))
    for level, penalty in (("raid-0", 1), ("raid-1", 2), ("raid-5", 4), ("raid-6", 6)):
        assert economics.request_s(disk, need(read_share=0.0, level=level)) == pytest.approx(penalty * alone)
    half = economics.request_s(disk, need(read_share=0.5, level="raid-5"))
    assert half == pytest.approx(2.5 * alone)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"volume_bytes": 0}, "the volume must be above 0"),
        ({"read_share": 1.5}, r"the share of reads must be 0\.\.1; got 1\.5"),
        ({"level": "raid-7"}, "unknown RAID level 'raid-7'"),
        ({"busy_at_most": 0}, "busy_at_most must be above 0"),
        ({"reserve": 1}, "the reserve must be"),
    ],
)
def test_a_need_that_cannot_be_is_refused(values, sentence):
    with pytest.raises(ModelError, match=sentence):
        need(**values)


@pytest.mark.parametrize(
    ("pair", "page_bytes", "printed_s", "tolerance"),
    [
        ("1987 disk", 1024, 400, 0.03),
        ("1997 disk", 8192, 266.7, 0.001),
        ("2007 disk", 4096, 1.5 * 3600, 0.04),
        ("2007 flash", 4096, 15 * 60, 0.03),
        ("2007 flash before disk", 4096, 2.25 * 3600, 0.08),  # decimal and binary megabytes are mixed in print
        ("2018 disk", 4096, 4 * 3600, 0.12),  # printed as four hours
        ("2018 flash", 4096, 5 * 60, 0.09),
        ("2018 flash before disk", 4096, 1.5 * 86400, 0.12),
    ],
)
def test_the_five_minute_rule_of_each_year(pair, page_bytes, printed_s, tolerance):
    """Intervals as Appuswamy et al. 2019 print them; the prices are recalled, so rounding must cover the rest."""
    result = asked("five_minute_rule", pairs=(pair,), page_bytes=page_bytes)
    (row,) = result.rows(series=pair, chosen=True)
    assert result["interval_s"][row] == pytest.approx(printed_s, rel=tolerance)


def test_the_rule_today_by_price_and_by_energy_is_worked_out_by_hand():
    """64 GiB of DDR5 for 873 dollars and 5 W; disk 561.75 $, 170 1/s, 9.4 W; drives 289 $ and 8 968 $, 19.9 W."""
    pages = 64 * 2**30 / 4096
    result = asked("five_minute_rule", pairs=("today disk", "today flash", "today server flash"), device="none")
    by_price = result["interval_s"][result.rows(chosen=True)]
    expected = [561.75 / 170, 289 / 1.4e6, 8968 / 2e6]
    assert by_price == pytest.approx([each * pages / 873 for each in expected])
    energy = result.tables["energy"]
    assert energy["series"].tolist() == ["today disk", "today server flash"], "of the third the watts are not known"
    assert energy["interval_s"] == pytest.approx([9.4 / 170 * pages / 5, 19.9 / 2e6 * pages / 5])
    assert any("289 $ of 2022-11" in note and "873 $ of 2026" in note for note in result.notes)


def test_writes_of_flash_count_as_often_as_they_come():
    mixed = asked("five_minute_rule", pairs=("today server flash", "2018 flash"), device="none", read_share=0.75)
    rows = mixed.rows(chosen=True)
    assert set(mixed["page_bytes"][rows]) == {4096}, "what the data sheet has rates of"
    access = dict(zip(mixed["series"][rows], mixed["access_s"][rows], strict=True))
    assert access["today server flash"] == pytest.approx(0.75 / 2e6 + 0.25 / 150_000)
    assert access["2018 flash"] == pytest.approx(1 / 67_000), "the paper states reads only"
    assert any("know reads only" in note for note in mixed.notes)


def test_a_page_twice_as_large_halves_the_interval_where_access_takes_the_same_time():
    result = asked("five_minute_rule", device="none")
    for pair in dict.fromkeys(result["series"].tolist()):
        rows = result.rows(series=pair)
        if pair.startswith("today"):  # whose device takes longer for what is larger than the 4 KiB of its data sheet
            rows = rows[result["page_bytes"][rows] <= 4096]
        intervals = result["interval_s"][rows]
        assert intervals.size > 2
        assert intervals[:-1] / intervals[1:] == pytest.approx(np.full(intervals.size - 1, 2.0))


def test_prices_that_fall_at_different_speeds_meet_where_the_solver_says():
    years = economics.parity_years(16.0, 1.0, 0.5, 1.0)
    assert years == pytest.approx(4)
    assert 16 * 0.5**years == pytest.approx(1)
    assert economics.parity_years(16.0, 1.0, 0.9, 0.8) is None
    assert economics.parity_years(1.0, 1.0, 0.9, 0.8) == 0
    assert economics.yearly_factor(1, 8, 3) == pytest.approx(2)


def test_the_crossing_that_is_marked_lies_on_both_lines():
    result = asked("total_cost", wear="left out")
    crossings, time = result.tables["crossings"], result.tables["time"]
    (even,) = crossings["years"]
    assert 0 < even < 5
    for device in (WD, X25):
        rows = time.rows(device=device)
        line = np.interp(even, time["years"][rows], time["total_usd"][rows])
        assert line == pytest.approx(crossings["total_usd"][0])
    assert crossings["now_cheaper"][0] == result.tables["pairs"]["cheaper"][0] == X25


@pytest.mark.parametrize("wear", ["counted", "left out"])
def test_total_cost_is_devices_plus_new_ones_plus_energy_and_the_line_ends_there(wear):
    result = asked("total_cost", overhead=2.0, level="raid-5", read_share=0.3, wear=wear)
    time = result.tables["time"]
    for row in range(len(result)):
        assert result["initial_usd"][row] == pytest.approx(result["count"][row] * result["price_usd"][row])
        kwh = result["mean_w"][row] * 2.0 * 24 * 365 * 5 / 1000
        assert result["energy_usd"][row] == pytest.approx(kwh * 0.15)
        parts = [result[name][row] for name in ("initial_usd", "replaced_usd", "energy_usd")]
        assert result["total_usd"][row] == pytest.approx(sum(parts))
        line = time.rows(device=result["device"][row])
        assert time["total_usd"][line[-1]] == pytest.approx(result["total_usd"][row])
    assert (result["replaced_usd"] > 0).tolist() == [False, wear == "counted"]


@pytest.mark.parametrize("years", [0.5, 2.0, 4.5])
@pytest.mark.parametrize("growth", [0.0, 0.2])
def test_mean_power_and_what_a_request_a_second_costs_are_of_the_years_that_the_money_is_of(growth, years):
    """Power and share from the energy's money; the system's rate from the devices of each year, counted by hand."""
    result = asked("total_cost", growth=growth, years=years, overhead=1.5, devices=(WD,), level="raid-0", iops=100.0)
    energy_kwh = result["energy_usd"][0] / 0.15 / 1.5
    mean_w = energy_kwh * 1000 / (years * 365 * 24)
    assert result["mean_w"][0] == pytest.approx(mean_w)
    assert result["storage_share"][0] == pytest.approx(mean_w / (mean_w + 300))
    size = catalogue.device(WD).value("capacity_bytes")
    each_hz = result["max_iops"][0] / result["count"][0]
    spans = [(year, min(1.0, years - year)) for year in range(math.ceil(years))]
    devices = sum(math.ceil(3e11 * (1 + growth) ** year / size) * span for year, span in spans) / years
    assert result["usd_per_iops"][0] == pytest.approx(result["total_usd"][0] / (devices * each_hz))
    assert any("are those of the start" in note for note in result.notes) == (growth > 0)
    said = STUDY_OF_COST.explain(STUDY_OF_COST.inputs({"growth": growth, "years": years}), result)[0]
    assert (" W in the mean × PUE" in said, "at the load of the start" in said) == (growth > 0, growth > 0)


def test_the_columns_of_money_add_up_to_the_cost_in_all():
    result = asked("total_cost", growth=0.2, spares=0.1, failures="0.02", memory_bytes=2.0**37, discount=0.05)
    columns = ("initial_usd", "replaced_usd", "added_usd", "energy_usd", "memory_usd")
    assert sum(result[name] for name in columns) == pytest.approx(result["total_usd"])
    assert (result["added_usd"] > 0).all()


def test_without_a_price_there_is_no_cost_until_one_is_given():
    unpriced = asked("total_cost", devices=("intel-optane-p4800x-750gb",))
    assert np.isnan(unpriced["total_usd"]).all()
    assert any("the catalogue has no price" in note for note in unpriced.notes)
    priced = asked("total_cost", devices=("intel-optane-p4800x-750gb",), prices="intel-optane-p4800x-750gb=3000")
    assert np.isfinite(priced["total_usd"]).all()


# Wear


def test_drives_that_wear_out_are_bought_anew_as_often_as_the_writes_say():
    """By hand: 300 of 1000 requests are writes of 4 KiB, each goes to two of eight mirrored drives rated for 7.5 TB."""
    result = asked("total_cost")
    endurance = result.tables["endurance"]
    (row,) = endurance.rows(device=X25)
    written = 300 * 4096 * 2 / 8
    years = 7.5e12 / written / (365 * 86400)
    assert endurance["written_bytes_per_s"][row] == pytest.approx(written)
    assert endurance["worn_years"][row] == pytest.approx(years)
    assert endurance["replacements"][row] == 6 == np.ceil(5 / years) - 1
    (drive,) = result.rows(device=X25)
    assert result["replaced_usd"][drive] == pytest.approx(6 * 8 * 225)
    assert result["total_usd"][drive] > 4 * result["initial_usd"][drive]


def test_under_a_load_that_grows_drives_are_worn_out_on_the_day_that_the_money_has():
    """And the sentence says so: within a runtime that ends before that day, none is bought anew."""

    def of(years: float) -> tuple[float, float]:
        endurance = asked("total_cost", devices=(X25,), growth=0.4, iops=200.0, years=years).tables["endurance"]
        return endurance["worn_years"][0], endurance["replacements"][0]

    life, _ = of(5.0)
    still = asked("total_cost", devices=(X25,), iops=200.0).tables["endurance"]["worn_years"][0]
    assert life > 1.02 * still, "more devices share it, for growth fills whole pairs"
    assert of(0.99 * life) == (pytest.approx(life), 0)
    assert of(1.01 * life) == (pytest.approx(life), 1)


def test_a_disk_is_not_worn_by_writes_and_what_is_not_read_write_wears_nothing():
    disk = economics.endurance(catalogue.device(WD))
    assert disk.worn_s(1e9) == np.inf
    reads = asked("total_cost", read_share=1.0)
    assert (reads["replaced_usd"] == 0).all()
    assert "endurance" not in reads.tables


def test_endurance_is_the_rated_bytes_or_drive_writes_a_day_over_the_warranty():
    optane, pro, p3700 = (
        economics.endurance(catalogue.device(name))
        for name in ("intel-optane-p4800x-375gb", "samsung-970-pro-1tb", "intel-dc-p3700-800gb")
    )
    assert optane.written_bytes == pytest.approx(30 * 375e9 * 365 * 5)
    assert pro.written_bytes == pytest.approx(1200e12)
    assert p3700.written_bytes == pytest.approx(10 * 800e9 * 365 * 5)
    assert economics.endurance(catalogue.device(X25)).written_bytes == 7.5e12, "the low end of the range"


def test_unknown_endurance_is_said_and_nothing_is_counted():
    bare = dict(catalogue.device(X25).parameters)
    del bare["random_rated_write_bytes"]
    unrated = dataclasses.replace(catalogue.device(X25), parameters=bare)
    assert economics.endurance(unrated) is None
    with catalogue.using(unrated):
        result = asked("total_cost")
    (row,) = result.rows(device=X25)
    assert result["wear"][row] == "not known"
    assert result["replaced_usd"][row] == 0
    assert any("how much it may be written is not known" in note for note in result.notes)


@given(
    price=st.floats(1, 1e5),
    running=st.floats(0, 1e3),
    worn_years=st.floats(0.1, 30),
    runtime_years=st.floats(0.01, 20),
)
def test_a_cost_with_wear_is_a_purchase_for_each_life_that_has_begun(price, running, worn_years, runtime_years):
    held = economics.Holding(1, price, running, worn_s=worn_years * economics.YEAR_S)
    runtime_s = runtime_years * economics.YEAR_S
    owned = economics.ownership(held, economics.Terms(horizon_s=runtime_s, price_per_kwh=0.2))
    lives = len([begun for begun in np.arange(0, 300) * worn_years if begun < runtime_years * (1 - 1e-12)])
    assert owned.total == pytest.approx(price * lives + running * runtime_s / 3.6e6 * 0.2)


def owning(price, watts=0.0, worn_s=math.inf, **terms):
    terms = economics.Terms(horizon_s=0.0, price_per_kwh=1000.0 * 3600 / economics.YEAR_S * 1000, **terms)
    return economics.Owning(economics.Holding(1, price, watts, worn_s=worn_s), terms)  # a watt costs 1000 a year


def test_where_wear_turns_the_order_the_crossing_is_the_day_of_the_replacement():
    year = economics.YEAR_S
    worn, lasting = owning(100, worn_s=year), owning(250)
    assert economics.crossings_s(worn, lasting, 10 * year) == [2 * year]
    falling = owning(260), owning(100, watts=0.05)
    assert economics.crossings_s(*falling, 10 * year) == pytest.approx([3.2 * year])
    assert economics.break_even_s(Cost(260, 0), Cost(100, 50 / year)) == pytest.approx(3.2 * year)
    assert economics.crossings_s(worn, worn, 10 * year) == []
    with pytest.raises(ModelError, match="replaced more than 10000 times"):
        economics.crossings_s(owning(1, worn_s=1.0), lasting, 10 * year)


# A bound is no value


def test_a_bound_is_refused_as_the_power_of_a_working_server_and_own_watts_are_taken():
    drive = "samsung-970-pro-1tb"
    assert catalogue.device(drive).parameter("idle_w").bound == "<="
    refused = asked("total_cost", devices=(drive,))
    for name in ("mean_w", "energy_usd", "total_usd", "storage_share"):
        assert np.isnan(refused[name]).all()
    (note,) = (note for note in refused.notes if "is a bound" in note)
    assert "<= 0.03 W" in note
    assert "give its watts, such as samsung-970-pro-1tb=IDLE/LOAD" in note
    given_watts = asked("total_cost", devices=(drive,), watts=f"{drive}=2/6")
    count, busy = given_watts["count"][0], given_watts["busy"][0]
    assert given_watts["mean_w"][0] == pytest.approx(count * (2 + 4 * busy))
    assert np.isfinite(given_watts["total_usd"]).all()


def test_every_sized_device_has_watts_that_are_values():
    with pytest.raises(ModelError, match="is a bound and no value"):
        economics.sized(catalogue.device("samsung-970-pro-1tb"), need())
    assert economics.power_of(catalogue.device(WD)) == (6.0, catalogue.device(WD).value("active_w"))


# Groups with parity


@pytest.mark.parametrize(
    ("level", "group", "count", "said"),
    [
        ("raid-5", 8, 16, "in groups of 7 + 1"),
        ("raid-5", 5, 18, "in groups of 4 + 1"),
        ("raid-6", 8, 19, "in groups of 6 + 2"),
        ("raid-6", 16, 15, "in groups of 14 + 2"),
    ],
)
def test_groups_with_parity_are_an_input_and_are_said(level, group, count, said):
    """13 or 14 devices of data, and the parities of their groups, counted by hand."""
    volume = 1400 if level == "raid-5" else 1300
    assert economics.devices_for_volume(volume, 100, level, group) == count
    result = asked("total_cost", level=level, group=group)
    assert any(said in note for note in result.notes)
    assert said in STUDY_OF_COST.explain(STUDY_OF_COST.inputs({"level": level, "group": group}), result)[0]


def test_a_group_smaller_than_its_level_is_refused():
    with pytest.raises(ModelError, match="a group of raid-6 has at least 4 devices; got 3"):
        need(level="raid-6", group=3)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"prices": "wd800aajs"}, "prices: write wd800aajs=AMOUNT, a number; got 'wd800aajs'"),
        ({"prices": "wd800aajs=-3"}, "prices: write wd800aajs=AMOUNT"),
        ({"watts": "wd800aajs=3"}, "watts: write wd800aajs=IDLE/LOAD, two rising numbers; got 'wd800aajs=3'"),
        ({"watts": "wd800aajs=9/3"}, "watts: write wd800aajs=IDLE/LOAD"),
        ({"wear": "maybe"}, "unknown wear 'maybe'; known: counted, left out"),
        ({"prices": "floppy=3"}, "unknown device 'floppy'"),
        ({"devices": ("ocz-vertex-ex",)}, "cannot stand here: capacity_bytes, idle_w and active_w"),
        ({"level": "raid-9"}, "unknown RAID level 'raid-9'"),
    ],
)
def test_bad_prices_and_devices_are_refused_in_a_sentence(values, sentence):
    with pytest.raises(ModelError, match=sentence):
        find("total_cost").inputs(values)


def test_systems_of_equal_performance_rank_by_cost_per_request_as_by_cost():
    """Schmidt 2009, §2: only where performance differs must cost be normalised."""
    one, other = Cost(100, 1e-5), Cost(150, 1e-6)
    for runtime_s in (0.0, 1e6, 1e8):
        by_cost = one.at(runtime_s) < other.at(runtime_s)
        assert (one.per_iops(runtime_s, 500) < other.per_iops(runtime_s, 500)) == by_cost


def test_a_price_of_memory_without_a_device_of_your_own_is_said_to_be_without_effect():
    said = "Without effect: Price of memory. It is for a device of your own, and there is none."
    assert said in asked("five_minute_rule", device="none", memory_price=90.0).notes
    for values in ({"device": "none"}, {"memory_price": 90.0}):
        assert said not in asked("five_minute_rule", **values).notes
