"""A topic: the questions that belong together, one shown at a time, each with its own inputs and charts."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from html import escape
from typing import Any

from bokeh.document import Document
from bokeh.layouts import column
from bokeh.models import CustomJS
from bokeh.models.widgets import Div, Select

from pagecost import studies
from pagecost.errors import ModelError
from pagecost.studies import Result, Study, StudyInputs
from pagecost_app.charts import style
from pagecost_app.charts.style import FIT_AGAIN
from pagecost_app.compiling import Question
from pagecost_app.faults import fault
from pagecost_app.pages.claims_mark import mark
from pagecost_app.pages.copying import to_copy
from pagecost_app.pages.field_stepper_page import PAGES
from pagecost_app.pages.inputs_panel import start_of
from pagecost_app.pages.look import OPENED, complaint, sheet
from pagecost_app.pages.path_stepper_page import PathStepperPage
from pagecost_app.pages.stepper_page import StepperPage
from pagecost_app.pages.study_page import StudyPage
from pagecost_app.pages.walking_page import WalkingPage

PARTS: dict[str, type[WalkingPage]] = {"stepper": StepperPage, "path": PathStepperPage, **PAGES}
"""What is no study but stands among the questions: name -> a `WalkingPage`."""


def title_of(name: str) -> str:
    """The title of a study or part."""
    return PARTS[name].title if name in PARTS else studies.find(name).title


def question_of(name: str) -> Question:
    """What a study or part asks when it is opened, for those who compile its kernels."""
    if name in PARTS:
        return PARTS[name].question()
    return Question.of_study(name, start_of(studies.find(name)).model_dump())


def _knowing(study: Study, inputs: StudyInputs, result: Result) -> Study:
    """A study that has the answer to these inputs already."""
    return replace(study, compute=lambda asked, *more: result if asked == inputs else study.compute(asked, *more))


class TopicPage:
    """Shows one of the named studies or parts; the others come again as they were left. `root` is the layout.

    `shown` is the name of the one that is open, "" before the first. show_claims(paper, place) or (text): leads to the
    claims that a study reproduces. made(page) is called when a question's page was built, opened(name) when another
    question was opened.
    """

    def __init__(
        self,
        document: Document,
        title: str,
        names: tuple[str, ...],
        dark: bool,
        *,
        show_claims: Callable | None = None,
        made: Callable[[StudyPage | WalkingPage], object] = lambda page: None,
        opened: Callable[[str], object] = lambda name: None,
    ):
        self.document = document
        self.show_claims, self.made, self.opened = show_claims, made, opened
        self.dark = dark
        self.names = names
        self.shown = ""
        self.pages: dict[str, StudyPage | WalkingPage] = {}
        self._settled: dict[str, tuple[StudyInputs, Result]] = {}  # what pages showed that were given up
        options: list[str | tuple[Any, str]] = [(name, title_of(name)) for name in names]
        self.question = Select(
            name=f"{title}.question",
            title=f"Question, one of {len(names)} here",
            options=options,
            value=names[0],
            sizing_mode="stretch_width",
            max_width=760,
            stylesheets=[sheet()],
        )
        self.question.on_change("value", lambda attr, old, new: self.open(new))
        self.place = column(sizing_mode="stretch_width")
        self.place.js_on_change("children", CustomJS(code=OPENED + FIT_AGAIN))
        several = [self.question] if len(names) > 1 else []
        self.root = column(*several, self.place, sizing_mode="stretch_width", spacing=8)

    @property
    def chosen(self) -> str:
        """The question that was shown last, or is shown first."""
        return self.question.value

    def open(self, name: str) -> None:
        """Show the study or part of that name; it is built when it is first asked for. Other names change nothing."""
        if name not in self.names or name == self.shown:
            return
        self.shown = name
        style.change(self.question, value=name)
        try:
            self.place.children = [self.page(name).root]
        except ModelError as error:  # a study without a chart; the other questions of the page work
            self.place.children = [Div(text=escape(str(error)), name=f"{name}.error")]
        except Exception as error:  # whatever it is: the other questions work
            told = fault(error, f"opening {name}")
            text = complaint(told.sentence) + to_copy(told.details)
            self.place.children = [Div(text=text, name=f"{name}.error", sizing_mode="stretch_width")]
        self.opened(name)

    def page(self, name: str) -> StudyPage | WalkingPage:
        """The page of that study or part, which is built when it is first asked for. Raises ModelError if it cannot."""
        if name not in self.pages:
            made = PARTS[name](self.document) if name in PARTS else StudyPage(self.document, self._study(name))
            self.pages[name] = made
            made.recolour(self.dark)
            if isinstance(made, StudyPage) and self.show_claims:
                mark(self.document, made, self.show_claims)
            self.made(made)
        return self.pages[name]

    def give_up(self, name: str) -> StudyPage | None:
        """The page of a study, which is here no more; None, and it stays, where it shows more than a whole answer."""
        page = self.pages[name]
        if not isinstance(page, StudyPage) or (settled := page.settled) is None:
            return None
        self._settled[name] = settled
        del self.pages[name]
        page.stop()
        if name == self.shown:
            self.shown, self.place.children = "", []
        return page

    def _study(self, name: str) -> Study:
        """The study; what its page showed before it was given up is not computed again."""
        study = studies.find(name)
        return _knowing(study, *self._settled.pop(name)) if name in self._settled else study

    def ask(self, name: str, preset: str | None, values: Mapping) -> None:
        """Show a study with a preset and these values on top of it."""
        self.open(name)
        page = self.page(name)
        if isinstance(page, StudyPage):
            page.take(preset, values)

    def recolour(self, dark: bool) -> None:
        self.dark = dark
        for page in self.pages.values():
            page.recolour(dark)

    def stop(self) -> None:
        for page in self.pages.values():
            page.stop()
