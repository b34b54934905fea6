"""The hooks of a question's page: what others learn of its inputs, and what they may put beside them."""

import pytest
from bokeh.models.widgets import Button, Div

from helpers.page_session import Session
from pagecost import studies
from pagecost_app.pages.study_page import StudyPage


@pytest.fixture
def page():
    session = Session()
    made = StudyPage(session.document, studies.find("block_size"))
    made.session = session
    session.document.add_root(made.root)
    session.until(lambda: made.answer.finding.text != "")
    yield made
    made.stop()


def test_inputs_that_a_person_sets_are_told_once_when_they_are_answered(page):
    told = []
    page.accepted.append(lambda *said: told.append(said))
    page.take(None, {"span_bytes": 64 * 1024**2}, by_person=False)
    before = page.answer.reasons.text
    page.session.until(lambda: page.answer.reasons.text != before)
    assert told == []
    preset = next(iter(page.study.presets))
    page.take(preset, {"span_bytes": 128 * 1024**2})
    page.session.until(lambda: told)
    assert told == [(preset, {"span_bytes": 128 * 1024**2})]
    page.take(*told[0], by_person=False)
    assert page.panel.differing(page.study.inputs(page.panel.values)) == told[0][1]


def test_inputs_that_break_a_rule_are_not_told(page):
    told = []
    page.accepted.append(lambda *said: told.append(said))
    page.take(None, {"devices": ()})
    page.session.until(lambda: page.head.message.visible)
    assert told == []


def test_a_mark_stands_below_its_control_and_goes_again(page):
    control, sign = page.panel.controls[0], Div(text="from my system")
    page.panel.beside({control.name: sign})
    places = page.panel.root.children
    assert places[places.index(control.root) + 1] is sign
    page.panel.beside({})
    assert sign not in page.panel.root.children


def test_more_can_be_offered_under_the_answer(page):
    keep, link = Button(label="Keep"), Button(label="Link")
    page.answer.offer(keep)
    page.answer.offer(link)
    assert page.answer.actions.visible
    assert page.answer.actions.children == [keep, link]
