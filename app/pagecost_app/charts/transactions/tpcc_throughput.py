"""The charts of the study `tpcc_throughput`: transactions per second, and the pages behind them, over the buffer."""

from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, Span

from pagecost.studies.transactions.tpcc_throughput import BUFFERS, Inputs, carried
from pagecost.units import format_bytes
from pagecost_app.charts import style
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data

SIZE = "buffer of the database"
PAGES = {
    "asked_reads": "misses of the buffer",
    "reads": "device reads",
    "writes": "device writes",
}
RATE_TIPS = [("", "@device"), (SIZE, "@size"), ("transactions per second", "@y{0.0}"), ("device time", "@time")]
PAGE_TIPS = [("", "@what"), (SIZE, "@size"), ("pages per transaction", "@y{0.00}")]


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="tpcc_throughput.result")
        self.devices = LegendStrip("tpcc_throughput.devices")
        self.kinds = LegendStrip("tpcc_throughput.kinds")
        options = {"x_axis_type": "log", "y_axis_type": "log", "height": 400}
        question = "How many transactions does each carry?"
        self.rate = SeriesFigure(
            "tpcc_throughput.rate",
            question,
            f"{SIZE} (line: the chosen one)",
            "transactions per second",
            RATE_TIPS,
            **options,
        )
        self.pages = SeriesFigure(
            "tpcc_throughput.pages",
            "Which pages are left for the device?",
            SIZE,
            "pages per transaction",
            PAGE_TIPS,
            **options,
        )
        self.chosen = Span(dimension="height", line_width=2, line_alpha=0.6, line_color=style.LIGHT["muted"])
        self.rate.figure.add_layout(self.chosen)
        for made in (self.rate, self.pages):
            style.bytes_ticks(made.figure.xaxis, BUFFERS)
            made.figure.yaxis.formatter = style.prefixed("")
        self.kinds.show(list(PAGES.values()))
        self.root = row(
            column(self.devices.figure, self.rate.figure, sizing_mode="stretch_width"),
            column(self.kinds.figure, self.pages.figure, sizing_mode="stretch_width"),
            sizing_mode="stretch_width",
        )

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`, which may still be growing."""
        self.result.data = result.arrays()
        self.devices.show([_named(result, name) for name in inputs.devices])
        for number in range(style.SLOTS):
            shown = number < len(inputs.devices)
            self.rate.show(number, _rates(result, inputs.devices[number]) if shown else no_data())
        for number, (name, what) in enumerate(PAGES.items()):
            self.pages.show(number, _pages(result, inputs.devices[0], name, what))
        self.chosen.location = inputs.buffer_bytes

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = [f"{_named(result, str(result['device'][i]))}: {carried(result, i)}" for i in result.rows(chosen=True)]
        return f"With a buffer of {format_bytes(inputs.buffer_bytes)}: {'; '.join(words)}."

    def recolour(self, dark: bool) -> None:
        self.chosen.line_color = style.shades(dark)["muted"]
        for part in (self.devices, self.kinds, self.rate, self.pages):
            part.recolour(dark)


def _named(result, device: str) -> str:
    number = int(result["number"][result.rows(device=device)[0]])
    return f"{number} × {device}" if number > 1 else device


def _rates(result, device: str) -> dict:
    rows = result.rows(device=device)
    sizes = result["buffer_bytes"][rows]
    return {
        "x": sizes,
        "y": result["tps"][rows],
        "device": [_named(result, device)] * rows.size,
        "size": [format_bytes(size) for size in sizes],
        "time": [f"{1e3 * time_s:.3g} ms" for time_s in result["device_s"][rows]],
    }


def _pages(result, device: str, name: str, what: str) -> dict:
    rows = result.rows(device=device)
    sizes = result["buffer_bytes"][rows]
    return {
        "x": sizes,
        "y": result[name][rows],
        "what": [what] * rows.size,
        "size": [format_bytes(size) for size in sizes],
    }
