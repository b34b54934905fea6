"""The charts of the study `label_length`: bytes of a label, and range labels that an insert changes."""

from pagecost.studies.xml.label_length import HISTORIES, Inputs
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data

TOOLTIPS = [
    ("inserts", "@name"),
    ("so far", "@x"),
    ("mean label", "@mean{0.0} bytes"),
    ("longest label", "@longest bytes"),
    ("range labels changed per insert", "@relabelled{0.0}"),
]


class Chart(StudyChart[Inputs]):
    """One line per place of the inserts."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("label_length.legend")
        self.lengths = _figure("lengths", "DeweyIDs grow, and none changes")
        self.changes = _figure("changes", "Range labels are changed by others' inserts")
        self.place(self.legend, (self.lengths, self.changes))

    def update(self, inputs: Inputs, result) -> None:
        self.legend.show([HISTORIES[history] for history in inputs.histories])
        for number in range(style.SLOTS):
            for figure, name in ((self.lengths, "mean_label_bytes"), (self.changes, "relabelled_per_insert")):
                shown = number < len(inputs.histories)
                style.label(figure.figure.xaxis[0], result.columns["inserts"])
                style.label(figure.figure.yaxis[0], result.columns[name])
                figure.show(number, _curve(result, inputs.histories[number], name) if shown else no_data())


def _figure(name: str, title: str) -> SeriesFigure:
    made = SeriesFigure(f"label_length.{name}", title, "", "", TOOLTIPS, height=380)
    made.figure.y_range.start = 0
    return made


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
