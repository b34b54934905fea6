"""The charts of the study `disk_access_time`: the terms of an access as bars, and one access as a picture."""

from bokeh.layouts import column
from bokeh.models import ColumnDataSource, Whisker

from pagecost.devices.disk import TERMS
from pagecost.studies.disk.disk_access_time import PATTERNS, SERVICE, Inputs, one_access
from pagecost.units import format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.disk.platter import Platter
from pagecost_app.charts.stacked import StackedBars

NO_POINTS = {"name": [], "time": [], "low": [], "high": []}


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="disk_access_time.result")
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
        self.root = column(self.terms.figure, self.platter.root, sizing_mode="stretch_width")
        self.recolour(False)

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`."""
        self.result.data = result.arrays()
        names = [
            f"{disk} · {PATTERNS[pattern]}" for disk, pattern in zip(result["disk"], result["pattern"], strict=True)
        ]
        style.change(self.terms.figure.title, text=f"Where does the time of one {inputs.operation} go?")
        style.change(self.terms.figure, height=120 + 26 * len(names))
        self.terms.show(names, {term: result[f"theory_{term}"] for term in SERVICE}, format_seconds)
        total, half = result["access_s"], result["access_interval"]
        self.simulated.data = {"name": names, "time": total, "low": total - half, "high": total + half}
        self.platter.show(one_access(inputs), PATTERNS[inputs.shown_pattern], inputs.shown)

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = [
            f"{result['disk'][i]}, {PATTERNS[result['pattern'][i]]}: {format_seconds(result['theory_s'][i])} "
            f"by formula, {format_seconds(result['access_s'][i])} simulated"
            for i in range(len(result))
        ]
        return f"One {inputs.operation} takes: {'; '.join(words)}. {self.platter.words(one_access(inputs))}"

    def recolour(self, dark: bool) -> None:
        ink, ground = style.shades(dark)["ink"], style.shades(dark)["ground"]
        style.change(self.points.glyph, fill_color=ink, line_color=ground)
        for line in (self.whisker, self.whisker.lower_head, self.whisker.upper_head):
            style.change(line, line_color=ink)
        for part in (self.terms, self.platter):
            part.recolour(dark)
