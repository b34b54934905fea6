"""A file that is dropped beside every line that takes files: it is led to the page that reads its kind."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from bokeh.models import CustomJS

from pagecost import studies
from pagecost.studies.fields import FilePath, kind_of
from pagecost_app.pages import import_page
from pagecost_app.pages.contents import address_of, title_with

XML = "XML document"  # as the field that takes one says


class Taker(NamedTuple):
    """Which files go to the line of that name on the page at that address, "" where it is on every page.

    ending: of their names, such as ".xml". begins: with what they begin, behind blanks, whatever their name; "" where
    that says nothing. has: a pattern (JavaScript's, line by line) in those of that ending that go there, if not all do.
    """

    ending: str
    begins: str
    address: str
    line: str
    has: str = ""


def takers() -> list[Taker]:
    """Of the kinds that the page Import does not read."""
    for name in (name for names in studies.TOPICS.values() for name in names):
        for field_name, field in studies.find(name).Inputs.model_fields.items():
            kind = kind_of(field)
            if isinstance(kind, FilePath) and kind.of == XML:
                return [Taker(".xml", "<", address_of(title_with(name), name), f"{name}.{field_name}")]
    return []


# What a browser says of a file is its name alone; its first letters are read where the name does not say enough
SCRIPT = """
const line_of = async (file) => {
  const name = file.name.toLowerCase()
  const head = (await file.slice(0, 65536).text()).replace(/^\\uFEFF/, "").trimStart()
  const named = ({ending, has}) => name.endsWith(ending) && (!has || RegExp(has, "m").test(head))
  return takers.find((taker) => named(taker) || (taker.begins && head.startsWith(taker.begins))) ?? otherwise
}
window.pagecost_take_anywhere = async (file) => {
  const {address, line} = await line_of(file)
  if (address) location.hash = address
  window.pagecost_take(file, line)
}
"""
CHOOSE = """
const chooser = document.createElement("input")
chooser.type = "file"
chooser.onchange = () => { if (chooser.files.length) window.pagecost_take_anywhere(chooser.files[0]) }
chooser.click()
"""


def taking_anywhere(more: Sequence[Taker] = ()) -> CustomJS:
    """What a document runs once, when it is ready. more: kinds of files that others take, asked first."""
    otherwise = Taker("", "", address_of(import_page.TITLE), f"{import_page.NAME}.file")
    known = json.dumps([each._asdict() for each in (*more, *takers())])
    code = f"const takers = {known}, otherwise = {json.dumps(otherwise._asdict())}\n{SCRIPT}"
    return CustomJS(code=code)


def choose_file() -> CustomJS:
    """What a button runs that lets people choose a file instead of dropping it."""
    return CustomJS(code=CHOOSE)
