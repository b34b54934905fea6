"""The charts of the study `ssd_queue_depth`: rate and slowest responses over the queue depth, one response apart."""

from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, FixedTicker

from pagecost.devices.ssd import TERMS
from pagecost.studies.flash.flash_fields import rate_text
from pagecost.studies.flash.ssd_queue_depth import LOADS, Inputs, detail_rows
from pagecost.units import format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data
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


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="ssd_queue_depth.result")
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
        self.root = column(
            self.legend.figure,
            row(self.rate.figure, self.slowest.figure, sizing_mode="stretch_width"),
            self.detail.figure,
            sizing_mode="stretch_width",
        )

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`, which may still be growing."""
        self.result.data = result.arrays()
        self.legend.show([LOADS[load][0] for load in inputs.loads])
        for number in range(style.SLOTS):
            shown = number < len(inputs.loads)
            line = _line(result, inputs.loads[number]) if shown else None
            self.rate.show(number, {**line, "y": line["iops"]} if shown else no_data())
            self.slowest.show(number, {**line, "y": line["p99_s"]} if shown else no_data())
        labels = {depth: str(depth) for depth in inputs.all_depths}
        for panel in (self.rate, self.slowest):
            axis = panel.figure.xaxis[0]
            if axis.major_label_overrides != labels:
                axis.update(ticker=FixedTicker(ticks=list(labels), minor_ticks=[]), major_label_overrides=labels)
        for panel, name in ((self.rate, "iops"), (self.slowest, "p99_s")):
            style.name_axes(panel.figure, result.columns["depth"], result.columns[name])
        rows = detail_rows(inputs, result)
        title = f"Where does the time go with {inputs.detail_depth} requests outstanding?"
        style.change(self.detail.figure.title, text=title)
        style.change(self.detail.figure, height=150 + 34 * len(inputs.loads))
        names = [result.cell("load", i) for i in rows]
        self.detail.show(names, {term: result[term][rows] for term in TERMS}, format_seconds)

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = [
            f"{result.cell('load', i)} {rate_text(result, i)} requests/s (mean {result.cell('mean_s', i)}, "
            f"99 % within {result.cell('p99_s', i)})"
            for i in detail_rows(inputs, result)
        ]
        return f"{inputs.ssd_name} with {inputs.detail_depth} requests outstanding: {'; '.join(words)}."

    def recolour(self, dark: bool) -> None:
        for part in (self.legend, self.rate, self.slowest, self.detail):
            part.recolour(dark)


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
