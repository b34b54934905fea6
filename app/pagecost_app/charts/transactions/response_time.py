"""The charts of the transaction system: response time over rate or buffer size, and what one response is made of."""

import numpy as np
from bokeh.layouts import column
from bokeh.models import ColumnDataSource, Span

from pagecost.studies.transactions.transaction_system import TERMS
from pagecost.units import format_seconds
from pagecost_app.charts import style
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


class ResponseChart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    study = ""
    question = ""
    x = "rate_hz"
    x_label = "arrival rate, transactions per second (points: simulated; pale lines: by formula)"

    def __init__(self):
        self.result = ColumnDataSource({}, name=f"{self.study}.result")
        self.legend = LegendStrip(f"{self.study}.legend")
        self.curve = SeriesFigure(
            f"{self.study}.curve", self.question, self.x_label, "mean response time", TOOLTIPS, height=400
        )
        self.curve.figure.yaxis.formatter = style.prefixed("s")
        self.curve.figure.y_range.start = 0
        self.formulas, self.bars = [], []
        for number, colour in enumerate(style.LIGHT_COLOURS):
            formula = ColumnDataSource({"x": [], "y": []}, name=f"{self.study}.formula.{number}")
            self.formulas.append(
                self.curve.figure.line("x", "y", source=formula, line_color=colour, line_width=6, line_alpha=0.22)
            )
            bars = ColumnDataSource({"x": [], "low": [], "high": []})
            self.bars.append(
                self.curve.figure.segment("x", "low", "x", "high", source=bars, line_color=colour, line_width=2)
            )
        self.chosen = Span(dimension="height", line_width=2, line_alpha=0.6, line_color=style.LIGHT["muted"])
        self.curve.figure.add_layout(self.chosen)
        self.parts = StackedBars(f"{self.study}.parts", "", "mean response time", "s", TERMS, height=400)
        self.root = column(
            self.legend.figure,
            self.curve.figure,
            self.parts.figure,
            sizing_mode="stretch_width",
        )

    def labels(self, inputs) -> dict[str, str]:
        """Series -> its name in the legend."""
        raise NotImplementedError

    def chosen_x(self, inputs) -> float:
        """The x that is taken apart."""
        return inputs.rate_hz

    def detail(self, inputs) -> str:
        """The question of the lower chart."""
        return f"Where does the time go at {inputs.rate_hz:g} transactions per second?"

    def update(self, inputs, result) -> None:
        """Draw the answer to `inputs`, which may still be growing."""
        self.result.data = result.arrays()
        labels = self.labels(inputs)
        self.legend.show(list(labels.values()))
        highest = 0.0
        for number in range(style.SLOTS):
            line, formula, bars = no_data(), no_data(), {"x": [], "low": [], "high": []}
            if number < len(labels):
                rows = result.rows(configuration=list(labels)[number])
                formula = {"x": result[self.x][rows], "y": result["formula_s"][rows]}
                rows = rows[np.isfinite(result["response_s"][rows]) & (result["saturated"][rows] == "")]
                line = self._line(result, rows, list(labels.values())[number])
                half = result["half_width_s"][rows]
                bars = {"x": line["x"], "low": line["y"] - half, "high": line["y"] + half}
                highest = max(highest, _highest(line["y"]), _usual(formula["y"]))
            self.curve.show(number, line)
            self.formulas[number].data_source.data = formula
            self.bars[number].data_source.data = bars
        style.change(self.curve.figure.y_range, end=1.1 * highest or 1.0)
        style.change(self.chosen, location=self.chosen_x(inputs))
        rows = result.rows(chosen=True)
        rows = rows[np.isfinite(result["response_s"][rows]) & (result["saturated"][rows] == "")]
        style.change(self.parts.figure.title, text=self.detail(inputs))
        style.change(self.parts.figure, height=150 + 34 * max(rows.size, 1))
        names = [labels[name] for name in result["configuration"][rows]]
        self.parts.show(names, {term: result[term][rows] for term in TERMS}, format_seconds)

    def _line(self, result, rows, name: str) -> dict:
        return {
            "x": result[self.x][rows],
            "y": result["response_s"][rows],
            "name": [name] * rows.size,
            "response": [
                f"{format_seconds(mean)} ± {format_seconds(half)}"
                for mean, half in zip(result["response_s"][rows], result["half_width_s"][rows], strict=True)
            ],
            "formula": [format_seconds(value) for value in result["formula_s"][rows]],
            "slow": [format_seconds(value) for value in result["percentile_95_s"][rows]],
            "cpu": result["cpu"][rows],
            "hits": [
                f"{main:.1%}, {second:.1%}"
                for main, second in zip(result["main_hits"][rows], result["second_hits"][rows], strict=True)
            ],
            "ios": [
                f"{reads:.2f}, {writes:.2f}"
                for reads, writes in zip(result["page_reads"][rows], result["page_writes"][rows], strict=True)
            ],
        }

    def describe(self, inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        labels, words = self.labels(inputs), []
        for i in result.rows(chosen=True):
            said = format_seconds(result["response_s"][i])
            if result["saturated"][i]:
                said = f"saturated, the {result['saturated'][i]} cannot keep up"
            words.append(f"{labels[result['configuration'][i]]} {said}")
        return f"{self.detail(inputs)} Mean response times: {'; '.join(words)}."

    def recolour(self, dark: bool) -> None:
        self.chosen.line_color = style.shades(dark)["muted"]
        for renderers in (self.formulas, self.bars):
            for renderer, colour in zip(renderers, style.colours(dark), strict=True):
                renderer.glyph.line_color = colour
        for part in (self.legend, self.curve, self.parts):
            part.recolour(dark)


def _highest(values) -> float:
    return float(np.max(values, initial=0.0))


def _usual(values) -> float:
    """The upper end of what a formula says away from saturation, so that one point near it does not flatten all."""
    finite = values[np.isfinite(values)]
    return float(min(finite.max(), 3 * np.median(finite))) if finite.size else 0.0
