"""What is drawn beside the lines of a series figure: a pale line of the formula, intervals, the chosen value."""

from collections.abc import Iterable
from typing import Literal

import numpy as np
from bokeh.models import ColumnDataSource
from bokeh.models.annotations import Span

from pagecost_app.charts import style
from pagecost_app.charts.series import SeriesFigure, by_slot, no_data, replace
from pagecost_app.charts.stacked import StackedBars


def chosen_line(drawn: SeriesFigure | StackedBars, dimension: Literal["height", "width"] = "height", **look) -> Span:
    """A line across a figure where the chosen value is; `style.change(line, location=…)` moves it."""
    muted = style.LIGHT["muted"]
    line = Span(dimension=dimension, line_color=muted, **{"line_width": 2, "line_alpha": 0.6} | look)
    drawn.figure.add_layout(line)
    return line


class PaleLines:
    """Behind each line of a figure a wide pale one in its colour: what the formula says."""

    def __init__(self, drawn: SeriesFigure, name: str):
        look = {"line_width": 6, "line_alpha": 0.23}
        self.lines = [
            drawn.figure.line("x", "y", source=ColumnDataSource(no_data(), name=f"{name}.{slot}"), **look)
            for slot in range(style.SLOTS)
        ]
        self.recolour(False)

    def show(self, number: int, x=(), y=()) -> None:
        """Draw one line, or none."""
        replace(self.lines[number].data_source, {"x": np.asarray(x), "y": np.asarray(y)})

    def show_all(self, lines: Iterable[dict]) -> None:
        """Draw the first of these lines (columns x, y), and hide what else was shown."""
        for number, columns in by_slot(lines):
            self.show(number, **columns)

    def recolour(self, dark: bool) -> None:
        for line, colour in zip(self.lines, style.colours(dark), strict=True):
            line.glyph.line_color = colour


class Intervals:
    """Through each point of a figure's lines a bar in its colour: where the mean may lie."""

    def __init__(self, drawn: SeriesFigure):
        self.bars = [
            drawn.figure.segment("x", "low", "x", "high", source=ColumnDataSource(_no_bars()), line_width=2)
            for _ in range(style.SLOTS)
        ]
        self.recolour(False)

    def show(self, number: int, x=(), y=(), half_width=()) -> None:
        """Draw the bars of one line, or none."""
        y, half = np.asarray(y), np.asarray(half_width)
        replace(self.bars[number].data_source, {"x": np.asarray(x), "low": y - half, "high": y + half})

    def show_all(self, lines: Iterable[dict]) -> None:
        """Draw the bars of the first of these lines (columns x, y, half_width), and hide what else was shown."""
        for number, columns in by_slot(lines):
            self.show(number, **columns)

    def recolour(self, dark: bool) -> None:
        for bar, colour in zip(self.bars, style.colours(dark), strict=True):
            bar.glyph.line_color = colour


def _no_bars() -> dict:
    return {"x": [], "low": [], "high": []}
