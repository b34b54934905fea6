"""Job files for fio: bounded, on a file of their own, and what they measure can be fitted."""

import configparser
import os
import subprocess
from dataclasses import replace

import pytest

from pagecost.calibration import jobs
from pagecost.calibration.jobs import HELD_OUT, MARK, MIB, PLANS, Order
from pagecost.errors import ModelError


def order(tmp_path, **values) -> Order:
    return Order(**({"kind": "ssd", "target": tmp_path / "fio-file", "size_bytes": 64 * MIB} | values))


def read(path) -> configparser.ConfigParser:
    """A job file as fio reads it; a job that stands twice is an error."""
    parser = configparser.ConfigParser(allow_no_value=True, interpolation=None)
    parser.read_string(path.read_text("utf8"))
    return parser


@pytest.mark.parametrize("kind", PLANS)
def test_every_job_is_bounded_in_time_and_place_and_reads_before_it_writes(tmp_path, kind):
    jobs.write(order(tmp_path, kind=kind, job_s=3), tmp_path / "jobs")
    found = read(tmp_path / "jobs" / f"measure-{kind}.fio")
    shared = found["global"]
    assert shared["filename"] == "fio-file", "no folder: a result holds no path of the machine"
    assert (shared["runtime"], shared["time_based"], shared["direct"]) == ("3", "1", "1")
    names = [name for name in found.sections() if name != "global"]
    for name in names:
        job = found[name]
        assert int(job["offset"]) + int(job["size"]) <= 64 * MIB
        assert int(job["size"]) >= int(job["bs"])
        assert "stonewall" in job
    assert any(name.startswith(HELD_OUT) for name in names)
    writes = [("write" in found[name]["rw"]) for name in names]
    assert writes == sorted(writes)


def test_held_out_jobs_lie_between_others_and_none_stands_twice():
    for plan in PLANS.values():
        assert len({job.name for job in plan.jobs}) == len(plan.jobs)
        fitted = {replace(job, held_out=False) for job in plan.jobs if not job.held_out}
        assert not fitted & {replace(job, held_out=False) for job in plan.jobs if job.held_out}
        for job in plan.jobs:
            if job.held_out:
                like = [other for other in fitted if other.pattern == job.pattern]
                assert min(o.block_bytes for o in like) <= job.block_bytes <= max(o.block_bytes for o in like)
                assert min(o.depth for o in like) <= job.depth <= max(o.depth for o in like)


def test_what_will_happen_is_said_with_its_time_and_its_file(tmp_path):
    made = order(tmp_path, job_s=8, runs=2)
    sentences = jobs.write(made, tmp_path / "jobs")
    assert made.total_s == 2 * len(made.plan.jobs) * (8 + 2) + 64
    said = " ".join(sentences)
    for each in (str(tmp_path / "fio-file"), "64 MiB", "15.1 min", "sh "):
        assert each in said


def test_preconditioning_is_bounded_and_ends_when_the_rate_is_steady(tmp_path):
    made = order(tmp_path, job_s=5)
    jobs.write(made, tmp_path)
    found = read(tmp_path / "prepare-ssd.fio")
    assert int(found["fill"]["size"]) == 64 * MIB
    assert float(found["steady"]["runtime"]) == made.steady_s == 40
    assert found["steady"]["steadystate"] == "iops:10%"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"kind": "tape"}, "unknown kind of device 'tape'"),
        ({"size_bytes": 1000}, "must be 64 MiB to 4 TiB; got 1 kB"),
        ({"size_bytes": 64 * MIB + 1}, "whole MiB"),
        ({"job_s": 0.5}, "1 to 600 seconds; got 0.5"),
        ({"job_s": 601}, "1 to 600 seconds; got 601"),
        ({"runs": 0}, "1 to 20 times; got 0"),
    ],
)
def test_orders_out_of_range_are_refused_in_a_sentence(tmp_path, values, sentence):
    with pytest.raises(ModelError, match=sentence):
        order(tmp_path, **values)


def test_nothing_is_measured_on_a_device_a_link_or_somebody_s_file(tmp_path):
    for target, sentence in (
        ("/dev/null", "never to a device"),
        (tmp_path, "never to a device"),
        (tmp_path / "a b", "letters, digits, dots and hyphens"),
        (tmp_path / "none" / "file", "is not there"),
    ):
        with pytest.raises(ModelError, match=sentence):
            order(tmp_path, target=target)
    data = tmp_path / "data"
    data.write_text("somebody's")
    with pytest.raises(ModelError, match="was not made for measuring"):
        order(tmp_path, target=data)
    (tmp_path / "link").symlink_to(data)
    with pytest.raises(ModelError, match="never to a device"):
        order(tmp_path, target=tmp_path / "link")
    (tmp_path / f"data{MARK}").touch()
    assert order(tmp_path, target=data).target == data, "its own file is used again"


def test_a_file_that_does_not_fit_is_refused(tmp_path):
    with pytest.raises(ModelError, match="free; a file of 4 TiB needs a tenth more"):
        jobs.write(order(tmp_path, size_bytes=1 << 42), tmp_path / "jobs")


def run_script(folder, *, path: str) -> subprocess.CompletedProcess:
    command = ["sh", str(folder / "run.sh"), "1"]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": path}, check=False)


@pytest.mark.skipif(os.name == "nt", reason="the script is for a POSIX shell")
def test_the_script_runs_fio_on_its_own_file_only_and_removes_it(tmp_path):
    """With a fio that writes down what it is asked and makes the file."""
    folder, tools, target = tmp_path / "it's jobs", tmp_path / "tools", tmp_path / "fio-file"
    tools.mkdir()
    (tools / "fio").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\necho data > fio-file\n')
    (tools / "fio").chmod(0o755)
    path = f"{tools}:{os.environ['PATH']}"
    jobs.write(order(tmp_path), folder)
    made = run_script(folder, path=path)
    assert made.returncode == 0, made.stderr
    asked = (tmp_path / "asked").read_text().splitlines()
    assert len(asked) == 2
    assert "--output-format=json+" in asked[1]
    assert "measure-ssd.fio" in asked[1]
    assert not target.exists()
    assert not target.with_name(f"fio-file{MARK}").exists()

    target.write_text("somebody's")
    refused = run_script(folder, path=path)
    assert refused.returncode == 2
    assert "was not made by this script" in refused.stderr
    assert target.read_text() == "somebody's"
