"""The charts of the study `whole_path`: throughput, what a response consists of, logical and physical I/O."""

import numpy as np

from pagecost import oltp
from pagecost.answers.path_runs import FILE_SYSTEMS, SHORT, Mean
from pagecost.studies.path.path_answers import interval
from pagecost.studies.path.whole_path import Inputs, file_system_of, label_of
from pagecost.units import format_bytes, format_seconds, grouped
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.dots import Dots
from pagecost_app.charts.stacked import StackedBars

RATES = {
    "logical_read_bytes_per_s": "database reads",
    "physical_read_bytes_per_s": "device reads",
    "logical_write_bytes_per_s": "database writes",
    "physical_write_bytes_per_s": "device writes",
}
SIZES = {
    "logical_read_bytes": "database reads",
    "physical_read_bytes": "device reads",
    "logical_write_bytes": "database writes",
    "physical_write_bytes": "device writes",
}


class Chart(StudyChart[Inputs]):
    """A row per system without its file system, a mark per file system; below, one response apart, and the I/O."""

    def __init__(self):
        super().__init__()
        self.rate = Dots(
            f"{self.name}.rate",
            "How many transactions does each system carry?",
            "",
            "",
            FILE_SYSTEMS,
            about="95 % within",
            spans=True,
        )
        self.parts = StackedBars(f"{self.name}.parts", "What does a response consist of?", "", "", oltp.TERMS)
        self.rates = Dots(f"{self.name}.rates", "How much is read and written?", "bytes per second", "B/s", RATES)
        self.sizes = Dots(f"{self.name}.sizes", "How large is a request?", "mean size of a request", "B", SIZES)
        self.place(self.rate, self.parts, (self.rates, self.sizes))

    def update(self, inputs: Inputs, result) -> None:
        systems = list(dict.fromkeys(label_of(result, row, inputs) for row in range(len(result))))
        tpm = {layout: np.full(len(systems), np.nan) for layout in FILE_SYSTEMS}
        half = {layout: np.zeros(len(systems)) for layout in FILE_SYSTEMS}
        said = {layout: [""] * len(systems) for layout in FILE_SYSTEMS}
        for row in range(len(result)):
            place, layout = systems.index(label_of(result, row, inputs)), str(result["file_system"][row])
            tpm[layout][place], half[layout][place] = result["tpm"][row], result["half_width"][row]
            said[layout][place] = interval(Mean(result["tpm"][row], result["half_width"][row]))
        words = [
            "; ".join(f"{SHORT[layout]} {of[place]}" for layout, of in said.items() if of[place])
            for place in range(len(systems))
        ]
        spans = {layout: (tpm[layout] - half[layout], tpm[layout] + half[layout]) for layout in FILE_SYSTEMS}
        self.rate.show(
            systems,
            tpm,
            words,
            lambda value: f"{grouped(value)} per minute",
            spans,
            result.columns["tpm"],
        )
        bars = [f"{label_of(result, row, inputs)}, {file_system_of(result, row)}" for row in range(len(result))]
        style.change(self.parts.figure, height=150 + 30 * len(bars))
        terms = {term: result[term] for term in oltp.TERMS}
        self.parts.show(bars, terms, format_seconds, result.columns["response_s"])
        nothing = [""] * len(bars)
        for drawn, columns, unit in ((self.rates, RATES, "/s"), (self.sizes, SIZES, "")):
            values = {name: np.where(result[name] > 0, result[name], np.nan) for name in columns}
            drawn.show(bars, values, nothing, lambda value, unit=unit: f"{format_bytes(value)}{unit}")
