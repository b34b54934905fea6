"""The charts of the study `read_write_mix`: throughput over the share of reads, beside the harmonic mean."""

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, NumeralTickFormatter, Span

from pagecost.studies.flash.flash_fields import names_of, rate_text
from pagecost.studies.flash.read_write_mix import Inputs, detail_rows
from pagecost.studies.shared_fields import per_second
from pagecost_app.charts import style
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data

TOOLTIPS = [
    ("device", "@device"),
    ("reads", "@x{0 %}"),
    ("requests per second", "@rate"),
    ("steady", "@steady"),
    ("harmonic mean", "@harmonic"),
    ("mean read", "@read"),
    ("mean write", "@write"),
    ("collection in a read's way", "@collection"),
]


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="read_write_mix.result")
        self.legend = LegendStrip("read_write_mix.legend")
        self.rate = SeriesFigure(
            "read_write_mix.rate",
            "How fast is a mix? (pale: harmonic mean)",
            "",
            "",
            TOOLTIPS,
            y_axis_type="log",
            height=360,
        )
        self.ratio = SeriesFigure(
            "read_write_mix.ratio",
            "Is it below the harmonic mean: a bathtub?",
            "",
            "",
            TOOLTIPS,
            height=360,
        )
        self.ratio.figure.y_range.start = 0
        self.rate.figure.yaxis.formatter = style.prefixed("")
        for panel in (self.rate, self.ratio):
            panel.figure.xaxis.formatter = NumeralTickFormatter(format="0 %")
        self.ratio.figure.x_range = self.rate.figure.x_range
        self.harmonic = [
            self.rate.figure.line(
                "x",
                "y",
                source=ColumnDataSource({"x": [], "y": []}, name=f"read_write_mix.harmonic.{number}"),
                line_color=colour,
                line_width=7,
                line_alpha=0.25,
            )
            for number, colour in enumerate(style.LIGHT_COLOURS)
        ]
        muted = style.LIGHT["muted"]
        self.equal = Span(location=1, dimension="width", line_width=1, line_dash="dashed", line_color=muted)
        self.ratio.figure.add_layout(self.equal)
        self.root = column(
            self.legend.figure,
            row(self.rate.figure, self.ratio.figure, sizing_mode="stretch_width"),
            sizing_mode="stretch_width",
        )

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`, which may still be growing."""
        self.result.data = result.arrays()
        for panel, name in ((self.rate, "iops"), (self.ratio, "over_harmonic")):
            style.name_axes(panel.figure, result.columns["read_share"], result.columns[name])
        self.legend.show(list(names_of(inputs.devices).values()))
        for number in range(style.SLOTS):
            shown = number < len(inputs.devices)
            line = _line(result, inputs.devices[number]) if shown else None
            self.rate.show(number, {**line, "y": line["iops"]} if shown else no_data())
            self.ratio.show(number, {**line, "y": line["over"]} if shown else no_data())
            pale = {"x": line["x"], "y": line["mean"]} if shown else no_data()
            source = self.harmonic[number].data_source
            if any(not np.array_equal(source.data[name], values) for name, values in pale.items()):
                source.data = pale

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = [
            f"{result.cell('device', i)} {rate_text(result, i)} requests/s"
            f"{'' if result['steady'][i] else ', not steady'}, {result['over_harmonic'][i]:.2f} times the harmonic mean"
            for i in detail_rows(inputs, result)
        ]
        return f"With {inputs.read_share:.0%} reads and {inputs.depth} outstanding: {'; '.join(words)}."

    def recolour(self, dark: bool) -> None:
        self.equal.line_color = style.shades(dark)["muted"]
        for line, colour in zip(self.harmonic, style.colours(dark), strict=True):
            line.glyph.line_color = colour
        for part in (self.legend, self.rate, self.ratio):
            part.recolour(dark)


def _line(result, device: str) -> dict:
    rows = result.rows(device=device)[::-1]

    def cells(name: str) -> list[str]:
        return [result.cell(name, i) for i in rows]

    return {
        "x": result["read_share"][rows],
        "iops": result["iops"][rows],
        "mean": result["harmonic_iops"][rows],
        "over": result["over_harmonic"][rows],
        "device": cells("device"),
        "rate": [rate_text(result, i) for i in rows],
        "steady": cells("steady"),
        "harmonic": [per_second(rate) for rate in result["harmonic_iops"][rows]],
        "read": cells("read_mean_s"),
        "write": cells("write_mean_s"),
        "collection": cells("collection_s"),
    }
