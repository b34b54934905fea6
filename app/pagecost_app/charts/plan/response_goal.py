"""The charts of the study `response_goal`: the percentile over the rate with the goal and the knees, and the money."""

import numpy as np
from bokeh.models import ColumnDataSource, NumeralTickFormatter
from bokeh.models.annotations import Label

from pagecost import units
from pagecost.studies.finding import Finding, at, found, marked
from pagecost.studies.plan.goal_money import PAID
from pagecost.studies.plan.response_goal import Inputs
from pagecost.studies.plan.response_goal_said import COSTS, CURVE, FORMULA, NUMBERS, answered
from pagecost.units import format_cell, format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.marks import PaleLines, chosen_line
from pagecost_app.charts.series import LegendStrip, SeriesFigure, by_slot, no_data, replace
from pagecost_app.charts.stacked import StackedBars
from pagecost_app.charts.words import beside

TOOLTIPS = [("", "@name"), ("requests", "@rate"), ("takes", "@time"), ("measured", "@count requests")]
TERMS = {"purchase_usd": "drives", "worn_usd": "worn drives bought anew", "energy_usd": "energy"}
NO_COST = "not known, or out of reach"
APART, LOWER = 1.5, 1.25  # knees that are closer have their words below each other
ROOM = 0.3  # beside the lines, for the words at the knees
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
            "requests a second at one drive",
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
        self.goal = chosen_line(self.curve, "width", line_alpha=1, line_dash="dashed")
        self.word = Label(x=0, y=0, text="", y_offset=2, x_offset=4)
        self.word.text_font = style.FONT
        self.curve.figure.add_layout(self.word)
        self.rings = ColumnDataSource(_no_knees(), name="response_goal.knees")
        look = {"size": 18, "fill_alpha": 0, "line_width": 2, "line_color": style.LIGHT["ink"]}
        self.ring = self.curve.figure.scatter("x", "y", source=self.rings, **look)
        self.words = beside(self.curve.figure, self.rings, "x", y="below", x_offset=12, text_baseline="top")
        self.curve.figure.x_range.range_padding = ROOM
        self.curve.figure.xaxis.formatter = style.prefixed("")
        self.curve.figure.yaxis.formatter = style.prefixed("s")
        self.costs = StackedBars("response_goal.costs", "", "dollars", "", TERMS, height=280, nothing=NO_COST)
        self.costs.figure.xaxis.formatter = NumeralTickFormatter(format="0,0")
        self.budget = chosen_line(self.costs, line_alpha=1, line_dash="dashed")
        self.place(self.legend, self.curve, self.costs)
        self.inked += [self.ring.glyph, self.words]
        self.muted += [self.goal, self.budget, self.word]
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
        style.change(self.goal, location=inputs.within_s)
        drawn = [x for line, _ in lines for x in line["x"]]
        style.change(
            self.word,
            x=min(drawn, default=1.0),
            y=inputs.within_s,
            text=f"goal: p{100 * inputs.share:g} within {format_seconds(inputs.within_s)}",
        )
        replace(self.rings, _knees(inputs, result))
        self._pay(inputs, result, devices)

    def _pay(self, inputs: Inputs, result, devices: list[str]) -> None:
        """What as many drives as it takes cost, and the budget."""
        names, values = [], {term: np.zeros(len(devices)) for term in TERMS}
        for row, device in enumerate(devices):
            title = result.cell("device", row)
            numbers = result.rows_in(NUMBERS, device=device)
            names.append(f"{result.tables[NUMBERS]['count'][numbers[0]]:.0f} × {title}" if numbers.size else title)
            for paid in result.rows_in(COSTS, device=device):
                for part in PAID:
                    values[f"{part}_usd"][row] = result.tables[COSTS][f"{part}_usd"][paid]
        style.change(
            self.costs.figure.title,
            text=f"What does it cost in {inputs.years:g} years? The budget is {format_cell(inputs.budget_usd, 'USD')}",
        )
        money = units.money()
        style.change(self.budget, location=money.of_usd(inputs.budget_usd))
        style.change(self.costs.figure.xaxis[0], axis_label=money.words)
        self.costs.show(names, {term: money.of_usd(amounts) for term, amounts in values.items()}, money.cell)

    def describe(self, inputs: Inputs, result) -> Finding:
        if "alone_s" in result.columns and "knee_hz" not in result.columns:
            return found("By formula, while the drives are simulated.")
        costs = result.tables.get(COSTS)
        paid = [at(costs, "total_usd", row) for row in range(len(costs))] if costs else []
        return marked(answered(inputs, result), *paid)

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


def _knees(inputs: Inputs, result) -> dict:
    """A ring for every drive that has a knee, in requests a second at one drive, with how many there are then."""
    if "knee_hz" not in result.columns:
        return _no_knees()
    rows = np.flatnonzero(result["knee_hz"] > 0)
    rows = rows[np.argsort(result["knee_hz"][rows])]
    per_reference = result.facts["drive_rate_hz"].number / inputs.rate_hz
    x = result["knee_hz"][rows] * per_reference
    y = [_at(result, str(result["device"][row]), rate) for row, rate in zip(rows, x, strict=True)]
    below, step = [], 1
    for place, rate in enumerate(x):  # a word below the one before, where that is close
        step = step + 1 if place and rate < APART * x[place - 1] else 1
        below.append(y[place] / LOWER**step)
    return {"x": x, "y": y, "below": below, "text": [format_cell(rate, "1/s") for rate in x]}


def _no_knees() -> dict:
    return {"x": [], "y": [], "below": [], "text": []}


def _at(result, device: str, rate_hz: float) -> float:
    """The simulated percentile of a drive at the rate that is next to this one."""
    table, rows = result.tables[CURVE], result.rows_in(CURVE, device=device)
    return float(table["response_s"][rows[np.argmin(np.abs(table["drive_hz"][rows] - rate_hz))]])


def _no_band() -> dict:
    return {"x": [], "low": [], "high": []}
