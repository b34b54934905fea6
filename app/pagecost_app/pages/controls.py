"""Bokeh widgets for the inputs of a study, made from its fields."""

import html
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from bokeh.layouts import column
from bokeh.models.widgets import Button, CategoricalSlider, MultiChoice, Select, Toggle
from pydantic.fields import FieldInfo

from pagecost import device_files, glossary, units
from pagecost.studies import StudyInputs
from pagecost.studies.fields import Choice, Choices, FilePath, Steps, group_of, kind_as, kind_of, source_of
from pagecost_app.charts import style
from pagecost_app.pages.file_line import FileLine, TextLine
from pagecost_app.pages.look import sheet

CHANGED = " · changed"
YOURS = " · yours"  # behind the name of a device of the user's own
BELOW = "(the line below)"  # the entry of a list that stands for the line below it; no id of anything


def named(options: Mapping[Any, str]) -> list[tuple[Any, str]]:
    """(id, label) for a list to choose from; the devices of the user's own say that they are."""
    own = device_files.load_folder().devices
    return [(option, label + YOURS if option in own else label) for option, label in options.items()]


class Control:
    """One input: `root` is what stands on the page, `value` the input's value, `mark` shows that it was changed.

    `file_line` is the name of the line that takes a dropped file, if there is one. `moving`: it changes by being
    dragged, and may change again at once.
    """

    value: Any
    moving = False
    file_line = ""
    keep: Button | None = None
    shown_units = units.Shown()

    def __init__(self, name: str, field: FieldInfo, root, titled):
        self.name, self.title, self.root, self._titled = name, field.title or "", root, titled
        self.group = group_of(field)
        source = source_of(field)
        words = "".join(f" {each.term}: {each.said}" for each in glossary.of_texts(field.title or ""))
        titled.description = f"{field.description}{f' Default from {source}.' if source else ''}{words}"
        titled.title = field.title

    def mark(self, changed: bool) -> None:
        """Show or hide the sign that the value differs from the preset's."""
        self._titled.title = self.title + (CHANGED if changed else "")

    def on_release(self, released: Callable[[], None]) -> None:
        """Be told when a drag is over; controls that cannot be dragged tell nothing."""

    def show_units(self, shown: units.Shown) -> None:
        """Write what there is to choose from in these units from now on; the value stays."""
        self.shown_units = shown
        self.renew()

    def renew(self) -> None:
        """Offer what there is to choose from now, in the words of now."""

    def add(self, inputs: StudyInputs) -> None:
        """Choose what is kept of the inputs as well, where there is `keep`."""
        raise NotImplementedError


class StepsControl(Control):
    """A slider over the stops; a value between two stops becomes a stop of its own."""

    def __init__(self, study: str, name: str, field: FieldInfo, changed: Callable):
        self.kind = kind_as(field, Steps)
        self.stops: dict[str, float] = {}
        self.widget = CategoricalSlider(
            name=f"{study}.{name}",
            categories=["0", "1"],
            value="0",
            sizing_mode="stretch_width",
            stylesheets=[sheet()],
        )
        super().__init__(name, field, self.widget, _Described(self.widget))
        self.value = field.default
        self._changed = changed
        self.widget.on_change("value", lambda attr, old, new: self._move())

    def on_release(self, released: Callable[[], None]) -> None:
        """Be told when a drag is over."""
        self.widget.on_change("value_throttled", lambda attr, old, new: released())

    def _move(self) -> None:
        self.moving = True
        try:
            self._changed()
        finally:
            self.moving = False

    @property
    def value(self):
        return self.stops.get(self.widget.value, self.widget.value)  # a stop that there is not is refused by the study

    @value.setter
    def value(self, value):
        if isinstance(value, str):  # none of the stops: it stays as it is, for the study to refuse
            self.widget.value = value
            return
        with units.shown_in(self.shown_units):
            self.stops = {self.kind.label(stop): stop for stop in sorted({*self.kind.stops, value})}
            self.stops[self.kind.label(value)] = value  # goes before a stop that is called the same
        label = next(label for label, stop in self.stops.items() if stop == value)
        self.widget.update(categories=list(self.stops), value=label)

    def renew(self) -> None:
        self.value = self.value


class _Described:
    """A slider has no help sign of its own: the description goes nowhere, the title onto the slider."""

    widget: CategoricalSlider

    def __init__(self, widget):
        object.__setattr__(self, "widget", widget)

    def __setattr__(self, name, value):
        if name == "title":
            self.widget.title = value


class ChoiceControl(Control):
    """A list to choose from."""

    def __init__(self, study: str, name: str, field: FieldInfo, changed: Callable):
        self.kind = kind_as(field, Choice)
        self.options = self.kind.options()
        listed: list[str | tuple[Any, str]] = [*named(self.options)]
        self.widget = Select(
            name=f"{study}.{name}",
            options=listed,
            value=field.default,
            sizing_mode="stretch_width",
            stylesheets=[sheet()],
        )
        super().__init__(name, field, self.widget, self.widget)
        self.widget.on_change("value", lambda attr, old, new: changed())

    @property
    def value(self):
        return self.widget.value

    @value.setter
    def value(self, value):
        self.widget.value = value

    def renew(self) -> None:
        with units.shown_in(self.shown_units):
            self.options = self.kind.options()
        style.change(self.widget, options=named(self.options))


class FreeChoiceControl(ChoiceControl):
    """A list to choose from, and a line below it, often for a file, that wins over the list, which then says so."""

    def __init__(self, study: str, name: str, field: FieldInfo, changed: Callable):
        self._changed, self._setting = changed, False
        super().__init__(study, name, field, self._chosen)
        kind, line = self.kind, f"{study}.{name}.other"
        if kind.of_file:
            self.file_line = line
        self._says = "your file: {}" if kind.of_file else "typed below: {}"
        self._listed = field.default
        self.other = (FileLine if kind.of_file else TextLine)(line, f"or {kind.typed}", self._typed)
        self.root = column(self.widget, self.other.root, sizing_mode="stretch_width")

    @property
    def value(self):
        return self.other.value or self._listed

    @value.setter
    def value(self, value):
        is_listed = value in self.options
        self._set(value if is_listed else self._listed, "" if is_listed else value)
        self._changed()

    def renew(self) -> None:
        with units.shown_in(self.shown_units):
            self.options = self.kind.options()
        self._set(self._listed, self.other.input.value)

    def _chosen(self) -> None:
        """Something of the list was chosen, which empties the line."""
        if not self._setting and self.widget.value != BELOW:
            self._set(self.widget.value, "")
            self._changed()

    def _typed(self) -> None:
        """The line was changed; the list says that it counts now, or what is chosen in the list counts again."""
        if not self._setting:
            self._set(self._listed, self.other.input.value)
            self._changed()

    def _set(self, listed: str, text: str) -> None:
        self._setting = True
        self._listed, shown = listed, Path(text.strip()).name or text.strip()
        below = [(BELOW, self._says.format(shown))] if text.strip() else []
        style.change(self.other.input, value=text)
        style.change(self.widget, options=[*named(self.options), *below], value=BELOW if below else listed)
        self._setting = False


def chips(options: Iterable[tuple[str, str]]) -> list[str | tuple[str, str]]:
    """(value, label) as a MultiChoice shall have them: it takes a label for HTML, and a device may bear any name."""
    return [(value, html.escape(label)) for value, label in options]


class ChoicesControl(Control):
    """Several of a list."""

    def __init__(self, study: str, name: str, field: FieldInfo, changed: Callable):
        self.kind = kind_as(field, Choices)
        self.options: dict = {}
        self.widget = MultiChoice(
            name=f"{study}.{name}",
            max_items=self.kind.most,
            sizing_mode="stretch_width",
            stylesheets=[sheet()],
        )
        super().__init__(name, field, self.widget, self.widget)
        if self.kind.keep:
            self.keep = Button(label="Keep the one that is built", name=f"{study}.{name}.keep", stylesheets=[sheet()])
            self.root = column(self.widget, self.keep, sizing_mode="stretch_width")
        self.renew()
        self.value = field.default
        self.widget.on_change("value", lambda attr, old, new: changed())

    def renew(self) -> None:
        with units.shown_in(self.shown_units):
            offered = self.kind.options()
        kept = {text: option for text, option in self.options.items() if option not in offered}
        self.options = {str(option): option for option in offered} | kept
        self.widget.options = chips(
            [
                *((str(option), label) for option, label in named(offered)),
                *((text, self.kind.said(option)) for text, option in kept.items()),
            ]
        )

    def add(self, inputs) -> None:
        assert self.kind.keep is not None
        text = self.kind.keep(inputs)
        if text not in self.value:
            self.value = (*self.value, text)

    @property
    def value(self):
        return tuple(self.options.get(text, text) for text in self.widget.value)

    @value.setter
    def value(self, value):
        kept = [option for option in value if str(option) not in self.options]
        if kept:
            self.options |= {str(option): option for option in kept}
            more = chips((str(option), self.kind.said(option)) for option in kept)
            self.widget.options = [*self.widget.options, *more]
        self.widget.value = [str(option) for option in value]


class PathControl(Control):
    """A line for the path of a file."""

    def __init__(self, study: str, name: str, field: FieldInfo, changed: Callable):
        self.file_line = f"{study}.{name}"
        self.line = FileLine(self.file_line, f"path of your {kind_as(field, FilePath).of}", changed)
        super().__init__(name, field, self.line.root, self.line.input)

    @property
    def value(self):
        return self.line.value

    @value.setter
    def value(self, value):
        self.line.input.value = value


class Folded:
    """Controls that are shown on demand: `root` is a button above `inside`, their place; `mark` counts the changed."""

    def __init__(self, study: str, title: str):
        self.title = title
        self.toggle = Toggle(name=f"{study}.{title}", sizing_mode="stretch_width", stylesheets=[sheet()])
        self.inside = column(visible=False, spacing=10, sizing_mode="stretch_width")
        self.toggle.js_link("active", self.inside, "visible")
        self.root = column(self.toggle, self.inside, spacing=6, sizing_mode="stretch_width")
        self.mark(0)

    def mark(self, changed: int) -> None:
        """Say how many of the controls inside were changed."""
        style.change(self.toggle, label=f"{self.title} …" + (f" · {changed} changed" if changed else ""))


CONTROLS: dict[type, Callable[[str, str, FieldInfo, Callable], Control]] = {
    Steps: StepsControl,
    Choice: ChoiceControl,
    Choices: ChoicesControl,
    FilePath: PathControl,
}


def control(study: str, name: str, field: FieldInfo, changed: Callable) -> Control:
    """The control of a field; `changed()` is called after every change by the user or by setting `value`."""
    kind = kind_of(field)
    is_free = isinstance(kind, Choice) and kind.free
    return (FreeChoiceControl if is_free else CONTROLS[type(kind)])(study, name, field, changed)
