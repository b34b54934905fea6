"""The charts of the study `cache_hierarchy`: which layer answers, and what switching a layer off costs each device."""

from pagecost.studies.xml.cache_hierarchy import Inputs
from pagecost.studies.xml.xml_runs import TERMS
from pagecost.units import format_bytes, format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.stacked import StackedBars

ANSWERED = {"answered_data": "data", "answered_metadata": "inodes and indirect blocks"}


class Chart(StudyChart[Inputs]):
    """Who answers, from the database down to the first device; below, each device with its caches switched."""

    def __init__(self):
        super().__init__()
        self.layers = StackedBars(
            "cache_hierarchy.layers",
            "",
            "requests answered per transaction, blocks",
            "",
            ANSWERED,
            height=330,
            nothing="none",
        )
        self.variants = [
            StackedBars(f"cache_hierarchy.variants.{number}", "", "time per transaction", "s", TERMS, height=420)
            for number in range(2)
        ]
        self.place(self.layers, tuple(self.variants))

    def update(self, inputs: Inputs, result) -> None:
        layers = result.tables["layers"]
        rows = layers.rows(device=inputs.devices[0])
        first = layers.columns["device"].cell(rows[0])
        style.change(
            self.layers.figure.title,
            text=f"Who answers a page request at {format_bytes(inputs.plain_bytes)}? From the database down to {first}",
        )
        answered = {term: layers[term][rows] for term in ANSWERED}
        self.layers.show(layers["name"][rows].tolist(), answered, lambda count: f"{count:.3g}")
        for number, made in enumerate(self.variants):
            shown = number < len(inputs.devices)
            style.change(made.figure, visible=shown)
            if shown:
                rows = result.rows(device=inputs.devices[number])
                style.change(made.figure.title, text=f"What helps {result.cell('device', rows[0])}?")
                times = {term: result[term][rows] for term in TERMS}
                made.show(result["name"][rows].tolist(), times, format_seconds)
