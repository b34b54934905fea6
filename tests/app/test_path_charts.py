"""The charts of the path: each dot is the answer's number, in the colour and with the name of its mix."""

import numpy as np

from pagecost.studies.path import ssd_or_disks, whole_path
from pagecost.workload.tpcc import MIX_TITLES
from pagecost_app.charts.path import ssd_or_disks as ssd_chart

SMALL = {"warehouses": 3, "users": 8, "seconds": 2.0}


def test_requests_of_a_gb_dollars_and_watts_are_those_of_the_answer():
    asked = {"ssd": "intel-x25-m-g2-80gb", "disk": "wd800aajs", "counts": (1, 4), "mixes": ("new-order", "lee2009")}
    inputs = ssd_or_disks.STUDY.inputs(SMALL | asked)
    result = ssd_or_disks.compute(inputs)
    chart = ssd_chart.Chart()
    chart.update(inputs, result)
    assert set(chart.worth) == {"iops_per_gb", "usd_per_tps", "power_w"}
    for column, drawn in chart.worth.items():
        for mix, dots, item in zip(inputs.mixes, drawn.dots, drawn.items, strict=False):
            rows = result.rows(mix=mix)
            there = np.isfinite(result[column][rows])
            assert dots.data_source.data["x"].tolist() == result[column][rows][there].tolist()
            assert item.label.value == MIX_TITLES[mix]
    other = {"ssd": "intel-x25-e", "disk": "cheetah-15k5", "counts": (1,)}  # of which no price is known
    inputs = ssd_or_disks.STUDY.inputs(SMALL | other)
    chart.update(inputs, ssd_or_disks.compute(inputs))
    assert chart.worth["usd_per_tps"].missing.data["text"] == ["not known", "not known"]


def test_the_answer_says_what_a_price_is_and_who_says_so():
    asked = {"ssd": "intel-x25-m-g2-80gb", "disk": "intel-x25-e", "counts": (1,), "mixes": ("new-order",)}
    notes = ssd_or_disks.compute(ssd_or_disks.STUDY.inputs(SMALL | asked)).notes
    assert any("225 $ of 2009 (anandtech-2829, specified; introductory price)" in note for note in notes)
    assert any(note.startswith("Price of Intel X25-E 64 GB: not known") for note in notes)
    set_by_hand = ssd_or_disks.compute(ssd_or_disks.STUDY.inputs(SMALL | asked | {"disk_usd": 800.0}))
    assert any("800 $, as it was set" in note for note in set_by_hand.notes)


def test_a_path_of_too_few_transactions_is_not_said_to_carry_so_many_times_less():
    devices = ("fernando-memory-stick", "intel-x25-e")
    inputs = whole_path.STUDY.inputs(SMALL | {"devices": devices, "file_systems": ("none",), "seconds": 1.0})
    finding = whole_path.STUDY.describe(inputs, whole_path.compute(inputs))
    assert "times as many" not in finding
    assert "without intervals that tell them apart" in finding


def test_a_load_without_mixes_has_one_line_with_its_own_name():
    asked = {"ssd": "intel-x25-e", "disk": "cheetah-15k5", "counts": (1, 2), "load": "trace", "fill": 1000}
    inputs = ssd_or_disks.STUDY.inputs(SMALL | asked)
    result = ssd_or_disks.compute(inputs)
    chart = ssd_chart.Chart()
    chart.update(inputs, result)
    assert chart.worth["power_w"].items[0].label.value == "a trace"
    assert "(a trace)" in ssd_or_disks.STUDY.describe(inputs, result)
    one = whole_path.STUDY.inputs(
        SMALL | {"load": "tpox", "tpox_bytes": 1e7, "mixes": ("normal", "lee2009"), "fill": 1000}
    )
    found = whole_path.compute(one)
    assert {whole_path.label_of(found, row, one) for row in range(len(found))} == {
        "HGST Deskstar",
        "Mtron PRO",
        "Intel X25-E",
    }
