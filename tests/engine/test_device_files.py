"""A device as a file: what is written is read again, own devices stand behind the project's, broken files stay out."""

import dataclasses
import math
import os
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost import catalogue, claims, device_files, devices, studies, system, units
from pagecost.answers import page_costs
from pagecost.catalogue import Device, Parameter, Price, Source
from pagecost.claims import changed, checking
from pagecost.claims.measures import MEASURES
from pagecost.errors import ModelError

MINE = """
schema = 1
device = "my-ssd"
name = "My SSD"
class = "flash SSD"
model = "rated"
year = 2024

[sources.my-fio]
title = "fio 3.36 on my machine"
year = "2026"
read_on = 2026-11-23

[parameters]
capacity_bytes = { value = 960, unit = "GB", status = "specified", source = "my-fio" }
rated_block_bytes = { value = 4, unit = "KiB", status = "measured", source = "my-fio" }
random_read_iops = { value = 61000, low = 60000, high = 62000, unit = "1/s", status = "measured", source = "my-fio" }
random_write_iops = { value = 20000, unit = "1/s", status = "measured", source = "my-fio" }
sequential_read_bytes_per_s = { value = 520.0, unit = "MB/s", status = "measured", source = "my-fio" }
sequential_write_bytes_per_s = { value = 480, unit = "MB/s", status = "measured", source = "my-fio" }
interface = { value = "SATA", unit = "text", status = "specified", source = "intel-x25-e-sheet-or-none" }

[[prices]]
amount = 120
currency = "USD"
per = "device"
date = "2026-11"
status = "stated"
source = "my-fio"
""".replace("intel-x25-e-sheet-or-none", "wang2011")  # a source of the project


@pytest.fixture
def own(tmp_path, monkeypatch):
    """An empty folder of own devices."""
    folder = tmp_path / "own devices"
    folder.mkdir()
    monkeypatch.setenv("PAGECOST_DEVICES", str(folder))
    return folder


def content(**changes) -> dict:
    return tomllib.loads(MINE) | changes


def changed_parameter(**changes) -> dict:
    found = content()
    found["parameters"]["random_read_iops"] |= changes
    return found


# A file


def test_a_file_is_read_by_the_rules_of_the_catalogue(tmp_path):
    (tmp_path / "a.toml").write_text(MINE)
    kept = device_files.read(tmp_path / "a.toml")
    reads = kept.device.parameter("random_read_iops")
    assert (reads.value, reads.low, reads.high) == (61000.0, 60000.0, 62000.0)
    assert reads.stated == "61000 1/s (60000–62000 1/s)"
    assert kept.device.value("capacity_bytes") == 960e9
    assert (kept.device.year, kept.device.price_usd, kept.device.get("interface")) == (2024, 120.0, "SATA")
    assert kept.sources["my-fio"].read_on == "2026-11-23"
    assert kept.device.file == str(tmp_path / "a.toml")


@pytest.mark.parametrize("name", catalogue.project().devices)
def test_every_device_of_the_catalogue_can_be_written_and_read_again(name):
    known = catalogue.project().devices[name]
    mine = dataclasses.replace(known, id="mine")
    again = device_files.of(tomllib.loads(device_files.text(mine, catalogue.project().sources))).device
    for field in ("name", "device_class", "model", "year", "note"):
        assert getattr(again, field) == getattr(mine, field)
    for one, other in zip(again.parameters.values(), mine.parameters.values(), strict=True):
        assert dataclasses.replace(one, device="", stated="") == dataclasses.replace(other, device="", stated="")
    for one, other in zip(again.prices, mine.prices, strict=True):
        assert dataclasses.replace(one, device="") == dataclasses.replace(other, device="")


@given(
    st.floats(0, allow_infinity=False),
    st.sampled_from(sorted(unit for unit in units.UNITS if units.dimension(unit) == "rate")),
    st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=20),
)
def test_any_number_comes_back_to_the_last_digit(value, unit, note):
    source = Source("my-fio", "a measurement", "", "", "", "", "", "", note)
    words = ("", unit, "", "measured", "my-fio", "", note)
    row = Parameter("mine", "sequential_read_bytes_per_s", value, None, None, *words)
    price = Price("mine", value, None, None, "EUR", "GB", "2026-11-01", "stated", "my-fio", "", note)
    mine = Device("mine", "my SSD", "flash SSD", "", None, note, {row.name: row}, (price,))
    kept = device_files.of(tomllib.loads(device_files.text(mine, {"my-fio": source})))
    assert kept.device.value(row.name) == value
    assert kept.device.prices == (price,)
    assert (kept.device.note, kept.device.parameter(row.name).note) == (note, note)
    assert kept.sources == {"my-fio": source}


def test_a_write_is_whole_or_not_at_all(tmp_path):
    kept = device_files.of(content())
    path = tmp_path / "x.toml"
    device_files.write(kept.device, kept.sources, path)
    before = path.read_text()
    with pytest.raises(ModelError, match=r"my-ssd.*unknown source 'my-fio'"):
        device_files.write(kept.device, {}, path)
    with pytest.raises(ModelError, match=r"there is no folder"):
        device_files.write(kept.device, kept.sources, tmp_path / "none" / "x.toml")
    assert [file.name for file in tmp_path.iterdir()] == ["x.toml"]
    assert path.read_text() == before
    assert device_files.read(path).device == kept.device


BROKEN = {
    "no schema": ({}, "does not say its schema"),
    "schema of text": (content(schema="1"), "schema must be a whole number"),
    "schema of truth": (content(schema=True), "schema must be a whole number"),
    "newer": (content(schema=2), r"of schema 2; this pagecost reads up to 1"),
    "unknown part": (content(colour="red"), "it has no part 'colour'"),
    "no id": (content(device=""), "does not say its id"),
    "id of the project": (content(device="intel-x25-e"), "a device of pagecost's own catalogue"),
    "measurement of the project": (content(device="fio-virtual-disk"), "a device of pagecost's own catalogue"),
    "id with blanks": (content(device="my ssd"), "lower-case words joined by hyphens"),
    "id that leads elsewhere": (content(device="../../etc"), "lower-case words joined by hyphens"),
    "no name": (content(name=""), "needs a name and a class"),
    "name of two lines": (content(name="my\nssd"), "one line of at most 80"),
    "name that is long": (content(name="x" * 81), "one line of at most 80"),
    "name of number": (content(name=7), "name must be a text"),
    "year of words": (content(year="last"), "year must be blank or four digits"),
    "unknown model": (content(model="magic"), "unknown model 'magic'"),
    "model without its numbers": (content(model="hard_disk"), "model 'hard_disk' but no rotation_hz"),
    "parameters no table": (content(parameters=[1]), "parameters are tables"),
    "a bare number": (content(parameters={"active_w": 3.0}), "active_w: a table is needed"),
    "prices no list": (content(prices={"amount": 1}), r"a price begins with \[\[prices\]\]"),
    "source of the project": (content(sources={"wang2011": {"title": "x"}}), "the project has a source of that id"),
    "source without title": (content(sources={"my-fio": {}}), "needs a title"),
    "unknown column": (changed_parameter(colour=1), "unknown column 'colour'"),
    "number as text": (changed_parameter(value="61000"), "value must be a number"),
    "truth": (changed_parameter(value=True), "value must be a number"),
    "negative": (changed_parameter(value=-1.0, low=-2), "must be finite and >= 0"),
    "not a number": (changed_parameter(value=math.nan), "must be finite and >= 0"),
    "endless": (changed_parameter(high=math.inf), "must be finite and >= 0"),
    "beyond floats": (changed_parameter(high=10**400), "must be finite and >= 0"),
    "order": (changed_parameter(low=62000.5), "low <= value <= high"),
    "unit of another kind": (changed_parameter(unit="MB"), "random_read_iops must be a frequency"),
    "no unit": (changed_parameter(unit=""), "unit is missing"),
    "no source": (changed_parameter(source=""), "source is missing"),
    "unknown source": (changed_parameter(source="hearsay"), "unknown source 'hearsay'"),
    "unknown status": (changed_parameter(status="sure"), "unknown status 'sure'"),
    "derived without how": (changed_parameter(status="derived"), "needs a note"),
    "bound without side": (changed_parameter(status="bound"), "needs <= or >="),
    "price without date": (content(prices=[{**content()["prices"][0], "date": ""}]), "price 1: date is missing"),
    "price in sea shells": (content(prices=[{**content()["prices"][0], "currency": "shells"}]), "unknown currency"),
    "negative price": (content(prices=[{**content()["prices"][0], "amount": -1}]), "must be finite and >= 0"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_breaks_a_rule_is_one_sentence(what):
    broken, why = BROKEN[what]
    with pytest.raises(ModelError, match=why) as said:
        device_files.of(broken)
    assert "\n" not in str(said.value)
    assert str(said.value).startswith("own device")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\xff\xfe", "not TOML"),
        (b"schema = ", "not TOML"),
        (b"a = " + b"[" * 100_000, "not TOML"),
        (b"a = " + b"9" * 5000, "not TOML|does not say its schema"),
        (b"\0", "not TOML"),
        (b"", "does not say its schema"),
        (b"#" * (device_files.LIMIT_BYTES + 1), "at most 1 MiB"),
    ],
)
def test_no_bytes_break_the_reader(tmp_path, data, why):
    path = tmp_path / "x.toml"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=why):
        device_files.read(path)


# The folder


def test_without_a_folder_there_is_the_project_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("PAGECOST_DEVICES", str(tmp_path / "none"))
    assert catalogue.current() is catalogue.project()
    assert catalogue.problems() == ()


def test_own_devices_stand_behind_the_projects_in_every_list(own):
    (own / "a.toml").write_text(MINE)
    assert [*catalogue.devices()] == [*catalogue.project().devices, "my-ssd"]
    assert devices.modelled()["my-ssd"] == "My SSD"
    assert catalogue.sources()["my-fio"].title == "fio 3.36 on my machine"
    assert devices.load("my-ssd").service("random read", 4096).total_s == pytest.approx(1 / 61000)
    placed = system.of({"schema": 1, "devices": [{"role": "database", "device": "my-ssd"}]})
    assert placed.value("devices.database.device") == "my-ssd"
    study = studies.find("buffer_size")
    asked = study.inputs({"device": "my-ssd", "frames": 64, "policies": ("lru",)})
    assert study.compute(asked).notes


def test_a_changed_file_is_seen_by_the_next_question(own):
    path = own / "a.toml"
    path.write_text(MINE)
    slow = page_costs.of_pages("my-ssd", 4096).busy_s(1, 0)
    path.write_text(MINE.replace("61000, low = 60000, high = 62000", "122000"))
    os.utime(path, ns=(1, 1))  # a clock of coarse steps would hide the change
    assert page_costs.of_pages("my-ssd", 4096).busy_s(1, 0) == pytest.approx(slow / 2)
    path.unlink()
    with pytest.raises(ModelError, match="unknown device 'my-ssd'"):
        catalogue.device("my-ssd")


def test_a_broken_file_is_told_of_and_stays_out(own):
    (own / "a.toml").write_text(MINE)
    (own / "b.toml").write_text("schema = 1\ndevice = ")
    (own / "c.toml").write_text(MINE)
    (own / "d.toml").mkdir()
    (own / "e.toml").symlink_to(own / "nowhere")
    (own / "readme.txt").write_text("not a device")
    assert [*device_files.load_folder().devices] == ["my-ssd"]
    said = catalogue.problems()
    assert len(said) == 4
    for sentence, why in zip(
        said, ("b.toml: this is not", "'my-ssd' stands in a.toml", "a folder", "no file"), strict=True
    ):
        assert why in sentence


def test_a_pipe_in_the_folder_is_not_waited_for(own):
    os.mkfifo(own / "x.toml")
    assert "is no file" in catalogue.problems()[0]


def test_a_file_in_the_place_of_the_folder_is_told_of(tmp_path, monkeypatch):
    (tmp_path / "x").write_text("")
    monkeypatch.setenv("PAGECOST_DEVICES", str(tmp_path / "x"))
    assert catalogue.current() is catalogue.project()
    assert "cannot be read" in catalogue.problems()[0]


def test_two_files_may_call_different_sources_alike_and_devices_too(own):
    (own / "a.toml").write_text(MINE)
    (own / "b.toml").write_text(MINE.replace('"my-ssd"', '"other-ssd"').replace("on my machine", "elsewhere"))
    assert [catalogue.device(name).name for name in ("my-ssd", "other-ssd")] == ["My SSD", "My SSD (other-ssd)"]
    for name, where in (("my-ssd", "on my machine"), ("other-ssd", "elsewhere")):
        cited = catalogue.device(name).parameter("random_read_iops").source
        assert catalogue.sources()[cited].title == f"fio 3.36 {where}"


def test_a_file_is_added_once_and_replaced_when_asked(own, tmp_path):
    path = tmp_path / "x.toml"
    path.write_text(MINE)
    assert device_files.add(path) == own / "my-ssd.toml"
    with pytest.raises(ModelError, match="there already"):
        device_files.add(path)
    (own / "my-ssd.toml").rename(own / "renamed.toml")
    assert device_files.add(path, replace=True) == own / "renamed.toml"
    path.write_text("schema = 3")
    with pytest.raises(ModelError, match="schema 3"):
        device_files.add(path, replace=True)
    assert catalogue.problems() == ()


def test_the_ledger_never_sees_them(own, monkeypatch):
    (own / "a.toml").write_text(MINE)
    monkeypatch.setitem(MEASURES, "devices_seen", lambda: float(len(catalogue.devices())))
    claim = next(claim for claim in claims.claims() if claim.measure.get("measure") == "parameter")
    claim = dataclasses.replace(claim, measure={"measure": "devices_seen"}, rivals=())
    assert len(catalogue.devices()) == len(catalogue.project().devices) + 1
    assert checking.check(claim).measured == len(catalogue.project().devices)
    assert changed.measured(claim) == len(catalogue.project().devices)
    assert not catalogue.is_changed()
    with catalogue.of_project():
        assert not catalogue.is_changed()


def test_a_what_if_stays_within_the_project(own):
    (own / "a.toml").write_text(MINE)
    slower = catalogue.device("wd400bb").replaced("rotation_hz", 60.0)
    with catalogue.using(slower), catalogue.of_project():
        assert catalogue.is_changed()
        assert catalogue.device("wd400bb").value("rotation_hz") == 60.0
