"""The chart of the study `plan_terms`: what the mean response time of one plan consists of."""

import numpy as np

from pagecost.planner.screening import TERMS
from pagecost.studies.finding import Finding, found
from pagecost.studies.plan.plan_terms import Inputs, total
from pagecost.units import format_seconds
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.stacked import StackedBars


class Chart(StudyChart[Inputs]):
    """One bar of the terms of the mean response time."""

    def __init__(self):
        super().__init__()
        self.parts = StackedBars(f"{self.name}.parts", "What does the response consist of?", "", "", TERMS)
        self.place(self.parts)

    def update(self, inputs: Inputs, result) -> None:
        times = dict(zip(result["term"], result["time_s"], strict=True))
        terms = {term: np.array([times[term]]) for term in TERMS}
        self.parts.show(["this plan"], terms, format_seconds, result.columns["time_s"])

    def describe(self, inputs: Inputs, result) -> Finding:
        plan = str(result.facts["title"].value)
        return found("{plan}: a transaction takes {time} on average, by formula.", plan=plan, time=total(result))
