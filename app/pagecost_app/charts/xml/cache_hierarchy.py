"""The charts of the study `cache_hierarchy`: which layer answers, and what switching a layer off costs each device."""

from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource

from pagecost.studies.xml.cache_hierarchy import WHOLE, Inputs
from pagecost.units import format_bytes, format_si
from pagecost_app.charts import style
from pagecost_app.charts.stacked import StackedBars

ANSWERED = {"answered_data": "data", "answered_metadata": "inodes and indirect blocks"}
TERMS = {"cpu_s": "processor", "io_s": "data I/O", "log_s": "log"}


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="cache_hierarchy.result")
        self.layers = StackedBars(
            "cache_hierarchy.layers",
            "",
            "requests answered per transaction, blocks",
            "",
            ANSWERED,
            height=330,
            nothing="none",
        )
        self.variants = [
            StackedBars(f"cache_hierarchy.variants.{number}", "", "time per transaction", "s", TERMS, height=420)
            for number in range(2)
        ]
        self.root = column(
            self.layers.figure,
            row(*(made.figure for made in self.variants), sizing_mode="stretch_width"),
            sizing_mode="stretch_width",
        )

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`."""
        self.result.data = result.arrays()
        first = inputs.devices[0]
        rows = result.rows(part="layer", device=first)
        style.change(
            self.layers.figure.title,
            text=f"Who answers a page request at {format_bytes(inputs.plain_bytes)}? From the database down to {first}",
        )
        answered = {term: result[term][rows] for term in ANSWERED}
        self.layers.show(result["name"][rows].tolist(), answered, lambda count: f"{count:.3g}")
        for number, made in enumerate(self.variants):
            shown = number < len(inputs.devices)
            style.change(made.figure, visible=shown)
            if shown:
                device = inputs.devices[number]
                rows = result.rows(part="variant", device=device)
                style.change(made.figure.title, text=f"What helps {device}?")
                times = {term: result[term][rows] for term in TERMS}
                made.show(result["name"][rows].tolist(), times, lambda value: format_si(value, "s"))

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = []
        for device in inputs.devices:
            rows = result.rows(part="variant", device=device)
            worst = rows[result["slower"][rows].argmax()]
            (whole,) = result.rows(part="variant", device=device, name=WHOLE)
            words.append(
                f"{device} {result['tps'][whole]:.1f} transactions per second with all caches, "
                f"{result['tps'][worst]:.1f} at worst ({result['name'][worst]})"
            )
        return f"At {format_bytes(inputs.plain_bytes)} of XML: {'; '.join(words)}."

    def recolour(self, dark: bool) -> None:
        for part in (self.layers, *self.variants):
            part.recolour(dark)
