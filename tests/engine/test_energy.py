"""Energy: chips per 4 KiB, devices by idle and load power, and what is not known stays blank."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost import catalogue, studies
from pagecost.devices import energy
from pagecost.errors import ModelError
from pagecost.studies.devices.energy_per_operation import CHIPS, ENERGY, chip_options, device_options

STUDY = studies.find("energy_per_operation")


def cell(result, name, operation):
    """What is known of an operation, from every table in which it has a row."""
    found = {}
    for table in result.tables.values():
        for row in table.rows(name=name, operation=operation):
            found |= {column: table[column][row] for column in table.columns}
    return found


@pytest.mark.parametrize(
    ("chip", "operation", "joule"),
    [
        ("nand-lee-chang-2005", "read", 9.4e-6),
        ("nand-lee-chang-2005", "program", 59.6e-6),
        ("nand-lee-chang-2005", "erase share", 16.5e-6),
        ("nor-lee-chang-2005", "program", 3251.2e-6),
        # 2 KiB pages, 64 of them in a block: two pages, and 2 / 64 of an erase
        ("nand-slc-large-block", "program", 2 * 25e-6),
        ("nand-slc-large-block", "erase share", 187e-6 / 32),
    ],
)
def test_energy_inside_a_chip_is_for_4_kib(chip, operation, joule):
    assert energy.of_chip(catalogue.device(chip), operation).value == pytest.approx(joule)


def test_a_chip_without_a_known_energy_says_so():
    found = energy.of_chip(catalogue.device("fernando-slc-nand"), "program")
    assert np.isnan(found.value)
    assert found.status == "not known"


@pytest.mark.parametrize(
    ("device", "watts", "busy"),
    [
        # Schmidt 2009, §6.2, solved for the share of I/O by hand: idle + (load - idle) · busy
        ("consumer-disk-2009", 6.85, 0.85 / 6.5),
        ("consumer-disk-2009", 9.7, 3.7 / 6.5),
        ("consumer-ssd-2009", 0.41, 0.35 / 1.94),
        ("consumer-ssd-2009", 1.35, 1.29 / 1.94),
    ],
)
def test_average_power_is_what_schmidts_formula_gives(device, watts, busy):
    known = catalogue.device(device)
    assert energy.average_w(known.value("idle_w"), known.value("active_w"), busy) == pytest.approx(watts)


@given(
    idle=st.floats(0, 20),
    more=st.floats(0, 20),
    busy=st.floats(0.01, 1),
    request_s=st.floats(1e-6, 1),
)
def test_a_request_pays_for_its_own_time_and_its_share_of_the_idle_time(idle, more, busy, request_s):
    """Over one second: busy / request_s requests, busy seconds of load and the rest idle."""
    active = idle + more
    in_one_second = active * busy + idle * (1 - busy)
    joule = energy.request_j(idle, active, request_s, busy)
    assert joule * busy / request_s == pytest.approx(in_one_second)
    assert joule >= active * request_s * (1 - 1e-12)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: energy.average_w(1.0, 2.0, 1.5), "busy must be in 0..1; got 1.5"),
        (lambda: energy.request_j(1.0, 2.0, 0.1, 0.0), "busy must be above 0; got 0"),
        (lambda: energy.of_chip(catalogue.device("nand-mlc"), "trim"), "unknown operation of a chip 'trim'"),
        (lambda: STUDY.inputs({"chips": ("wd400bb",)}), "unknown flash chip 'wd400bb'"),
        (lambda: STUDY.inputs({"devices": ("nand-mlc",)}), "cannot stand here: neither its power nor a price"),
        (lambda: STUDY.inputs({"devices": ("wd800aajs",) * 2}), "named twice"),
        (lambda: STUDY.inputs({"busy": 0}), "busy should be greater than 0"),
        (lambda: STUDY.inputs({"pattern": "zigzag"}), "unknown access pattern 'zigzag'"),
        (lambda: STUDY.inputs({"measure": "iops_per_euro"}), "unknown measure 'iops_per_euro'"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, sentence):
    with pytest.raises(ModelError, match=sentence):
        call()


def test_requests_for_a_watt_are_those_of_table_1():
    """Schmidt 2009, Table 1 divided by hand."""
    result = STUDY.compute(STUDY.inputs())
    for device, operation, per_watt in (
        ("consumer-ssd-2009", "random read", 1500),
        ("consumer-ssd-2009", "random write", 25),
        ("high-end-ssd-2009", "random read", 10_000),
        ("high-end-ssd-2009", "random write", 5000 / 3.5),
        ("consumer-disk-2009", "random read", 10),
    ):
        found = cell(result, device, operation)
        assert found["iops_per_w"] == pytest.approx(per_watt)
        assert found["energy_j"] == pytest.approx(1 / per_watt), "a watt for a request per second is a joule"


def test_chips_and_devices_are_two_levels_and_never_added():
    result = STUDY.compute(STUDY.inputs())
    chips = result.tables[CHIPS]
    assert not set(chips["name"]) & {*result["name"], *result.tables[ENERGY]["name"]}
    assert "iops" not in chips.columns
    disk = cell(result, "consumer-disk-2009", "random read")
    assert disk["energy_j"] == pytest.approx(12.5 / 125)


def test_an_idle_disk_makes_its_few_requests_dear():
    rare = STUDY.compute(STUDY.inputs({"busy": 0.01}))
    always = STUDY.compute(STUDY.inputs({"busy": 1.0}))
    disk, ssd = "consumer-disk-2009", "consumer-ssd-2009"
    assert cell(rare, disk, "random read")["energy_j"] == pytest.approx((12.5 * 0.01 + 6.0 * 0.99) / 1.25)
    grown = [cell(rare, name, "random read")["energy_j"] / cell(always, name, "random read")["energy_j"]
             for name in (disk, ssd)]  # fmt: skip
    assert grown[0] > 10 * grown[1]


def test_what_is_not_known_is_blank_with_every_list_of_the_catalogue():
    for names in (list(chip_options()), list(device_options())):
        assert names
    for first in range(0, len(device_options()), 8):
        inputs = STUDY.inputs({"devices": tuple(device_options())[first : first + 8], "busy": 0.5})
        result = STUDY.compute(inputs)
        for row in range(len(result)):
            device = catalogue.device(result["name"][row])
            watts = [device.parameters.get(name) for name in ("active_w", "idle_w")]
            known = None not in watts and not watts[1].bound
            assert ("energy_j" in cell(result, device.id, result["operation"][row])) == known, device.id
        assert all("nan" not in line for line in STUDY.explain(inputs, result))


def test_dollars_for_a_request_need_a_price():
    result = STUDY.compute(STUDY.inputs(preset="requests for a dollar, 1987 to 2017"))
    assert cell(result, "five-minute-disk-1987", "random read")["usd_per_iops"] == pytest.approx(2000)
    assert cell(result, "intel-optane-p4800x-375gb", "random read")["usd_per_iops"] == pytest.approx(1520 / 550e3)
    assert any("1\u202f520 $ in 2017" in note for note in result.notes)


def test_a_bound_of_sleep_is_no_idle_power():
    drive = "samsung-970-pro-1tb"
    assert catalogue.device(drive).parameter("idle_w").bound == "<="
    asleep, busy = (STUDY.compute(STUDY.inputs({"devices": (drive,), "busy": busy})) for busy in (0.1, 1.0))
    assert ENERGY not in asleep.tables
    assert any("known only as a bound (<= 0.03 W), that of sleep" in note for note in asleep.notes)
    assert "idle power not known" in STUDY.explain(STUDY.inputs({"devices": (drive,), "busy": 0.1}), asleep)[0]
    assert cell(busy, drive, "random read")["energy_j"] == pytest.approx(5.7 / 500_000)


def test_power_over_time_adds_up_and_requests_wait_for_each_other():
    found = energy.course(2.0, 10.0, [0.0, 0.5, 4.0], 1.0)
    assert found.starts_s.tolist() == [0.0, 1.0, 4.0]
    assert found.ends_s.tolist() == [1.0, 2.0, 5.0]
    assert found.until_s == 5.0
    assert found.busy == pytest.approx(3 / 5)
    assert found.active_j == pytest.approx(30.0)
    assert found.idle_j == pytest.approx(4.0)
    assert found.mean_w == pytest.approx(34 / 5)


@given(
    gaps=st.lists(st.floats(0, 10), min_size=1, max_size=40),
    service_s=st.floats(0.01, 5),
    idle_w=st.floats(0, 5),
    more_w=st.floats(0, 20),
)
def test_power_over_time_agrees_with_the_average_power_of_its_load(gaps, service_s, idle_w, more_w):
    found = energy.course(idle_w, idle_w + more_w, np.cumsum(gaps), service_s)
    assert (found.starts_s >= np.cumsum(gaps) - 1e-9).all()
    assert (np.diff(found.starts_s) >= service_s * (1 - 1e-9)).all()
    busy = min(found.busy, 1.0)
    assert found.mean_w == pytest.approx(float(energy.average_w(idle_w, idle_w + more_w, busy)), abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((3.0, 2.0, [0.0], 1.0), "idle <= load"),
        ((1.0, 2.0, [0.0], 0.0), "more than 0 s"),
        ((1.0, 2.0, [], 1.0), "at least one request"),
        ((1.0, 2.0, [1.0, 0.5], 1.0), "rise"),
        ((1.0, 2.0, [-1.0], 1.0), "rise"),
    ],
)
def test_power_over_time_refuses_what_makes_no_sense(arguments, said):
    with pytest.raises(ModelError, match=said):
        energy.course(*arguments)


def test_sleep_pays_when_what_it_saves_has_paid_for_waking():
    assert energy.sleep_pays_s(8.0, 1.5, 130.0) == pytest.approx(20.0)
    assert energy.sleep_pays_s(1.0, 1.0, 5.0) == np.inf
    with pytest.raises(ModelError):
        energy.sleep_pays_s(-1.0, 0.0, 1.0)
