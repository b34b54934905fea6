"""The charts of the study `slc_cache`: the write rate over the bytes written, and the cache over time."""

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool

from pagecost.studies.flash.slc_cache import Inputs
from pagecost.units import format_seconds, format_si
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import plain_figure


class Chart(StudyChart[Inputs]):
    """The write rate with the mean of each burst, and beside it what the cache holds."""

    def __init__(self):
        super().__init__()
        self.rates = ColumnDataSource({"x": [], "y": []}, name="slc_cache.rates")
        self.means = ColumnDataSource({"x": [], "y": []}, name="slc_cache.means")
        self.cached = ColumnDataSource({"x": [], "y": []}, name="slc_cache.cached")
        self.rate = plain_figure(
            "slc_cache.rate", "Write rate (dashed: mean of each burst)", "written by the host", "", 340
        )
        self.fill = plain_figure("slc_cache.fill", "How full is the cache?", "time [min]", "in the cache", 340)
        self.rate.xaxis.formatter = self.fill.yaxis.formatter = style.prefixed("B")
        self.rate.yaxis.formatter = style.prefixed("B/s")
        self.line = self.rate.line("x", "y", source=self.rates, line_width=3)
        self.mean = self.rate.line("x", "y", source=self.means, line_width=2, line_dash="dashed")
        self.area = self.fill.varea("x", 0, "y", source=self.cached, fill_alpha=0.25)
        self.edge = self.fill.line("x", "y", source=self.cached, line_width=2)
        for chart, line in ((self.rate, self.line), (self.fill, self.edge)):
            chart.add_tools(HoverTool(renderers=[line], mode="vline", tooltips=[("", "@x_text"), ("", "@y_text")]))
            chart.y_range.start = 0
        self.place((self.rate, self.fill))
        self.recolour(False)

    def update(self, inputs: Inputs, result) -> None:
        style.change(self.rate.yaxis[0], axis_label=result.columns["rate"].label)
        writing = np.flatnonzero(result["rate"] > 0)
        corners = {
            name: np.column_stack([result[f"from_{name}"], result[f"to_{name}"]]) for name in ("bytes", "s", "cached")
        }
        written = corners["bytes"][writing].ravel()
        self.rates.data = _points(written, np.repeat(result["rate"][writing], 2), "B", "B/s")
        self.means.data = _points(written, np.repeat(result["burst_rate"][writing], 2), "B", "B/s")
        minutes = corners["s"].ravel() / 60
        self.cached.data = _points(minutes, corners["cached"].ravel(), "min", "B")

    def recolour(self, dark: bool) -> None:
        super().recolour(dark)
        first, second, third = style.colours(dark)[:3]
        self.line.glyph.line_color = first
        self.mean.glyph.line_color = second
        self.edge.glyph.line_color = self.area.glyph.fill_color = third


def _points(x, y, x_unit: str, y_unit: str) -> dict:
    def word(number: float, unit: str) -> str:
        return format_seconds(60 * number) if unit == "min" else format_si(number, "B") + unit[1:]

    x_text, y_text = [word(float(item), x_unit) for item in x], [word(float(item), y_unit) for item in y]
    return {"x": x, "y": y, "x_text": x_text, "y_text": y_text}
