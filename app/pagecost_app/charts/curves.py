"""Charts of one shape: two figures over the same axis, a line per series, and below one point of each taken apart."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from bokeh.models import NumeralTickFormatter

from pagecost.studies import Result
from pagecost.studies.study import Asked
from pagecost.units import format_cell
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import LegendStrip, SeriesFigure
from pagecost_app.charts.stacked import StackedBars


class Panel(NamedTuple):
    """One of the figures: its name, its question, the column that it draws, and whether its axis is logarithmic."""

    name: str
    title: str
    column: str
    log: bool = False


class CurvesChart(StudyChart[Asked]):
    """A subclass names its axis, panels and terms, and says which series an answer has and where their rows are.

    x: the column of the axis. shares: the axis shows percent. log: it is logarithmic. tips: word of a tooltip
    and its column. stack: column -> what a bar's part is called; stack_label: of their axis, in seconds.
    """

    x: str
    shares = False
    log = True
    panels: tuple[Panel, Panel]
    tips: tuple[tuple[str, str], ...]
    stack: Mapping[str, str]
    stack_label: str
    height = 340

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip(f"{self.name}.legend")
        tooltips = [("", "@series")] + [(word, f"@{column}_said") for word, column in self.tips]
        self.figures: dict[str, SeriesFigure] = {}
        for panel in self.panels:
            axes = {"x_axis_type": "log" if self.log else "linear", "y_axis_type": "log" if panel.log else "linear"}
            made = SeriesFigure(f"{self.name}.{panel.name}", panel.title, "", "", tooltips, height=self.height, **axes)
            if not panel.log:
                made.figure.y_range.start = 0
            if self.shares:
                made.figure.xaxis.formatter = NumeralTickFormatter(format="0 %")
            self.figures[panel.name] = made
        self.terms = StackedBars(f"{self.name}.terms", "", self.stack_label, "s", dict(self.stack), height=300)
        self.place(self.legend, tuple(self.figures.values()), self.terms)

    def series(self, inputs: Asked, result: Result) -> dict[str, np.ndarray]:
        """Name of each series, as the legend says it -> its rows."""
        raise NotImplementedError

    def detail(self, inputs: Asked) -> str:
        """The question of the bars."""
        raise NotImplementedError

    def detail_rows(self, inputs: Asked, result: Result) -> np.ndarray:
        """The rows that are taken apart, in the order of the series."""
        return result.rows(chosen=True)

    def ticks(self, axis, values: list) -> None:
        """Label the x axis; `values`: all that occur."""

    def update(self, inputs: Asked, result: Result) -> None:
        """Draw the answer to `inputs`, which may still be growing."""
        series = self.series(inputs, result)
        self.legend.show(list(series))
        for panel in self.panels:
            made = self.figures[panel.name]
            style.label(made.figure.xaxis[0], result.columns[self.x], ticks=False)
            style.label(made.figure.yaxis[0], result.columns[panel.column])
            self.ticks(made.figure.xaxis[0], sorted(set(result[self.x].tolist())))
            made.show_all(self._line(result, name, rows, panel.column) for name, rows in series.items())
        rows = self.detail_rows(inputs, result)
        style.change(self.terms.figure.title, text=self.detail(inputs))
        style.change(self.terms.figure, height=150 + 30 * max(len(rows), 1))
        owner = {row: name for name, of in series.items() for row in of.tolist()}
        values = {term: result[term][rows] for term in self.stack}
        self.terms.show([owner[row] for row in rows.tolist()], values, lambda time_s: format_cell(time_s, "s"))

    def _line(self, result: Result, name: str, rows: np.ndarray, drawn: str) -> dict:
        said = {f"{each}_said": [result.cell(each, row) for row in rows] for _, each in self.tips}
        return {"x": result[self.x][rows], "y": result[drawn][rows], "series": [name] * rows.size, **said}
