"""The answer in words: the sentence under a question's title, what to know before using it, and how it was computed."""

import html
from collections.abc import Iterable, Sequence

from bokeh.layouts import row
from bokeh.models import LayoutDOM
from bokeh.models.widgets import Div

from pagecost import exchange, glossary, units
from pagecost.studies import Result, Study, StudyInputs
from pagecost_app.charts import style
from pagecost_app.pages.explained import FINDING, WINDOW, finding_html
from pagecost_app.pages.look import sheet
from pagecost_app.pages.terms import TERMS, words_html

KNOWN = """
:host { font-family: var(--font); color: var(--ink); }
summary { font-size: 13px; color: var(--muted); cursor: pointer; }
ul { margin: 6px 0 8px; padding-left: 20px; font-size: 13px; line-height: 1.45; max-width: 80em; }
"""


class StudyAnswer:
    """`finding`, `known`, `actions` and `reasons` are placed by the page. actions: a row for buttons about this answer.
    known: how many things there are to know before using the numbers, and, pressed, which.
    """

    def __init__(self, study: Study):
        self.study = study
        self.shown_units = units.Shown()
        self.finding = Div(
            name=f"{study.name}.answer", sizing_mode="stretch_width", stylesheets=[sheet(FINDING + WINDOW + TERMS)]
        )
        self.known = Div(name=f"{study.name}.known", sizing_mode="stretch_width", stylesheets=[sheet(KNOWN)])
        self.actions = row(name=f"{study.name}.actions", visible=False, styles={"flex-wrap": "wrap"})
        self.reasons = Div(name=f"{study.name}.reasons", sizing_mode="stretch_width")

    def show(self, inputs: StudyInputs, result: Result) -> None:
        """Say what was found, and how."""
        lines = self.study.explain(inputs, result)
        style.change(self.finding, text=finding_html(self.study.describe(inputs, result), self.study, lines))
        labels = [each.label for table in result.tables.values() for each in table.columns.values()]
        words = words_html(glossary.of_texts(self.study.title, *labels, *lines))
        notes = [*result.notes, *self._of_units(result)]
        style.change(self.known, text=_known(notes))
        style.change(self.reasons, text=_reasons(lines, self.study.source) + words)

    def _of_units(self, result: Result) -> list[str]:
        """What is to know of amounts that are shown in another currency than the answer has them in."""
        shown = [column.unit for table in result.tables.values() for column in table.columns.values()]
        shown += [fact.unit for fact in result.facts.values()]
        has_dollars = any(unit.startswith("USD") for unit in shown)
        if not (self.shown_units.usd_per_euro and has_dollars):
            return []
        rate = exchange.rate("EUR")
        return [f"Amounts in € were computed in dollars: {rate.said('€')}. Notes and CSV have dollars."]

    def say(self, sentence: str) -> None:
        """Say something else in place of an answer."""
        style.change(self.finding, text=finding_html(sentence, self.study, ()))
        style.change(self.known, text="")
        style.change(self.reasons, text="")

    def say_for_now(self, sentence: str) -> None:
        """Say what is shown until the answer is there. The reasons stay: the page must not jump."""
        style.change(self.finding, text=finding_html(sentence, self.study, ()))

    def offer(self, *actions: LayoutDOM) -> None:
        """Put more models into the row under the sentence."""
        self.actions.update(children=[*self.actions.children, *actions], visible=True)


def _listed(items: Iterable[str]) -> str:
    return "".join(f"<li>{html.escape(item)}</li>" for item in items)


def _known(notes: Sequence[str]) -> str:
    """How many there are is read at once, what they say on demand: they are long, and most are known after a while."""
    if not notes:
        return ""
    things = "One thing" if len(notes) == 1 else f"{len(notes)} things"
    return f"<details><summary>{things} to know before using these numbers</summary><ul>{_listed(notes)}</ul></details>"


def _reasons(lines: Iterable[str], source: str) -> str:
    return (
        "<details><summary style='font-size:15px;font-weight:600;cursor:pointer'>How was this computed?</summary>"
        f"<ul>{_listed(lines)}</ul>"
        f"<p style='color:var(--muted)'>The question is from: {html.escape(source)}</p></details>"
    )
