"""The charts of the study `xml_writes`: rate and power over the share of writers, and where the time goes."""

from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, NumeralTickFormatter

from pagecost.studies.xml.xml_runs import TERMS
from pagecost.studies.xml.xml_writes import Inputs
from pagecost.units import format_bytes, format_si
from pagecost_app.charts import style
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data
from pagecost_app.charts.stacked import StackedBars

TOOLTIPS = [
    ("", "@name"),
    ("writers", "@x{0 %}"),
    ("transactions per second", "@tps{0.0}"),
    ("device under load", "@load{0 %}"),
    ("mean power", "@mean_w{0.00} W"),
    ("energy per transaction", "@energy"),
    ("device requests per second and watt", "@iops_per_w{0.0}"),
]
X_LABEL = "share of transactions that write"


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="xml_writes.result")
        self.legend = LegendStrip("xml_writes.legend")
        self.rates = SeriesFigure(
            "xml_writes.rates",
            "Who loses more throughput to writers?",
            X_LABEL,
            "transactions per second",
            TOOLTIPS,
            height=340,
        )
        self.rates.figure.y_range.start = 0
        self.energy = SeriesFigure(
            "xml_writes.energy",
            "What does a transaction cost in energy?",
            X_LABEL,
            "energy per transaction",
            TOOLTIPS,
            y_axis_type="log",
            height=340,
        )
        self.energy.figure.yaxis.formatter = style.prefixed("J")
        for made in (self.rates, self.energy):
            made.figure.xaxis.formatter = NumeralTickFormatter(format="0 %")
        self.terms = StackedBars("xml_writes.terms", "", "time per transaction", "s", TERMS, height=300)
        self.root = column(
            self.legend.figure,
            row(self.rates.figure, self.energy.figure, sizing_mode="stretch_width"),
            self.terms.figure,
            sizing_mode="stretch_width",
        )

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`."""
        self.result.data = result.arrays()
        series = [(device, mapping) for device in inputs.devices for mapping in inputs.mappings]
        self.legend.show([f"{device}, {mapping}" for device, mapping in series])
        for number in range(style.SLOTS):
            for figure, name in ((self.rates, "tps"), (self.energy, "energy_j")):
                figure.show(number, _curve(result, *series[number], name) if number < len(series) else no_data())
        rows = result.rows(chosen=True)
        title = f"Where does the time go at {format_bytes(inputs.plain_bytes)} with {inputs.write_share:.0%} writers?"
        style.change(self.terms.figure.title, text=title)
        names = [f"{result['device'][i]}, {result['mapping'][i]}" for i in rows]
        self.terms.show(names, {term: result[term][rows] for term in TERMS}, lambda value: format_si(value, "s"))

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = []
        for i in result.rows(chosen=True):
            (readers,) = result.rows(device=result["device"][i], mapping=result["mapping"][i], write_share=0.0)
            words.append(
                f"{result['device'][i]}, {result['mapping'][i]} {result['tps'][readers]:.0f} to {result['tps'][i]:.0f}"
            )
        return (
            f"Transactions per second from no writers to {inputs.write_share:.0%} of them, "
            f"{format_bytes(inputs.plain_bytes)} of XML: {'; '.join(words)}."
        )

    def recolour(self, dark: bool) -> None:
        for part in (self.legend, self.rates, self.energy, self.terms):
            part.recolour(dark)


def _curve(result, device: str, mapping: str, name: str) -> dict:
    rows = result.rows(device=device, mapping=mapping)
    shown = ("tps", "load", "mean_w", "iops_per_w")
    return {
        "x": result["write_share"][rows],
        "y": result[name][rows],
        "name": [f"{device}, {mapping}"] * rows.size,
        "energy": [format_si(value, "J") for value in result["energy_j"][rows]],
        **{column: result[column][rows] for column in shown},
    }
