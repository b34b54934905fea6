"""A topic: the questions that belong together, one shown at a time, each with its own inputs and charts."""

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from bokeh.document import Document
from bokeh.layouts import column
from bokeh.models import CustomJS
from bokeh.models.widgets import Div, Select

from pagecost import studies
from pagecost.errors import ModelError
from pagecost_app.charts.style import FIT_AGAIN
from pagecost_app.compiling import Question
from pagecost_app.pages.claims_mark import mark
from pagecost_app.pages.look import sheet
from pagecost_app.pages.stepper_page import StepperPage
from pagecost_app.pages.study_page import StudyPage, start_of

PARTS = {"stepper": StepperPage}
"""What is no study but stands among the questions: name -> class with `title`, `after` and the methods of StudyPage."""


def title_of(name: str) -> str:
    """The title of a study or part."""
    return PARTS[name].title if name in PARTS else studies.find(name).title


def question_of(name: str) -> Question:
    """What a study or part asks when it is opened, for those who compile its kernels."""
    if name in PARTS:
        return PARTS[name].question()
    return Question.of_study(name, start_of(studies.find(name)).model_dump())


class TopicPage:
    """Shows one of the named studies or parts and keeps the others as they were left. `root` is the layout.

    show_claims(paper, place) or (text): leads to the claims that a study reproduces.
    """

    def __init__(
        self, document: Document, title: str, names: tuple[str, ...], dark: bool, show_claims: Callable | None = None
    ):
        self.document = document
        self.show_claims = show_claims
        self.dark = dark
        self.names = names
        self.pages: dict[str, StudyPage | StepperPage] = {}
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
        self.place.js_on_change("children", CustomJS(code=FIT_AGAIN))
        several = [self.question] if len(names) > 1 else []
        self.root = column(*several, self.place, sizing_mode="stretch_width", spacing=8)
        self.open(names[0])

    def open(self, name: str) -> None:
        """Show the study or part of that name; it is built when it is first asked for. Other names change nothing."""
        if name not in self.names:
            return
        if name not in self.pages:
            try:
                made = PARTS[name](self.document) if name in PARTS else StudyPage(self.document, studies.find(name))
            except ModelError as error:  # a study without a chart; the other questions of the page work
                self.place.children = [Div(text=escape(str(error)), name=f"{name}.error")]
                return
            self.pages[name] = page = made
            page.recolour(self.dark)
            if isinstance(page, StudyPage) and self.show_claims:
                mark(self.document, page, self.show_claims)
        self.place.children = [self.pages[name].root]

    def ask(self, name: str, preset: str | None, values: Mapping) -> None:
        """Show a study with a preset and these values on top of it."""
        self.question.value = name  # which opens it, if there is more than one
        self.open(name)
        page = self.pages[name]
        if isinstance(page, StudyPage):
            page.take(preset, values)

    def recolour(self, dark: bool) -> None:
        self.dark = dark
        for page in self.pages.values():
            page.recolour(dark)

    def stop(self) -> None:
        for page in self.pages.values():
            page.stop()
