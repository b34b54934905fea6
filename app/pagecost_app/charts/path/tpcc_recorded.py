"""The charts of the study `tpcc_recorded`: a recorded run and the generator table by table, and how hot pages are."""

import numpy as np
from bokeh.models import NumeralTickFormatter, Range1d

from pagecost.studies.path.tpcc_recorded import SIDES, WHAT, Inputs
from pagecost.units import format_si
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.dots import Dots
from pagecost_app.charts.series import LegendStrip, SeriesFigure

QUESTIONS = {
    "misses": "Does the buffer miss the same tables?",
    "references": "Do both ask for the same tables?",
    "reads": "What is read from the device?",
    "writes": "What is written to the device?",
}
KINDS = {"recorded": "recorded, PostgreSQL", "generated": "generated"}
TIPS = [("", "@side"), ("hottest", "@x{0 %} of the pages"), ("get", "@y{0.0 %} of the accesses")]


class Chart(StudyChart[Inputs]):
    """A dot for each side and table in four figures, and the skew at the device as two lines."""

    def __init__(self):
        super().__init__()
        self.dots = {
            what: Dots(f"tpcc_recorded.{what}", question, f"{WHAT[what]} per transaction", "", KINDS)
            for what, question in QUESTIONS.items()
        }
        self.sides = LegendStrip("tpcc_recorded.sides")
        self.skew = SeriesFigure(
            "tpcc_recorded.skew",
            "How hot are the hottest pages at the device?",
            "share of the pages touched, the hottest first",
            "share of the accesses",
            TIPS,
            x_range=Range1d(start=0, end=1.02),
            y_range=Range1d(start=0, end=1.02),
            height=330,
        )
        for axis in (*self.skew.figure.xaxis, *self.skew.figure.yaxis):
            axis.formatter = NumeralTickFormatter(format="0 %")
        self.sides.show([KINDS[side] for side in SIDES])
        self.place(
            (self.dots["misses"], self.dots["references"]),
            (self.dots["reads"], self.dots["writes"]),
            self.sides,
            self.skew,
        )

    def update(self, inputs: Inputs, result) -> None:
        names = [str(name) for name in result["name"]]
        for what, drawn in self.dots.items():
            values = {side: np.where(result[f"{what}_{side}"] > 0, result[f"{what}_{side}"], np.nan) for side in SIDES}
            some = np.flatnonzero(np.isfinite(values[SIDES[0]]) | np.isfinite(values[SIDES[1]]))
            shown = {side: of_side[some] for side, of_side in values.items()}
            drawn.show([names[row] for row in some], shown, ["counted"] * some.size, _text)
        table = result.tables["skew"]
        lines = (
            {
                "x": np.append(0.0, table["hottest"]),
                "y": np.append(0.0, table[side]),
                "side": [KINDS[side]] * (len(table) + 1),
            }
            for side in SIDES
        )
        self.skew.show_all(lines)


def _text(count: float) -> str:
    return f"{format_si(count, '')} per transaction"
