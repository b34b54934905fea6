"""The charts of the study `translation_layers`: what one host page makes the flash program, and the RAM of the map."""

import numpy as np

from pagecost.studies.flash.translation_layers import TERMS, Inputs
from pagecost.units import bytes_alike
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.stacked import StackedBars


class Chart(StudyChart[Inputs]):
    """A bar per layer of its programs, and one of its map."""

    def __init__(self):
        super().__init__()
        self.programs = StackedBars(
            "translation_layers.programs",
            "What is programmed for one host page?",
            "",
            "",
            TERMS,
            height=360,
        )
        self.memory = StackedBars(
            "translation_layers.memory",
            "How much RAM does the map need?",
            "",
            "B",
            {"map": "map in RAM"},
            height=360,
        )
        self.place((self.programs, self.memory))

    def update(self, inputs: Inputs, result) -> None:
        titles = result.columns["layer"].cells()
        for panel, name in ((self.programs, "write_amplification"), (self.memory, "map_bytes")):
            style.change(panel.figure.xaxis[0], axis_label=result.columns[name].label)
        self.programs.show(titles, {term: result[term] for term in TERMS}, lambda value: f"{value:.2f}")
        sizes = np.asarray(result["map_bytes"], float)
        self.memory.show(titles, {"map": sizes}, bytes_alike(sizes))
