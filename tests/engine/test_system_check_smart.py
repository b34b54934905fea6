"""What a check of a system says of a drive's own counters, which are whole hours and whole percents."""

import json
import math

import pytest

from pagecost import system
from pagecost.devices import smart
from pagecost.planner import system_check

NVME = {"percent_used": 3, "data_units_written": 10817317, "power_on_hours": 5996}


def planned(rate_hz: float = 2000.0) -> system.System:
    load = {"source": "sqlite-order-entry", "rate_hz": rate_hz}
    place = {"role": "database", "device": "intel-x25-m-g2-80gb", "count": 1, "level": "raid-0"}
    memory = {"buffer_frames": 512, "policy": "lru"}
    return system.of({"schema": 1, "load": load, "memory": memory, "devices": [place]})


def saved(folder, content, name="report"):
    path = folder / name
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("reports", "why"),
    [
        ([NVME | {"power_on_hours": 0}], "counts no whole hour that the drive was on"),
        ([NVME, NVME | {"data_units_written": 10_900_000}], "counts no whole hour that the drive was on"),
        ([{"percent_used": 3, "data_units_written": 9}], "does not say how long the drive was on"),
    ],
)
def test_what_is_no_rate_is_left_out_with_its_reason(tmp_path, reports, why):
    read = [smart.read(saved(tmp_path, report, str(number))) for number, report in enumerate(reports)]
    compared, notes = system_check.compared(planned(), smart=read[-1].since(read[0]) if read[1:] else read[0])
    assert compared == []
    assert sum(why in note for note in notes) == 1


@pytest.mark.parametrize(("used", "tells"), [(0, False), (1, False), (20, True)])
def test_wear_in_whole_percents_is_held_against_the_prediction_only_where_it_is_fine_enough(tmp_path, used, tells):
    """In an hour 0.03 % were predicted: a step of the counter less, or more, says nothing."""
    ahead = system_check.predicted(planned())
    assert ahead.worn_per_s * 3600 < 0.01
    report = {"data_units_written": 1, "power_on_hours": 1, "percent_used": used}
    rows, _ = system_check.compared(planned(), smart=smart.read(saved(tmp_path, report, "smart")))
    (worn,) = [each for each in rows if each.quantity == "rated life used in a year"]
    assert worn.tells == tells == math.isfinite(worn.distance)
    assert worn.said.startswith("it wears faster" if tells else "too short to tell")


def test_of_one_percent_between_two_reports_nothing_may_have_been_used(tmp_path):
    reports = [
        smart.read(saved(tmp_path, {"data_units_written": 1, "power_on_hours": at, "percent_used": used}, str(at)))
        for at, used in ((100, 3), (102, 4))  # 0.04 - 0.03 is a little more than 0.01
    ]
    rows, _ = system_check.compared(planned(), smart=reports[1].since(reports[0]))
    (worn,) = [each for each in rows if each.quantity == "rated life used in a year"]
    assert "so that it is 0 to 175" in worn.said  # 2 % in an hour of 8760: two that are counted


def day(ahead, factor, hours, seconds):
    """What a drive counts that for so many seconds was written to at a multiple of what was predicted."""
    units = round(ahead.written_bytes_per_s * factor * seconds / smart.DATA_UNIT_BYTES)
    return {"data_units_written": 10**7 + units, "power_on_hours": 1000 + hours, "percent_used": 3}


@pytest.mark.parametrize(
    ("factor", "hours", "minutes", "said", "least"),
    [
        (1.0, 1, 119, "too short to tell: whole hours are counted", None),
        (1.0, 2, 61, "too short to tell: whole hours are counted", None),
        (0.9, 1, 119, "too short to tell: whole hours are counted", None),
        (1.7, 1, 119, "more is written than predicted; whole hours are counted", 1.7 * 119 / 120),
        (9.0, 1, 90, "more is written than predicted: the load or the system is another one; whole", 9 * 90 / 120),
        (0.2, 10, 601, "less is written than predicted: the load or the system is another one; whole", 0.2 * 601 / 540),
        (3.0, 300, 18_001, "more is written than predicted: the load or the system is another one", 3.0),
        (1.0, 300, 18_001, "as predicted", 1.0),
    ],
)
def test_a_rate_over_whole_hours_is_told_from_the_predicted_only_where_it_surely_differs(
    tmp_path, factor, hours, minutes, said, least
):
    """Between a counter of 1000 and one of 1001 lie up to two hours."""
    ahead = system_check.predicted(planned())
    reports = [
        smart.read(saved(tmp_path, day(ahead, factor, *when), str(number)))
        for number, when in enumerate([(0, 0), (hours, 60 * minutes)])
    ]
    rows, _ = system_check.compared(planned(), smart=reports[1].since(reports[0]))
    (written,) = [each for each in rows if each.quantity == "written to a device a day, by SMART"]
    assert written.said.startswith(said)
    assert written.tells == (least is not None) == math.isfinite(written.distance)
    if least is not None:
        assert written.distance == pytest.approx(least - 1, rel=0.02, abs=0.01)
    if factor == 3.0:
        assert written.said == said, "of 300 hours one more or less says nothing new"


@pytest.mark.parametrize(
    ("counter", "step_bytes", "tells"),
    [("Lifetime_Writes_GiB", 1 << 30, False), ("Total_LBAs_Written", 512, True)],
)
def test_a_counter_of_whole_gigabytes_may_have_gone_up_a_moment_ago(tmp_path, counter, step_bytes, tells):
    """Half a step was predicted in these hours, a whole one is counted: twice as much, or just the end of one."""
    seldom = planned(rate_hz=0.2)
    hours = round((1 << 29) / system_check.predicted(seldom).written_bytes_per_s / 3600)
    assert hours > 100
    reports = []
    for on, written_bytes in ((1000, 50 << 30), (1000 + hours, 51 << 30)):
        rows = [{"id": 241, "name": counter, "value": 99, "raw": {"value": written_bytes // step_bytes}}]
        told = {"ata_smart_attributes": {"table": rows}, "power_on_time": {"hours": on}}
        reports.append(smart.read(saved(tmp_path, told, str(on))))
    found, _ = system_check.compared(seldom, smart=reports[1].since(reports[0]))
    (written,) = [each for each in found if each.quantity == "written to a device a day, by SMART"]
    assert written.tells == tells
    assert ("whole hours and 1 GiB are counted" in written.said) == (not tells)
