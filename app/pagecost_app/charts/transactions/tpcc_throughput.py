"""The charts of the study `tpcc_throughput`: transactions per second, and the pages behind them, over the buffer."""

from bokeh.layouts import column, row

from pagecost.studies.transactions.tpcc_throughput import BUFFERS, Inputs, drives_of
from pagecost.units import format_bytes
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.marks import chosen_line
from pagecost_app.charts.series import LegendStrip, SeriesFigure

SIZE = "buffer of the database"
PAGES = {
    "asked_reads": "misses of the buffer",
    "reads": "device reads",
    "writes": "device writes",
}
RATE_TIPS = [("", "@device"), (SIZE, "@size"), ("transactions per second", "@y{0.0}"), ("device time", "@time")]
PAGE_TIPS = [("", "@what"), (SIZE, "@size"), ("pages per transaction", "@y{0.00}")]


class Chart(StudyChart[Inputs]):
    """Transactions per second over the buffer, a line per device, and the pages that are left for the first."""

    def __init__(self):
        super().__init__()
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
        self.muted.append(chosen_line(self.rate))
        for made in (self.rate, self.pages):
            style.bytes_ticks(made.figure.xaxis, BUFFERS)
            made.figure.yaxis.formatter = style.prefixed("")
        self.kinds.show(list(PAGES.values()))
        self.coloured += [self.devices, self.kinds, self.rate, self.pages]
        self.root = row(
            column(self.devices.figure, self.rate.figure, sizing_mode="stretch_width"),
            column(self.kinds.figure, self.pages.figure, sizing_mode="stretch_width"),
            sizing_mode="stretch_width",
        )

    def update(self, inputs: Inputs, result) -> None:
        self.devices.show([drives_of(result, name) for name in inputs.devices])
        self.rate.show_all(_rates(result, device) for device in inputs.devices)
        for number, (name, what) in enumerate(PAGES.items()):
            self.pages.show(number, _pages(result, inputs.devices[0], name, what))
        style.change(self.muted[0], location=inputs.buffer_bytes)


def _rates(result, device: str) -> dict:
    rows = result.rows(device=device)
    sizes = result["buffer_bytes"][rows]
    return {
        "x": sizes,
        "y": result["tps"][rows],
        "device": [drives_of(result, device)] * rows.size,
        "size": [format_bytes(size) for size in sizes],
        "time": [result.cell("device_s", row) for row in rows],
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
