"""A study in a lesson: its inputs as widgets above its live chart, its answer in words, its reasons and numbers."""

import html
import os
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import ipywidgets as widgets
from IPython.display import display

from pagecost import studies
from pagecost.errors import ModelError
from pagecost.studies import Growing, Result, StudyInputs
from pagecost.system import System
from pagecost_app import made_with
from pagecost_app.charts import CHARTS
from pagecost_app.notebook.controls import control
from pagecost_app.notebook.live_chart import LiveChart, bokeh_loader, standalone
from pagecost_app.notebook.table import Table, csv_link
from pagecost_app.notebook.taking import Given, TakenLine, read
from pagecost_app.notebook.told import reproduced_html
from pagecost_app.notebook.waiting import moving

SAVED = {
    "csv": "All rows with every digit",
    "svg": "The chart, to be scaled and printed",
    "png": "The chart as a picture",
}
EXPORT = "PAGECOST_EXPORT"  # set for nbconvert: charts become HTML that lives without a kernel
STYLE = Path(__file__).with_name("explorer.css").read_text("utf8")
LONG_S, BETWEEN_PICTURES_S = 0.4, 0.25  # a longer answer shows its progress, redrawn at most this often


def explore(study: str, preset: str | None = None, *, system: Given = None, **values) -> "Explorer":
    """The study with its widgets and its live chart. `preset` and `values` set the start.

    system: the path of a system's file, or a system; the study takes from it what it can and says so.

    Raises ModelError for an unknown study, preset or input, a value that breaks a rule, and a system of which the study
    can take nothing.
    """
    return Explorer(study, preset, values, read(system))


def answer(study: str, preset: str | None = None, *, system: Given = None, **values) -> Result:
    """The study's numbers alone, without widgets. Raises ModelError like `explore`."""
    asked = studies.find(study)
    return asked.compute(asked.inputs(values, preset, read(system)))


class Explorer(widgets.VBox):
    """The widgets of a study above its chart. `inputs` and `result` are the current question and answer.

    `set(frames=2000)` moves the widgets from a cell, as a hand would; `reset()` moves them back; `table()` gives the
    numbers. A question that the study refuses is said in one sentence, and the last answer stays.
    """

    _bokeh_exported = False

    def __init__(self, study: str, preset: str | None = None, values: dict | None = None, system: System | None = None):
        self.study = studies.find(study)
        self.taken = TakenLine(self.study, system, preset, values or {})
        self.inputs: StudyInputs = self.study.inputs(values, preset, system)
        self.result: Result = self.study.compute(self.inputs)
        self.chart = CHARTS[study]()
        self.chart.update(self.inputs, self.result)
        self.live = LiveChart(self.chart, self.study.describe(self.inputs, self.result))
        self._base = self._start = self.inputs
        self._setting, self._progress_at = False, 0.0
        self._followers: list[Callable[[], None]] = []
        self._controls = {name: control(field, self._changed) for name, field in self.study.Inputs.model_fields.items()}
        self._groups = tuple(dict.fromkeys(item.group for item in self._controls.values() if item.group))
        self._message, self._answer = widgets.HTML(), widgets.HTML()
        self._build_buttons()
        super().__init__(
            [self._heading(), self._panel(), self.taken, self._message, self._answer, self.live, self._more()]
        )
        self.add_class("pagecost-explorer")
        self._move_to(self.inputs)
        self.taken.show(self._read())
        self._say_answer()

    def set(self, **values) -> "Explorer":
        """Move the widgets to these values and answer once. Raises ModelError for values the study refuses."""
        self._move_to(self.study.inputs({**self.inputs.model_dump(), **values}))
        values = self._read()
        try:
            self._ask(values)
        except BaseException:
            self._move_to(self.inputs)
            raise
        self._mark(values)
        return self

    def reset(self) -> "Explorer":
        """Move the widgets back to where this exploration starts, or to the preset that is chosen above them."""
        return self.set(**self._base.model_dump())

    def on_answer(self, follow: Callable[[], None]) -> None:
        """Have something called after each further answer, such as a picture that shows it in another way."""
        self._followers.append(follow)

    def table(self, *columns: str, **where) -> Table:
        """The numbers of the current answer: these columns (default: all) of the rows where the given values stand.

        Raises ModelError for an unknown column.
        """
        return Table(self.result, columns, where)

    def _changed(self) -> None:
        """A widget moved."""
        if self._setting:
            return
        values = self._read()
        with moving(self._say_that_it_takes):
            said = self._try(lambda: self._ask(values))
        self._message.value = said  # behind the `with`: its thread may have spoken last
        self._mark(values)

    def _say_that_it_takes(self, line: str) -> None:
        if time.monotonic() - self._progress_at > 1:  # the share that is done says more
            self._message.value = line

    def _do(self, action) -> None:
        """Do what a widget asks for, and say what was wrong with it."""
        said = self._try(action)
        if said:
            self._message.value = said

    def _try(self, action) -> str:
        """What must be said of an action, "" where it went well: Jupyter would show no exception of a callback."""
        try:
            action()
        except (ModelError, OSError) as error:
            return _alert(html.escape(str(error)))
        except KeyboardInterrupt:
            return _alert("Stopped. The last answer stays; move a widget to ask again.")
        except Exception as error:
            return _alert(
                f"This is a fault of pagecost, not yours: {html.escape(repr(error))}"
                f"<details><summary>where</summary><pre>{html.escape(traceback.format_exc())}</pre></details>"
            )
        return ""

    def _read(self) -> dict:
        return {name: item.value for name, item in self._controls.items()}

    def _move_to(self, inputs: StudyInputs) -> None:
        self._setting = True
        try:
            for name, item in self._controls.items():
                item.value = getattr(inputs, name)
        finally:
            self._setting = False

    def _ask(self, values: dict) -> None:
        inputs = self.study.inputs(values)
        if inputs != self.inputs:
            try:
                result = self.study.compute(inputs, self._progress_of(inputs))
            except BaseException:  # an interrupt too: whatever was drawn of it must not stay
                self._draw(self.inputs, self.result)
                raise
            self._draw(inputs, result)
            self.inputs, self.result = inputs, result
            self._say_answer()
            for follow in self._followers:
                follow()
        self._message.value = ""

    def _draw(self, inputs: StudyInputs, result: Result) -> None:
        with self.live.redrawing(self.study.describe(inputs, result)):
            self.chart.update(inputs, result)

    def _progress_of(self, inputs: StudyInputs):
        started = drawn = time.monotonic()

        def progress(share: float, growing: Growing) -> None:
            nonlocal drawn
            now = time.monotonic()
            if now - started < LONG_S or now - drawn < BETWEEN_PICTURES_S:
                return
            drawn = self._progress_at = now
            self._message.value = f'<p role="status">computing … {share:.0%} (■ in the toolbar stops it)</p>'
            if growing is not None:
                with self.live.redrawing():
                    self.chart.update(inputs, growing())

        return progress

    def _mark(self, values: dict) -> None:
        """Show which values differ from the start, and how many; and which are those of the system."""
        self.taken.show(values)
        different = [name for name, value in values.items() if not _same(value, getattr(self._base, name))]
        for name, item in self._controls.items():
            item.mark(name in different)
        for number, title in enumerate(self._groups):
            inside = sum(self._controls[name].group == title for name in different)
            self._folded.set_title(number, title + (f" ({inside} changed)" if inside else ""))
        self._reset.disabled = not different
        self._reset.description = f"Reset ({len(different)} changed)" if different else "Reset"

    def _say_answer(self) -> None:
        words = html.escape(self.study.describe(self.inputs, self.result))
        self._answer.value = f'<p class="pagecost-answer" role="status">{words}</p>'
        self._fill_more()

    def _fill_more(self) -> None:
        """Reasons and numbers are written only while they are shown."""
        if self._why.value:
            self._reasons.value = f'<div class="pagecost-more">{self._reasons_html()}</div>'
        if self._numbers.value:
            self._rows.value = f'<div class="pagecost-more" tabindex="0">{self.table()._repr_html_()}</div>'
        for shown, place in ((self._why, self._reasons), (self._numbers, self._rows)):
            place.layout.display = None if shown.value else "none"

    def _reasons_html(self) -> str:
        def listed(lines):
            return "".join(f"<li>{html.escape(line)}</li>" for line in lines)

        known_first = f"To know before using these numbers:<ul>{listed(self.result.notes)}</ul>"
        return (
            f"<ul>{listed(self.study.explain(self.inputs, self.result))}</ul>"
            f"{known_first if self.result.notes else ''}{reproduced_html(self.study.name)}"
            f"The question is from {html.escape(self.study.source)}."
        )

    def _build_buttons(self) -> None:
        wide = {"width": "auto"}
        for item in self._controls.values():
            if item.keep:
                item.keep.on_click(
                    lambda button, item=item: self._do(lambda: item.add(self.study.inputs(self._read())))
                )
        self._preset = widgets.Dropdown(
            options=[("as this exploration starts", ""), *((name, name) for name in self.study.presets)],
            description="Preset",
            value="",
            tooltip="Sets every input at once",
            style={"description_width": "150px"},
            layout=wide,
        )
        self._preset.observe(lambda change: self._do(lambda: self._take(change.new)), names="value")
        self._reset = widgets.Button(description="Reset", tooltip="Back to the preset chosen above", layout=wide)
        self._reset.add_class("pagecost-reset")
        self._reset.on_click(lambda button: self._do(lambda: self._take(self._preset.value)))
        self._why = widgets.ToggleButton(description="How was this computed?", layout=wide)
        self._numbers = widgets.ToggleButton(description="The numbers", layout=wide)
        self._reasons, self._rows = widgets.HTML(), widgets.HTML()
        for toggle in (self._why, self._numbers):
            toggle.observe(lambda change: self._do(self._fill_more), names="value")

        self._saves = []
        for kind in ("csv", "svg", "png"):
            button = widgets.Button(description=f"Save {kind.upper()}", tooltip=SAVED[kind], layout=wide)
            button.on_click(lambda button, kind=kind: self._do(lambda: self._save(kind)))
            self._saves.append(button)

    def _save(self, kind: str) -> None:
        """Have the page save the answer as it is now."""
        made = made_with.of_study(self.study, self.inputs)
        text = self._csv() if kind == "csv" else ""
        self.live.save(kind, self.study.name, made_with.in_one_line(made), text)

    def _csv(self) -> str:
        """The main table with every digit, behind lines that say what made it."""
        return made_with.head(made_with.of_study(self.study, self.inputs)) + self.result.csv()

    def _take(self, preset: str) -> None:
        self._base = self.study.inputs(preset=preset) if preset else self._start
        self._move_to(self._base)
        self._changed()

    def _heading(self) -> widgets.HTML:
        return widgets.HTML(f"<style>{STYLE}</style><h3>{html.escape(self.study.title)}</h3>")

    def _panel(self) -> widgets.VBox:
        narrow, wide = ([item.root for item in self._of_group("") if item.wide == flag] for flag in (False, True))
        parts = [_grid([self._preset, *narrow]), *wide]
        if self._groups:
            folded = [_grid([item.root for item in self._of_group(title)]) for title in self._groups]
            self._folded = widgets.Accordion(folded, titles=self._groups, selected_index=None)
            parts.append(self._folded)
        panel = widgets.VBox([*parts, self._reset])
        panel.add_class("pagecost-panel")
        return panel

    def _of_group(self, title: str) -> list:
        return [item for item in self._controls.values() if item.group == title]

    def _more(self) -> widgets.VBox:
        return widgets.VBox(
            [
                widgets.HBox([self._why, self._numbers, *self._saves], layout={"flex_flow": "row wrap"}),
                self._reasons,
                self._rows,
            ]
        )

    def __repr__(self):
        return f"{self.study.title} {self.study.describe(self.inputs, self.result)}"

    def _ipython_display_(self) -> None:
        if os.environ.get(EXPORT):
            display({"text/html": self._as_html(), "text/plain": repr(self)}, raw=True)
            return
        # with every display: its cell may be the only one whose output a saved notebook keeps
        display(bokeh_loader(), raw=True)
        display({**self._repr_mimebundle_(), "text/plain": repr(self)}, raw=True)

    def _as_html(self) -> str:
        """The exploration as it is now, without widgets: for an export that no kernel stands behind."""
        with_bokeh, Explorer._bokeh_exported = not Explorer._bokeh_exported, True
        chart = CHARTS[self.study.name]()  # one that is not tied to widgets
        chart.update(self.inputs, self.result)
        line = made_with.in_one_line(made_with.of_study(self.study, self.inputs))
        return (
            f"<h3>{html.escape(self.study.title)}</h3><p>{html.escape(self.live.words)}</p>"
            f"{standalone(chart, self.live.words, with_bokeh)}"
            f"<details><summary>How was this computed?</summary>{self._reasons_html()}</details>"
            f"<p>{html.escape(line)} · {csv_link(self._csv(), self.study.name)}</p>"
        )


def _grid(children: list) -> widgets.GridBox:
    columns = "repeat(auto-fit, minmax(min(340px, 100%), 1fr))"
    layout = {"grid_template_columns": columns, "grid_gap": "0 24px", "overflow": "visible"}
    return widgets.GridBox(children, layout=layout)


def _same(value, base) -> bool:
    """Whether a value is that of the start; the order in which several were chosen does not matter."""
    return set(value) == set(base) if isinstance(base, tuple) else value == base


def _alert(text: str) -> str:
    return f'<div class="pagecost-say" role="alert">{text}</div>'
