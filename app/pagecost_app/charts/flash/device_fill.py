"""The charts of the study `device_fill`: what one host page costs, free blocks and wear while a device fills."""

from bokeh.models import ColumnDataSource, HoverTool, NumeralTickFormatter, Range1d
from bokeh.models.annotations import Label, Span

from pagecost.studies.flash.device_fill import Inputs, steady_from
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import plain_figure

NAMES = (
    *("written", "write_amplification", "free_share"),
    *("erases_min", "erases_p10", "erases_p50", "erases_p90", "erases_max"),
)


class Chart(StudyChart[Inputs]):
    """Cost, free blocks and wear over what was written, and a histogram of the erases at the end."""

    def __init__(self):
        super().__init__()
        self.source = ColumnDataSource({name: [] for name in NAMES}, name="device_fill.source")
        self.bars = ColumnDataSource({"low": [], "high": [], "blocks": []}, name="device_fill.bars")
        self.cost = _figure("cost", "What does one host page cost?")
        self.free = _figure("free", "How many blocks are free?")
        self.wear = _figure("wear", "Erases of the blocks (line: median; bands: 80 % and all)")
        self.histogram = _figure("histogram", "How many blocks were erased how often?")
        self.cost.x_range = self.free.x_range = self.wear.x_range = self.range = Range1d(start=0, end=1)
        self.free.yaxis.formatter = NumeralTickFormatter(format="0 %")
        self.lines = [
            self.cost.line("written", "write_amplification", source=self.source, line_width=2),
            self.free.line("written", "free_share", source=self.source, line_width=2),
            self.wear.line("written", "erases_p50", source=self.source, line_width=2),
        ]
        self.bands = [
            self.wear.varea("written", low, high, source=self.source, fill_alpha=alpha)
            for low, high, alpha in (("erases_min", "erases_max", 0.18), ("erases_p10", "erases_p90", 0.3))
        ]
        self.quads = self.histogram.quad(left="low", right="high", bottom=0, top="blocks", source=self.bars)
        for chart, line, words in zip(
            (self.cost, self.free, self.wear),
            self.lines,
            (
                ("programmed per host page", "@write_amplification{0.000}"),
                ("free blocks", "@free_share{0.0 %}"),
                ("erases: least, median, most", "@erases_min, @erases_p50, @erases_max"),
            ),
            strict=True,
        ):
            chart.add_tools(HoverTool(renderers=[line], mode="vline", tooltips=[("written", "@written{0.0} ×"), words]))
        self.histogram.add_tools(HoverTool(tooltips=[("erases", "@low to below @high"), ("blocks", "@blocks")]))
        for chart in (self.cost, self.free, self.wear, self.histogram):
            chart.y_range.start = 0
        self.steady = Span(dimension="height", line_width=2, line_dash="dashed", visible=False)
        self.steady_word = Label(
            x=0,
            y=12,
            y_units="screen",
            x_offset=-6,
            visible=False,
            text="steady (SNIA)",
            text_align="right",
        )
        for mark in (self.steady, self.steady_word):
            self.cost.add_layout(mark)
        self.place((self.cost, self.free), (self.wear, self.histogram))
        self.muted.append(self.steady)
        self.inked.append(self.steady_word)
        self.recolour(False)

    def update(self, inputs: Inputs, result) -> None:
        bars = result.tables["erases"]
        self.source.data = {name: result[name] for name in NAMES}
        self.bars.data = {"low": bars["from_erases"], "high": bars["to_erases"], "blocks": bars["blocks"]}
        for figure, name in ((self.cost, "write_amplification"), (self.free, "free_share"), (self.wear, "erases_p50")):
            style.name_axes(figure, result.columns["written"], result.columns[name])
        style.change(self.wear.yaxis[0], axis_label="erases of a block")
        style.name_axes(self.histogram, bars.columns["from_erases"], bars.columns["blocks"])
        style.change(self.range, end=inputs.passes)
        at = steady_from(result)
        style.change(self.steady, visible=at is not None, location=at)
        style.change(self.steady_word, visible=at is not None, x=at or 0)

    def recolour(self, dark: bool) -> None:
        super().recolour(dark)
        first, second, third = style.colours(dark)[:3]
        for line, colour in zip(self.lines, (first, third, second), strict=True):
            line.glyph.line_color = colour
        for band in self.bands:
            band.glyph.fill_color = second
        self.quads.glyph.update(fill_color=second, line_color=style.shades(dark)["ground"])


def _figure(name: str, title: str):
    return plain_figure(f"device_fill.{name}", title, "", "")
