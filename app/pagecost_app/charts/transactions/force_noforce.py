"""The charts of the study `force_noforce`."""

from pagecost_app.charts.transactions.response_time import ResponseChart


class Chart(ResponseChart):
    """Response time over the arrival rate, one line per allocation and strategy."""

    question = "How much longer does a transaction take that writes all its pages at commit?"
