"""The charts of the study `miss_curve`: misses, write-backs and dollars over all buffer sizes."""

import numpy as np
from bokeh.models import ColumnDataSource, NumeralTickFormatter, Range1d

from pagecost import devices, units
from pagecost.studies.buffer.miss_curve import CHE, SAMPLED, Inputs
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data, replace

TOOLTIPS = [
    ("", "@curve"),
    ("buffer", "@frames frames, @size"),
    ("misses per reference", "@miss_ratio{0.00 %}"),
    ("write-backs per reference", "@write_back_ratio{0.00 %}"),
    ("memory and device", "@total_price"),
]
RATIOS = {
    "miss_ratio": "How often is the page not in the buffer?",
    "write_back_ratio": "How often is a dirty page written back?",
}


class Chart(StudyChart[Inputs]):
    """The ratio of misses and of write-backs side by side, a line per way to find them, and the dollars below."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("miss_curve.legend")
        self.ratios, self.bars = {}, {}
        self.dark, self.sampled = False, 1  # which of the curves the intervals belong to
        for name, question in RATIOS.items():
            made = SeriesFigure(f"miss_curve.{name}", question, "", "", TOOLTIPS, x_axis_type="log", height=330)
            made.figure.yaxis.formatter = NumeralTickFormatter(format="0 %")
            source = ColumnDataSource({"x": [], "low": [], "high": []}, name=f"miss_curve.{name}.interval")
            self.bars[name] = made.figure.segment("x", "low", "x", "high", source=source, line_width=2)
            self.ratios[name] = made
        options = {"x_axis_type": "log", "y_axis_type": "log", "height": 360, "y_range": Range1d(start=1, end=10)}
        self.price = SeriesFigure("miss_curve.price", "", "", "", TOOLTIPS, **options)
        for made in (*self.ratios.values(), self.price):
            made.figure.xaxis.formatter = style.prefixed("")
        self.rings = ColumnDataSource({"x": [], "y": []}, name="miss_curve.cheapest")
        look = {"size": 20, "fill_alpha": 0, "line_width": 2, "line_color": style.LIGHT["ink"]}
        self.ring = self.price.figure.scatter("x", "y", source=self.rings, **look)
        self.inked.append(self.ring.glyph)
        self._colour_intervals()
        self.place(self.legend, tuple(self.ratios.values()), self.price)

    def update(self, inputs: Inputs, result) -> None:
        curves = _curves(result)[: style.SLOTS]
        self.legend.show(curves)
        if SAMPLED in curves and curves.index(SAMPLED) != self.sampled:
            self.sampled = curves.index(SAMPLED)
            self._colour_intervals()
        for name, made in (*self.ratios.items(), ("total_price", self.price)):
            style.name_axes(made.figure, result.columns["frames"], result.columns[name])
            made.show_all(_curve(result, curve, name) for curve in curves)
        for name, bars in self.bars.items():
            replace(bars.data_source, _interval(result, name))
        rows = np.flatnonzero(result["cheapest"])
        price = units.money().of_usd(result["total_price"])
        style.money_ticks(self.price.figure.yaxis[0], units.money())
        self.rings.data = {"x": result["frames"][rows], "y": price[rows]}
        price = price[np.isfinite(price)]
        low, high = (price.min() / 1.5, price.max() * 1.5) if price.size else (1.0, 10.0)
        style.change(self.price.figure.y_range, start=float(low), end=float(high))
        style.change(self.price.figure.title, text=_question(inputs, price.size > 0))

    def recolour(self, dark: bool) -> None:
        super().recolour(dark)
        self.dark = dark
        self._colour_intervals()

    def _colour_intervals(self) -> None:
        for bars in self.bars.values():
            bars.glyph.line_color = style.colours(self.dark)[self.sampled]


def _question(inputs: Inputs, priced: bool) -> str:
    if not priced:
        return f"The price of {devices.title_of(inputs.device)} is not known: give one"
    return f"Which size is cheapest on {devices.title_of(inputs.device)}? (ringed)"


def _curves(result) -> list[str]:
    """The curves in the order of the legend: all of LRU, Che's the last of them, then the replays."""
    names = list(dict.fromkeys(zip(result["method"].tolist(), result["curve"].tolist(), strict=True)))
    lru = [curve for method, curve in names if method == curve]
    che = [CHE] if "che" in result.tables else []
    return [*lru, *che, *(curve for method, curve in names if method != curve)]


def _curve(result, curve: str, name: str) -> dict:
    if curve == CHE:
        return _che(result.tables["che"]) if name == "miss_ratio" else no_data()
    rows = result.rows(curve=curve)
    rows = rows[np.isfinite(result[name][rows])]
    drawn = units.money().of_usd(result[name][rows]) if name == "total_price" else result[name][rows]
    columns: dict = {column: result[column][rows] for column in ("frames", "miss_ratio", "write_back_ratio")}
    columns["total_price"] = [result.cell("total_price", row) for row in rows]
    size = [result.cell("buffer_bytes", row) for row in rows]
    return {"x": result["frames"][rows], "y": drawn, "curve": [curve] * rows.size, "size": size, **columns}


def _che(table) -> dict:
    unknown = np.full(len(table), np.nan)
    return {
        "x": table["frames"],
        "y": table["miss_ratio"],
        "curve": [CHE] * len(table),
        "size": table.columns["buffer_bytes"].cells(),
        "frames": table["frames"],
        "miss_ratio": table["miss_ratio"],
        "write_back_ratio": unknown,
        "total_price": ["–"] * len(table),
    }


def _interval(result, name: str) -> dict:
    """95 % intervals of the sampled curve, no wider than what is possible."""
    half = result[f"{name}_half"]
    rows = np.flatnonzero(half > 0)
    low, high = result[name][rows] - half[rows], result[name][rows] + half[rows]
    return {"x": result["frames"][rows], "low": np.maximum(low, 0), "high": np.minimum(high, 1)}
