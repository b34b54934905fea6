"""The charts of the study `total_cost`: cost over the years with the crossings, and what it is made of."""

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, NumeralTickFormatter

from pagecost.studies.economics.total_cost import Inputs
from pagecost.studies.shared_fields import grouped
from pagecost.units import format_si
from pagecost_app.charts import style
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data
from pagecost_app.charts.stacked import StackedBars
from pagecost_app.charts.words import beside

TOOLTIPS = [("", "@name"), ("after", "@x{0.0} years"), ("cost so far", "@y{0,0} $")]
TERMS = {"initial_usd": "devices", "energy_usd": "energy"}
RATES = {"usd_per_iops": "dollars per request a second, at full load"}


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="total_cost.result")
        self.legend = LegendStrip("total_cost.legend")
        self.time = SeriesFigure(
            "total_cost.time", "", "years in use", "dollars so far: devices and energy", TOOLTIPS, height=380
        )
        self.time.figure.y_range.start = 0
        self.time.figure.yaxis.formatter = NumeralTickFormatter(format="0,0")
        for slot in self.time.slots:
            slot.points.visible = False
        self.rings = ColumnDataSource({"x": [], "y": [], "text": []}, name="total_cost.crossings")
        look = {"size": 18, "fill_alpha": 0, "line_width": 2, "line_color": style.LIGHT["ink"]}
        self.ring = self.time.figure.scatter("x", "y", source=self.rings, **look)
        self.words = beside(self.time.figure, self.rings, "x", y="y", x_offset=12, y_offset=-4, text_baseline="top")
        self.parts = StackedBars("total_cost.parts", "", "dollars", "", TERMS, height=300)
        self.rates = StackedBars(
            "total_cost.rates",
            "What does one request a second cost?",
            RATES["usd_per_iops"],
            "",
            RATES,
        )
        self.parts.figure.xaxis.formatter = NumeralTickFormatter(format="0,0")
        self.rates.figure.xaxis.formatter = NumeralTickFormatter(format="0,0.[000]")
        self.root = column(
            self.legend.figure,
            self.time.figure,
            row(self.parts.figure, self.rates.figure, sizing_mode="stretch_width"),
            sizing_mode="stretch_width",
        )

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`."""
        self.result.data = result.arrays()
        systems = result.rows(part="system")
        self.legend.show([f"{result['count'][i]:.0f} × {result['device'][i]}" for i in systems])
        for number in range(style.SLOTS):
            shown = no_data()
            if number < len(inputs.devices) and np.isfinite(result["total_usd"][systems[number]]):
                rows = result.rows(part="time", device=inputs.devices[number])
                shown = {"x": result["years"][rows], "y": result["total_usd"][rows]}
                shown["name"] = [inputs.devices[number]] * rows.size
            self.time.show(number, shown)
        pairs = [i for i in result.rows(part="pair") if 0 < result["break_even_years"][i] <= inputs.years]
        self.rings.data = {
            "x": result["break_even_years"][pairs],
            "y": result["total_usd"][pairs],
            "text": [f"{result['break_even_years'][i]:.2g} years" for i in pairs],
        }
        style.change(self.time.figure.title, text=_question(inputs, len(pairs)))
        priced = [i for i in systems if np.isfinite(result["total_usd"][i])]
        names = [f"{result['count'][i]:.0f} × {result['device'][i]}" for i in priced]
        style.change(self.parts.figure.title, text=f"What is it made of after {inputs.years:g} years?")
        self.parts.show(names, {term: result[term][priced] for term in TERMS}, _dollars)
        self.rates.show(names, {term: result[term][priced] for term in RATES}, _dollars)

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = []
        for i in result.rows(part="system"):
            total = result["total_usd"][i]
            cost = f"{_dollars(total)} in {inputs.years:g} years" if np.isfinite(total) else "price not known"
            words.append(
                f"{result['count'][i]:.0f} × {result['device'][i]} (set by {result['decided_by'][i]}) {cost}, "
                f"{result['storage_share'][i]:.0%} of the server's energy"
            )
        crossings = [
            f"{result['device'][i]} and {result['other'][i]} after {result['break_even_years'][i]:.2g} years"
            for i in result.rows(part="pair")
            if np.isfinite(result["break_even_years"][i])
        ]
        even = f"Break-even: {'; '.join(crossings)}" if crossings else "No break-even"
        return (
            f"{format_si(inputs.volume_bytes, 'B')} and {inputs.iops:g} requests a second: {'; '.join(words)}. {even}."
        )

    def recolour(self, dark: bool) -> None:
        self.ring.glyph.line_color = self.words.text_color = style.shades(dark)["ink"]
        for part in (self.legend, self.time, self.parts, self.rates):
            part.recolour(dark)


def _question(inputs: Inputs, crossings: int) -> str:
    if len(inputs.devices) == 1:
        return "What has it cost after so many years?"
    if not crossings:
        return f"When does the dearer purchase pay? Not within {inputs.years:g} years"
    return "When does the dearer purchase pay? (ringed)"


def _dollars(amount: float) -> str:
    return f"{grouped(round(amount))} $" if amount >= 100 else f"{amount:.3g} $"
