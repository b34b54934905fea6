"""The charts of the study `storage_plan`: cost against response time, and what would change the choice."""

import numpy as np
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, HoverTool, LogTickFormatter
from bokeh.models.annotations import LegendItem, Span

from pagecost import units
from pagecost.studies.plan.storage_plan import Inputs
from pagecost.units import format_cell, format_seconds, format_years
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import plain_figure

TOOLTIPS = [
    ("", "@title"),
    ("cost", "@cost"),
    ("response time", "@said"),
    ("power", "@watts"),
    ("life", "@life"),
    ("why not", "@why"),
]
LEAST_SIZE, MOST_SIZE = 7, 20  # of a mark: the longer the devices live, the larger
RING = 10  # by which the ring of the chosen plan is larger than its mark
ROOM = 0.25  # beside the marks, of what they span: a ring at the end is whole on a telephone
LOST = "lost: why, on hover"
SHORT_LIFE, LONG_LIFE = 1.0, 100.0  # years


class Chart(StudyChart[Inputs]):
    """Every plan that counts by cost and response time; under it the tornado."""

    def __init__(self):
        super().__init__()
        self.figure = plain_figure(
            f"{self.name}.plans",
            "Which plans are worth their money?",
            "cost of all years",
            "response time of the percentile",
            height=430,
            x_axis_type="log",
            y_axis_type="log",
        )
        for axis in (self.figure.x_range, self.figure.y_range):
            axis.range_padding = ROOM
        self.figure.yaxis.formatter = style.prefixed("s")
        self.figure.xaxis.formatter = LogTickFormatter()
        self.losers, self.front, self.chosen = (
            self.figure.scatter("x", "y", size="size", source=_source(name), **look)
            for name, look in (
                (f"{self.name}.losers", {"fill_alpha": 0.25, "line_alpha": 0.4}),
                (f"{self.name}.front", {"fill_alpha": 0.6}),
                (f"{self.name}.chosen", {"fill_alpha": 0, "line_width": 3}),
            )
        )
        self.line = self.figure.step("x", "y", source=_source(f"{self.name}.line"), mode="after", line_width=2)
        self.intervals = self.figure.segment(
            "x", "low", "x", "high", source=ColumnDataSource({"x": [], "low": [], "high": []}), line_width=2
        )
        self.target = Span(dimension="width", line_width=2, line_dash="dashed", line_color=style.LIGHT["muted"])
        self.figure.add_layout(self.target)
        self.figure.add_tools(HoverTool(renderers=[self.losers, self.front], tooltips=TOOLTIPS))
        named = ((self.chosen, "chosen"), (self.front, "none is better in everything"), (self.losers, LOST))
        style.legend_below(self.figure, [LegendItem(label=value(words), renderers=[dots]) for dots, words in named])
        self.tornado = plain_figure(
            f"{self.name}.tornado",
            "What would change the choice?",
            "cost of the chosen plan, from the low end to the high end of each input",
            "",
            height=380,
            y_range=[],
        )
        source = ColumnDataSource({name: [] for name in ("y", "left", "right", "said", "flips")})
        self.bars = self.tornado.hbar("y", left="left", right="right", height=0.6, source=source, fill_alpha="flips")
        self.tornado.add_tools(HoverTool(renderers=[self.bars], tooltips=[("", "@said")]))
        self.place(self.figure, self.tornado)
        self.muted += [self.target, self.losers.glyph]
        self.inked += [renderer.glyph for renderer in (self.chosen, self.intervals)]
        self.recolour(False)

    def update(self, inputs: Inputs, result) -> None:
        self.draw(result, inputs.response_s, inputs.percentile, inputs.years)

    def draw(self, result, response_s: float, percentile: int, years: float) -> None:
        """Draw the answer to these targets; response_s: 0 where no response time was asked for."""
        money = _money(result)
        known = np.isfinite(result["cost"]) & np.isfinite(result["percentile_s"])
        front = np.flatnonzero(known & result["pareto"])
        self.losers.data_source.data = _dots(result, np.flatnonzero(known & ~result["pareto"]))
        self.front.data_source.data = _dots(result, front)
        self.chosen.data_source.data = _dots(result, np.flatnonzero(known & result["chosen"]), more=RING)
        order = front[np.argsort(result["cost"][front], kind="stable")]
        best = np.minimum.accumulate(result["percentile_s"][order])
        self.line.data_source.data = {"x": money.of_usd(result["cost"][order]), "y": best}
        self.intervals.data_source.data = _intervals(result)
        style.change(self.target, location=response_s)
        style.change(
            self.figure.xaxis[0], axis_label=f"cost of {format_years(years)} in {money.words}; large: lives long"
        )
        style.change(self.figure.yaxis[0], axis_label=f"response time of {percentile} %")
        self._draw_tornado(result)

    def _draw_tornado(self, result) -> None:
        table = result.tables.get("tornado")
        if table is None:
            self.bars.data_source.data = {name: [] for name in ("y", "left", "right", "said", "flips")}
            return
        titles = [f"{number}. {title}" for number, title in enumerate(table["title"], start=1)]
        low, high = (_money(result).of_usd(table[end]) for end in ("cost_low", "cost_high"))
        width = max(np.ptp(np.concatenate([low, high])), 1e-9) / 200  # what changes nothing is a line
        flips = table["chosen_low"] != table["chosen_high"]
        said = [
            f"{title}: {first:g} … {last:g} {unit}" + ("; another plan is chosen at an end" if flip else "")
            for title, first, last, unit, flip in zip(
                table["title"], table["low"], table["high"], table["unit"], flips, strict=True
            )
        ]
        self.tornado.y_range.factors = titles[::-1]
        style.change(self.tornado, height=120 + 26 * len(titles))
        self.bars.data_source.data = {
            "y": titles,
            "left": np.minimum(low, high) - width,
            "right": np.maximum(low, high) + width,
            "said": said,
            "flips": np.where(flips, 0.9, 0.35),
        }

    def recolour(self, dark: bool) -> None:
        super().recolour(dark)
        colours = style.colours(dark)
        for renderer, colour in ((self.front, colours[0]), (self.line, colours[0]), (self.bars, colours[1])):
            style.change(renderer.glyph, line_color=colour)
            if "fill_color" in renderer.glyph.properties():
                style.change(renderer.glyph, fill_color=colour)
        style.change(self.losers.glyph, fill_color=style.shades(dark)["muted"])


def _money(result) -> units.Money:
    """The currency that is drawn: for dollars the one that a person wants to see. Of another there is no rate here."""
    code = result.main.columns["cost"].unit
    return units.money() if code == "USD" else units.Money(code, code, 1.0)


def _intervals(result) -> dict:
    """Ends of the simulated times, where there are several runs."""
    table = result.tables.get("simulated")
    if table is None or "half_width_s" not in table.columns:
        return {"x": [], "low": [], "high": []}
    mean, half = table["simulated_s"], table["half_width_s"]
    return {"x": _money(result).of_usd(table["cost"]), "low": np.maximum(mean - half, mean / 10), "high": mean + half}


def _source(name: str) -> ColumnDataSource:
    return ColumnDataSource({"x": [], "y": [], "size": []}, name=name)


def _dots(result, rows: np.ndarray, more: int = 0) -> dict:
    years = result["life_years"][rows] if "life_years" in result.columns else np.full(rows.size, np.nan)
    life = np.clip(np.nan_to_num(years, nan=SHORT_LIFE, posinf=LONG_LIFE), SHORT_LIFE, LONG_LIFE)
    share = np.log(life / SHORT_LIFE) / np.log(LONG_LIFE / SHORT_LIFE)
    return {
        "x": _money(result).of_usd(result["cost"][rows]),
        "y": result["percentile_s"][rows],
        "size": LEAST_SIZE + (MOST_SIZE - LEAST_SIZE) * share + more,
        "title": result["title"][rows].tolist(),
        "cost": [result.cell("cost", row) for row in rows],
        "said": [format_seconds(result["percentile_s"][row]) for row in rows],
        "watts": [result.cell("mean_w", row) if "mean_w" in result.columns else "not known" for row in rows],
        "life": [_life(each) for each in years],
        "why": [str(result["binding"][row]) for row in rows],
    }


def _life(years: float) -> str:
    if np.isinf(years):
        return "not worn by writes"
    return format_cell(years, "year")
