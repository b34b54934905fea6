"""The inputs of a question's page that follow my system, each with a sign that says so and frees it."""

import functools
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from bokeh.models.ui import UIElement
from bokeh.models.widgets import Button, Div

from pagecost.studies.taking import Taken, given_inputs, money_inputs, takes
from pagecost_app.charts import style
from pagecost_app.pages import look
from pagecost_app.pages.study_page import StudyPage
from pagecost_app.workspace.my_system import MySystem

LINKED, FREED = "◆ from my system · free it", "◇ not from my system · take it"
SIGN = (
    look.WIDGETS
    + """
:host { margin-top: -8px; }
.bk-btn { font-size: 11.5px; line-height: 1.2; padding: 2px 8px; text-align: left; border-left-width: 3px; }
:host(.linked) .bk-btn { border-left-color: #0072B2 !important; font-weight: 600; }
:host(.freed) .bk-btn { border-style: dashed; }
"""
)


class LinkedInputs:
    """Keeps the inputs of a page as my system says them. said(sentence): what a change by the user freed.

    An input that is set to another value is freed and keeps it; one that is freed by its sign has again what it had.
    """

    def __init__(self, page: StudyPage, mine: MySystem, said: Callable[[str], None]):
        self.page, self.mine, self._said = page, mine, said
        self.found = Taken({}, {}, {})
        self._name, self._places = page.study.name, takes(page.study.Inputs)
        self._money_inputs = money_inputs(page.study.Inputs)
        self._currencies: dict[str, Any] = {}  # as they were said when amounts were taken
        self._given_inputs = given_inputs(page.study.Inputs)
        self._given: dict[str, Any] = {}  # as they were said when others were taken for it
        self._was: dict[str, Any] = {}  # before it was linked
        self._signs: dict[str, Button] = {}
        self._following = False
        page.changed.append(lambda by_person: self._noticed())

    @property
    def linked(self) -> tuple[str, ...]:
        """Titles of the inputs that follow now."""
        return tuple(self._title(name) for name in self.found.values)

    @property
    def freed(self) -> tuple[str, ...]:
        """Names of the inputs that could follow and are kept from it."""
        if self.mine.system is None:
            return ()
        return tuple(name for name in self.mine.freed(self._name) if name in self._places)

    def follow(self) -> None:
        """Set what is linked to what the system says now, and what is not any more to what it was before."""
        panel, own = self.page.panel, self.mine.own(self._name)
        values = panel.values
        found = self._taken(values)
        wanted = dict(values)
        for name in {*own, *self._was} - found.values.keys():
            wanted[name] = own.pop(name, self._was.get(name))
        for name, value in found.values.items():
            own.setdefault(name, values[name])
            wanted[name] = value
        self.found, self._was, self._currencies = found, dict(own), self._currencies_of(wanted)
        self._given = self._given_of(wanted)
        if wanted != values:
            self._following = True
            try:
                self.page.take(panel.chosen, wanted, by_person=False)
            finally:
                self._following = False
        self._mark()

    def free(self) -> None:
        """Let nothing here follow any more."""
        self.mine.free(self._name, self.found.values)

    def link(self) -> None:
        """Let all that can follow again."""
        self.mine.link(self._name, self.freed)

    def _noticed(self) -> None:
        """Inputs were set, by a person, a preset or a link: those that are other than the system says are free."""
        if self._following:
            return
        values, own = self.page.panel.values, self.mine.own(self._name)
        amounts = self._amounts(values)
        other = [
            name
            for name, value in self.found.values.items()
            if values[name] != value and values[name] != amounts.get(name, value)
        ]
        for name in other:
            own.pop(name, None)
            self._was.pop(name, None)
        if other:
            self.mine.set_apart(self._name, other)
            titles = ", ".join(self._title(name) for name in other)
            self._said(f"{titles}: set here, and free of my system now.")
        elif any(self.found.values.get(name) != value for name, value in amounts.items()):
            self.follow()
        if self.mine.system is not None and self._given_of(self.page.panel.values) != self._given:
            self.follow()

    def _taken(self, values: Mapping[str, Any]) -> Taken:
        """What is taken now: for what the page says, where it depends on an input that takes nothing itself."""
        found = self.mine.taken(self.page.study, self.page.panel.chosen, values)
        own = self._given_inputs - found.values.keys()
        if not own:
            return found
        given = self.mine.taken(self.page.study, self.page.panel.chosen, values, own)
        return Taken(given.values, given.places, {**found.refused, **given.refused})

    def _given_of(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: values[name] for name in self._given_inputs}

    def _currencies_of(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: values[name] for name in self._money_inputs.values()}

    def _amounts(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """What the system says of money in the currency that is set now, where that is not what it was."""
        currencies = self._currencies_of(values)
        if currencies == self._currencies:
            return {}
        found = self.mine.taken(self.page.study, self.page.panel.chosen, values, currencies).values
        return {name: found[name] for name in self._money_inputs if name in found}

    def _press(self, name: str) -> None:
        if name in self.found.values:
            self.mine.free(self._name, [name])
        else:
            self.mine.link(self._name, [name])

    def _mark(self) -> None:
        marks: dict[str, UIElement] = {}
        for name, path in self._places.items():
            if name in self.found.values or name in self.freed:
                marks[name] = self._sign(name, path)
            elif name in self.found.refused:
                marks[name] = self._refusal(name)
        self.page.panel.beside(marks)

    def _sign(self, name: str, path: str) -> Button:
        if name not in self._signs:
            label = {"role": "group", "aria-label": self._title(name)}
            made = Button(
                html_attributes=label,
                name=f"{self._name}.{name}.link",
                sizing_mode="stretch_width",
                stylesheets=[look.sheet(SIGN)],
            )
            made.on_click(functools.partial(self._press, name))
            self._signs[name] = made
        linked = name in self.found.values
        style.change(
            self._signs[name], label=LINKED if linked else FREED, css_classes=["linked" if linked else "freed"]
        )
        return self._signs[name]

    def _refusal(self, name: str) -> Div:
        why = self.found.refused[name].removeprefix(f"{name}: ").partition("; known:")[0]
        text = f'<div style="font-size:11.5px;color:var(--muted)">Not from my system: {escape(why)}.</div>'
        return Div(name=f"{self._name}.{name}.refused", text=text, sizing_mode="stretch_width")

    def _title(self, name: str) -> str:
        return self.page.study.Inputs.model_fields[name].title or name
