"""The charts of the study `write_amplification`: programs per host page over spare space, and their causes."""

import numpy as np
from bokeh.models import FixedTicker, NumeralTickFormatter

from pagecost.studies.flash.write_amplification import Inputs, title_of
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.marks import Intervals, PaleLines, chosen_line
from pagecost_app.charts.series import LegendStrip, SeriesFigure
from pagecost_app.charts.stacked import StackedBars

TERMS = {"host": "the host's own page", "copied": "copies of live pages"}
TOOLTIPS = [
    ("policy", "@policy"),
    ("spare space", "@x{0.0 %} of the flash"),
    ("over-provisioning", "@over_provisioning{0.0 %}"),
    ("write amplification", "@y{0.000} ± @half_width{0.000}"),
    ("theory", "@theory_text"),
    ("worst host write", "@worst_request copies"),
]


class Chart(StudyChart[Inputs]):
    """A line per policy over the spare space, simulated and by theory, and bars of the copies at the chosen one."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("write_amplification.legend")
        self.curve = SeriesFigure(
            "write_amplification.curve",
            "How many pages are programmed for one of the host?",
            "spare space, share of the flash (points: simulated; pale lines: theory)",
            "",
            TOOLTIPS,
            y_axis_type="log",
            height=380,
        )
        self.curve.figure.xaxis.formatter = NumeralTickFormatter(format="0 %")
        self.curve.figure.yaxis.formatter = NumeralTickFormatter(format="0.[0]")
        self.curve.figure.yaxis.ticker = FixedTicker(ticks=[1, 1.2, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100])
        self.theory = PaleLines(self.curve, "write_amplification.theory")
        self.intervals = Intervals(self.curve)
        self.chosen = chosen_line(self.curve)
        self.muted.append(self.chosen)
        self.cost = StackedBars("write_amplification.cost", "", "", "", TERMS, height=380, nothing="not simulated yet")
        self.place(self.legend, (self.curve, self.cost))
        self.coloured += [self.theory, self.intervals]

    def update(self, inputs: Inputs, result) -> None:
        self.legend.show([title_of(inputs, name) for name in inputs.policies])
        curves = [_curve(inputs, result, policy) for policy in inputs.policies]
        self.curve.show_all(curves)
        self.theory.show_all(_known(curve) for curve in curves)
        self.intervals.show_all({name: curve[name] for name in ("x", "y", "half_width")} for curve in curves)
        label = result.columns["write_amplification"].label
        style.change(self.curve.figure.yaxis[0], axis_label=label)
        style.change(self.cost.figure.xaxis[0], axis_label=label)
        style.change(self.chosen, location=inputs.spare)
        style.change(self.cost.figure.title, text=f"With {inputs.spare:.0%} spare space")
        rows = result.rows(chosen=True)
        titles = [result.cell("policy", i) for i in rows]
        copied = result["copies_per_write"][rows]
        copied = np.where(np.isfinite(copied), copied, result["theory"][rows] - 1)  # while nothing is simulated
        terms = {"host": np.where(np.isfinite(copied), 1.0, 0.0), "copied": copied}
        self.cost.show(titles, terms, lambda value: f"{value:.2f}")


def _curve(inputs: Inputs, result, policy: str) -> dict:
    """The policy's points by rising spare space, the chosen one among them."""
    rows = result.rows(policy=policy)
    _, first = np.unique(result["spare"][rows], return_index=True)
    rows = rows[first]
    theory = result["theory"][rows]
    return {
        "x": result["spare"][rows],
        "y": result["write_amplification"][rows],
        "policy": [title_of(inputs, policy)] * rows.size,
        "over_provisioning": result["over_provisioning"][rows],
        "half_width": result["half_width"][rows],
        "theory": theory,
        "theory_text": [f"{value:.3f}" if np.isfinite(value) else "not known" for value in theory],
        "worst_request": result["worst_request"][rows],
    }


def _known(curve: dict) -> dict:
    """The points of the theory, where there is one."""
    known = np.isfinite(curve["theory"])
    return {"x": curve["x"][known], "y": curve["theory"][known]}
