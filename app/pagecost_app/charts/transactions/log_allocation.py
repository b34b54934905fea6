"""The charts of the study `log_allocation`."""

from pagecost.studies.transactions.log_allocation import LOGS, Inputs
from pagecost_app.charts.transactions.response_time import ResponseChart


class Chart(ResponseChart):
    """Response time over the arrival rate, one line per place of the log."""

    study = "log_allocation"
    question = "How long does a transaction take, by where its log is written?"

    def labels(self, inputs: Inputs) -> dict[str, str]:
        return {name: LOGS[name] for name in inputs.logs}
