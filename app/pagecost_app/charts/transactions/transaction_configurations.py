"""The charts of the study `transaction_configurations`: one hierarchy as a picture, all response times beside it."""

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource

from pagecost.studies.transactions.transaction_configurations import Inputs
from pagecost.studies.transactions.transaction_system import TERMS
from pagecost.units import format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.stacked import StackedBars
from pagecost_app.charts.transactions.hierarchy import Hierarchy


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        name = "transaction_configurations"
        self.result = ColumnDataSource({}, name=f"{name}.result")
        self.picture = Hierarchy(f"{name}.picture")
        self.parts = StackedBars(
            f"{name}.parts", "Where does the time go?", "mean response time", "s", TERMS, nothing="no answer"
        )
        self.root = column(
            row(self.picture.figure, sizing_mode="stretch_width"),  # a row of its own: not as narrow as the bars below
            self.parts.figure,
            sizing_mode="stretch_width",
        )

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`, which may still be growing."""
        self.result.data = result.arrays()
        self.picture.show(inputs, result, result.rows(chosen=True)[0])
        style.change(self.parts.figure, height=150 + 34 * len(result))
        names = [f"{result['place'][i]:.0f}  {_title(result, i)}" for i in range(len(result))]
        self.parts.show(names, {term: result[term] for term in TERMS}, format_seconds)

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = []
        for i in range(len(result)):
            said = (
                f"saturated, by {result['saturated'][i]}" if result["saturated"][i] else _time(result["response_s"][i])
            )
            words.append(f"{result['configuration'][i]} {said}")
        source = f"{inputs.rate_hz:g} TPS" if inputs.arrivals != "terminals" else f"{inputs.terminals} terminals"
        drawn = result["configuration"][result.rows(chosen=True)[0]]
        return f"At {source}, mean response times: {'; '.join(words)}. Drawn: {drawn}."

    def recolour(self, dark: bool) -> None:
        self.picture.recolour(dark)
        self.parts.recolour(dark)


def _title(result, at: int) -> str:
    return f"{result['configuration'][at]}{' (saturated)' if result['saturated'][at] else ''}"


def _time(value: float) -> str:
    return format_seconds(value) if np.isfinite(value) else "not simulated yet"
