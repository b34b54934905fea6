"""The charts of the study `trace_insight`: how a trace grows, how large its working set is, how skewed, how orderly."""

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, FactorRange, HoverTool, NumeralTickFormatter, Range1d, SaveTool
from bokeh.plotting import figure

from pagecost.studies.buffer.trace_insight import Inputs, totals
from pagecost.studies.shared_fields import grouped
from pagecost_app.charts import style
from pagecost_app.charts.series import SeriesFigure, no_data
from pagecost_app.charts.words import beside

HEIGHT = 270


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="trace_insight.result")
        self.growth = SeriesFigure(
            "trace_insight.growth",
            "Does it keep touching new pages?",
            "references so far",
            "distinct pages so far",
            [("after", "@x{0,0} references"), ("pages", "@y{0,0}"), ("writes so far", "@share{0.0 %}")],
            height=HEIGHT,
        )
        self.window = SeriesFigure(
            "trace_insight.window",
            "How large is the working set?",
            "window, consecutive references",
            "distinct pages in a window, mean",
            [("window", "@x{0,0} references"), ("pages", "@y{0,0.0}"), ("of all", "@share{0.0 %}")],
            x_axis_type="log",
            y_axis_type="log",
            height=HEIGHT,
        )
        self.rank = SeriesFigure(
            "trace_insight.rank",
            "How skewed is it?",
            "page, by rank of popularity",
            "references to the page",
            [("rank", "@x{0,0}"), ("references", "@y{0,0.0}"), ("pages up to it get", "@share{0.0 %}")],
            x_axis_type="log",
            y_axis_type="log",
            height=HEIGHT,
        )
        self.interval = SeriesFigure(
            "trace_insight.interval",
            "How soon does a page come back?",
            "references until the page comes back",
            "share of all references",
            [("within", "@x{0,0} references"), ("come back", "@y{0.0 %}"), ("in this bar of time", "@count{0,0}")],
            x_axis_type="log",
            y_range=Range1d(0, 1),
            height=HEIGHT,
        )
        self.interval.figure.yaxis.formatter = NumeralTickFormatter(format="0 %")
        for series in (self.growth, self.window, self.rank):
            series.figure.yaxis.formatter = style.prefixed("")
        for series in (self.growth, self.window, self.rank, self.interval):
            series.figure.xaxis.formatter = style.prefixed("")
            for slot in series.slots:
                slot.points.glyph.size = 4  # many points; larger ones would run into each other
        self.rank.slots[1].points.visible = False  # a law, not a count
        self.run = Bars("trace_insight.run", "Does it run in order?", "share of the references", "pages in a row", 0)
        self.kind = Bars("trace_insight.kind", "What does it write?", "share of the pages, of the references", "", 2)
        self.root = column(
            row(self.growth.figure, self.window.figure, sizing_mode="stretch_width"),
            row(self.rank.figure, self.interval.figure, sizing_mode="stretch_width"),
            row(self.run.figure, self.kind.figure, sizing_mode="stretch_width"),
            sizing_mode="stretch_width",
        )

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`, which may still be growing."""
        self.result.data = result.arrays()
        total = totals(result)
        self.growth.show(0, _points(result, "growth"))
        self.window.show(0, _points(result, "window"))
        rank = _points(result, "rank")
        self.rank.show(0, rank)
        rows = result.rows(view="rank")
        self.rank.show(1, {**rank, "y": result["fit"][rows]} if rows.size > 2 else no_data())
        style.change(
            self.rank.figure.title,
            text=f"How skewed is it? Zipf exponent {total['Zipf exponent']:.2f} (dashed)",
        )
        rows = result.rows(view="interval")
        back = {"x": result["x"][rows], "y": result["share"][rows], "count": result["value"][rows]}
        self.interval.show(0, back if rows.size else no_data())
        for bars, view in ((self.run, "run"), (self.kind, "kind")):
            rows = result.rows(view=view)
            bars.show(result["label"][rows].tolist(), result["share"][rows], result["value"][rows])

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        total = totals(result)
        half = total["median interval"]
        back = (
            f"half of those that come back do so within {grouped(round(half))} references"
            if half == half
            else "none comes back"
        )
        return (
            f"{total['references']:.0f} references to {total['distinct pages']:.0f} pages, "
            f"{total['writes'] / total['references']:.1%} writes; {back}; Zipf exponent "
            f"{total['Zipf exponent']:.2f}; {total['sequential share']:.1%} go to the next page."
        )

    def recolour(self, dark: bool) -> None:
        for part in (self.growth, self.window, self.rank, self.interval, self.run, self.kind):
            part.recolour(dark)


class Bars:
    """Horizontal bars of shares, with the share written at the end."""

    def __init__(self, name: str, title: str, x_label: str, y_label: str, colour: int):
        self.colour = colour
        self.source = ColumnDataSource({"name": [], "share": [], "count": [], "text": []}, name=name)
        self.range = FactorRange(factors=[])
        self.figure = figure(
            title=title,
            x_axis_label=x_label,
            y_axis_label=y_label,
            y_range=self.range,
            x_range=Range1d(0, 1.15),
            height=HEIGHT,
            sizing_mode="stretch_width",
            tools="",
        )
        self.figure.add_tools(SaveTool(filename=name))
        self.figure.toolbar.logo = None
        self.figure.toolbar.autohide = True
        self.figure.xaxis.formatter = NumeralTickFormatter(format="0 %")
        self.figure.xaxis.ticker = [0, 0.25, 0.5, 0.75, 1]
        self.figure.ygrid.visible = False
        self.bars = self.figure.hbar(
            y="name", right="share", height=0.62, source=self.source, color=style.LIGHT_COLOURS[colour], line_color=None
        )
        self.figure.add_tools(HoverTool(renderers=[self.bars], tooltips=[("@name", "@count{0,0} (@text)")]))
        self.labels = beside(self.figure, self.source, "share")

    def show(self, names: list[str], shares: np.ndarray, counts: np.ndarray) -> None:
        """Draw one bar per name, the first on top."""
        style.change(self.range, factors=list(reversed(names)))
        texts = [f"{share:.1%}" for share in shares]
        self.source.data = {"name": names, "share": shares, "count": counts, "text": texts}

    def recolour(self, dark: bool) -> None:
        self.labels.text_color = style.shades(dark)["ink"]
        self.bars.glyph.fill_color = style.colours(dark)[self.colour]


def _points(result, view: str) -> dict:
    rows = result.rows(view=view)
    if rows.size == 0:
        return no_data()
    return {"x": result["x"][rows], "y": result["value"][rows], "share": result["share"][rows]}
