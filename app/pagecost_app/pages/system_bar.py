"""My system across every page: folded it says the system in words, unfolded its values are set, opened and saved."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource
from bokeh.models.widgets import Button, Div, Select, Toggle

from pagecost import system, units
from pagecost.errors import ModelError
from pagecost.system import System
from pagecost_app.charts import style
from pagecost_app.pages import look
from pagecost_app.pages.changes import together
from pagecost_app.pages.controls import Control, control
from pagecost_app.pages.dropping import Taker
from pagecost_app.pages.file_line import FileLine
from pagecost_app.pages.frame import Frame
from pagecost_app.pages.linked_inputs import LinkedInputs
from pagecost_app.pages.saving import saving_text
from pagecost_app.pages.study_page import StudyPage
from pagecost_app.workspace.my_system import MySystem, examples
from pagecost_app.workspace.system_form import LINES, SECTIONS, words

NAME = "my_system"
FOLDED, UNFOLDED = "My system ▸", "My system ▾"
NONE_YET = (
    "none yet: every question has values of its own. Say your load, memory, file system, devices and prices once, and "
    "questions take from it what they can."
)
NO_EXAMPLE = ""
WIDTH = 236  # pixels of a title's column
CARD = {"background": "var(--panel)", "border-radius": "8px", "padding": "8px 12px"}


IS_A_SYSTEM = r"^(?![\s\S]*^\s*\[device\])[\s\S]*^\s*schema\s*="
"""In the first letters of a TOML file: it says its schema as both do, and describes no device."""


# On a phone the system's words are two lines; unfolded, all of it is there
SHORT = """
@media (max-width: 600px) {
  .bk-clearfix { display: -webkit-box !important; -webkit-box-orient: vertical; -webkit-line-clamp: 2;
    overflow: hidden; }
}
"""


class SystemBar:
    """`root` stands across every page of a frame, whose questions follow `mine`.

    `taker` says which files that are dropped anywhere are opened here.
    """

    def __init__(self, frame: Frame, mine: MySystem):
        self.document, self.mine = frame.document, mine
        self._linked: dict[str, LinkedInputs] = {}
        self._shown: LinkedInputs | None = None
        self._controls: dict[str, Control] = {}  # by path, when it was unfolded once
        self._values: dict[str, Any] = {}  # that they show
        self._setting = False
        self._shown_units = units.Shown()
        self.toggle = Toggle(label=FOLDED, name=f"{NAME}.toggle", width=120, stylesheets=[look.sheet()])
        self.toggle.on_change("active", lambda attr, old, new: self._unfold(new))
        self.words = Div(
            name=f"{NAME}.words", sizing_mode="stretch_width", align="center", stylesheets=[look.sheet(SHORT)]
        )
        self.words.styles = {"min-width": "min(100%, 180px)"}
        self.takes = Div(name=f"{NAME}.takes", align="center", visible=False)
        self.free = self._button("free", "Free all", lambda: self._shown and self._shown.free())
        self.link = self._button("link", "Take all again", lambda: self._shown and self._shown.link())
        self.said = Div(name=f"{NAME}.said", visible=False, sizing_mode="stretch_width")
        self.file = FileLine(f"{NAME}.file", "path of a system file", self._open)
        # until it is unfolded there is this one part in it, which takes what is dropped anywhere
        self.body = column(self.file.root, name=f"{NAME}.body", visible=False, sizing_mode="stretch_width", spacing=8)
        self._text = ColumnDataSource({"text": [""]}, name=f"{NAME}.text")
        self.root = column(
            row(
                *(self.toggle, self.words, self.takes, self.free, self.link),
                sizing_mode="stretch_width",
                spacing=8,
                styles={"flex-wrap": "wrap"},
            ),
            self.said,
            self.body,
            name=NAME,
            sizing_mode="stretch_width",
            styles={**CARD, "margin-bottom": "6px"},
        )
        self.taker = Taker(".toml", "", "", self.file.input.name or "", IS_A_SYSTEM)
        mine.follow(self._follow)
        frame.on_made(self._have_made)
        frame.on_gone(self._have_gone)
        frame.on_open(lambda address, setting: self._have_opened(address))
        self._tell()

    def show_units(self, shown: units.Shown) -> None:
        """Write the system in these units from now on."""
        if shown != self._shown_units:
            self._shown_units = shown
            for item in self._controls.values():
                item.show_units(shown)
            self._tell()

    def controls(self) -> Iterable[Control]:
        """Its controls, as far as they are built."""
        return self._controls.values()

    def _have_made(self, page: object) -> None:
        if isinstance(page, StudyPage):
            self._linked[page.study.name] = LinkedInputs(page, self.mine, self._say)

    def _have_gone(self, page: StudyPage) -> None:
        del self._linked[page.study.name]

    def _have_opened(self, address: str) -> None:
        """What is open follows; the others follow when they are opened, so that nothing is computed unseen."""
        self._shown = self._linked.get(address.rpartition("/")[2])
        with together(self.document):
            self._say("")
            if self._shown:
                self._shown.follow()
            self._tell_taken()

    def _follow(self) -> None:
        with together(self.document):
            self._say("")  # it was of what is no more
            if self._shown:
                self._shown.follow()
            self._tell()

    def _tell(self) -> None:
        mine = self.mine.system
        with units.shown_in(self._shown_units):
            style.change(self.words, text=_in_words(mine))
        self._text.data = {"text": ["" if mine is None else system.text(mine)]}
        self._tell_taken()
        if self._controls:
            self._show(mine or System())

    def _tell_taken(self) -> None:
        linked = self._shown.linked if self._shown and self.mine.system else ()
        freed = self._shown.freed if self._shown else ()
        count = f"{len(linked)} input{'s' if len(linked) != 1 else ''}"
        text = f'<span role="status">This question takes {count}{f", {len(freed)} free" if freed else ""}.</span>'
        style.change(self.takes, text=text, visible=bool(linked or freed))
        style.change(self.free, visible=bool(linked))
        style.change(self.link, visible=bool(freed))

    def _say(self, sentence: str) -> None:
        text = f'<div role="status" style="color:var(--muted)">{escape(sentence)}</div>' if sentence else ""
        style.change(self.said, text=text, visible=bool(sentence))

    def _complain(self, error: ModelError) -> None:
        style.change(self.said, text=look.complaint(str(error)), visible=True)

    def _unfold(self, unfolded: bool) -> None:
        with together(self.document):
            style.change(self.toggle, label=UNFOLDED if unfolded else FOLDED)
            if unfolded and not self._controls:
                self._build()
            style.change(self.body, visible=unfolded)

    def _build(self) -> None:
        self._controls = {path: control(NAME, path, line.field, self._entered) for path, line in LINES.items()}
        for item in self._controls.values():
            item.show_units(self._shown_units)
        options: list[Any] = [(NO_EXAMPLE, "an example …"), *((name, name) for name in examples())]
        self.example = Select(
            name=f"{NAME}.example", title="Start from", options=options, value=NO_EXAMPLE, stylesheets=[look.sheet()]
        )
        self.example.on_change("value", lambda attr, old, new: self._take_example(new))
        save = Button(label="Save as system.toml", name=f"{NAME}.save", align="end", stylesheets=[look.sheet()])
        save.js_on_click(saving_text(self._text, "system.toml", "application/toml"))
        forget = self._button("forget", "Forget it", lambda: self.mine.put(None), visible=True)
        forget.align = "end"
        self.example.width = self.file.root.width = WIDTH
        self.file.root.styles = {"min-width": f"min(100%, {WIDTH}px)"}
        actions = row(self.example, self.file.root, save, forget, spacing=18, styles={"flex-wrap": "wrap"})
        parts = [
            column(_heading(title), *(self._controls[line.path].root for line in lines), width=WIDTH, spacing=8)
            for title, lines in SECTIONS.items()
        ]
        style.change(self.body, children=[actions, row(*parts, spacing=18, styles={"flex-wrap": "wrap"})])
        self._show(self.mine.system or System())

    def _show(self, mine: System) -> None:
        """The controls as a system says them."""
        self._setting = True
        try:
            for path, item in self._controls.items():
                line = LINES[path]
                style.change(item.root, visible=line.applies(mine))
                value = self._values[path] = line.value(mine)
                if item.value != value:
                    item.value = value
        finally:
            self._setting = False

    def _entered(self) -> None:
        """What differs from what was shown was entered. What breaks a rule is said, and stays to be mended."""
        if self._setting or not self._values:
            return
        found = self.mine.system or System()
        entered = {path: item.value for path, item in self._controls.items() if item.value != self._values[path]}
        try:
            for path, value in entered.items():
                found = LINES[path].put(found, value)
        except ModelError as error:
            self._complain(error)
            return
        if entered:
            self._say("")
            self.mine.put(found)

    def _take_example(self, name: str) -> None:
        if name in examples():
            self._say("")
            self.mine.put(examples()[name])
            style.change(self.example, value=NO_EXAMPLE)

    def _open(self) -> None:
        if not self.file.input.value.strip():
            return
        try:
            found = system.read(self.file.value)
        except ModelError as error:
            self._complain(error)
            return
        self.mine.put(found)
        self._say(f"Opened {self.file.input.value.strip()}.")  # behind what the change takes back

    def _button(self, name: str, label: str, action, *, visible: bool = False) -> Button:
        made = Button(label=label, name=f"{NAME}.{name}", visible=visible, stylesheets=[look.sheet()])
        made.on_click(action)
        return made


def _heading(title: str) -> Div:
    return Div(text=f'<h2 style="font-size:14px;margin:2px 0">{escape(title)}</h2>')


def _in_words(mine: System | None) -> str:
    if mine is None:
        return f'<span style="color:var(--muted)">{escape(NONE_YET)}</span>'
    parts: Mapping[str, str] = words(mine)
    said = " · ".join(
        f'<span style="color:var(--muted)">{escape(title)}</span> {escape(text)}' for title, text in parts.items()
    )
    return f"<b>{escape(mine.name)}</b>: {said}"
