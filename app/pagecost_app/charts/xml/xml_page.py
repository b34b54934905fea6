"""The chart of the study `xml_page`: a map of one page, every byte in the colour of its cause."""

from typing import Any

import numpy as np
from bokeh.core.properties import value
from bokeh.layouts import column
from bokeh.models import ColumnDataSource, HoverTool, Range1d, SaveTool
from bokeh.models.annotations import Legend, LegendItem
from bokeh.plotting import figure

from pagecost.studies.xml.xml_page import Inputs
from pagecost.units import grouped
from pagecost.xmlstore import CAUSES, MAPPINGS
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import replace

LINES = 64  # of a map; a line of a 4 KiB page has 64 bytes
TOOLTIPS = [
    ("", "@what"),
    ("bytes", "@at … @end (@bytes)"),
    ("record", "@record_text"),
    ("label", "@label"),
    ("of it as before", "@shared_bytes bytes"),
    ("path", "@path"),
    ("value", "@value"),
]
HATCHES = {"slot_bytes": "right_diagonal_line", "value_bytes": " ", "slack_bytes": "dot"}


class Chart(StudyChart[Inputs]):
    """The bytes of a page in lines, each in the colour of its cause."""

    def __init__(self):
        super().__init__()
        self.figure = figure(
            name="xml_page.map",
            title="",
            x_axis_label="byte of the line",
            y_axis_label="first byte of the line",
            x_range=Range1d(start=0, end=64),
            y_range=Range1d(start=LINES, end=0),
            height=640,
            sizing_mode="stretch_width",
            tools="",
        )
        self.figure.add_tools(SaveTool(filename="xml_page"))
        style.keep_words_whole(self.figure)
        self.figure.toolbar.logo = None
        self.figure.toolbar.autohide = True
        self.figure.grid.visible = False
        self.quads: dict[str, Any] = {}  # of renderers Bokeh's types do not know what they hold
        for cause in CAUSES:
            source = ColumnDataSource(_none(), name=f"xml_page.{cause}")
            self.quads[cause] = self.figure.quad(
                left="left",
                right="right",
                top="top",
                bottom="bottom",
                source=source,
                hatch_pattern=HATCHES.get(cause),
                hatch_alpha=0.35,
                hatch_scale=6,
                line_width=0.8,
            )
        self.figure.add_tools(HoverTool(renderers=list(self.quads.values()), tooltips=TOOLTIPS))
        self.items = {
            cause: LegendItem(label=value(words), renderers=[self.quads[cause]]) for cause, words in CAUSES.items()
        }
        legend = Legend(
            items=list(self.items.values()),
            orientation="horizontal",
            location="left",
            padding=2,  # type: ignore[arg-type]  # Bokeh takes pixels
            spacing=14,
        )
        self.figure.add_layout(legend, "below")
        style.keep_legend_whole(self.figure, legend)
        self.root = column(self.figure, sizing_mode="stretch_width")
        self.recolour(False)

    def update(self, inputs: Inputs, result) -> None:
        size = int(result["bytes"].sum())
        width = size // LINES
        style.change(self.figure.x_range, end=width)
        style.only_ticks_at(self.figure.xaxis[0], list(range(0, width + 1, width // 4)))
        style.ticks_at(self.figure.yaxis[0], {line: grouped(line * width) for line in range(0, LINES, 8)})
        title = f"What is in a page of {grouped(size)} bytes? ({MAPPINGS[inputs.mapping].title})"
        style.change(self.figure.title, text=title)
        for cause, quad in self.quads.items():
            rows = result.rows(cause=cause)
            replace(quad.data_source, _runs(result, rows, width))
            words = f"{CAUSES[cause]}: {result['bytes'][rows].sum() / size:.0%}"
            style.change(self.items[cause], label=value(words))

    def recolour(self, dark: bool) -> None:
        ground, ink = style.shades(dark)["ground"], style.shades(dark)["ink"]
        colours = dict(zip(CAUSES, style.stack_colours(dark), strict=False))
        for cause, quad in self.quads.items():
            style.change(quad.glyph, fill_color=colours[cause], line_color=ground, hatch_color=ink)


def _none() -> dict:
    names = ("left", "right", "top", "bottom", "what", "at", "end", "bytes", "record_text", "label", "path", "value")
    return {name: [] for name in (*names, "shared_bytes")}


_NOTHING = {"label": "", "path": "", "value": "", "shared_bytes": 0}  # what header, slots and unused bytes have


def _by_record(result, name: str) -> dict[int, dict]:
    """Number of a record -> its columns in a table, where there is one."""
    if name not in result.tables:
        return {}
    table = result.tables[name].arrays()
    numbers = table.pop("record")
    return {number: dict(zip(table, each, strict=True)) for number, *each in zip(numbers, *table.values(), strict=True)}


def _runs(result, rows: np.ndarray, width: int) -> dict:
    """Rectangles of some rows, cut where a line of the map ends."""
    found = _none()
    records, values = (_by_record(result, name) for name in ("records", "values"))
    for row in rows:
        at, end = int(result["at"][row]), int(result["at"][row] + result["bytes"][row])
        about = {
            "what": CAUSES[result["cause"][row]],
            "at": at,
            "end": end - 1,
            "bytes": end - at,
            "record_text": str(result["record"][row] or "none"),
            **_NOTHING,
            **records.get(result["record"][row], {}),
            **values.get(result["record"][row], {}),
        }
        while at < end:
            line = at // width
            until = min(end, (line + 1) * width)
            place = {"left": at - line * width, "right": until - line * width, "top": line, "bottom": line + 1}
            for name, item in {**about, **place}.items():
                found[name].append(item)
            at = until
    return found
