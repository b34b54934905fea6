"""Layouts of other versions of fio, made by hand from its stat.c, and JSON of other tools."""

import json
from pathlib import Path

import numpy as np
import pytest

from pagecost.devices import MeasuredPoint, read_fio
from pagecost.errors import ModelError

KIB = 1024


def written(tmp_path, result: dict) -> Path:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(result))
    return path


OLD = {
    "fio version": "fio-2.16",
    "jobs": [
        {
            "jobname": "randread-4k",
            "groupid": 0,
            "error": 0,
            "read": {
                "io_bytes": 40960,
                "bw": 40960,
                "iops": 10240.0,
                "runtime": 1000,
                "clat": {
                    "min": 60,
                    "max": 900,
                    "mean": 97.5,
                    "stddev": 12.5,
                    "percentile": {"50.000000": 95, "99.000000": 210, "0.00": 0},
                },
            },
            "write": {"io_bytes": 0, "bw": 0, "iops": 0.0, "runtime": 0, "clat": {"mean": 0.0}},
        }
    ],
}


def test_an_old_result_counts_in_microseconds_and_kib_and_may_hold_no_options(tmp_path):
    """fio before 3: `clat` in µs, rates in KiB/s; before 2.2 no "job options": the job's name says the pattern."""
    (point,) = read_fio(written(tmp_path, OLD)).points
    assert (point.pattern, point.block_bytes, point.depth) == ("random read", 4096, 1)
    assert point.bytes_per_s == 40960 * KIB
    assert point.latency_s == pytest.approx(97.5e-6)
    assert point.spread_s == pytest.approx(12.5e-6)
    assert point.percentile_s(99) == pytest.approx(210e-6)
    assert not point.sizes_mixed


def test_an_old_job_whose_name_says_nothing_is_left_out_in_a_sentence(tmp_path):
    unknown = json.loads(json.dumps(OLD))
    unknown["jobs"][0]["jobname"] = "my test"
    with pytest.raises(ModelError, match="'my test': this old fio does not say what it did"):
        read_fio(written(tmp_path, unknown))


def plus() -> dict:
    """A json+ result: bins of nanoseconds, span and offset of the job."""
    part = {
        "bw_bytes": 4_096_000,
        "iops": 1000.0,
        "runtime": 1000,
        "lat_ns": {"mean": 250_000.0, "stddev": 50_000.0, "N": 1000},
        "clat_ns": {
            "mean": 240_000.0,
            "stddev": 50_000.0,
            "N": 1000,
            "bins": {"400000": 10, "200000": 900, "300000": 90},
        },
    }
    options = {"rw": "randread", "bs": "4k", "iodepth": "1", "filesize": "4g", "size": "1g", "offset": "2g"}
    job = {"jobname": "anything at all", "job options": options, "read": part, "write": {"iops": 0.0}}
    return {"fio version": "fio-3.41", "jobs": [job]}


def test_bins_of_json_plus_give_every_percentile_and_all_requests(tmp_path):
    (point,) = read_fio(written(tmp_path, plus())).points
    assert [count for _, count in point.bins] == [900, 90, 10]
    assert [time for time, _ in point.bins] == pytest.approx([200e-6, 300e-6, 400e-6])
    assert sum(count for _, count in point.bins) == 1000
    shares = point.quantiles_s(np.array([0.5, 0.9, 0.95, 0.999]))
    assert shares == pytest.approx([200e-6, 200e-6, 300e-6, 400e-6])
    assert (point.span_bytes, point.start_bytes) == (1 << 30, 2 << 30)
    assert (point.latency_s, point.spread_s) == pytest.approx((250e-6, 50e-6))


def test_bins_of_jobs_side_by_side_are_added_and_their_spread_is_that_of_all(tmp_path):
    result = plus()
    other = json.loads(json.dumps(result["jobs"][0]))
    other["read"]["lat_ns"]["mean"] = 350_000.0
    result["jobs"].append(other)
    (point,) = read_fio(written(tmp_path, result)).points
    assert [count for _, count in point.bins] == [1800, 180, 20]
    assert point.latency_s == pytest.approx(300e-6)
    assert point.spread_s == pytest.approx((50e-6**2 + 50e-6**2) ** 0.5), "within the jobs, and between their means"


def test_between_percentiles_times_are_interpolated_and_beyond_them_not_known():
    point = MeasuredPoint(
        job="x",
        pattern="random read",
        block_bytes=4096,
        iops=1,
        bytes_per_s=1,
        percentiles=((10.0, 1e-4), (90.0, 3e-4)),
    )
    found = point.quantiles_s(np.array([0.05, 0.1, 0.5, 0.95]))
    assert found[1:3] == pytest.approx([1e-4, 2e-4])
    assert np.isnan(found[[0, 3]]).all()


@pytest.mark.parametrize(
    ("size", "base", "wanted"),
    [("4k", "1024", 4096), ("4k", "1000", 4000), ("4ki", "1000", 4096), ("4000", "1024", 4000)],
)
def test_prefixes_of_sizes_are_those_that_fio_was_told(tmp_path, size, base, wanted):
    """Option kb_base: 1024 is the old way, in which k is 1024; with 1000 it is SI, and Ki is 1024."""
    result = plus()
    job = result["jobs"][0]
    job["job options"] |= {"bs": size, "kb_base": base}
    job["read"]["bw_bytes"] = 1000 * wanted
    (point,) = read_fio(written(tmp_path, result)).points
    assert (point.block_bytes, point.sizes_mixed) == (wanted, False)


@pytest.mark.parametrize(
    ("options", "span", "start"),
    [({"size": "50%"}, None, 0), ({"size": "zone"}, None, 0), ({"size": "1t", "offset": "10%"}, 1 << 40, 0)],
)
def test_a_span_that_is_a_share_of_an_unknown_size_is_not_known(tmp_path, options, span, start):
    result = plus()
    result["jobs"][0]["job options"] = {"rw": "randread", "bs": "4k"} | options
    (point,) = read_fio(written(tmp_path, result)).points
    assert np.isnan(point.span_bytes) if span is None else point.span_bytes == span
    assert point.start_bytes == start


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('{"sysstat": {"hosts": []}}', "JSON of another kind"),
        ('{"fio version": "fio-3.33"}', "JSON of another kind"),
        ('{"fio version": "fio-3.33", "jobs": []}', "none of its 0 jobs"),
        ("Device r/s w/s\nsda 1 2", "not JSON"),
        ('{"fio version": "fio-3.33", "jobs": [{"jobname": "x", "error": 5, "read": {}}]}', "failed with error 5"),
    ],
)
def test_what_is_no_result_of_fio_is_one_sentence(tmp_path, content, sentence):
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(ModelError, match=sentence) as caught:
        read_fio(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("option", "is_pure"),
    [
        ({"rw": "randread:8"}, False),
        ({"rw": "randread:1"}, True),
        ({"random_distribution": "zipf:1.2"}, False),
        ({"random_distribution": "random"}, True),
    ],
)
def test_reads_in_a_row_and_favoured_places_are_no_reads_at_random(tmp_path, option, is_pure):
    result = {"fio version": "fio-3.36", "jobs": [JOB | {"job options": {"rw": "randread", "direct": "1"} | option}]}
    (tmp_path / "one.json").write_text(json.dumps(result))
    (point,) = read_fio(tmp_path / "one.json").points
    assert point.is_ability == is_pure


@pytest.mark.parametrize("options", [{"direct": "0"}, {}, {"direct": "1"}])
def test_a_file_of_the_page_cache_says_so(tmp_path, options):
    result = {"fio version": "fio-3.36", "jobs": [JOB | {"job options": {"rw": "randread"} | options}]}
    (tmp_path / "one.json").write_text(json.dumps(result))
    told = [each for each in read_fio(tmp_path / "one.json").remarks if "page cache" in each]
    assert len(told) == (options.get("direct") != "1")


JOB = {"jobname": "one", "read": {"iops": 100.0, "bw_bytes": 409600, "runtime": 1000}, "write": {"iops": 0.0}}


@pytest.mark.parametrize(
    ("options", "span", "is_unsaid"),
    [
        ({"size": "10%"}, np.nan, True),
        ({"size": "100%"}, np.nan, False),
        ({"size": "10%", "filesize": "1000000"}, 1e5, False),
        ({"size": "1000", "offset": "50%"}, 1e3, True),
    ],
)
def test_a_share_of_a_file_is_a_part_only_where_the_size_of_the_file_is_said(tmp_path, options, span, is_unsaid):
    job = JOB | {"job options": {"rw": "randread", "direct": "1"} | options}
    (point,) = read_fio(written(tmp_path, {"fio version": "fio-3.36", "jobs": [job]})).points
    assert point.span_bytes == pytest.approx(span, nan_ok=True)
    assert point.part_unsaid == is_unsaid
