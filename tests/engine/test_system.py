"""A system is one value: it is read and written without loss, refuses what makes no sense, and fills in studies."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost import catalogue, system
from pagecost.buffer import POLICIES
from pagecost.economics import LEVELS
from pagecost.errors import ModelError
from pagecost.studies import STUDIES
from pagecost.studies.taking import takes

PLACED = {name: list(takes(study.Inputs).values()) for name, study in STUDIES.items()}


@st.composite
def systems(draw) -> system.System:
    def placement(role: str) -> system.Placement:
        level = draw(st.sampled_from(sorted(LEVELS)))
        count = draw(st.integers(LEVELS[level].least, 100))
        device = draw(st.sampled_from(sorted(catalogue.devices())))
        return system.Placement(role=role, device=device, count=count, level=level)

    roles = ["database", *draw(st.sets(st.sampled_from(["log", "cache"])))]
    prices = st.dictionaries(st.sampled_from(sorted(catalogue.devices())), st.floats(0, 1e6), max_size=3)
    return system.System(
        name=draw(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=80)),
        load=system.Load(
            rate_hz=draw(st.floats(1e-3, 1e9)), source="tpc-c", users=draw(st.none() | st.integers(1, 10_000))
        ),
        memory=system.Memory(buffer_frames=draw(st.integers(1, 2**31)), policy=draw(st.sampled_from(sorted(POLICIES)))),
        devices=tuple(map(placement, roles)),
        economics=system.Economics(price_usd_per_device=draw(prices)),
        targets=system.Targets(
            response_s=draw(st.none() | st.floats(1e-6, 1e3)), percentile=draw(st.sampled_from(system.PERCENTILES))
        ),
        candidates=system.Candidates(
            devices=tuple(draw(st.sets(st.sampled_from(sorted(catalogue.devices())), max_size=3))),
            counts=tuple(draw(st.sets(st.integers(1, 100), min_size=1, max_size=3))),
        ),
    )


@given(systems())
def test_what_is_written_is_read_back_equal(made):
    import tomllib

    assert system.of(tomllib.loads(system.text(made))) == made


def test_systems_are_equal_by_value_and_cannot_be_changed():
    assert system.System() == system.System()
    assert system.System(memory=system.Memory(buffer_frames=2)) != system.System()
    with pytest.raises(ValueError, match="frozen"):
        system.System().name = "another"


def test_a_file_says_what_each_value_means_and_may_leave_out_what_stays(tmp_path):
    path = tmp_path / "mine.toml"
    system.write(system.System(), path)
    assert "buffer_frames = 1024 # Pages that the database buffer holds." in path.read_text("utf8")
    path.write_text("schema = 1\n[memory]\nbuffer_frames = 7\n", "utf8")
    assert system.read(path) == system.System(memory=system.Memory(buffer_frames=7))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "does not say its schema; the first line of a system is schema = 2"),
        ("schema = 3", "is of schema 3; this pagecost reads up to 2: update pagecost"),
        ("schema = true", "schema must be a whole number from 1; got True"),
        ("schema = ", "this is not TOML: "),
        ("schema = 1\n[memory]\nbuffer_frames = 0", "memory.buffer_frames should be greater than or equal to 1; got 0"),
        ("schema = 1\n[memory]\nframes = 9", "unknown input 'memory.frames'; known: buffer_frames, policy"),
        ("schema = 1\n[memory]\npolicy = 'cflru:windo=3'", "unknown parameter of replacement policy cflru 'windo'"),
        ("schema = 1\nmemory = 3", "memory should be a valid dictionary"),
        ("schema = 1\ncolour = 'red'", "unknown input 'colour'; known: name, load, processors, memory"),
        ("schema = 1\n[load]\nrate_hz = nan", "load.rate_hz should be "),
        ("schema = 1\n[[devices]]\nrole = 'database'\ndevice = 'floppy'", "devices.1.device: unknown device 'floppy'"),
        ("schema = 1\n[[devices]]\ndevice = 'wd400bb'", "devices.1.role is missing"),
        ("schema = 1\n[[devices]]\nrole = 'log'\ndevice = 'wd400bb'", "none has the role 'database'"),
        (
            "schema = 1\n[[devices]]\nrole = 'database'\ndevice = 'wd400bb'\nlevel = 'raid-5'",
            "devices.1: raid-5 needs at least 3 devices; got 1 × wd400bb",
        ),
        (
            "schema = 1\n" + 2 * "[[devices]]\nrole = 'database'\ndevice = 'wd400bb'\n",
            "devices: database has two places",
        ),
        ("schema = 1\n[economics.price_usd_per_device]\nfloppy = 3", "economics: unknown device 'floppy'"),
    ],
)
def test_a_file_that_breaks_a_rule_is_refused_in_a_sentence_with_its_name(tmp_path, text, sentence):
    path = tmp_path / "mine.toml"
    path.write_text(text, "utf8")
    with pytest.raises(ModelError) as error:
        system.read(path)
    assert str(error.value).startswith(f"system {path}: ")
    assert sentence in str(error.value)


def test_a_file_of_other_bytes_and_a_file_that_is_missing_are_refused(tmp_path):
    path = tmp_path / "mine.toml"
    with pytest.raises(ModelError, match=r"there is no such file; pagecost system new .*mine.toml makes one"):
        system.read(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ModelError, match="this is not TOML"):
        system.read(path)


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "mine.toml"
    system.write(system.System(), path)
    before = path.read_bytes()

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ModelError, match="cannot be written: No space left"):
        system.write(system.System(name="another"), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(ModelError, match="there is no folder"):
        system.write(system.System(), tmp_path / "nowhere" / "mine.toml")


def test_values_are_found_by_their_path_and_a_missing_place_has_none():
    made = system.System()
    assert made.value("memory.policy") == "lru"
    assert made.value("devices.database.device") == "intel-x25-m-g2-80gb"
    assert made.value("devices.log.device") is None
    with pytest.raises(ModelError, match="unknown part of a system 'frames'"):
        made.value("memory.frames")
    with pytest.raises(ModelError, match="unknown role 'tape'"):
        made.value("devices.tape.device")


@pytest.mark.parametrize(("study", "path"), [(name, path) for name, paths in PLACED.items() for path in paths])
def test_every_place_that_a_study_names_exists_in_a_system(study, path):
    full = system.System(
        devices=tuple(system.Placement(role=role, device="intel-x25-e") for role in system.ROLES),
        targets=system.Targets(response_s=0.1, budget=1e4, watts=100.0),
        load=system.Load(users=3, think_s=0.5),
        memory=system.Memory(page_bytes=8192),
        economics=system.Economics(price_usd_per_device={"wd400bb": 30.0}),
    )
    assert full.value(path) is not None


def test_a_system_of_schema_1_is_still_read_and_newer_parts_want_schema_2(tmp_path):
    path = tmp_path / "old.toml"
    path.write_text(OF_SCHEMA_1, "utf8")
    found = system.read(path)
    assert found.memory.buffer_frames == 512
    assert found.value("devices.log.count") == 2
    assert found.targets == system.Targets()
    assert found.candidates == system.Candidates()
    path.write_text(OF_SCHEMA_1 + "[targets]\nresponse_s = 0.1\n", "utf8")
    with pytest.raises(ModelError, match="targets came with schema 2; its first line says schema = 1"):
        system.read(path)


OF_SCHEMA_1 = """schema = 1
name = "written by 0.3.0"
[load]
source = "sqlite-order-entry"
rate_hz = 1000.0
transaction_rate_hz = 200.0
read_share = 0.7
volume_bytes = 3e11
[memory]
buffer_frames = 512
policy = "lru"
page_cache_bytes = 0.0
[log]
update_strategy = "NOFORCE"
group_size = 1
[file_system]
layout = "in-place"
[economics]
horizon_years = 5.0
price_usd_per_kwh = 0.15
power_usage_effectiveness = 1.0
[economics.price_usd_per_device]
wd400bb = 30.0
[[devices]]
role = "database"
device = "intel-x25-m-g2-80gb"
count = 2
level = "raid-1"
scheduler = "fcfs"
[[devices]]
role = "log"
device = "wd400bb"
count = 2
level = "raid-0"
scheduler = "fcfs"
"""
