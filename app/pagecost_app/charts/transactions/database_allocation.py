"""The charts of the study `database_allocation`."""

from pagecost_app.charts.transactions.response_time import ResponseChart


class Chart(ResponseChart):
    """Response time over the arrival rate, one line per place of the database."""

    question = "How long does a transaction take, by where the database lives?"
