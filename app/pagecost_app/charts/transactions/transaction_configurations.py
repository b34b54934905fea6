"""The charts of the study `transaction_configurations`: one hierarchy as a picture, all response times beside it."""

from pagecost.answers.transaction_runs import TERMS
from pagecost.studies.transactions.transaction_configurations import Inputs
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
        self.parts = StackedBars(f"{self.name}.parts", "Where does the time go?", "", "", TERMS, nothing="no answer")
        self.place((self.picture,), self.parts)  # the picture in a row of its own: not as narrow as the bars below

    def update(self, inputs: Inputs, result) -> None:
        self.picture.show(inputs, result)
        style.change(self.parts.figure, height=150 + 34 * max(len(result), 1))
        names = [f"{result['place'][i]:.0f}  {result['configuration'][i]}" for i in range(len(result))]
        terms = {term: result[term] for term in TERMS}
        self.parts.show(names, terms, format_seconds, result.columns["response_s"])
