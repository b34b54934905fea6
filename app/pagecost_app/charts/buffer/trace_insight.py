"""The charts of the study `trace_insight`: how a trace grows, how large its working set is, how skewed, how orderly."""

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, NumeralTickFormatter, Range1d

from pagecost.studies.buffer.trace_insight import Inputs, values
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import SeriesFigure, Slot, named_rows, no_data
from pagecost_app.charts.words import beside

HEIGHT = 270


class Chart(StudyChart[Inputs]):
    """Four curves of a trace, its runs of pages in a row, and its kinds of write."""

    def __init__(self):
        super().__init__()
        self.growth = SeriesFigure(
            "trace_insight.growth",
            "Does it keep touching new pages?",
            "",
            "",
            [("after", "@x{0,0} references"), ("pages", "@y{0,0}"), ("writes so far", "@share{0.0 %}")],
            look=_small_points,
            height=HEIGHT,
        )
        self.window = SeriesFigure(
            "trace_insight.window",
            "How large is the working set?",
            "",
            "",
            [("window", "@x{0,0} references"), ("pages", "@y{0,0.0}"), ("of all", "@share{0.0 %}")],
            x_axis_type="log",
            y_axis_type="log",
            look=_small_points,
            height=HEIGHT,
        )
        self.rank = SeriesFigure(
            "trace_insight.rank",
            "How skewed is it?",
            "",
            "",
            [("rank", "@x{0,0}"), ("references", "@y{0,0.0}"), ("pages up to it get", "@share{0.0 %}")],
            x_axis_type="log",
            y_axis_type="log",
            look=_law_without_points,
            height=HEIGHT,
        )
        self.interval = SeriesFigure(
            "trace_insight.interval",
            "How soon does a page come back?",
            "",
            "",
            [("within", "@x{0,0} references"), ("come back", "@y{0.0 %}"), ("in this bar of time", "@count{0,0}")],
            x_axis_type="log",
            y_range=Range1d(start=0, end=1),
            look=_small_points,
            height=HEIGHT,
        )
        self.interval.figure.yaxis.formatter = NumeralTickFormatter(format="0 %")
        for series in (self.growth, self.window, self.rank):
            series.figure.yaxis.formatter = style.prefixed("")
        for series in (self.growth, self.window, self.rank, self.interval):
            series.figure.xaxis.formatter = style.prefixed("")
        self.run = Bars("trace_insight.run", "Does it run in order?", 0)
        self.kind = Bars("trace_insight.kind", "What does it write?", 2)
        self.place((self.growth, self.window), (self.rank, self.interval), (self.run, self.kind))

    def update(self, inputs: Inputs, result) -> None:
        tables = result.tables
        self.growth.show(0, _points(result.main, "references", "distinct_pages", "write_share"))
        self.window.show(0, _points(tables["window"], "references", "pages", "share"))
        rank = _points(tables["rank"], "rank", "references", "share")
        self.rank.show(0, rank)
        self.rank.show(1, {**rank, "y": tables["rank"]["fit"]} if len(tables["rank"]) > 2 else no_data())
        exponent = values(result)["zipf_exponent"]
        style.change(self.rank.figure.title, text=f"How skewed is it? Zipf exponent {exponent:.2f} (dashed)")
        back = tables["interval"]
        shown = {"x": back["references"], "y": back["share"], "count": back["count"]}
        self.interval.show(0, shown if len(back) else no_data())
        run, kind = tables["run"], tables["kind"]
        self.run.show(run["pages_in_a_row"].tolist(), run["share"], run["references"])
        self.kind.show(kind["kind"].tolist(), kind["share"], kind["count"])
        for made, table, x, y in (
            (self.growth, result.main, "references", "distinct_pages"),
            (self.window, tables["window"], "references", "pages"),
            (self.rank, tables["rank"], "rank", "references"),
            (self.interval, back, "references", "share"),
            (self.run, run, "share", "pages_in_a_row"),
            (self.kind, kind, "share", "kind"),
        ):
            style.name_axes(made.figure, table.columns[x], table.columns[y])


class Bars:
    """Horizontal bars of shares, with the share written at the end."""

    def __init__(self, name: str, title: str, colour: int):
        self.colour = colour
        self.source = ColumnDataSource({"name": [], "share": [], "count": [], "text": []}, name=name)
        self.figure = named_rows(name, title, HEIGHT, x_range=Range1d(start=0, end=1.15))
        self.range = self.figure.y_range
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


def _small_points(number: int, slot: Slot) -> None:
    slot.points.glyph.size = 4  # many points; larger ones would run into each other


def _law_without_points(number: int, slot: Slot) -> None:
    _small_points(number, slot)
    slot.points.visible = number != 1  # a law, not a count


def _points(table, x: str, y: str, share: str) -> dict:
    return {"x": table[x], "y": table[y], "share": table[share]}
