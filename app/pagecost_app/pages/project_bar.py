"""The bar of the project: new, open, save, back and forth, and what to do with the answer that is open."""

import html
from collections.abc import Callable
from pathlib import Path

from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, CustomJS
from bokeh.models.widgets import Button, Div, TextInput, Toggle

from pagecost.errors import ModelError
from pagecost_app import answer_report, asking, uploads
from pagecost_app.charts import style
from pagecost_app.pages.changes import deliver, deliver_when_still, together
from pagecost_app.pages.file_line import FileLine, TextLine
from pagecost_app.pages.handing_over import HandingOver
from pagecost_app.pages.look import STRIP, complaint, sheet
from pagecost_app.pages.project import Project
from pagecost_app.workspace import project_file
from pagecost_app.workspace.autosave import Leftover
from pagecost_app.workspace.project_file import ENDING
from pagecost_app.workspace.workspace import Occupied

# Outside of text fields, which have their own way back
KEYS = """
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return
  const key = event.key.toLowerCase(), at = event.composedPath()[0]
  const typing = at.matches?.("textarea, [contenteditable], input:not([type=range]):not([type=button])")
  const back = {z: event.shiftKey ? "redo" : "undo", y: "redo"}
  const what = key === "s" ? "save" : typing ? "" : back[key]
  const wish = Bokeh.documents[0].get_model_by_name("project.wish")
  if (!what || !wish) return
  event.preventDefault()
  wish.value = what + " " + Date.now()
})
"""
COPY = """
const text = source.data.text[0].replace("ADDRESS", () => location.origin + location.pathname)
if (text) navigator.clipboard?.writeText(text).catch(() => {})
"""
PLANS = "storage_plan"  # the question whose answer is a plan, which has a report of its own
COPY_GIVEN = (
    "A copy, {}, went to the browser's downloads; the browser does not tell whether it was kept. "
    "Save as … writes a file that Save then writes again."
)
LINE = {"flex-wrap": "wrap", "align-items": "center", "gap": "4px"}
STATE_WIDTH = 220


class ProjectBar:
    """`root` is the layout, across every page; `scripts` are run once by the document; `files` hands files over."""

    def __init__(self, project: Project):
        self.project = project
        self.left: list[Leftover] = []
        self.state = Div(name="project.state", min_width=STATE_WIDTH, sizing_mode="stretch_width")
        self.message = Div(name="project.message", visible=False, sizing_mode="stretch_width")
        self.files = HandingOver(project.frame.document)
        self.clipboard = ColumnDataSource({"text": [""]}, name="project.clipboard")
        self.clipboard.js_on_change("data", CustomJS(args={"source": self.clipboard}, code=COPY))
        self.wish = TextInput(name="project.wish", visible=False)
        self.wish.on_change("value", lambda attr, old, new: self._wished(new.partition(" ")[0]))
        self.new = self._button("new", "New", self._new)
        self.opens = Toggle(label="Open …", name="project.opens", stylesheets=[sheet()])
        self.save = self._button("save", "Save", self._save)
        self.saves_as = Toggle(label="Save as …", name="project.saves_as", stylesheets=[sheet()])
        self.undo = self._button("undo", "Undo", self._undo, disabled=True)
        self.redo = self._button("redo", "Redo", self._redo, disabled=True)
        self.keep = self._button("keep", "Keep this answer", self._keep)
        self.link = self._button("link", "Copy link", self._copy_link)
        self.command = self._button("command", "Copy command", self._copy_command)
        self.open_line = FileLine("project.file", f"path of a project ({ENDING})", self._open)
        self.save_line = TextLine("project.save_path", f"path of a file, such as ~/mine{ENDING}", self._save_as)
        self.open_place = column(self.open_line.root, visible=False, max_width=760, sizing_mode="stretch_width")
        self.save_place = column(
            self.save_line.root, name="project.save_place", visible=False, max_width=760, sizing_mode="stretch_width"
        )
        self.occupied: Path | None = None  # the file that the user is asked about
        self.occupied_words = Div(name="project.occupied")
        replace = self._button("replace", "Replace it", self._replace)
        leave = self._button("replace_not", "Leave it", lambda: None)
        self.replaces = row(self.occupied_words, replace, leave, name="project.replaces", visible=False, styles=LINE)
        self.opens.on_change("active", lambda attr, old, new: style.change(self.open_place, visible=new))
        self.saves_as.on_change("active", lambda attr, old, new: self._ask_where(new))
        self.go_on = self._button("go_on", "Go on with it", self._go_on)
        self.forget = self._button("forget", "Forget it", self._forget)
        self.left_words = Div(name="project.left")
        self.left_place = row(
            self.left_words, self.go_on, self.forget, name="project.left_place", visible=False, styles=LINE
        )
        buttons = [self.new, self.opens, self.save, self.saves_as, self.undo, self.redo]
        self.plan_report = self._button("plan_report", "Report of the plan", self._save_plan_report, visible=False)
        report = self._button("report", "Report", self._save_report)
        about = [self.keep, self.link, self.command, report, self.plan_report]
        self.root = column(
            row(
                *buttons,
                Div(text="", width=12),
                *about,
                self.state,
                self.wish,
                styles=LINE,
                stylesheets=[sheet(STRIP)],
                sizing_mode="stretch_width",
            ),
            self.open_place,
            self.save_place,
            self.replaces,
            self.left_place,
            self.message,
            name="project",
            sizing_mode="stretch_width",
            spacing=2,
        )
        self.root.tags = [self.files.source, self.clipboard]  # so that they are part of the document
        self.scripts = (CustomJS(code=KEYS),)
        project.said.append(self.say)
        self._changes = 0
        self._wrong = ""  # the last complaint, as it is shown
        project.workspace.on_change(self._follow)
        project.find_leftovers(self._offer)
        self._show()

    def say(self, sentence: str | None) -> None:
        """Say in one sentence what is wrong; None: that is no longer so, and what was said since stays."""
        if sentence:
            self._wrong = complaint(sentence)
            style.change(self.message, text=self._wrong, visible=True)
        elif self.message.text == self._wrong:
            style.change(self.message, text="", visible=False)

    def _note(self, words: str, code: str = "") -> None:
        quoted = f" <code style='user-select:all;overflow-wrap:anywhere'>{html.escape(code)}</code>" if code else ""
        text = f'<div role="status" style="color:var(--muted)">{html.escape(words)}{quoted}</div>'
        style.change(self.message, text=text, visible=True)

    def _button(self, name: str, label: str, action: Callable[[], object], **more) -> Button:
        made = Button(label=label, name=f"project.{name}", stylesheets=[sheet()], **more)
        made.on_click(lambda: self._try(action))
        return made

    def _try(self, action: Callable[[], object]) -> None:
        """Do something; what is refused is said, and nothing of what was set is lost."""
        try:
            with together(self.project.frame.document):
                style.change(self.message, visible=False, text="")
                style.change(self.replaces, visible=False)
                action()
        except Occupied as error:
            self._ask_for(error)
        except ModelError as error:  # of what was pressed, so that nothing else takes it back
            style.change(self.message, text=complaint(str(error)), visible=True)

    def _wished(self, what: str) -> None:
        actions = {"undo": self._undo, "redo": self._redo, "save": self._save}
        if what in actions:
            self._try(actions[what])

    def _follow(self) -> None:
        """Say how the project stands; while a slider moves its chart goes first."""
        self._changes += 1
        if self.project.is_moving:
            change, document = self._changes, self.project.frame.document
            deliver_when_still(document, lambda: self._show() if change == self._changes else None)
        else:
            self._show()

    def _show(self) -> None:
        """Say how the project stands."""
        workspace = self.project.workspace
        if workspace.is_saved:
            kept = "" if workspace.is_untouched and not workspace.path else "all saved"
        else:
            kept = "not saved in a file yet"
        style.change(self.plan_report, visible=self.project.question == PLANS)
        where = f" · {workspace.path}" if workspace.path else ""
        named = "" if workspace.is_untouched and not workspace.path else f"{workspace.name}{where} · "
        words = html.escape(f"{named}{kept}")
        style.change(self.state, text=f'<span role="status" style="color:var(--muted)">{words}</span>')
        style.change(self.state, min_width=STATE_WIDTH if words else 0)  # no room for nothing, not to begin a line
        for button, told, verb in ((self.undo, workspace.undoes, "Undo"), (self.redo, workspace.redoes, "Redo")):
            style.change(button, disabled=told is None)
            style.change(button, html_attributes={"title": f"{verb}: {told}" if told else verb})

    def _undo(self) -> None:
        told = self.project.workspace.undoes
        self.project.undo()
        if told:
            self._note(f"Taken back: {told}.")

    def _redo(self) -> None:
        told = self.project.workspace.redoes
        self.project.redo()
        if told:
            self._note(f"Made again: {told}.")

    def _new(self) -> None:
        self.project.workspace.new()
        self._note("A new project. Undo leads back to the one before.")

    def open_at_start(self, path: Path) -> None:
        """Open a project's file that the app was started with."""
        self._try(lambda: self._open_file(str(path)))

    def _open(self) -> None:
        shown = self.open_line.input.value.strip()
        if shown:
            self._try(lambda: self._open_file(shown))

    def _open_file(self, shown: str) -> None:
        path = project_file.place(uploads.path_of(shown))
        is_copy = str(path) != str(project_file.place(shown))
        style.change(self.open_line.input, value="")
        self.opens.active = False
        self.project.workspace.open(path, owned=not is_copy)
        self._note(f"Opened {shown}.")

    def _save(self) -> None:
        workspace = self.project.workspace
        if workspace.path:
            self._note(f"Saved in {workspace.save()}.")
        elif asking.is_there():
            self._ask_in_window()
        else:
            name = f"{workspace.name}{ENDING}"
            self.files.give(name, workspace.as_download().decode(), "application/json")
            self._note(COPY_GIVEN.format(name))

    def _ask_where(self, asked: bool) -> None:
        """Have the place of a file written or chosen."""
        style.change(self.replaces, visible=False)
        if asked and asking.is_there():
            self.saves_as.active = False
            self._ask_in_window()
        else:
            style.change(self.save_place, visible=asked)

    def _ask_in_window(self) -> None:
        def found(path: Path | None) -> None:
            deliver(self.project.frame.document, lambda: self._place_found(path))

        asking.save_as(f"{self.project.workspace.name}{ENDING}", found)

    def _place_found(self, path: Path | None) -> None:
        if path:
            self._try(lambda: self._save_in(path, replaced=path))  # the window has asked
        else:
            self._note("Not saved: no file was chosen.")

    def _save_as(self) -> None:
        text = self.save_line.value
        if text:
            self._try(lambda: self._save_in(project_file.place(text)))

    def _ask_for(self, occupied: Occupied) -> None:
        """Ask whether the file that stands in the way is to be replaced."""
        self.occupied = occupied.path
        style.change(self.occupied_words, text=complaint(str(occupied)))
        style.change(self.replaces, visible=True)

    def _replace(self) -> None:
        if self.occupied:
            self._save_in(self.occupied, replaced=self.occupied)

    def _save_in(self, path: Path, replaced: Path | None = None) -> None:
        saved = self.project.workspace.save(path, replaced=replaced)
        style.change(self.save_line.input, value="")
        self.saves_as.active = False
        self._note(f"Saved in {saved}.")

    def _keep(self) -> None:
        kept = self.project.answers.keep(self.project.answer())
        self._note(f"Kept: {kept.name}. The page Compare sets kept answers side by side.")

    def _copy_link(self) -> None:
        link = self.project.setting().link()
        self.clipboard.data = {"text": [f"ADDRESS{link}"]}
        self._note("Copied; it opens this setting in the running program, behind its address:", link)

    def _copy_command(self) -> None:
        line = self.project.setting().command()
        self.clipboard.data = {"text": [line]}
        self._note("Copied:", line)

    def _save_report(self) -> None:
        answer = self.project.answer()
        self.files.report(f"{answer.study}.html", lambda: answer_report.of_answer(answer), self.message)

    def _save_plan_report(self) -> None:
        inputs = self.project.answer().inputs

        def page() -> str:
            from pagecost_app import plan_report  # late: with the chart of plans, which few sessions draw

            return plan_report.of_inputs(inputs)

        self.files.report("plan.html", page, self.message)

    def _offer(self, left: list[Leftover]) -> None:
        """Offer what an earlier session left, the newest first."""
        self.left = left
        style.change(self.left_place, visible=bool(left))
        if not left:
            return
        first = left[0]
        if first.project:
            words = f"{first.project.name}, last changed {first.when}, was not saved when pagecost ended."
        else:
            words = first.problem
        style.change(self.go_on, disabled=first.project is None)
        style.change(self.left_words, text=f'<span role="status">{html.escape(words)}</span>')

    def _go_on(self) -> None:
        first, *others = self.left
        self._offer([])
        self.left = others
        self.project.workspace.recover(first)
        self._note("It is as it was left. Undo leads back to what was here before.")

    def _forget(self) -> None:
        first, *others = self.left
        first.forget()
        self._offer(others)
