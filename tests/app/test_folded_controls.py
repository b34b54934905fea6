"""Inputs that few will change stand in parts that open, on the page and in a notebook; what was built can be kept."""

import pytest
from bokeh.events import ButtonClick

from helpers.page_session import Session, opened
from pagecost import studies
from pagecost_app import pages
from pagecost_app.notebook import explore

STUDY = "transaction_configurations"


@pytest.fixture
def session():
    made = Session()
    pages.build(made.document)
    yield made
    made.document.session_destroyed_callbacks.copy().pop()(None)


def test_a_part_of_the_panel_opens_and_counts_what_was_changed_inside(session):
    opened(session, STUDY)
    toggle = session.model(f"{STUDY}.Load")
    assert toggle.label == "Load …"
    slider = session.model(f"{STUDY}.branches")
    slider.value = slider.categories[0]
    session.until(lambda: toggle.label == "Load … · 1 changed")
    reset = session.model(f"{STUDY}.reset")
    reset._trigger_event(ButtonClick(reset))
    assert toggle.label == "Load …"


def test_what_was_built_is_kept_for_comparison(session):
    opened(session, STUDY)
    session.model(f"{STUDY}.own_account").value = "ssd"
    keep = session.model(f"{STUDY}.configurations.keep")
    keep._trigger_event(ButtonClick(keep))
    chosen = session.model(f"{STUDY}.configurations")
    assert len(chosen.value) == 7
    assert chosen.value[-1].startswith("account=ssd; ")
    session.until(lambda: len(session.model(f"{STUDY}.result").data["place"]) == 7)
    keep._trigger_event(ButtonClick(keep))  # it is there already
    assert len(chosen.value) == 7
    for account in ("disk", "nvem"):
        session.model(f"{STUDY}.own_account").value = account
        keep._trigger_event(ButtonClick(keep))
    session.until(lambda: session.model(f"{STUDY}.message").visible)
    assert "at most 8" in session.model(f"{STUDY}.message").text


def test_a_notebook_has_the_same_parts_and_keeps_what_was_built_too():
    explorer = explore(STUDY)
    groups = explorer._folded.titles
    assert groups == tuple(dict.fromkeys(explorer._groups))
    explorer.set(branches=100)
    assert "Load (1 changed)" in explorer._folded.titles
    explorer.reset()
    assert "Load" in explorer._folded.titles
    explorer._controls["configurations"].keep.click()
    assert explorer.inputs.configurations[-1] == studies.find(STUDY).inputs().built
    assert len(explorer.result) == 7


def test_a_study_without_parts_has_none():
    assert not hasattr(explore("multi_level_hits"), "_folded")
