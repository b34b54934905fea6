"""The charts of the study `file_system_writes`: what is programmed for a byte of a page, why, and in which sizes."""

import numpy as np
from bokeh.models import NumeralTickFormatter

from pagecost.studies.path.file_system_writes import TERMS, Inputs, label
from pagecost.units import bytes_alike
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.stacked import StackedBars


class Chart(StudyChart[Inputs]):
    """A bar per system of what is programmed, by cause; its mean write; how unevenly blocks wear."""

    def __init__(self):
        super().__init__()
        self.programmed = StackedBars(
            "file_system_writes.programmed", "What is programmed for one byte of a page?", "", "", TERMS, height=420
        )
        self.sizes = StackedBars(
            "file_system_writes.sizes",
            "How large are the writes?",
            "",
            "B",
            {"size": "mean size of a write"},
            height=420,
        )
        self.wear = StackedBars(
            "file_system_writes.wear",
            "How unevenly do blocks wear?",
            "",
            "",
            {"wear": "spread of the erase counts"},
            height=420,
        )
        self.wear.figure.xaxis.formatter = NumeralTickFormatter(format="0.0")
        self.place((self.programmed,), (self.sizes, self.wear))

    def update(self, inputs: Inputs, result) -> None:
        names = [label(result, row).replace(", ", "\n", 1) for row in range(len(result))]
        panels = {self.programmed: "programmed", self.sizes: "request_bytes", self.wear: "wear_variation"}
        for panel, column in panels.items():
            style.change(panel.figure.xaxis[0], axis_label=result.columns[column].label)
        self.programmed.show(names, {term: result[term] for term in TERMS}, lambda value: f"{value:.2f}")
        sizes = np.asarray(result["request_bytes"], float)
        self.sizes.show(names, {"size": sizes}, bytes_alike(sizes))
        self.wear.show(names, {"wear": result["wear_variation"]}, lambda value: f"{value:.3f}")
