"""The charts of the study `disk_arrays`: largest throughput and response time over the number of disks."""

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, FixedTicker

from pagecost.studies.disk.disk_arrays import DISKS, TITLES, Inputs
from pagecost.units import format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data

TOOLTIPS = [
    ("", "@level"),
    ("disks", "@x"),
    ("largest throughput", "@iops requests/s"),
    ("by formula", "@theory_iops requests/s"),
    ("mean response", "@response"),
]


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="disk_arrays.result")
        self.legend = LegendStrip("disk_arrays.legend")
        self.rate = _figure("rate", "How many requests can it take? (pale: formula)", "requests per second")
        self.response = _figure("response", "", "mean response (pale: formula)")
        self.rate.figure.yaxis.formatter = style.prefixed("")
        self.response.figure.yaxis.formatter = style.prefixed("s")
        self.theory = {
            (name, number): panel.figure.line(
                "x",
                "y",
                source=ColumnDataSource(no_data(), name=f"disk_arrays.{name}.theory.{number}"),
                line_color=colour,
                line_width=6,
                line_alpha=0.25,
            )
            for name, panel in (("rate", self.rate), ("response", self.response))
            for number, colour in enumerate(style.LIGHT_COLOURS)
        }
        self.root = column(
            self.legend.figure,
            row(self.rate.figure, self.response.figure, sizing_mode="stretch_width"),
            sizing_mode="stretch_width",
        )

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`."""
        self.result.data = result.arrays()
        self.legend.show([TITLES[level] for level in inputs.levels])
        title = f"How long does one take at {inputs.requests_per_s:g} a second?"
        style.change(self.response.figure.title, text=title)
        for number in range(style.SLOTS):
            shown = number < len(inputs.levels)
            line = _line(result, inputs.levels[number]) if shown else None
            for name, panel in (("rate", self.rate), ("response", self.response)):
                panel.show(number, {**line, "y": line[f"{name}_y"]} if shown else no_data())
                theory = self.theory[name, number].data_source
                theory.data = {"x": line["x"], "y": line[f"theory_{name}"]} if shown else no_data()

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = []
        for i in result.rows(disks=8):
            response = _words(result["response_s"][i])
            words.append(
                f"{TITLES[result['level'][i]]} {result['iops'][i]:.0f} requests/s at most, response {response}"
            )
        return (
            f"Eight {inputs.disk} with {inputs.write_share:.0%} writes, {inputs.requests_per_s:g} requests a second: "
            f"{'; '.join(words)}."
        )

    def recolour(self, dark: bool) -> None:
        for (_, number), line in self.theory.items():
            line.glyph.line_color = style.colours(dark)[number]
        for part in (self.legend, self.rate, self.response):
            part.recolour(dark)


def _figure(name: str, title: str, y_label: str) -> SeriesFigure:
    made = SeriesFigure(f"disk_arrays.{name}", title, "disks", y_label, TOOLTIPS, height=360)
    made.figure.xaxis.ticker = FixedTicker(ticks=list(DISKS))
    made.figure.y_range.start = 0
    return made


def _line(result, level: str) -> dict:
    rows = result.rows(level=level)
    return {
        "x": result["disks"][rows],
        "rate_y": result["iops"][rows],
        "response_y": result["response_s"][rows],
        "response": [
            format_seconds(time) if np.isfinite(time) else "overloaded" for time in result["response_s"][rows]
        ],
        "theory_rate": result["theory_iops"][rows],
        "theory_response": result["theory_s"][rows],
        "level": [TITLES[level]] * rows.size,
        "iops": [f"{rate:.4g}" for rate in result["iops"][rows]],
        "theory_iops": [f"{rate:.4g}" for rate in result["theory_iops"][rows]],
    }


def _words(response_s: float) -> str:
    return format_seconds(response_s) if np.isfinite(response_s) else "overloaded"
