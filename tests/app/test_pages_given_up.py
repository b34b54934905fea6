"""Pages that were not looked at for longest are given up, and come back as they were when they are opened again."""

import gc
import weakref

import pytest
from bokeh.events import ButtonClick

from helpers.page_session import Session, opened
from pagecost import system
from pagecost_app import pages
from pagecost_app.pages import contents, frame
from pagecost_app.pages.study_page import StudyPage
from pagecost_app.workspace import folders

pytestmark = pytest.mark.usefixtures("remembered_answers")

OTHERS = ("block_size", "total_cost", "index_height")


class Visit:
    """A session of the app, its frame, and which pages of it are built."""

    def __init__(self):
        self.session = Session()
        self.frame = pages.build(self.session.document)

    @property
    def built(self) -> list[str]:
        return sorted(page.study.name for page in self.frame.study_pages)

    def page(self, name) -> StudyPage:
        return next(page for page in self.frame.study_pages if page.study.name == name)

    def open(self, *names) -> None:
        for name in names:
            opened(self.session, name)
            self.session.until(lambda name=name: self.page(name).settled and not self.session.queue)

    def set_frames(self, start) -> None:
        slider = self.session.model("buffer_size.frames")
        slider.value = next(label for label in slider.categories if label.startswith(start))
        self.session.until(lambda: self.page("buffer_size").settled and not self.session.queue)

    @property
    def frames(self) -> str:
        return self.session.model("buffer_size.frames").value

    def press(self, name) -> None:
        button = self.session.model(name)
        button._trigger_event(ButtonClick(button))


@pytest.fixture
def visit(tmp_path, monkeypatch):
    """Two pages are kept in it."""
    monkeypatch.setenv(folders.PLACE, str(tmp_path / "state"))
    monkeypatch.setattr(frame, "PAGES_KEPT", 2)
    made = Visit()
    yield made
    for callback in made.session.document.session_destroyed_callbacks.copy():
        callback(None)


def test_the_latest_pages_are_kept_and_what_is_given_up_is_not_in_memory(visit):
    visit.open("buffer_size")
    page = weakref.ref(visit.page("buffer_size"))
    visit.open(*OTHERS)
    assert visit.built == sorted(OTHERS[-2:])
    visit.open(OTHERS[-2])
    visit.open("buffer_size")
    assert visit.built == sorted(("buffer_size", OTHERS[-2])), "the one that was looked at again stays"
    gc.collect()
    assert page() is None


def test_it_comes_back_with_what_was_set_and_its_answer_is_not_computed_again(visit):
    visit.open("buffer_size")
    visit.set_frames("256")
    shown, words = visit.page("buffer_size").settled, visit.session.model("buffer_size.answer").text
    visit.open(*OTHERS)
    assert visit.session.document.get_model_by_name("buffer_size.frames") is None
    visit.open("buffer_size")
    assert visit.frames.startswith("256")
    assert visit.session.model("buffer_size.answer").text == words
    assert visit.page("buffer_size").settled[1] is shown[1]
    visit.set_frames("512")
    assert visit.page("buffer_size").settled[0].frames == 512, "and everything else is computed"


def test_a_topic_leads_back_to_the_question_that_was_open_there(visit):
    visit.open("miss_curve", *OTHERS)
    visit.session.model("address").value = contents.address_of("Buffer")
    assert visit.frame.opened == contents.address_of("Buffer", "miss_curve")
    visit.session.until(lambda: visit.page("miss_curve").settled and not visit.session.queue)


def test_what_was_set_there_is_undone_and_made_again_while_it_is_away(visit):
    visit.open("buffer_size")
    comes = visit.frames
    visit.set_frames("256")
    visit.open(*OTHERS)
    visit.press("project.undo")
    visit.open("buffer_size")
    assert visit.frames == comes
    visit.open(*OTHERS)
    visit.press("project.redo")
    visit.open("buffer_size")
    assert visit.frames.startswith("256")


def test_it_follows_my_system_again_and_has_its_own_value_when_that_is_forgotten(visit, tmp_path):
    visit.open("buffer_size")
    visit.set_frames("256")
    system.write(system.System().changed({"memory.buffer_frames": 300}), tmp_path / "mine.toml")
    visit.session.model("my_system.toggle").active = True
    visit.session.model("my_system.file").value = str(tmp_path / "mine.toml")
    assert visit.frames.startswith("300")
    visit.session.until(lambda: visit.page("buffer_size").settled and not visit.session.queue)
    visit.open(*OTHERS)
    visit.open("buffer_size")
    assert visit.frames.startswith("300")
    visit.press("buffer_size.frames.link")
    assert visit.frames.startswith("256")
    visit.press("my_system.link")
    visit.open(*OTHERS)
    visit.press("my_system.forget")
    visit.open("buffer_size")
    assert visit.frames.startswith("256")


def test_a_page_that_is_at_work_or_says_what_is_wrong_stays(visit):
    visit.open("buffer_size")
    visit.page("buffer_size").fail("something is wrong")
    visit.open(*OTHERS)
    assert "buffer_size" in visit.built
    visit.page("buffer_size").head.clear_message()
    visit.page("buffer_size").head.clear_status()
    visit.page("buffer_size").worker._answering = 1
    visit.open(*OTHERS)
    assert "buffer_size" in visit.built
    visit.page("buffer_size").worker._answering = None
    visit.open(*OTHERS)
    assert "buffer_size" not in visit.built


def test_its_units_are_those_of_now(visit):
    visit.open("block_size")
    visit.open("buffer_size", "total_cost")
    visit.session.model("units.time").value = "ms"
    visit.open("block_size")
    assert visit.page("block_size").numbers.shown_units.time == "ms"
