"""Bokeh widgets for the inputs of a study, made from its fields."""

from collections.abc import Callable

from bokeh.layouts import column
from bokeh.models import CategoricalSlider, MultiChoice, Select, TextInput
from pydantic.fields import FieldInfo

from pagecost.studies.fields import Choice, Choices, FilePath, Steps, Text, kind_of, source_of
from pagecost_app.pages.look import sheet

CHANGED = " · changed"


class Control:
    """One input: `root` is what stands on the page, `value` the input's value, `mark` shows that it was changed."""

    def __init__(self, name: str, field: FieldInfo, root, titled):
        self.name, self.title, self.root, self._titled = name, field.title, root, titled
        source = source_of(field)
        titled.description = field.description + (f" Default from {source}." if source else "")
        titled.title = field.title

    def mark(self, changed: bool) -> None:
        """Show or hide the sign that the value differs from the preset's."""
        self._titled.title = self.title + (CHANGED if changed else "")


class StepsControl(Control):
    """A slider over the stops; a value between two stops becomes a stop of its own."""

    def __init__(self, study: str, name: str, field: FieldInfo, changed: Callable):
        self.kind: Steps = kind_of(field)
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
        self.widget.on_change("value", lambda attr, old, new: changed())

    @property
    def value(self):
        return self.stops[self.widget.value]

    @value.setter
    def value(self, value):
        self.stops = {self.kind.label(stop): stop for stop in sorted({*self.kind.stops, value})}
        label = next(label for label, stop in self.stops.items() if stop == value)
        self.widget.update(categories=list(self.stops), value=label)


class _Described:
    """A slider has no help sign of its own: the description goes nowhere, the title onto the slider."""

    def __init__(self, widget):
        object.__setattr__(self, "widget", widget)

    def __setattr__(self, name, value):
        if name == "title":
            self.widget.title = value


class ChoiceControl(Control):
    """A list to choose from."""

    def __init__(self, study: str, name: str, field: FieldInfo, changed: Callable):
        self.options = kind_of(field).options()
        self.widget = Select(
            name=f"{study}.{name}",
            options=list(self.options.items()),
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


class FreeChoiceControl(ChoiceControl):
    """A list to choose from, and a line below it that takes other text and wins over the list."""

    def __init__(self, study: str, name: str, field: FieldInfo, changed: Callable):
        super().__init__(study, name, field, changed)
        self.other = TextInput(
            name=f"{study}.{name}.other",
            placeholder="or the path of a file of your own",
            sizing_mode="stretch_width",
            stylesheets=[sheet()],
        )
        self.other.on_change("value", lambda attr, old, new: changed())
        self.root = column(self.widget, self.other, sizing_mode="stretch_width")

    @property
    def value(self):
        return self.other.value.strip() or self.widget.value

    @value.setter
    def value(self, value):
        listed = value in self.options
        self.other.value = "" if listed else value
        if listed:
            self.widget.value = value


class ChoicesControl(Control):
    """Several of a list."""

    def __init__(self, study: str, name: str, field: FieldInfo, changed: Callable):
        self.kind: Choices = kind_of(field)
        self.options = {str(option): option for option in self.kind.options()}
        self.widget = MultiChoice(
            name=f"{study}.{name}",
            options=[(str(option), label) for option, label in self.kind.options().items()],
            max_items=self.kind.most,
            sizing_mode="stretch_width",
            stylesheets=[sheet()],
        )
        super().__init__(name, field, self.widget, self.widget)
        self.value = field.default
        self.widget.on_change("value", lambda attr, old, new: changed())

    @property
    def value(self):
        return tuple(self.options[text] for text in self.widget.value)

    @value.setter
    def value(self, value):
        self.widget.value = [str(option) for option in value]


class PathControl(Control):
    """A line for the path of a file."""

    def __init__(self, study: str, name: str, field: FieldInfo, changed: Callable):
        self.widget = TextInput(
            name=f"{study}.{name}",
            placeholder=f"path of your {kind_of(field).of}",
            sizing_mode="stretch_width",
            stylesheets=[sheet()],
        )
        super().__init__(name, field, self.widget, self.widget)
        self.widget.on_change("value", lambda attr, old, new: changed())

    @property
    def value(self):
        return self.widget.value.strip()

    @value.setter
    def value(self, value):
        self.widget.value = value


class TextControl(Control):
    """A line of text."""

    def __init__(self, study: str, name: str, field: FieldInfo, changed: Callable):
        self.widget = TextInput(
            name=f"{study}.{name}",
            placeholder=kind_of(field).example,
            sizing_mode="stretch_width",
            stylesheets=[sheet()],
        )
        super().__init__(name, field, self.widget, self.widget)
        self.widget.on_change("value", lambda attr, old, new: changed())

    @property
    def value(self):
        return self.widget.value.strip()

    @value.setter
    def value(self, value):
        self.widget.value = value


CONTROLS = {
    **{Steps: StepsControl, Choice: ChoiceControl, Choices: ChoicesControl},
    **{FilePath: PathControl, Text: TextControl},
}


def control(study: str, name: str, field: FieldInfo, changed: Callable) -> Control:
    """The control of a field; `changed()` is called after every change by the user or by setting `value`."""
    kind = kind_of(field)
    made = FreeChoiceControl if isinstance(kind, Choice) and kind.free else CONTROLS[type(kind)]
    return made(study, name, field, changed)
