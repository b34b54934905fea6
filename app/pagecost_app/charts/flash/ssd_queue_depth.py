"""The charts of the study `ssd_queue_depth`: rate and slowest responses over the queue depth, one response apart."""

from pagecost.devices.ssd import TERMS
from pagecost.studies.flash.flash_fields import rate_text
from pagecost.studies.flash.ssd_queue_depth import LOADS, Inputs, detail_rows
from pagecost.units import format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import LegendStrip, SeriesFigure
from pagecost_app.charts.stacked import StackedBars

TOOLTIPS = [
    ("load", "@load"),
    ("queue depth", "@x"),
    ("requests per second", "@rate"),
    ("steady", "@steady"),
    ("throughput", "@throughput"),
    ("mean response", "@mean"),
    ("99 % within", "@p99"),
    ("99.9 % within", "@p999"),
    ("dies busy", "@dies{0 %}"),
]


class Chart(StudyChart[Inputs]):
    """A line per load of its rate and of its slowest responses, and a bar of its mean response."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("ssd_queue_depth.legend")
        axes = {"x_axis_type": "log", "y_axis_type": "log", "height": 330}
        self.rate = SeriesFigure(
            "ssd_queue_depth.rate",
            "How many requests per second?",
            "",
            "",
            TOOLTIPS,
            **axes,
        )
        self.slowest = SeriesFigure(
            "ssd_queue_depth.slowest",
            "How long do the slowest take? (99 % are faster)",
            "",
            "",
            TOOLTIPS,
            **axes,
        )
        self.rate.figure.yaxis.formatter = style.prefixed("")
        self.slowest.figure.yaxis.formatter = style.prefixed("s")
        self.slowest.figure.x_range = self.rate.figure.x_range
        self.detail = StackedBars("ssd_queue_depth.detail", "", "mean response time", "s", TERMS)
        self.place(self.legend, (self.rate, self.slowest), self.detail)

    def update(self, inputs: Inputs, result) -> None:
        self.legend.show([LOADS[load][0] for load in inputs.loads])
        lines = [_line(result, load) for load in inputs.loads]
        self.rate.show_all({**line, "y": line["iops"]} for line in lines)
        self.slowest.show_all({**line, "y": line["p99_s"]} for line in lines)
        labels = {depth: str(depth) for depth in inputs.all_depths}
        for panel in (self.rate, self.slowest):
            style.ticks_at(panel.figure.xaxis[0], labels)
        for panel, name in ((self.rate, "iops"), (self.slowest, "p99_s")):
            style.name_axes(panel.figure, result.columns["depth"], result.columns[name])
        rows = detail_rows(inputs, result)
        title = f"Where does the time go with {inputs.detail_depth} requests outstanding?"
        style.change(self.detail.figure.title, text=title)
        style.change(self.detail.figure, height=150 + 34 * len(inputs.loads))
        names = [result.cell("load", i) for i in rows]
        self.detail.show(names, {term: result[term][rows] for term in TERMS}, format_seconds)


def _line(result, load: str) -> dict:
    rows = result.rows(load=load)
    names = {"throughput": "throughput_bytes_per_s", "mean": "mean_s", "p99": "p99_s", "p999": "p999_s"}
    return {
        "x": result["depth"][rows],
        "iops": result["iops"][rows],
        "p99_s": result["p99_s"][rows],
        "rate": [rate_text(result, i) for i in rows],
        "dies": result["die_utilisation"][rows],
        **{name: [result.cell(name, i) for i in rows] for name in ("load", "steady")},
        **{name: [result.cell(column, i) for i in rows] for name, column in names.items()},
    }
