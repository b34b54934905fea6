"""The charts of the transaction system: response time over rate or buffer size, and what one response is made of."""

import numpy as np

from pagecost.answers.transaction_runs import TERMS
from pagecost.studies import StudyInputs
from pagecost.studies.transactions.transaction_system import at_rate
from pagecost.units import format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.marks import Intervals, PaleLines, chosen_line
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data
from pagecost_app.charts.stacked import StackedBars

TOOLTIPS = [
    ("", "@name"),
    ("response time", "@response"),
    ("by formula", "@formula"),
    ("95 % within", "@slow"),
    ("processors busy", "@cpu{0.0 %}"),
    ("hits: main memory, second level", "@hits"),
    ("reads, writes per transaction", "@ios"),
]


class ResponseChart(StudyChart[StudyInputs]):
    """One line per series; the bars take the chosen points apart. A subclass asks the question."""

    question = ""
    x = "rate_hz"

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip(f"{self.name}.legend")
        title = f"{self.question} (points: simulated; pale: formula)"
        self.curve = SeriesFigure(f"{self.name}.curve", title, "", "", TOOLTIPS, height=400)
        self.curve.figure.y_range.start = 0
        self.formulas = PaleLines(self.curve, f"{self.name}.formula")
        self.intervals = Intervals(self.curve)
        self.chosen = chosen_line(self.curve)
        self.parts = StackedBars(f"{self.name}.parts", "", "mean response time", "s", TERMS, height=400)
        self.place(self.legend, self.curve, self.parts)
        self.coloured += [self.formulas, self.intervals]
        self.muted.append(self.chosen)

    def detail(self, inputs) -> str:
        """The question of the lower chart."""
        return f"Where does the time go {self.point(inputs)}?"

    def point(self, inputs) -> str:
        """What the lower chart is drawn for."""
        return at_rate(inputs)

    def update(self, inputs, result) -> None:
        names = result.columns["configuration"].names
        self.legend.show(list(names.values()))
        style.label(self.curve.figure.xaxis[0], result.columns[self.x])
        style.label(self.curve.figure.yaxis[0], result.columns["response_s"])
        highest = 0.0
        for number in range(style.SLOTS):
            line, formula, half = no_data(), no_data(), []
            if number < len(names):
                rows = result.rows(configuration=list(names)[number])
                formula = {"x": result[self.x][rows], "y": result["formula_s"][rows]}
                rows = rows[np.isfinite(result["response_s"][rows])]
                line, half = self._line(result, rows), result["half_width_s"][rows]
                highest = max(highest, _highest(line["y"]), _usual(formula["y"]))
            self.curve.show(number, line)
            self.formulas.show(number, **formula)
            self.intervals.show(number, line["x"], line["y"], half)
        style.change(self.curve.figure.y_range, end=1.1 * highest or 1.0)
        style.change(self.chosen, location=getattr(inputs, self.x))
        rows = result.rows(chosen=True)
        rows = rows[np.isfinite(result["response_s"][rows])]
        style.change(self.parts.figure.title, text=self.detail(inputs))
        style.change(self.parts.figure, height=150 + 34 * max(rows.size, 1))
        labels = [result.cell("configuration", row) for row in rows]
        self.parts.show(labels, {term: result[term][rows] for term in TERMS}, format_seconds)

    def _line(self, result, rows) -> dict:
        def said(*columns: str, join: str = ", ") -> list[str]:
            return [join.join(result.cell(column, row) for column in columns) for row in rows]

        return {
            "x": result[self.x][rows],
            "y": result["response_s"][rows],
            "name": said("configuration"),
            "response": said("response_s", "half_width_s", join=" ± "),
            "formula": said("formula_s"),
            "slow": said("percentile_95_s"),
            "cpu": result["cpu"][rows],
            "hits": [f"{result['main_hits'][row]:.1%}, {result['second_hits'][row]:.1%}" for row in rows],
            "ios": [f"{result['page_reads'][row]:.2f}, {result['page_writes'][row]:.2f}" for row in rows],
        }


def _highest(values) -> float:
    return float(np.max(values, initial=0.0))


def _usual(values) -> float:
    """The upper end of what a formula says away from saturation, so that one point near it does not flatten all."""
    finite = values[np.isfinite(values)]
    return float(min(finite.max(), 3 * np.median(finite))) if finite.size else 0.0
