"""The charts of the study `device_fit`: measured rates beside the fitted model, and how far the two are apart."""

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, NumeralTickFormatter
from bokeh.models.annotations import Span

from pagecost.calibration import KINDS as KINDS_OF_DEVICE
from pagecost.studies import Column, Result
from pagecost.studies.devices.device_fit import HELD_OUT, Inputs
from pagecost.units import format_bytes
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import LegendStrip, by_slot, plain_figure, replace

TOOLTIPS = [
    ("", "@kind"),
    ("", "@held"),
    ("measured", "@measured"),
    ("runs", "@low_run to @high_run"),
    ("predicted", "@predicted"),
    ("measured over predicted", "@ratio{0.00}"),
]
RATE = Column(np.empty(0), "1/s", "requests per second")
READS, WRITES = "Random reads (lines: fitted)", "Random writes"
ALONE, QUEUED = "Random reads, one at a time, over a span", "Random reads over all of it, queued"
KINDS = ("random read", "random write")


class Chart(StudyChart[Inputs]):
    """Lines of the model and dots of the measurement over depth, a colour per size; the ratios of all of them."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip(f"{self.name}.legend")
        self.left, self.right = Fitted(f"{self.name}.left", ""), Fitted(f"{self.name}.right", "")
        self.ratios = Fitted(f"{self.name}.ratios", "How far is each point from the fit?", lines=False)
        self.sizes, self.counts = style.prefixed("B"), style.prefixed("")
        self.ratios.figure.yaxis.formatter = NumeralTickFormatter(format="0.00")
        self.one = Span(dimension="width", location=1, line_width=1.5, line_color=style.LIGHT["muted"])
        self.band = [Span(dimension="width", line_dash="dashed", line_color=style.LIGHT["muted"]) for _ in range(2)]
        for line in (self.one, *self.band):
            self.ratios.figure.add_layout(line)
        self.muted += [self.one, *self.band]
        self.place(self.legend, (self.left, self.right), self.ratios)

    def update(self, inputs: Inputs, result: Result) -> None:
        points = _points(result)
        sizes = sorted({point["size"] for point in points})[: style.SLOTS]
        self.legend.show([format_bytes(size) for size in sizes])
        for part, (title, pattern, x, chosen) in zip((self.left, self.right), _panels(result, points), strict=True):
            style.change(part.figure.title, text=title)
            part.figure.xaxis.formatter = self.sizes if x == "span" else self.counts
            lines = [[p for p in chosen if p["size"] == size and p["pattern"] == pattern] for size in sizes]
            part.show(_columns(sorted(each, key=lambda p: p[x]), x, "rate") for each in lines)
            style.name_axes(part.figure, result.columns["span_bytes" if x == "span" else "depth"], RATE)
        self.ratios.show(_columns([p for p in points if p["size"] == size], "model", "ratio") for size in sizes)
        style.name_axes(self.ratios.figure, result.columns["predicted_iops"], result.columns["ratio"])
        noise = result.facts["noise"].number if "noise" in result.facts else np.nan
        for line, side in zip(self.band, (-1, 1), strict=True):
            style.change(line, visible=bool(np.isfinite(noise)))
            style.change(line, location=float(np.exp(side * noise)) if np.isfinite(noise) else 1.0)


class Fitted:
    """Dots with their runs as whiskers, rings where held out, and lines of what is predicted; a colour per slot."""

    def __init__(self, name: str, title: str, *, lines: bool = True):
        scale = "log" if lines else "linear"
        self.figure = plain_figure(name, title, "", "", 320, x_axis_type="log", y_axis_type=scale)
        self.slots = []
        drawn = []
        for number, colour in enumerate(style.LIGHT_COLOURS):
            source = ColumnDataSource({key: [] for key in _columns([], "x", "y")}, name=f"{name}.{number}")
            whisker = self.figure.segment("x", "low", "x", "high", source=source, line_color=colour, line_alpha=0.6)
            look = {"source": source, "line_color": colour, "fill_color": colour}
            dots = self.figure.scatter("x", "y", size="dot", fill_alpha="fill", marker=style.MARKERS[number], **look)
            made = [whisker, dots]
            if lines:
                dash = style.DASHES[number]
                made.append(
                    self.figure.line("x", "fit", source=source, line_color=colour, line_dash=dash, line_width=2)
                )
            self.slots.append((source, made))
            drawn.append(dots)
        self.figure.add_tools(HoverTool(tooltips=TOOLTIPS, renderers=drawn))

    def show(self, lines) -> None:
        """Draw a slot per size; the others are emptied."""
        empty = _columns([], "x", "y")
        for number, columns in by_slot(lines):
            replace(self.slots[number][0], empty | columns)

    def recolour(self, dark: bool) -> None:
        for (_, made), colour in zip(self.slots, style.colours(dark), strict=True):
            for each in made:
                each.glyph.line_color = colour
                if "fill_color" in each.glyph.properties():
                    each.glyph.fill_color = colour


def _panels(result: Result, points: list[dict]):
    """(title, pattern, what the axis shows, points) of both: of a disk the seek curve and the queue, of an SSD reads
    and writes over depth."""
    if result.facts["kind"].value == KINDS_OF_DEVICE["disk"]:
        alone = [p for p in points if p["depth"] == 1 and np.isfinite(p["span"])]
        widest = max((p["span"] for p in alone), default=np.nan)
        deep = [p for p in points if p["span"] == widest]
        return (ALONE, KINDS[0], "span", alone), (QUEUED, KINDS[0], "depth", deep)
    return (READS, KINDS[0], "depth", points), (WRITES, KINDS[1], "depth", points)


def _points(result: Result) -> list[dict]:
    """All points of an answer, fitted and held out."""
    points = []
    tables = [(result.main, False)]
    if HELD_OUT in result.tables:
        tables.append((result.tables[HELD_OUT], True))
    for table, held in tables:
        cells = {name: column.cells() for name, column in table.columns.items()}
        for row in range(len(table)):
            measured, predicted = float(table["measured_iops"][row]), float(table["predicted_iops"][row])
            points.append(
                {
                    "pattern": str(table["pattern"][row]),
                    "size": float(table["block_bytes"][row]),
                    "depth": float(table["depth"][row]),
                    "span": float(table["span_bytes"][row]),
                    "rate": measured,
                    "model": predicted,
                    "ratio": measured / predicted,
                    "runs": (float(table["lowest_iops"][row]), float(table["highest_iops"][row])),
                    "held": held,
                    "words": {name: cells[name][row] for name in cells},
                }
            )
    return points


def _columns(points: list[dict], x: str, y: str) -> dict:
    scale = np.array([1.0 if y == "rate" else 1 / p["model"] for p in points])
    words = [p["words"] for p in points]
    return {
        "x": [p[x] for p in points],
        "y": [p[y] for p in points],
        "fit": [p["model"] for p in points],
        "low": [p["runs"][0] * s for p, s in zip(points, scale, strict=True)],
        "high": [p["runs"][1] * s for p, s in zip(points, scale, strict=True)],
        "fill": [0.0 if p["held"] else 1.0 for p in points],
        "dot": [11 if p["held"] else 8 for p in points],
        "ratio": [p["ratio"] for p in points],
        "kind": [f"{w['pattern']}, {w['block_bytes']}, {w['depth']} outstanding" for w in words],
        "held": ["held out" if p["held"] else "fitted" for p in points],
        "measured": [w["measured_iops"] for w in words],
        "predicted": [w["predicted_iops"] for w in words],
        "low_run": [w["lowest_iops"] for w in words],
        "high_run": [w["highest_iops"] for w in words],
    }
