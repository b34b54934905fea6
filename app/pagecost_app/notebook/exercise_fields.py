"""The fields in which an exercise is answered, one for each kind that an exercise's form names."""

import html
from abc import ABC, abstractmethod
from typing import Any

import ipywidgets as widgets

from pagecost import studies
from pagecost_app.exercises.exercise import Axis, Field
from pagecost_app.notebook.controls import control
from pagecost_app.notebook.curve_drawing import drawing, titled

WIDE = {"width": "100%"}


class AnswerField(ABC):
    """What each of them can. `root` is what is shown."""

    root: widgets.Widget

    @abstractmethod
    def __init__(self, field: Field): ...

    @property
    @abstractmethod
    def answer(self) -> Any:
        """What stands in it, None while nothing does; setting it to what it cannot hold changes nothing."""

    @answer.setter
    @abstractmethod
    def answer(self, answer) -> None: ...

    @abstractmethod
    def close(self) -> None:
        """Take no more."""


class NumberField(AnswerField):
    """A line for a number, with or without its unit."""

    def __init__(self, field: Field):
        unit = "a number" if field.unit == "1" else f"in {field.unit}, or with a unit"
        self.root = widgets.Text(
            description=field.titled,
            placeholder=unit,
            style={"description_width": "initial"},
            layout={"width": "100%", "max_width": "520px"},
        )
        self.root.add_class("pagecost-enter")

    @property
    def answer(self) -> str | None:
        return self.root.value.strip() or None

    @answer.setter
    def answer(self, answer) -> None:
        self.root.value = str(answer)

    def close(self) -> None:
        self.root.disabled = True


class TextField(AnswerField):
    """Some lines of text."""

    def __init__(self, field: Field):
        self._label = widgets.HTML(f"<b>{html.escape(field.label)}</b>")
        self._text = widgets.Textarea(placeholder=field.example, rows=max(2, field.lines), layout=WIDE)
        self._text.tooltip = field.label
        self._text.add_class("pagecost-lines")
        self.root = widgets.VBox([self._label, self._text], layout=WIDE)

    @property
    def answer(self) -> str | None:
        return self._text.value if self._text.value.strip() else None

    @answer.setter
    def answer(self, answer) -> None:
        self._text.value = str(answer)

    def close(self) -> None:
        self._text.disabled = True


class ChoiceField(AnswerField):
    """One of some options."""

    def __init__(self, field: Field):
        self._values = [option.value for option in field.options]
        self._buttons = widgets.RadioButtons(
            options=[(option.text, option.value) for option in field.options], value=None, layout=WIDE
        )
        self._buttons.tooltip = field.label
        self.root = widgets.VBox([widgets.HTML(f"<b>{html.escape(field.label)}</b>"), self._buttons], layout=WIDE)

    @property
    def answer(self) -> str | None:
        return self._buttons.value

    @answer.setter
    def answer(self, answer) -> None:
        self._buttons.value = answer if answer in self._values else None

    def close(self) -> None:
        self._buttons.disabled = True


class OrderField(AnswerField):
    """Things in an order: one is chosen and moved up or down."""

    def __init__(self, field: Field):
        self._list = widgets.Select(
            options=[(option.text, option.value) for option in field.options], rows=len(field.options), layout=WIDE
        )
        self._list.tooltip = field.label
        self._moves = [widgets.Button(description=label) for label in ("▲ Move up", "▼ Move down")]
        for button, by in zip(self._moves, (-1, 1), strict=True):
            button.on_click(lambda _, by=by: self._move(by))
        self._where = widgets.HTML()
        self._list.observe(lambda change: self._say(), names="index")
        moves = widgets.HBox([*self._moves, self._where], layout={"align_items": "center"})
        label = widgets.HTML(f"<b>{html.escape(field.label)}</b>: choose one, then move it.")
        self.root = widgets.VBox([label, self._list, moves], layout=WIDE)

    @property
    def answer(self) -> list[str]:
        return [value for _, value in self._list.options]

    @answer.setter
    def answer(self, answer) -> None:
        texts = {value: text for text, value in self._list.options}
        if isinstance(answer, list) and sorted(map(str, answer)) == sorted(texts):
            self._list.options = [(texts[value], value) for value in answer]

    def close(self) -> None:
        for widget in (self._list, *self._moves):
            widget.disabled = True

    def _move(self, by: int) -> None:
        options, at = list(self._list.options), self._list.index
        if at is None or not 0 <= at + by < len(options):
            return
        options.insert(at + by, options.pop(at))
        self._list.options = options
        self._list.index = at + by
        self._say()

    def _say(self) -> None:
        at, options = self._list.index, self._list.options
        said = "" if at is None else f"{html.escape(options[at][0])}: place {at + 1} of {len(options)}"
        self._where.value = f'<span class="pagecost-left" role="status">{said}</span>'


class CurveField(AnswerField):
    """A value at each of some places, clicked into a picture or typed below it."""

    def __init__(self, field: Field):
        assert field.x is not None
        assert field.y is not None
        self._x, self._y, self._label = field.x, field.y, field.label
        self._picture = widgets.HTML(layout=WIDE)
        self._values = [
            widgets.BoundedFloatText(
                value=_middle(self._y),
                min=self._y.least,
                max=self._y.most,
                step=_step(self._y),
                description=f"{at:g} {self._x.unit}".strip(),
                style={"description_width": "70px"},
                layout={"width": "190px"},
            )
            for at in self._x.positions
        ]
        self._touched = False
        self._key: list[float] | None = None
        for value in self._values:
            value.add_class("pagecost-at")
            value.observe(lambda change: self._changed(), names="value")
        row = widgets.HBox(self._values, layout={"flex_flow": "row wrap"})
        self.root = widgets.VBox(
            [self._picture, widgets.HTML(html.escape(f"{titled(self._y)}, at {titled(self._x)} of")), row], layout=WIDE
        )
        self.root.add_class("pagecost-curve")
        self._draw()

    @property
    def answer(self) -> list[float] | None:
        return [value.value for value in self._values] if self._touched else None

    @answer.setter
    def answer(self, answer) -> None:
        if isinstance(answer, list) and len(answer) == len(self._values):
            for value, number in zip(self._values, answer, strict=True):
                value.value = number
            self._touched = True

    def close(self) -> None:
        for value in self._values:
            value.disabled = True

    def show_key(self, key: list[float]) -> None:
        """Draw the engine's curve beside the learner's."""
        self._key = key
        self._draw()

    def _changed(self) -> None:
        self._touched = True
        self._draw()

    def _draw(self) -> None:
        own = [value.value for value in self._values]
        self._picture.value = drawing(self._label, self._x, self._y, own, self._key)


class InputsField(AnswerField):
    """Inputs of a study, set by the same controls as in an exploration."""

    def __init__(self, field: Field):
        self._study = studies.find(field.study)
        fields = self._study.Inputs.model_fields
        self._controls: dict[str, Any] = {name: control(fields[name], lambda: None) for name in field.inputs}
        start = self._study.inputs(dict(field.start))
        for name, item in self._controls.items():
            item.value = getattr(start, name)
        columns = "repeat(auto-fit, minmax(min(340px, 100%), 1fr))"
        grid = {"grid_template_columns": columns, "grid_gap": "0 24px", "overflow": "visible", "width": "100%"}
        self._box = widgets.GridBox([item.root for item in self._controls.values()], layout=grid)
        self.root = widgets.VBox([widgets.HTML(f"<b>{html.escape(field.label)}</b>"), self._box], layout=WIDE)
        self.root.add_class("pagecost-panel")

    @property
    def answer(self) -> dict[str, Any]:
        return {name: item.value for name, item in self._controls.items()}

    @answer.setter
    def answer(self, answer) -> None:
        for name, item in self._controls.items():
            if isinstance(answer, dict) and name in answer:
                given = answer[name]
                item.value = tuple(given) if isinstance(given, list) else given

    def close(self) -> None:
        for widget in _inside(self._box):
            if hasattr(widget, "disabled"):
                widget.disabled = True


KINDS: dict[str, type[AnswerField]] = {
    "number": NumberField,
    "text": TextField,
    "choice": ChoiceField,
    "order": OrderField,
    "curve": CurveField,
    "inputs": InputsField,
}


class Form:
    """The fields of an exercise. `answer` is what they carry: of one field its value, of several a dict by name."""

    def __init__(self, fields: tuple[Field, ...]):
        self.fields = {field.name: KINDS[field.kind](field) for field in fields}
        self.root = widgets.VBox([field.root for field in self.fields.values()], layout=WIDE)

    @property
    def answer(self):
        answers = {name: field.answer for name, field in self.fields.items()}
        if len(answers) == 1:
            return next(iter(answers.values()))
        return None if all(each is None for each in answers.values()) else answers

    @answer.setter
    def answer(self, answer) -> None:
        parts = answer if isinstance(answer, dict) and answer.keys() <= self.fields.keys() else None
        if parts is None and len(self.fields) == 1:
            parts = dict.fromkeys(self.fields, answer)
        for name, part in (parts or {}).items():
            if part is not None:
                self.fields[name].answer = part

    def close(self) -> None:
        """Take no more answers."""
        for field in self.fields.values():
            field.close()


def _middle(axis: Axis) -> float:
    return (axis.least * axis.most) ** 0.5 if axis.logarithmic else (axis.least + axis.most) / 2


def _step(axis: Axis) -> float | None:
    return None if axis.logarithmic else (axis.most - axis.least) / 50


def _inside(widget):
    yield widget
    for child in getattr(widget, "children", ()):
        yield from _inside(child)
