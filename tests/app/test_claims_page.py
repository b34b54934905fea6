"""The page of the ledger without a browser: what is set, what is said, and where its buttons lead."""

import dataclasses

import pytest
from bokeh.events import ButtonClick

from helpers.page_session import Session
from pagecost import _jit, studies
from pagecost.claims import PAPERS, claims, flips, kept
from pagecost.claims.sensitivity import movable, parameters_of
from pagecost.errors import require
from pagecost_app import claims_told as told
from pagecost_app import compiling, pages
from pagecost_app.pages import checking, claims_page
from pagecost_app.pages.changes import together
from pagecost_app.pages.checking import MOST, groups
from pagecost_app.pages.moving import moved

pytestmark = pytest.mark.long

CHEAP = "R18.nvem"  # a number of the catalogue and a formula


@pytest.fixture
def session(tmp_path, monkeypatch):
    """With no verdict kept yet, and one that is found kept for this test alone."""
    monkeypatch.setenv("PAGECOST_KERNEL_CACHE", str(_jit.kernel_cache()))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    compiling.begin()
    made = Session()
    pages.build(made.document)
    made.model("address").value = "claims"
    yield made
    made.document.session_destroyed_callbacks.copy().pop()(None)
    compiling.end()


def shown(session) -> list[str]:
    return list(session.model("claims.lines").data["id"])


def press(session, name):
    button = session.model(name)
    button._trigger_event(ButtonClick(button))


def choose(session, id):
    session.model("claims.lines").selected.indices = [shown(session).index(id)]


def test_what_travels_together_is_held_until_the_outermost_is_done(session):
    """Models that came to the page before the theme had reached them stayed white in the dark."""
    document = session.document
    with together(document):
        with together(document):
            pass
        assert document.callbacks.hold_value == "combine"
    assert document.callbacks.hold_value is None


def test_every_claim_stands_on_the_page(session):
    assert shown(session) == [claim.id for claim in claims()]
    assert [value for value, _ in session.model("claims.paper").options] == ["all", *PAPERS]


def test_filters_work_together_and_say_so_when_nothing_is_left(session):
    session.model("claims.paper").value = "rahm1992"
    assert set(shown(session)) == {claim.id for claim in claims("rahm1992")}
    places = [value for value, _ in session.model("claims.place").options]
    assert places[0] == "all"
    assert "Table 4.2" in places
    session.model("claims.place").value = "Table 4.2"
    assert set(shown(session)) == {c.id for c in claims("rahm1992") if "Table 4.2" in told.places(c)}
    session.model("claims.text").value = "no such words anywhere"
    assert shown(session) == []
    assert "take a filter away" in session.model("claims.headline").text
    session.model("claims.text").value = ""
    session.model("claims.paper").value = "lee2009"
    assert set(shown(session)) == {claim.id for claim in claims("lee2009")}


def test_a_line_is_told_with_all_that_is_known(session):
    choose(session, CHEAP)
    details = session.model("claims.details").text
    assert "50 microseconds" in details
    assert "not checked" in details
    assert not session.model("claims.open").visible


def test_checking_shows_verdicts_and_keeps_them(session):
    session.model("claims.text").value = CHEAP
    assert session.model("claims.check").label == "Check these (1)"
    press(session, "claims.check")
    session.until(lambda: session.model("claims.lines").data["measured"][0] == "50 µs")
    session.until(lambda: not session.model("claims.cancel").visible)
    assert session.model("claims.check").disabled
    other = Session()
    pages.build(other.document)
    other.model("address").value = "claims"
    other.until(lambda: other.model("claims.lines").data["measured"][shown(other).index(CHEAP)] == "50 µs")


def test_what_a_package_brought_along_is_said_to_be_of_that_day(tmp_path, monkeypatch, session):
    session.model("claims.paper").value = "lee2009"
    asked = claims("lee2009")
    brought = tmp_path / "brought.jsonl"
    holding = [dataclasses.replace(claims_page._open(claim), status="holds", measured=1.0) for claim in asked]
    kept.package(holding, brought)
    monkeypatch.setattr(kept, "_packaged_file", lambda: brought)
    other = Session()
    pages.build(other.document)
    other.model("address").value = "claims"
    headline = other.model("claims.headline")
    other.until(lambda: not headline.text.startswith('<p style="margin:2px 0;font-size:15px">0 of'))
    assert "packaged" not in headline.text  # it brought nothing along of the other papers
    other.model("claims.paper").value = "lee2009"
    assert "So it was when this program was packaged." in headline.text
    assert "packaged" not in session.model("claims.headline").text


def test_checking_stops_when_asked(session):
    press(session, "claims.check_all")
    assert session.model("claims.cancel").visible
    press(session, "claims.cancel")
    session.until(lambda: not session.model("claims.cancel").visible)
    assert session.model("claims.status").text == ""
    assert not session.model("claims.check_all").disabled


def test_a_slider_flips_the_verdict_where_the_region_begins(session):
    choose(session, CHEAP)
    press(session, "claims.flips")
    session.until(lambda: session.model("claims.number").options)
    flip = flips(next(claim for claim in claims() if claim.id == CHEAP))[0]
    number, words = session.model("claims.number").options[0]
    assert number == flip.name == "device:rahm-nvem.access_s"
    assert f"or × {flip.up:.3g}" in words
    factor = session.model("claims.factor")
    factor.value = 1.0
    session.until(lambda: "fails" in session.model("claims.moved_words").text)
    assert "100 µs" in session.model("claims.moved_words").text
    factor.value = 0.0
    session.until(lambda: "holds" in session.model("claims.moved_words").text)
    assert len(session.model("claims.moved").data["x"]) == 2


def test_a_number_that_a_study_refuses_is_a_sentence():
    claim = next(c for c in claims() if c.study == "block_size" and c.measure["measure"] == "winner")
    refused = moved(claim, {"devices": lambda factor: {"set": {"devices": ["nothing"]}}}, "devices", 2.0)
    assert refused.value is None
    assert "nothing" in refused.refused


def test_a_wrong_line_is_a_sentence_and_the_others_are_checked_all_the_same(session, monkeypatch):
    def refuse(asked):
        for claim in asked:
            require(claim.id != "R18.db_disk", "line 7: claim R18.db_disk has no place")

    monkeypatch.setattr(checking, "refuse_wrong", refuse)
    monkeypatch.setattr(checking, "MOST", 1)
    session.model("claims.text").value = "R18."
    press(session, "claims.check")
    session.until(lambda: session.model("claims.message").visible)
    assert "line 7: claim R18.db_disk has no place" in session.model("claims.message").text
    session.until(lambda: session.model("claims.lines").data["measured"][shown(session).index(CHEAP)] == "50 µs")


def test_one_press_opens_the_study_with_the_inputs_that_produced_it(session):
    claim = next(c for c in claims() if c.study == "block_size" and parameters_of(c).get("devices"))
    session.model("claims.text").value = claim.id
    choose(session, claim.id)
    press(session, "claims.open")
    assert session.model("address").value == f"devices/{claim.study}"
    given = studies.find(claim.study).inputs(parameters_of(claim))
    assert tuple(session.model("block_size.devices").value) == tuple(given.devices)
    preset = claim.measure.get("preset")
    assert session.model("block_size.preset").value == (preset or "defaults")


def test_the_mark_beside_a_chart_leads_to_its_lines(session):
    session.model("address").value = "devices/block_size"
    mark = lambda: session.document.get_model_by_name("block_size.reproduces.0")  # noqa: E731
    session.until(lambda: mark() is not None)
    first = told.reproduced("block_size")[0]
    assert first.place == "Table 3.2"
    assert mark().label == first.words({})
    press(session, "block_size.reproduces.0")
    assert session.model("address").value == "claims"
    assert session.model("claims.paper").value == first.paper
    assert session.model("claims.place").value == first.place
    assert {claim.id for claim in first.claims} <= set(shown(session))


@pytest.mark.parametrize(
    ("study", "figure"), [("whole_path", "Fig. 8"), ("cleaning_interval", "Fig. 10"), ("io_schedulers", "Fig. 13")]
)
def test_a_chart_of_the_path_is_marked_with_the_figure_that_it_reproduces(session, study, figure):
    session.model("address").value = f"path/{study}"
    mark = lambda: session.document.get_model_by_name(f"{study}.reproduces.0")  # noqa: E731
    session.until(lambda: mark() is not None)
    assert mark().label.startswith(f"Wang 2011, {figure}: ")
    press(session, f"{study}.reproduces.0")
    assert session.model("claims.place").value == figure
    assert figure in dict(session.model("claims.place").options)
    assert all(figure in told.places(claim) for claim in claims() if claim.id in shown(session))


def test_only_numbers_that_a_measure_lets_be_changed_are_moved():
    claim = next(c for c in claims() if c.measure.get("measure") == "growth" and c.study)  # it takes no inputs
    changes, _ = movable(claim)
    assert changes
    assert all(name.startswith("device:") for name in changes)


def test_groups_ask_one_study_each_and_are_small():
    made = groups(claims())
    assert sorted(c.id for group in made for c in group) == sorted(c.id for c in claims())
    assert max(map(len, made)) <= MOST
    assert all(len({(c.paper, c.study or c.item) for c in group}) == 1 for group in made)
