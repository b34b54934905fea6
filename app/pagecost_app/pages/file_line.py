"""A line for the path of a file, which also takes a file that is chosen or dropped.

A browser does not tell where a file lies. It hands over the content instead (`pagecost_app.uploads`), as a stream, so
that neither side ever holds the file in memory, and the line shows the name of the copy. Python puts it there: what the
browser holds of a page that is just being left, or is not there yet, reaches nobody.
"""

from collections.abc import Callable

from bokeh.document import Document
from bokeh.layouts import column
from bokeh.models import CustomJS, LayoutDOM
from bokeh.models.widgets import Button, Div, TextInput

from pagecost.units import format_bytes
from pagecost_app import uploads
from pagecost_app.charts import style
from pagecost_app.pages.look import complaint, sheet

# `data-file` on an element names the line that takes what is dropped on it; what is dropped beside goes to `dropping`
TAKE = """
const named = (name) => Bokeh.documents[0].get_model_by_name(name)
const plain = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
window.pagecost_take = (file, line) => {
  const complain = (wrong) => window.pagecost_go({line, wrong})
  if (file.size > limit) {
    const size = (file.size / 1e9).toPrecision(3) + " GB"
    complain(too_large.replace("{name}", () => file.name).replace("{size}", size).replace("{limit}", limit_text))
    return
  }
  const sending = new XMLHttpRequest()
  sending.upload.onprogress = ({loaded, total}) => {
    const note = named(line + ".note")
    if (!note) return
    note.text = `<span role="status">reading ${plain(file.name)} … ${Math.floor(100 * loaded / (total || 1))}%</span>`
    note.visible = true
  }
  sending.onload = () => {
    if (sending.status !== 200) complain(sending.responseText)
    else window.pagecost_go({line, copy: sending.responseText})
  }
  sending.onerror = () => complain(`${file.name} could not be read; a folder must be packed into one file first.`)
  sending.open("PUT", path + "?name=" + encodeURIComponent(file.name))
  sending.send(file)
}
let lit = null
const light = (node) => {
  if (lit !== node && lit) lit.style.outline = ""
  if (node) Object.assign(node.style, {outline: "3px dashed #0072B2", outlineOffset: "-3px"})
  lit = node
}
const target = (event) => event.composedPath().find((node) => node.dataset?.file)
const of_files = (action) => (event) => {
  if (!event.dataTransfer?.types.includes("Files")) return
  event.preventDefault()
  action(event, target(event))
}
document.addEventListener("dragover", of_files((event, at) => {
  event.dataTransfer.dropEffect = "copy"
  light(at ?? document.body)
}))
document.addEventListener("dragleave", () => light(null))
document.addEventListener("drop", of_files((event, at) => {
  light(null)
  const file = event.dataTransfer.files[0]
  if (at && file) window.pagecost_take(file, at.dataset.file)
  else if (file) window.pagecost_take_anywhere(file)
}))
"""
CHOOSE = """
const chooser = document.createElement("input")
chooser.type = "file"
chooser.onchange = () => { if (chooser.files.length) window.pagecost_take(chooser.files[0], name) }
chooser.click()
"""


def taking_files() -> CustomJS:
    """What a document runs once, when it is ready, so that its lines can take files."""
    words = {"too_large": uploads.TOO_LARGE, "limit_text": format_bytes(uploads.LIMIT_BYTES)}
    return CustomJS(args={"path": uploads.PATH, "limit": uploads.LIMIT_BYTES, **words}, code=TAKE)


def takes_files(name: str) -> dict[str, str]:
    """The HTML attributes of an element onto which the file for the line of that name can be dropped."""
    return {"data-file": name}


def take(place: Document | LayoutDOM, name: str, copy: str, wrong: str) -> bool:
    """Let the line of that name take a copy, or say what is wrong. Returns False where there is no such line."""
    line, note = (place.select_one({"name": each}) for each in (name, f"{name}.note"))
    if not isinstance(line, TextInput) or not isinstance(note, Div):
        return False
    style.change(note, text=complaint(wrong) if wrong else "", visible=bool(wrong))
    if copy:
        style.change(line, value=copy)
    return True


class TextLine:
    """A line for text. `root` is what stands on the page, `input` the line, `value` its text without outer spaces."""

    def __init__(self, name: str, placeholder: str, changed: Callable):
        self.input = TextInput(name=name, placeholder=placeholder, sizing_mode="stretch_width", stylesheets=[sheet()])
        self.input.on_change("value", lambda attr, old, new: changed())
        self.root: LayoutDOM = self.input

    @property
    def value(self) -> str:
        return self.input.value.strip()


class FileLine(TextLine):
    """A line for the path of a file, with a button that opens a chooser, and what went wrong.

    A file that was handed over stands there by its name; `value` is the path of the copy.
    """

    def __init__(self, name: str, placeholder: str, changed: Callable):
        super().__init__(name, placeholder, changed)
        self.button = Button(
            label="Choose a file, or drop one here", sizing_mode="stretch_width", stylesheets=[sheet()]
        )
        self.button.js_on_click(CustomJS(args={"name": name}, code=CHOOSE))
        self.note = Div(name=f"{name}.note", visible=False, sizing_mode="stretch_width")
        self.root = column(
            self.input,
            self.button,
            self.note,
            sizing_mode="stretch_width",
            html_attributes=takes_files(name),
        )

    @property
    def value(self) -> str:
        return uploads.path_of(super().value)
