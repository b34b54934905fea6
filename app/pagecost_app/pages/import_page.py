"""The page of what one brings along: a file is named or dropped, told what it is, and taken to the questions."""

import html
import threading
from collections.abc import Callable, Mapping
from typing import Any

from bokeh.document import Document
from bokeh.layouts import column, row
from bokeh.models.widgets import Button, Div, Select, TextInput

from pagecost import catalogue, device_files, studies
from pagecost.errors import ModelError
from pagecost_app import importing, uploads
from pagecost_app.charts import style
from pagecost_app.compiling import News, Question, here
from pagecost_app.importing import Imported, Preview
from pagecost_app.pages.changes import deliver, together
from pagecost_app.pages.column_choice import ColumnChoice
from pagecost_app.pages.file_line import FileLine, takes_files
from pagecost_app.pages.lists import Lists
from pagecost_app.pages.look import complaint, sheet, waiting, waiting_line
from pagecost_app.pages.study_page import FRESH, STALE
from pagecost_app.pages.topic_page import start_of
from pagecost_app.pages.worker import Worker
from pagecost_app.workspace.my_system import MySystem

TITLE = "Import"
NAME = "import"
KINDS = {
    "trace": "a trace of requests",
    "fio result": "a result of fio",
    "iostat": "the load of devices, by iostat -x",
    "device": "a device of yours",
    "system": "a system",
    "XML document": "an XML document",
}
WHAT = (
    "Name a file, or drop one anywhere here: a trace (any CSV, blkparse, fio iolog, MSR, SPC, Alibaba, Tencent, "
    "SYSTOR, vscsi, Parquet, oracleGeneral, packed or not), a fio result (JSON), the output of "
    "<code>iostat -x</code>, an XML document, a device file or a system. It stays on this machine."
)

Open = Callable[[str, str | None, Mapping], None]
"""open_study(study, preset, values): shows the study with these inputs"""


class Importing:
    """Stands in a study's place for a `Worker`. A question is {path, name, columns}."""

    name = NAME

    def inputs(self, values: Mapping) -> Mapping:
        """As they are: what is wrong with the file is found when it is read."""
        return values

    def compute(self, values: Mapping, progress: Callable) -> Imported:
        """Raises ModelError for what is no file that can be understood."""
        return importing.understood(
            values["path"], values["name"], values["columns"], lambda share: progress(share, None)
        )


def question(values: Mapping) -> Question:
    """What is answered elsewhere for the kernels of a trace."""
    behind = f"#{values['columns']}" if values["columns"] else ""
    asked = start_of(studies.find("trace_insight")).model_dump() | {"trace": f"{values['path']}{behind}"}
    return Question.of_study("trace_insight", asked)


class ImportPage:
    """`root` is the layout; the methods are those of a StudyPage."""

    def __init__(self, document: Document, open_study: Open, mine: MySystem, lists: Lists):
        self.document, self.open_study, self._mine, self._lists = document, open_study, mine, lists
        self.found: Imported | None = None  # what was asked for last, when it is understood
        self._asked: Mapping[str, str] = {"path": "", "name": "", "columns": ""}
        self._told = ""  # the file that the page shows
        self.line = FileLine(f"{NAME}.file", "path of your file", self._named)
        self.columns = ColumnChoice(NAME, self._mapped)
        self.message = Div(name=f"{NAME}.message", visible=False, sizing_mode="stretch_width")
        self.status = waiting_line(f"{NAME}.status")
        self.kind = Div(name=f"{NAME}.kind", sizing_mode="stretch_width")
        self.answer = Div(name=f"{NAME}.answer", sizing_mode="stretch_width")
        self.study = Select(
            name=f"{NAME}.study", title="What can be asked with it", width=520, stylesheets=[sheet()], options=[]
        )
        self.open = Button(label="Open this question", name=f"{NAME}.open", stylesheets=[sheet()])
        self.open.on_click(self._open)
        self.keep = Button(label="Keep it among my devices", name=f"{NAME}.keep", visible=False, stylesheets=[sheet()])
        self.keep.on_click(lambda: self._try(self._keep))
        self.fit = Button(
            label="Fit a device to it and keep that", name=f"{NAME}.fit", visible=False, stylesheets=[sheet()]
        )
        self.fit.on_click(self._fit)
        self.capacity = TextInput(
            name=f"{NAME}.capacity",
            placeholder="its capacity, such as 256GB (for plans)",
            visible=False,
            width=360,
            stylesheets=[sheet()],
        )
        self.put = Button(label="Put it into my system", name=f"{NAME}.put", visible=False, stylesheets=[sheet()])
        self.put.on_click(lambda: self._try(self._put))
        self.next = row(self.study, column(Div(text="", height=12), self.open), visible=False, name=f"{NAME}.next")
        self.results = column(
            *(self.kind, self.columns.root, self.next, row(self.put, self.keep, self.fit, self.capacity), self.answer),
            sizing_mode="stretch_width",
        )
        heading = f'<h1 style="font-size:19px;margin:4px 0">What did you bring?</h1><p style="margin:2px 0">{WHAT}</p>'
        self.root = column(
            Div(text=heading, sizing_mode="stretch_width"),
            column(self.line.root, max_width=760, sizing_mode="stretch_width"),
            self.status,
            self.message,
            self.results,
            sizing_mode="stretch_width",
            spacing=8,
            html_attributes=takes_files(f"{NAME}.file"),
            styles={"min-height": "70vh"},
        )
        self.worker = Worker(
            Importing(),
            lambda callback: deliver(document, callback),
            lambda inputs, result, final: self.show(result) if final else None,
            self.fail,
            lambda share: None,
            waiting=self._waiting,
            question=question,
        )

    def show(self, found: Imported) -> None:
        """Say what the file is."""
        self.found = found
        options: list[Any] = [(name, studies.find(name).title) for name in found.opens]
        with together(self.document):
            style.change(self.status, text="")
            style.change(self.message, text=complaint(found.problem), visible=bool(found.problem))
            style.change(self.results, styles=FRESH)
            self._ready(True)
            self.columns.show(found.head, found.layout)
            kept = self.study.value if self.study.value in found.opens else next(iter(found.opens), "")
            style.change(self.study, options=options, value=kept)
            style.change(self.next, visible=bool(options))
            style.change(self.keep, visible=bool(found.device))
            style.change(self.put, visible=bool(found.says or found.whole))
            for each in (self.fit, self.capacity):
                style.change(each, visible=found.kind == "fio result")
            style.change(self.kind, text=_kind(found))
            style.change(self.answer, text=_told(found))

    def fail(self, message: str) -> None:
        """Say in one sentence what is wrong; nothing of an earlier file stays but the columns that can be mended."""
        self.found = None
        with together(self.document):
            style.change(self.status, text="")
            style.change(self.message, text=complaint(message), visible=True)
            style.change(self.results, styles=FRESH)
            self._ready(True)
            style.change(self.columns.root, visible=bool(self._asked["columns"]))
            style.change(self.next, visible=False)
            style.change(self.keep, visible=False)
            for each in (self.put, self.fit, self.capacity):
                style.change(each, visible=False)
            style.change(self.kind, text="")
            style.change(self.answer, text="")

    def recolour(self, dark: bool) -> None:
        """Nothing here is drawn: the page's own colours follow the theme."""

    def stop(self) -> None:
        self.worker.stop()

    def _named(self) -> None:
        if self.line.input.value.strip():
            self._ask("")

    def _mapped(self) -> None:
        if self.columns.text and self._told == self._asked["name"]:  # the columns are still those of that file
            self._ask(self.columns.text)

    def _ask(self, columns: str) -> None:
        name, self.found = self.line.input.value.strip(), None
        self._asked = {"path": uploads.path_of(name), "name": name, "columns": columns}
        with together(self.document):
            style.change(self.message, visible=False)  # it was of another file, or of other columns
            self._ready(False)
        self.worker.ask(self._asked)

    def _ready(self, ready: bool) -> None:
        """Whether the answer is that to what was asked last: only then it can be used."""
        self._told = self._asked["name"] if ready else self._told
        for button in (self.open, self.keep, self.fit, self.put):
            style.change(button, disabled=not ready)

    def _waiting(self, seconds: float, compiles: News | None) -> None:
        words = str(compiles) if compiles else f"reading … {seconds:.0f} s so far"
        with together(self.document):
            style.change(self.results, styles=STALE)
            style.change(self.status, text=waiting(words, compiles.share if compiles else None))

    def _open(self) -> None:
        if self.found and self.study.value in self.found.opens:
            self.open_study(self.study.value, None, self.found.opens[self.study.value])

    def _try(self, act: Callable[[], str]) -> None:
        """Do what a button is for, and say what was done, or what is wrong."""
        if self.found is None:  # pressed before the browser knew that another file is being read
            return
        try:
            done = act()
        except ModelError as error:
            style.change(self.message, text=complaint(str(error)), visible=True)
            return
        style.change(self.message, visible=False)
        style.change(self.status, text=f'<div role="status">{html.escape(done)}</div>')

    def _keep(self) -> str:
        place = device_files.add(self._asked["path"])
        self._lists.renew()
        return f"Kept as {place}: it is in every list of devices now."

    def _fit(self) -> None:
        """Fit in another thread, for it takes seconds; then say what was found, or what is wrong."""
        if self.found is None:
            return
        path, name, capacity = self._asked["path"], self._asked["name"], self.capacity.value
        style.change(self.message, visible=False)
        style.change(self.status, text=waiting("fitting …", None))

        def work() -> None:
            try:
                with here():
                    done, wrong = importing.fit_and_keep(path, name, capacity), ""
            except ModelError as error:
                done, wrong = "", str(error)
            deliver(self.document, lambda: self._fitted(done, wrong))

        threading.Thread(target=work, daemon=True, name="fit").start()

    def _fitted(self, done: str, wrong: str) -> None:
        style.change(self.status, text=f'<div role="status">{html.escape(done)}</div>' if done else "")
        style.change(self.message, text=complaint(wrong) if wrong else "", visible=bool(wrong))
        if done:
            self._lists.renew()

    def _put(self) -> str:
        found = self.found
        if found is None:
            return ""
        if found.whole is not None:
            self._mine.put(found.whole)
            return "It is my system now; questions take from it what they can."
        kept = f" {self._keep()}" if found.device and found.device not in catalogue.devices() else ""
        self._mine.change(found.says)
        copied = self._asked["path"] != self._asked["name"] and "load.source" in found.says
        passing = (
            " It was handed over as a copy, which goes with this program: type its path to keep it." if copied else ""
        )
        return f"It is in my system now; questions take it.{kept}{passing}"


def _kind(found: Imported) -> str:
    if found.problem and not found.facts:
        return ""
    return f"<p role='status' style='font-size:15px;margin:6px 0'>This is <b>{html.escape(KINDS[found.kind])}</b>.</p>"


def _told(found: Imported) -> str:
    facts = "".join(
        f"<dt style='color:var(--muted)'>{html.escape(label)}</dt><dd style='margin:0 0 2px'>{html.escape(text)}</dd>"
        for label, text in found.facts.items()
    )
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in found.notes)
    listed = (
        f"<h2 style='font-size:15px;margin:14px 0 2px'>To know before using it</h2><ul>{notes}</ul>" if notes else ""
    )
    grid = "display:grid;grid-template-columns:max-content 1fr;gap:0 18px;margin:14px 0 0;align-content:start"
    return (
        f"<div style='display:flex;flex-wrap:wrap;gap:0 56px'><dl style='{grid}'>{facts}</dl>"
        f"<div style='min-width:0'>{''.join(map(_table, found.previews))}</div></div>{listed}"
    )


def _table(preview: Preview) -> str:
    cell = "padding:3px 12px 3px 0;border-bottom:1px solid var(--faint);text-align:left;white-space:nowrap"
    head = "".join(
        f"<th style='{cell};color:var(--muted);font-weight:500'>{html.escape(name)}</th>" for name in preview.header
    )
    body = "".join(
        "<tr>" + "".join(f"<td style='{cell}'>{html.escape(text)}</td>" for text in shown) + "</tr>"
        for shown in preview.rows
    )
    return (
        f"<h2 style='font-size:15px;margin:12px 0 2px'>{html.escape(preview.title)}</h2><div style='overflow-x:auto'>"
        f"<table style='border-collapse:collapse;font-variant-numeric:tabular-nums'><tr>{head}</tr>{body}</table></div>"
    )
