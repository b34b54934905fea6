"""Buttons that save what a question's page shows: the chosen table as CSV, the chart as SVG and PNG."""

from collections.abc import Mapping
from typing import Any

from bokeh.models import ColumnDataSource, CustomJS, LayoutDOM
from bokeh.models.widgets import Button

from pagecost_app import made_with
from pagecost_app.charts.embedding import CAPTIONED
from pagecost_app.pages.look import sheet

SAVE_TEXT = (
    CAPTIONED
    + """
export default ({source, made, name, type}) =>
  saveBlob(new Blob([(made?.data.head[0] ?? "") + source.data.text[0]], {type}), name)
"""
)
SAVE_PICTURE = (
    CAPTIONED
    + """
export default async ({chart, made, name, kind}, obj, data, {index}) =>
  saveBlob(await captioned(index.find_one(chart), {kind, line: made.data.line[0]}), name + "." + kind)
"""
)


class SaveButtons:
    """A button for each kind of file. csv: the text in its column `text`."""

    def __init__(self, name: str, csv: ColumnDataSource, chart: LayoutDOM):
        self._made = ColumnDataSource({"head": [""], "line": [""]}, name=f"{name}.made")
        self.models = [_button(name, "csv", saving_text(csv, f"{name}.csv", "text/csv", self._made))]
        for kind in ("svg", "png"):
            args = {"chart": chart, "made": self._made, "name": name, "kind": kind}
            self.models.append(_button(name, kind, CustomJS(args=args, code=SAVE_PICTURE)))

    def made(self, made: Mapping[str, Any]) -> None:
        """What made that which is shown: it goes into the files."""
        self._made.data = {"head": [made_with.head(made)], "line": [made_with.in_one_line(made)]}


def saving_text(source: ColumnDataSource, name: str, type: str, made: ColumnDataSource | None = None) -> CustomJS:
    """What a button runs to save the text in column `text` of a source as a file of that name and media type.

    made: has the lines that say what made the text in its column `head`; they go before it.
    """
    return CustomJS(args={"source": source, "made": made, "name": name, "type": type}, code=SAVE_TEXT)


def _button(name: str, kind: str, action: CustomJS) -> Button:
    button = Button(label=f"Save {kind.upper()}", name=f"{name}.save_{kind}", stylesheets=[sheet()])
    button.js_on_click(action)
    return button
