"""The charts of the study `disk_scheduling`: rate and slowest responses over the queue depth, one service apart."""

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, FixedTicker, Span, Whisker

from pagecost.devices.disk import SCHEDULERS, TERMS
from pagecost.studies.disk.disk_scheduling import SERVICE, Inputs, detail_rows
from pagecost.units import format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data
from pagecost_app.charts.stacked import StackedBars

TOOLTIPS = [
    ("scheduler", "@scheduler"),
    ("queue depth", "@x"),
    ("requests per second", "@rate"),
    ("mean response", "@response"),
    ("99 % within", "@slowest"),
]
NO_BARS = {"x": [], "low": [], "high": []}


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="disk_scheduling.result")
        self.legend = LegendStrip("disk_scheduling.legend")
        self.rate = SeriesFigure(
            "disk_scheduling.rate",
            "Requests per second (thin line: FCFS by formula)",
            "queue depth",
            "requests per second",
            TOOLTIPS,
            x_axis_type="log",
            height=330,
        )
        self.rate.figure.y_range.start = 0
        self.slowest = SeriesFigure(
            "disk_scheduling.slowest",
            "How long do the slowest wait? (99 % are faster)",
            "queue depth",
            "response time",
            TOOLTIPS,
            x_axis_type="log",
            y_axis_type="log",
            height=330,
        )
        self.rate.figure.yaxis.formatter = style.prefixed("")
        self.slowest.figure.yaxis.formatter = style.prefixed("s")
        self.slowest.figure.x_range = self.rate.figure.x_range
        self.interval = ColumnDataSource(dict(NO_BARS), name="disk_scheduling.interval")
        muted = style.LIGHT["muted"]
        self.whisker = Whisker(base="x", lower="low", upper="high", source=self.interval, line_color=muted)
        self.rate.figure.add_layout(self.whisker)
        self.theory = Span(dimension="width", line_width=1, line_dash="dashed", line_color=muted)
        self.rate.figure.add_layout(self.theory)
        terms = {name: TERMS[name] for name in SERVICE}
        self.detail = StackedBars("disk_scheduling.detail", "", "time of one request on the disk", "s", terms)
        self.root = column(
            self.legend.figure,
            row(self.rate.figure, self.slowest.figure, sizing_mode="stretch_width"),
            self.detail.figure,
            sizing_mode="stretch_width",
        )

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`, which may still be growing."""
        self.result.data = result.arrays()
        self.legend.show([SCHEDULERS[name].title for name in inputs.schedulers])
        for number in range(style.SLOTS):
            shown = number < len(inputs.schedulers)
            line = _line(result, inputs.schedulers[number]) if shown else None
            self.rate.show(number, {**line, "y": line["iops"]} if shown else no_data())
            self.slowest.show(number, {**line, "y": line["response_99_s"]} if shown else no_data())
        rate, half = result["iops"], result["iops_interval"]
        self.interval.data = {"x": result["depth"], "low": rate - half, "high": rate + half}
        # times FCFS is the rate over the formula's, so any row gives the formula back
        style.change(self.theory, location=float(rate[0] / result["gain"][0]))
        labels = {depth: str(depth) for depth in inputs.all_depths}
        for panel in (self.rate, self.slowest):
            axis = panel.figure.xaxis[0]
            if axis.major_label_overrides != labels:
                axis.update(ticker=FixedTicker(ticks=list(labels), minor_ticks=[]), major_label_overrides=labels)
        rows = detail_rows(inputs, result)
        title = f"Where does the disk's time go with {inputs.detail_depth} requests outstanding?"
        style.change(self.detail.figure.title, text=title)
        style.change(self.detail.figure, height=120 + 34 * len(inputs.schedulers))
        names = [SCHEDULERS[name].title for name in result["scheduler"][rows]]
        self.detail.show(names, {term: result[term][rows] for term in SERVICE}, format_seconds)

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = [
            f"{SCHEDULERS[result['scheduler'][i]].title} {result['iops'][i]:.0f} requests/s "
            f"({result['gain'][i]:.2f} times first come, first served; 99 % within "
            f"{format_seconds(result['response_99_s'][i])})"
            for i in detail_rows(inputs, result)
        ]
        return f"{inputs.disk} with {inputs.detail_depth} requests outstanding: {'; '.join(words)}."

    def recolour(self, dark: bool) -> None:
        muted = style.shades(dark)["muted"]
        self.theory.line_color = muted
        self.whisker.line_color = muted
        for head in (self.whisker.lower_head, self.whisker.upper_head):
            head.line_color = muted
        for part in (self.legend, self.rate, self.slowest, self.detail):
            part.recolour(dark)


def _line(result, scheduler: str) -> dict:
    rows = result.rows(scheduler=scheduler)
    rows = rows[np.argsort(result["depth"][rows], kind="stable")]
    half = result["iops_interval"][rows]
    return {
        "x": result["depth"][rows],
        "iops": result["iops"][rows],
        "response_99_s": result["response_99_s"][rows],
        "scheduler": [SCHEDULERS[scheduler].title] * rows.size,
        "rate": [f"{rate:.4g} ± {width:.2g}" for rate, width in zip(result["iops"][rows], half, strict=True)],
        "response": [format_seconds(time) for time in result["response_s"][rows]],
        "slowest": [format_seconds(time) for time in result["response_99_s"][rows]],
    }
