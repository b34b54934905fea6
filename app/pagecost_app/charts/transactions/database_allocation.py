"""The charts of the study `database_allocation`."""

from pagecost.studies.transactions.database_allocation import ALLOCATIONS, Inputs
from pagecost_app.charts.transactions.response_time import ResponseChart


class Chart(ResponseChart):
    """Response time over the arrival rate, one line per place of the database."""

    study = "database_allocation"
    question = "How long does a transaction take, by where the database lives?"

    def labels(self, inputs: Inputs) -> dict[str, str]:
        return {name: ALLOCATIONS[name] for name in inputs.allocations}
