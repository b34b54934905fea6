"""What is drawn beside the lines of a series figure: a pale line of the formula, intervals, the chosen value."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Literal

import numpy as np
from bokeh.models import ColumnDataSource
from bokeh.models.annotations import Span
from bokeh.models.renderers import GlyphRenderer

from pagecost_app.charts import style
from pagecost_app.charts.series import SeriesFigure, by_slot, no_data, replace
from pagecost_app.charts.stacked import StackedBars


def chosen_line(drawn: SeriesFigure | StackedBars, dimension: Literal["height", "width"] = "height", **look) -> Span:
    """A line across a figure where the chosen value is; `style.change(line, location=…)` moves it."""
    muted = style.LIGHT["muted"]
    line = Span(dimension=dimension, line_color=muted, **{"line_width": 2, "line_alpha": 0.6} | look)
    drawn.figure.add_layout(line)
    return line


class _Beside(ABC):
    """Something for each line of a figure, in its colour; each is made when it is first drawn."""

    def __init__(self, drawn: SeriesFigure):
        self.figure, self._dark = drawn.figure, False
        self.made: list[tuple[ColumnDataSource, GlyphRenderer]] = []

    @abstractmethod
    def _make(self, number: int) -> tuple[ColumnDataSource, GlyphRenderer]:
        """What belongs to one line, and where its numbers stand."""

    def _draw(self, number: int, columns: dict) -> None:
        if len(columns["x"]):
            while len(self.made) <= number:
                source, drawn = self._make(len(self.made))
                drawn.glyph.line_color = style.colours(self._dark)[len(self.made)]
                self.made.append((source, drawn))
        if number < len(self.made):
            replace(self.made[number][0], columns)

    def recolour(self, dark: bool) -> None:
        self._dark = dark
        for (_, drawn), colour in zip(self.made, style.colours(dark), strict=False):
            drawn.glyph.line_color = colour


class PaleLines(_Beside):
    """At each line of a figure a wide pale one in its colour: what the formula says."""

    def __init__(self, drawn: SeriesFigure, name: str):
        super().__init__(drawn)
        self.name = name

    def _make(self, number: int) -> tuple[ColumnDataSource, GlyphRenderer]:
        source = ColumnDataSource(no_data(), name=f"{self.name}.{number}")
        return source, self.figure.line("x", "y", source=source, line_width=6, line_alpha=0.23)

    def show(self, number: int, x=(), y=()) -> None:
        """Draw one line, or none."""
        self._draw(number, {"x": np.asarray(x), "y": np.asarray(y)})

    def show_all(self, lines: Iterable[dict]) -> None:
        """Draw the first of these lines (columns x, y), and hide what else was shown."""
        for number, columns in by_slot(lines):
            self.show(number, **columns)


class Intervals(_Beside):
    """Through each point of a figure's lines a bar in its colour: where the mean may lie."""

    def _make(self, number: int) -> tuple[ColumnDataSource, GlyphRenderer]:
        source = ColumnDataSource(_no_bars())
        return source, self.figure.segment("x", "low", "x", "high", source=source, line_width=2)

    def show(self, number: int, x=(), y=(), half_width=()) -> None:
        """Draw the bars of one line, or none."""
        y, half = np.asarray(y), np.asarray(half_width)
        self._draw(number, {"x": np.asarray(x), "low": y - half, "high": y + half})

    def show_all(self, lines: Iterable[dict]) -> None:
        """Draw the bars of the first of these lines (columns x, y, half_width), and hide what else was shown."""
        for number, columns in by_slot(lines):
            self.show(number, **columns)


def _no_bars() -> dict:
    return {"x": [], "low": [], "high": []}
