"""What no widget of ours sends: patches made by hand, and file fields that name what is no file."""

import os
import threading

import pytest

from helpers.page_session import Session, opened
from pagecost import studies
from pagecost.studies.fields import Choice, FilePath, kind_of
from pagecost_app import pages
from pagecost_app.pages.controls import BELOW

pytestmark = pytest.mark.long

FILE_FIELDS = [
    (study.name, name)
    for study in studies.STUDIES.values()
    for name, field in study.Inputs.model_fields.items()
    if isinstance(kind_of(field), FilePath)
    or (isinstance(kind_of(field), Choice) and kind_of(field).of_file and kind_of(field).free)
]


@pytest.fixture
def session():
    made = Session()
    pages.build(made.document)
    opened(made, "block_size")
    yield made
    made.document.session_destroyed_callbacks.copy().pop()(None)


def still_answers(session):
    """The page is alive: a slider moves its chart."""
    slider = session.model("block_size.span_bytes")
    before = session.model("block_size.csv").data["text"][0]
    slider.value = next(stop for stop in slider.categories if stop != slider.value)
    session.until(lambda: session.model("block_size.csv").data["text"][0] != before)


@pytest.mark.parametrize(
    ("name", "property", "value"),
    [
        ("block_size.span_bytes", "value", "no such stop"),
        ("block_size.devices", "value", ["no-such-device"]),
        ("block_size.devices", "value", []),
        ("block_size.detail_pattern", "value", "<script>alert(1)</script>"),
        ("block_size.preset", "value", "no such preset"),
        ("block_size.fio_file", "value", "\0"),
        ("Devices.question", "value", "no_such_study"),
        ("Devices.question", "value", "../../etc/passwd"),
        ("units.time", "value", "../../etc/passwd"),
        ("units.money", "value", "🪙"),
        ("address", "value", "no/such"),
        ("address", "value", "devices/%00?<b>"),
    ],
)
def test_a_value_that_no_widget_offers_changes_nothing_and_the_page_lives(session, name, property, value):
    model = session.model(name)
    good = getattr(model, property)
    setattr(model, property, value)
    setattr(model, property, good)
    session.until(lambda: not session.queue and not session.model("block_size.message").visible)
    still_answers(session)


def test_a_value_that_is_refused_is_said_in_a_sentence(session):
    slider = session.model("block_size.span_bytes")
    good = slider.value
    slider.value = "<b>no such stop</b>"
    session.until(lambda: session.model("block_size.message").visible)
    said = session.model("block_size.message").text
    assert "span_bytes" in said
    assert "<b>" not in said
    slider.value = good
    session.until(lambda: not session.model("block_size.message").visible)


def test_the_entry_for_the_line_below_is_no_id_of_anything():
    for study in studies.STUDIES.values():
        for field in study.Inputs.model_fields.values():
            kind = kind_of(field)
            assert not isinstance(kind, Choice) or BELOW not in kind.options()


def refusal(study, values):
    """The sentence of a study that refuses these values; it must come at once, and never hang on what it opens."""
    told = []

    def ask():
        try:
            study.compute(study.inputs(values))
        except (studies.study.ModelError, OSError) as error:
            told.append(str(error))

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(30)
    assert not asking.is_alive(), "it hangs"
    assert told, "it was accepted"
    return told[0]


@pytest.mark.skipif(os.name == "nt", reason="devices and FIFOs are POSIX's")
@pytest.mark.parametrize(("study", "field"), FILE_FIELDS)
@pytest.mark.parametrize("kind", ["zero", "null", "FIFO", "folder", "missing", "dangling link"])
def test_a_file_field_that_names_no_file_is_refused_at_once(study, field, kind, tmp_path):
    path = {"zero": "/dev/zero", "null": "/dev/null", "folder": str(tmp_path)}.get(kind, str(tmp_path / "own.csv"))
    if kind == "FIFO":
        os.mkfifo(path)
    if kind == "dangling link":
        os.symlink(tmp_path / "nowhere", path)
    sentence = refusal(studies.find(study), {field: path})
    assert "\n" not in sentence
    assert path in sentence
