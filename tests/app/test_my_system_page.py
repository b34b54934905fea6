"""My system on the pages: said once, taken by questions, freed and taken again, opened, saved, restored."""

import json
import tomllib

import pytest
from bokeh.events import ButtonClick

from helpers.page_session import Session, opened
from pagecost import system
from pagecost.errors import ModelError
from pagecost.units import grouped
from pagecost_app import pages
from pagecost_app.pages.linked_inputs import FREED, LINKED
from pagecost_app.workspace import steps
from pagecost_app.workspace.my_system import MySystem, examples
from pagecost_app.workspace.system_form import LINES, SECTIONS, words

MINE = system.System().changed({"memory.buffer_frames": 300, "devices.database.device": "intel-x25-m-g2-80gb"})


@pytest.fixture
def session():
    made = Session()
    pages.build(made.document)
    yield made
    made.document.session_destroyed_callbacks.copy().pop()(None)


def unfolded(session):
    session.model("my_system.toggle").active = True
    return lambda path: session.model(f"my_system.{path}")


def open_file(session, tmp_path, mine=MINE):
    path = tmp_path / "mine.toml"
    system.write(mine, path)
    unfolded(session)("file").value = str(path)


def press(session, name):
    button = session.model(name)
    button._trigger_event(ButtonClick(button))


def label(session, name):
    return session.model(name).label


def test_without_a_system_nothing_is_marked_and_the_bar_says_what_it_is_for(session):
    opened(session, "buffer_size")
    assert "none yet" in session.model("my_system.words").text
    assert session.document.get_model_by_name("buffer_size.frames.link") is None
    assert not session.model("my_system.free").visible
    assert session.document.get_model_by_name("my_system.example") is None, "built when it is unfolded"


def test_a_question_follows_the_system_is_freed_and_takes_it_again(session, tmp_path):
    opened(session, "buffer_size")
    slider = session.model("buffer_size.frames")
    slider.value = next(name for name in slider.categories if name.startswith(grouped(4096)))
    open_file(session, tmp_path)
    assert slider.value.startswith("300")
    assert session.model("buffer_size.device").value == "intel-x25-m-g2-80gb"
    assert label(session, "buffer_size.frames.link") == LINKED
    assert "This question takes 4 inputs" in session.model("my_system.takes").text
    session.until(lambda: not session.queue and 300 in session.model("buffer_size.result").data["frames"])

    press(session, "buffer_size.frames.link")
    assert slider.value.startswith(grouped(4096)), "what was set before is not lost"
    assert label(session, "buffer_size.frames.link") == FREED
    unfolded(session)("memory.buffer_frames").value = _stop(session, "my_system.memory.buffer_frames", grouped(1024))
    assert slider.value.startswith(grouped(4096))
    press(session, "buffer_size.frames.link")
    assert slider.value.startswith(grouped(1024))

    session.model("buffer_size.device").value = "wd400bb"
    assert label(session, "buffer_size.device.link") == FREED
    assert session.model("buffer_size.device").value == "wd400bb"
    assert "Device: set here, and free of my system now." in session.model("my_system.said").text
    press(session, "my_system.link")
    assert session.model("buffer_size.device").value == "intel-x25-m-g2-80gb"
    press(session, "my_system.free")
    assert slider.value.startswith(grouped(4096))
    assert not session.model("my_system.free").visible


def test_a_page_size_follows_the_system_as_long_as_the_trace_has_none_of_its_own(session, tmp_path):
    file = tmp_path / "a.spc"
    file.write_text("0,20941264,8192,W,0.551706\n0,20939840,8192,W,0.554041\n")
    opened(session, "buffer_size")
    open_file(session, tmp_path, MINE.changed({"memory.page_bytes": 8192}))
    session.until(lambda: not session.queue)
    sign, slider = "buffer_size.page_bytes.link", session.model("buffer_size.page_bytes")
    assert session.document.get_model_by_name(sign) is None
    comes = slider.value
    session.model("buffer_size.trace.other").value = str(file)
    session.until(lambda: not session.queue)
    assert (label(session, sign), slider.value) == (LINKED, "8 KiB")
    session.model("buffer_size.trace.other").value = ""
    session.until(lambda: not session.queue)
    assert session.document.get_model_by_name(sign) is None
    assert slider.value == comes


def test_what_cannot_be_taken_is_said_and_another_page_follows_when_it_is_opened(session, tmp_path):
    open_file(session, tmp_path, MINE.changed({"load.read_share": 0.25}))
    opened(session, "disk_scheduling")
    refused = session.model("disk_scheduling.disk.refused").text
    assert "intel-x25-m-g2-80gb: average_seek_read_s is not known" in refused
    assert "known: " not in refused.replace("not known: ", "")
    assert session.model("disk_scheduling.disk").value == "wd400bb"
    assert session.model("disk_scheduling.write_share").value == "75%"


def test_forgotten_the_questions_have_their_own_values_again(session, tmp_path):
    opened(session, "buffer_size")
    before = session.model("buffer_size.frames").value
    open_file(session, tmp_path)
    assert session.model("buffer_size.frames").value != before
    press(session, "my_system.forget")
    assert session.model("buffer_size.frames").value == before
    assert session.document.get_model_by_name("buffer_size.frames.link") is None


def test_a_preset_stands_as_it_is_and_frees_what_it_sets_otherwise(session, tmp_path):
    open_file(session, tmp_path)
    opened(session, "buffer_size")
    session.model("buffer_size.preset").value = next(
        name for name in session.model("buffer_size.preset").options if name != "defaults"
    )
    assert label(session, "buffer_size.frames.link") == FREED


def test_the_panel_says_what_breaks_a_rule_and_what_is_saved_is_read_back(session, tmp_path):
    panel = unfolded(session)
    assert not panel("devices.log.count").visible
    panel("devices.log.device").value = "intel-x25-e"
    assert panel("devices.log.count").visible
    panel("devices.database.level").value = "raid-5"
    assert "raid-5 needs at least 3 devices" in panel("said").text
    panel("devices.database.count").value = "4"
    assert not panel("said").visible
    saved = system.of(tomllib.loads(panel("text").data["text"][0]))
    assert (saved.value("devices.database.level"), saved.value("devices.database.count")) == ("raid-5", 4)
    assert saved.value("devices.log.device") == "intel-x25-e"
    panel("file").value = str(tmp_path / "nowhere.toml")
    assert "there is no such file" in panel("said").text
    panel("example").value = next(iter(examples()))
    assert system.of(tomllib.loads(panel("text").data["text"][0])) == next(iter(examples().values()))
    assert panel("example").value == ""


def test_the_state_is_json_and_comes_back(session, tmp_path):
    mine, heard = MySystem(), []
    mine.on_change(lambda: heard.append("changed"))
    mine.put(MINE)
    mine.free("buffer_size", ["frames"])
    mine.own("buffer_size")["policies"] = ("lru", "arc")
    assert heard == ["changed", "changed"]
    state = json.loads(json.dumps(mine.state()))
    other, followed = MySystem(), []
    other.on_change(lambda: followed.append("changed"))
    other.follow(lambda: followed.append("followed"))
    other.restore(state)
    assert followed == ["followed"]
    assert other.system == MINE
    assert other.freed("buffer_size") == {"frames"}
    assert other.own("buffer_size") == {"policies": ("lru", "arc")}
    assert other.state() == state
    broken = state | {"system": state["system"] | {"load": {"source": str(tmp_path / "gone.csv")}}}
    with pytest.raises(ModelError, match=r"my system: .*gone\.csv"):
        other.restore(broken)
    assert other.system is None
    assert other.freed("buffer_size") == {"frames"}


@pytest.mark.parametrize(
    "state",
    [
        3,
        None,
        {"system": 3},
        {"system": {"schema": 99}},
        {"system": {"schema": 2, "memory": {"buffer_frames": "many"}}},
    ],
)
def test_a_damaged_state_is_one_sentence_and_leaves_no_system(state):
    mine = MySystem()
    mine.put(MINE)
    with pytest.raises(ModelError, match="my system: "):
        mine.restore(state)
    assert mine.system in (MINE, None)


def test_what_is_damaged_of_what_was_freed_is_left_out():
    mine = MySystem()
    mine.restore({"freed": {"buffer_size": 3, "no such study": ["x"], "miss_curve": ["trace"]}, "own": 7})
    assert mine.freed("buffer_size") == frozenset()
    assert mine.freed("miss_curve") == {"trace"}
    assert mine.state() == {"system": None, "freed": {"miss_curve": ["trace"]}, "own": {}}


def test_a_value_that_breaks_a_rule_changes_nothing():
    mine = MySystem()
    with pytest.raises(ModelError, match=r"memory\.buffer_frames"):
        mine.change({"memory.buffer_frames": 0})
    assert mine.system is None
    mine.change({"memory.buffer_frames": 7})
    assert mine.system == system.System(memory=system.Memory(buffer_frames=7))


@pytest.mark.parametrize("name", examples())
def test_examples_are_said_in_words_and_every_line_puts_back_what_it_shows(name):
    mine = examples()[name]
    assert words(mine).keys() == SECTIONS.keys()
    for line in LINES.values():
        assert line.field.description
        if line.applies(mine):
            assert line.put(mine, line.value(mine)) == mine


def _stop(session, name, start):
    return next(label for label in session.model(name).categories if label.startswith(start))


def test_undo_takes_a_system_back_with_what_it_set_and_redo_brings_it_again(session, tmp_path):
    opened(session, "buffer_size")
    slider = session.model("buffer_size.frames")
    slider.value = _stop(session, "buffer_size.frames", grouped(4096))
    session.until(lambda: not session.queue and 4096 in session.model("buffer_size.result").data["frames"])
    open_file(session, tmp_path)
    assert slider.value.startswith("300")
    assert session.model("project.undo").html_attributes["title"] == "Undo: My system: my system"
    press(session, "buffer_size.frames.link")
    assert session.model("project.undo").html_attributes["title"] == "Undo: Buffer size: free of my system"
    press(session, "project.undo")
    assert label(session, "buffer_size.frames.link") == LINKED
    assert slider.value.startswith("300")
    press(session, "project.undo")
    assert slider.value.startswith(grouped(4096))
    assert "none yet" in session.model("my_system.words").text
    press(session, "project.redo")
    assert slider.value.startswith("300")
    press(session, "project.redo")
    assert slider.value.startswith(grouped(4096))
    assert label(session, "buffer_size.frames.link") == FREED


def test_a_slider_that_was_told_what_is_no_stop_follows_the_system_all_the_same(session, tmp_path):
    opened(session, "buffer_size")
    session.model("buffer_size.frames").value = "no such stop"
    open_file(session, tmp_path)
    session.until(lambda: session.model("buffer_size.frames").value.startswith("300"))
    press(session, "buffer_size.frames.link")
    assert session.model("buffer_size.frames").value == "no such stop"


def test_a_source_with_too_many_letters_for_a_path_is_refused_in_a_sentence():
    with pytest.raises(ModelError, match="unknown trace 'aaaa"):
        system.System().changed({"load.source": "a" * 5000})
    with pytest.raises(ModelError, match="there is no such file"):
        system.System().changed({"load.source": "/" + "a" * 5000})


def test_what_is_said_of_one_load_is_asked_under_that_load_alone():
    def asked(source):
        mine = system.System().changed({"load.source": source})
        return {line.path for lines in SECTIONS.values() for line in lines if line.applies(mine)}

    every = {line.path for line in SECTIONS["Load"]}
    of_tpcc, of_tpox = {"load.mix", "load.warehouses"}, {"load.tpox_bytes", "load.tpox_mapping", "load.tpox_mix"}
    assert every & asked("sqlite-order-entry") == every - of_tpcc - of_tpox
    assert every & asked("tpc-c") == every & asked("tpc-c-write-intensive") == every - of_tpox
    assert every & asked("tpox") == every - of_tpcc


def test_a_preset_that_frees_what_the_system_says_is_one_step(session, tmp_path):
    open_file(session, tmp_path)
    opened(session, "buffer_size")
    preset = session.model("buffer_size.preset")
    preset.value = next(name for name in preset.options if name != "defaults")
    assert "free of my system now" in session.model("my_system.said").text
    press(session, "project.undo")
    session.until(lambda: not session.queue)
    assert label(session, "buffer_size.frames.link") == LINKED
    assert session.model("buffer_size.frames").value.startswith("300")
    assert preset.value == "defaults"
    assert not session.model("my_system.said").visible
    press(session, "project.redo")
    session.until(lambda: not session.queue)
    assert label(session, "buffer_size.frames.link") == FREED
    assert preset.value != "defaults"
    for _ in range(2):
        press(session, "project.undo")
    assert session.model("project.undo").disabled


def test_a_link_that_frees_what_the_system_says_is_one_step(session, tmp_path):
    open_file(session, tmp_path)
    opened(session, "buffer_size")
    slider = session.model("buffer_size.frames")
    linked = slider.value
    session.model("address").value = "buffer/buffer_size?frames=4096"
    session.until(lambda: not session.queue)
    assert label(session, "buffer_size.frames.link") == FREED
    press(session, "project.undo")
    session.until(lambda: not session.queue)
    assert (label(session, "buffer_size.frames.link"), slider.value) == (LINKED, linked)


@pytest.fixture
def at_once(monkeypatch):
    """However slow the machine is, changes are close together."""
    monkeypatch.setattr(steps, "JOINED_S", 3600.0)


def set_to(session, slider, value):
    slider.value = value
    session.until(lambda: not session.queue)


def test_freeing_an_input_and_setting_it_at_once_are_two_steps(session, tmp_path, at_once):
    opened(session, "buffer_size")
    slider = session.model("buffer_size.frames")
    own = slider.value
    open_file(session, tmp_path, MINE.changed({"memory.buffer_frames": 4096}))
    session.until(lambda: not session.queue)
    linked = slider.value
    assert linked != own
    press(session, "buffer_size.frames.link")
    for value in (slider.categories[3], linked):
        set_to(session, slider, value)
    assert session.model("project.undo").html_attributes["title"].endswith(f"{own} → {linked}")
    press(session, "project.undo")
    session.until(lambda: not session.queue)
    assert (label(session, "buffer_size.frames.link"), slider.value) == (FREED, own)
    press(session, "project.undo")
    session.until(lambda: not session.queue)
    assert (label(session, "buffer_size.frames.link"), slider.value) == (LINKED, linked)


def test_a_linked_input_moved_to_and_fro_at_once_is_told_as_freed(session, tmp_path, at_once):
    open_file(session, tmp_path, MINE.changed({"memory.buffer_frames": 4096}))
    opened(session, "buffer_size")
    slider = session.model("buffer_size.frames")
    linked = slider.value
    for value in (slider.categories[3], linked):
        set_to(session, slider, value)
    assert label(session, "buffer_size.frames.link") == FREED
    assert session.model("project.undo").html_attributes["title"].endswith("free of my system")
    press(session, "project.undo")
    session.until(lambda: not session.queue)
    assert (label(session, "buffer_size.frames.link"), slider.value) == (LINKED, linked)


def test_prices_of_the_system_follow_the_currency_that_is_set_on_the_page(session, tmp_path, monkeypatch):
    """They are dollars in the system's file: in another currency, not so many of that."""
    monkeypatch.setattr(steps, "JOINED_S", 0.0)
    open_file(session, tmp_path, MINE.changed({"economics.price_usd_per_kwh": 0.3}))
    opened(session, "total_cost")

    def stands(dollars):
        session.until(lambda: not session.queue)
        assert session.model("total_cost.price_per_kwh").value == f"{0.3 / dollars:g} a kWh"
        assert label(session, "total_cost.price_per_kwh.link") == LINKED

    stands(1.0)
    for rate in (0.0067, 1.08):  # the first frees the currency, the second finds it freed
        session.model("total_cost.currency.other").value = f"ABC={rate}"
        stands(rate)
    for step, dollars in (("undo", 0.0067), ("undo", 1.0), ("redo", 0.0067), ("redo", 1.08)):
        press(session, f"project.{step}")
        stands(dollars)


def test_a_price_that_a_link_sets_with_a_currency_is_that_of_the_link(session, tmp_path):
    open_file(session, tmp_path, MINE.changed({"economics.price_usd_per_kwh": 0.3}))
    opened(session, "total_cost")
    session.model("address").value = "economics/total_cost?currency=JPY=0.0067&price_per_kwh=20"
    session.until(lambda: not session.queue)
    assert session.model("total_cost.price_per_kwh").value == "20 a kWh"
    assert label(session, "total_cost.price_per_kwh.link") == FREED
