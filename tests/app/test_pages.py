"""The pages without a browser: widgets are set, the document's callbacks run, the chart's data are looked at."""

import threading
import time

import numpy as np
import pytest
from bokeh.document import Document
from bokeh.events import ButtonClick
from bokeh.models import CategoricalSlider, ColumnDataSource, MultiChoice, Select

from pagecost import _jit, studies
from pagecost_app import pages
from pagecost_app.charts import CHARTS, style
from pagecost_app.pages.study_page import StudyPage
from pagecost_app.pages.worker import Worker

PATIENCE_S = 60


class Session:
    """A document whose next-tick callbacks are run by hand, as a server would between events."""

    def __init__(self):
        self.document = Document()
        self.ready = threading.Event()
        self.queue = []
        self.document.add_next_tick_callback = self._later

    def _later(self, callback):
        self.queue.append(callback)

    def until(self, condition):
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline, "the page did not answer"
            if self.queue:
                self.queue.pop(0)()
            else:
                time.sleep(0.005)  # the worker is still computing

    def model(self, name):
        found = self.document.get_model_by_name(name)
        assert found is not None, name
        return found


@pytest.fixture
def session():
    made = Session()
    pages.build(made.document)
    yield made
    made.document.session_destroyed_callbacks.copy().pop()(None)


def opened(session, title):
    session.model("pages").active = list(pages.PAGES).index(title)
    study = pages.PAGES[title]
    session.until(lambda: session.model(f"{study}.answer").text != "")
    return study


def test_every_study_has_a_chart_and_a_page():
    assert set(CHARTS) == set(studies.STUDIES) == set(pages.PAGES.values())


@pytest.mark.parametrize("title", pages.PAGES)
def test_a_page_shows_the_numbers_of_its_study(session, title):
    study = studies.find(opened(session, title))
    shown = session.model(f"{study.name}.result").data
    answer = study.compute(study.inputs())
    for name, column in answer.columns.items():
        assert np.array_equal(np.asarray(shown[name]), column.values, equal_nan=column.values.dtype.kind == "f"), name
    assert session.model(f"{study.name}.csv").data["text"][0] == answer.csv()
    assert "How was this computed?" in session.model(f"{study.name}.reasons").text


def test_a_slider_moves_the_chart(session):
    opened(session, "Buffer")
    slider: CategoricalSlider = session.model("buffer_size.frames")
    bars: ColumnDataSource = session.model("buffer_size.cost")
    before = np.array(bars.data["total"])
    slider.value = slider.categories[-1]
    session.until(lambda: (np.array(bars.data["total"]) < before).all())
    assert "changed" in slider.title


def test_a_preset_sets_every_control_and_reset_returns_to_it(session):
    opened(session, "Devices")
    preset: Select = session.model("block_size.preset")
    chosen: MultiChoice = session.model("block_size.devices")
    preset.value = preset.options[1]
    session.until(lambda: len(session.model("block_size.result").data["device"]) == 100)
    assert len(chosen.value) == 5
    assert session.model("block_size.span_bytes").value == "41 MB"
    chosen.value = chosen.value[:2]
    session.until(lambda: len(session.model("block_size.result").data["device"]) == 40)
    assert "changed" in chosen.title
    reset = session.model("block_size.reset")
    reset._trigger_event(ButtonClick(reset))
    session.until(lambda: len(session.model("block_size.result").data["device"]) == 100)
    assert "changed" not in chosen.title


@pytest.mark.parametrize(
    ("title", "widget", "value", "sentence"),
    [
        ("Buffer", "buffer_size.trace.other", "/nowhere/a.parquet", "there is no such file"),
        ("Buffer", "buffer_size.trace.other", __file__, "the ending does not tell the format"),
        ("Devices", "block_size.fio_file", "/nowhere/a.json", "there is no such file"),
        ("Devices", "block_size.fio_file", __file__, "not JSON"),
        ("Devices", "block_size.devices", [], "at least 1"),
    ],
)
def test_bad_input_is_said_on_the_page_and_the_last_answer_stays(session, title, widget, value, sentence):
    study = opened(session, title)
    before = session.model(f"{study}.csv").data["text"][0]
    good = session.model(widget).value
    session.model(widget).value = value
    session.until(lambda: session.model(f"{study}.message").visible)
    assert sentence in session.model(f"{study}.message").text
    assert session.model(f"{study}.csv").data["text"][0] == before
    session.model(widget).value = good
    session.until(lambda: not session.model(f"{study}.message").visible)


def test_a_page_is_built_only_when_it_is_opened(session):
    assert session.document.get_model_by_name("buffer_size.frames") is None
    opened(session, "Buffer")
    assert session.document.get_model_by_name("buffer_size.frames") is not None


def test_the_theme_recolours_charts_and_page(session):
    opened(session, "Devices")
    session.model("theme").active = 1
    line = session.model("block_size.legend").select_one({"name": "block_size.legend.0"})
    assert line is not None
    figure = session.model("block_size.legend")
    assert figure.renderers[0].glyph.line_color == style.DARK_COLOURS[0]
    session.model("theme").active = 0
    assert figure.renderers[0].glyph.line_color == style.LIGHT_COLOURS[0]


def test_a_compile_is_announced_on_the_page(session):
    opened(session, "Devices")
    _jit._announcer.say("compiling")
    session.until(lambda: session.model("block_size.status").text == "compiling")


def test_a_newer_question_stops_an_older_one():
    study = studies.find("buffer_size")
    asked = [study.inputs({"frames": frames}) for frames in (100, 200, 300)]
    started, go = threading.Event(), threading.Event()
    shown, failed = [], []

    class Slow:
        name = "slow"

        def compute(self, inputs, progress):
            started.set()
            assert go.wait(PATIENCE_S)
            progress(0.5, None)
            return inputs.frames

    done = threading.Event()

    def show(inputs, result, final):
        shown.append(result)
        done.set()

    worker = Worker(Slow(), lambda callback: callback(), show, failed.append, lambda share: None)
    worker.ask(asked[0])
    assert started.wait(PATIENCE_S)
    worker.ask(asked[1])
    worker.ask(asked[2])
    go.set()
    assert done.wait(PATIENCE_S)
    worker.stop()
    assert shown == [300]
    assert failed == []


def test_an_error_inside_a_study_reaches_the_page():
    class Broken:
        name = "broken"

        def compute(self, inputs, progress):
            raise MemoryError

    told = threading.Event()
    messages = []
    worker = Worker(
        Broken(),
        lambda callback: callback(),
        None,
        lambda text: (messages.append(text), told.set()),
        lambda share: None,
    )
    worker.ask(studies.find("buffer_size").inputs())
    assert told.wait(PATIENCE_S)
    worker.stop()
    assert messages == ["MemoryError"]


def test_a_destroyed_session_stops_its_workers():
    session = Session()
    page = StudyPage(session.document, studies.find("block_size"))
    before = threading.active_count()
    page.stop()
    deadline = time.monotonic() + PATIENCE_S
    while threading.active_count() >= before:
        assert time.monotonic() < deadline
        time.sleep(0.005)
