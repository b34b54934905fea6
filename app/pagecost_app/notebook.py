"""What a lesson calls: `explore("buffer_size")` shows a study's inputs as widgets with its live chart beside them."""

import functools
import html

import ipywidgets as widgets
from bokeh.document import Document
from bokeh.io import output_notebook
from bokeh.resources import Resources
from jupyter_bokeh import BokehModel

from pagecost import studies
from pagecost.errors import ModelError
from pagecost.studies import Result, StudyInputs
from pagecost.studies.fields import Choice, Choices, FilePath, Steps, kind_of
from pagecost_app.charts import CHARTS, style

LABEL = {"description_width": "150px"}
WIDE = {"width": "100%"}


def explore(study: str, preset: str | None = None, **values) -> "Explorer":
    """The study with its widgets and its live chart. `preset` and `values` set the start.

    Raises ModelError for an unknown study, preset or input, or a value that breaks a rule.
    """
    return Explorer(study, preset, values)


class Explorer(widgets.VBox):
    """The widgets of a study above its chart. `inputs` and `result` are the current question and answer.

    `set(frames=2000)` moves the widgets from a cell, as a hand would.
    """

    def __init__(self, study: str, preset: str | None, values: dict):
        load_bokeh()
        self.study = studies.find(study)
        self.inputs: StudyInputs = self.study.inputs(values, preset)
        self.result: Result | None = None
        self.chart = CHARTS[study]()
        document = Document()
        document.theme = style.theme(False)
        document.add_root(self.chart.root)
        self._answer = widgets.HTML()
        self._message = widgets.HTML()
        self._reasons = widgets.HTML()
        self._controls = {
            name: _control(field, getattr(self.inputs, name)) for name, field in self.study.Inputs.model_fields.items()
        }
        for control in self._controls.values():
            control.observe(lambda change: self._refresh(), names="value")
        reset = widgets.Button(description="Reset", tooltip="Back to the values this lesson starts with")
        self._start = self.inputs
        reset.on_click(lambda button: self.set(**self._start.model_dump()))
        title = widgets.HTML(f"<b>{html.escape(self.study.title)}</b>")
        super().__init__(
            [
                title,
                *self._controls.values(),
                reset,
                self._message,
                self._answer,
                LiveBokeh(self.chart.root),
                self._reasons,
            ],
        )
        self._refresh()

    def set(self, **values) -> "Explorer":
        """Move the widgets to these values and answer once. Raises ModelError for values the study refuses."""
        checked = self.study.inputs({**self.inputs.model_dump(), **values})
        for name, control in self._controls.items():
            with control.hold_trait_notifications():
                _put(control, self.study.Inputs.model_fields[name], getattr(checked, name))
        self._refresh()
        return self

    def _refresh(self) -> None:
        values = {name: _read(control) for name, control in self._controls.items()}
        try:
            inputs = self.study.inputs(values)
            if self.result is not None and inputs == self.inputs:
                return
            result = self.study.compute(inputs)
        except (ModelError, OSError) as error:
            self._message.value = f'<div role="alert" style="border-left:4px solid #D55E00;padding:4px 10px">{html.escape(str(error))}</div>'
            return
        self._message.value = ""
        self.inputs, self.result = inputs, result
        self.chart.update(inputs, result)
        self._answer.value = f'<p role="status">{html.escape(self.chart.describe(inputs, result))}</p>'
        lines = [*self.study.explain(inputs, result), *result.notes]
        self._reasons.value = (
            "<details><summary>How was this computed?</summary><ul>"
            + "".join(f"<li>{html.escape(line)}</li>" for line in lines)
            + "</ul></details>"
        )


class LiveBokeh(BokehModel):
    """jupyter_bokeh's widget, which forgets what happened before a page was reloaded; here a view is always fresh."""

    def get_state(self, key=None, drop_defaults=False):
        asked = key if isinstance(key, str | None) else None if "render_bundle" in key else "other"
        if asked in (None, "render_bundle"):
            self._trait_values["render_bundle"] = self._model_to_traits(self._model)
        return super().get_state(key=key, drop_defaults=drop_defaults)


@functools.cache
def load_bokeh() -> None:
    """Give the page BokehJS from this machine (never from elsewhere), once per kernel."""
    output_notebook(Resources(mode="inline", components=["bokeh"]), hide_banner=True)


def _control(field, value):
    kind = kind_of(field)
    shared = {"description": field.title, "style": LABEL, "layout": WIDE, "tooltip": field.description}
    match kind:
        case Steps():
            return widgets.SelectionSlider(options=_stops(kind, value), value=value, **shared)
        case Choice(free=True):
            return widgets.Combobox(options=list(kind.options()), value=value, ensure_option=False, **shared)
        case Choice():
            return widgets.Dropdown(
                options=[(label, id) for id, label in kind.options().items()], value=value, **shared
            )
        case Choices():
            options = [(label, id) for id, label in kind.options().items()]
            return widgets.SelectMultiple(options=options, value=value, rows=min(6, len(options)), **shared)
        case FilePath():
            return widgets.Text(value=value, placeholder=f"path of a {kind.of}", continuous_update=False, **shared)


def _stops(kind: Steps, value) -> list[tuple[str, float]]:
    return [(kind.label(stop), stop) for stop in sorted({*kind.stops, value})]


def _put(control, field, value) -> None:
    if isinstance(control, widgets.SelectionSlider) and value not in [stop for _, stop in control.options]:
        control.options = _stops(kind_of(field), value)
    control.value = value


def _read(control):
    return control.value
