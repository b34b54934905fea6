"""The charts of the study `write_clustering`: blocks erased per policy and layer, and how the write-backs arrive."""

import numpy as np

from pagecost.buffer.policies import title_of
from pagecost.devices.ftl import LAYERS
from pagecost.studies.buffer.write_clustering import Inputs
from pagecost.units import format_si
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.dots import Dots
from pagecost_app.charts.stacked import StackedBars

RUNS = {"first": "first of a run to one erase block", "more": "more to the same block"}


class Chart(StudyChart[Inputs]):
    """A dot per policy and layer, and the write-backs of each policy as a bar."""

    def __init__(self):
        super().__init__()
        titles = {name: layer.title for name, layer in LAYERS.items()}
        label = "blocks erased per pass of the trace"
        self.erases = Dots("write_clustering.erases", "How many blocks are erased?", label, "", titles, height=360)
        self.runs = StackedBars(
            "write_clustering.runs", "How do the write-backs arrive?", "write-backs", "", RUNS, height=360
        )
        self.place((self.erases, self.runs))

    def update(self, inputs: Inputs, result) -> None:
        names = [name for name in inputs.policies if result.rows(policy=name).size]
        titles = [title_of(name) for name in names]
        erases = {layer: np.array([_erases(result, name, layer) for name in names]) for layer in LAYERS}
        self.erases.show(titles, erases, ["simulated"] * len(names), _text)
        rows = [result.rows(policy=name)[0] for name in names]
        written = result["write_backs"][rows].astype(float)
        first = written / np.nan_to_num(result["block_run"][rows], nan=1.0)
        self.runs.show(titles, {"first": first, "more": written - first}, _text)


def _erases(result, policy: str, layer: str) -> float:
    rows = result.rows(policy=policy, layer=layer)
    return float(result["erases"][rows[0]]) or np.nan if rows.size else np.nan


def _text(count: float) -> str:
    return format_si(count, "")
