"""Geometry and seek curves of disks: bijections, sums, data-sheet points, and what is refused.

Sources: docs/models/disk.md#geometry and docs/models/disk.md#seek-curves.
"""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import catalogue
from pagecost.answers.disk_runs import disks
from pagecost.devices.disk import SECTOR_BYTES, Disk, Geometry, Table, Zone, random_requests
from pagecost.devices.disk.seek import PUBLISHED, Constant, Lee, Root, TwoPart, fitted, mean_seek_s
from pagecost.errors import ModelError

MS = 1e-3


def disk(name: str) -> Disk:
    return Disk.of(catalogue.device(name))


@pytest.mark.parametrize("name", disks())
def test_every_sector_has_one_place_and_every_place_one_sector(name):
    model = disk(name)
    lbn = np.random.default_rng(1).integers(0, model.geometry.sectors, 100_000)
    firsts = model.geometry.table()[:, 0]
    edges = np.concatenate([firsts, np.maximum(firsts - 1, 0), [model.geometry.sectors - 1]])
    lbn = np.concatenate([lbn, edges])
    cylinder, head, sector, angle = model.places(lbn)
    assert (model.geometry.sector_numbers(cylinder, head, sector) == lbn).all()
    assert ((angle >= 0) & (angle < 1)).all()


@pytest.mark.parametrize("name", disks())
def test_the_zones_hold_the_capacity_to_the_sector(name):
    model = disk(name)
    product = sum(zone.cylinders * zone.track_sectors for zone in model.geometry.zones) * model.geometry.heads
    spare = product - model.geometry.sectors
    assert 0 <= spare < model.geometry.heads * model.geometry.zones[-1].track_sectors
    stated = catalogue.device(name).value("capacity_bytes")
    assert model.geometry.capacity_bytes == pytest.approx(stated, rel=2e-5)  # digits as printed, or one sector


def test_a_small_disk_is_counted_off_by_hand():
    """Two heads, skews 1 and 2: the first sector of each next track starts one, of each next cylinder two later."""
    geometry = Geometry(heads=2, zones=(Zone(cylinders=3, track_sectors=4, track_skew=1, cylinder_skew=2),), sectors=24)
    model = Disk(name="toy", geometry=geometry, rotation_hz=100.0, curve=Constant(1e-3))
    cylinder, head, sector, angle = model.places(np.arange(24))
    assert cylinder.tolist() == [0] * 8 + [1] * 8 + [2] * 8
    assert head.tolist() == ([0] * 4 + [1] * 4) * 3
    assert sector.tolist() == [0, 1, 2, 3] * 6
    assert angle[::4].tolist() == [0, 0.25, 0.75, 0, 0.5, 0.75]


@st.composite
def geometries(draw):
    zones = draw(
        st.lists(
            st.builds(
                Zone,
                cylinders=st.integers(1, 50),
                track_sectors=st.integers(1, 200),
                track_skew=st.integers(0, 300),
                cylinder_skew=st.integers(0, 300),
            ),
            min_size=1,
            max_size=20,
        )
    )
    heads = draw(st.integers(1, 20))
    product = sum(zone.cylinders * zone.track_sectors for zone in zones) * heads
    spare = draw(st.integers(0, min(product - 1, heads * zones[-1].track_sectors - 1)))
    return Geometry(heads=heads, zones=tuple(zones), sectors=product - spare)


@settings(max_examples=60, deadline=None)
@given(geometry=geometries())
def test_any_geometry_is_a_bijection_that_walks_on_by_one(geometry):
    if geometry.cylinders < 2:
        return
    model = Disk(name="drawn", geometry=geometry, rotation_hz=100.0, curve=Constant(1e-3))
    lbn = np.unique(np.linspace(0, geometry.sectors - 1, 5000).astype(np.int64))
    cylinder, head, sector, angle = model.places(lbn)
    assert (geometry.sector_numbers(cylinder, head, sector) == lbn).all()
    assert cylinder.max() < geometry.cylinders
    assert (np.diff(cylinder * geometry.heads + head) >= 0).all()
    assert ((angle >= 0) & (angle < 1 + 1e-9)).all()
    assert geometry.cylinder_of(int(lbn[-1])) == cylinder[-1]


@settings(max_examples=60, deadline=None)
@given(
    capacity=st.floats(1e8, 1e13),
    heads=st.integers(1, 20),
    outer=st.floats(1e6, 5e8),
    share=st.floats(0.3, 1.0),
    switch=st.floats(0, 5e-3),
)
def test_a_data_sheet_gives_zones_that_hold_its_capacity_at_its_rates(capacity, heads, outer, share, switch):
    try:
        geometry = Geometry.zoned(
            capacity_bytes=capacity,
            heads=heads,
            rotation_hz=120.0,
            outer_bytes_per_s=outer,
            inner_bytes_per_s=outer * share,
            track_switch_s=switch,
            cylinder_switch_s=switch,
        )
    except ModelError as error:
        if "too small" not in str(error):
            raise
        return
    assert geometry.sectors == int(capacity // SECTOR_BYTES)
    for zone, rate in ((geometry.zones[0], outer), (geometry.zones[-1], outer * share)):
        sequential = zone.track_sectors * SECTOR_BYTES / (1 / 120 + switch)
        # a track is a whole number of sectors, at most half a sector off the exact one, which may be the smaller
        assert sequential == pytest.approx(rate, rel=0.5 / (zone.track_sectors - 0.5) + 1e-9)


@pytest.mark.parametrize("name", ["wd400bb", "hp-97560"])
def test_the_mean_of_a_million_random_seeks_is_the_data_sheets_average(name):
    model, average = disk(name), catalogue.device(name).value("average_seek_read_s")
    first, second = np.random.default_rng(2).integers(0, model.geometry.cylinders, (2, 1_000_000))
    assert model.seek_s(np.abs(first - second)).mean() == pytest.approx(average, rel=0.01)


@pytest.mark.parametrize("name", disks())
def test_a_longer_seek_never_takes_less_time(name):
    model = disk(name)
    times = model.seek_s(np.arange(model.geometry.cylinders))
    steps = np.diff(times)
    assert times[0] == 0
    assert (steps >= -5e-6).all(), "the HP 97560's rounded constants step down by 4 µs at cylinder 383"
    assert np.count_nonzero(steps < 0) <= 1
    assert (model.seek_s(np.arange(model.geometry.cylinders), write=True) >= times).all()


# docs/models/disk.md#seek-curves, worked fits: A = a √N, B = b N [ms], mean over 10 % and 1 % of the cylinders
@pytest.mark.parametrize(
    ("points", "root", "linear", "tenth"),
    [((0.8, 8.2, 14.7), 13.833, 0.067, 3.14), ((0.2, 3.5, 7.4), 4.5, 2.7, 1.05), ((2.0, 8.9, 21), 2.833, 16.167, 3.02)],
)
def test_lees_curve_has_the_published_constants(points, root, linear, tenth):
    cylinders = 50_000
    low, average, high = (point * MS for point in points)
    curve, said = fitted(cylinders, average, low, high)
    assert isinstance(curve, Lee)
    assert said == ""
    assert curve.a * cylinders**0.5 == pytest.approx(root * MS, abs=0.001 * MS)
    assert curve.b * cylinders == pytest.approx(linear * MS, abs=0.001 * MS)
    assert curve(1) == pytest.approx(low)
    assert curve(cylinders) == pytest.approx(high, rel=1e-3)
    assert mean_seek_s(curve, cylinders) == pytest.approx(average, rel=1e-3)
    assert mean_seek_s(curve, cylinders // 10) == pytest.approx(tenth * MS, abs=0.01 * MS)


def test_where_lees_curve_would_fall_a_root_and_a_line_keep_the_three_points_and_it_is_said():
    """Hitachi 5K320: 1, 12, 20 ms give Lee a linear term of -4.333 ms: still rising; 0.5, 12, 15 ms would fall."""
    cylinders = 60_000
    curve, said = fitted(cylinders, 12 * MS, 1 * MS, 20 * MS)
    assert isinstance(curve, Lee)
    assert curve.b * cylinders == pytest.approx(-4.333 * MS, abs=0.001 * MS)
    curve, said = fitted(cylinders, 12 * MS, 0.5 * MS, 15 * MS)
    assert isinstance(curve, TwoPart)
    assert "Lee's curve would fall" in said
    assert curve(1) == pytest.approx(0.5 * MS)
    assert curve(cylinders) == pytest.approx(15 * MS)
    assert mean_seek_s(curve, cylinders) == pytest.approx(12 * MS, rel=1e-3)
    assert (np.diff(curve(np.arange(1, cylinders))) >= -1e-12).all()


def test_what_a_data_sheet_leaves_out_is_said():
    curve, said = fitted(10_000, 8 * MS, 1 * MS)
    assert isinstance(curve, Root)
    assert "full stroke is not known" in said
    assert mean_seek_s(curve, 10_000) == pytest.approx(8 * MS, rel=1e-3)
    curve, said = fitted(10_000, 8 * MS)
    assert isinstance(curve, Constant)
    assert "order saves rotation only" in said
    assert any("number of heads is not known" in note for note in disk("cheetah-15k5").notes)
    assert any("head switch is not stated" in note for note in disk("wd400bb").notes)


def test_the_hp_97560_is_continuous_and_has_the_published_expectations():
    """The values of docs/models/disk.md#seek-curves."""
    curve, cylinders = PUBLISHED["hp-97560"], 1962
    assert curve.a + curve.b * 383**0.5 == pytest.approx(11.068 * MS, abs=0.0005 * MS)
    assert curve(383) == pytest.approx(11.064 * MS, abs=0.0005 * MS)
    assert curve(1961) == pytest.approx(23.69 * MS, abs=0.005 * MS)
    assert mean_seek_s(curve, cylinders) == pytest.approx(12.83 * MS, abs=0.005 * MS)
    assert curve(cylinders / 3) == pytest.approx(13.23 * MS, abs=0.005 * MS)
    assert disk("hp-97560").curve == curve


def test_the_misprint_in_a_public_table_of_the_hp_97560_is_found_by_continuity():
    with pytest.raises(ModelError, match=r"boundary of 383 cylinders; its parts give 11.068 and 10.064 ms"):
        TwoPart(3.24e-3, 0.400e-3, 7.00e-3, 0.008e-3, 383)


def test_a_write_settles_longer_but_a_neighbouring_track_has_its_own_time():
    model = disk("cheetah-15k5")
    assert model.seek_s(1, write=True) == pytest.approx(0.4 * MS)
    assert model.seek_s(1) == pytest.approx(0.2 * MS)
    assert model.seek_s(1000, write=True) - model.seek_s(1000) == pytest.approx(0.5 * MS)
    assert model.seek_s(0, write=True) == 0


def test_impossible_disks_are_refused_in_a_sentence():
    zone = Zone(cylinders=10, track_sectors=100)
    sheet = {"capacity_bytes": 1e10, "heads": 4, "rotation_hz": 120.0}
    model = disk("wd400bb")
    for wrong, sentence in [
        (lambda: Geometry(heads=2, zones=(zone,), sectors=2001), "does not multiply out: 2 heads and 10 cylinders"),
        (lambda: Geometry(heads=2, zones=(zone,), sectors=1800), "hold 2000 sectors; the disk has 1800"),
        (lambda: Geometry(heads=0, zones=(zone,), sectors=0), "at least one head; got 0"),
        (lambda: Geometry(heads=1, zones=(), sectors=0), "at least one zone"),
        (lambda: Zone(cylinders=0, track_sectors=9), "at least one cylinder; got 0"),
        (lambda: Zone(cylinders=1, track_sectors=9, track_skew=-1), "track_skew must not be negative; got -1"),
        (lambda: Geometry.zoned(**sheet, outer_bytes_per_s=1e7, inner_bytes_per_s=2e7), "must not be faster"),
        (lambda: Geometry.zoned(**sheet, outer_bytes_per_s=1e7, inner_bytes_per_s=0), "must be positive; got 0"),
        (lambda: fitted(100, 1 * MS, 2 * MS, 3 * MS), "must rise from track-to-track to average to full stroke; got 2"),
        (lambda: fitted(100, 9 * MS, 1 * MS, 8 * MS), "must rise .*; got 1, 9, 8 ms"),
        (lambda: fitted(100, 9.9 * MS, 1 * MS, 10 * MS), "no rising seek curve goes through 1, 9.9, 10 ms"),
        (lambda: fitted(1, 9 * MS), "at least two cylinders; got 1"),
        (lambda: dataclasses.replace(model, rotation_hz=0), "rotation_hz must be positive; got 0"),
        (lambda: dataclasses.replace(model, overhead_s=-1), "overhead_s must not be negative; got -1"),
        (lambda: dataclasses.replace(model, curve=Lee(-1.0, 0.0, 1.0)), "seek curve must rise"),
        (lambda: model.places([-1]), "sectors 0..78166014; got -1"),
        (lambda: model.places([model.geometry.sectors]), "must lie in sectors 0..78166014; got 78166015"),
        (lambda: disk("hitachi-5k320"), "hitachi-5k320: .* is not known"),
    ]:
        with pytest.raises(ModelError, match=sentence):
            wrong()


def test_a_table_of_seek_times_is_read_between_its_points_and_beyond():
    table = Table((1, 10, 100, 1000), (1e-3, 2e-3, 5e-3, 8e-3))
    assert table([0, 1, 10, 55, 1000]) == pytest.approx([0, 1e-3, 2e-3, 3.5e-3, 8e-3])
    assert table(1900) == pytest.approx(8e-3 + 900 * 3e-3 / 900)
    assert Table((1,), (4e-3,))([0, 1, 500]) == pytest.approx([0, 4e-3, 4e-3])
    made = dataclasses.replace(Disk.of(catalogue.device("wd400bb")), curve=table)
    assert made.seek_s(55) == pytest.approx(3.5e-3)
    assert made == dataclasses.replace(made, curve=Table([1, 10, 100, 1000], [1e-3, 2e-3, 5e-3, 8e-3]))


def test_a_table_of_a_published_curve_is_that_curve():
    """The HP 97560's two parts, tabulated at every 50 cylinders: within 2 % beyond the first points of the root."""
    disk = Disk.of(catalogue.device("hp-97560"))
    points = np.unique(np.r_[1, 2, 4, 8, 16, 30, np.arange(50, disk.geometry.cylinders, 50)])
    table = Table(tuple(points), tuple(disk.curve(points)))
    distance = np.arange(1, disk.geometry.cylinders)
    assert table(distance) == pytest.approx(disk.curve(distance), rel=0.02)
    as_table = dataclasses.replace(disk, curve=table)
    means = [random_requests(each, each.geometry.sectors, 8).service_s for each in (disk, as_table)]
    assert means[1] == pytest.approx(means[0], rel=0.005)


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        (((1, 5), (1e-3,)), "a time for each distance; got 2 and 1"),
        (((2, 5), (1e-3, 2e-3)), "begins with one cylinder; got 2"),
        (((1, 5, 5), (1e-3, 2e-3, 3e-3)), "distances of a seek table must rise"),
        (((1, 5), (0.0, 2e-3)), "must be above 0; got 0 s"),
    ],
)
def test_a_table_that_is_none_is_refused(points, sentence):
    with pytest.raises(ModelError, match=sentence):
        Table(*points)


def test_a_table_that_falls_makes_no_disk():
    with pytest.raises(ModelError, match="the seek curve must rise with the distance"):
        dataclasses.replace(Disk.of(catalogue.device("wd400bb")), curve=Table((1, 5), (2e-3, 1e-3)))


@pytest.mark.parametrize("cylinders", [2, 5000, 100_000])
def test_a_level_seek_curve_rises_whatever_its_level(cylinders):
    """Every seek takes the same: rounding of sums does not decide whether that is a rising curve."""
    for level_s in np.r_[5, 8, 10, np.linspace(0.5, 20, 200)] * MS:
        curve, _ = fitted(cylinders, level_s, level_s, level_s)
        assert curve(np.arange(1, cylinders)) == pytest.approx(level_s, rel=1e-9)
    with pytest.raises(ModelError, match="no rising seek curve"):
        fitted(100, 9.9 * MS, 1 * MS, 10 * MS)
