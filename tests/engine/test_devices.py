"""Device models: the formulas by hand, the papers' numbers, and what the models refuse."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost import catalogue, devices
from pagecost.devices import PATTERNS, TERMS, Flash, HardDisk, Measured, Rated, best_block, read_fio
from pagecost.errors import ModelError

KIB = 1024


def disk(**changes) -> HardDisk:
    """A disk with the seek times of the first fit of docs/models/disk.md#seek-curves."""
    known = {
        "name": "test-disk",
        "capacity_bytes": 100e9,
        "rotation_hz": 120.0,
        "media_bytes_per_s": 80e6,
        "average_seek_read_s": 8.2e-3,
        "average_seek_write_s": 9.2e-3,
        "track_to_track_seek_s": 0.8e-3,
        "full_stroke_seek_s": 14.7e-3,
        "overhead_s": 0.2e-3,
    }
    return HardDisk(**{**known, **changes})


def chip(**changes) -> Flash:
    """Wang 2011, Table 1."""
    known = {
        "name": "test-chip",
        "page_bytes": 4 * KIB,
        "pages_per_block": 64,
        "page_read_s": 25e-6,
        "page_program_s": 200e-6,
        "block_erase_s": 1500e-6,
    }
    return Flash(**{**known, **changes})


@pytest.mark.parametrize("name", devices.modelled())
@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_device_answers_with_named_terms_that_add_up(name, pattern):
    sizes = np.array([4, 64, 1024]) * KIB
    service = devices.load(name).service(pattern, sizes)
    assert set(service.terms) <= set(TERMS)
    assert service.total_s == pytest.approx(sum(service.terms.values()))
    assert all((values >= 0).all() for values in service.terms.values())
    assert (service.total_s > 0).all()
    merges = "copy_s" in service.terms and service.terms["copy_s"].any()  # a larger overwrite leaves less to copy
    assert merges or (np.diff(service.total_s) >= 0).all(), "a larger request is never quicker"


def test_a_random_read_is_overhead_seek_half_a_turn_and_transfer():
    terms = disk().service("random read", 80e3).terms
    assert {name: float(value) for name, value in terms.items()} == pytest.approx(
        {"overhead_s": 0.2e-3, "seek_s": 8.2e-3, "rotation_s": 1 / 240, "transfer_s": 1e-3}
    )


def test_a_sequential_request_pays_no_positioning():
    assert disk().service("sequential read", 80e3).total_s == pytest.approx(1.2e-3)


# docs/models/disk.md#random-requests: queue depth 1, 4 KB, overhead 0.2 ms, 80 MB/s
@pytest.mark.parametrize(
    ("rpm", "seek_ms", "iops"), [(5400, 12.0, 56), (7200, 8.5, 77), (10_000, 4.5, 129), (15_000, 3.5, 174)]
)
def test_random_iops_agree_with_the_table_of_the_literature(rpm, seek_ms, iops):
    model = disk(rotation_hz=rpm / 60, average_seek_read_s=seek_ms * 1e-3, full_stroke_seek_s=None)
    assert 1 / model.service("random read", 4 * KIB).total_s == pytest.approx(iops, abs=0.5)


def test_the_mean_seek_over_the_whole_disk_is_the_data_sheets_average():
    assert disk().mean_seek_s(100e9) == pytest.approx(8.2e-3)
    assert disk().mean_seek_s(100e9, write=True) == pytest.approx(9.2e-3)


# docs/models/disk.md#seek-curves, the first fit: mean seek over the inner 10 % and 1 % of the cylinders
@pytest.mark.parametrize(("part", "seek_ms"), [(0.10, 3.14), (0.01, 1.54)])
def test_a_short_stroke_shortens_the_seek_as_the_fitted_curve_says(part, seek_ms):
    assert disk().mean_seek_s(part * 100e9) == pytest.approx(seek_ms * 1e-3, abs=0.005e-3)


def test_the_seek_over_a_part_agrees_with_a_simulation_of_random_pairs():
    """Closed form against 200 000 random pairs of cylinders; 1 % is three standard errors."""
    model, cylinders, part = disk(), 100_000, 0.3
    random = np.random.default_rng(5)
    distance = np.abs(np.diff(random.integers(0, int(part * cylinders), (200_000, 2)), axis=1))
    low, average, high = 0.8e-3, 8.2e-3, 14.7e-3
    root, linear = (-10 * low + 15 * average - 5 * high) / 3, (7 * low - 15 * average + 8 * high) / 3
    seeks = np.where(distance == 0, 0, low + root * np.sqrt(distance / cylinders) + linear * distance / cylinders)
    assert model.mean_seek_s(part * 100e9) == pytest.approx(seeks.mean(), rel=0.01)


def test_overwriting_one_page_costs_the_merge_of_its_block():
    """Schmidt 2009, §3 with Wang's chip: 63 reads, 64 programs, one erase."""
    assert chip().service("random write", 4 * KIB).total_s == pytest.approx(63 * 25e-6 + 64 * 200e-6 + 1500e-6)


def test_overwriting_a_whole_block_copies_nothing():
    terms = chip().service("random write", 256 * KIB).terms
    assert terms["copy_s"] == 0
    assert terms["block_erase_s"] == pytest.approx(1500e-6)
    whole = chip().service("sequential write", 256 * KIB).total_s
    assert chip().service("random write", 256 * KIB).total_s == pytest.approx(whole)


@given(pages=st.integers(1, 300), channels=st.integers(1, 8))
def test_a_merge_programs_whole_stripes(pages, channels):
    model = chip(channels=channels)
    terms = model.service("random write", pages * 4 * KIB).terms
    copied = terms["copy_s"] / (225e-6) * channels
    stripes = terms["block_erase_s"] / 1500e-6
    assert pages + copied == pytest.approx(stripes * 64 * channels)


def test_channels_read_pages_in_parallel():
    assert chip(channels=4).service("sequential read", 64 * KIB).terms["page_read_s"] == pytest.approx(4 * 25e-6)


def test_a_rated_device_returns_its_ratings():
    model = devices.load("intel-x25-e")
    assert 1 / model.service("random read", 4 * KIB).total_s == pytest.approx(35_000)
    assert 1 / model.service("random write", 4 * KIB).total_s == pytest.approx(3300)
    large = 64 * 1024 * KIB
    assert large / model.service("sequential read", large).total_s == pytest.approx(250e6)


def rated(**changes) -> Rated:
    fields = {"random_read_iops": 8000.0, "random_write_iops": 1000.0, "rated_queue_depth": 1.0}
    rates = {"sequential_read_bytes_per_s": 180e6, "sequential_write_bytes_per_s": 80e6}
    return Rated(name="a drive", **{**fields, **rates, **changes})


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_hosts_overhead_comes_to_every_request_and_is_half_of_the_time_at_half_the_rate(pattern):
    """n½ of Hockney and Jesshope 1981: a size of overhead times rate is moved at half the rate."""
    bare, hosted = rated(), rated(host_overhead_s=1e-4)
    sizes = np.array([4096.0, 65536.0, 2.0**20])
    assert hosted.service(pattern, sizes).total_s - bare.service(pattern, sizes).total_s == pytest.approx(1e-4)
    if pattern == "sequential read":
        assert 18000 / hosted.service(pattern, 18000.0).total_s == pytest.approx(90e6)


def test_the_hosts_overhead_counts_in_the_time_of_one_request_alone():
    one = rated(host_overhead_s=1e-4, read_latency_s=1.5e-4)
    assert one.service("random read", 4096).latency_s == pytest.approx(2.5e-4)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"host_overhead_s": -1.0}, "host_overhead_s must not be negative; got -1.0"),
        ({"host_overhead_s": 1e-4, "rated_queue_depth": 32.0}, "one request outstanding only; rated_queue_depth is 32"),
    ],
)
def test_a_hosts_overhead_that_cannot_be_is_refused(changes, said):
    with pytest.raises(ModelError, match=said):
        rated(**changes)


def test_a_rated_block_is_the_smallest_that_random_requests_move():
    model = devices.load("intel-x25-e")
    assert model.service("random read", 512).total_s == model.service("random read", 4 * KIB).total_s


def test_a_measured_device_returns_what_was_measured_and_interpolates_between():
    model = devices.load("fio-virtual-disk")
    assert isinstance(model, Measured)
    sizes, times, _ = model.curve("random read", 1)
    assert model.service("random read", sizes).total_s == pytest.approx(times)
    between = model.service("random read", np.sqrt(sizes[0] * sizes[1])).total_s
    assert between == pytest.approx(np.sqrt(times[0] * times[1]))


def test_a_measured_device_claims_nothing_outside_what_was_measured():
    model = devices.load("fio-virtual-disk")
    assert np.isnan(model.service("random read", [512, 64 * 1024 * KIB]).total_s).all()


def test_the_shipped_fio_result_holds_four_patterns_and_five_block_sizes():
    model = devices.load("fio-virtual-disk")
    sizes = [4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, 1024 * KIB]
    assert all(model.curve(pattern, 1)[0].tolist() == sizes for pattern in PATTERNS)
    assert model.depth == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "the file is empty"),
        ('{"jobs": [', "not JSON"),
        ('{"answer": 42}', "JSON of another kind"),
        ("[1, 2]", "not JSON|another kind"),
        ('{"fio version": "fio-3.33", "jobs": []}', "none of its 0 jobs"),
        ('{"fio version": "3", "jobs": [{"job options": {"rw": "trim"}}]}', "none of its 1 jobs"),
        ('{"fio version": "3", "jobs": [{"job options": {"rw": "randrw"}}]}', "lacks the IOPS of its random read"),
        (
            '{"fio version": "3", "jobs": [{"jobname": "a", "job options": {"rw": "read"}, "read": {"iops": 0}}]}',
            "job 'a', which has 0 IOPS",
        ),
        ('{"fio version": "3", "jobs": [{"job options": {"rw": "read"}}]}', "lacks"),
        (
            '{"fio version": "3", "jobs": [{"job options": {"rw": "read", "bs": "big"}, "read": {"iops": 9}}]}',
            "block size 'big'",
        ),
        ('{"fio version": "3", "jobs": ["x"]}', "another kind"),
    ],
)
def test_a_fio_file_of_another_kind_is_refused_in_a_sentence(tmp_path, text, sentence):
    path = tmp_path / "result.json"
    path.write_text(text)
    with pytest.raises(ModelError, match=sentence):
        read_fio(path)


def test_a_fio_result_may_follow_warnings_and_share_options(tmp_path):
    path = tmp_path / "result.json"
    result = {
        "fio version": "fio-3.33",
        "global options": {"bs": "16k"},
        "jobs": [{"jobname": "r", "job options": {"rw": "randread"}, "read": {"iops": 100.0}}],
    }
    path.write_text("fio: a warning\n" + json.dumps(result))
    assert read_fio(path).service("random read", 16 * KIB).total_s == pytest.approx(0.01)
    with pytest.raises(ModelError, match="there is no such file"):
        read_fio(tmp_path / "missing.json")


def test_impossible_devices_and_requests_are_refused_in_a_sentence():
    for wrong, sentence in [
        (lambda: devices.load("floppy"), "unknown device 'floppy'; nearest of "),
        (lambda: devices.load("ocz-vertex-ex"), "too little is known for a service time"),
        (lambda: disk(rotation_hz=0), "test-disk: rotation_hz must be positive; got 0"),
        (lambda: disk(full_stroke_seek_s=1e-3), "seeks must rise"),
        (lambda: disk(overhead_s=-1), "overhead_s must not be negative; got -1"),
        (lambda: disk().service("random read", 0), "at least 1 byte; got 0"),
        (lambda: disk().service("random walk", 512), "unknown access pattern 'random walk'"),
        (lambda: disk(average_seek_write_s=-1), "average_seek_write_s must be positive; got -1"),
        (lambda: disk().mean_seek_s(0), "span_bytes must be positive; got 0"),
        (lambda: disk().service("random read", 512, span_bytes=0), "span_bytes must be positive; got 0"),
        (lambda: disk().service("random write", 512, span_bytes=0.0), "span_bytes must be positive; got 0.0"),
        (lambda: chip(pages_per_block=0), "pages_per_block must be positive; got 0"),
    ]:
        with pytest.raises(ModelError, match=sentence):
            wrong()


def test_the_smallest_block_near_the_best_is_found():
    assert best_block.smallest_near_best([4, 16, 64], [10.0, 96.0, 100.0]) == 16
    assert best_block.smallest_near_best([4, 16, 64], [np.nan, 50.0, 100.0], share=0.5) == 16
    with pytest.raises(ModelError, match="no throughput is known"):
        best_block.smallest_near_best([4], [np.nan])


def test_a_changed_device_is_seen_by_its_model_only_inside_the_block():
    before = devices.load("rahm-db-disk").service("random read", 4 * KIB).total_s
    changed = catalogue.device("rahm-db-disk").replaced("access_s", 1.0)
    with catalogue.using(changed):
        assert devices.load("rahm-db-disk").service("random read", 4 * KIB).total_s == 1.0
    assert devices.load("rahm-db-disk").service("random read", 4 * KIB).total_s == before


def test_every_model_class_is_used_by_some_device():
    used = {type(devices.load(name)) for name in devices.modelled()}
    assert used == {*devices.MODELS.values(), Measured}
    assert Rated in used
