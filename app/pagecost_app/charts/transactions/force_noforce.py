"""The charts of the study `force_noforce`."""

from pagecost.studies.transactions.database_allocation import SHORT
from pagecost.studies.transactions.force_noforce import Inputs
from pagecost_app.charts.transactions.response_time import ResponseChart


class Chart(ResponseChart):
    """Response time over the arrival rate, one line per allocation and strategy."""

    study = "force_noforce"
    question = "How much longer does a transaction take that writes all its pages at commit?"

    def labels(self, inputs: Inputs) -> dict[str, str]:
        parts = [label.rpartition(", ") for label in inputs.labels]
        return {f"{name}, {strategy}": f"{SHORT[name]}, {strategy}" for name, _, strategy in parts}
