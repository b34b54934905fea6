"""The steppers of translation layers, a disk arm and a join: pages made from what `walks.kinds` declares."""

from typing import Any

from bokeh.models.widgets import Button, Select, Spinner, TextInput

from pagecost_app.charts import style
from pagecost_app.compiling import Question
from pagecost_app.pages.look import sheet
from pagecost_app.pages.walking_page import WalkingPage
from pagecost_app.walks import KINDS, Kind
from pagecost_app.walks.face import random_label
from pagecost_app.walks.fields import CHOICE, NUMBER, Field

TYPING = {"next": "PageDown", "previous": "PageUp", "erase": "e"}  # the key of a wish


class FieldStepperPage(WalkingPage):
    """A walk whose inputs are declared, and its controls, which are named as the inputs are."""

    kind: Kind

    @classmethod
    def question(cls) -> Question:
        """What it asks when it is opened; its models run as plain Python, so nothing has to be compiled for it."""
        return Question("told", cls.kind.name, "{}")

    def _inputs(self) -> list:
        self.fields: dict[str, Any] = {field.name: self._control(field) for field in self.kind.fields}
        for control in self.fields.values():
            control.on_change("value", lambda attr, old, new: self.refresh())
        if not self.kind.string:
            return list(self.fields.values())
        self.seed = 0
        self.random = Button(label=random_label(0), name=f"{self.name}.random", width=200, stylesheets=[sheet()])
        self.random.on_click(self._draw)
        shown = list(self.fields.values())
        shown.insert(1 + list(self.fields).index(self.kind.string), self.random)
        return shown

    def _control(self, field: Field):
        if field.kind == CHOICE:
            options = list((field.options or {}).items())
            return self._input(Select, field.name, field.label, options=options, value=field.value)
        if field.kind == NUMBER:
            return self._input(
                Spinner, field.name, field.label, low=field.least, high=field.most, step=1, value=field.value
            )
        return self._input(TextInput, field.name, field.label, value=field.value)

    def _draw(self) -> None:
        if self.walk:
            self.seed += 1
            style.change(self.random, label=random_label(self.seed))
            self.fields[self.kind.string].value = self.walk.random_text(self.seed)

    def _more(self) -> list:
        buttons = []
        for label, wish in self.kind.wishes.items():
            button = Button(label=label, name=f"{self.name}.{wish}", width=136, stylesheets=[sheet()])
            button.on_click(lambda wish=wish: self._wish(wish))
            buttons.append(button)
        return buttons

    def _wish(self, text: str) -> None:
        if self.walk and text in self.kind.wishes.values():
            self.position.value = self.walk.place_of(text)
        else:
            super()._wish(text)

    def refresh(self) -> None:
        """Read the inputs and walk anew to the same place; bad input is said and the last walk stays."""
        values = {name: control.value for name, control in self.fields.items()}

        def walk() -> None:
            if self.walk is None:
                self.walk = self.kind.walk(**values)
            else:
                self.walk.ask(**values)
            style.change(self.message, visible=False)
            for field in self.kind.fields:
                style.change(self.fields[field.name], visible=field.counts(self.walk.values))
            self._show()

        self._do(walk, self.question(), self.refresh)

    def _shown(self) -> tuple[str, str, str]:
        return self.kind.title(self.walk), self.kind.sentence(self.walk), self.kind.picture(self.walk)


def _page(kind: Kind) -> type[FieldStepperPage]:
    wishes = {wish: label for label, wish in kind.wishes.items()}
    by_pages = f", Page Up and Page Down a {wishes['next'].split()[-1]}" if "next" in wishes else ""
    erase = ", <b>e</b> the next erase" if "erase" in wishes else ""
    return type(
        f"{kind.name.capitalize()}StepperPage",
        (FieldStepperPage,),
        {
            "__doc__": kind.heading,
            "kind": kind,
            "title": kind.heading,
            "after": kind.after,
            "place": kind.place,
            "name": kind.name,
            "group": f"Stepper of {kind.group}",
            "keys": f"← → one step{by_pages}, Home and End to the ends, space to play{erase},",
            "more_keys": "".join(f" {TYPING[wish]}" for wish in wishes),
            "steps_label": kind.steps,
            "css": kind.css,
        },
    )


PAGES = {f"{name}-stepper": _page(kind) for name, kind in KINDS.items()}
"""One for each kind, by the name of the part."""
