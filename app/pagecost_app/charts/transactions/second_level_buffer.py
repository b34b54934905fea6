"""The charts of the study `second_level_buffer`."""

from pagecost.studies.transactions.second_level_buffer import LEVELS, Inputs
from pagecost_app.charts.transactions.response_time import ResponseChart


class Chart(ResponseChart):
    """Response time over the size of main memory, one line per second level."""

    study = "second_level_buffer"
    question = "How long does a transaction take, by what lies behind main memory?"
    x = "buffer_pages"
    x_label = "main-memory buffer, pages (points: simulated; pale lines: by formula)"

    def labels(self, inputs: Inputs) -> dict[str, str]:
        return {name: LEVELS[name] for name in inputs.levels}

    def chosen_x(self, inputs: Inputs) -> float:
        return inputs.buffer_pages

    def detail(self, inputs: Inputs) -> str:
        return f"Where does the time go with {inputs.buffer_pages} pages of main memory?"
