"""Dots on a logarithmic axis: one row per name, one marker per kind, and words where a number is not known."""

from typing import TypeAlias

import numpy as np
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, HoverTool, Range1d
from bokeh.models.annotations import LegendItem, TeeHead, Whisker

from pagecost.studies.study import Column
from pagecost_app.charts import style
from pagecost_app.charts.series import named_rows, replace
from pagecost_app.charts.words import beside

EMPTY: dict[str, list] = {"x": [], "name": [], "kind": [], "text": [], "status": [], "low": [], "high": []}

Spans: TypeAlias = dict[str, tuple[np.ndarray, np.ndarray]]


class Dots:
    """Every dot is named in the legend by its kind. `show` changes what is drawn; nothing is built anew.

    x_label, unit: of the axis, where `show` has no column for it. about: what the statuses of `show` say. spans: dots
    have intervals, which are drawn as whiskers.
    """

    def __init__(
        self,
        name: str,
        title: str,
        x_label: str,
        unit: str,
        kinds: dict[str, str],
        height: int = 300,
        about: str = "evidence",
        spans: bool = False,
    ):
        self.kinds = kinds
        axis = {"x_axis_label": x_label, "x_axis_type": "log", "x_range": Range1d(start=1, end=10)}
        self.figure = named_rows(name, title, height, padding=0.1, **axis)
        self.range = self.figure.y_range
        self.figure.xaxis.formatter = style.prefixed(unit)
        self.dots, self.whiskers = [], []
        for number, kind in enumerate(kinds):
            source = ColumnDataSource(dict(EMPTY), name=f"{name}.{kind.replace(' ', '_')}")
            marker, colour = style.MARKERS[number], style.LIGHT_COLOURS[number]
            look = {"marker": marker, "fill_color": colour, "line_color": colour, "fill_alpha": 0.75}
            if spans:
                self.whiskers.append(_whisker(source, colour))
                self.figure.add_layout(self.whiskers[-1])
            self.dots.append(self.figure.scatter("x", "name", source=source, size=11, **look))
        tooltips = [("", "@name"), ("", "@kind"), ("", "@text"), (about, "@status")]
        self.figure.add_tools(HoverTool(renderers=self.dots, tooltips=tooltips))
        self.missing = ColumnDataSource({"x": [], "name": [], "text": []}, name=f"{name}.missing")
        self.words = beside(self.figure, self.missing, "x", x_offset=8, text_font_style="italic")
        self.items = [
            LegendItem(label=value(label), renderers=[dot])
            for label, dot in zip(kinds.values(), self.dots, strict=True)
        ]
        style.legend_below(self.figure, self.items, visible=len(kinds) > 1)

    def call(self, labels: list[str]) -> None:
        """Give the first kinds these labels, where an answer says what they are."""
        for kind, item, label in zip(self.kinds, self.items, labels, strict=False):
            self.kinds[kind] = label
            style.change(item, label=value(label))

    def show(
        self,
        names: list[str],
        values: dict[str, np.ndarray],
        statuses: list[str],
        text,
        spans: Spans | None = None,
        axis: Column | None = None,
    ) -> None:
        """Draw values[kind], shape (names,), nan where not known; `text(value)` writes a number with its unit.

        spans: (low, high) of each kind, of the same shapes. axis: the column of the values, which names the axis.
        """
        if axis is not None:
            style.label(self.figure.xaxis[0], axis)
        spans = {kind: (values[kind], values[kind]) for kind in self.kinds} if spans is None else spans
        ends = [end[np.isfinite(end) & (end > 0)] for kind in self.kinds for end in spans[kind]]
        everything = np.concatenate([*(values[kind] for kind in self.kinds), *ends])
        known = everything[np.isfinite(everything)]
        low, high = (known.min(), known.max()) if known.size else (1.0, 10.0)
        low, high = 10 ** np.floor(np.log10(low * 0.8)), 10 ** np.ceil(np.log10(high * 1.25))  # whole decades
        high = max(high, 100 * low)  # in a single one Bokeh labels every digit, and they overlap
        style.change(self.figure.x_range, start=float(low), end=float(high))
        style.change(self.range, factors=list(reversed(names)))
        style.change(self.figure, height=120 + 30 * len(names))
        for kind, dot, item in zip(self.kinds, self.dots, self.items, strict=True):
            there = np.flatnonzero(np.isfinite(values[kind]))
            style.change(item, visible=there.size > 0)
            replace(
                dot.data_source,
                {
                    "x": values[kind][there],
                    "name": [names[i] for i in there],
                    "kind": [self.kinds[kind]] * there.size,
                    "text": [text(value) for value in values[kind][there]],
                    "status": [statuses[i] for i in there],
                    "low": np.maximum(spans[kind][0][there], low),
                    "high": spans[kind][1][there],
                },
            )
        blank = [name for i, name in enumerate(names) if not any(np.isfinite(values[kind][i]) for kind in self.kinds)]
        self.missing.data = {"x": [low] * len(blank), "name": blank, "text": ["not known"] * len(blank)}

    def recolour(self, dark: bool) -> None:
        self.words.text_color = style.shades(dark)["muted"]
        for dot, colour in zip(self.dots, style.colours(dark), strict=False):
            dot.glyph.fill_color = colour
            dot.glyph.line_color = colour
        for whisker, colour in zip(self.whiskers, style.colours(dark), strict=False):
            _colour(whisker, colour)


def _whisker(source: ColumnDataSource, colour: str) -> Whisker:
    made = Whisker(base="name", lower="low", upper="high", dimension="width", source=source, line_width=1.5)
    _colour(made, colour)
    return made


def _colour(whisker: Whisker, colour: str) -> None:
    whisker.line_color = colour
    for head in (whisker.lower_head, whisker.upper_head):
        assert isinstance(head, TeeHead)
        head.line_color = colour
