"""What questions take from a system: valid inputs only, in the right unit, and a reason for what they cannot take."""

import pytest

from pagecost import system
from pagecost.errors import ModelError
from pagecost.studies import STUDIES, find
from pagecost.studies.fields import Choices, kind_of, of_system
from pagecost.studies.taking import takes

USUAL = system.System()
EXAMPLES = {
    "as it is written first": USUAL,
    "disks": USUAL.changed(
        {
            "devices.database.device": "wd400bb",
            "devices.database.count": 3,
            "devices.database.level": "raid-5",
            "devices.log.device": "cheetah-15k5",
            "devices.log.count": 2,
            "memory.page_bytes": 8192,
            "memory.policy": "arc",
            "memory.page_cache_bytes": 64 * 2**20,
            "file_system.layout": "log-structured",
            "load.users": 20,
            "load.think_s": 0.5,
            "load.mix": "read-intensive",
            "economics.price_usd_per_device": {"wd400bb": 30.5},
        }
    ),
    "flash, small pages": USUAL.changed(
        {"devices.database.device": "samsung-970-pro-1tb", "memory.buffer_frames": 50, "memory.page_bytes": 512}
    ),
    "all at its end": USUAL.changed(
        {
            "memory.buffer_frames": 2**31,
            "memory.page_bytes": 1 << 30,
            "memory.page_cache_bytes": 1e15,
            "load.rate_hz": 1e9,
            "load.transaction_rate_hz": 1e9,
            "load.volume_bytes": 1e18,
            "load.read_share": 0.0,
            "load.users": 10_000,
            "processors.servers": 256,
            "devices.cache.device": "intel-x25-e",
        }
    ),
}
NOTHING_OF_A_SYSTEM = {  # chips, measurements, documents, and a recording whose host is part of it
    *("device_fill", "segment_cleaning", "translation_layers", "write_amplification", "write_buffer"),
    *("device_fit", "index_height", "label_length", "tpcc_recorded"),
}


def test_every_question_takes_something_but_those_about_chips_documents_and_recordings():
    assert {name for name, study in STUDIES.items() if not takes(study.Inputs)} == NOTHING_OF_A_SYSTEM


@pytest.mark.parametrize("name", ["buffer_size", "miss_curve", "policy_cost"])
def test_the_page_size_is_taken_only_for_a_trace_that_has_none_of_its_own(name, tmp_path):
    mine, study = USUAL.changed({"memory.page_bytes": 8192}), find(name)
    assert "page_bytes" not in study.of_system(mine).values
    file = tmp_path / "a.spc"
    file.write_text("0,20941264,8192,W,0.551706\n0,20939840,8192,W,0.554041\n")
    assert study.of_system(mine, None, {"trace": str(file)}).values["page_bytes"] == 8192
    of_file = study.of_system(mine.changed({"load.source": str(file)}))
    assert (of_file.values["trace"], of_file.values["page_bytes"]) == (str(file), 8192)


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("name", sorted(STUDIES))
def test_what_is_taken_is_valid_and_stands_in_the_inputs_and_the_rest_says_why_not(name, example):
    study, mine = STUDIES[name], EXAMPLES[example]
    found = study.of_system(mine)
    inputs = study.inputs(system=mine)
    assert {each: getattr(inputs, each) for each in found.values} == found.values
    places = takes(study.Inputs)
    assert found.places == {each: places[each] for each in found.values}
    said = {
        each
        for each, path in places.items()
        if mine.value(path) not in (None, ()) and _has_effect(study.Inputs.model_fields[each], inputs)
    }
    assert found.values.keys() | found.refused.keys() == said
    assert not found.values.keys() & found.refused.keys()
    for each, why in found.refused.items():
        with pytest.raises(ModelError):
            study.inputs({each: _alone(study, each, mine)} | {k: v for k, v in found.values.items() if k != each})
        assert why
        assert "\n" not in why


def _has_effect(asked, inputs):
    place = of_system(asked)
    return place.where is None or place.where(getattr(inputs, place.given))


def _alone(study, name, mine):
    asked = study.Inputs.model_fields[name]
    value = mine.value(takes(study.Inputs)[name])
    return (value,) if isinstance(kind_of(asked), Choices) and not isinstance(value, tuple) else value


@pytest.mark.parametrize(
    ("study", "name", "value"),
    [
        ("disk_scheduling", "write_share", 1 - 0.7),
        ("tpcc_throughput", "buffer_bytes", 1024 * 8192.0),
        ("xml_writes", "buffer_bytes", 1024 * 8192.0),
        ("cache_hierarchy", "page_cache_bytes", 64 * 2**20),
        ("buffer_size", "frames", 1024),
        ("database_allocation", "buffer_pages", 1024),
        ("database_allocation", "database_disks", 3),
        ("log_allocation", "log_disks", 2),
        ("file_system_writes", "systems", ("log", "in-place", "database", "zones")),
        ("total_cost", "prices", "wd400bb=30.5"),
        ("whole_path", "mixes", ("read-intensive", "normal")),
        ("whole_path", "think_s", 0.5),
        ("whole_path", "databases", ("own",)),
        ("whole_path", "own_s", 5e-3),
        ("whole_path", "log_device", "cheetah-15k5"),
        ("whole_path", "log_count", 2),
        ("whole_path", "count", 3),
        ("io_schedulers", "level", "raid-5"),
        ("io_schedulers", "database", "own"),
        ("cleaning_interval", "group_size", 1),
        ("storage_plan", "years", 5.0),
        ("storage_plan", "page_bytes", 8192),
        ("path_goal", "page_bytes", 8192),
    ],
)
def test_units_and_words_are_those_of_the_question(study, name, value):
    assert find(study).of_system(EXAMPLES["disks"]).values[name] == pytest.approx(value)


@pytest.mark.parametrize("study", ["path_goal", "ssd_or_disks", "whole_path"])
def test_the_host_serves_requests_as_the_system_says(study):
    asked = find(study)
    assert asked.of_system(USUAL).values["scheduler"] == "noop", "in a system fcfs: as they come"
    assert asked.of_system(USUAL.changed({"devices.database.scheduler": "c-look"})).values["scheduler"] == "c-look"
    found = asked.of_system(USUAL.changed({"devices.database.scheduler": "sptf"}))
    assert "unknown scheduler 'sptf'" in found.refused["scheduler"]


@pytest.mark.parametrize("study", ["path_goal", "response_goal"])
def test_questions_of_goals_take_the_targets_and_a_budget_in_dollars(study):
    targets = {"targets.response_s": 0.01, "targets.percentile": 95, "targets.budget": 2000.0}
    euros = {"economics.currency": "EUR", "economics.usd_per_unit": 1.1}
    found = find(study).of_system(USUAL.changed(targets | euros))
    assert found.values["within_s"] == 0.01
    assert found.values["share"] == 0.95
    assert found.values["budget_usd"] == pytest.approx(2200.0)
    assert "budget_usd" not in find(study).of_system(USUAL).values


def test_a_commit_group_of_ones_own_is_that_of_the_log_with_group_commit():
    study = find("log_allocation")
    assert study.of_system(USUAL.changed({"log.group_size": 6})).values["group_size"] == 6
    for size, why in ((1, "2"), (2000, "1000")):  # one alone is no group: what to compare is left as it is, and said
        found = study.of_system(USUAL.changed({"log.group_size": size}))
        assert "group_size" not in found.values
        assert why in found.refused["group_size"]


def test_ones_own_stands_first_among_several_and_the_last_make_room():
    study = find("response_times")
    mine = USUAL.changed({"devices.database.device": "cheetah-15k5"})
    assert study.of_system(mine).values["devices"] == (
        *("cheetah-15k5", "mtron-pro-7500", "intel-x25-e", "hgst-7k1000-750gb"),
    )
    full = find("xml_writes")
    mine = USUAL.changed({"devices.database.device": "high-end-disk-2009"})
    assert full.of_system(mine).values["devices"] == ("high-end-disk-2009", "wd800aajs")
    plan = find("storage_plan")
    several = USUAL.changed({"candidates.devices": ["intel-x25-e"]})
    assert plan.of_system(several).values["devices"] == ("intel-x25-e",), "the system says them all"


def test_a_rule_over_several_inputs_leaves_out_the_one_that_breaks_it():
    study = find("ssd_or_disks")
    mine = USUAL.changed({"devices.database.device": "cheetah-15k5"})
    found = study.of_system(mine)
    assert "the SSD is compared with another device; got cheetah-15k5 for both" in found.refused["ssd"]
    assert "buffer_frames" in found.values
    assert study.inputs({"disk": "wd400bb"}, system=mine).ssd == "cheetah-15k5", (
        "with another disk there is no such rule"
    )
    assert "disk" not in study.of_system(mine, values={"disk": "no such disk"}).refused, "that is not of the system"


def test_a_preset_stands_below_the_system_and_what_is_set_above_it():
    study = find("buffer_size")
    mine = USUAL.changed({"memory.buffer_frames": 300, "memory.policy": "arc"})
    assert study.inputs(system=mine).frames == 300
    assert study.inputs({"frames": 77}, system=mine).frames == 77
    preset = next(name for name, values in study.presets.items() if "policies" in values)
    assert study.inputs(preset=preset, system=mine).policies[0] == "arc"
    assert set(study.presets[preset]["policies"]) <= {"arc", *study.inputs(preset=preset, system=mine).policies}
    with pytest.raises(ModelError, match="unknown preset"):
        study.of_system(mine, "no such")


def test_a_system_in_another_currency_costs_the_same_dollars_and_is_answered_in_its_own():
    """A system's file says prices in dollars; `total_cost` is asked in the currency that answers are wanted in."""
    said = {
        "economics.price_usd_per_device": {"wd800aajs": 50.0},
        "economics.price_usd_per_kwh": 0.25,
        "economics.failures_per_year": 0.03,
        "economics.discount_per_year": 0.05,
        "devices.database.device": "wd800aajs",
        "devices.database.count": 2,
    }
    dollars = system.System().changed(said)
    euros = dollars.changed({"economics.currency": "EUR", "economics.usd_per_unit": 1.25})
    study = find("total_cost")
    asked = [study.inputs(system=each) for each in (dollars, euros)]
    assert [each.money.code for each in asked] == ["USD", "EUR"]
    assert (asked[1].prices, asked[1].price_per_kwh) == ("wd800aajs=40.0", 0.2)
    found = [study.compute(each) for each in asked]
    for column in ("price_usd", "energy_usd", "total_usd"):
        assert found[1][column] == pytest.approx(found[0][column], rel=1e-12)
    parts = [each.tables["parts"] for each in found]
    assert parts[1]["total"] == pytest.approx(parts[0]["total"] / 1.25, rel=1e-12)
    assert (parts[1]["failed"] > 0).all()


def test_a_system_without_failures_has_them_left_out():
    assert find("total_cost").inputs(system=system.System()).failures == find("total_cost").inputs().failures


PRICED = system.System().changed({"economics.price_usd_per_kwh": 0.3, "economics.price_usd_per_device.wd800aajs": 50.0})


@pytest.mark.parametrize("currency", ["USD", "EUR=1.08", "JPY=0.0067", "IDR=0.000063"])
@pytest.mark.parametrize("own", [{}, {"economics.currency": "EUR", "economics.usd_per_unit": 1.25}])
def test_a_question_in_a_currency_of_its_own_takes_the_dollars_of_a_system_at_its_rate(own, currency):
    """A system's prices are dollars, whatever it is answered in: the cost in dollars is the same in every currency."""
    study, mine = find("total_cost"), PRICED.changed(own)
    inputs = study.inputs({"currency": currency}, system=mine)
    rate = inputs.money.usd_per_unit
    assert inputs.price_per_kwh * rate == pytest.approx(0.3, rel=1e-12)
    assert float(inputs.prices.removeprefix("wd800aajs=")) * rate == pytest.approx(50.0, rel=1e-12)
    dollars = study.compute(study.inputs({"currency": "USD"}, system=mine))
    assert study.compute(inputs)["total_usd"] == pytest.approx(dollars["total_usd"], rel=1e-12)


def test_an_amount_in_a_currency_that_is_none_is_neither_taken_nor_refused():
    found = find("total_cost").of_system(PRICED, values={"currency": "EUR"})
    assert {"price_per_kwh", "prices"}.isdisjoint(found.values.keys() | found.refused.keys())
    assert find("total_cost").of_system(PRICED, values={"price_per_kwh": 1.0}).values["currency"] == "USD"


def test_a_plan_in_a_currency_of_its_own_has_the_budget_of_the_system_at_its_rate():
    mine = system.System().changed(
        {"targets.budget": 2000.0, "economics.currency": "EUR", "economics.usd_per_unit": 1.1}
    )
    study = find("storage_plan")
    assert study.of_system(mine).values["budget"] == 2000.0
    yen = study.of_system(mine, values={"currency": "JPY", "usd_per_unit": "0.0067"}).values["budget"]
    assert yen * 0.0067 == pytest.approx(2200.0)
