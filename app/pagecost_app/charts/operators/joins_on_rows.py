"""The charts of the study `joins_on_rows`: pages read and written by each join, expected and counted."""

import numpy as np

from pagecost.studies.operators.joins_on_rows import Inputs
from pagecost.units import format_cell
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.dots import Dots

KINDS = {"expected": "expected by the plan", "counted": "counted on rows"}


class Chart(StudyChart[Inputs]):
    """A dot for what a plan expects and one for what was counted: where they lie on each other the plan is right."""

    def __init__(self):
        super().__init__()
        self.read = Dots("joins_on_rows.read", "How many pages does a join read?", "pages read", "", KINDS)
        self.written = Dots(
            "joins_on_rows.written", "How many pages of intermediate results does it write?", "pages written", "", KINDS
        )
        self.place(self.read, self.written)

    def update(self, inputs: Inputs, result) -> None:
        names = [result.cell("method", row) for row in range(len(result))]
        for drawn, column in ((self.read, "read"), (self.written, "written")):
            values = {"expected": result[f"expected_{column}"], "counted": result[column].astype(float)}
            some = np.flatnonzero((values["expected"] > 0) | (values["counted"] > 0))
            shown = {kind: np.where(each[some] > 0, each[some], np.nan) for kind, each in values.items()}
            drawn.show([names[at] for at in some], shown, [""] * some.size, _count)


def _count(pages: float) -> str:
    return f"{format_cell(round(pages), '1')} pages"
