"""The charts of the study `wear_and_lifetime`: how wear spreads over the blocks, and the years it leaves."""

import numpy as np
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, HoverTool
from bokeh.models.annotations import Legend, LegendItem, Span

from pagecost.studies.flash.wear_and_lifetime import CYCLES, OFF, ON, RATED, TITLES, Inputs
from pagecost.units import format_seconds
from pagecost_app.charts import lives, style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import plain_figure, replace
from pagecost_app.charts.stacked import StackedBars

TERMS = {CYCLES: "until the first block is worn out", RATED: "until the stated endurance is used up"}
IN_BRACKETS = "{} (in brackets: what scales and seeds of the simulation span)"
HATCHES = {OFF: " ", ON: "/"}


class Chart(StudyChart[Inputs]):
    """How many blocks wear how fast, with and without levelling, and the years that leaves as bars."""

    def __init__(self):
        super().__init__()
        self.wear = plain_figure(
            "wear_and_lifetime.wear",
            "How many blocks wear how fast?",
            "",
            "",
            360,
        )
        self.wear.y_range.start = 0
        self.sources, self.quads = {}, {}
        for levelling, title in TITLES.items():
            source = ColumnDataSource(
                {"left": [], "right": [], "blocks": []}, name=f"wear_and_lifetime.{levelling.replace(' ', '_')}"
            )
            quad = self.wear.quad(
                left="left",
                right="right",
                bottom=0,
                top="blocks",
                source=source,
                fill_alpha=0.75,
                hatch_pattern=HATCHES[levelling],
                hatch_alpha=0.6,
            )
            self.wear.add_tools(
                HoverTool(renderers=[quad], tooltips=[("", title), ("blocks", "@blocks"), ("wear", "@left{0.00} ×")])
            )
            self.sources[levelling], self.quads[levelling] = source, quad
        items = [LegendItem(label=value(title), renderers=[self.quads[name]]) for name, title in TITLES.items()]
        legend = Legend(
            items=items,
            orientation="horizontal",
            location="left",
            padding=2,  # type: ignore[arg-type]  # Bokeh takes pixels
            spacing=14,
        )
        self.wear.add_layout(legend, "below")
        style.keep_legend_whole(self.wear, legend)
        self.mean = Span(dimension="height", location=1, line_width=1, line_dash="dashed")
        self.wear.add_layout(self.mean)
        self.muted.append(self.mean)
        self.years = StackedBars(
            "wear_and_lifetime.years",
            "How long does the device last?",
            IN_BRACKETS.format("years"),
            "",
            TERMS,
            height=360,
        )
        self.years.figure.xaxis.formatter = style.written_out()
        self.place((self.wear, self.years))
        self.recolour(False)

    def update(self, inputs: Inputs, result) -> None:
        erases = result.tables["erases"]
        style.name_axes(self.wear, erases.columns["from_relative"], erases.columns["blocks"])
        for levelling, source in self.sources.items():
            rows = erases.rows(levelling=levelling)
            low, high = erases["from_relative"][rows], erases["to_relative"][rows]
            middle = (low + high) / 2
            left, right = (low, middle) if levelling == OFF else (middle, high)
            replace(source, {"left": left, "right": right, "blocks": erases["blocks"][rows]})
        unit = lives.unit_of(result["lifetime_s"])
        shown = {end: np.where(result["ends_by"] == end, result["lifetime_s"] / unit.seconds, 0) for end in TERMS}
        names = [f"{TITLES[name]}\n{_span(result, row)}" for row, name in enumerate(result["levelling"])]
        style.change(self.years.figure.xaxis[0], axis_label=IN_BRACKETS.format(unit.name))
        self.years.show(names, shown, lambda life: format_seconds(life * unit.seconds))

    def recolour(self, dark: bool) -> None:
        super().recolour(dark)
        ground = style.shades(dark)["ground"]
        for levelling, colour in zip((OFF, ON), np.array(style.colours(dark))[[1, 0]], strict=True):
            self.quads[levelling].glyph.update(fill_color=str(colour), line_color=ground, hatch_color=ground)


def _span(result, row: int) -> str:
    """The life of a row, with what scales and seeds span."""
    return lives.span(*(result[name][row] for name in ("lifetime_s", "lifetime_low_s", "lifetime_high_s")))
