"""The chart of the study `policy_ranking`: what each policy costs, and where the least possible cost must lie."""

import numpy as np
from bokeh.models import ColumnDataSource
from bokeh.models.annotations import Span

from pagecost import devices
from pagecost.studies.buffer.policy_ranking import PER_THOUSAND, Inputs, least_possible
from pagecost.units import grouped, so_many
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.stacked import StackedBars
from pagecost_app.charts.words import beside

TERMS = {"reading": "misses (page reads)", "writing": "write-backs, in page reads"}
LEAST = "least possible"
BAR_HEIGHT, FRAME_HEIGHT = 24, 130  # pixels


class Chart(StudyChart[Inputs]):
    """A bar per policy, the cheapest on top, and below them the range of the least possible cost."""

    def __init__(self):
        super().__init__()
        self.cost = StackedBars("policy_ranking.cost", "", PER_THOUSAND, "", TERMS, height=640)
        self.least = ColumnDataSource({"name": [], "low": [], "high": [], "text": []}, name="policy_ranking.least")
        figure = self.cost.figure
        self.fence = figure.hbar("name", left="low", right="high", height=0.62, source=self.least, fill_alpha=0.5)
        self.words = beside(figure, self.least, "high")
        self.low, self.high = (Span(dimension="height", line_width=1.5, line_dash="dashed") for _ in range(2))
        for annotation in (self.low, self.high):
            figure.add_layout(annotation)
        self.place(self.cost)
        self.inked += [self.fence.glyph, self.words, self.low, self.high]
        self.recolour(False)

    def update(self, inputs: Inputs, result) -> None:
        names = result.columns["policy"].cells()
        titles = [f"{name} *" if offline else name for name, offline in zip(names, result["offline"], strict=True)]
        style.change(
            self.cost.figure.title,
            text=f"What do {grouped(1000)} references cost, with {so_many(inputs.frames, 'frame')} on "
            f"{devices.title_of(inputs.device)}? (*: sees ahead)",
        )
        style.change(self.cost.figure, height=FRAME_HEIGHT + BAR_HEIGHT * len(names))
        self.cost.show(titles, {term: np.asarray(result[term], float) for term in TERMS}, grouped)
        low, high = least_possible(result)
        style.change(self.cost.range, factors=[*reversed(titles), LEAST])
        self.least.data = {"name": [LEAST], "low": [low], "high": [high], "text": [_in_words(low, high)]}
        style.change(self.low, location=low)
        style.change(self.high, location=high)

    def recolour(self, dark: bool) -> None:
        super().recolour(dark)
        style.change(self.fence.glyph, fill_color=style.shades(dark)["ink"])


def _in_words(low: float, high: float) -> str:
    return f"between {grouped(low)} and {grouped(high)}" if low < high else grouped(low)
