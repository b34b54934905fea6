"""The charts of the study `second_level_buffer`."""

from pagecost.studies.transactions.second_level_buffer import with_memory
from pagecost_app.charts.transactions.response_time import ResponseChart


class Chart(ResponseChart):
    """Response time over the size of main memory, one line per second level."""

    question = "How long does a transaction take, by what lies behind main memory?"
    x = "buffer_pages"

    def point(self, inputs) -> str:
        return with_memory(inputs)
