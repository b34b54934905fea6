"""The chart of the study `shingled_disk`: writes per second over what was written, where the caches end."""

from pagecost.studies.disk.shingled_disk import PATTERNS, SERIES, Inputs, names_of
from pagecost.units import format_bytes
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import LegendStrip, SeriesFigure

TOOLTIPS = [("", "@series"), ("written before", "@written"), ("writes per second", "@y{0.[00] a}"), ("", "@rate")]


class Chart(StudyChart[Inputs]):
    """One line per disk and cache over what was written before."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("shingled_disk.legend")
        self.rate = SeriesFigure(
            "shingled_disk.rate",
            "",
            "",
            "",
            TOOLTIPS,
            x_axis_type="log",
            y_axis_type="log",
            height=440,
        )
        self.rate.figure.xaxis.formatter = style.prefixed("B")
        self.place(self.legend, self.rate)

    def update(self, inputs: Inputs, result) -> None:
        names = names_of(inputs)
        self.legend.show(list(names.values()))
        style.label(self.rate.figure.xaxis[0], result.columns["written_bytes"], ticks=False)
        style.label(self.rate.figure.yaxis[0], result.columns["iops"])
        title = f"How long are {PATTERNS[inputs.pattern]} writes of {format_bytes(inputs.request_bytes)} fast?"
        style.change(self.rate.figure.title, text=title)
        for number, series in enumerate(SERIES):
            rows = result.rows(series=series)
            self.rate.show(
                number,
                {
                    "x": result["written_bytes"][rows],
                    "y": result["iops"][rows],
                    "series": [names[series]] * rows.size,
                    "written": [result.cell("written_bytes", row) for row in rows],
                    "rate": [result.cell("throughput_bytes_per_s", row) for row in rows],
                },
            )
