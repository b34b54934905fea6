"""The charts of the study `total_cost`: cost over the years with the crossings, and what it is made of."""

import numpy as np
from bokeh.models import ColumnDataSource, NumeralTickFormatter

from pagecost.studies.economics.total_cost import CROSSINGS, TIME, Inputs
from pagecost.units import format_cell, format_si
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data
from pagecost_app.charts.stacked import StackedBars
from pagecost_app.charts.words import beside

TOOLTIPS = [("", "@name"), ("after", "@time"), ("cost so far", "@cost")]
TERMS = {"initial_usd": "devices", "replaced_usd": "worn devices bought anew", "energy_usd": "energy"}
RATES = {"usd_per_iops": "of a request a second, at full load"}
NO_COST = "not known"


class Chart(StudyChart[Inputs]):
    """A line per system over the years, ringed where two cross, and bars of what each costs."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("total_cost.legend")
        self.time = SeriesFigure(
            "total_cost.time", "", "years in use", "dollars so far: devices, new ones and energy", TOOLTIPS, height=380
        )
        self.time.figure.y_range.start = 0
        self.time.figure.yaxis.formatter = NumeralTickFormatter(format="0,0")
        for slot in self.time.slots:
            slot.points.visible = False
        self.rings = ColumnDataSource({"x": [], "y": [], "text": []}, name="total_cost.crossings")
        look = {"size": 18, "fill_alpha": 0, "line_width": 2, "line_color": style.LIGHT["ink"]}
        self.ring = self.time.figure.scatter("x", "y", source=self.rings, **look)
        self.words = beside(self.time.figure, self.rings, "x", y="y", x_offset=12, y_offset=-4, text_baseline="top")
        self.parts = StackedBars("total_cost.parts", "", "dollars", "", TERMS, height=300, nothing=NO_COST)
        self.rates = StackedBars(
            "total_cost.rates",
            "What does one request a second cost?",
            "dollars per request a second, at full load",
            "",
            RATES,
            nothing=NO_COST,
        )
        self.parts.figure.xaxis.formatter = NumeralTickFormatter(format="0,0")
        self.rates.figure.xaxis.formatter = NumeralTickFormatter(format="0,0.[000]")
        self.place(self.legend, self.time, self.parts, self.rates)
        self.inked += [self.ring.glyph, self.words]

    def update(self, inputs: Inputs, result) -> None:
        names = _names(result)
        self.legend.show(names)
        self.time.show_all(_line(result, system) for system in range(len(names)))
        crossings = _crossings(inputs, result)
        self.rings.data = {
            "x": crossings["years"],
            "y": crossings["total_usd"],
            "text": [format_cell(years, "year") for years in crossings["years"]],
        }
        style.change(self.time.figure.title, text=_question(inputs, len(crossings["years"])))
        style.change(self.parts.figure.title, text=f"What is it made of after {inputs.years:g} years?")
        known = np.isfinite(result["total_usd"])
        self.parts.show(names, {term: np.where(known, result[term], 0.0) for term in TERMS}, _dollars)
        self.rates.show(names, {term: result[term] for term in RATES}, _dollars)

    def describe(self, inputs: Inputs, result) -> str:
        words = []
        for i, name in enumerate(_names(result)):
            start = f"{name} (set by {result['decided_by'][i]})"
            if not np.isfinite(result["total_usd"][i]):
                words.append(f"{start} cost not known")
                continue
            worn = result["replaced_usd"][i]
            again = f", {_dollars(worn)} of it for worn ones" if worn else ""
            share = f"{result['storage_share'][i]:.0%} of the server's energy"
            words.append(f"{start} {_dollars(result['total_usd'][i])} in {inputs.years:g} years{again}, {share}")
        crossings = _crossings(inputs, result)
        even = [
            f"{one} and {other} after {format_cell(years, 'year')}"
            for one, other, years in zip(*(crossings[name] for name in ("device", "other", "years")), strict=True)
        ]
        said = f"Break-even: {'; '.join(even)}" if even else f"No break-even within {inputs.years:g} years"
        asked = f"{format_si(inputs.volume_bytes, 'B')} and {inputs.iops:g} requests a second"
        return f"{asked}: {'; '.join(words)}. {said}."


def _names(result) -> list[str]:
    """The systems as people read them: 4 × Intel X25-M G2."""
    return [f"{result['count'][i]:.0f} × {result.cell('device', i)}" for i in range(len(result))]


def _line(result, system: int) -> dict:
    """What the system of a row of the main table has cost over the years."""
    if TIME not in result.tables:
        return no_data()
    table = result.tables[TIME]
    rows = table.rows(device=result["device"][system])
    words = {"time": "years", "cost": "total_usd"}
    return {
        "x": table["years"][rows],
        "y": table["total_usd"][rows],
        "name": [result.cell("device", system)] * rows.size,
        **{word: [table.columns[column].cell(at) for at in rows] for word, column in words.items()},
    }


def _crossings(inputs: Inputs, result) -> dict:
    """When the cheaper one of two systems changes within the runtime, the first time for each two."""
    found: dict[str, list] = {name: [] for name in ("device", "other", "years", "total_usd")}
    table = result.tables.get(CROSSINGS)
    for i in range(len(table) if table else 0):
        pair = table.columns["device"].cell(i), table.columns["other"].cell(i)
        if table["years"][i] <= inputs.years and pair not in zip(found["device"], found["other"], strict=True):
            values = (*pair, float(table["years"][i]), float(table["total_usd"][i]))
            for name, value in zip(found, values, strict=True):
                found[name].append(value)
    return found


def _question(inputs: Inputs, crossings: int) -> str:
    if len(inputs.devices) == 1:
        return "What has it cost after so many years?"
    if not crossings:
        return f"When does the dearer purchase pay? Not within {inputs.years:g} years"
    return "When does the dearer purchase pay? (ringed)"


def _dollars(amount: float) -> str:
    return format_cell(amount, "USD")
