"""The charts of the study `write_amplification`: programs per host page over spare space, and their causes."""

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, FixedTicker, NumeralTickFormatter, Span

from pagecost.studies.flash.write_amplification import Inputs, title_of
from pagecost_app.charts import style
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data
from pagecost_app.charts.stacked import StackedBars

TERMS = {"host": "the host's own page", "copied": "copies of live pages"}
TOOLTIPS = [
    ("policy", "@policy"),
    ("spare space", "@x{0.0 %} of the flash"),
    ("over-provisioning", "@over_provisioning{0.0 %}"),
    ("write amplification", "@y{0.000} ± @half_width{0.000}"),
    ("theory", "@theory_text"),
    ("worst host write", "@worst_request copies"),
]


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="write_amplification.result")
        self.legend = LegendStrip("write_amplification.legend")
        self.curve = SeriesFigure(
            "write_amplification.curve",
            "How many pages are programmed for one of the host?",
            "spare space, share of the flash (points: simulated; pale lines: theory)",
            "",
            TOOLTIPS,
            y_axis_type="log",
            height=380,
        )
        self.curve.figure.xaxis.formatter = NumeralTickFormatter(format="0 %")
        self.curve.figure.yaxis.formatter = NumeralTickFormatter(format="0.[0]")
        self.curve.figure.yaxis.ticker = FixedTicker(ticks=[1, 1.2, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100])
        self.theory, self.bars = [], []
        for number, colour in enumerate(style.LIGHT_COLOURS):
            theory = ColumnDataSource({"x": [], "y": []}, name=f"write_amplification.theory.{number}")
            self.theory.append(
                self.curve.figure.line("x", "y", source=theory, line_color=colour, line_width=6, line_alpha=0.25)
            )
            self.bars.append(
                self.curve.figure.segment(
                    "x", "low", "x", "high", source=ColumnDataSource(_no_bars()), line_color=colour, line_width=2
                )
            )
        self.chosen = Span(dimension="height", line_width=2, line_alpha=0.6, line_color=style.LIGHT["muted"])
        self.curve.figure.add_layout(self.chosen)
        self.cost = StackedBars("write_amplification.cost", "", "", "", TERMS, height=380)
        self.root = column(
            self.legend.figure,
            row(self.curve.figure, self.cost.figure, sizing_mode="stretch_width"),
            sizing_mode="stretch_width",
        )

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`, which may still be growing."""
        self.result.data = result.arrays()
        self.legend.show([title_of(inputs, name) for name in inputs.policies])
        for number in range(style.SLOTS):
            if number < len(inputs.policies):
                curve = _curve(inputs, result, inputs.policies[number])
                known = np.isfinite(curve["theory"])
                theory = {"x": curve["x"][known], "y": curve["theory"][known]}
                bars = {
                    "x": curve["x"],
                    "low": curve["y"] - curve["half_width"],
                    "high": curve["y"] + curve["half_width"],
                }
            else:
                curve, theory, bars = no_data(), no_data(), _no_bars()
            self.curve.show(number, curve)
            _replace(self.theory[number].data_source, theory)
            _replace(self.bars[number].data_source, bars)
        label = result.columns["write_amplification"].label
        style.change(self.curve.figure.yaxis[0], axis_label=label)
        style.change(self.cost.figure.xaxis[0], axis_label=label)
        style.change(self.chosen, location=inputs.spare)
        style.change(self.cost.figure.title, text=f"With {inputs.spare:.0%} spare space")
        rows = result.rows(chosen=True)
        titles = [result.cell("policy", i) for i in rows]
        terms = {"host": np.ones(rows.size), "copied": result["copies_per_write"][rows]}
        self.cost.show(titles, terms, lambda value: f"{value:.2f}")

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = []
        for i in result.rows(chosen=True):
            known = np.isfinite(result["theory"][i])
            theory = f" (theory {result['theory'][i]:.2f})" if known else ""
            words.append(f"{result.cell('policy', i)} {result['write_amplification'][i]:.2f}{theory}")
        return (
            f"Pages programmed per host page with {inputs.spare:.0%} spare space: {'; '.join(words)}. "
            "More spare space means fewer."
        )

    def recolour(self, dark: bool) -> None:
        self.chosen.line_color = style.shades(dark)["muted"]
        for renderers in (self.theory, self.bars):
            for renderer, colour in zip(renderers, style.colours(dark), strict=True):
                renderer.glyph.line_color = colour
        for part in (self.legend, self.curve, self.cost):
            part.recolour(dark)


def _curve(inputs: Inputs, result, policy: str) -> dict:
    """The policy's points by rising spare space, the chosen one among them."""
    rows = result.rows(policy=policy)
    _, first = np.unique(result["spare"][rows], return_index=True)
    rows = rows[first]
    theory = result["theory"][rows]
    return {
        "x": result["spare"][rows],
        "y": result["write_amplification"][rows],
        "policy": [title_of(inputs, policy)] * rows.size,
        "over_provisioning": result["over_provisioning"][rows],
        "half_width": result["half_width"][rows],
        "theory": theory,
        "theory_text": [f"{value:.3f}" if np.isfinite(value) else "not known" for value in theory],
        "worst_request": result["worst_request"][rows],
    }


def _no_bars() -> dict:
    return {"x": [], "low": [], "high": []}


def _replace(source: ColumnDataSource, columns: dict) -> None:
    """Send columns only where they differ."""
    if any(not np.array_equal(source.data[name], values) for name, values in columns.items()):
        source.data = columns
