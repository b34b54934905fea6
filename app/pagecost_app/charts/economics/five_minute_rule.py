"""The charts of the study `five_minute_rule`: the break-even interval over page size, and of each year at one size."""

from bokeh.models import FixedTicker
from bokeh.models.annotations import Label

from pagecost.studies.economics.five_minute_rule import ENERGY, Inputs
from pagecost.units import format_bytes, format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.dots import Dots
from pagecost_app.charts.marks import chosen_line
from pagecost_app.charts.series import LegendStrip, SeriesFigure

TOOLTIPS = [
    ("", "@name"),
    ("page", "@page"),
    ("break-even interval", "@interval"),
    ("device time of an access", "@access"),
]
FIVE_MINUTES = 300.0
TICKS: dict[float, str] = {
    **{0.1: "0.1 s", 1: "1 s", 10: "10 s", 60: "1 min", 600: "10 min", 3600: "1 h"},
    **{36_000: "10 h", 345_600: "4 days", 3_456_000: "40 days"},
}


class Chart(StudyChart[Inputs]):
    """A line per year or pair of devices over the page size, and the interval of each at one size."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("five_minute_rule.legend")
        self.curve = SeriesFigure(
            "five_minute_rule.curve",
            "Read more often: a page for memory",
            "",
            "",
            TOOLTIPS,
            x_axis_type="log",
            y_axis_type="log",
            height=420,
        )
        self.rule = chosen_line(
            self.curve, "width", location=FIVE_MINUTES, line_width=1, line_alpha=1, line_dash="dashed"
        )
        self.word = Label(x=2**20, y=FIVE_MINUTES, text="five minutes", y_offset=2, text_align="right")
        self.word.text_font = style.FONT
        self.curve.figure.add_layout(self.word)
        self.bars = Dots("five_minute_rule.intervals", "", "break-even interval", "", {"interval": "by price"})
        self.energy = Dots(
            "five_minute_rule.energy",
            "And in watts in place of dollars?",
            "break-even interval by energy",
            "",
            {"energy": "by energy"},
            height=200,
        )
        for axis in (self.curve.figure.yaxis[0], self.bars.figure.xaxis[0], self.energy.figure.xaxis[0]):
            axis.update(ticker=FixedTicker(ticks=list(TICKS), minor_ticks=[]), major_label_overrides=TICKS)
        self.place(self.legend, (self.curve, self.bars), self.energy)
        self.muted += [self.rule, self.word]
        self.recolour(False)

    def update(self, inputs: Inputs, result) -> None:
        series = list(dict.fromkeys(result["series"].tolist()))[: style.SLOTS]
        names = result.columns["series"].names
        self.legend.show([names.get(name, name) for name in series])
        self.curve.show_all(_curve(result, name) for name in series)
        style.name_axes(self.curve.figure, result.columns["page_bytes"], result.columns["interval_s"])
        style.bytes_ticks(self.curve.figure.xaxis[0], sorted(set(result["page_bytes"].tolist())))
        rows = result.rows(chosen=True)
        names = [result.cell("series", at) for at in rows]
        style.change(
            self.bars.figure.title, text=f"How did the years change it? Pages of {format_bytes(inputs.page_bytes)}"
        )
        self.bars.show(names, {"interval": result["interval_s"][rows]}, [""] * len(names), format_seconds)
        style.change(self.energy.figure, visible=ENERGY in result.tables)
        if ENERGY in result.tables:
            energy = result.tables[ENERGY]
            self.energy.show(
                energy.columns["series"].cells(),
                {"energy": energy["interval_s"]},
                [f"{watts:.3g} W, {memory:.3g} W a GB" for watts, memory in zip(*_watts(energy), strict=True)],
                format_seconds,
            )


def _watts(energy) -> tuple:
    return energy["device_w"], energy["memory_w"]


def _curve(result, name: str) -> dict:
    rows = result.rows(series=name)
    return {
        "x": result["page_bytes"][rows],
        "y": result["interval_s"][rows],
        "name": [result.cell("series", at) for at in rows],
        "page": [format_bytes(size) for size in result["page_bytes"][rows]],
        "interval": [format_seconds(value) for value in result["interval_s"][rows]],
        "access": [format_seconds(value) for value in result["access_s"][rows]],
    }
