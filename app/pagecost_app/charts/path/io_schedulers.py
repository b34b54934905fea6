"""The charts of the study `io_schedulers`: throughput by scheduler, and what a response consists of."""

import numpy as np

from pagecost import oltp
from pagecost.answers.path_runs import Mean
from pagecost.studies.loop_fields import SCHEDULERS
from pagecost.studies.path.io_schedulers import Inputs, place_of
from pagecost.studies.path.path_answers import interval
from pagecost.units import format_seconds, grouped
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.dots import Dots
from pagecost_app.charts.stacked import StackedBars


class Chart(StudyChart[Inputs]):
    """A row per device and file system, a mark per scheduler; below, one response apart."""

    def __init__(self):
        super().__init__()
        self.rate = Dots(
            f"{self.name}.rate",
            "How many transactions with each scheduler?",
            "",
            "",
            SCHEDULERS,
            about="95 % within",
            spans=True,
        )
        self.parts = StackedBars(f"{self.name}.parts", "What does a response consist of?", "", "", oltp.TERMS)
        self.place(self.rate, self.parts)

    def update(self, inputs: Inputs, result) -> None:
        places = list(dict.fromkeys(place_of(result, row) for row in range(len(result))))
        tpm = {name: np.full(len(places), np.nan) for name in SCHEDULERS}
        half = {name: np.zeros(len(places)) for name in SCHEDULERS}
        said: list[list[str]] = [[] for _ in places]
        for row in range(len(result)):
            place, scheduler = places.index(place_of(result, row)), str(result["scheduler"][row])
            tpm[scheduler][place], half[scheduler][place] = result["tpm"][row], result["half_width"][row]
            rate = Mean(result["tpm"][row], result["half_width"][row])
            said[place].append(f"{SCHEDULERS[scheduler]} {interval(rate)}")
        words = ["; ".join(each) for each in said]
        spans = {name: (tpm[name] - half[name], tpm[name] + half[name]) for name in SCHEDULERS}
        self.rate.show(places, tpm, words, lambda value: f"{grouped(value)} per minute", spans, result.columns["tpm"])
        bars = [f"{place_of(result, row)}, {result.cell('scheduler', row)}" for row in range(len(result))]
        style.change(self.parts.figure, height=150 + 30 * len(bars))
        terms = {term: result[term] for term in oltp.TERMS}
        self.parts.show(bars, terms, format_seconds, result.columns["response_s"])
