"""Arrays with queues, the shingled disk, and their studies: laws, closed forms, four accesses for a small write."""

import numpy as np
import pytest

from pagecost import catalogue, system
from pagecost.answers import MEMORY, disk_runs
from pagecost.devices.disk import Array, Disk, Session, Shingled, open_wait_s
from pagecost.errors import ModelError
from pagecost.studies.disk import disk_arrays, disk_sharing, shingled_disk
from twins.disk import array as array_by_hand

DISK = Disk.of(catalogue.device("wd400bb"))
ARCHIVE = catalogue.device("seagate-archive-v2-8tb")


def poisson(count, rate, seed=1):
    random = np.random.default_rng(seed)
    return np.cumsum(random.exponential(1 / rate, count)), random.integers(0, 1_000_000, count) * 8


def test_an_array_of_one_disk_is_that_disk():
    arrival_s, lbn = poisson(4000, 50.0)
    run = Array(disks=1, level=0).serve(DISK, arrival_s, lbn, 8)
    alone = Session(DISK, closed=False).serve(lbn, 8, arrival_s=arrival_s)
    assert run.response_s == pytest.approx(alone.response_s)
    assert run.busy_s[0] == pytest.approx(alone.busy_s)


@pytest.mark.parametrize(("level", "ios"), [(0, 1), (1, 4), (5, 4), (10, 2)])
def test_every_access_is_counted_and_a_parity_write_takes_two_rounds(level, ios):
    array = Array(disks=4, level=level)
    lbn = np.arange(0, 80_000, 800)
    arrival_s = np.arange(lbn.size) * 1.0  # so far apart that nobody waits
    run = array.serve(DISK, arrival_s, lbn, 8, np.ones(lbn.size, bool))
    assert run.ios == ios * lbn.size == run.member_ios.sum()
    assert array.ios_per_request(1.0) == ios
    assert array.ios_per_request(0.0) == 1
    if level == 5:  # the write comes round a whole turn after its read, less what the read's transfer took
        reads = array.serve(DISK, arrival_s, lbn, 8)
        assert run.response_s.mean() > reads.response_s.mean() + 0.9 * DISK.turn_s


def test_who_writes_to_a_mirror_waits_for_the_later_of_two_spindles_that_are_out_of_step():
    """Platters d turns apart: the later of w and w + d (mod 1), w even over a turn, is 1/2 + d (1 - d) in the mean."""
    _, lbn = poisson(20_000, 50.0)
    arrival_s = np.arange(lbn.size) * 0.1 + np.random.default_rng(3).random(lbn.size) * DISK.turn_s  # nobody waits
    write, apart = np.ones(lbn.size, bool), (5**0.5 - 1) / 2
    mirror, alone = (Array(disks=n, level=n - 1).serve(DISK, arrival_s, lbn, 8, write).response_s for n in (2, 1))
    assert (mirror - alone).mean() == pytest.approx(apart * (1 - apart) * DISK.turn_s, rel=0.03)


@pytest.mark.parametrize("level", [0, 1, 5, 10])
def test_an_array_answers_as_its_slow_twin_and_each_striping_unit_is_written_when_its_own_reads_are_done(level):
    random = np.random.default_rng(8)
    disks = 6 if level == 10 else 5
    array, count = Array(disks=disks, level=level, unit_sectors=16), 120
    lbn, sectors = random.integers(0, 20_000, count), random.integers(1, 60, count)
    write, arrival_s = random.random(count) < 0.6, np.cumsum(random.exponential(0.03, count))
    asked = array.place(lbn, sectors, write)
    second = asked.write & write[asked.request] & (level == 5)
    columns = (asked.request, asked.piece, asked.member, asked.lbn, asked.sectors, asked.write, second.astype(int))
    parts = list(zip(*(column.tolist() for column in columns), strict=True))
    served = array.serve(DISK, arrival_s, lbn, sectors, write)
    assert served.response_s == pytest.approx(array_by_hand(DISK, disks, parts, arrival_s.tolist()))
    if level == 5:  # to wait for all reads of the request would be something else
        whole = [(request, request, *rest) for request, _, *rest in parts]
        assert served.response_s != pytest.approx(array_by_hand(DISK, disks, whole, arrival_s.tolist()))


def test_which_member_of_a_mirror_reads_is_a_policy_of_the_array():
    lbn = np.random.default_rng(2).integers(0, 4000, 60) * 8
    write = np.arange(60) % 2 == 0
    in_turn, by_place = (Array(disks=3, level=1, mirror_reads=name) for name in ("in turn", "by place"))
    asked = in_turn.place(lbn, 8, write)
    reads = asked.member[~asked.write]
    assert reads.tolist() == [read % 3 for read in range(30)], "writes do not count"
    whole = by_place.place(lbn, 8)
    apart = [int(by_place.place([at], 8).member[0]) for at in lbn]
    assert whole.member.tolist() == apart, "the place decides, not the call"
    assert np.bincount(whole.member, minlength=3).min() > 10
    assert (by_place.place(lbn, 8, np.ones(60, bool)).member == np.tile(np.arange(3), 60)).all()
    with pytest.raises(ModelError, match="unknown policy of a mirror's reads 'nearest'; known: in turn, by place"):
        Array(disks=2, level=1, mirror_reads="nearest")


def test_busy_times_and_responses_obey_the_utilisation_law():
    arrival_s, lbn = poisson(5000, 120.0)
    write = np.random.default_rng(3).random(lbn.size) < 0.5
    for level in (0, 1, 5, 10):
        run = Array(disks=4, level=level).serve(DISK, arrival_s, lbn, 8, write)
        assert (run.busy_s <= run.elapsed_s).all()
        assert run.utilisation == run.busy_s.max() / run.elapsed_s
        assert (run.response_s > 0).all()


@pytest.mark.parametrize("request_bytes", [512, 4096, 24576, 33280, 49152, 65536])
def test_the_study_of_arrays_agrees_with_its_formulas(request_bytes):
    """To 2 %: of disks that always have work somebody comes between the two rounds of parity, which save no seek."""
    levels = ("raid-0", "raid-1", "raid-5", "raid-10")
    inputs = disk_arrays.STUDY.inputs({"request_bytes": request_bytes, "levels": levels})
    result = disk_arrays.STUDY.compute(inputs)
    for level in levels:
        rows = result.rows(level=level)
        assert result["iops"][rows] == pytest.approx(result["theory_iops"][rows], rel=0.02)
    assert result["counted_ios"] == pytest.approx(result["ios_per_request"], rel=0.03)
    responses = result.tables["responses"]
    for formula in responses.rows(way="formula"):
        level, disks = str(responses["level"][formula]), responses["disks"][formula]
        (row,) = responses.rows(way="simulated", level=level, disks=disks)
        theory_s = responses["response_s"][formula]
        room = max(3 * responses["half_width_s"][row], 0.02 * theory_s)
        assert abs(responses["response_s"][row] - theory_s) < room, (level, disks)
    assert len(disk_arrays.STUDY.explain(inputs, result)) == len(levels)


@pytest.mark.parametrize("sectors", [1, 8, 48, 65, 96, 128])
@pytest.mark.parametrize("level", [0, 1, 5, 10])
def test_requests_of_the_study_lie_within_one_striping_unit_whatever_their_size(sectors, level):
    array, count = Array(disks=4 if level == 10 else 3, level=level), 20_000
    asked = (array.sectors(DISK), sectors, 0.0, count, 1, 0)
    lbn, _ = disk_runs.requests(*asked, array.unit_sectors)
    assert array.place(lbn, sectors).request.size == count
    assert (lbn // 128 == (lbn + sectors - 1) // 128).all()
    within = np.unique(lbn % 128)
    assert within.tolist() == [place * sectors for place in range(128 // sectors)], "as many places as fit"
    assert lbn.max() > 0.999 * array.sectors(DISK)
    if 128 % sectors == 0:
        assert (lbn == disk_runs.requests(*asked)[0]).all(), "aligned to their size is within a unit"


def test_what_a_system_calls_raid_1_are_mirrored_pairs_and_each_pair_is_a_mirror_of_two():
    """Eight disks do four times what two do, as sizing and the check of a system count; one mirror of all does not."""
    eight = system.System().changed(
        {"devices.database.device": "cheetah-15k5", "devices.database.count": 8, "devices.database.level": "raid-1"}
    )
    inputs = disk_arrays.STUDY.inputs({"write_share": 0.3}, system=eight)
    assert inputs.levels[0] == "raid-10"
    result = disk_arrays.STUDY.compute(inputs)
    (pair,) = result.rows(level="raid-1", disks=2)
    for row in result.rows(level="raid-10"):
        pairs = result["disks"][row] / 2
        assert result["theory_iops"][row] == pytest.approx(pairs * result["theory_iops"][pair])
        assert result["iops"][row] == pytest.approx(pairs * result["iops"][pair], rel=0.02)
    (row,), (parity,) = (result.rows(level=level, disks=8) for level in ("raid-10", "raid-5"))
    assert result["iops"][row] > 1.4 * result["iops"][parity]


def test_a_pair_of_raid_10_is_raid_1_of_two():
    arrival_s, lbn = poisson(3000, 100.0)
    write = np.random.default_rng(5).random(lbn.size) < 0.4
    found = [Array(disks=2, level=level).serve(DISK, arrival_s, lbn, 8, write) for level in (1, 10)]
    assert (found[0].response_s == found[1].response_s).all()


def test_a_mirror_that_only_reads_waits_as_its_formula_says():
    """Its members take the reads in turn: at random at each they would wait up to twelve times as long."""
    for rate in (100.0, 600.0, 1000.0):
        levels = ("raid-1", "raid-10")
        asked = {"write_share": 0.0, "requests_per_s": rate, "requests": 10_000, "levels": levels}
        inputs = disk_arrays.STUDY.inputs(asked)
        result = disk_arrays.STUDY.compute(inputs)
        assert any("take its reads in turn" in note for note in result.notes)
        responses = result.tables["responses"]
        compared = dict.fromkeys(levels, 0)
        for formula in responses.rows(way="formula"):
            level = str(responses["level"][formula])
            disks, theory_s = responses["disks"][formula], responses["response_s"][formula]
            (row,) = responses.rows(way="simulated", level=level, disks=disks)
            room = 2 * responses["half_width_s"][row] + 0.07 * theory_s
            assert abs(responses["response_s"][row] - theory_s) < room, (rate, level, disks)
            compared[level] += 1
        assert min(compared.values()) >= 1


@pytest.mark.parametrize("variation", [0.1, 0.15, 0.3])
@pytest.mark.parametrize("members", [2, 3, 4, 8, 16])
@pytest.mark.parametrize("load", [0.3, 0.6, 0.8, 0.9])
def test_the_wait_where_members_take_turns_is_that_of_lindleys_recursion(members, load, variation):
    random, count = np.random.default_rng(members), 600_000
    service = random.gamma(1 / variation, variation, count)  # 1 on average
    arrival = np.cumsum(random.exponential(1 / (load * members), members * (count + 1)))[::members]  # of one member
    behind = np.cumsum(np.append(0.0, service - np.diff(arrival)))
    wait = (behind - np.minimum.accumulate(behind)).mean()  # how far it is above its lowest so far
    assert 1 + open_wait_s(1.0, variation, load, 1 / members) == pytest.approx(1 + wait, rel=0.07)
    assert wait < 0.7 * open_wait_s(1.0, variation, load)  # of arrivals at random


def test_the_largest_throughput_does_not_depend_on_what_is_offered():
    """Of RAID-5 with writes only it is disks / (4 x service): at it, somebody always comes between read and write."""
    found = []
    for rate in (1e-3, 40.0, 100.0, 1000.0):
        inputs = disk_arrays.STUDY.inputs({"levels": ("raid-5",), "write_share": 1.0, "requests_per_s": rate})
        result = disk_arrays.STUDY.compute(inputs)
        assert result["iops"] == pytest.approx(result["theory_iops"], rel=0.02)
        found.append(result["iops"].tolist())
    assert found[1:] == found[:-1]


def test_arrays_refuse_bad_requests_in_a_sentence():
    array = Array(disks=2, level=0)
    for wrong, sentence in [
        (lambda: array.serve(DISK, [0.0], [2 * DISK.geometry.sectors], 8), "of the array"),
        (lambda: array.serve(DISK, [1.0, 0.5], [0, 8], 8), "must not fall"),
        (lambda: array.serve(DISK, [1.0], [0, 8], 8), "one length"),
    ]:
        with pytest.raises(ModelError, match=sentence):
            wrong()


def archive(**changes):
    return Shingled.of(ARCHIVE, **{"band_bytes": 3e7, "map_entries": 20_000} | changes)


def test_random_writes_are_fast_until_the_cache_is_full_and_then_follow_the_formula():
    disk = archive()
    took_s = disk.random_writes_s(8e11, 4096, 8 * 20_000)
    assert took_s[:20_000] == pytest.approx(4096 / disk.outer_bytes_per_s)
    late = took_s[60_000:]
    assert late.size / late.sum() == pytest.approx(disk.sustained_rate(8e11, 4096), rel=0.02)
    assert disk.clean_s == pytest.approx(0.4)


def test_the_whole_disk_collapses_to_some_writes_a_second_and_a_stream_does_not():
    """Between 3 and 10, as the catalogue recalls; band and map are assumed, so this is their order of size only."""
    disk = archive(map_entries=200_000)
    known = ARCHIVE.parameter("sustained_random_write_iops")
    assert known.low < disk.sustained_rate(8e12, 4096) < known.high
    assert 4096 / disk.sequential_write_s(4096) == pytest.approx(150e6)


def slow_twin(bands, entries, append_s, clean_s):
    """The media cache as a list of bands."""
    cache, times = [], []
    for band in bands:
        time = append_s
        while len(cache) == entries:  # gone entries leave their place only when they are the oldest
            victim = cache[0]
            cache = [None if each == victim else each for each in cache]
            time += clean_s
            while cache and cache[0] is None:
                cache.pop(0)
        cache.append(band)
        times.append(time)
    return times


def test_the_cache_agrees_with_a_slow_twin():
    for seed in range(1, 6):
        disk = archive(map_entries=7, band_bytes=1e6)
        bands = np.random.default_rng(seed).integers(0, 5, 200)
        took_s = disk.random_writes_s(5e6, 4096, 200, seed)
        assert took_s == pytest.approx(slow_twin(bands.tolist(), 7, 4096 / disk.outer_bytes_per_s, disk.clean_s))


@pytest.mark.long
@pytest.mark.parametrize("study", [disk_arrays, disk_sharing, shingled_disk])
def test_every_preset_is_answered(study):
    for preset in (None, *study.STUDY.presets):
        fewer = {"requests": 200} if study is disk_arrays else {"seed": 2}
        inputs = study.STUDY.inputs(fewer, preset=preset)
        result = study.STUDY.compute(inputs)
        assert len(result) > 0
        assert result.notes
        assert study.STUDY.explain(inputs, result)


def test_the_caches_end_in_the_study_too_and_a_stream_knows_no_cliff():
    result = shingled_disk.STUDY.compute(shingled_disk.STUDY.inputs())
    for series in ("memory", "shingled"):
        rate = result["iops"][result.rows(series=series)]
        assert rate[0] > 5 * rate[-1]
    plain = result["iops"][result.rows(series="none")]
    assert plain.max() < 1.3 * plain.min()
    stream = shingled_disk.STUDY.compute(shingled_disk.STUDY.inputs(preset="sequential writes"))
    rate = stream["iops"][stream.rows(series="shingled")]
    assert rate.max() == pytest.approx(rate.min())


def test_bad_shingled_disks_are_refused_in_a_sentence():
    for wrong, sentence in [
        ({"band_bytes": 0}, "band_bytes must be positive; got 0"),
        ({"map_entries": 0}, "at least one write; got 0"),
        ({"band_bytes": 1e14}, "at least one band"),
    ]:
        with pytest.raises(ModelError, match=sentence):
            archive(**wrong)
    with pytest.raises(ModelError, match="wd400bb"):
        shingled_disk.STUDY.inputs({"shingled": "wd400bb"})


def test_an_array_of_a_changed_disk_is_simulated_as_it_is_and_its_run_is_remembered():
    inputs = disk_arrays.STUDY.inputs({"levels": ("raid-0",), "requests": 200})
    was = disk_arrays.STUDY.compute(inputs)["iops"]
    held = len(MEMORY)
    with catalogue.using(catalogue.device("wd400bb").replaced("rotation_hz", 250.0)):
        faster = disk_arrays.STUDY.compute(inputs)["iops"]
    assert (faster > 1.1 * was).all()
    assert len(MEMORY) > held, "another disk is another key"
    held = len(MEMORY)
    assert (disk_arrays.STUDY.compute(inputs)["iops"] == was).all()
    assert len(MEMORY) == held, "the disk as it was is found again"
