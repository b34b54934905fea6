"""The charts of the study `best_block_size`: curves with the point of every rule, and the choice for each pattern."""

from typing import Any

import numpy as np
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, FactorRange, HoverTool
from bokeh.models.annotations import LabelSet, Legend, LegendItem
from bokeh.palettes import Cividis256

from pagecost.devices import PATTERNS
from pagecost.devices.best_block import CRITERIA
from pagecost.studies.devices.best_block_size import AGREES, NO_BASELINE, Curve, Inputs, drawn_curves
from pagecost.units import format_bytes, format_seconds, format_si
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import LegendStrip, SeriesFigure, named_rows, replace

TOOLTIPS = [("device", "@device"), ("block", "@block"), ("throughput", "@throughput"), ("device time", "@time")]
CELL_TOOLTIPS = [("", "@device, @pattern"), ("best", "@size"), ("Algorithm 1", "@thesis"), ("why", "@reason{safe}")]
# One hollow shape per rule, each larger than the one before, so that rules that agree are seen as rings
RINGS = {"near_best": ("circle", 15), "throughput": ("square", 21), "iops": ("diamond", 19)}
THESIS = "Algorithm 1 of the thesis"
NO_RINGS: dict[str, list] = {"x": [], "y": []}
NO_CELLS: dict[str, list] = {
    name: [] for name in ("device", "pattern", "column", "size", "thesis", "below", "reason", "fill", "ink")
}


class Chart(StudyChart[Inputs]):
    """A line per device with the choice of every rule upon it, and a map of devices and patterns."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("best_block_size.legend")
        self.curve = SeriesFigure(
            "best_block_size.curve",
            "",
            "block size",
            "throughput of useful bytes",
            TOOLTIPS,
            x_axis_type="log",
            y_axis_type="log",
            height=430,
        )
        self.curve.figure.yaxis.formatter = style.prefixed("B/s")
        self.rings: dict[str, Any] = {}  # of renderers Bokeh's types do not know what they hold
        for name, (marker, size) in RINGS.items():
            source = ColumnDataSource(dict(NO_RINGS), name=f"best_block_size.{name}")
            look = {"size": size, "marker": marker, "fill_alpha": 0, "line_color": style.LIGHT["ink"], "line_width": 2}
            self.rings[name] = self.curve.figure.scatter("x", "y", source=source, **look)
        thesis = ColumnDataSource(dict(NO_RINGS), name="best_block_size.algorithm_1")
        self.rings[THESIS] = self.curve.figure.scatter(
            "x", "y", source=thesis, marker="x", size=17, line_width=3, line_color=style.LIGHT["ink"]
        )
        items = [
            LegendItem(label=value(CRITERIA.get(name, name)), renderers=[ring]) for name, ring in self.rings.items()
        ]
        legend = Legend(items=items, orientation="horizontal", location="left", padding=2, spacing=14)  # type: ignore[arg-type]  # Bokeh takes pixels
        self.curve.figure.add_layout(legend, "below")
        style.keep_legend_whole(self.curve.figure, legend)
        self.cells = ColumnDataSource(dict(NO_CELLS), name="best_block_size.cells")
        self.map = self._map()
        self.place(self.legend, self.curve, self.map)
        self.inked += [ring.glyph for ring in self.rings.values()]

    def _map(self):
        columns = FactorRange(factors=[_column(pattern) for pattern in PATTERNS])
        drawn = named_rows("best_block_size.map", "", 430, x_range=columns)
        drawn.grid.visible = False
        cells = drawn.rect("column", "device", 0.98, 0.94, source=self.cells, fill_color="fill", line_color=None)
        drawn.add_tools(HoverTool(renderers=[cells], tooltips=CELL_TOOLTIPS))
        look: dict[str, Any] = {
            "x": "column",
            "y": "device",
            "source": self.cells,
            "text_color": "ink",
            "text_align": "center",
        }
        font: dict[str, Any] = {"text_font": value(style.FONT), "text_baseline": "middle"}
        drawn.add_layout(LabelSet(text="size", y_offset=8, text_font_style="bold", **look, **font))
        drawn.add_layout(LabelSet(text="below", y_offset=-9, **look, **font))
        return drawn

    def update(self, inputs: Inputs, result) -> None:
        drawn = drawn_curves(inputs)
        names = list(drawn)[: style.SLOTS]
        self.legend.show([drawn[name].title for name in names])
        self.curve.show_all(_line(drawn[name]) for name in names)
        style.bytes_ticks(self.curve.figure.xaxis[0], inputs.block_sizes_bytes)
        rows = result.rows(pattern=inputs.pattern)
        for name, ring in self.rings.items():
            of = "algorithm_1_bytes" if name == THESIS else f"{name}_bytes"
            replace(ring.data_source, _points(drawn, result["device"][rows], result[of][rows]))
        style.change(self.curve.figure.title, text=f"Which block for a {inputs.detail}? Four answers")
        style.change(self.map.y_range, factors=list(reversed(dict.fromkeys(_titles(result)))))
        style.change(self.map.title, text=f"{CRITERIA[inputs.criterion].capitalize()}, and Algorithm 1")
        self.cells.data = _cells(inputs, result)


def _line(curve: Curve) -> dict:
    return {
        "x": curve.block_bytes,
        "y": curve.throughput_bytes_per_s,
        "device": [curve.title] * curve.block_bytes.size,
        "block": [format_bytes(size) for size in curve.block_bytes],
        "throughput": [format_si(rate, "B/s") for rate in curve.throughput_bytes_per_s],
        "time": [format_seconds(time) for time in curve.device_s],
    }


def _titles(result) -> list[str]:
    return result.columns["device"].cells()


def _points(drawn: dict[str, Curve], devices, sizes) -> dict:
    points = [
        (size, drawn[device].throughput_bytes_per_s[drawn[device].at(size)])
        for device, size in zip(devices, sizes, strict=True)
        if np.isfinite(size)
    ]
    return {"x": [x for x, _ in points], "y": [y for _, y in points]}


def _cells(inputs: Inputs, result) -> dict:
    low, high = np.log(inputs.block_sizes_bytes[0]), np.log(inputs.block_sizes_bytes[-1])
    shade = (np.log(result["block_bytes"]) - low) / max(high - low, 1e-9)
    return {
        "device": _titles(result),
        "pattern": result["pattern"].tolist(),
        "column": [_column(pattern) for pattern in result["pattern"]],
        "size": [format_bytes(size) for size in result["block_bytes"]],
        "thesis": [format_bytes(size) if np.isfinite(size) else "-" for size in result["algorithm_1_bytes"]],
        "below": [_below(result, i) for i in range(len(result))],
        "reason": result["reason"].tolist(),
        "fill": [Cividis256[int(min(max(share, 0), 1) * 255)] for share in shade],
        "ink": ["#ffffff" if share < 0.45 else "#000000" for share in shade],
    }


def _column(pattern: str) -> str:
    """The pattern in two lines, as an axis of narrow columns needs it."""
    return pattern.replace(" ", "\n")


def _below(result, i: int) -> str:
    if result["verdict"][i] == NO_BASELINE:
        return NO_BASELINE
    if result["verdict"][i] == AGREES:
        return "✓ agrees"
    return f"≠ {format_bytes(result['algorithm_1_bytes'][i])}"
