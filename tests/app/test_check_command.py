"""`pagecost check`: predicted beside measured, as a table, as data, and one sentence for what is no measurement."""

import csv
import io
import json

import pytest

IOSTAT = """Device r/s w/s rkB/s wkB/s r_await %util
sda 100.0 20.0 400.0 80.0 0.50 3.0

Device r/s w/s rkB/s wkB/s r_await %util
sda 200.0 40.0 800.0 160.0 0.60 6.0
"""


@pytest.fixture
def files(tmp_path, run):
    made = {name: tmp_path / name for name in ("system.toml", "iostat", "smart", "io.csv")}
    assert run("system", "new", str(made["system.toml"]), "--set", "memory.buffer_frames=512")[0] == 0
    made["iostat"].write_text(IOSTAT)
    made["smart"].write_text(json.dumps({"percent_used": 3, "data_units_written": 4_000_000, "power_on_hours": 8760}))
    made["io.csv"].write_text("object,context,reads,read_time,hits\nrelation,normal,1000,250,9000\n")
    return {name: str(path) for name, path in made.items()}


def test_all_that_was_measured_is_set_beside_what_was_predicted(run, files):
    named = ("--iostat", files["iostat"], "--smart", files["smart"], "--pg-stat-io", files["io.csv"])
    code, out, _ = run("check", files["system.toml"], *named, "--wide")
    assert code == 0
    assert "hit ratio of the buffer" in out
    assert "written to a device a day, by SMART" in out
    assert "worn out after 33.3 years" in out
    code, out, error = run("check", files["system.toml"], *named, "--format", "csv")
    rows = {row["quantity"]: row for row in csv.DictReader(io.StringIO(out))}
    assert (code, len(rows)) == (0, 10)
    assert float(rows["reads of a device"]["measured"]) == 200.0  # the first report is since the start
    assert float(rows["a read of a device, waiting included"]["measured"]) == pytest.approx(0.6e-3)
    one = rows["hit ratio of the buffer"]
    assert float(one["distance"]) == pytest.approx(float(one["measured"]) / float(one["predicted"]) - 1)
    assert "Predicted for" in error
    assert len(json.loads(run("check", files["system.toml"], *named, "--format", "json")[1])) == 10


def test_what_cannot_keep_up_is_infinite_as_data_too(run, files):
    """Another cell than that of what is not known: in CSV an empty one."""
    assert run("system", "new", files["system.toml"], "--force", "--set", "load.rate_hz=1e8")[0] == 0
    code, out, _ = run("check", files["system.toml"], "--iostat", files["iostat"], "--format", "csv")
    rows = {row["quantity"]: row for row in csv.DictReader(io.StringIO(out))}
    assert code == 0
    assert rows["a read of a device, waiting included"]["predicted"] == "inf"
    code, out, _ = run("check", files["system.toml"], "--iostat", files["iostat"], "--format", "json")
    rows = {row["quantity"]: row for row in json.loads(out, parse_constant=refused)}
    assert rows["a read of a device, waiting included"]["predicted"] == "inf"
    assert rows["a read of a device, waiting included"]["distance"] is None


def refused(name):
    raise AssertionError(f"{name} is no JSON")


def test_where_nothing_can_be_compared_the_reason_is_said(run, files, tmp_path):
    """Within the same hour of a drive, on one that was not yet on for one, and of one with no known attribute."""
    new, disk = tmp_path / "new", tmp_path / "disk"
    new.write_text(json.dumps({"percent_used": 0, "data_units_written": 9, "power_on_hours": 0}))
    table = [{"id": 5, "name": "Reallocated_Sector_Ct", "value": 100, "raw": {"value": 0}}]
    disk.write_text(json.dumps({"power_on_time": {"hours": 5000}, "ata_smart_attributes": {"table": table}}))
    for reports, why in (
        ([files["smart"]] * 2, "counts no whole hour"),
        ([str(new)], "counts no whole hour"),
        ([str(disk)], "no known attribute"),
    ):
        named = [word for report in reports for word in ("--smart", report)]
        code, out, _ = run("check", files["system.toml"], *named)
        assert code == 0
        assert out.startswith("nothing that was predicted is measured here")
        assert why in " ".join(out.split())
        code, out, error = run("check", files["system.toml"], *named, "--format", "json")
        assert (code, json.loads(out)) == (0, [])
        assert why in error
        assert run("check", files["system.toml"], *named, "--format", "csv")[:2] == (0, "")


def test_what_cannot_be_compared_is_one_sentence(run, files, tmp_path):
    for arguments, why in (
        ((), "nothing was measured"),
        (("--smart", files["io.csv"]), "SMART "),
        (("--iostat", files["smart"]), "iostat "),
        (("--pg-stat-io", files["smart"]), "pg_stat_io "),
        (("--smart", str(tmp_path / "none")), "there is no such file"),
        (
            ("--smart", *[files["smart"], "--smart"] * 2, files["smart"]),
            "takes one file, or an earlier and a later one",
        ),
        (("--device", "sda", "--smart", files["smart"]), "--device names a device of --iostat"),
        (("--device", "sdz", "--iostat", files["iostat"]), "unknown device in it 'sdz'"),
    ):
        code, out, error = run("check", files["system.toml"], *arguments)
        assert (code, out) == (2, ""), arguments
        assert why in error
        assert error.count("\n") == 1
