"""A chart stands in the room of its study; one that is missing is missed by its own study only."""

import dataclasses
from pathlib import Path

import pytest
from bokeh.document import Document

from pagecost import studies
from pagecost.errors import ModelError
from pagecost_app import charts
from pagecost_app.charts import CHARTS
from pagecost_app.pages.topic_page import TopicPage


def test_every_study_has_a_chart_in_the_room_of_its_topic():
    assert set(CHARTS) == set(studies.STUDIES)
    for name, chart in CHARTS.items():
        topic = studies.find(name).topic
        assert chart.__module__ == f"pagecost_app.charts.{topic}.{name}"


def test_all_words_of_a_chart_grow_with_large_text():
    """A size that a chart sets itself wins over the theme's, which is what Large text changes."""
    fixed = {
        f"{name}: {type(model).__name__} {model.name or ''}"
        for name, chart in CHARTS.items()
        for model in chart().root.references()
        if any(set_.endswith("text_font_size") for set_ in model.properties_with_values(include_defaults=False))
    }
    assert fixed == set()


@pytest.mark.parametrize("module", ["pagecost.studies.buffer.unheard_of", "pagecost.studies.nowhere.unheard_of"])
def test_a_study_without_a_chart_is_told_in_one_sentence_and_the_others_keep_theirs(monkeypatch, module):
    class Inputs(studies.StudyInputs):
        __module__ = module

    known = studies.find("buffer_size")
    new = dataclasses.replace(known, name="unheard_of", Inputs=Inputs)
    monkeypatch.setitem(studies.STUDIES, "unheard_of", new)
    place = module.replace("pagecost.studies", "pagecost_app.charts").replace(".", "/")
    with pytest.raises(ModelError, match=rf"^unheard_of has no chart yet: it would stand in {place}\.py$"):
        charts.save(new, new.inputs(), known.compute(known.inputs({"policies": ("lru",)})), Path("a.html"))
    assert CHARTS["buffer_size"].__name__ == "Chart"
    with pytest.raises(ModelError, match="unknown study 'nonsense'"):
        _ = CHARTS["nonsense"]


def test_the_page_of_a_study_without_a_chart_says_so_and_its_other_questions_work(monkeypatch):
    class Inputs(studies.StudyInputs):
        __module__ = "pagecost.studies.devices.unheard_of"

    new = dataclasses.replace(studies.find("block_size"), name="unheard_of", Inputs=Inputs)
    monkeypatch.setitem(studies.STUDIES, "unheard_of", new)
    page = TopicPage(Document(), "Devices", ("unheard_of", "best_block_size"), False)
    page.open("unheard_of")
    (said,) = page.place.children
    assert said.text.startswith("unheard_of has no chart yet")
    page.open("best_block_size")
    assert list(page.pages) == ["best_block_size"]
    page.stop()
