"""The pages without a browser: widgets are set, the document's callbacks run, the chart's data are looked at."""

import html
import itertools
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from bokeh.events import ButtonClick
from bokeh.models import CategoricalSlider, ColumnDataSource, DataTable, MultiChoice, Plot, Select

from helpers.findings import check_finding
from helpers.page_session import PATIENCE_S, Session, opened
from pagecost import studies
from pagecost._processors import processors
from pagecost.studies.fields import kind_of
from pagecost_app import pages
from pagecost_app.charts import CHARTS, style
from pagecost_app.pages import worker as worker_module
from pagecost_app.pages.changes import together
from pagecost_app.pages.study_page import StudyPage
from pagecost_app.pages.topic_page import PARTS
from pagecost_app.pages.worker import Worker


@contextmanager
def opened_session():
    made = Session()
    pages.build(made.document)
    yield made
    made.document.session_destroyed_callbacks.copy().pop()(None)


@pytest.fixture
def session():
    with opened_session() as made:
        yield made


@pytest.fixture(scope="module")
def long_session():
    """One that visits every question."""
    with opened_session() as made:
        yield made


def test_every_study_has_a_chart_and_stands_on_one_page_and_so_does_every_part_that_is_no_study():
    asked = [name for names in pages.PAGES.values() for name in names]
    assert len(asked) == len(set(asked))
    assert not set(PARTS) & set(studies.STUDIES)
    assert set(CHARTS) == set(studies.STUDIES) == set(asked) - set(PARTS)
    assert set(PARTS) < set(asked)


@pytest.mark.long
@pytest.mark.usefixtures("remembered_answers")
@pytest.mark.parametrize("name", studies.STUDIES)
def test_a_page_shows_the_numbers_of_its_study(long_session, name):
    session, study = long_session, studies.find(name)
    opened(session, name)
    shown = session.model(f"{study.name}.result").data
    answer = study.compute(study.inputs())
    for name, column in answer.columns.items():
        assert np.array_equal(np.asarray(shown[name]), column.values, equal_nan=column.values.dtype.kind == "f"), name
    assert session.model(f"{study.name}.csv").data["text"][0] == answer.csv()
    assert "How was this computed?" in session.model(f"{study.name}.reasons").text
    known = html.unescape(session.model(f"{study.name}.known").text)
    assert all(note in known for note in answer.notes)
    assert f"{len(answer.notes)} things to know" in known or len(answer.notes) < 2
    check_finding(study.describe(study.inputs(), answer), answer)


def test_only_the_open_page_is_in_the_document_and_the_others_come_back_as_they_were_left(session):
    opened(session, "buffer_size")
    frames, answered = session.model("buffer_size.frames"), session.model("buffer_size.answer")
    before = answered.text
    frames.value = left = frames.categories[-1]
    session.until(lambda: answered.text != before)
    answer = answered.text
    opened(session, "block_size")
    assert session.document.get_model_by_name("buffer_size.answer") is None
    session.model("address").value = "buffer"
    assert session.document.get_model_by_name("block_size.answer") is None
    assert session.model("buffer_size.frames").value == left
    assert session.model("buffer_size.answer").text == answer


def test_a_chart_comes_to_the_page_with_its_first_answer_in_one_message(session, monkeypatch):
    """Put there empty it would be drawn once for every property that the answer sets."""
    monkeypatch.setattr(worker_module, "BETWEEN_PICTURES_S", PATIENCE_S)  # a busy machine draws a growing answer, too
    events = []
    session.model("address").value = "buffer"
    assert not session.document.select_one({"type": DataTable})
    session.document.on_change(lambda event: events.append(event))
    opened(session, "buffer_size")
    charts = [event.model for event in events if isinstance(getattr(event, "model", None), (ColumnDataSource, Plot))]
    assert charts == []
    assert len(session.model("buffer_size.cost").data["total"]) > 1


def test_a_slider_moves_the_chart(session):
    opened(session, "buffer_size")
    slider: CategoricalSlider = session.model("buffer_size.frames")
    bars: ColumnDataSource = session.model("buffer_size.cost")
    before = np.array(bars.data["total"])
    slider.value = slider.categories[-1]
    session.until(lambda: (np.array(bars.data["total"]) < before).all())
    session.until(lambda: "changed" in slider.title)


def test_the_table_is_written_for_the_last_of_many_moves(session):
    opened(session, "file_and_block_size")
    later, written = [], []
    session.document.add_timeout_callback = lambda callback, after_ms: later.append(callback)
    numbers = session.model("file_and_block_size.result")
    numbers.on_change("data", lambda attr, old, new: written.append(new))
    slider = session.model("file_and_block_size.file_bytes")
    answer = session.model("file_and_block_size.answer")
    for stop in slider.categories[:3]:
        before = answer.text
        slider.value = stop
        session.until(lambda before=before: answer.text != before)
    assert not written
    assert "changed" not in slider.title
    for callback in later:
        callback()
    assert "changed" in slider.title
    (shown,) = written
    study = studies.find("file_and_block_size")
    last = kind_of(study.Inputs.model_fields["file_bytes"]).stops[2]
    result = study.compute(study.inputs({"file_bytes": last}))
    np.testing.assert_array_equal(shown["throughput_bytes_per_s"], result["throughput_bytes_per_s"])


def test_the_table_is_of_what_the_charts_show_where_the_next_question_is_refused(session):
    """It waits while something moves, and longer for a question that is under way; a refusal ends that."""
    opened(session, "block_size")
    later = []
    session.document.add_timeout_callback = lambda callback, after_ms: later.append(callback)
    numbers, chosen = session.model("block_size.result"), session.model("block_size.devices")
    devices = chosen.value
    chosen.value = devices[:1]
    session.until(lambda: len(later) == 1)
    assert len(set(numbers.data["device"])) == len(devices)
    chosen.value = []
    session.until(lambda: session.model("block_size.message").visible)
    assert set(numbers.data["device"]) == set(devices[:1])
    later.pop()()
    assert set(numbers.data["device"]) == set(devices[:1])


def test_a_preset_sets_every_control_and_reset_returns_to_it(session):
    opened(session, "block_size")
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
    ("study", "widget", "value", "sentence"),
    [
        ("buffer_size", "buffer_size.trace.other", "/nowhere/a.parquet", "there is no such file"),
        ("buffer_size", "buffer_size.trace.other", __file__, "the ending does not tell the format"),
        ("trace_insight", "trace_insight.trace.other", __file__, "the ending does not tell the format"),
        ("block_size", "block_size.fio_file", "/nowhere/a.json", "there is no such file"),
        ("block_size", "block_size.fio_file", __file__, "not JSON"),
        ("block_size", "block_size.devices", [], "at least 1"),
        ("plan_terms", "plan_terms.usd_per_unit", "1.1 $", "a dollar is one dollar"),
    ],
)
def test_bad_input_is_said_on_the_page_and_the_last_answer_stays(session, study, widget, value, sentence):
    opened(session, study)
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
    opened(session, "buffer_size")
    assert session.document.get_model_by_name("buffer_size.frames") is not None


def test_a_question_is_found_again_as_it_was_left(session):
    opened(session, "translation_layers")
    spare = session.model("translation_layers.spare")
    spare.value = spare.categories[-1]
    opened(session, "write_amplification")
    assert session.document.get_model_by_name("translation_layers.spare") is None  # only one is shown
    opened(session, "translation_layers")
    assert session.model("translation_layers.spare").value == spare.categories[-1]


def test_the_theme_recolours_charts_and_page(session):
    opened(session, "block_size")
    session.model("theme").active = 1
    line = session.model("block_size.legend").select_one({"name": "block_size.legend.0"})
    assert line is not None
    figure = session.model("block_size.legend")
    assert figure.renderers[0].glyph.line_color == style.DARK_COLOURS[0]
    session.model("theme").active = 0
    assert figure.renderers[0].glyph.line_color == style.LIGHT_COLOURS[0]


def test_a_long_reading_can_be_cancelled_and_the_next_question_is_answered(session, tmp_path, monkeypatch):
    path = tmp_path / "own.txt"
    path.write_bytes(b"1 r\n2 w\n" * 131_072 * (processors() + 4))  # pieces: more than are read ahead
    opened(session, "trace_insight")
    other, cancel = session.model("trace_insight.trace.other"), session.model("trace_insight.cancel")
    long_run, rows = session.model("trace_insight.long_run"), session.model("trace_insight.result")
    session.until(
        lambda: any(session.model("trace_insight.csv").data["text"]) and not long_run.visible
    )  # the first answer
    monkeypatch.setattr(worker_module, "LONG_S", 0.0)
    before = session.model("trace_insight.csv").data["text"][0]
    there, pressed, wait, steps = threading.Event(), threading.Event(), Worker._wait_while_paused, itertools.count()

    def wait_for_the_button(worker):
        """At the first step with something to show: before it, as many pieces are read ahead as there are cores."""
        compiles, own = worker._ticket is not None, worker._study.name == "trace_insight"  # other pages work, too
        if own and not compiles and next(steps) > processors():
            there.set()
            assert pressed.wait(PATIENCE_S)
        wait(worker)

    monkeypatch.setattr(Worker, "_wait_while_paused", wait_for_the_button)
    other.value = str(path)
    session.until(lambda: long_run.visible and there.is_set())
    cancel._trigger_event(ButtonClick(cancel))
    pressed.set()
    session.until(lambda: not long_run.visible)
    assert "stopped at" in session.model("trace_insight.status").text
    before = session.model("trace_insight.csv").data["text"][0]  # of what the stopped run had read
    path.write_bytes(b"1 r\n2 w\n")
    other.value = f"{path.parent}/./{path.name}"  # the same text would be no change
    session.until(lambda: list(rows.data["references"])[-1] == 2)
    assert session.model("trace_insight.csv").data["text"][0] != before


def test_the_page_pauses_and_says_what_a_stopped_run_left(session):
    page = StudyPage(session.document, studies.find("device_fill"))
    session.document.add_root(page.root)
    session.until(lambda: page.answer.finding.text != "")
    page.head.show_long_run(True)
    assert session.model("device_fill.long_run").visible
    page._progress(0.4)
    pause = session.model("device_fill.pause")
    pause.active = True
    assert pause.label == "Resume"
    assert "paused at 40%" in session.model("device_fill.status").text
    page._cancelled(0.4, page.study.compute(page.study.inputs()))
    page.head.show_long_run(False)
    assert "Stopped at 40%" in session.model("device_fill.answer").text
    assert not session.model("device_fill.long_run").visible
    assert pause.label == "Pause"
    again = session.model("device_fill.again")
    assert again.visible
    again._trigger_event(ButtonClick(again))  # the same question, of which nothing was changed
    session.until(lambda: page.settled is not None)
    assert "Stopped" not in session.model("device_fill.answer").text
    assert not again.visible
    page.stop()


def test_pause_pressed_as_the_answer_comes_holds_nothing_and_says_nothing(session):
    page = StudyPage(session.document, studies.find("block_size"))
    session.document.add_root(page.root)
    session.until(lambda: page.answer.finding.text != "")
    pause = session.model("block_size.pause")
    pause.active = True
    assert (pause.active, pause.label, page.head.status.text) == (False, "Pause", "")
    page.head.show_long_run(True)
    pause.active = True
    pause.active = False
    assert "computing …" in page.head.status.text  # and not that it is paused still
    page.stop()


def test_a_destroyed_session_stops_its_workers():
    session = Session()
    page = StudyPage(session.document, studies.find("block_size"))
    before = threading.active_count()
    page.stop()
    deadline = time.monotonic() + PATIENCE_S
    while threading.active_count() >= before:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_a_fault_while_a_page_is_drawn_does_not_leave_the_document_frozen(session):
    opened(session, "block_size")

    def fail():
        with together(session.document):
            raise ValueError("of a chart")

    with pytest.raises(ValueError, match="of a chart"):
        fail()
    session.document.add_root(ColumnDataSource(name="later"))
    assert session.model("later") is not None


def test_a_page_draws_the_formula_while_its_slider_moves_and_then_the_simulation(session, monkeypatch):
    monkeypatch.setattr(worker_module, "REST_S", 30.0)
    opened(session, "write_amplification")
    curve, said = session.model("write_amplification.curve.0"), session.model("write_amplification.answer")
    spare = session.model("write_amplification.spare")
    spare.value = spare.categories[-1]
    session.until(lambda: "By formula" in said.text)
    assert np.isnan(curve.data["y"]).all()
    spare.trigger("value_throttled", None, spare.value)  # which only a browser sets
    session.until(lambda: "By formula" not in said.text and "complete" not in said.text)
    assert np.isfinite(curve.data["y"]).all()


def test_a_chart_that_fails_is_said_on_its_page_with_what_to_copy_and_the_others_go_on(session, monkeypatch):
    opened(session, "block_size")
    page = session.model("block_size.message")

    def fail(*args):
        raise ZeroDivisionError("of a chart")

    with monkeypatch.context() as broken:
        broken.setattr(CHARTS["block_size"], "update", fail)
        slider = session.model("block_size.span_bytes")
        slider.value = slider.categories[2]
        session.until(lambda: page.visible)
    for part in ("ZeroDivisionError", "not yours", "data-copies", "Traceback", "span_bytes", "numba"):
        assert part in page.text
    opened(session, "buffer_size")
    opened(session, "block_size")
    slider.value = slider.categories[4]
    session.until(lambda: not page.visible)


def test_a_page_that_cannot_be_built_leaves_the_others_alive(session, monkeypatch):
    def fail(*args):
        raise RuntimeError("of a <page>")

    with monkeypatch.context() as broken:
        broken.setattr(CHARTS["miss_curve"], "__init__", fail)
        session.model("address").value = "buffer/miss_curve"
    told = session.model("miss_curve.error").text
    assert "of a &lt;page&gt;" in told
    assert "data-copies" in told
    opened(session, "buffer_size")
