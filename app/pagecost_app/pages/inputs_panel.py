"""The inputs of a question: a list of presets, one control for each input, and the way back to the preset."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

from bokeh.layouts import column
from bokeh.models.ui import UIElement
from bokeh.models.widgets import Button, Select

from pagecost.studies import Study, StudyInputs
from pagecost_app.pages.controls import Control, Folded, control
from pagecost_app.pages.look import PANEL_WIDTH, sheet

DEFAULTS = "defaults"
LOOK = {"background": "var(--panel)", "border-radius": "8px", "padding": "12px 14px"}


def start_of(study: Study, preset: str | None = None) -> StudyInputs:
    """The inputs of a preset (None: the defaults), which need no check: that may take a kernel, and so may wait."""
    return study.Inputs.model_construct(**(study.presets.get(preset, {}) if preset else {}))


class InputsPanel:
    """`root` is the layout; `changed()` is called once after every change, `keep(control)` when its button is pressed.

    base: the inputs of the preset that is taken.
    """

    def __init__(self, study: Study, changed: Callable[[], None], keep: Callable[[Control], None]):
        self.study, self._changed, self._setting = study, changed, False
        self.base = start_of(study)
        presets: list[str | tuple[Any, str]] = [DEFAULTS, *study.presets]
        self.preset = Select(
            name=f"{study.name}.preset",
            title="Preset",
            options=presets,
            value=DEFAULTS,
            sizing_mode="stretch_width",
            stylesheets=[sheet()],
        )
        self.controls = [
            control(study.name, name, field, self._tell) for name, field in study.Inputs.model_fields.items()
        ]
        groups = dict.fromkeys(item.group for item in self.controls if item.group)
        self.folded = {title: Folded(study.name, title) for title in groups}
        self.reset = Button(label="Reset to preset", name=f"{study.name}.reset", stylesheets=[sheet()])
        self.root = column(width=PANEL_WIDTH, spacing=10, styles=LOOK)
        self._beside: dict[str, UIElement] = {}
        self._told = self.values
        self._taken: str = DEFAULTS
        self._place()
        self.preset.on_change("value", lambda attr, old, new: self._choose())
        self.reset.on_click(lambda: self.take(self.chosen))
        for item in self.controls:
            if item.keep:
                item.keep.on_click(functools.partial(keep, item))

    @property
    def chosen(self) -> str | None:
        """The preset that is taken, None for the defaults."""
        return None if self.preset.value == DEFAULTS else self.preset.value

    @property
    def values(self) -> dict:
        """What the controls say: name -> value, as it was entered."""
        return {item.name: item.value for item in self.controls}

    @property
    def moving(self) -> bool:
        """Whether the change that is being told is one of many, of a slider that is dragged."""
        return any(item.moving for item in self.controls)

    def on_release(self, released: Callable[[], None]) -> None:
        """Be told when a drag is over."""
        for item in self.controls:
            item.on_release(released)

    def differing(self, inputs: StudyInputs) -> dict:
        """The inputs that are other than the preset's: `take(chosen, differing)` sets the panel to `inputs`."""
        both = ((name, getattr(inputs, name)) for name in type(inputs).model_fields)
        return {name: value for name, value in both if value != getattr(self.base, name)}

    def take(self, preset: str | None, values: Mapping | None = None) -> None:
        """Set every control to the preset (None, or one that there is not: the defaults) and tell it once.

        values: inputs that are other than the preset's.
        """
        self.base = start_of(self.study, preset)
        self._setting = True
        self._taken = preset if preset and preset in self.study.presets else DEFAULTS
        self.preset.value = self._taken
        for item in self.controls:
            item.value = (values or {}).get(item.name, getattr(self.base, item.name))
        self._setting = False
        self._told = self.values
        self._changed()

    def mark(self) -> None:
        """Show which inputs differ from the preset's."""
        changed = [item for item in self.controls if item.value != getattr(self.base, item.name)]
        for item in self.controls:
            item.mark(item in changed)
        for title, folded in self.folded.items():
            folded.mark(sum(item.group == title for item in changed))

    def beside(self, marks: Mapping[str, UIElement]) -> None:
        """Put a model below the control of each of these inputs; those put there before go."""
        if dict(marks) != self._beside:
            self._beside = dict(marks)
            self._place()

    def _choose(self) -> None:
        """A preset was chosen. A document that is held tells late of one that is taken already, and changed."""
        if self.preset.value != self._taken:
            self.take(self.chosen)

    def _tell(self) -> None:
        """A control was changed. A document that is held tells it late of what was taken, and that is told already."""
        values = self.values
        if not self._setting and values != self._told:
            self._told = values
            self._changed()

    def _place(self) -> None:
        def models(group: str | None) -> list[UIElement]:
            rows = ((item.root, self._beside.get(item.name)) for item in self.controls if (item.group or None) == group)
            return [model for row in rows for model in row if model is not None]

        for title, folded in self.folded.items():
            folded.inside.children = models(title)
        self.root.children = [
            self.preset,
            *models(None),
            *(folded.root for folded in self.folded.values()),
            self.reset,
        ]
