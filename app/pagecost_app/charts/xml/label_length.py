"""The charts of the study `label_length`: bytes of a label, and range labels that an insert changes."""

from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource

from pagecost.studies.xml.label_length import HISTORIES, Inputs
from pagecost_app.charts import style
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data

TOOLTIPS = [
    ("inserts", "@name"),
    ("so far", "@x"),
    ("mean label", "@mean{0.0} bytes"),
    ("longest label", "@longest bytes"),
    ("range labels changed per insert", "@relabelled{0.0}"),
]


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="label_length.result")
        self.legend = LegendStrip("label_length.legend")
        self.lengths = self._figure("lengths", "DeweyIDs grow, and none changes", "mean label, bytes")
        self.changes = self._figure(
            "changes", "Range labels are changed by others' inserts", "labels changed per insert"
        )
        self.root = column(
            self.legend.figure,
            row(self.lengths.figure, self.changes.figure, sizing_mode="stretch_width"),
            sizing_mode="stretch_width",
        )

    def _figure(self, name: str, title: str, y_label: str) -> SeriesFigure:
        made = SeriesFigure(f"label_length.{name}", title, "inserts so far", y_label, TOOLTIPS, height=380)
        made.figure.y_range.start = 0
        return made

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`."""
        self.result.data = result.arrays()
        self.legend.show([HISTORIES[history] for history in inputs.histories])
        for number in range(style.SLOTS):
            for figure, name in ((self.lengths, "mean_label_bytes"), (self.changes, "relabelled_per_insert")):
                shown = number < len(inputs.histories)
                figure.show(number, _curve(result, inputs.histories[number], name) if shown else no_data())

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = [
            f"{HISTORIES[result['history'][i]]} {result['mean_label_bytes'][i]:.1f} bytes "
            f"({result['relabelled_per_insert'][i]:.0f} range labels changed per insert)"
            for i in result.rows(chosen=True)
        ]
        return f"Mean label after {inputs.inserts} inserts: {'; '.join(words)}. No DeweyID is ever changed."

    def recolour(self, dark: bool) -> None:
        for part in (self.legend, self.lengths, self.changes):
            part.recolour(dark)


def _curve(result, history: str, name: str) -> dict:
    rows = result.rows(history=history)
    return {
        "x": result["inserts"][rows],
        "y": result[name][rows],
        "name": [HISTORIES[history]] * rows.size,
        "mean": result["mean_label_bytes"][rows],
        "longest": result["longest_label_bytes"][rows],
        "relabelled": result["relabelled_per_insert"][rows],
    }
