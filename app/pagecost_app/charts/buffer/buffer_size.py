"""The charts of the study `buffer_size`: hit ratio over buffer size, and what a reference costs at the chosen size."""

import numpy as np
from bokeh.models import NumeralTickFormatter, Range1d

from pagecost.buffer.policies import title_of
from pagecost.studies.buffer.buffer_size import Inputs
from pagecost.units import format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.marks import chosen_line
from pagecost_app.charts.series import LegendStrip, SeriesFigure
from pagecost_app.charts.stacked import StackedBars

COSTS = {"read_s": "reading misses", "write_s": "writing dirty evictions"}
TOOLTIPS = [
    ("policy", "@policy"),
    ("buffer", "@frames frames, @size"),
    ("hit ratio", "@y{0.00 %}"),
    ("misses", "@misses"),
    ("dirty evictions", "@write_backs"),
]


class Chart(StudyChart[Inputs]):
    """A line of hit ratios per policy, and for each a bar of what a reference costs at the chosen size."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("buffer_size.legend")
        self.curve = SeriesFigure(
            "buffer_size.curve",
            "How often is the page already in the buffer?",
            "",
            "",
            TOOLTIPS,
            x_axis_type="log",
            y_range=Range1d(start=0, end=1),
            height=360,
        )
        self.curve.figure.yaxis.formatter = NumeralTickFormatter(format="0 %")
        self.curve.figure.xaxis.formatter = style.prefixed("")
        self.chosen = chosen_line(self.curve)
        self.muted.append(self.chosen)
        question = "How long does a reference keep the device busy?"
        self.cost = StackedBars("buffer_size.cost", question, "device time per page reference", "s", COSTS, height=360)
        self.place(self.legend, (self.curve, self.cost))

    def update(self, inputs: Inputs, result) -> None:
        style.name_axes(self.curve.figure, result.columns["frames"], result.columns["hit_ratio"])
        self.legend.show([title_of(str(name)) for name in inputs.policies])
        self.curve.show_all(_curve(result, policy) for policy in inputs.policies)
        self.chosen.location = inputs.frames
        rows = result.rows(chosen=True)
        titles = [result.cell("policy", row) for row in rows]
        self.cost.show(titles, {term: result[term][rows] for term in COSTS}, format_seconds)


def _curve(result, policy: str) -> dict:
    rows = result.rows(policy=policy)
    rows = rows[np.argsort(result["frames"][rows], kind="stable")]
    return {
        "x": result["frames"][rows],
        "y": result["hit_ratio"][rows],
        "policy": [title_of(policy)] * rows.size,
        "frames": result["frames"][rows],
        "size": [result.cell("buffer_bytes", row) for row in rows],
        "misses": result["misses"][rows],
        "write_backs": result["write_backs"][rows],
    }
