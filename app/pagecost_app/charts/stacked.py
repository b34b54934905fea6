"""Horizontal bars made of named terms that add up, with the sum written at the end."""

from collections.abc import Sequence

import numpy as np
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, HoverTool, Range1d
from bokeh.models.annotations import LegendItem

from pagecost.studies.study import Column
from pagecost_app.charts import style
from pagecost_app.charts.series import named_rows
from pagecost_app.charts.words import beside


class StackedBars:
    """One bar per name, one colour and pattern per term, in the legend's order. A term that is zero everywhere is not
    in it.

    x_label, unit: of the axis, where `show` has no column for it. nothing: what is written where all terms are zero.
    """

    def __init__(
        self,
        name: str,
        title: str,
        x_label: str,
        unit: str,
        terms: dict[str, str],
        height: int = 300,
        nothing="not measured at this size",
    ):
        self.terms, self.nothing = terms, nothing
        self.source = ColumnDataSource({"name": [], "total": [], "sum": [], **{term: [] for term in terms}}, name=name)
        self.figure = named_rows(name, title, height, x_axis_label=x_label, x_range=Range1d(start=0, end=1))
        self.range = self.figure.y_range
        self.figure.xaxis.formatter = style.prefixed(unit)
        self.figure.ygrid.visible = False
        self.bars = self.figure.hbar_stack(
            list(terms),
            y="name",
            height=0.62,
            source=self.source,
            color=list(style.stack_colours(False)[: len(terms)]),
            line_color=style.LIGHT["ground"],
            hatch_pattern=list(style.HATCHES[: len(terms)]),
            hatch_color=style.LIGHT["ground"],
            hatch_alpha=0.45,
            hatch_scale=10,
        )
        for bar, (term, label) in zip(self.bars, terms.items(), strict=True):
            self.figure.add_tools(HoverTool(renderers=[bar], tooltips=[("", "@name"), (label, f"@{term}_text")]))
        self.items = {
            term: LegendItem(label=value(label), renderers=[bar], visible=False)
            for bar, (term, label) in zip(self.bars, terms.items(), strict=True)
        }
        self.legend = style.legend_below(self.figure, list(self.items.values()))
        look = {"level": "overlay", "background_fill_color": style.LIGHT["ground"]}  # no line goes through a number
        self.labels = beside(self.figure, self.source, "total", text="sum", **look)
        style.keep_ends_whole(self.figure, self.labels, self.source)

    def show(
        self,
        names: list[str],
        values: dict[str, np.ndarray],
        text,
        axis: Column | None = None,
        reasons: Sequence[str] = (),
        empty_end: float = 1.0,
    ) -> None:
        """Draw one bar per name; values[term] has shape (names,), `text(value)` writes a number with its unit.

        axis: the column of the sums, which names the axis. reasons: why there is no bar, one of each name, where that
        differs. empty_end: where the axis ends if there is no bar at all.
        """
        if axis is not None:
            style.label(self.figure.xaxis[0], axis)
        shown = {term: np.nan_to_num(values[term]) if term in values else np.zeros(len(names)) for term in self.terms}
        total = np.sum(list(shown.values()), axis=0)
        words = {f"{term}_text": [text(value) for value in column] for term, column in shown.items()}
        why_not = reasons or [self.nothing] * len(names)
        sums = [text(value) if value > 0 else why for value, why in zip(total, why_not, strict=True)]
        style.change(self.range, factors=list(reversed(names)))
        style.change(self.figure.x_range, end=float(total.max(initial=0) * 1.35) or empty_end)
        self.source.data = {"name": names, "total": total, "sum": sums, **shown, **words}
        for term, item in self.items.items():
            style.change(item, visible=bool(shown[term].any()))

    def recolour(self, dark: bool) -> None:
        self.labels.text_color = style.shades(dark)["ink"]
        self.labels.background_fill_color = style.shades(dark)["ground"]
        for bar, colour in zip(self.bars, style.stack_colours(dark), strict=False):
            bar.glyph.fill_color = colour
            bar.glyph.line_color = bar.glyph.hatch_color = style.shades(dark)["ground"]
