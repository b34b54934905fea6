"""The charts of the study `joins_by_device`: joins over memory, over the cost of a random read, by device."""

import numpy as np

from pagecost.devices import title_of
from pagecost.studies.operators.joins_by_device import METHODS, OTHERS, Inputs
from pagecost.units import format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.dots import Dots
from pagecost_app.charts.marks import chosen_line
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data

LINES = (*METHODS, OTHERS)
MEMORY_TIPS = [("", "@name"), ("memory", "@where of R"), ("time", "@time")]
RATIO_TIPS = [("", "@name"), ("a random page costs", "@where × one in sequence"), ("time", "@time")]
MEMORY_TICKS = {0.01: "1 %", 0.03: "3 %", 0.1: "10 %", 0.3: "30 %", 1.0: "R fits", 3.0: "3 × R", 10.0: "10 × R"}


class Chart(StudyChart[Inputs]):
    """A line per join over memory and, of those that fetch late, over the cost of a random read; dots by device."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("joins_by_device.legend")
        axes = {"x_axis_type": "log", "y_axis_type": "log", "height": 360}
        self.memory = SeriesFigure("joins_by_device.memory", "", "", "", MEMORY_TIPS, **axes)
        self.ratio = SeriesFigure(
            "joins_by_device.ratio", "How cheap must a random read be for late fetching?", "", "", RATIO_TIPS, **axes
        )
        for made in (self.memory, self.ratio):
            made.figure.yaxis.formatter = style.prefixed("s")
        self.chosen = chosen_line(self.memory)
        self.muted.append(self.chosen)
        self.joins = Dots("joins_by_device.devices", "", "", "", {method: method for method in METHODS})
        self.place(self.legend, (self.memory, self.ratio), self.joins)

    def update(self, inputs: Inputs, result) -> None:
        self.legend.show(LINES)
        style.change(self.memory.figure.title, text=f"How do joins use memory? {title_of(inputs.device)}")
        for made, table, axis in ((self.memory, "memory", "memory"), (self.ratio, "ratio", "ratio")):
            columns = result.tables[table].columns
            style.name_axes(made.figure, columns[axis], columns["time_s"])
            made.show_all(_line(result, table, axis, name) for name in LINES)
        style.ticks_at(self.memory.figure.xaxis[0], MEMORY_TICKS)
        self.chosen.location = inputs.memory_share
        style.change(
            self.joins.figure.title, text=f"Which join is fastest where? Memory for {inputs.memory_share:.0%} of R"
        )
        times = {method: np.full(len(inputs.devices), np.nan) for method in METHODS}
        for at, device in enumerate(inputs.devices):
            for row in result.rows(device=device):
                times[str(result["method"][row])][at] = result["time_s"][row]
        names = [title_of(device) for device in inputs.devices]
        self.joins.show(names, times, [""] * len(names), format_seconds, axis=result.columns["time_s"])


def _line(result, of: str, axis: str, name: str) -> dict:
    kind = "method" if of == "memory" else "kind"
    rows = result.rows_in(of, **{kind: name})
    if not rows.size:
        return no_data() | {"name": [], "where": [], "time": []}
    table = result.tables[of]
    where = table[axis][rows]
    return {
        "x": where,
        "y": table["time_s"][rows],
        "name": [name] * rows.size,
        "where": [f"{share:.3g}" if of == "ratio" else f"{share:.0%}" for share in where],
        "time": [table.columns["time_s"].cell(row) for row in rows],
    }
