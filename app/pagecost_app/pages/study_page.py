"""A page: the inputs of a study on the left, its live charts, numbers and reasons on the right."""

import contextlib
import functools
import html
from collections.abc import Callable, Mapping

from bokeh.document import Document
from bokeh.layouts import column, row
from bokeh.models import (
    Button,
    ColumnDataSource,
    CustomJS,
    DataTable,
    Div,
    HTMLTemplateFormatter,
    LayoutDOM,
    Select,
    TableColumn,
    Toggle,
)

from pagecost._jit import NotCompiled
from pagecost.errors import ModelError
from pagecost.studies import Result, Study, StudyInputs
from pagecost_app.charts import CHARTS, style
from pagecost_app.compiling import News, Question, here, wait_apart
from pagecost_app.pages.controls import Folded, control
from pagecost_app.pages.file_line import takes_files
from pagecost_app.pages.look import TABLE, complaint, sheet, waiting, waiting_line
from pagecost_app.pages.worker import Worker

DEFAULTS = "defaults"
PANEL_WIDTH, LETTER_WIDTH, NARROWEST = 300, 7, 70  # pixels
TABLE_HEIGHT, HEAD_HEIGHT, ROW_HEIGHT = 240, 36, 25
MOST_LETTERS = 46  # of a cell that widens its column
FRESH, STALE = {"opacity": "1", "transition": "opacity 0.2s"}, {"opacity": "0.4", "transition": "opacity 0.2s"}
SHOWN = "{} as shown"  # field of a column's cells as people read them; the bare values stand beside them, to sort by
CELL = '<%- obj["{}"] %>'  # obj: the row, as the template's own function calls it
# Bokeh redraws a table by itself only when its number of rows changes; the charts go first while a slider moves
REDRAW_TABLE = """
const waiting = (window.pagecost_tables ??= new Map())
clearTimeout(waiting.get(table.id))
waiting.set(table.id, setTimeout(() => table.view.change.emit(), 150))
"""
SAVE_TEXT = """
const link = document.createElement("a")
link.href = URL.createObjectURL(new Blob([source.data.text[0]], {type: "text/csv"}))
link.download = name + ".csv"
link.click()
setTimeout(() => URL.revokeObjectURL(link.href), 60000)
"""
SAVE_PICTURE = """
export default async ({chart, name, kind}, obj, data, {index}) => {
  const blob = await index.find_one(chart).export(kind).to_blob()
  const link = document.createElement("a")
  link.href = URL.createObjectURL(blob)
  link.download = name + "." + kind
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60000)
}"""


@contextlib.contextmanager
def together(document: Document, *, new_models: bool = False):
    """Changes made inside travel to the browser as one message.

    new_models: they bring in models of their own; the document then looks for them once at the end (30 ms), not after
    every change.
    """
    fault = None
    outermost = document.callbacks.hold_value is None
    if outermost:
        document.hold("combine")
    try:
        with document.models.freeze() if new_models else contextlib.nullcontext():
            try:
                yield
            except Exception as raised:  # Bokeh would leave its models frozen for good
                fault = raised
    finally:
        if outermost:
            document.unhold()
    if fault:
        raise fault


def deliver(document: Document, callback: Callable[[], None]) -> None:
    """Run a callback on the document's thread, from any thread; nothing happens when its page was closed."""
    if document.session_context is None or not document.session_context.destroyed:
        with contextlib.suppress(AttributeError):  # Bokeh takes it apart just now
            document.add_next_tick_callback(callback)


class StudyPage:
    """Joins a study to its chart. `root` is the layout; `recolour(dark)` follows the theme; `stop()` ends its work."""

    def __init__(self, document: Document, study: Study):
        self.study = study
        self.document = document
        self.chart = CHARTS[study.name]()
        self.preset = Select(
            name=f"{study.name}.preset",
            title="Preset",
            options=[DEFAULTS, *study.presets],
            value=DEFAULTS,
            sizing_mode="stretch_width",
            stylesheets=[sheet()],
        )
        self.controls = [control(study.name, *item, self.refresh) for item in study.Inputs.model_fields.items()]
        groups = dict.fromkeys(item.group for item in self.controls if item.group)
        self.folded = {
            title: Folded(study.name, title, [item for item in self.controls if item.group == title])
            for title in groups
        }
        self.reset = Button(label="Reset to preset", name=f"{study.name}.reset", stylesheets=[sheet()])
        self.pause = Toggle(label="Pause", name=f"{study.name}.pause", width=90, stylesheets=[sheet()])
        self.cancel = Button(label="Cancel", name=f"{study.name}.cancel", width=90, stylesheets=[sheet()])
        self.long_run = row(self.pause, self.cancel, name=f"{study.name}.long_run", visible=False)
        self.message = Div(name=f"{study.name}.message", visible=False, sizing_mode="stretch_width")
        self.status = waiting_line(f"{study.name}.status")
        self.answer = Div(name=f"{study.name}.answer", sizing_mode="stretch_width")
        self.reasons = Div(name=f"{study.name}.reasons", sizing_mode="stretch_width")
        self.csv = ColumnDataSource({"text": [""]}, name=f"{study.name}.csv")
        self.tables = Select(
            name=f"{study.name}.tables", visible=False, width=240, stylesheets=[sheet()], title="Table"
        )
        self.tables.on_change("value", lambda attr, old, new: self._fill(self._latest))
        self.numbers = ColumnDataSource({}, name=f"{study.name}.result")
        self.table = DataTable(
            name=f"{study.name}.table",
            source=self.numbers,
            columns=[],
            height=TABLE_HEIGHT,
            sizing_mode="stretch_width",
            index_position=None,
            autosize_mode="none",
            stylesheets=[sheet(TABLE)],
        )
        self.numbers.js_on_change("data", CustomJS(args={"table": self.table}, code=REDRAW_TABLE))
        self.reproduces = row(Div(), name=f"{study.name}.reproduces", styles={"flex-wrap": "wrap"}, visible=False)
        self.shown: list[LayoutDOM] = []  # of the results, when there are any
        self.results = column(sizing_mode="stretch_width", spacing=6, visible=False, name=f"{study.name}.results")
        self.root = self._layout()
        self._setting = False
        self._latest: Result | None = None
        self.share = 0.0  # of the running answer
        self._asked = 0  # questions so far
        self.base = start_of(study)
        self.worker = Worker(
            study, self._deliver, self.show, self.fail, self._progress, self._long_run, self._cancelled, self._waiting
        )
        self.preset.on_change("value", lambda attr, old, new: self.take(None if new == DEFAULTS else new))
        self.reset.on_click(lambda: self.take(None if self.preset.value == DEFAULTS else self.preset.value))
        for item in self.controls:
            if item.keep:
                item.keep.on_click(functools.partial(self._keep, item))
        self.pause.on_change("active", lambda attr, old, new: self._pause(new))
        self.cancel.on_click(self.worker.cancel)
        self.refresh()

    def take(self, preset: str | None, values: Mapping | None = None) -> None:
        """Set every control to the preset (None, or one that there is not: the defaults) and answer once.

        values: inputs that are other than the preset's.
        """
        if self._setting:  # the list of presets is being set to what is taken
            return
        self.base = start_of(self.study, preset)
        self._setting = True
        self.preset.value = preset if preset in self.study.presets else DEFAULTS
        for item in self.controls:
            item.value = (values or {}).get(item.name, getattr(self.base, item.name))
        self._setting = False
        self.refresh()

    def refresh(self) -> None:
        """Read the controls and ask for the answer. Bad input is said, and the last answer stays."""
        if self._setting:
            return
        values = {item.name: item.value for item in self.controls}
        changed = [item for item in self.controls if values[item.name] != getattr(self.base, item.name)]
        for item in self.controls:
            item.mark(item in changed)
        for title, folded in self.folded.items():
            folded.mark(sum(item.group == title for item in changed))
        self.share = 0.0
        self._asked += 1
        self.worker.ask(values)

    def _keep(self, item) -> None:
        """Choose what a control makes of the inputs as they are."""
        try:
            item.add(self.study.inputs({each.name: each.value for each in self.controls}))
        except ModelError as error:
            self.fail(str(error))
        except NotCompiled:
            self.fail("This question is still being compiled; press again when its answer is shown.")

    def show(self, inputs: StudyInputs, result: Result, final: bool) -> None:
        """Draw an answer; one that is not final will grow. A kernel that only the chart needs is compiled first."""
        try:
            self._draw(inputs, result, final)
        except NotCompiled:
            asked = self._asked
            wait_apart(
                Question.of_study(self.study.name, inputs.model_dump()),
                lambda news: self._deliver(lambda: asked == self._asked and self._waiting(news.seconds, news)),
                lambda failed: self._deliver(lambda: asked == self._asked and self._draw_here(inputs, result, final)),
            )

    def _draw_here(self, inputs: StudyInputs, result: Result, final: bool) -> None:
        with here():  # what is not in the cache by now will never be
            self._draw(inputs, result, final)

    def _draw(self, inputs: StudyInputs, result: Result, final: bool) -> None:
        """All changes travel to the browser together."""
        first = not self.results.visible
        self._latest = result
        with together(self.document, new_models=first):
            style.change(self.message, visible=False)
            self.chart.update(inputs, result)
            if final:
                self._explain(inputs, result)
            if first:
                self._fill(result)
            self._have_answer()
        if not first:
            self._deliver(lambda: self._fill(result))  # a message of its own: the charts go first

    def _explain(self, inputs: StudyInputs, result: Result) -> None:
        style.change(self.status, text="")
        style.change(self.answer, text=_paragraph(self.chart.describe(inputs, result)))
        style.change(self.reasons, text=_reasons(self.study.explain(inputs, result), result.notes, self.study.source))

    def _fill(self, result: Result | None) -> None:
        """Write the chosen table, when the charts have been drawn and no newer answer has come."""
        if result is None or result is not self._latest:
            return
        names = list(result.tables)
        style.change(self.tables, options=names, visible=len(names) > 1)
        if self.tables.value not in names:
            self.tables.value = names[0]  # which fills it
            return
        chosen = result.tables[self.tables.value]
        self.csv.data = {"text": [chosen.csv()]}
        cells = {name: column.cells() for name, column in chosen.columns.items()}
        widths = {name: _width(column.label, cells[name]) for name, column in chosen.columns.items()}
        before = {item.field: item.width for item in self.table.columns}
        if list(before) != list(widths) or any(widths[name] > before[name] for name in widths):
            self.table.columns = [_table_column(name, column, widths[name]) for name, column in chosen.columns.items()]
        style.change(self.table, height=min(TABLE_HEIGHT, HEAD_HEIGHT + ROW_HEIGHT * (len(chosen) + 1)))
        self.numbers.data = chosen.arrays() | {SHOWN.format(name): said for name, said in cells.items()}

    def fail(self, message: str) -> None:
        """Say in one sentence what is wrong. The charts keep the last answer."""
        self.status.text = ""
        style.change(self.results, styles=FRESH)
        style.change(self.message, text=complaint(message), visible=True)

    def recolour(self, dark: bool) -> None:
        self.chart.recolour(dark)

    def stop(self) -> None:
        self.worker.stop()

    def _deliver(self, callback) -> None:
        deliver(self.document, callback)

    def _progress(self, share: float) -> None:
        self.share = share

    def _waiting(self, seconds: float, compiles: News | None) -> None:
        """Say what the answer waits for; what is shown meanwhile is the answer before, and looks so."""
        if self.pause.active:
            return
        with together(self.document):
            style.change(self.results, styles=STALE)
            if compiles:
                style.change(self.status, text=waiting(str(compiles), compiles.share, alone=not self.results.visible))
            else:
                self._say_share(seconds)

    def _say_share(self, seconds: float) -> None:
        share = f" {self.share:.0%}" if self.share else ""
        words = f"computing …{share}{f', {seconds:.0f} s so far' if seconds >= 1 else ''}"
        style.change(self.status, text=waiting(words, self.share or None, alone=not self.results.visible))

    def _have_answer(self) -> None:
        """There is something to show, and it belongs to the inputs. Charts come to the page with what they show."""
        style.change(self.results, children=self.shown, styles=FRESH, visible=True)

    def _long_run(self, running: bool) -> None:
        """A run takes long enough to be paused or stopped, or is over."""
        style.change(self.long_run, visible=running)
        style.change(self.pause, active=False)

    def _pause(self, paused: bool) -> None:
        self.worker.pause(paused)
        style.change(self.pause, label="Resume" if paused else "Pause")
        if paused:
            self.status.text = waiting(f"paused at {self.share:.0%}", self.share)

    def _cancelled(self, share: float, partial: Result | None) -> None:
        """Say what is shown now; reasons and numbers are those of the part that was computed."""
        again = f'Change an input, or press "{self.reset.label}", to ask again.'
        self.status.text = waiting(f"stopped at {share:.0%}", share)
        style.change(self.results, styles=FRESH)
        if partial is None:
            self.fail(f"Stopped before there was anything to show: the charts show the answer before. {again}")
            return
        style.change(self.answer, text=_paragraph(f"Stopped at {share:.0%}: all below is what was computed. {again}"))
        style.change(self.reasons, text="")
        self._latest = partial
        self._fill(partial)

    def _layout(self):
        name = self.study.name
        save = [self._button("CSV", CustomJS(args={"source": self.csv, "name": name}, code=SAVE_TEXT))]
        for kind in ("svg", "png"):
            args = {"chart": self.chart.root, "name": name, "kind": kind}
            save.append(self._button(kind.upper(), CustomJS(args=args, code=SAVE_PICTURE)))
        panel = column(
            self.preset,
            *(item.root for item in self.controls if not item.group),
            *(folded.root for folded in self.folded.values()),
            self.reset,
            width=PANEL_WIDTH,
            spacing=10,
            styles={"background": "var(--panel)", "border-radius": "8px", "padding": "12px 14px"},
        )
        heading = Div(text=f'<h1 style="font-size:19px;margin:4px 0">{html.escape(self.study.title)}</h1>')
        heading.sizing_mode = "stretch_width"
        self.results.children = [self.answer]
        self.shown = [
            self.answer,
            self.chart.root,
            row(Div(text="<h2 style='font-size:15px;margin:6px 12px 0 0'>The numbers</h2>"), *save, self.tables),
            self.table,
            self.reasons,
        ]
        main = column(
            row(heading, self.long_run, sizing_mode="stretch_width"),
            self.status,
            self.message,
            self.reproduces,
            self.results,
            sizing_mode="stretch_width",
            spacing=2,
        )
        lines = [item.file_line for item in self.controls if item.file_line]
        anywhere = takes_files(lines[0]) if len(lines) == 1 else {}  # no need to aim where nothing else takes a file
        return row(panel, main, sizing_mode="stretch_width", spacing=18, html_attributes=anywhere)

    def _button(self, label: str, action: CustomJS) -> Button:
        button = Button(label=f"Save {label}", name=f"{self.study.name}.save_{label.lower()}", stylesheets=[sheet()])
        button.js_on_click(action)
        return button


def start_of(study: Study, preset: str | None = None) -> StudyInputs:
    """The inputs of a preset (None: the defaults), which need no check: that may take a kernel, and so may wait."""
    return study.Inputs.model_construct(**study.presets.get(preset, {}))


def _paragraph(text: str) -> str:
    return f'<p role="status" style="margin:2px 0 6px;color:var(--muted)">{html.escape(text)}</p>'


def _reasons(lines: list[str], notes, source: str) -> str:
    def listed(items):
        return "".join(f"<li>{html.escape(item)}</li>" for item in items)

    return (
        "<details open><summary style='font-size:15px;font-weight:600;cursor:pointer'>How was this computed?</summary>"
        f"<ul>{listed(lines)}</ul><p>To know before using these numbers:</p><ul>{listed(notes)}</ul>"
        f"<p style='color:var(--muted)'>The question is from: {html.escape(source)}</p></details>"
    )


def _width(label: str, cells: list[str]) -> int:
    """Pixels that a column needs for its head and its longest cell; no text makes it wider than is read at a glance."""
    letters = max(len(label), min(max(map(len, cells), default=0), MOST_LETTERS))
    return max(NARROWEST, 24 + LETTER_WIDTH * letters)


def _table_column(name: str, described, width: int) -> TableColumn:
    cell = CELL.format(SHOWN.format(name))
    return TableColumn(field=name, title=described.label, formatter=HTMLTemplateFormatter(template=cell), width=width)
