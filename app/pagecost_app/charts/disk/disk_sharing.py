"""The charts of the study `disk_sharing`: what reader and writer get under each scheduler, with and without an arm."""

from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, NumeralTickFormatter

from pagecost.studies.disk.disk_sharing import TITLES, Inputs
from pagecost.units import format_bytes
from pagecost_app.charts import style
from pagecost_app.charts.stacked import StackedBars


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="disk_sharing.result")
        self.reader = StackedBars(
            "disk_sharing.reader",
            "How much does the reader keep?",
            "share of what it reads alone",
            "",
            {"of_alone": "reader"},
            height=300,
        )
        self.writer = StackedBars(
            "disk_sharing.writer",
            "Does the device work?",
            "share of the time",
            "",
            {"busy": "at work", "idle": "standing still"},
            height=300,
        )
        for panel in (self.reader, self.writer):
            panel.figure.xaxis.formatter = NumeralTickFormatter(format="0 %")
        self.root = column(
            row(self.reader.figure, self.writer.figure, sizing_mode="stretch_width"), sizing_mode="stretch_width"
        )

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`."""
        self.result.data = result.arrays()
        names = [
            f"{device} · {TITLES[host].split(' (')[0]}"
            for device, host in zip(result["device"], result["scheduler"], strict=True)
        ]
        self.reader.show(names, {"of_alone": result["of_alone"]}, lambda share: f"{share:.0%}")
        time = {"busy": 1 - result["idle"], "idle": result["idle"]}
        self.writer.show(names, time, lambda share: f"{share:.0%}")
        writes = [f"{rate:.0f} writes/s" for rate in result["writes_per_s"]]
        self.writer.source.data = {**self.writer.source.data, "sum": writes}
        style.change(self.writer.figure.x_range, end=1.35)

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = [
            f"{result['device'][i]}, {TITLES[result['scheduler'][i]]}: the reader keeps {result['of_alone'][i]:.0%} "
            f"({format_bytes(result['read_bytes_per_s'][i])}/s), the writer gets {result['writes_per_s'][i]:.0f} "
            "writes/s"
            for i in range(len(result))
        ]
        return f"{inputs.load.capitalize()}. {'; '.join(words)}."

    def recolour(self, dark: bool) -> None:
        for part in (self.reader, self.writer):
            part.recolour(dark)
