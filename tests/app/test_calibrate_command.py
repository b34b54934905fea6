"""`pagecost calibrate`: job files out, a fitted device back, every mistake one sentence."""

import json

import pytest
from typer.testing import CliRunner

from pagecost import catalogue, device_files, devices, studies
from pagecost.errors import ModelError
from pagecost_app import cli

RUNS = sorted((catalogue.root() / "measurements" / "virtual-disk-depths").glob("*.json"))


def run(monkeypatch, *words: str) -> None:
    monkeypatch.setattr("sys.argv", ["pagecost", "calibrate", *map(str, words)])
    try:
        cli.main()
    except SystemExit as end:
        if end.code:
            raise


def test_the_device_of_the_recorded_runs_comes_with_intervals_and_what_is_open(monkeypatch, capsys):
    run(monkeypatch, *RUNS, "--kind", "ssd", "--hold-out", "randread-1MiB-*", "--format", "json")
    found = json.loads(capsys.readouterr().out)
    assert found["columns"]["parameter"], "the first table is what was found"
    for low, value, high in zip(*(found["columns"][name] for name in ("low", "value", "high")), strict=True):
        assert low <= value <= high <= 3 * low
    tables = found["tables"]
    named = {*found["columns"]["parameter"], *tables["not_determined"]["columns"]["parameter"]}
    assert len(named) == 8
    held = tables["held_out"]["columns"]
    assert 1 << 20 in held["block_bytes"]
    assert held["within"].count("yes") >= 0.8 * len(held["within"])
    assert set(tables["postgresql"]["columns"]["setting"]) >= {"random_page_cost", "effective_io_concurrency"}


def test_whether_a_held_out_point_is_met_is_seen_beside_it(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "100")
    asked = ("run", "device_fit", "--set", "hold_out_every=4", "--table", "held_out")
    monkeypatch.setattr("sys.argv", ["pagecost", *asked])
    with pytest.raises(SystemExit, match="0"):
        cli.main()
    lines = capsys.readouterr().out.splitlines()
    points = [line.split() for line in lines if line.startswith(("random read ", "random write "))]
    assert {("yes" in words, "no" in words) for words in points} == {(True, False), (False, True)}


def test_the_fitted_device_is_a_file_that_every_list_takes(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("PAGECOST_DEVICES", str(tmp_path / "devices"))
    out = tmp_path / "my-disk.toml"
    run(monkeypatch, *RUNS, "--out", out, "--name", "My virtual disk", "--table", "parameters")
    said = capsys.readouterr()
    assert "wrote" in said.err
    kept = device_files.read(out)
    assert (kept.device.id, kept.device.name, kept.device.model) == ("my-disk", "My virtual disk", "rated")
    iops = kept.device.parameter("random_read_iops")
    assert iops.low < iops.value < iops.high
    assert iops.status == "fitted"
    assert str(tmp_path) not in out.read_text("utf8"), "no path of the machine"
    device_files.add(out)
    assert "my-disk" in devices.modelled()
    times = devices.random_page_times("my-disk", 4096, kind=devices.BUSY)
    assert times.read_s == pytest.approx(1 / iops.value)
    result = studies.find("block_size").compute(studies.find("block_size").inputs({"devices": ("my-disk",)}))
    assert set(result["device"]) == {"my-disk"}

    with pytest.raises(SystemExit):
        run(monkeypatch, *RUNS, "--out", out)
    assert "is there already; --force" in capsys.readouterr().err


def test_a_measurement_that_says_too_little_makes_no_device_file(monkeypatch, capsys, tmp_path):
    result = json.loads(RUNS[0].read_text("utf8"))
    result["jobs"] = [job for job in result["jobs"] if "read" in job["jobname"]]
    (tmp_path / "reads.json").write_text(json.dumps(result))
    with pytest.raises(SystemExit):
        run(monkeypatch, tmp_path / "reads.json", "--out", tmp_path / "no.toml")
    said = capsys.readouterr()
    assert "residuals" in said.out, "what was found is printed all the same"
    assert "does not determine random_write_iops" in said.err
    assert not (tmp_path / "no.toml").exists()


def test_job_files_are_written_and_said(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    run(monkeypatch, "--jobs", tmp_path / "jobs", "--size", "64M", "--kind", "disk", "--seconds", "2")
    said = capsys.readouterr().out
    assert "measure-disk.fio" in said
    assert str(tmp_path / "pagecost-fio-file") in said
    assert (tmp_path / "jobs" / "run.sh").exists()
    assert not (tmp_path / "pagecost-fio-file").exists(), "nothing is measured yet"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "name the fio results"),
        (("no.json",), "there is no such file"),
        (("no.json", "--jobs", "x"), "takes no results"),
        ((RUNS[0], "--hold-out", "none"), "no job is called 'none'"),
        ((RUNS[0], "--kind", "tape"), "unknown kind of device 'tape'"),
        ((RUNS[0], "--capacity", "much"), "--capacity: 'much' is no number of bytes"),
        (("--jobs", "x", "--size", "-1"), "--size: '-1' is negative"),
        (("--jobs", "x", "--file", "/dev/null"), "never to a device"),
        (("--jobs", "x", "--file", "/dev/not-there"), "never to a device"),
    ],
)
def test_a_mistake_is_one_sentence(monkeypatch, capsys, tmp_path, words, sentence):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        run(monkeypatch, *words)
    assert end.value.code == 2
    said = capsys.readouterr().err.strip()
    assert sentence in said
    assert len(said.splitlines()) == 1


def refused(tmp_path, content: str) -> str:
    """What is said of a result with this content."""
    (tmp_path / "result.json").write_text(content, "utf8")
    return str(CliRunner().invoke(cli.app, ["calibrate", str(tmp_path / "result.json")]).exception)


def test_a_failed_job_is_named_where_the_rest_is_too_little(tmp_path):
    result = json.loads(RUNS[0].read_text("utf8"))
    kept = next(job for job in result["jobs"] if job["jobname"].startswith("randread"))
    failed = {**kept, "jobname": "randread-64KiB", "error": 5}
    said = refused(tmp_path, json.dumps({**result, "jobs": [kept, failed]}))
    assert "left out: job 'randread-64KiB', which failed with error 5" in said


def test_an_empty_result_is_said_to_be_empty(tmp_path):
    assert refused(tmp_path, "\n").endswith("the file is empty; run fio with --output-format=json")
    assert "not JSON of fio" in refused(tmp_path, "fio: out of memory")


def test_a_result_comes_through_a_pipe():
    asked = ["calibrate", "-", "--kind", "ssd", "--format", "json"]
    done = CliRunner().invoke(cli.app, asked, input=RUNS[0].read_bytes())
    assert done.exit_code == 0, done.output
    named = CliRunner().invoke(cli.app, ["calibrate", str(RUNS[0]), *asked[2:]])
    assert json.loads(done.stdout)["columns"] == json.loads(named.stdout)["columns"]


TAKING = (
    "whole_path.devices",
    "ssd_or_disks.ssd",
    "storage_plan.devices",
    "tpcc_throughput.devices",
    "miss_curve.device",
)
REFUSING = {
    "response_goal.devices": "a percentile needs the time of each request",
    "response_times.devices": "a percentile needs the time of each request",
    "total_cost.devices": "idle_w and active_w",
    "five_minute_rule.device": "it has no price",
    "energy_per_operation.devices": "neither its power nor a price",
    "program_wear.device": "what wears it out",
    "wear_and_lifetime.device": "its chips are not known",
}


def test_a_fitted_ssd_is_taken_or_refused_with_what_it_lacks(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("PAGECOST_DEVICES", str(tmp_path / "devices"))
    out = tmp_path / "my-disk.toml"
    run(monkeypatch, *RUNS, "--kind", "ssd", "--capacity", "256GB", "--out", out, "--table", "parameters")
    device_files.add(out)

    def with_it(place: str):
        study, _, field = place.partition(".")
        many = field in ("devices",)
        return studies.find(study).inputs({field: ("my-disk",) if many else "my-disk"})

    for place in TAKING:
        with_it(place)
    for place, sentence in REFUSING.items():
        with pytest.raises(ModelError) as refused:
            with_it(place)
        assert sentence in str(refused.value), place
        assert "unknown" not in str(refused.value)
