"""`pagecost devices`: a template that can be filled in, a device added to every list, and what is left out."""

import json
import re
import tomllib

import pytest

from pagecost import device_files
from pagecost_app import studies_listed


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.setenv("PAGECOST_DEVICES", str(tmp_path / "own"))
    return tmp_path / "own"


def filled(text: str) -> str:
    """The template with every example taken."""
    return re.sub(r"^# (?=\[|[a-z_]+ = )", "", text, flags=re.MULTILINE).replace("#\n", "\n")


def test_a_template_is_a_device_and_with_its_examples_too(run, own, tmp_path):
    file = tmp_path / "My Drive.toml"
    assert run("devices", "new", str(file))[0] == 0
    code, out, _ = run("devices", "check", str(file))
    assert code == 0
    assert "my-drive, My Drive, 0 numbers" in out
    assert "rated needs random_read_iops" in out
    file.write_text(filled(file.read_text()))
    kept = device_files.read(file)
    assert kept.device.value("capacity_bytes") == 960e9
    assert kept.device.parameter("random_read_iops").source == "my-data-sheet"
    assert (kept.device.price_usd, kept.device.year) == (120.0, 2024)
    code, _, error = run("devices", "new", str(file))
    assert (code, "--force" in error) == (2, True)


@pytest.mark.parametrize("name", ['a"b\\c.toml', "ö.toml", "x\ny.toml", "intel-x25-e.toml", "....toml"])
def test_a_template_of_any_name_is_toml(run, own, tmp_path, name):
    assert run("devices", "new", str(tmp_path / name))[0] == 0
    made = tomllib.loads((tmp_path / name).read_text())
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", made["device"])


def test_an_added_device_is_listed_with_its_file_and_used(run, own, tmp_path):
    file = tmp_path / "x.toml"
    numbers = {"random_read_iops": 61000, "random_write_iops": 20000}
    numbers |= {"sequential_read_bytes_per_s": 5e8, "sequential_write_bytes_per_s": 4e8, "rated_block_bytes": 4096}
    units = {"iops": "1/s", "s": "B/s", "bytes": "B"}
    lines = ["schema = 1", 'device = "my-ssd"', 'name = "My SSD"', 'class = "flash SSD"', 'model = "rated"']
    lines += ['sources.mine.title = "measured here"', "[parameters]"]
    for name, value in numbers.items():
        unit = units[name.rpartition("_")[2]]
        lines.append(f'{name} = {{ value = {value}, unit = "{unit}", status = "measured", source = "mine" }}')
    lines += ["[[prices]]", "amount = 120", 'currency = "USD"', 'per = "device"', 'date = "2024"']
    lines += ['status = "stated"', 'source = "mine"']
    file.write_text("\n".join(lines))
    assert "it has what the model rated needs" in run("devices", "check", str(file))[1]
    assert "nothing reads" not in run("devices", "check", str(file))[1]
    assert str(own / "my-ssd.toml") in run("devices", "add", str(file))[1]
    listed = json.loads(run("devices", "--mine", "--format", "json")[1])
    assert [(row["device"], row["file"]) for row in listed] == [("my-ssd", str(own / "my-ssd.toml"))]
    every = json.loads(run("devices", "--format", "json")[1])
    assert {row["device"]: row["file"] for row in every}["intel-x25-e"] == ""
    said = run("devices", "my-ssd")[1]
    assert "your own, from" in said
    assert "120.0 USD per device, 2024 (mine)" in said  # of which neither place nor note is known
    code, out, _ = run("run", "block_size", "--set", "devices=my-ssd", "--format", "json")
    assert (code, set(json.loads(out)["columns"]["device"])) == (0, {"my-ssd"})
    small = ("ssd=my-ssd", "counts=1", "mixes=order-status", "warehouses=1", "seconds=1", "fill=0", "runs=1", "users=1")
    code, out, error = run("run", "ssd_or_disks", *(part for each in small for part in ("--set", each)))
    assert (code, "Price of My SSD: 120 $ of 2024 (mine, stated)." in " ".join((out + error).split())) == (0, True)
    code, _, error = run("devices", "add", str(file))
    assert (code, "--replace" in error) == (2, True)
    assert studies_listed.options("total_cost", "devices")["my-ssd"] == "your own"
    assert "my-ssd" not in studies_listed.options("storage_plan", "memory")  # it is none
    (own / "broken.toml").write_text("schema =")
    assert "my-ssd" in studies_listed.own_devices()


def test_a_number_that_nothing_reads_is_named_with_what_may_be_meant(run, tmp_path):
    file = tmp_path / "x.toml"
    lines = ["schema = 1", 'device = "my-ssd"', 'name = "My SSD"', 'class = "flash SSD"', "[parameters]"]
    for name in ("idle_power_w", "active_w"):
        lines.append(f'{name} = {{ value = 1, unit = "W", status = "recalled", source = "general-knowledge" }}')
    file.write_text("\n".join(lines))
    said = run("devices", "check", str(file))[1]
    assert "nothing reads idle_power_w, which no device of the catalogue has; is idle_w meant?" in said
    assert "active_w" not in said


def test_what_is_left_out_is_said_where_it_is_missed(run, own):
    own.mkdir()
    (own / "my-ssd.toml").write_text("schema = 1\ndevice = ")
    code, out, error = run("devices", "--mine", "--format", "json")
    assert (code, json.loads(out)) == (0, [])
    assert "left out: own device my-ssd.toml: this is not TOML" in error
    assert "there are none" in run("devices", "--mine")[1]
    code, _, error = run("devices", "my-ssd")
    assert code == 2
    assert "unknown device 'my-ssd'" in error
    assert "left out: own device my-ssd.toml" in error


def test_a_broken_file_is_one_sentence(run, own, tmp_path):
    file = tmp_path / "x.toml"
    file.write_text('schema = 1\ndevice = "intel-x25-e"')
    why = "'intel-x25-e' is a device of pagecost's own catalogue; give yours another id"
    for command in ("check", "add"):
        code, out, error = run("devices", command, str(file))
        assert (code, out) == (2, "")
        assert error == f"pagecost: own device x.toml: {why}\n"
    code, _, error = run("devices", "check", str(tmp_path / "none.toml"))
    assert (code, "there is no file" in error) == (2, True)
