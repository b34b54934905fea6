"""fio results are used as they were measured; the files were recorded with fio 3.33, see their README."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost import devices
from pagecost.devices import ALONE, BUSY, MeasuredPoint, page_times, read_fio
from pagecost.devices.measured import Measured, summed
from pagecost.errors import ModelError
from pagecost.studies import find

RESULTS = Path(__file__).with_name("fio_results")
KIB = 1024
STUDY = find("block_size")


def raw(name: str) -> dict:
    """The recorded result as fio wrote it."""
    return json.loads((RESULTS / f"{name}.json").read_text("utf8"))


def points(name: str) -> tuple[MeasuredPoint, ...]:
    return read_fio(RESULTS / f"{name}.json").points


def written(tmp_path, result: dict) -> Path:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(result))
    return path


def test_jobs_side_by_side_without_group_reporting_are_summed():
    (point,) = points("four")
    jobs = raw("four")["jobs"]
    assert len(jobs) == 4
    assert point.iops == pytest.approx(sum(job["read"]["iops"] for job in jobs))
    assert point.bytes_per_s == sum(job["read"]["bw_bytes"] for job in jobs)
    assert (point.depth, point.jobs) == (32, 4), "four jobs with eight requests each"


def test_the_sum_of_jobs_is_what_group_reporting_says_up_to_the_noise_of_a_run():
    (alone,), (grouped,) = points("four"), points("grouped")
    assert (grouped.depth, grouped.jobs) == (alone.depth, alone.jobs)
    assert grouped.iops == pytest.approx(alone.iops, rel=0.2)


@pytest.mark.parametrize("name", ["four", "grouped", "depths", "mixed", "both"])
def test_little_s_law_holds_between_depth_rate_and_latency(name):
    """Requests outstanding = rate × mean time, over all kinds that ran at the same time (fio was never idle here)."""
    runs: dict[int, float] = {}
    for point in points(name):
        runs[point.depth] = runs.get(point.depth, 0.0) + point.iops * point.latency_s
    for depth, outstanding in runs.items():
        assert outstanding == pytest.approx(depth, rel=0.03)


def test_the_time_of_a_request_is_the_file_s_own_latency_not_one_over_iops():
    (point,) = points("grouped")
    (job,) = raw("grouped")["jobs"]
    assert point.latency_s == pytest.approx(job["read"]["lat_ns"]["mean"] / 1e9)
    assert point.latency_s > 25 / point.iops, "with 32 outstanding"
    for percent in (50, 99, 99.9):
        stated = job["read"]["clat_ns"]["percentile"][f"{percent:.6f}"]
        assert point.percentile_s(percent) == pytest.approx(stated / 1e9)


def test_the_latency_of_summed_jobs_is_their_mean_and_no_percentile_exceeds_the_largest():
    (point,) = points("four")
    jobs = [job["read"] for job in raw("four")["jobs"]]
    weighted = sum(job["total_ios"] * job["lat_ns"]["mean"] for job in jobs) / sum(job["total_ios"] for job in jobs)
    assert point.latency_s == pytest.approx(weighted / 1e9, rel=1e-3)
    assert point.percentile_s(99) == pytest.approx(max(job["clat_ns"]["percentile"]["99.000000"] for job in jobs) / 1e9)


@pytest.mark.parametrize("name", ["range", "split"])
def test_mixed_sizes_keep_their_bytes_per_second_and_mean_size_and_are_no_4_kib(name):
    (point,) = points(name)
    read = raw(name)["jobs"][0]["read"]
    assert point.sizes_mixed
    assert point.bytes_per_s == read["bw_bytes"]
    assert point.block_bytes == pytest.approx(read["bw_bytes"] / read["iops"])
    assert point.block_bytes > 16 * KIB
    model = read_fio(RESULTS / f"{name}.json")
    assert np.isnan(model.service("random read", 4 * KIB).total_s)
    result = STUDY.compute(STUDY.inputs({"fio_file": str(RESULTS / f"{name}.json")}))
    (row,) = result.rows(device=f"{name}, mixed sizes")
    assert result["throughput_bytes_per_s"][row] == pytest.approx(read["bw_bytes"])
    assert any("mixed sizes" in note for note in result.notes)


def test_two_depths_are_two_points_and_two_curves():
    one, many = points("depths")
    assert (one.depth, many.depth) == (1, 32)
    assert many.iops > 2 * one.iops
    model = read_fio(RESULTS / "depths.json")
    assert sorted(model.parts()) == ["depth 1", "depth 32"]
    service = model.service("random read", 4 * KIB)
    assert (service.depth, 1 / service.total_s) == (32, pytest.approx(many.iops))
    assert service.latency_s == pytest.approx(one.latency_s), "one request alone: the latency at depth 1"
    result = STUDY.compute(STUDY.inputs({"fio_file": str(RESULTS / "depths.json")}))
    for name, point in (("depths, depth 1", one), ("depths, depth 32", many)):
        (row,) = result.rows(device=name)
        assert result["iops"][row] == pytest.approx(point.iops)
        assert result["depth"][row] == str(point.depth)


def test_an_engine_that_waits_for_each_request_has_depth_1_whatever_was_asked(tmp_path):
    result = raw("depths")
    result["jobs"] = result["jobs"][:1]
    result["jobs"][0]["job options"] |= {"iodepth": "32", "ioengine": "psync"}
    (point,) = read_fio(written(tmp_path, result)).points
    assert point.depth == 1, "iodepth_level says that one was outstanding all the time"


def test_a_limited_job_is_said_and_not_taken_as_ability():
    (point,) = points("limited")
    model = read_fio(RESULTS / "limited.json")
    assert point.limited
    assert model.usable == ()
    assert np.isnan(model.service("random read", 4 * KIB).total_s)
    assert any("held this rate down" in remark for remark in model.remarks)
    result = STUDY.compute(STUDY.inputs({"fio_file": str(RESULTS / "limited.json")}))
    assert result.rows(device="limited").size == 0
    assert result.tables["measured"].rows(limited=True).size == 1


@pytest.mark.parametrize("option", ["rate", "rate_iops", "thinktime", "latency_target"])
def test_every_option_that_holds_a_job_back_counts_as_a_limit(tmp_path, option):
    result = raw("depths")
    result["global options"][option] = "5m"
    assert all(point.limited for point in read_fio(written(tmp_path, result)).points)


def test_a_failed_job_is_left_out_with_a_sentence_and_alone_it_is_refused(tmp_path):
    model = read_fio(RESULTS / "failed.json")
    (point,) = model.points
    assert point.jobs == 2
    assert "Left out: job 'bad', which failed with error 22." in model.remarks
    result = raw("failed")
    result["jobs"] = [job for job in result["jobs"] if job["error"]]
    with pytest.raises(ModelError, match="none of its 1 jobs can be used: job 'bad', which failed with error 22"):
        read_fio(written(tmp_path, result))


def test_a_job_through_the_page_cache_is_left_out_beside_jobs_on_the_device(tmp_path):
    result = raw("depths")
    result["jobs"][1]["job options"]["direct"] = "0"
    model = read_fio(written(tmp_path, result))
    assert [point.depth for point in model.points] == [1]
    assert any("which went through the page cache (direct=0)" in remark for remark in model.remarks)
    for job in result["jobs"]:
        job["job options"]["direct"] = "0"
    assert len(read_fio(written(tmp_path, result)).points) == 2, "where all did, that is what was measured"


@pytest.mark.parametrize(("option", "waits"), [("fsync", "1"), ("fdatasync", "8"), ("sync", "dsync"), ("sync", "none")])
def test_writes_that_wait_until_they_are_durable_are_no_repetition_of_those_that_do_not(tmp_path, option, waits):
    result = raw("depths")
    for job in result["jobs"]:
        job["job options"]["rw"] = "randwrite"
        job["write"], job["read"] = job["read"], job["write"]
    result["jobs"][1]["job options"][option] = waits
    model = read_fio(written(tmp_path, result))
    assert [point.depth for point in model.points] == ([1, 32] if waits == "none" else [1])
    assert any(f"({option}={waits})" in remark for remark in model.remarks) == (waits != "none")


def test_an_error_counts_even_where_the_job_has_a_rate(tmp_path):
    result = raw("depths")
    result["jobs"][1]["error"] = 5
    (point,) = read_fio(written(tmp_path, result)).points
    assert point.depth == 1


def test_a_mixed_job_is_two_points_of_a_mixture_and_no_rate_of_a_pure_pattern():
    read, write = points("mixed")
    job = raw("mixed")["jobs"][0]
    assert (read.pattern, write.pattern) == ("random read", "random write")
    assert (read.iops, write.iops) == (pytest.approx(job["read"]["iops"]), pytest.approx(job["write"]["iops"]))
    assert read.read_share == write.read_share == pytest.approx(0.7, abs=0.01)
    assert (read.depth, write.depth) == (4, 4)
    assert (read.latency_s, write.latency_s) == (
        pytest.approx(job["read"]["lat_ns"]["mean"] / 1e9),
        pytest.approx(job["write"]["lat_ns"]["mean"] / 1e9),
    )
    model = read_fio(RESULTS / "mixed.json")
    assert model.usable == ()
    with pytest.raises(ModelError, match="not measured with random reads and writes of 4096 bytes"):
        page_times(model, 4 * KIB, kind=BUSY)


@pytest.mark.parametrize("name", ["both", "newgroup"])
def test_different_jobs_side_by_side_are_a_mixture_also_in_groups_of_their_own(name):
    found = points(name)
    assert {point.pattern for point in found} == {"random read", "random write"}
    assert all(point.beside for point in found)
    assert len({point.depth for point in found}) == 1


def test_start_times_tell_what_ran_side_by_side(tmp_path):
    result = raw("four")
    for number, job in enumerate(result["jobs"]):
        job["job_start"] = 1_700_000_000_000 + 1100 * number
    found = read_fio(written(tmp_path, result)).points
    assert [point.jobs for point in found] == [1, 1, 1, 1]
    assert [point.iops for point in found] == [job["read"]["iops"] for job in result["jobs"]]


def test_a_start_delay_as_long_as_a_job_puts_the_next_one_behind_it(tmp_path):
    result = raw("both")
    result["jobs"][1]["job options"]["startdelay"] = "1s"
    result["jobs"][1]["elapsed"] = result["jobs"][0]["elapsed"] = 3
    assert not any(point.beside for point in read_fio(written(tmp_path, result)).points)


def test_a_repeated_measurement_counts_with_the_mean_and_the_last_never_wins(tmp_path):
    result = raw("depths")
    result["jobs"][1]["job options"]["iodepth"] = "1"
    model = read_fio(written(tmp_path, result))
    rates = [job["read"]["iops"] for job in result["jobs"]]
    assert 1 / model.service("random read", 4 * KIB).total_s == pytest.approx(np.mean(rates))


def test_old_results_have_their_times_in_microseconds(tmp_path):
    new, old = raw("depths"), raw("depths")
    for job in old["jobs"]:
        read = job["read"]
        read["bw"] = read["bw_bytes"] // 1024
        del read["bw_bytes"]
        for kind in ("lat", "clat"):
            times = read.pop(f"{kind}_ns")
            read[kind] = {
                name: value / 1e3 for name, value in times.items() if name in ("min", "max", "mean", "stddev")
            }
            if "percentile" in times:
                filled = {percent: round(value / 1e3) for percent, value in times["percentile"].items()}
                read[kind]["percentile"] = filled | {"0.00": 0}
    old["fio version"] = "fio-2.16"
    for one, other in zip(read_fio(written(tmp_path, old)).points, points("depths"), strict=True):
        assert one.latency_s == pytest.approx(other.latency_s)
        assert one.percentile_s(99) == pytest.approx(other.percentile_s(99), abs=1e-6)
        assert (one.block_bytes, one.sizes_mixed, one.depth) == (4 * KIB, False, other.depth)
    assert new["fio version"] == "fio-3.33"


def test_percentiles_of_the_whole_latency_are_taken_where_fio_recorded_those(tmp_path):
    result = raw("depths")
    for job in result["jobs"]:
        job["read"]["lat_ns"]["percentile"] = job["read"]["clat_ns"].pop("percentile")
    assert [p.percentile_s(99) for p in read_fio(written(tmp_path, result)).points] == [
        p.percentile_s(99) for p in points("depths")
    ]


def test_a_result_without_latencies_has_rates_and_no_times(tmp_path):
    result = raw("depths")
    for job in result["jobs"]:
        job["read"]["lat_ns"] = {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
        job["read"]["clat_ns"] = dict(job["read"]["lat_ns"])
    path = written(tmp_path, result)
    assert all(np.isnan(point.latency_s) for point in read_fio(path).points)
    answer = STUDY.compute(STUDY.inputs({"fio_file": str(path)}))
    assert not {"latency_s", "p99_s"} & set(answer.tables["measured"].columns)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda job: job.update(error="often"), "failed with error often"),
        (lambda job: job["read"].update(iops="many"), "a job is not as fio writes it"),
        (lambda job: job["read"].update(iops=float("nan")), "has nan IOPS, which is no number"),
        (lambda job: job.update({"job options": ["rw"]}), "a job is not as fio writes it"),
        (lambda job: job["job options"].update(iodepth="deep"), "a job is not as fio writes it"),
        (lambda job: job["job options"].update(rw="randtrim"), "which neither reads nor writes"),
        (lambda job: job["job options"].update(bs="big"), "block size 'big' of job"),
        (lambda job: job.update(read=[]), "a job is not as fio writes it"),
        (lambda job: job["read"].update(clat_ns={"mean": "long"}), "a job is not as fio writes it"),
    ],
)
def test_a_job_that_is_not_as_fio_writes_it_is_refused_in_a_sentence(tmp_path, change, sentence):
    result = raw("depths")
    result["jobs"] = result["jobs"][:1]
    change(result["jobs"][0])
    with pytest.raises(ModelError, match=sentence):
        read_fio(written(tmp_path, result))


def test_brackets_without_end_are_refused_in_a_sentence(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text('{"a": ' * 50_000 + "1" + "}" * 50_000)
    with pytest.raises(ModelError, match=r"deep\.json: not JSON"):
        read_fio(path)


def test_the_answer_says_depth_and_percentiles_of_every_point():
    result = STUDY.compute(STUDY.inputs({"devices": ("wd400bb", "fio-virtual-disk")}))
    table = result.tables["measured"]
    assert len(table) == 20
    assert set(table["depth"]) == {1}
    assert (table["p50_s"] <= table["p99_s"]).all()
    assert (table["p99_s"] <= table["p999_s"]).all()
    assert any("fio with 1 outstanding" in note for note in result.notes)


def test_one_measured_block_is_no_best_block():
    study = find("best_block_size")
    inputs = study.inputs({"devices": ("wd400bb",), "fio_file": str(RESULTS / "four.json")})
    result = study.compute(inputs)
    assert result.rows(device="four").size == 0
    assert any("four (measured): of random reads only one block size is known" in note for note in result.notes)
    assert "four" not in " ".join(study.explain(inputs, result))


# The model of a measured device

RATES = st.floats(1.0, 1e6)


@given(rates=st.lists(RATES, min_size=1, max_size=6), depth=st.integers(1, 64))
def test_a_sum_of_jobs_keeps_rates_depths_and_little_s_law(rates, depth):
    each = [
        MeasuredPoint(
            job="j",
            pattern="random read",
            block_bytes=4096,
            iops=rate,
            bytes_per_s=4096 * rate,
            depth=depth,
            latency_s=depth / rate,
            percentiles=((50.0, depth / rate),),
        )
        for rate in rates
    ]
    whole = summed(each)
    assert whole.iops == pytest.approx(sum(rates))
    assert whole.depth == depth * len(rates)
    assert whole.iops * whole.latency_s == pytest.approx(whole.depth)
    assert min(p.percentile_s(50) for p in each) <= whole.percentile_s(50) <= max(p.percentile_s(50) for p in each)


def test_measured_devices_of_the_same_points_are_one_value():
    one, other = (read_fio(RESULTS / "four.json") for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != Measured(one.name, one.points, ("something else",))


# Rates at depth and the time of one request alone are two numbers


@pytest.mark.parametrize(
    "name", ["samsung-970-pro-1tb", "intel-dc-p3700-800gb", "intel-660p-1tb", "samsung-pm9a3-7680gb"]
)
def test_no_nvme_drive_of_flash_reads_a_page_alone_in_less_than_50_us(name):
    alone, busy = (devices.random_page_times(name, 4096, kind=kind) for kind in (ALONE, BUSY))
    assert busy.read_s < 10e-6, "device time, with many outstanding"
    assert not alone.read_s < 50e-6
    assert (alone.depth, alone.kind, busy.kind) == (1, ALONE, BUSY)
    assert "alone" in busy.note


def test_where_the_time_of_one_page_alone_is_not_known_it_is_left_blank_and_said():
    found = devices.random_page_times("intel-660p-1tb", 4096, kind=ALONE)
    assert np.isnan(found.read_s)
    assert np.isnan(found.write_s)
    assert "how long a random read or a random write takes alone is not known" in found.note


@pytest.mark.parametrize("name", ["hgst-7k1000-750gb", "fernando-flash-drive", "rahm-db-disk", "mtron-pro-7500"])
def test_a_device_of_one_request_at_a_time_has_one_time_of_a_page(name):
    alone, busy = (devices.random_page_times(name, 4096, kind=kind) for kind in (ALONE, BUSY))
    assert (alone.read_s, alone.write_s) == (busy.read_s, busy.write_s)
    assert "one page after the other" in busy.note


@pytest.mark.parametrize(("name", "others"), [("nand-tlc", 1535), ("fernando-flash-drive", 255)])
def test_flash_below_a_block_map_says_what_a_write_at_random_copies(name, others):
    """Without it a chip of 2016 is 25 000 times as slow to write as to read, and nobody is told why."""
    random = devices.random_page_times(name, 4096, kind=BUSY)
    chip = devices.load(name)
    assert random.note.endswith(
        f"copies the {others:,} other pages of its erase block too.".replace(",", "\N{NARROW NO-BREAK SPACE}")
    )
    assert random.write_s == pytest.approx(
        others / chip.channels * (chip.page_read_s + chip.page_program_s) + chip.page_program_s + chip.block_erase_s,
        rel=0.05,
    )
    in_order = page_times(chip, 4096, kind=BUSY, pattern="sequential")
    assert "in place" not in in_order.note
    whole_bytes = chip.stripe_pages * chip.page_bytes
    assert "in place" not in page_times(chip, whole_bytes, kind=BUSY).note, "nothing is left to copy"
    assert f"the {chip.stripe_pages - 1:,.0f} other pages".replace(",", "\N{NARROW NO-BREAK SPACE}") in (
        page_times(chip, whole_bytes + 1, kind=BUSY).note
    )


def test_the_measured_latency_is_taken_before_the_rated_one_and_that_before_the_rate():
    optane, x25m, pro = (
        devices.load(n) for n in ("intel-optane-p4800x-375gb", "intel-x25-m-g1", "samsung-970-pro-1tb")
    )
    assert optane.read_latency_s == pytest.approx(8.9e-6)
    assert x25m.read_latency_s == pytest.approx(85e-6)
    assert pro.read_latency_s == pytest.approx(1 / 15_000)


def test_an_unknown_kind_of_page_time_is_refused():
    with pytest.raises(ModelError, match="unknown kind of page time 'mean'; known: busy, alone"):
        devices.random_page_times("wd400bb", 4096, kind="mean")


def test_the_block_size_chart_shows_no_drive_that_reads_one_page_in_2_us():
    inputs = STUDY.inputs({"devices": ("samsung-970-pro-1tb", "intel-660p-1tb", "wd400bb")})
    result = STUDY.compute(inputs)
    alone = result.tables["alone"]
    assert (alone["request_s"][alone.rows(pattern="random read")] > 50e-6).all()
    assert alone.rows(device="intel-660p-1tb").size == 0
    lines = " ".join(STUDY.explain(inputs, result))
    assert "Intel SSD 660p 1 TB: how long one takes alone is not known" in lines
    assert "outstanding" in lines
