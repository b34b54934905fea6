"""The charts of the study `transaction_configurations`: one hierarchy as a picture, all response times beside it."""

import numpy as np

from pagecost.answers.transaction_runs import TERMS
from pagecost.studies.transactions.transaction_configurations import Inputs, drawn
from pagecost.studies.transactions.transaction_system import overloaded
from pagecost.units import format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.stacked import StackedBars
from pagecost_app.charts.transactions.hierarchy import Hierarchy


class Chart(StudyChart[Inputs]):
    """One configuration as a picture, and the response times of all as bars."""

    def __init__(self):
        super().__init__()
        self.picture = Hierarchy(f"{self.name}.picture")
        self.parts = StackedBars(
            f"{self.name}.parts", "Where does the time go?", "mean response time", "s", TERMS, nothing="no answer"
        )
        self.place((self.picture,), self.parts)  # the picture in a row of its own: not as narrow as the bars below

    def update(self, inputs: Inputs, result) -> None:
        self.picture.show(inputs, result)
        style.change(self.parts.figure, height=150 + 34 * max(len(result), 1))
        names = [f"{result['place'][i]:.0f}  {result['configuration'][i]}" for i in range(len(result))]
        self.parts.show(names, {term: result[term] for term in TERMS}, format_seconds)

    def describe(self, inputs: Inputs, result) -> str:
        words = [f"{result['configuration'][i]} {_time(result['response_s'][i])}" for i in range(len(result))]
        words += [f"{name} saturated, by {station}" for name, station in overloaded(result).items()]
        source = f"{inputs.rate_hz:g} TPS" if inputs.arrivals != "terminals" else f"{inputs.terminals} terminals"
        return f"At {source}, mean response times: {'; '.join(words)}. Drawn: {drawn(inputs)[1]}."


def _time(value: float) -> str:
    return format_seconds(value) if np.isfinite(value) else "not simulated yet"
