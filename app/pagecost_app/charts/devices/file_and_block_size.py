"""The charts of the study `file_and_block_size`: what looks best for which file, and the curves behind it."""

from bokeh.models import ColumnDataSource

from pagecost.studies.devices.file_and_block_size import BLOCKS, FILES, PATTERNS, Inputs, best_blocks
from pagecost.units import format_bytes
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import LegendStrip, SeriesFigure, replace

BEST_TOOLTIPS = [("pattern", "@pattern"), ("file", "@file"), ("looks best", "@best"), ("8 of 10 runs say", "@band")]
RATE_TOOLTIPS = [("pattern", "@pattern"), ("block", "@block"), ("throughput", "@rate"), ("finds it best", "@wins")]
NO_BAND: dict[str, list] = {"x": [], "low": [], "high": []}
APART = 1.09  # the bars of one file size stand side by side


class Chart(StudyChart[Inputs]):
    """A line per pattern of the block that looks best, and the curves of one file behind it."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("file_and_block_size.legend")
        self.legend.show(PATTERNS.values())
        axes = {"x_axis_type": "log", "y_axis_type": "log", "height": 380}
        self.best = SeriesFigure(
            "file_and_block_size.best",
            "Which block looks best? (bars: 8 of 10 runs)",
            "file size",
            "block size that a run finds best",
            BEST_TOOLTIPS,
            **axes,
        )
        self.rate = SeriesFigure("file_and_block_size.rate", "", "block size", "throughput", RATE_TOOLTIPS, **axes)
        self.best.figure.y_range.update(start=BLOCKS[0] / 1.6, end=BLOCKS[-1] * 1.6)
        self.rate.figure.yaxis.formatter = style.prefixed("B/s")
        style.bytes_ticks(self.best.figure.xaxis[0], FILES)
        style.bytes_ticks(self.best.figure.yaxis[0], BLOCKS)
        style.bytes_ticks(self.rate.figure.xaxis[0], BLOCKS)
        self.bars, self.bands = [], []
        for number, name in enumerate(PATTERNS):
            bars, band = (
                ColumnDataSource(dict(NO_BAND), name=f"file_and_block_size.{what}.{name}") for what in ("bars", "band")
            )
            colour = style.LIGHT_COLOURS[number]
            self.bars.append(
                self.best.figure.segment("x", "low", "x", "high", source=bars, line_color=colour, line_width=3)
            )
            self.bands.append(
                self.rate.figure.varea("x", "low", "high", source=band, fill_color=colour, fill_alpha=0.2)
            )
        self.place(self.legend, (self.best, self.rate))

    def update(self, inputs: Inputs, result) -> None:
        for number, pattern in enumerate(PATTERNS):
            best = _best(result, pattern, APART ** (number - 1))
            self.best.show(number, {name: best[name] for name in ("x", "y", "pattern", "file", "best", "band")})
            replace(self.bars[number].data_source, {name: best[name] for name in NO_BAND})
            rows = result.rows(pattern=pattern, file_bytes=inputs.file_bytes)
            x = result["block_bytes"][rows]
            self.rate.show(number, _rates(result, rows, pattern))
            replace(
                self.bands[number].data_source,
                {
                    "x": x,
                    "low": result["low_bytes_per_s"][rows],
                    "high": result["high_bytes_per_s"][rows],
                },
            )
        text = f"What a run measures on a file of {format_bytes(inputs.file_bytes)}"
        if inputs.file_bytes > inputs.partition_bytes:
            text = f"A file of {format_bytes(inputs.file_bytes)} does not fit into the partition"
        style.change(self.rate.figure.title, text=text)

    def recolour(self, dark: bool) -> None:
        super().recolour(dark)
        for number, colour in enumerate(style.colours(dark)[: len(PATTERNS)]):
            self.bars[number].glyph.line_color = colour
            self.bands[number].glyph.fill_color = colour


def _best(result, pattern: str, apart: float) -> dict:
    found = best_blocks(result, pattern)
    files = found["file_bytes"]
    return {
        "x": files * apart,
        "y": found["median"],
        "low": found["low"],
        "high": found["high"],
        "pattern": [PATTERNS[pattern]] * files.size,
        "file": [format_bytes(size) for size in files],
        "best": [format_bytes(size) for size in found["median"]],
        "band": [
            f"{format_bytes(low)} to {format_bytes(high)}"
            for low, high in zip(found["low"], found["high"], strict=True)
        ],
    }


def _rates(result, rows, pattern: str) -> dict:
    return {
        "x": result["block_bytes"][rows],
        "y": result["throughput_bytes_per_s"][rows],
        "pattern": [result.cell("pattern", at) for at in rows],
        "block": [format_bytes(size) for size in result["block_bytes"][rows]],
        "rate": [result.cell("throughput_bytes_per_s", at) for at in rows],
        "wins": [f"{share:.0%} of the runs" for share in result["wins"][rows]],
    }
