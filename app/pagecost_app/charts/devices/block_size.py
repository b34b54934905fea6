"""The charts of the study `block_size`: four patterns side by side, and one request taken apart."""

import numpy as np

from pagecost.devices import PATTERNS, TERMS
from pagecost.studies.devices.block_size import ALONE, Inputs, alone_row, detail_s
from pagecost.units import format_bytes, format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import LegendStrip, SeriesFigure
from pagecost_app.charts.stacked import StackedBars

TOOLTIPS = [
    ("device", "@device"),
    ("block", "@block"),
    ("throughput", "@throughput"),
    ("requests", "@iops"),
    ("outstanding", "@depth"),
]
UNKNOWN = "not known: its rates are with many outstanding, or nothing was measured here"


class Chart(StudyChart[Inputs]):
    """A figure per pattern with a line per device, and a bar per device of one request."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("block_size.legend")
        self.panels = {
            pattern: SeriesFigure(
                f"block_size.{pattern.replace(' ', '_')}",
                pattern.capitalize(),
                "",
                "",
                TOOLTIPS,
                x_axis_type="log",
                y_axis_type="log",
                height=250,
            )
            for pattern in PATTERNS
        }
        for panel in self.panels.values():
            panel.figure.yaxis.formatter = style.prefixed("B/s")
        first = self.panels[PATTERNS[0]].figure
        for panel in self.panels.values():
            panel.figure.x_range, panel.figure.y_range = first.x_range, first.y_range
        self.detail = StackedBars("block_size.detail", "", "time of one request alone", "s", TERMS, nothing=UNKNOWN)
        panels = tuple(self.panels.values())
        self.place(self.legend, panels[:2], panels[2:], self.detail)

    def update(self, inputs: Inputs, result) -> None:
        names = list(dict.fromkeys(result["device"].tolist()))[: style.SLOTS]
        titles = result.columns["device"].names
        self.legend.show([titles.get(name, name) for name in names])
        for pattern, panel in self.panels.items():
            panel.show_all(_line(result, name, pattern) for name in names)
            style.name_axes(panel.figure, result.columns["block_bytes"], result.columns["throughput_bytes_per_s"])
            style.bytes_ticks(panel.figure.xaxis[0], inputs.block_sizes_bytes)
        times = detail_s(inputs, result)
        size = format_bytes(inputs.detail_block_bytes)
        title = f"Where does the time of one {size} {inputs.detail_pattern} go?"
        style.change(self.detail.figure.title, text=title)
        style.change(self.detail.figure, height=120 + 34 * len(times))
        self.detail.show([title for title, _ in times.values()], _terms(inputs, result, times), format_seconds)


def _terms(inputs: Inputs, result, times: dict) -> dict[str, np.ndarray]:
    """The terms of the request in detail, one entry per device, zero where they are not known."""
    where = {"pattern": inputs.detail_pattern, "block_bytes": inputs.detail_block_bytes}
    rows = [alone_row(result, device=device, **where) for device in times]
    known = [row for row in rows if row is not None]
    alone = result.tables[ALONE] if known else None
    return {
        term: np.array([0.0 if row is None else alone[term][row] for row in rows])
        for term in TERMS
        if alone and term in alone.columns
    }


def _line(result, device: str, pattern: str) -> dict:
    rows = result.rows(device=device, pattern=pattern)
    told = {"device": "device", "block": "block_bytes", "throughput": "throughput_bytes_per_s", "iops": "iops"}
    words = {word: [result.cell(column, row) for row in rows] for word, column in (told | {"depth": "depth"}).items()}
    return {"x": result["block_bytes"][rows], "y": result["throughput_bytes_per_s"][rows], **words}
