"""A session's project: the workspace with the parts that the pages hand over, and how it leads back to them."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from pagecost import studies
from pagecost.errors import ModelError, require
from pagecost.studies import Result, StudyInputs
from pagecost_app.pages import contents
from pagecost_app.pages.changes import deliver, together
from pagecost_app.pages.frame import Frame
from pagecost_app.pages.study_page import StudyPage
from pagecost_app.workspace import autosave, settings
from pagecost_app.workspace.answers import Answer, Answers, Recent
from pagecost_app.workspace.autosave import Leftover
from pagecost_app.workspace.parts import Part, State
from pagecost_app.workspace.questions import Questions
from pagecost_app.workspace.settings import Setting
from pagecost_app.workspace.workspace import Workspace


class Project:
    """`keep(part)` takes up what else a person sets (`pagecost_app.workspace.parts`).

    said: callbacks (sentence or None) for what goes wrong by itself, on the page's thread.
    """

    def __init__(self, frame: Frame):
        self.frame = frame
        self.said: list[Callable[[str | None], None]] = []
        self._said: str | None = None  # last
        self._of_link: str | None = None
        self.questions, self.answers, self.recent = Questions(), Answers(), Recent()
        self.workspace = Workspace(lambda sentence: deliver(frame.document, lambda: self._say(sentence)))
        for part in (self.questions, self.answers, self.recent, _Opened(frame)):
            self.keep(part)
        frame.on_made(lambda page: self._take_up(page) if isinstance(page, StudyPage) else None)
        frame.on_gone(self._let_go)
        frame.on_open(self._follow)
        frame.on_missing(lambda sentence: self._say_of_link(f"The link leads elsewhere: {sentence}"))
        frame.on_close(self.workspace.close)

    def keep(self, part: Part) -> None:
        """Take up a part: it is saved, undone and restored with the rest."""
        self.workspace.add(part)

    @property
    def question(self) -> str:
        """The name of the study that is open; "" where none is."""
        name = contents.found_at(self.frame.opened)[1]
        return name if name in studies.STUDIES else ""

    @property
    def is_moving(self) -> bool:
        """Whether what is changed just now is a slider, at one of many stops."""
        return any(page.panel.moving for page in self.frame.study_pages)

    def setting(self) -> Setting:
        """How the open question is set. Raises ModelError where none is open."""
        if not self.question:
            raise ModelError("no question is open; open one first")
        return self.questions.setting(self.question)

    def answer(self) -> Answer:
        """The whole answer that the open question shows to what is set. Raises ModelError where there is none."""
        page = self.frame.study_page(self.setting().study)
        if not isinstance(page, StudyPage) or page.settled is None:
            raise ModelError(
                "the whole answer to what is set is still to come; wait until it is shown, and where it was stopped or "
                "refused change an input to ask again"
            )
        inputs, result = page.settled
        words = page.study.describe(inputs, result)
        return Answer.of(page.study, page.panel.chosen, inputs, result, words)

    def undo(self) -> None:
        """Take the last step back. Raises ModelError with what could not be shown."""
        with together(self.frame.document):
            self.workspace.undo()

    def redo(self) -> None:
        """Make the step again that was taken back last. Raises as `undo`."""
        with together(self.frame.document):
            self.workspace.redo()

    def find_leftovers(self, found: Callable[[list[Leftover]], None]) -> None:
        """Look, in another thread, for what earlier sessions left unsaved; found() is called on the page's thread."""

        def look() -> None:
            left = autosave.leftovers()
            deliver(self.frame.document, lambda: found(left))

        threading.Thread(target=look, daemon=True, name="leftovers").start()

    def _take_up(self, page: StudyPage) -> None:
        self.questions.opened(_Asked(page))
        page.answered.append(lambda inputs, result: self._note_answer(page, inputs, result))

    def _let_go(self, page: StudyPage) -> None:
        self.questions.closed(page.study.name)

    def _note_answer(self, page: StudyPage, inputs: StudyInputs, result: Result) -> None:
        setting = self.questions.setting(page.study.name)
        if not setting.is_default:
            self.recent.note(setting, page.study.describe(inputs, result))

    def _follow(self, address: str, asked: str) -> None:
        """A link that was opened may say how the question is to be set; what was wrong with the one before is over."""
        if self._of_link and self._of_link == self._said:
            self._say(None)
        if not asked:
            return
        title, name = contents.found_at(address)
        try:
            require(name != "", f"the page {title} takes none")
            self.questions.take(settings.of_link(name, asked))
        except ModelError as error:
            self._say_of_link(f"The link was opened without its setting: {error}")

    def _say_of_link(self, sentence: str) -> None:
        self._of_link = sentence
        self._say(sentence)

    def _say(self, sentence: str | None) -> None:
        self._said = sentence
        for callback in self.said:
            callback(sentence)


class _Asked:
    """The page of a question, as the workspace sees it."""

    def __init__(self, page: StudyPage):
        self.study, self._page = page.study, page

    def setting(self) -> tuple[str | None, Mapping[str, Any]]:
        return self._page.panel.chosen, self._page.panel.values

    def take(self, preset: str | None, values: Mapping | None = None) -> None:
        self._page.take(preset, values, by_person=False)

    def on_change(self, callback: Callable[[bool], None]) -> None:
        self._page.changed.append(callback)


class _Opened:
    """Which page is open, as a part of the workspace."""

    name = "open"
    passing = True

    def __init__(self, frame: Frame):
        self._frame = frame

    def state(self) -> State:
        return self._frame.opened

    def restore(self, state: State) -> None:
        if isinstance(state, str) and state:
            self._frame.open(state.partition("?")[0])

    def on_change(self, callback: Callable[[], None]) -> None:
        self._frame.on_open(lambda address, setting: callback())
