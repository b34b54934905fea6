"""A chart that follows a slider changes what its models say, and not which models there are.

For each new or lost model Bokeh looks through the whole document, which takes longer than to compute and draw.
"""

import traceback

import pytest
from bokeh.document.models import DocumentModelManager

from helpers.page_session import Session, opened
from pagecost_app import pages
from pagecost_app.charts.series import LegendStrip


def test_a_legend_hides_what_is_not_drawn_and_names_what_comes_back():
    strip = LegendStrip("strip")
    for names in (["a", "b", "c"], ["a"], ["d", "e"], ["a", "b", "c", "d"]):
        strip.show(names)
        assert [item.label.value for item in strip.legend.items if item.visible] == names
    assert len({item.renderers[0].id for item in strip.legend.items}) == 4


@pytest.fixture(scope="module")
def session():
    made = Session()
    pages.build(made.document)
    yield made
    made.document.session_destroyed_callbacks.copy().pop()(None)


@pytest.mark.parametrize(
    ("study", "field"),
    [
        ("disk_scheduling", "seed"),  # simulated depth by depth: its axis grows
        ("log_allocation", "rate_hz"),  # formulas, which know other terms than simulations
        ("plan_terms", "transaction_s"),
        ("response_goal", "within_s"),
        ("xml_page", "fill"),
    ],
)
def test_a_move_of_a_slider_has_bokeh_look_through_no_document(session, monkeypatch, study, field):
    opened(session, study)
    looked, look = [], DocumentModelManager.recompute

    def recompute(models):
        by_chart = [each for each in traceback.extract_stack() if "/charts/" in each.filename]
        looked.extend(f"{each.name} in {each.filename}:{each.lineno}" for each in by_chart[-1:])
        look(models)

    monkeypatch.setattr(DocumentModelManager, "recompute", recompute)
    slider, status = session.model(f"{study}.{field}"), session.model(f"{study}.status")
    at = slider.categories.index(slider.value)
    for stop in (at + 1 if at + 1 < len(slider.categories) else at - 1, at):
        before = session.model(f"{study}.csv").data
        slider.value = slider.categories[stop]
        session.until(lambda before=before: session.model(f"{study}.csv").data != before and not status.text)
    assert not looked
