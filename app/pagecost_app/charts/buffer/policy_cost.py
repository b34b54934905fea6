"""The charts of the study `policy_cost`: cost over the ratio of write to read, and hits beside write-backs."""

import numpy as np
from bokeh.models import FixedTicker, NumeralTickFormatter

from pagecost import devices
from pagecost.buffer.policies import title_of
from pagecost.studies.buffer.policy_cost import Inputs
from pagecost.studies.buffer.policy_ranking import PER_THOUSAND
from pagecost.units import grouped, so_many
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.marks import chosen_line
from pagecost_app.charts.series import LegendStrip, SeriesFigure
from pagecost_app.charts.stacked import StackedBars

TERMS = {"misses": "misses (page reads)", "written": "write-backs, in page reads"}
TOOLTIPS = [
    ("policy", "@policy"),
    ("a write costs", "@x{0.00} reads"),
    ("cost over the first policy's", "@y{0.000}"),
    ("hit ratio", "@hit_ratio{0.00 %}"),
    ("write-backs", "@write_backs"),
    ("of them in a row to one erase block", "@block_run{0.00}"),
]


class Chart(StudyChart[Inputs]):
    """A line of costs per policy over the ratio of write to read, and the bars of the chosen device."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("policy_cost.legend")
        self.curve = SeriesFigure("policy_cost.curve", "", "", "", TOOLTIPS, x_axis_type="log", height=380)
        self.curve.figure.xaxis.ticker = FixedTicker(ticks=[0.25, 0.5, 1, 2, 4, 8, 16, 32, 64])
        self.curve.figure.xaxis.formatter = NumeralTickFormatter(format="0.[00]")
        self.chosen = chosen_line(self.curve)
        self.muted.append(self.chosen)
        self.cost = StackedBars("policy_cost.cost", "", PER_THOUSAND, "", TERMS, height=380)
        self.place(self.legend, (self.curve, self.cost))

    def update(self, inputs: Inputs, result) -> None:
        self.legend.show([title_of(name) for name in inputs.policies[: style.SLOTS]])
        self.curve.show_all(_curve(result, policy) for policy in inputs.policies)
        style.name_axes(self.curve.figure, result.columns["ratio"], result.columns["relative"])
        rows = result.rows(chosen=True)
        ratio = float(result["ratio"][rows[0]])
        style.change(self.chosen, location=ratio)
        style.change(
            self.curve.figure.title,
            text=f"Which is cheapest with {so_many(inputs.frames, 'frame')}? (line: the device)",
        )
        style.change(
            self.cost.figure.title, text=f"On {devices.title_of(inputs.device)} a write costs {ratio:.3g} reads"
        )
        written = result["write_backs"][rows] * ratio
        per = 1000 * result["cost"][rows] / (result["misses"][rows] + written)
        terms = {"misses": result["misses"][rows] * per, "written": written * per}
        titles = [result.cell("policy", row) for row in rows]
        self.cost.show(titles, terms, grouped)


def _curve(result, policy: str) -> dict:
    rows = result.rows(policy=policy)
    return {
        "x": result["ratio"][rows],
        "y": result["relative"][rows],
        "policy": np.full(rows.size, title_of(policy)).tolist(),
        "hit_ratio": result["hit_ratio"][rows],
        "write_backs": result["write_backs"][rows],
        "block_run": result["block_run"][rows],
    }
