"""The chart of the study `shingled_disk`: writes per second over what was written, where the caches end."""

from bokeh.layouts import column
from bokeh.models import ColumnDataSource

from pagecost.studies.disk.shingled_disk import PATTERNS, SERIES, Inputs
from pagecost.studies.shared_fields import per_second
from pagecost.units import format_bytes
from pagecost_app.charts import style
from pagecost_app.charts.series import LegendStrip, SeriesFigure

TOOLTIPS = [("", "@series"), ("written before", "@written"), ("writes per second", "@y{0.[00] a}"), ("", "@rate")]


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="shingled_disk.result")
        self.legend = LegendStrip("shingled_disk.legend")
        self.rate = SeriesFigure(
            "shingled_disk.rate",
            "",
            "bytes written so far",
            "writes per second",
            TOOLTIPS,
            x_axis_type="log",
            y_axis_type="log",
            height=440,
        )
        self.rate.figure.xaxis.formatter = style.prefixed("B")
        self.rate.figure.yaxis.formatter = style.prefixed("")
        self.root = column(self.legend.figure, self.rate.figure, sizing_mode="stretch_width")

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`."""
        self.result.data = result.arrays()
        self.legend.show([f"{_device(inputs, series)}, {title}" for series, title in SERIES.items()])
        title = f"How long are {PATTERNS[inputs.pattern]} writes of {format_bytes(inputs.request_bytes)} fast?"
        style.change(self.rate.figure.title, text=title)
        for number, series in enumerate(SERIES):
            rows = result.rows(series=series)
            self.rate.show(
                number,
                {
                    "x": result["written_bytes"][rows],
                    "y": result["iops"][rows],
                    "series": [SERIES[series]] * rows.size,
                    "written": [format_bytes(size) for size in result["written_bytes"][rows]],
                    "rate": [f"{format_bytes(rate)}/s" for rate in result["throughput_bytes_per_s"][rows]],
                },
            )

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = []
        for series, title in SERIES.items():
            rates = [per_second(rate) for rate in result["iops"][result.rows(series=series)]]
            words.append(f"{_device(inputs, series)}, {title}: {rates[0]} writes/s at first, {rates[-1]} at last")
        return f"{inputs.pattern.capitalize()} writes. {'; '.join(words)}."

    def recolour(self, dark: bool) -> None:
        for part in (self.legend, self.rate):
            part.recolour(dark)


def _device(inputs: Inputs, series: str) -> str:
    return inputs.shingled if series == "shingled" else inputs.disk
