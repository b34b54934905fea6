"""The units that a person chooses: every shown number follows, the choice is kept, and is a part of the workspace."""

import json

import pytest

from helpers.page_session import Session, opened
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
