"""The charts of the study `response_goal`: the percentile over the rate with the goal and the knees, and the money."""

import numpy as np
from bokeh.models import ColumnDataSource

from pagecost.studies.plan.response_goal import Inputs
from pagecost.studies.plan.response_goal_said import CURVE, FORMULA
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.marks import PaleLines
from pagecost_app.charts.plan.goal_parts import Costs, GoalLine, Knees, nearest
from pagecost_app.charts.series import LegendStrip, SeriesFigure, by_slot, no_data, replace

TOOLTIPS = [("", "@name"), ("requests", "@rate"), ("takes", "@time"), ("measured", "@count requests")]
SHOWN_UP_TO = 30.0  # times the goal: what the formula says beyond is of no use to anybody
LEAST_SHOWN = 5.0  # an interval that goes down to 0 has no end on a logarithmic axis


class Chart(StudyChart[Inputs]):
    """A line per drive with its interval as a band and its knee ringed, the goal across, and what the drives cost."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("response_goal.legend")
        self.curve = SeriesFigure(
            "response_goal.curve",
            "How many requests does one drive answer in time? (knees ringed; pale: by formula)",
            "",
            "",
            TOOLTIPS,
            x_axis_type="log",
            y_axis_type="log",
            height=420,
        )
        self.bands = [
            self.curve.figure.varea(
                "x",
                "low",
                "high",
                source=ColumnDataSource(_no_band(), name=f"response_goal.band.{slot}"),
                fill_alpha=0.2,
            )
            for slot in range(style.SLOTS)
        ]
        self.pale = PaleLines(self.curve, "response_goal.formula")
        self.goal = GoalLine(self.curve)
        self.knees = Knees(self.curve, "response_goal.knees")
        self.rings = self.knees.source
        self.curve.figure.xaxis.formatter = style.prefixed("")
        self.curve.figure.yaxis.formatter = style.prefixed("s")
        self.costs = Costs("response_goal.costs")
        self.place(self.legend, self.curve, self.costs)
        self.inked += self.knees.inked
        self.coloured.append(self.knees)
        self.muted += [*self.goal.muted, *self.costs.muted]
        self.recolour(False)

    def update(self, inputs: Inputs, result) -> None:
        devices = [str(name) for name in result["device"]][: style.SLOTS]
        self.legend.show([result.cell("device", row) for row in range(len(devices))])
        lines = [_line(result, device) for device in devices]
        self.curve.show_all(line for line, _ in lines)
        for slot, band in by_slot(band for _, band in lines):
            replace(self.bands[slot].data_source, band if "low" in band else _no_band())
        self.pale.show_all(_formula(inputs, result, device) for device in devices)
        style.change(self.curve.figure.yaxis[0], axis_label=f"p{100 * inputs.share:g} of the response times")
        for curve in (result.tables[name] for name in (CURVE, FORMULA) if name in result.tables):
            style.change(self.curve.figure.xaxis[0], axis_label=curve.columns["drive_hz"].label)
        self.goal.update(inputs, [x for line, _ in lines for x in line["x"]])
        self.knees.show(*_knees(inputs, result))
        self.costs.update(inputs, result, devices)

    def recolour(self, dark: bool) -> None:
        super().recolour(dark)
        self.pale.recolour(dark)
        for band, colour in zip(self.bands, style.colours(dark), strict=True):
            band.glyph.fill_color = colour


def _line(result, device: str) -> tuple[dict, dict]:
    """A drive's percentile at every simulated rate, and the band of its interval."""
    rows = result.rows_in(CURVE, device=device)
    if not rows.size:
        return no_data(), _no_band()
    table = result.tables[CURVE]
    x, y = table["drive_hz"][rows], table["response_s"][rows]
    high = table["high_s"][rows]
    words = {"name": "device", "rate": "drive_hz", "time": "response_s", "count": "requests"}
    line = {"x": x, "y": y} | {word: [table.columns[name].cell(at) for at in rows] for word, name in words.items()}
    return line, {
        "x": x,
        "low": np.maximum(table["low_s"][rows], y / LEAST_SHOWN),
        "high": np.where(np.isfinite(high), high, y),
    }


def _formula(inputs: Inputs, result, device: str) -> dict:
    rows = result.rows_in(FORMULA, device=device)
    if not rows.size:
        return no_data()
    table = result.tables[FORMULA]
    near = rows[table["response_s"][rows] <= SHOWN_UP_TO * inputs.within_s]
    return {"x": table["drive_hz"][near], "y": table["response_s"][near]}


def _knees(inputs: Inputs, result) -> tuple[np.ndarray, list[float]]:
    """For every drive that has a knee the requests a second at one drive, and the percentile there."""
    if "knee_hz" not in result.columns:
        return np.empty(0), []
    rows = np.flatnonzero(result["knee_hz"] > 0)
    rows = rows[np.argsort(result["knee_hz"][rows])]
    per_reference = result.facts["drive_rate_hz"].number / inputs.rate_hz
    x = result["knee_hz"][rows] * per_reference
    y = [
        nearest(result, "drive_hz", rate, device=str(result["device"][row])) for row, rate in zip(rows, x, strict=True)
    ]
    return x, y


def _no_band() -> dict:
    return {"x": [], "low": [], "high": []}
