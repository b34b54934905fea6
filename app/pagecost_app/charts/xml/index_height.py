"""The chart of the study `index_height`: levels over database size, a panel for each mapping, a line per page size."""

import numpy as np
from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, Range1d

from pagecost.studies.xml.index_height import Inputs
from pagecost.studies.xml.xml_fields import MAPPING_TITLES
from pagecost.units import format_bytes
from pagecost.xmlstore import MAPPINGS
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import LegendStrip, plain_figure, replace

LEVELS = 4  # shown at least
APART = 0.07  # levels between two lines that would lie on each other
STATED = {"x": [1e7, 1e9, 1e9], "y": [2, 3, 4]}  # schmidt2009 section 6.1: 2 at 10 MB, 3 or 4 at 1000 MB
TOOLTIPS = [("page size", "@page"), ("database", "@size"), ("index levels", "@height"), ("found", "@way")]


class Chart(StudyChart[Inputs]):
    """A panel per mapping with a line per page size."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("index_height.legend")
        self.panels = {mapping: Panel(mapping) for mapping in MAPPINGS}
        self.place(self.legend, tuple(self.panels.values()))
        self.recolour(False)

    def update(self, inputs: Inputs, result) -> None:
        self.legend.show([f"pages of {format_bytes(size)}" for size in inputs.page_sizes])
        for mapping, panel in self.panels.items():
            style.change(panel.figure, visible=mapping in inputs.mappings)
            panel.show(inputs.page_sizes, result, mapping)


def _range(heights) -> str:
    low, high = heights.min(), heights.max()
    return f"{low}" if low == high else f"{low} to {high}"


class Panel:
    """One mapping: the formula as stairs, loaded databases as filled markers, what the paper states as rings."""

    def __init__(self, mapping: str):
        self.figure = plain_figure(
            f"index_height.{mapping}",
            MAPPING_TITLES[mapping],
            "",
            "",
            height=360,
            x_axis_type="log",
            y_range=Range1d(start=-0.3, end=LEVELS + 0.4),
        )
        self.figure.xaxis.formatter = style.prefixed("B")
        self.figure.yaxis.ticker = FixedTicker(ticks=list(range(12)))
        self.stairs, self.points = [], []
        for number in range(style.SLOTS):
            source, loaded = ColumnDataSource({"x": [], "y": []}), ColumnDataSource({"x": [], "y": []})
            look = {"line_color": style.LIGHT_COLOURS[number]}
            dash = style.DASHES[number]
            line = self.figure.step("x", "y", mode="after", source=source, line_width=2, line_dash=dash, **look)
            fill = {"fill_color": style.LIGHT_COLOURS[number]}
            point = self.figure.scatter("x", "y", source=loaded, size=8, marker=style.MARKERS[number], **look, **fill)
            self.stairs.append(line)
            self.points.append(point)
        self.stated = self.figure.scatter(
            "x", "y", source=ColumnDataSource(STATED), size=17, fill_color=None, line_width=2, marker="circle"
        )
        self.figure.add_tools(HoverTool(tooltips=TOOLTIPS, renderers=[*self.stairs, *self.points]))

    def show(self, page_sizes: tuple[int, ...], result, mapping: str) -> None:
        """Fill the slots of these page sizes and empty the others; the paper's rings stand where it had 4 KiB."""
        style.label(self.figure.xaxis[0], result.columns["plain_bytes"], ticks=False)
        style.label(self.figure.yaxis[0], result.columns["height"], ticks=False)
        for number in range(style.SLOTS):
            for way, drawn in (("formula", self.stairs), ("loaded", self.points)):
                rows = np.array([], int)
                if number < len(page_sizes):
                    rows = result.rows(way=way, mapping=mapping, page_bytes=page_sizes[number])
                columns = {
                    "x": result["plain_bytes"][rows],
                    "y": result["height"][rows] + APART * (number - (len(page_sizes) - 1) / 2),
                    "page": [result.cell("page_bytes", row) for row in rows],
                    "size": [result.cell("plain_bytes", row) for row in rows],
                    "height": result["height"][rows],
                    "way": [result.cell("way", row) for row in rows],
                }
                replace(drawn[number].data_source, columns)
        style.change(self.stated, visible=4096 in page_sizes)
        style.change(self.figure.y_range, end=max(LEVELS, int(result["height"].max())) + 0.4)

    def recolour(self, dark: bool) -> None:
        self.stated.glyph.line_color = style.shades(dark)["muted"]
        for number, colour in enumerate(style.colours(dark)):
            self.stairs[number].glyph.line_color = colour
            self.points[number].glyph.line_color = self.points[number].glyph.fill_color = colour
