"""The charts of the study `multi_level_hits`: hits of the second level over main memory, and of all levels at one."""

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, FixedTicker, NumeralTickFormatter, Span

from pagecost.studies.transactions.multi_level_hits import Inputs
from pagecost_app.charts import style
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data
from pagecost_app.charts.stacked import StackedBars

TERMS = {"main_hits": "main memory", "second_hits": "second level"}
TOOLTIPS = [
    ("", "@name"),
    ("main memory", "@x pages: @main{0.0 %} of the references"),
    ("second level", "@y{0.0 %}"),
    ("reads, writes per transaction", "@ios"),
]


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="multi_level_hits.result")
        self.legend = LegendStrip("multi_level_hits.legend")
        self.curve = SeriesFigure(
            "multi_level_hits.curve",
            "How many references does the second level answer?",
            "main-memory buffer, pages",
            "share of all references",
            TOOLTIPS,
            x_axis_type="log",
            height=380,
        )
        self.curve.figure.yaxis.formatter = NumeralTickFormatter(format="0 %")
        self.curve.figure.y_range.start = 0
        self.chosen = Span(dimension="height", line_width=2, line_alpha=0.6, line_color=style.LIGHT["muted"])
        self.curve.figure.add_layout(self.chosen)
        self.levels = StackedBars("multi_level_hits.levels", "", "share of all references", "", TERMS, height=380)
        self.levels.figure.xaxis.formatter = NumeralTickFormatter(format="0 %")
        self.root = column(
            self.legend.figure,
            row(self.curve.figure, self.levels.figure, sizing_mode="stretch_width"),
            sizing_mode="stretch_width",
        )

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`, which may still be growing."""
        self.result.data = result.arrays()
        self.legend.show([_short(label) for label in inputs.labels])
        for number in range(style.SLOTS):
            line = no_data()
            if number < len(inputs.labels):
                rows = result.rows(configuration=inputs.labels[number])
                reads, writes = (result[name][rows] for name in ("page_reads", "page_writes"))
                line = {
                    "x": result["buffer_pages"][rows],
                    "y": result["second_hits"][rows],
                    "name": [inputs.labels[number]] * rows.size,
                    "main": result["main_hits"][rows],
                    "ios": [f"{read:.2f}, {write:.2f}" for read, write in zip(reads, writes, strict=True)],
                }
            self.curve.show(number, line)
        sizes = np.unique(result["buffer_pages"]).tolist()
        labels = {int(size): str(size) for size in sizes}
        axis = self.curve.figure.xaxis[0]
        if axis.major_label_overrides != labels:
            axis.update(ticker=FixedTicker(ticks=list(labels), minor_ticks=[]), major_label_overrides=labels)
        style.change(self.chosen, location=inputs.buffer_pages)
        style.change(
            self.levels.figure.title,
            text=f"Who answers, with {inputs.buffer_pages} pages of memory?",
        )
        rows = result.rows(chosen=True)
        shares = {term: result[term][rows] for term in TERMS}
        self.levels.show(result["configuration"][rows].tolist(), shares, lambda share: f"{share:.1%}")

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = [f"{result['configuration'][i]} {result['second_hits'][i]:.1%}" for i in result.rows(chosen=True)]
        main = result["main_hits"][result.rows(chosen=True)]
        return (
            f"With {inputs.buffer_pages} pages main memory answers {main[0] if main.size else 0:.1%} of the "
            f"references; the second level: {'; '.join(words)}."
        )

    def recolour(self, dark: bool) -> None:
        self.chosen.line_color = style.shades(dark)["muted"]
        for part in (self.legend, self.curve, self.levels):
            part.recolour(dark)


def _short(label: str) -> str:
    """For a legend of eight names in one line: NOFORCE, the usual case, is not said."""
    return label.removesuffix(", NOFORCE").replace("NVEM, half size", "½ NVEM")
