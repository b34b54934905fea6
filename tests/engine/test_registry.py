"""One mechanism finds policies, schedulers, studies and measures; one spelling sets their parameters."""

import importlib
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

import pagecost
from pagecost import registry, studies
from pagecost.buffer.policies import POLICIES
from pagecost.buffer.policies import find as find_policy
from pagecost.devices.disk.schedulers import SCHEDULERS
from pagecost.devices.disk.schedulers import find as find_scheduler
from pagecost.devices.ftl import Geometry, Simulation
from pagecost.devices.ftl.victims import VICTIMS
from pagecost.devices.ftl.victims import find as find_victim
from pagecost.errors import ModelError


@dataclass(frozen=True)
class Thing:
    name: str
    rank: int = 0


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Make a package of files; gives its name."""
    monkeypatch.syspath_prepend(tmp_path)

    def make(**files) -> str:
        folder = tmp_path / "found_here"
        (folder / "deeper").mkdir(parents=True)
        for name in ("__init__", "deeper/__init__"):
            (folder / f"{name}.py").touch()
        for name, text in files.items():
            (folder / f"{name.replace('__', '/')}.py").write_text(f"from {__name__} import Thing\n{text}\n", "utf8")
        importlib.invalidate_caches()
        return "found_here"

    yield make
    for name in [name for name in sys.modules if name.split(".")[0] == "found_here"]:
        del sys.modules[name]


def test_things_are_found_by_their_file_in_the_order_asked_for(package):
    name = package(
        one="THING = Thing('one', 2)",
        deeper__two="THING = Thing('two', 1)",
        nothing="OTHER = 1",
        broken_kernels="raise AssertionError('a kernel file is not looked at')",
    )
    assert list(registry.find(name, "THING")) == ["one", "two"]
    assert list(registry.find(name, "THING", lambda thing: thing.rank)) == ["two", "one"]


def test_two_files_cannot_offer_the_same_name(package):
    name = package(one="THING = Thing('same')", two="THING = Thing('same')")
    with pytest.raises(ModelError, match=r"found_here: two files offer THING 'same', one is found_here\.two"):
        registry.find(name, "THING")


def test_functions_are_found_by_their_file_and_none_hides_another(package):
    name = package(
        a_measures="def first(): return 1\ndef _own(): pass",
        b_measures="from found_here.a_measures import first\ndef second(): return 2",
        c_rules="def third(): pass",
        other="def fourth(): pass",
    )
    assert list(registry.functions(name, ("measures", "_rules"))) == ["first", "second", "third"]
    with open(f"{importlib.import_module(name).__path__[0]}/d_measures.py", "w") as file:
        file.write("def first(): pass\n")
    importlib.invalidate_caches()
    with pytest.raises(ModelError, match=r"two files have a function first, one is found_here\.d_measures"):
        registry.functions(name, "measures")


@pytest.mark.parametrize(
    ("find", "text", "expected"),
    [
        (find_policy, "cflru", {"window": 0.5}),
        (find_policy, "cflru:window=0.25", {"window": 0.25}),
        (find_policy, "2q:kin=0.2:kout=0.7", {"kin": 0.2, "kout": 0.7}),
        (find_policy, "lru", {}),
        (find_victim, "d-choices:choices=10", {"choices": 10}),
        (find_victim, "windowed-greedy", {"window": 2}),
        (find_scheduler, "deadline:batch=8", {"batch": 8, "read_due_s": 0.5, "write_due_s": 5.0, "writes_starved": 2}),
    ],
)
def test_parameters_are_spelled_one_way(find, text, expected):
    thing, values = find(text)
    assert (thing.name, values) == (text.split(":")[0], expected)


@pytest.mark.parametrize(
    ("find", "text", "sentence"),
    [
        (find_policy, "lru:window=1", "replacement policy lru has no parameters; got 'window=1'"),
        (find_policy, "cflru:size=1", "unknown parameter of replacement policy cflru 'size'; known: window"),
        (find_victim, "d-choices:window=3", "unknown parameter of victim policy d-choices 'window'; known: choices"),
        (find_victim, "d-choices:choices=0", "victim policy d-choices: choices must be 1..1000000; got 0"),
        (find_victim, "d-choices:choices=2.5", "victim policy d-choices: choices must be whole; got 2.5"),
        (find_victim, "d-choices:10", "a parameter is written NAME=VALUE, of choices=1..1000000; got '10'"),
        (find_victim, "d-choices:choices=many", "victim policy d-choices: choices must be a number; got 'many'"),
        (find_scheduler, "elevator", "unknown disk scheduler 'elevator'; known: fcfs, sstf"),
        (find_scheduler, "deadline:read_due_s=nan", "read_due_s must be 0..1e+09; got nan"),
    ],
)
def test_what_is_wrong_with_a_parameter_is_said_in_a_sentence_that_lists_them(find, text, sentence):
    with pytest.raises(ModelError, match=re.escape(sentence)):
        find(text)


def test_a_flash_device_takes_a_victim_policy_with_its_parameters():
    geometry = Geometry(blocks=64, pages_per_block=16, spare=0.2)
    counts = {
        choices: Simulation(geometry, policy=f"d-choices:choices={choices}").write(20_000).counts.copied_pages
        for choices in (1, 10)
    }
    assert counts[10] < counts[1]  # who looks at more blocks finds an emptier one


@pytest.mark.parametrize("things", [POLICIES, SCHEDULERS, VICTIMS, studies.STUDIES], ids=["p", "s", "v", "studies"])
def test_a_registry_is_a_mapping_by_name(things):
    assert isinstance(things, Mapping)
    assert all(thing.name == name for name, thing in things.items())
    assert len(things) > 5


def test_every_study_stands_in_one_topic_which_is_its_folder():
    named = [name for names in studies.TOPICS.values() for name in names]
    assert sorted(named) == sorted(studies.STUDIES)
    assert studies.find("buffer_size").topic == "buffer"
    assert "buffer_size" in studies.TOPICS["Buffer"]
    assert next(iter(studies.TOPICS)) == "Devices"


def test_every_room_of_the_engine_is_reached_as_an_attribute():
    code = """
import pagecost
from pathlib import Path
rooms = [path for path in Path(pagecost.__file__).parent.iterdir() if not path.name.startswith("_")]
names = {path.stem for path in rooms if not path.stem.endswith("_kernels")}
assert names <= set(dir(pagecost)), names - set(dir(pagecost))
assert {"transactions", "xmlstore", "economics", "oscaches"} <= names
for name in names:
    assert getattr(pagecost, name).__name__ == f"pagecost.{name}"
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="module 'pagecost' has no attribute 'nowhere'"):
        _ = pagecost.nowhere
