"""The charts of the study `response_times`: cumulative distributions over a logarithmic time axis."""

from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, NumeralTickFormatter

from pagecost.devices.ssd.run import PERCENTILES
from pagecost.studies.flash.flash_fields import names_of
from pagecost.studies.flash.response_times import LOADS, Inputs
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data, replace, without_points

DECADES = [10.0**power for power in range(-6, 2)]


class Chart(StudyChart[Inputs]):
    """A figure per load with a line per device."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("response_times.legend")
        self.panels = {load: _Panel(load, title) for load, (title, _) in LOADS.items()}
        reads, writes, mix = self.panels.values()
        for panel in (writes, mix):
            panel.series.figure.x_range = reads.series.figure.x_range
        self.place(self.legend, (reads, writes), mix)

    def update(self, inputs: Inputs, result) -> None:
        self.legend.show(list(names_of(inputs.devices).values()))
        for panel in self.panels.values():
            panel.update(inputs, result)


class _Panel:
    """One load: a step per device where many requests take the same time, and a mark at every percentile."""

    def __init__(self, load: str, title: str):
        self.load = load
        self.series = SeriesFigure(
            f"response_times.{load}",
            f"{title[0].upper()}{title[1:]}: what share is done in time?",
            "response time (marks: 50, 95, 99 and 99.9 %)",
            "",
            [],
            look=without_points,
            x_axis_type="log",
            height=320,
        )
        self.figure = figure = self.series.figure
        figure.xaxis.formatter = style.prefixed("s")
        figure.xaxis.ticker = FixedTicker(ticks=DECADES, minor_ticks=[])
        figure.yaxis.formatter = NumeralTickFormatter(format="0 %")
        figure.y_range.start, figure.y_range.end = -0.02, 1.04
        self.marks = []
        for number in range(style.SLOTS):
            source = ColumnDataSource(_no_marks(), name=f"response_times.{load}.marks.{number}")
            look = {"line_color": style.LIGHT_COLOURS[number], "fill_color": style.LIGHT_COLOURS[number]}
            marker = style.MARKERS[number]
            self.marks.append(figure.scatter("x", "y", size=8, marker=marker, source=source, **look))
        tooltips = [("device", "@device"), ("of the requests", "@name"), ("within", "@time")]
        figure.add_tools(HoverTool(tooltips=tooltips, renderers=self.marks))

    def update(self, inputs: Inputs, result) -> None:
        distribution = result.tables["distribution"]
        style.change(self.series.figure.yaxis[0], axis_label=distribution.columns["share"].label)
        for number, mark in enumerate(self.marks):
            line, marks = no_data(), _no_marks()
            if number < len(inputs.devices):
                cell = {"device": inputs.devices[number], "load": self.load}
                rows = distribution.rows(**cell)
                if rows.size:
                    line = {"x": distribution["response_s"][rows], "y": distribution["share"][rows]}
                    marks = _marks(result, result.rows(**cell)[0])
            self.series.show(number, line)
            replace(mark.data_source, marks)

    def recolour(self, dark: bool) -> None:
        self.series.recolour(dark)
        for mark, colour in zip(self.marks, style.colours(dark), strict=True):
            mark.glyph.line_color = colour
            mark.glyph.fill_color = colour


def _marks(result, row: int) -> dict:
    return {
        "x": [float(result[f"{name}_s"][row]) for name in PERCENTILES],
        "y": list(PERCENTILES.values()),
        "device": [result.cell("device", row)] * len(PERCENTILES),
        "name": [f"{100 * share:g} %" for share in PERCENTILES.values()],
        "time": [result.cell(f"{name}_s", row) for name in PERCENTILES],
    }


def _no_marks() -> dict:
    return {"x": [], "y": [], "device": [], "name": [], "time": []}
