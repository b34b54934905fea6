"""The units that a person chooses: every shown number follows, the choice is kept, and is a part of the workspace."""

import json

import numpy as np
import pytest
from bokeh.models import Plot

from helpers.page_session import Session, opened
from pagecost import exchange
from pagecost.errors import ModelError
from pagecost_app import pages
from pagecost_app.pages.units_choice import DEFAULTS, UnitsChoice


@pytest.fixture
def session(tmp_path, monkeypatch):
    monkeypatch.setenv("PAGECOST_STATE", str(tmp_path))
    made = Session()
    made.frame = pages.build(made.document)
    yield made
    made.document.session_destroyed_callbacks.copy().pop()(None)


def test_finding_table_and_bare_values(session, tmp_path):
    opened(session, "buffer_size")
    answer, numbers = session.model("buffer_size.answer"), session.model("buffer_size.result")
    assert "20.2 µs" in answer.text
    bare = list(numbers.data["time_per_reference_s"])
    session.model("units.time").value = "ms"
    session.model("units.bytes").value = "GB"
    session.until(lambda: not session.queue)
    assert "0.0202 ms" in answer.text
    assert numbers.data["buffer_bytes as shown"][0] == "4.19 MB"
    assert list(numbers.data["time_per_reference_s"]) == bare
    assert json.loads((tmp_path / "settings" / "units.json").read_text()) == {
        "time": "ms",
        "bytes": "GB",
        "money": "USD",
    }
    later = Session()
    assert UnitsChoice(pages.build(later.document)).state()["time"] == "ms"
    later.document.session_destroyed_callbacks.copy().pop()(None)


def test_a_part_of_the_workspace_tells_only_what_a_person_changes(session):
    part = UnitsChoice(session.frame)
    told = []
    part.on_change(lambda: told.append(part.state()))
    part.restore({"time": "µs"})
    assert (part.state()["time"], told) == ("µs", [])
    part.lists["money"].value = "EUR"
    assert told == [{"time": "µs", "bytes": "auto", "money": "EUR"}]
    assert part.shown.usd_per_euro > 0


@pytest.mark.parametrize("state", [None, [], "ms", {"time": "weeks"}, {"money": 3}])
def test_a_state_that_is_none_is_refused_and_changes_nothing(session, state):
    part = UnitsChoice(session.frame)
    with pytest.raises(ModelError):
        part.restore(state)
    assert part.state() == DEFAULTS


@pytest.mark.parametrize("text", ["", "{", "[]", '{"time": 3}', '{"time": ["ms"]}'])
def test_a_torn_file_is_as_none(session, tmp_path, text):
    (tmp_path / "settings").mkdir(mode=0o700, exist_ok=True)
    (tmp_path / "settings" / "units.json").write_text(text)
    assert UnitsChoice(session.frame).state() == DEFAULTS


def chosen(session, **units):
    for name, unit in units.items():
        session.model(f"units.{name}").value = unit
    session.until(lambda: not session.queue)


def test_a_slider_follows_and_keeps_its_stops_and_its_value(session):
    opened(session, "file_and_block_size")
    panel = session.frame.study_page("file_and_block_size").panel
    before = panel.values
    sliders = {item.name: item for item in panel.controls if hasattr(item, "stops")}
    labels = {name: list(item.stops) for name, item in sliders.items()}
    stops = {name: list(item.stops.values()) for name, item in sliders.items()}
    assert "16 MiB" in [label for each in labels.values() for label in each]
    asked = session.frame.study_page("file_and_block_size")._asked
    chosen(session, bytes="GB")
    assert "16.8 MB" in [label for item in sliders.values() for label in item.stops]
    assert {name: list(item.stops.values()) for name, item in sliders.items()} == stops
    assert panel.values == before
    assert session.frame.study_page("file_and_block_size")._asked == asked, "nothing is asked anew"
    for item in sliders.values():
        assert item.widget.categories == list(item.stops)
        assert item.widget.value in item.stops
    chosen(session, bytes="auto")
    assert {name: list(item.stops) for name, item in sliders.items()} == labels


def test_a_page_that_is_opened_later_and_lists_of_sizes_follow_too(session):
    chosen(session, time="µs", bytes="GB")
    opened(session, "block_size")
    assert ("1048576", "1.05 MB") in session.model("block_size.block_sizes_bytes").options
    panel = session.frame.study_page("block_size").panel
    panel.take(None)  # a preset is written so as well
    assert next(item for item in panel.controls if item.name == "span_bytes").widget.value == "20 GB"


def test_my_system_follows(session):
    opened(session, "buffer_size")
    session.model("my_system.toggle").active = True
    volume = session.model("my_system.load.volume_bytes")
    assert "1 TB" in volume.categories
    chosen(session, bytes="GiB")
    assert "931 GiB" in volume.categories


MONEY = {
    "miss_curve": ("miss_curve.cheapest", "y"),
    "storage_cost": ("storage_cost.front", "x"),
    "total_cost": ("total_cost.parts", "total"),
    "storage_plan": ("storage_plan.line", "x"),
}
"""Studies that draw money: a source of their chart, and its column of amounts."""


@pytest.mark.parametrize("study", MONEY)
def test_charts_of_money_follow_and_say_at_which_rate(session, study, remembered_answers):
    opened(session, study)
    source, column = MONEY[study]
    page = session.frame.study_page(study)
    session.until(lambda: page._drawn is not None and not session.queue)
    dollars = np.array(session.model(source).data[column], dtype=float)
    csv = session.model(f"{study}.csv").data["text"][0]
    assert dollars.size
    assert not session.model(f"{study}.csv_units").visible
    chosen(session, money="EUR")
    rate = exchange.rate("EUR")
    assert np.array(session.model(source).data[column]) == pytest.approx(dollars / rate.usd_per_unit)
    axes = [axis for figure in page.chart.root.select({"type": Plot}) for axis in figure.axis]
    said = " ".join(str(axis.axis_label) for axis in axes) + str([getattr(axis.formatter, "args", "") for axis in axes])
    assert "€" in said or "euros" in said
    assert "dollars" not in said
    assert "USD" not in said
    assert f"1 € = {rate.usd_per_unit} $ on {rate.date}" in session.model(f"{study}.known").text
    assert session.model(f"{study}.csv").data["text"][0] == csv
    assert session.model(f"{study}.csv_units").visible


def test_the_select_says_what_stays(session):
    said = session.model("units.money").description
    assert exchange.rate("EUR").date in said
    assert "charts" not in said
    assert "CSV stays in SI units and dollars" in said
