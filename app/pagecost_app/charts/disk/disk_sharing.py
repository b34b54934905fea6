"""The charts of the study `disk_sharing`: what reader and writer get under each scheduler, with and without an arm."""

from bokeh.models import NumeralTickFormatter

from pagecost.studies.disk.disk_sharing import Inputs
from pagecost.units import grouped
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.stacked import StackedBars


class Chart(StudyChart[Inputs]):
    """What the reader keeps, and whether the device works, a bar per device and scheduler."""

    def __init__(self):
        super().__init__()
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
        self.place(self.reader, self.writer)

    def update(self, inputs: Inputs, result) -> None:
        names = [f"{result.cell('device', row)} · {result.cell('scheduler', row)}" for row in range(len(result))]
        self.reader.show(names, {"of_alone": result["of_alone"]}, lambda share: f"{share:.0%}")
        time = {"busy": 1 - result["idle"], "idle": result["idle"]}
        self.writer.show(names, time, lambda share: f"{share:.0%}")
        writes = [f"{grouped(rate)} writes/s" for rate in result["writes_per_s"]]
        self.writer.source.data = {**self.writer.source.data, "sum": writes}
        style.change(self.writer.figure.x_range, end=1.6)  # room for the words where names take half of the chart
