"""The charts of the study `total_cost`: cost over the years with the crossings, and what it is made of."""

import numpy as np
from bokeh.models import ColumnDataSource

from pagecost import units
from pagecost.studies.economics.total_cost import MADE_OF, TIME, Inputs
from pagecost.studies.economics.total_cost_parts import ALL_PARTS
from pagecost.studies.economics.total_cost_said import first_crossings, systems_of
from pagecost.units import format_cell, format_years
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data, without_points
from pagecost_app.charts.stacked import StackedBars
from pagecost_app.charts.words import beside

TOOLTIPS = [("", "@name"), ("after", "@time"), ("cost so far", "@cost")]
# what is seldom there has the last colour
TERMS = {part: ALL_PARTS[part] for part in sorted(ALL_PARTS, key=lambda part: part == "failed")}
RATES = {"usd_per_iops": "of a request a second, at full load"}
NO_COST = "not known"


class Chart(StudyChart[Inputs]):
    """A line per system over the years, ringed where two cross, and bars of what each costs."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("total_cost.legend")
        self.time = SeriesFigure(
            "total_cost.time",
            "",
            "years in use",
            "cost so far: devices, new ones and energy",
            TOOLTIPS,
            look=without_points,
            height=380,
        )
        self.time.figure.y_range.start = 0
        self.time.figure.yaxis.formatter = style.written_out()
        self.rings = ColumnDataSource({"x": [], "y": [], "text": []}, name="total_cost.crossings")
        look = {"size": 18, "fill_alpha": 0, "line_width": 2, "line_color": style.LIGHT["ink"]}
        self.ring = self.time.figure.scatter("x", "y", source=self.rings, **look)
        self.words = beside(self.time.figure, self.rings, "x", y="y", x_offset=12, y_offset=-4, text_baseline="top")
        self.parts = StackedBars("total_cost.parts", "", "cost", "", TERMS, height=300, nothing=NO_COST)
        self.rates = StackedBars(
            "total_cost.rates",
            "What does one request a second cost?",
            "cost per request a second, at full load",
            "",
            RATES,
            nothing=NO_COST,
        )
        self.parts.figure.xaxis.formatter = style.written_out()
        self.rates.figure.xaxis.formatter = style.written_out()
        self.place(self.legend, self.time, self.parts, self.rates)
        self.inked += [self.ring.glyph, self.words]

    def update(self, inputs: Inputs, result) -> None:
        names = systems_of(result)
        self.legend.show(names)
        self.time.show_all(_line(inputs, result, system) for system in range(len(names)))
        money = _money(inputs)
        crossings = first_crossings(inputs, result)
        self.rings.data = {
            "x": crossings["years"],
            "y": money.of_usd(np.array(crossings["total_usd"])),
            "text": [format_cell(years, "year") for years in crossings["years"]],
        }
        style.change(self.time.figure.title, text=_question(inputs, len(crossings["years"])))
        style.change(self.parts.figure.title, text=f"What is it made of after {format_years(inputs.years)}?")
        memory = ", memory" if inputs.memory_bytes else ""
        for axis, what in (
            (self.time.figure.yaxis[0], f"so far: devices, new ones{memory} and energy"),
            (self.parts.figure.xaxis[0], ""),
            (self.rates.figure.xaxis[0], "per request a second, at full load"),
        ):
            style.change(axis, axis_label=f"{money.words} {what}".strip())
        parts = {part: money.of_usd(inputs.money.to_usd(_made_of(result, part))) for part in TERMS}
        self.parts.show(names, parts, money.cell)
        rates = {rate: money.of_usd(result[rate]) for rate in RATES}
        self.rates.show(names, rates, money.cell)


def _money(inputs: Inputs) -> units.Money:
    """The currency that is drawn: the question's own, or for dollars the one that a person wants to see."""
    own = inputs.money
    return units.money() if own.code == "USD" else units.Money(own.code, own.code, own.usd_per_unit)


def _made_of(result, part: str) -> np.ndarray:
    """A part of the cost of each system of the main table, 0 where the cost is not known."""
    amounts = np.zeros(len(result))
    for row in range(len(result)):
        found = result.rows_in(MADE_OF, device=result["device"][row])
        if found.size:
            amounts[row] = result.tables[MADE_OF][part][found[0]]
    return amounts


def _line(inputs: Inputs, result, system: int) -> dict:
    """What the system of a row of the main table has cost over the years."""
    if TIME not in result.tables:
        return no_data()
    table = result.tables[TIME]
    rows = table.rows(device=result["device"][system])
    money = _money(inputs)
    totals = money.of_usd(table["total_usd"][rows])
    return {
        "x": table["years"][rows],
        "y": totals,
        "name": [result.cell("device", system)] * rows.size,
        "time": [table.columns["years"].cell(at) for at in rows],
        "cost": [money.cell(total) for total in totals],
    }


def _question(inputs: Inputs, crossings: int) -> str:
    if len(inputs.devices) == 1:
        return "What has it cost after so many years?"
    if not crossings:
        return f"When does the dearer purchase pay? Not within {format_years(inputs.years)}"
    return "When does the dearer purchase pay? (ringed)"
