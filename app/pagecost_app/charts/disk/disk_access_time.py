"""The charts of the study `disk_access_time`: the terms of an access as bars, and one access as a picture."""

from bokeh.models import ColumnDataSource
from bokeh.models.annotations import Whisker

from pagecost.devices.disk import TERMS
from pagecost.studies.disk.disk_access_time import PATTERNS, SERVICE, Inputs, one_access
from pagecost.units import format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.disk.platter import Platter
from pagecost_app.charts.stacked import StackedBars

NO_POINTS: dict[str, list] = {"name": [], "time": [], "low": [], "high": []}


class Chart(StudyChart[Inputs]):
    """Bars by formula with the simulated means upon them, and a picture of one access."""

    def __init__(self):
        super().__init__()
        terms = {name: TERMS[name] for name in SERVICE}
        self.terms = StackedBars(
            "disk_access_time.terms", "", "time of one access (bars: formula; diamonds: simulated)", "s", terms
        )
        self.simulated = ColumnDataSource(dict(NO_POINTS), name="disk_access_time.simulated")
        self.points = self.terms.figure.scatter(
            "time", "name", source=self.simulated, marker="diamond", size=9, line_width=1
        )
        self.whisker = Whisker(base="name", lower="low", upper="high", dimension="width", source=self.simulated)
        self.terms.figure.add_layout(self.whisker)
        self.platter = Platter("disk_access_time.platter")
        self.place(self.terms, self.platter)
        self.inked += [self.whisker, self.whisker.lower_head, self.whisker.upper_head]
        self.recolour(False)

    def update(self, inputs: Inputs, result) -> None:
        names = [f"{result.cell('disk', row)} · {result.cell('pattern', row)}" for row in range(len(result))]
        style.change(self.terms.figure.title, text=f"Where does the time of one {inputs.operation} go?")
        style.change(self.terms.figure, height=120 + 26 * len(names))
        self.terms.show(names, {term: result[f"theory_{term}"] for term in SERVICE}, format_seconds)
        total, half = result["access_s"], result["access_interval"]
        self.simulated.data = {"name": names, "time": total, "low": total - half, "high": total + half}
        self.platter.show(one_access(inputs), PATTERNS[inputs.shown_pattern], inputs.shown)

    def recolour(self, dark: bool) -> None:
        ink, ground = style.shades(dark)["ink"], style.shades(dark)["ground"]
        style.change(self.points.glyph, fill_color=ink, line_color=ground)
        super().recolour(dark)
