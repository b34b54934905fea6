"""Main memory in the total cost: by hand, beside systems that it changes alike, and of one's own modules."""

import dataclasses

import numpy as np
import pytest

from pagecost import catalogue, device_files, planner, studies, system
from pagecost.errors import ModelError
from pagecost.planner.planning import estimated
from pagecost.studies.economics.total_cost_parts import MEMORY, memories
from pagecost.studies.transactions import storage_cost

STUDY = studies.find("total_cost")
MODULE = catalogue.device("ddr5-rdimm-64gb")
HALF_TIB = 2.0**39


def answered(**values):
    inputs = STUDY.inputs(values)
    return inputs, STUDY.compute(inputs)


def test_eight_modules_cost_their_price_and_their_energy():
    _, found = answered(memory_bytes=HALF_TIB, years=5.0, price_per_kwh=0.15, overhead=2.0)
    energy_usd = 8 * MODULE.value("active_w") * 5 * 8760 / 1000 * 2 * 0.15
    by_hand = 8 * MODULE.price_usd + energy_usd
    assert found["memory_usd"] == pytest.approx([by_hand, by_hand])
    parts = found.tables["parts"]
    assert parts[MEMORY] == pytest.approx([by_hand, by_hand])
    years = found.tables["by_year"]
    of_one = years.rows(device="wd800aajs")
    assert years[MEMORY][of_one].sum() == pytest.approx(by_hand)
    assert years[MEMORY][of_one][1] == pytest.approx(energy_usd / 5)


def test_it_is_added_to_all_systems_alike_and_moves_no_break_even():
    _, without = answered(wear="left out")
    _, found = answered(wear="left out", memory_bytes=1e11)
    assert (without["memory_usd"] == 0).all()
    assert found["total_usd"] == pytest.approx(without["total_usd"] + found["memory_usd"])
    assert np.array_equal(found.tables["crossings"]["years"], without.tables["crossings"]["years"])
    line, total = found.tables["time"], dict(zip(found["device"], found["total_usd"], strict=True))
    for device, usd in total.items():
        assert line["total_usd"][line.rows(device=device)[-1]] == pytest.approx(usd)


def test_whole_modules_are_bought_and_added_as_it_grows():
    _, one = answered(memory_bytes=1.0)
    _, full = answered(memory_bytes=2.0**36)
    assert one["memory_usd"] == pytest.approx(full["memory_usd"])
    _, grown = answered(memory_bytes=2.0**36, growth=0.5, years=2.0)
    year_usd = MODULE.value("active_w") * 8760 / 1000 * 0.15
    by_hand = 2 * MODULE.price_usd + year_usd + 2 * year_usd  # 1.5 modules in the second year are two
    assert grown["memory_usd"] == pytest.approx([by_hand, by_hand])


def test_its_energy_emits_too_and_failures_are_of_devices_only():
    asked = {"carbon_kg_per_kwh": 0.3, "failures": "wd800aajs=0.1, intel-x25-m-g2-80gb=0.1"}
    _, without = answered(**asked)
    _, found = answered(**asked, memory_bytes=HALF_TIB)
    more = found.tables["carbon"]["energy_kwh"] - without.tables["carbon"]["energy_kwh"]
    assert more == pytest.approx([8 * 5 * 5 * 8760 / 1000] * 2)
    assert found.tables["parts"]["failed"] == pytest.approx(without.tables["parts"]["failed"])


def test_it_is_said_with_its_price_and_its_date():
    inputs, found = answered(memory_bytes=HALF_TIB, currency="EUR=2")
    assert any("8 × server memory module, 64 GiB DDR5, 873 $ of 2026" in note for note in found.notes)
    assert found.tables["parts"][MEMORY][0] == pytest.approx(found["memory_usd"][0] / 2)
    assert any("main memory and its energy" in line for line in STUDY.explain(inputs, found))
    assert not any("main memory" in line for line in STUDY.explain(*answered()))


def test_modules_of_ones_own_can_be_asked_for_and_others_cannot(tmp_path, monkeypatch):
    monkeypatch.setenv("PAGECOST_DEVICES", str(tmp_path))
    parameters = {name: dataclasses.replace(row, device="my-memory") for name, row in MODULE.parameters.items()}
    parameters["active_w"] = dataclasses.replace(parameters["active_w"], value=10.0)
    mine = dataclasses.replace(MODULE, id="my-memory", parameters=parameters)
    device_files.write(mine, {}, tmp_path / "mine.toml")
    assert list(memories()) == ["ddr5-rdimm-64gb", "my-memory"]
    _, found = answered(memory_bytes=1e10, memory="my-memory")
    _, usual = answered(memory_bytes=1e10)
    assert found["memory_usd"][0] > usual["memory_usd"][0]
    for bad in ({"memory": "wd800aajs"}, {"memory": "five-minute-memory-2018"}, {"memory_bytes": -1.0}):
        with pytest.raises(ModelError, match="memory"):
            answered(**bad)


def test_a_plan_says_which_memory_it_pays_for_and_where_its_price_is_from():
    asked = {"candidates.devices": ["intel-x25-m-g2-80gb"], "candidates.memory": MODULE.id}
    found = estimated(system.System().changed(asked))
    assert any("12.7 $/GB: server memory module" in note and "2026" in note for note in found.notes)
    (price,) = (each for each in MODULE.prices if each.date == "2026")
    assert price.source in found.best.figures["cost"].sources
    free = estimated(system.System().changed({**asked, "candidates.memory": "none"}))
    assert not any("Memory for buffers" in note for note in free.notes)
    assert price.source not in free.best.figures["cost"].sources


@pytest.mark.parametrize("name", system.memories())
def test_a_plan_pays_for_its_buffer_what_the_price_of_a_module_or_of_a_megabyte_says(name):
    """873 dollars for 64 GiB were taken for 873 dollars a byte, and a MB of memory for 10^6 bytes of it."""
    asked = {"memory.page_bytes": 4096, "candidates.devices": ["intel-x25-m-g2-80gb"], "candidates.buffers": [2**18]}
    found = planner.search(system.System().changed({**asked, "candidates.memory": name})).screened
    price = max(catalogue.device(name).prices, key=lambda each: each.date)
    bought = catalogue.device(name).value("capacity_bytes") if price.per == "device" else 2**20
    usd = price.amount or (price.low + price.high) / 2
    assert found.memory_usd == pytest.approx(np.full(found.memory_usd.size, 2**30 * usd / bought))


@pytest.fixture
def in_yen(tmp_path, monkeypatch):
    """A drive and a memory module of one's own, both priced in yen only."""
    monkeypatch.setenv("PAGECOST_DEVICES", str(tmp_path))
    for name, model in (("my-drive", catalogue.device("intel-x25-m-g2-80gb")), ("my-memory", MODULE)):
        parameters = {key: dataclasses.replace(row, device=name) for key, row in model.parameters.items()}
        prices = tuple(dataclasses.replace(each, device=name, currency="JPY", amount=3e4) for each in model.prices)
        mine = dataclasses.replace(model, id=name, parameters=parameters, prices=prices)
        device_files.write(mine, {}, tmp_path / f"{name}.toml")


@pytest.mark.usefixtures("in_yen")
def test_a_price_in_another_currency_is_not_taken_for_dollars():
    """30 000 yen for a drive were 30 000 dollars in a plan."""
    asked = {"candidates.devices": ["my-drive"], "candidates.counts": [4], "candidates.memory": "none"}
    with pytest.raises(ModelError, match=r"has a price: my-drive; give yours in \[economics.price_usd_per_device\]"):
        planner.search(system.System().changed(asked))
    own = estimated(system.System().changed({**asked, "economics.price_usd_per_device": {"my-drive": 200.0}}))
    assert own.best.figures["purchase"].value == 4 * 200.0
    assert "my-memory" not in system.memories()
    assert "my-drive" not in storage_cost.priced()
    with pytest.raises(ModelError, match="memory"):
        system.System().changed({**asked, "candidates.memory": "my-memory"})
