"""The charts of the study `multi_level_hits`: hits of the second level over main memory, and of all levels at one."""

import numpy as np
from bokeh.models import NumeralTickFormatter

from pagecost.studies.transactions.multi_level_hits import Inputs
from pagecost.units import grouped
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.marks import chosen_line
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data
from pagecost_app.charts.stacked import StackedBars

TERMS = {"main_hits": "main memory", "second_hits": "second level"}
TOOLTIPS = [
    ("", "@name"),
    ("main memory", "@x pages: @main{0.0 %} of the references"),
    ("second level", "@y{0.0 %}"),
    ("reads, writes per transaction", "@ios"),
]


class Chart(StudyChart[Inputs]):
    """One line per second level and strategy over the size of main memory, and all levels at one size."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("multi_level_hits.legend")
        self.curve = SeriesFigure(
            "multi_level_hits.curve",
            "How many references does the second level answer?",
            "",
            "share of all references",
            TOOLTIPS,
            x_axis_type="log",
            height=380,
        )
        self.curve.figure.yaxis.formatter = NumeralTickFormatter(format="0 %")
        self.curve.figure.y_range.start = 0
        self.muted.append(chosen_line(self.curve))
        self.levels = StackedBars("multi_level_hits.levels", "", "share of all references", "", TERMS, height=380)
        self.levels.figure.xaxis.formatter = NumeralTickFormatter(format="0 %")
        self.place(self.legend, (self.curve, self.levels))

    def update(self, inputs: Inputs, result) -> None:
        self.legend.show(list(inputs.names.values()))
        style.label(self.curve.figure.xaxis[0], result.columns["buffer_pages"], ticks=False)
        for number in range(style.SLOTS):
            line = no_data()
            if number < len(inputs.names):
                rows = result.rows(configuration=list(inputs.names)[number])
                reads, writes = (result[name][rows] for name in ("page_reads", "page_writes"))
                line = {
                    "x": result["buffer_pages"][rows],
                    "y": result["second_hits"][rows],
                    "name": [result.cell("configuration", row) for row in rows],
                    "main": result["main_hits"][rows],
                    "ios": [f"{read:.2f}, {write:.2f}" for read, write in zip(reads, writes, strict=True)],
                }
            self.curve.show(number, line)
        sizes = np.unique(result["buffer_pages"]).tolist()
        style.ticks_at(self.curve.figure.xaxis[0], {int(size): str(size) for size in sizes})
        style.change(self.muted[0], location=inputs.buffer_pages)
        style.change(
            self.levels.figure.title,
            text=f"Who answers with {grouped(inputs.buffer_pages)} pages?",
        )
        rows = result.rows(chosen=True)
        shares = {term: result[term][rows] for term in TERMS}
        self.levels.show([result.cell("configuration", row) for row in rows], shares, lambda share: f"{share:.1%}")
