"""The widgets for the inputs of a study, made from its fields."""

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets
from pydantic.fields import FieldInfo

from pagecost.studies import StudyInputs
from pagecost.studies.fields import Choice, Choices, FilePath, Steps, group_of, kind_as, kind_of, source_of

CHANGED = "● "
FEW = 16  # so many options are shown as check boxes; of more, only the chosen ones
LABELLED = {"style": {"description_width": "150px"}, "layout": {"width": "auto"}}


class Control:
    """One input: `root` is what is shown, `value` the input's value, `mark` shows that it was changed.

    `changed()` is called after every change by the user, or by setting `value`. A `wide` control wants its own row.
    """

    wide = False
    keep: widgets.Button | None = None
    titled: Any
    value: Any

    def __init__(self, field: FieldInfo, changed: Callable[[], None]):
        self.field, self.changed = field, changed
        self.title, self.default, self.group = field.title or "", field.default, group_of(field)
        source = source_of(field)
        self.help = (field.description or "") + (f" Default from {source}." if source else "")
        self.root = self.build()

    def build(self) -> widgets.Widget:
        """What is shown."""
        raise NotImplementedError

    def add(self, inputs: StudyInputs) -> None:
        """Choose what is kept of the inputs as well, where there is `keep`."""
        raise NotImplementedError

    def mark(self, changed: bool) -> None:
        """Show or hide the sign that the value differs from the one the exploration starts with."""
        text = (CHANGED if changed else "") + self.title
        if self.titled.description != text:
            self.titled.description = text

    def _watch(self, widget) -> widgets.Widget:
        widget.observe(lambda change: self.changed(), names="value")
        return widget

    def _labelled(self) -> dict:
        return {"description": self.title, "tooltip": self.help, **LABELLED}


class StepsControl(Control):
    """A slider over the stops; a value between two stops becomes a stop of its own."""

    def build(self):
        self.kind = kind_as(self.field, Steps)
        self.titled = widgets.SelectionSlider(options=self._stops(self.default), value=self.default, **self._labelled())
        return self._watch(self.titled)

    @property
    def value(self):
        return self.titled.value

    @value.setter
    def value(self, value):
        if value not in [stop for _, stop in self.titled.options]:
            self.titled.options = self._stops(value)
        self.titled.value = value

    def _stops(self, value):
        return [(self.kind.label(stop), stop) for stop in sorted({*self.kind.stops, value})]


class ChoiceControl(Control):
    """A list to choose from; where other text is welcome, a line below takes it and wins over the list."""

    def build(self):
        self.kind = kind_as(self.field, Choice)
        self.options = self.kind.options()
        self.titled = self._watch(
            widgets.Dropdown(
                options=[(label, id) for id, label in self.options.items()], value=self.default, **self._labelled()
            )
        )
        self.other = self._watch(
            widgets.Text(
                description="or your own",
                placeholder=self.kind.typed,
                tooltip=self.help,
                continuous_update=False,
                **LABELLED,
            )
        )
        return widgets.VBox([self.titled, self.other], layout={"grid_row": "span 2"}) if self.kind.free else self.titled

    @property
    def value(self):
        return self.other.value.strip() or self.titled.value

    @value.setter
    def value(self, value):
        listed = value in self.options
        self.other.value = "" if listed else value
        if listed:
            self.titled.value = value


class PathControl(Control):
    """A line for the path of a file."""

    def build(self):
        of = kind_as(self.field, FilePath).of
        self.titled = widgets.Text(
            value=self.default, placeholder=f"path of your {of}", continuous_update=False, **self._labelled()
        )
        return self._watch(self.titled)

    @property
    def value(self):
        return self.titled.value.strip()

    @value.setter
    def value(self, value):
        self.titled.value = value


class ChoicesControl(Control):
    """Several of a list: check boxes for few options; of many, buttons that remove and a list that adds."""

    wide = True

    def build(self):
        self.kind = kind_as(self.field, Choices)
        self.options = self.kind.options()
        self._chosen = tuple(self.default)
        self._setting = False
        self.titled = widgets.Label(self.title, tooltip=self.help, layout={"width": "150px"})
        self.titled.add_class("pagecost-label")
        self.items = widgets.Box(layout={"flex_flow": "row wrap", "flex": "1 1 0", "align_items": "center"})
        self._boxes: dict[Any, widgets.Checkbox] = {}
        self._add: widgets.Dropdown | None = None
        if len(self.options) <= FEW and not self.kind.keep:
            self._boxes = {option: self._check_box(option, label) for option, label in self.options.items()}
        else:
            self._add = widgets.Dropdown(layout={"width": "190px"}, tooltip=f"{self.title}: add one")
            self._add.observe(self._added, names="value")
        if self.kind.keep:
            self.keep = widgets.Button(description="keep the one that is built", layout={"width": "auto"})
        self._show()
        root = widgets.HBox([self.titled, self.items], layout={"align_items": "baseline"})
        root.add_class("pagecost-group")
        return root

    def add(self, inputs) -> None:
        assert self.kind.keep is not None
        text = self.kind.keep(inputs)
        if text not in self._chosen:
            self.value = (*self._chosen, text)

    def mark(self, changed):
        text = (CHANGED if changed else "") + self.title
        if self.titled.value != text:
            self.titled.value = text

    @property
    def value(self):
        return self._chosen

    @value.setter
    def value(self, value):
        self._chosen = tuple(value)
        self._show()
        self.changed()

    def _check_box(self, option, label):
        box = widgets.Checkbox(description=label, indent=False, tooltip=self.help, layout={"width": "auto"})
        box.observe(lambda change: self._ticked(), names="value")
        return box

    def _ticked(self):
        if not self._setting:
            kept = [option for option in self._chosen if self._boxes[option].value]
            new = [option for option, box in self._boxes.items() if box.value and option not in self._chosen]
            self._chosen = (*kept, *new)
            self.changed()

    def _added(self, change):
        if not self._setting and change.new != "":
            self.value = (*self._chosen, change.new)

    def _show(self):
        self._setting = True
        if self._add is None:
            for option in self._chosen:  # what is no option may be chosen all the same: a system's, or a cell's
                self._boxes.setdefault(option, self._check_box(option, self.kind.said(option)))
            for option, box in self._boxes.items():
                box.value = option in self._chosen
            self.items.children = tuple(self._boxes.values())
        else:
            chips = [self._chip(option) for option in self._chosen]
            more = [(f"{label} ({option})", option) for option, label in self.options.items()]
            left = [item for item in more if item[1] not in self._chosen]
            self._add.options = [(f"add one of {len(left)} …", ""), *left]
            self._add.value = ""
            self.items.children = (*chips, self._add, *([self.keep] if self.keep else []))
        self._setting = False

    def _chip(self, option):
        label = self.options.get(option, "")
        chip = widgets.Button(description=f"{option} ✕", tooltip=f"Remove {label}", layout={"width": "auto"})
        chip.add_class("pagecost-chip")
        chip.on_click(lambda button: self._remove(option))
        return chip

    def _remove(self, option):
        self.value = tuple(chosen for chosen in self._chosen if chosen != option)


CONTROLS: dict[type, type[Control]] = {
    Steps: StepsControl,
    Choice: ChoiceControl,
    Choices: ChoicesControl,
    FilePath: PathControl,
}


def control(field: FieldInfo, changed: Callable[[], None]) -> Control:
    """The control of a study's field, at the field's default."""
    return CONTROLS[type(kind_of(field))](field, changed)
