"""What the charts of goals have in common: the goal across, the knees ringed, and what so many drives cost."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from bokeh.core.properties import field
from bokeh.models import ColumnDataSource
from bokeh.models.annotations import Label

from pagecost import units
from pagecost.studies.plan.response_goal_said import COSTS, CURVE, NUMBERS
from pagecost.units import format_cell, format_seconds, format_years
from pagecost_app.charts import style
from pagecost_app.charts.marks import chosen_line
from pagecost_app.charts.series import SeriesFigure, replace
from pagecost_app.charts.stacked import StackedBars
from pagecost_app.charts.words import beside

TERMS = {"purchase_usd": "drives", "worn_usd": "worn drives bought anew", "energy_usd": "energy"}
APART, LOWER = 3.0, 1.35  # knees that are closer, on an axis of six decades, have their words below each other
BESIDE, BELOW = 12, 6  # where words stand at a ring, in pixels
OVER_LINES = 0.75  # how much of a line below words is hidden
ROOM = 0.3  # beside the lines, for the words at the knees


class GoalLine:
    """The goal, dashed across a figure of percentiles, and its words."""

    def __init__(self, drawn: SeriesFigure):
        self.line = chosen_line(drawn, "width", line_alpha=1, line_dash="dashed")
        self.word = Label(x=0, y=0, text="", y_offset=2, x_offset=4)
        self.word.text_font = style.FONT
        drawn.figure.add_layout(self.word)
        self.muted = [self.line, self.word]

    def update(self, inputs, drawn: Collection[float]) -> None:
        """Stand where the goal is, with words at the least of what is drawn along the other axis."""
        style.change(self.line, location=inputs.within_s)
        style.change(
            self.word,
            x=min(drawn, default=1.0),
            y=inputs.within_s,
            text=f"goal: p{100 * inputs.share:g} within {format_seconds(inputs.within_s)}",
        )


class Knees:
    """A ring at each knee, and its rate below it."""

    def __init__(self, drawn: SeriesFigure, name: str):
        columns = ("x", "y", "below", "text", "along", "down")
        self.source = ColumnDataSource({column: [] for column in columns}, name=name)
        look = {"size": 18, "fill_alpha": 0, "line_width": 2, "line_color": style.LIGHT["ink"]}
        ring = drawn.figure.scatter("x", "y", source=self.source, **look)
        place = {"x_offset": field("along"), "y_offset": field("down"), "text_baseline": "top"}
        # where it is narrow, words lie over lines
        self._words = beside(drawn.figure, self.source, "x", y="below", background_fill_alpha=OVER_LINES, **place)
        style.keep_words_inside(drawn.figure, self._words, self.source, beside=BESIDE, below=BELOW)
        drawn.figure.x_range.range_padding = ROOM
        self.inked = [ring.glyph, self._words]

    def recolour(self, dark: bool) -> None:
        """The words' ground; rings and words are the chart's to ink."""
        style.change(self._words, background_fill_color=style.shades(dark)["ground"])

    def show(self, x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray) -> None:
        """Ring these rates [1/s], smallest first, at these times [s]."""
        below, step = [], 1
        for place, rate in enumerate(x):  # a word below the one before, where that is close
            step = step + 1 if place and rate < APART * x[place - 1] else 1
            below.append(y[place] / LOWER**step)
        texts = [format_cell(rate, "1/s") for rate in x]
        offsets = {"along": [BESIDE] * len(texts), "down": [0] * len(texts)}
        replace(self.source, {"x": x, "y": y, "below": below, "text": texts} | offsets)


class Costs(StackedBars):
    """What as many drives as it takes cost over the years, and the budget."""

    def __init__(self, name: str, beside: Mapping[str, str] = {}):
        """beside: columns of what there may be beside the drives, with their words."""
        super().__init__(name, "", "dollars", "", TERMS | dict(beside), height=280)
        self.figure.xaxis.formatter = style.written_out()
        self.budget = chosen_line(self, line_alpha=1, line_dash="dashed")
        self.muted = [self.budget]

    def update(self, inputs, result, devices: Sequence[str]) -> None:
        """Draw the costs of these drives, the first rows of an answer; where there are none its verdict says why."""
        names, values = [], {term: np.zeros(len(devices)) for term in self.terms}
        for row, device in enumerate(devices):
            title = result.cell("device", row)
            numbers = result.rows_in(NUMBERS, device=device)
            names.append(f"{result.tables[NUMBERS]['count'][numbers[0]]:.0f} × {title}" if numbers.size else title)
            for paid in result.rows_in(COSTS, device=device):
                for term in values.keys() & result.tables[COSTS].columns.keys():
                    values[term][row] = result.tables[COSTS][term][paid]
        style.change(
            self.figure.title,
            text=f"What does it cost in {format_years(inputs.years)}? "
            f"The budget is {format_cell(inputs.budget_usd, 'USD')}",
        )
        money = units.money()
        budget = money.of_usd(inputs.budget_usd)
        style.change(self.budget, location=budget)
        style.change(self.figure.xaxis[0], axis_label=money.words)
        paid = {term: money.of_usd(amounts) for term, amounts in values.items()}
        reasons = [result.cell("verdict", row) for row in range(len(devices))]
        self.show(names, paid, money.cell, reasons=reasons, empty_end=1.35 * budget or 1.0)


def nearest(result, rate: str, value_hz: float, **curve) -> float:
    """The simulated percentile [s] where the column `rate` of a curve, of a drive, is next to a value [1/s]."""
    table, rows = result.tables[CURVE], result.rows_in(CURVE, **curve)
    return float(table["response_s"][rows[np.argmin(np.abs(table[rate][rows] - value_hz))]])
