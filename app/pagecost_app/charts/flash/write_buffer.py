"""The charts of the study `write_buffer`: programs per host write over the buffer's size, and their causes."""

import numpy as np
from bokeh.models import FixedTicker, NumeralTickFormatter

from pagecost.devices.ftl import LAYERS
from pagecost.studies.flash.write_buffer import SIZES, TERMS, Inputs, title_of
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.marks import chosen_line
from pagecost_app.charts.series import LegendStrip, SeriesFigure
from pagecost_app.charts.stacked import StackedBars

TOOLTIPS = [
    ("buffer", "@policy, @x{0.0 %} of the host's pages"),
    ("programmed per host write", "@y{0.000} ± @half_width{0.000}"),
    ("steady", "@steady"),
    ("hits", "@hit_ratio{0.0 %}"),
]


class Chart(StudyChart[Inputs]):
    """A line per policy of the buffer over its size, and a bar each of what is programmed."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("write_buffer.legend")
        self.curve = SeriesFigure(
            "write_buffer.curve",
            "How many pages are programmed for one write of the host?",
            "buffer, share of the host's pages (level line: no buffer)",
            "",
            TOOLTIPS,
            x_axis_type="log",
            y_axis_type="log",
            height=360,
        )
        self.curve.figure.xaxis.ticker = FixedTicker(ticks=list(SIZES))
        self.curve.figure.xaxis.formatter = NumeralTickFormatter(format="0.[0] %")
        self.curve.figure.yaxis.formatter = NumeralTickFormatter(format="0.[0]")
        self.curve.figure.yaxis.ticker = FixedTicker(ticks=[0.2, 0.5, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100])
        self.chosen = chosen_line(self.curve)
        self.without = chosen_line(self.curve, "width", line_width=1, line_alpha=1, line_dash="dashed")
        self.cost = StackedBars("write_buffer.cost", "", "", "", TERMS, height=360)
        self.place(self.legend, (self.curve, self.cost))
        self.muted += [self.chosen, self.without]

    def update(self, inputs: Inputs, result) -> None:
        self.legend.show([title_of(name) for name in inputs.buffers])
        self.curve.show_all(_curve(result, policy) for policy in inputs.buffers)
        label = result.columns["write_amplification"].label
        style.change(self.curve.figure.yaxis[0], axis_label=label)
        style.change(self.cost.figure.xaxis[0], axis_label=label)
        style.change(self.chosen, location=inputs.buffer_share)
        rows = result.rows(chosen=True)
        style.change(self.without, location=float(result["write_amplification"][rows[0]]))
        layer = LAYERS[inputs.layer].title
        style.change(self.cost.figure.title, text=f"{layer} with {inputs.buffer_share:.1%} of buffer")
        titles = [result.cell("policy", i) for i in rows]
        self.cost.show(titles, {term: result[term][rows] for term in TERMS}, lambda value: f"{value:.2f}")


def _curve(result, policy: str) -> dict:
    """The policy's points by rising size, the chosen one among them."""
    rows = result.rows(policy=policy)
    size, first = np.unique(result["buffer_share"][rows], return_index=True)
    rows = rows[first]
    return {
        "x": size,
        "y": result["write_amplification"][rows],
        "policy": [title_of(policy)] * rows.size,
        "hit_ratio": result["hit_ratio"][rows],
        "half_width": result["half_width"][rows],
        "steady": [result.cell("steady", i) for i in rows],
    }
