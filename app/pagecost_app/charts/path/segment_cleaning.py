"""The charts of the study `segment_cleaning`: what a block of new data costs, and how full segments are."""

import numpy as np
from bokeh.models import FixedTicker, NumeralTickFormatter

from pagecost.studies.path.path_fields import SELECTIONS
from pagecost.studies.path.segment_cleaning import Inputs
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.marks import PaleLines, chosen_line
from pagecost_app.charts.series import LegendStrip, SeriesFigure

COST_TIPS = [
    ("cleaned first", "@selection"),
    ("live share of the volume", "@x{0 %}"),
    ("blocks moved", "@y{0.00}"),
    ("live share of cleaned segments", "@u{0.000}"),
]
SHARE_TIPS = [("cleaned first", "@selection"), ("live share", "@x{0 %}"), ("segments", "@y{0.0 %}")]


class Chart(StudyChart[Inputs]):
    """A line per selection over the fill level, simulated and by theory; how full segments are at the chosen one."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("segment_cleaning.legend")
        self.cost = SeriesFigure(
            "segment_cleaning.cost",
            "What does a block cost with its cleaning?",
            "live share of the volume (points: simulated; pale lines: theory)",
            "",
            COST_TIPS,
            y_axis_type="log",
            height=380,
        )
        self.cost.figure.xaxis.formatter = NumeralTickFormatter(format="0 %")
        self.cost.figure.yaxis.formatter = NumeralTickFormatter(format="0.[0]")
        self.cost.figure.yaxis.ticker = FixedTicker(ticks=[1, 2, 3, 4, 6, 8, 10, 15, 20, 30, 50])
        self.theory = PaleLines(self.cost, "segment_cleaning.theory")
        self.chosen = chosen_line(self.cost)
        self.muted.append(self.chosen)
        self.shares = SeriesFigure(
            "segment_cleaning.shares",
            "How full are the segments?",
            "live share of a segment",
            "",
            SHARE_TIPS,
            height=380,
        )
        for axis in (self.shares.figure.xaxis, self.shares.figure.yaxis):
            axis.formatter = NumeralTickFormatter(format="0 %")
        self.place(self.legend, (self.cost, self.shares))
        self.coloured.append(self.theory)

    def update(self, inputs: Inputs, result) -> None:
        self.legend.show([SELECTIONS[name] for name in inputs.selections])
        curves = [_curve(result, name) for name in inputs.selections]
        self.cost.show_all(curves)
        self.theory.show_all([_theory(result, name) for name in inputs.selections])
        self.shares.show_all([_shares(result, name) for name in inputs.selections])
        style.change(self.cost.figure.yaxis[0], axis_label=result.columns["write_cost"].label)
        style.change(self.shares.figure.yaxis[0], axis_label=result.tables["segments"].columns["segments"].label)
        style.change(self.chosen, location=inputs.utilisation)
        style.change(
            self.shares.figure.title, text=f"How full are the segments of a volume {inputs.utilisation:.0%} full?"
        )


def _curve(result, selection: str) -> dict:
    rows = result.rows(selection=selection)
    _, first = np.unique(result["utilisation"][rows], return_index=True)
    rows = rows[first]
    return {
        "x": result["utilisation"][rows],
        "y": result["write_cost"][rows],
        "u": result["cleaned_utilisation"][rows],
        "selection": [SELECTIONS[selection]] * rows.size,
    }


def _theory(result, selection: str) -> dict:
    """The theory beside a selection, where there is one, by rising fill level."""
    rows = result.rows_in("theory", selection=selection)
    if not rows.size:
        return {"x": np.zeros(0), "y": np.zeros(0)}
    table = result.tables["theory"]
    rows = rows[np.argsort(table["utilisation"][rows])]
    return {"x": table["utilisation"][rows], "y": table["write_cost"][rows]}


def _shares(result, selection: str) -> dict:
    rows = result.rows_in("segments", selection=selection)
    table = result.tables["segments"]
    return {
        "x": (table["from_live"][rows] + table["to_live"][rows]) / 2,
        "y": table["segments"][rows],
        "selection": [SELECTIONS[selection]] * rows.size,
    }
