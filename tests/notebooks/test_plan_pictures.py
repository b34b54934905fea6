"""The pictures of lesson 15: what they draw is the state of the fit and of the planner."""

import re

import pytest

from pagecost import device_files, planner
from pagecost.answers import calibrations
from pagecost.calibration import gather
from pagecost.errors import ModelError
from pagecost.planner.words import percent
from pagecost.system import System
from pagecost_app.notebook import own_devices
from pagecost_app.pictures.plans import ASSUMED, MEASURED, UNKNOWN, depths, funnel, grounds, machine

PLAN = "database=2*intel-x25-m-g2-80gb:raid-0/log=1*wd800aajs:raid-0/buffer=4096"


@pytest.fixture(scope="module")
def system():
    changes = {
        "load.volume_bytes": 1e11,
        "targets.response_s": 0.05,
        "candidates.devices": ["wd800aajs", "intel-x25-m-g2-80gb"],
        "candidates.counts": [1, 2, 4],
        "candidates.buffers": [1024, 4096],
    }
    return System().changed(changes)


@pytest.fixture(scope="module")
def observations():
    return gather(calibrations.results_of("virtual-disk-depths"))


def test_each_depth_is_a_dot_on_its_line_of_littles_law(observations):
    drawn = depths(observations)
    wanted = [each for each in observations.all if each.pattern == "random read" and each.block_bytes == 4096]
    assert drawn.svg.count("<circle") == len(wanted) == 8
    assert drawn.svg.count('class="grid"') == 8
    (points,) = re.findall(r'points="([^"]*)"', drawn.svg)
    places = [tuple(map(float, point.split(","))) for point in points.split()]
    lines = re.findall(r'<line x1="(\S+)" y1="(\S+)" x2="(\S+)" y2="(\S+)" class="grid"/>', drawn.svg)
    for (x, y), line in zip(places, lines, strict=True):
        x1, y1, x2, y2 = map(float, line)
        assert y1 + (y2 - y1) * (x - x1) / (x2 - x1) == pytest.approx(y, abs=0.3)


def test_what_was_not_measured_is_said(observations):
    with pytest.raises(ModelError, match="nothing was measured of random read of 2 KiB"):
        depths(observations, block_bytes=2048)


def test_a_machine_shows_each_part_as_busy_as_the_planner_has_it(system):
    drawn = machine(system, PLAN)
    busy = planner.search(planner.candidates_of(PLAN, system)).screened.busy
    for part, shares in busy.items():
        share = float(shares[0])
        assert (f">{part}<" in drawn.svg) == (share > 0), part
        assert not share or f">{percent(share)} busy<" in drawn.svg, part
    assert "2 × Intel X25-M G2 80 GB" in drawn.words
    assert "log" in drawn.words


def test_a_funnel_and_the_grounds_say_what_the_planner_found(system):
    made = planner.plan(system, runs=0)
    drawn = funnel(made)
    assert f">{made.screened} plans by formula<" in drawn.svg
    assert f">{made.feasible} meet every target by formula<" in drawn.svg
    said = grounds(made).said
    assert list(said) == [MEASURED, ASSUMED, UNKNOWN]
    assert "200 transactions a second" in said[ASSUMED]
    assert any("data sheet" in line for line in said[ASSUMED])
    nothing = planner.plan(system.changed({"targets.budget": 1.0}), runs=0)
    with pytest.raises(ModelError, match="no plan is chosen"):
        grounds(nothing)


def test_a_lesson_has_devices_of_its_own_with_a_copy_of_the_users(tmp_path, monkeypatch):
    monkeypatch.setenv(device_files.FOLDER_VARIABLE, str(tmp_path))
    (tmp_path / "mine.toml").write_text("x", "utf8")
    own_devices.lesson_folder.cache_clear()
    folder = own_devices.lesson_folder()
    assert device_files.folder() == folder / "devices"
    assert (folder / "devices" / "mine.toml").read_text("utf8") == "x"
    assert own_devices.lesson_folder() == folder
    own_devices.lesson_folder.cache_clear()
