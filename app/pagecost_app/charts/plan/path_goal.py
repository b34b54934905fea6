"""The chart of the study `path_goal`: the percentile over the rate, the knees, the money, and the least buffer."""

import numpy as np
from bokeh.models import ColumnDataSource

from pagecost.studies.plan.path_goal import Inputs
from pagecost.studies.plan.path_goal_said import BUFFERS, LOG_COST
from pagecost.studies.plan.response_goal_said import CURVE
from pagecost.units import bytes_alike
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.marks import chosen_line
from pagecost_app.charts.plan.goal_parts import Costs, GoalLine, Knees, nearest
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data, replace
from pagecost_app.charts.stacked import StackedBars

LEAST_SHOWN = 10.0  # an interval that goes down to 0 has no end on a logarithmic axis
TOOLTIPS = [("", "@name"), ("transactions a second", "@rate"), ("takes", "@time")]


class Chart(StudyChart[Inputs]):
    """A line per drive, its knee ringed with its interval, the goal across, the asked rate, costs and buffers."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("path_goal.legend")
        self.curve = SeriesFigure(
            "path_goal.curve",
            "How many transactions does the path answer in time? (knees ringed, with intervals; dotted: what comes)",
            "",
            "",
            TOOLTIPS,
            x_axis_type="log",
            y_axis_type="log",
            height=420,
        )
        self.bars = ColumnDataSource({"low": [], "high": [], "y": []}, name="path_goal.intervals")
        bar = self.curve.figure.segment("low", "y", "high", "y", source=self.bars, line_width=7, line_alpha=0.5)
        self.goal = GoalLine(self.curve)
        self.asked = chosen_line(self.curve, line_alpha=1, line_dash="dotted")
        self.knees = Knees(self.curve, "path_goal.knees")
        self.rings = self.knees.source
        self.curve.figure.xaxis.formatter = style.prefixed("")
        self.curve.figure.yaxis.formatter = style.prefixed("s")
        self.costs = Costs("path_goal.costs", {LOG_COST: "the log's own devices, in all"})
        self.buffers = StackedBars(
            "path_goal.buffers", "", "", "B", {"least": "least buffer"}, height=220, nothing="none that was tried"
        )
        self.place(self.legend, self.curve, self.costs, self.buffers)
        self.inked += [bar.glyph, *self.knees.inked]
        self.coloured.append(self.knees)
        self.muted += [*self.goal.muted, self.asked, *self.costs.muted]
        self.recolour(False)

    def update(self, inputs: Inputs, result) -> None:
        devices = [str(name) for name in result["device"]][: style.SLOTS]
        self.legend.show([result.cell("device", row) for row in range(len(devices))])
        lines = [_line(inputs, result, device) for device in devices]
        self.curve.show_all(lines)
        style.change(self.curve.figure.xaxis[0], axis_label=result.tables[CURVE].columns["path_hz"].label)
        style.change(self.curve.figure.yaxis[0], axis_label=f"p{100 * inputs.share:g} of the response times")
        self.goal.update(inputs, [x for line in lines for x in line["x"]])
        style.change(self.asked, location=inputs.rate_hz)
        rows = np.flatnonzero(result["knee_hz"] > 0)
        rows = rows[np.argsort(result["knee_hz"][rows])]
        rates = result["knee_hz"][rows]
        times_s = [
            nearest(result, "path_hz", rate, device=str(result["device"][row]), seed=inputs.seed)
            for row, rate in zip(rows, rates, strict=True)
        ]
        self.knees.show(rates, times_s)
        low = np.maximum(result["knee_low_hz"][rows], rates / LEAST_SHOWN)
        replace(self.bars, {"low": low, "high": result["knee_high_hz"][rows], "y": times_s})
        self.costs.update(inputs, result, devices)
        self._buffers(inputs, result, devices)

    def _buffers(self, inputs: Inputs, result, devices: list[str]) -> None:
        many = f"{inputs.drive_count} drives" if inputs.drive_count > 1 else "one drive"
        style.change(self.buffers.figure.title, text=f"How large must the buffer be with {many}?")
        found = result.tables.get(BUFFERS)  # of those of which it is known by now
        rows = [row for device in devices for row in result.rows_in(BUFFERS, device=device)] if found else []
        names = [found.columns["device"].cell(row) for row in rows]
        least = found["buffer_bytes"][rows] if found else np.zeros(0)
        asked_bytes = float(inputs.frames * inputs.page_bytes)
        self.buffers.show(names, {"least": least}, bytes_alike(least), empty_end=asked_bytes)


def _line(inputs: Inputs, result, device: str) -> dict:
    """A drive's percentile at every rate that was simulated with the first seed."""
    rows = result.rows_in(CURVE, device=device, seed=inputs.seed)
    if not rows.size:
        return no_data()
    table = result.tables[CURVE]
    words = {"name": "device", "rate": "path_hz", "time": "response_s"}
    return {"x": table["path_hz"][rows], "y": table["response_s"][rows]} | {
        word: [table.columns[name].cell(at) for at in rows] for word, name in words.items()
    }
