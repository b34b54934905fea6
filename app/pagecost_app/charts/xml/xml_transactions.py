"""The charts of the study `xml_transactions`: throughput over database size, and where a transaction's time goes."""

from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource

from pagecost.studies.xml.xml_runs import TERMS
from pagecost.studies.xml.xml_transactions import Inputs
from pagecost.units import format_bytes, format_si
from pagecost_app.charts import style
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data
from pagecost_app.charts.stacked import StackedBars

TOOLTIPS = [
    ("", "@name"),
    ("database", "@size"),
    ("transactions per second", "@y{0.0}"),
    ("device under load", "@load{0 %}"),
    ("mean power", "@mean_w{0.00} W"),
    ("energy per transaction", "@energy"),
    ("pages read", "@reads{0.00}"),
]


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="xml_transactions.result")
        self.legend = LegendStrip("xml_transactions.legend")
        self.rates = SeriesFigure(
            "xml_transactions.rates",
            "Throughput as the database grows",
            "database as text, bytes",
            "transactions per second",
            TOOLTIPS,
            x_axis_type="log",
            height=360,
        )
        self.rates.figure.y_range.start = 0
        self.watts = SeriesFigure(
            "xml_transactions.watts",
            "Mean power of the device",
            "database as text, bytes",
            "mean power",
            TOOLTIPS,
            x_axis_type="log",
            y_axis_type="log",
            height=360,
        )
        self.watts.figure.yaxis.formatter = style.prefixed("W")
        self.terms = StackedBars("xml_transactions.terms", "", "time per transaction", "s", TERMS, height=330)
        self.root = column(
            self.legend.figure,
            row(self.rates.figure, self.watts.figure, sizing_mode="stretch_width"),
            self.terms.figure,
            sizing_mode="stretch_width",
        )

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`."""
        self.result.data = result.arrays()
        series = [(device, mapping) for device in inputs.devices for mapping in inputs.mappings]
        self.legend.show([f"{device}, {mapping}" for device, mapping in series])
        for number in range(style.SLOTS):
            for figure, name in ((self.rates, "tps"), (self.watts, "mean_w")):
                shown = _curve(result, *series[number], name) if number < len(series) else no_data()
                figure.show(number, shown)
        for figure in (self.rates, self.watts):
            style.bytes_ticks(figure.figure.xaxis[0], sorted(set(result["plain_bytes"].tolist())))
        rows = result.rows(chosen=True)
        title = f"Where a transaction's time goes at {format_bytes(inputs.plain_bytes)}"
        style.change(self.terms.figure.title, text=title)
        names = [f"{result['device'][i]}, {result['mapping'][i]}" for i in rows]
        self.terms.show(names, {term: result[term][rows] for term in TERMS}, lambda value: format_si(value, "s"))

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = []
        for device in inputs.devices:
            rows = [i for i in result.rows(chosen=True) if result["device"][i] == device]
            rates, watts = result["tps"][rows], result["mean_w"][rows]
            words.append(
                f"{device} {rates.min():.0f} to {rates.max():.0f} transactions per second at {watts.min():.2f} to "
                f"{watts.max():.2f} W"
            )
        return f"At {format_bytes(inputs.plain_bytes)} of XML, by mapping: {'; '.join(words)}."

    def recolour(self, dark: bool) -> None:
        for part in (self.legend, self.rates, self.watts, self.terms):
            part.recolour(dark)


def _curve(result, device: str, mapping: str, name: str) -> dict:
    rows = result.rows(device=device, mapping=mapping)
    return {
        "x": result["plain_bytes"][rows],
        "y": result[name][rows],
        "name": [f"{device}, {mapping}"] * rows.size,
        "size": [format_bytes(size) for size in result["plain_bytes"][rows]],
        "load": result["load"][rows],
        "mean_w": result["mean_w"][rows],
        "energy": [format_si(value, "J") for value in result["energy_j"][rows]],
        "reads": result["reads"][rows],
    }
