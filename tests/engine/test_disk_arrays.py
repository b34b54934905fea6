"""RAID: every sector has its own place, small writes to RAID-5 cost four requests, and what the members gain."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import catalogue
from pagecost.devices.disk import Disk
from pagecost.devices.disk.arrays import LEVELS, Array
from pagecost.errors import ModelError
from twins.disk import mirrored_pairs

DISK = Disk.of(catalogue.device("wd400bb"))


@settings(max_examples=60, deadline=None)
@given(
    level=st.sampled_from(list(LEVELS)),
    disks=st.integers(3, 9),
    unit=st.integers(1, 40),
    lbn=st.integers(0, 10_000),
    sectors=st.integers(1, 300),
)
def test_a_read_touches_every_sector_once_in_a_place_of_its_own(level, disks, unit, lbn, sectors):
    disks += level == 10 and disks % 2
    array = Array(disks=disks, level=level, unit_sectors=unit)
    together = array.place([lbn], [sectors])
    assert together.sectors.sum() == sectors
    assert not together.write.any()
    single = array.place(np.arange(lbn, lbn + sectors), 1)
    places = set(zip(single.member.tolist(), single.lbn.tolist(), strict=True))
    if level == 10:
        assert len({(member // 2, at) for member, at in places}) == sectors, "of a pair, which of them reads"
    elif level != 1:
        assert len(places) == sectors
        spread = [
            (member, at)
            for member, first, count in zip(together.member, together.lbn, together.sectors, strict=True)
            for at in range(first, first + count)
        ]
        assert set(spread) == places
    assert together.member.max() < disks


@given(
    pairs=st.integers(1, 5),
    unit=st.integers(1, 40),
    requests=st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 200), st.booleans()), min_size=1, max_size=8),
)
def test_mirrored_pairs_are_those_of_a_twin_that_places_sector_by_sector(pairs, unit, requests):
    made = Array(disks=2 * pairs, level=10, unit_sectors=unit).place(*map(list, zip(*requests, strict=True)))
    columns = zip(made.request, made.member, made.lbn, made.sectors, made.write, strict=True)
    placed = [
        (request, member, at, write)
        for request, member, first, sectors, write in columns
        for at in range(first, first + sectors)
    ]
    assert placed == mirrored_pairs(2 * pairs, unit, requests)


def test_neighbouring_units_of_a_pair_are_read_from_both_its_disks_by_place():
    array = Array(disks=4, level=10, unit_sectors=8, mirror_reads="by place")
    assert array.place(np.arange(0, 64, 8), 8).member.tolist() == [0, 2, 1, 3, 0, 2, 1, 3]


@given(disks=st.integers(3, 9), unit=st.integers(1, 40), rows=st.integers(1, 30))
def test_parity_never_lies_on_a_data_disk_of_its_row_and_moves_evenly(disks, unit, rows):
    array = Array(disks=disks, level=5, unit_sectors=unit)
    lbn = np.arange(0, rows * disks * (disks - 1) * unit, unit)
    asked = array.place(lbn, 1, np.ones(lbn.size, bool))
    data, parity = asked.member[0::4], asked.member[1::4]
    assert (data != parity).all()
    assert (asked.member[2::4] == data).all()
    assert (asked.member[3::4] == parity).all()
    assert (np.bincount(parity, minlength=disks) == rows * (disks - 1)).all()
    assert (np.bincount(data, minlength=disks) == rows * (disks - 1)).all()


def test_a_small_write_is_one_two_or_four_requests():
    """docs/models/economics.md#sizing: the penalty of RAID 0, 1, 5 and 10."""
    for level, disks, penalty in ((0, 4, 1), (1, 2, 2), (5, 4, 4), (10, 8, 2)):
        asked = Array(disks=disks, level=level).place(np.arange(0, 8000, 8), 8, np.ones(1000, bool))
        assert asked.request.size == 1000 * penalty
        reads = np.count_nonzero(~asked.write)
        assert reads == (2000 if level == 5 else 0)


def test_members_share_random_reads_and_raid_5_pays_for_writes():
    lbn = np.random.default_rng(1).integers(0, 1_000_000, 8000) * 8
    one = Array(disks=1, level=0).throughput(DISK, lbn, 8)
    wide = np.random.default_rng(1).integers(0, 4_000_000, 8000) * 8
    assert Array(disks=4, level=0).throughput(DISK, wide, 8) == pytest.approx(4 * one, rel=0.06)
    assert Array(disks=2, level=1).throughput(DISK, lbn, 8) == pytest.approx(2 * one, rel=0.06)
    writes = np.ones(lbn.size, bool)
    mirrored = Array(disks=2, level=1).throughput(DISK, lbn, 8, writes)
    assert mirrored == pytest.approx(Array(disks=1, level=0).throughput(DISK, lbn, 8, writes), rel=0.01)
    striped = Array(disks=4, level=0).throughput(DISK, wide, 8, writes)
    parity = Array(disks=4, level=5).throughput(DISK, wide, 8, writes)
    assert striped / 4 < parity < striped / 2, "a write that follows its own read waits a turn, not a seek"


def test_capacity_is_that_of_the_data_disks():
    sectors = DISK.geometry.sectors
    assert Array(disks=4, level=0, unit_sectors=1).sectors(DISK) == 4 * sectors
    assert Array(disks=2, level=1).sectors(DISK) == sectors
    assert Array(disks=8, level=10, unit_sectors=1).sectors(DISK) == 4 * sectors
    array = Array(disks=4, level=5)
    assert 0 <= 3 * sectors - array.sectors(DISK) < 3 * 128
    last = array.place([array.sectors(DISK) - 1], 1, [True])
    assert last.lbn.max() < sectors


def test_impossible_arrays_are_refused_in_a_sentence():
    for wrong, sentence in [
        (lambda: Array(disks=4, level=6), "unknown RAID level 6; known: 0, 1, 5, 10"),
        (lambda: Array(disks=2, level=5), "RAID-5 needs at least 3 disks; got 2"),
        (lambda: Array(disks=1, level=1), "RAID-1 needs at least 2 disks; got 1"),
        (lambda: Array(disks=5, level=10), "RAID-10 needs pairs, an even number of disks; got 5"),
        (lambda: Array(disks=1, level=10), "RAID-10 needs at least 2 disks; got 1"),
        (lambda: Array(disks=1, level=0, unit_sectors=0), "at least one sector; got 0"),
        (lambda: Array(disks=1, level=0).place([-1], 1), "before sector 0; got -1"),
        (lambda: Array(disks=1, level=0).place([1], 0), "at least one sector; got 0"),
    ]:
        with pytest.raises(ModelError, match=sentence):
            wrong()


@pytest.mark.parametrize("disks", [3, 4, 8])
def test_a_whole_row_of_raid_5_costs_n_by_n_minus_1_writes_and_no_reads(disks):
    """Patterson, Gibson and Katz 1988, large writes; the parts of rows at both ends are read before."""
    array, row = Array(disks=disks, level=5), (disks - 1) * 128
    rows = array.place([0], [3 * row], [True])
    assert rows.write.all()
    assert rows.sectors.sum() == 3 * row * disks / (disks - 1)
    assert np.bincount(rows.member).tolist() == [3] * disks, "each member once a row"
    assert all(np.unique(rows.member[rows.lbn == 128 * each]).size == disks for each in range(3))
    ends = array.place([row - 8], [row + 16], [True])
    assert (~ends.write).sum() == 4, "old data and old parity of each end"
    assert ends.write.sum() == 4 + disks
    short = array.place([0], [row - 1], [True])
    assert short.request.size == 4 * (disks - 1)


def test_a_whole_row_is_written_in_one_round():
    array = Array(disks=4, level=5)
    whole, part = (array.serve(DISK, [0.0], [0], sectors, [True]) for sectors in (384, 383))
    assert whole.ios == 4
    assert part.ios == 12
    assert whole.response_s[0] < part.response_s[0] - 0.5 * DISK.turn_s
