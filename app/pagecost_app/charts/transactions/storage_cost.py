"""The charts of the study `storage_cost`: every plan by cost and response time, and what the best ones cost."""

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, HoverTool, LogTickFormatter
from bokeh.models.annotations import Span

from pagecost import units
from pagecost.economics.hierarchy import LEVELS
from pagecost.studies.transactions.storage_cost import Inputs, simulated_s
from pagecost.transactions.plans import HOMES
from pagecost.units import format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import LegendStrip, plain_figure, replace
from pagecost_app.charts.stacked import StackedBars

WAYS = ("disk", "disk cache write buffer", "NVEM write buffer", "NVEM cache", "ssd", "nvem")
LEAST_USD = 0.005
HOW_DRAWN = "at the left (dots: formula; line: best; bars: simulated)"
TOOLTIPS = [("", "@plan"), ("cost", "@cost"), ("response time", "@said"), ("simulated", "@simulated")]


class Chart(StudyChart[Inputs]):
    """Every plan as a dot by cost and response time, and what the best ones cost as bars."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("storage_cost.legend")
        self.figure = plain_figure(
            "storage_cost.plans",
            "Which plans are worth their price?",
            "",
            "response time by formula",
            height=430,
            x_axis_type="log",
            y_axis_type="log",
        )
        self.figure.yaxis.formatter = style.prefixed("s")
        self.figure.xaxis.formatter = LogTickFormatter()
        self.front = self.figure.step(
            "x", "y", source=ColumnDataSource({"x": [], "y": []}, name="storage_cost.front"), mode="after", line_width=2
        )
        self.dots = []
        for number in range(len(WAYS)):
            source = ColumnDataSource({"x": [], "y": []}, name=f"storage_cost.way.{number}")
            self.dots.append(
                self.figure.scatter("x", "y", source=source, size=8, marker=style.MARKERS[number], fill_alpha=0.45)
            )
        self.intervals = self.figure.segment(
            "x", "low", "x", "high", source=ColumnDataSource({"x": [], "low": [], "high": []}), line_width=3
        )
        self.chosen = self.figure.scatter(
            "x", "y", source=ColumnDataSource({"x": [], "y": []}), size=24, fill_alpha=0, line_width=3
        )
        self.target = Span(dimension="width", line_width=2, line_dash="dashed", line_color=style.LIGHT["muted"])
        self.figure.add_layout(self.target)
        self.figure.add_tools(HoverTool(renderers=self.dots, tooltips=TOOLTIPS))
        self.parts = StackedBars("storage_cost.parts", "", "cost of storage", "$", LEVELS, height=380)
        plans = column(self.legend.figure, self.figure, sizing_mode="stretch_width")
        self.root = column(
            row(plans, sizing_mode="stretch_width"),  # in a row: not as narrow as the bars below
            self.parts.figure,
            sizing_mode="stretch_width",
        )
        self.coloured += [self.legend, self.parts]
        self.muted.append(self.target)
        self.inked += [renderer.glyph for renderer in (self.front, self.intervals, self.chosen)]
        self.recolour(False)

    def update(self, inputs: Inputs, result) -> None:
        priced = np.isfinite(result["cost_usd"])
        money = units.money()
        more = money.of_usd(_more(result["cost_usd"]))
        style.change(self.figure.xaxis[0], axis_label=f"{money.words} more than the cheapest plan, {HOW_DRAWN}")
        ways = [way for way in WAYS if (priced & (result["account"] == way)).any()]
        self.legend.show([f"ACCOUNT and HISTORY: {HOMES[way]}" if way == ways[0] else HOMES[way] for way in ways])
        for number, renderer in enumerate(self.dots):
            of_way = result["account"] == ways[number] if number < len(ways) else np.zeros(len(result), bool)
            rows = np.flatnonzero(priced & of_way)
            replace(renderer.data_source, _dots(result, more, rows))
        front = result.rows(front=True)
        self.front.data_source.data = {"x": more[front], "y": result["formula_s"][front]}
        self.intervals.data_source.data = _bars(result, more)
        best = result.rows(chosen=True)
        self.chosen.data_source.data = {"x": more[best], "y": result["formula_s"][best]}
        style.change(self.target, location=inputs.target_s)
        self._draw_parts(result, best)

    def _draw_parts(self, result, best) -> None:
        """What the plans of the front cost that are not much dearer than the chosen one."""
        front = result.rows(front=True)
        usual = 4 * result["cost_usd"][best[0]] if best.size else np.inf
        shown = front[result["cost_usd"][front] <= usual][:8]
        names = [_short(result, row) for row in shown]
        style.change(
            self.parts.figure.title,
            text="What is paid for? The best plans: home of ACCOUNT / of BRANCH and TELLER / of the log",
        )
        style.change(self.parts.figure, height=150 + 34 * max(shown.size, 1))
        money = units.money()
        style.money_ticks(self.parts.figure.xaxis[0], money)
        values = {level: money.of_usd(result[f"{level}_usd"][shown]) for level in LEVELS}
        self.parts.show(names, values, money.cell)

    def recolour(self, dark: bool) -> None:
        super().recolour(dark)
        for renderer, colour in zip(self.dots, style.colours(dark), strict=False):
            renderer.glyph.update(line_color=colour, fill_color=colour)


def _more(cost: np.ndarray) -> np.ndarray:
    """Dollars above the cheapest plan; for that one a third of the next, as a logarithmic axis has no zero."""
    more = cost - np.nanmin(cost)
    least = more[more > LEAST_USD].min(initial=np.inf)
    return np.maximum(more, least / 3 if np.isfinite(least) else 1.0)


def _bars(result, more) -> dict:
    """The intervals of the plans that were simulated."""
    if (simulated := result.tables.get("simulated")) is None:
        return {"x": [], "low": [], "high": []}
    places = [result.rows(plan=plan)[0] for plan in simulated["plan"]]
    mean, half = simulated["response_s"], simulated["half_width_s"]
    return {"x": more[places], "low": mean - half, "high": mean + half}


def _dots(result, more, rows) -> dict:
    return {
        "x": more[rows],
        "y": result["formula_s"][rows],
        "plan": result["plan"][rows],
        "cost": [result.cell("cost_usd", row) for row in rows],
        "said": [result.cell("formula_s", row) for row in rows],
        "simulated": [simulated_s(result, row) for row in rows],
    }


def _short(result, row: int) -> str:
    """A plan as a label of a bar: its response time, and the homes of ACCOUNT, BRANCH and the log."""
    names = {"disk cache write buffer": "cached", "NVEM write buffer": "buffered", "NVEM cache": "NVEM cache"}
    names |= {"ssd": "SSD", "nvem": "NVEM", "main memory": "memory"}
    homes = [names.get(result[name][row], result[name][row]) for name in ("account", "branch", "log")]
    return f"{format_seconds(result['formula_s'][row])}: {' / '.join(homes)}"
