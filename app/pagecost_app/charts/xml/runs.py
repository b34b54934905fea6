"""What the charts of XML transactions have in common: a line per device and storage mapping, and the terms as bars."""

from typing import TypeVar

import numpy as np

from pagecost.studies import Result
from pagecost.studies.xml.xml_inputs import ExperimentInputs
from pagecost.studies.xml.xml_runs import TERMS
from pagecost_app.charts.curves import CurvesChart

Experiment = TypeVar("Experiment", bound=ExperimentInputs)


class RunsChart(CurvesChart[Experiment]):
    """One line per device and mapping; the bars take the chosen points apart."""

    stack = TERMS
    stack_label = "time per transaction"

    def series(self, inputs: Experiment, result: Result) -> dict[str, np.ndarray]:
        pairs = [(device, mapping) for device in inputs.devices for mapping in inputs.mappings]
        rows = [result.rows(device=device, mapping=mapping) for device, mapping in pairs]
        return {f"{result.cell('device', of[0])}, {result.cell('mapping', of[0])}": of for of in rows}
