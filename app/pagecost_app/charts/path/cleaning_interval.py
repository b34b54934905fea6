"""The charts of the study `cleaning_interval`: what is lost, and what the cleaner moves, over its interval."""

import numpy as np
from bokeh.models import NumeralTickFormatter

from pagecost.studies.path.cleaning_interval import Inputs, line_of
from pagecost.units import format_bytes, format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import LegendStrip, SeriesFigure

TOOLTIPS = [
    ("", "@name"),
    ("the cleaner wakes every", "@interval"),
    ("transactions per minute", "@tpm{0,0} ± @half{0,0}"),
    ("lost", "@loss{0.0 %}"),
    ("the cleaner moves", "@moved"),
]


class Chart(StudyChart[Inputs]):
    """A line per system, over the interval of the cleaner."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip(f"{self.name}.legend")
        options = {"x_axis_type": "log", "height": 380}
        self.loss = SeriesFigure(
            f"{self.name}.loss", "How much throughput is lost to cleaning?", "", "", TOOLTIPS, **options
        )
        self.moved = SeriesFigure(
            f"{self.name}.moved", "How much does the cleaner read and write?", "", "", TOOLTIPS, **options
        )
        self.loss.figure.yaxis.formatter = NumeralTickFormatter(format="0 %")
        self.moved.figure.yaxis.formatter = style.prefixed("B/s")
        self.place(self.legend, (self.loss, self.moved))

    def update(self, inputs: Inputs, result) -> None:
        systems = list(dict.fromkeys(line_of(result, row, inputs) for row in range(len(result))))
        self.legend.show(systems)
        lines = [_line(inputs, result, system) for system in systems]
        self.loss.show_all({**line, "y": line["loss"]} for line in lines)
        self.moved.show_all({**line, "y": line["bytes"]} for line in lines)
        ticks = {interval: format_seconds(interval) for interval in sorted(inputs.intervals_s)}
        for made, name in ((self.loss, "loss"), (self.moved, "cleaned_bytes_per_s")):
            style.ticks_at(made.figure.xaxis[0], ticks)
            style.name_axes(made.figure, result.columns["interval_s"], result.columns[name])


def _line(inputs: Inputs, result, system: str) -> dict:
    rows = np.array(
        [row for row in range(len(result)) if result["interval_s"][row] and line_of(result, row, inputs) == system],
        int,
    )
    return {
        "x": result["interval_s"][rows],
        "y": result["loss"][rows],
        "loss": result["loss"][rows],
        "bytes": result["cleaned_bytes_per_s"][rows],
        "name": [system] * rows.size,
        "interval": [format_seconds(value) for value in result["interval_s"][rows]],
        "tpm": result["tpm"][rows],
        "half": result["half_width"][rows],
        "moved": [f"{format_bytes(value)}/s" for value in result["cleaned_bytes_per_s"][rows]],
    }
