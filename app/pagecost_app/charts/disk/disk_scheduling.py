"""The charts of the study `disk_scheduling`: rate and slowest responses over the queue depth, one service apart."""

import numpy as np

from pagecost.devices.disk import TERMS
from pagecost.studies.disk.disk_scheduling import SERVICE, TITLES, Inputs, detail_rows
from pagecost_app.charts import style
from pagecost_app.charts.curves import CurvesChart, Panel
from pagecost_app.charts.marks import Intervals, chosen_line

ON_THE_DISK = {name: TERMS[name] for name in SERVICE}


class Chart(CurvesChart[Inputs]):
    """One line per scheduler over the queue depth; the bars take one depth apart."""

    x = "depth"
    panels = (
        Panel("rate", "Requests per second (dashed: first come, first served by formula)", "iops"),
        Panel("slowest", "How long do the slowest wait? (99 % are faster)", "response_99_s", log=True),
    )
    tips = (
        ("queue depth", "depth"),
        ("requests per second", "iops"),
        ("± at 95 % confidence", "iops_interval"),
        ("mean response", "response_s"),
        ("99 % within", "response_99_s"),
    )
    stack = ON_THE_DISK
    stack_label = "time of one request on the disk"

    def __init__(self):
        super().__init__()
        rate, slowest = self.figures["rate"], self.figures["slowest"]
        slowest.figure.x_range = rate.figure.x_range
        self.intervals = Intervals(rate)
        self.coloured.append(self.intervals)
        self.theory = chosen_line(rate, "width", line_width=1, line_dash="dashed", line_alpha=1)
        self.muted.append(self.theory)

    def series(self, inputs: Inputs, result) -> dict[str, np.ndarray]:
        return {TITLES[name]: result.rows(scheduler=name) for name in inputs.schedulers}

    def detail(self, inputs: Inputs) -> str:
        return f"Where does the disk's time go with {inputs.detail_depth} requests outstanding?"

    def detail_rows(self, inputs: Inputs, result) -> np.ndarray:
        return detail_rows(inputs, result)

    def ticks(self, axis, values: list) -> None:
        style.ticks_at(axis, {depth: str(depth) for depth in values})

    def update(self, inputs: Inputs, result) -> None:
        super().update(inputs, result)
        style.change(self.theory, location=result.facts["first_come_iops"].number)
        rows = list(self.series(inputs, result).values())
        for number in range(style.SLOTS):
            of = rows[number] if number < len(rows) else np.empty(0, int)
            self.intervals.show(number, *(result[name][of] for name in ("depth", "iops", "iops_interval")))
