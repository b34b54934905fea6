"""The charts of the study `in_page_logging`: erases and time per update, by its size and by the log region's."""

from bokeh.models import NumeralTickFormatter

from pagecost.operators.page_logging import METHODS
from pagecost.studies.operators.in_page_logging import TERMS, Inputs
from pagecost.units import format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.marks import chosen_line
from pagecost_app.charts.series import LegendStrip, SeriesFigure
from pagecost_app.charts.stacked import StackedBars

TIPS = [("", "@method"), ("", "@x"), ("erases per update", "@erases"), ("time per update", "@time")]
PANELS = (
    ("erases", "How many erases does an update cause?", "update_bytes", "erases_per_update"),
    ("time", "How long does an update keep the chip busy?", "update_bytes", "time_per_update_s"),
    ("regions", "How large should the log region be?", "log_pages", "time_per_update_s"),
)


class Chart(StudyChart[Inputs]):
    """A line per way of writing in three figures, and the time of an update taken apart."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("in_page_logging.legend")
        axes = {"x_axis_type": "log", "y_axis_type": "log", "height": 330}
        self.panels = {
            name: SeriesFigure(f"in_page_logging.{name}", title, "", "", TIPS, **axes) for name, title, *_ in PANELS
        }
        self.panels["erases"].figure.yaxis.formatter = NumeralTickFormatter(format="0.[000]")
        self.lines = {name: chosen_line(panel) for name, panel in self.panels.items()}
        self.muted += list(self.lines.values())
        self.terms = StackedBars("in_page_logging.terms", "", "time per update", "s", TERMS, height=330)
        self.place(self.legend, (self.panels["erases"], self.panels["time"]), (self.panels["regions"], self.terms))

    def update(self, inputs: Inputs, result) -> None:
        self.legend.show(METHODS)
        for name, _, axis, column in PANELS:
            table = result.main if axis in result.columns else result.tables["regions"]
            made = self.panels[name]
            style.label(made.figure.xaxis[0], table.columns[axis])
            style.label(made.figure.yaxis[0], table.columns[column], ticks=column.endswith("_s"))
            made.show_all(_line(table, method, axis, column) for method in METHODS)
            self.lines[name].location = inputs.update_bytes if axis == "update_bytes" else inputs.log_pages
        pages = sorted(set(result.tables["regions"]["log_pages"].tolist()))
        style.ticks_at(self.panels["regions"].figure.xaxis[0], {int(count): str(count) for count in pages})
        rows = result.rows(chosen=True)
        style.change(self.terms.figure.title, text=f"Where does the time go, with {inputs.update_bytes} bytes?")
        names = [result.cell("method", row) for row in rows]
        self.terms.show(names, {term: result[term][rows] for term in TERMS}, format_seconds)


def _line(table, method: str, axis: str, column: str) -> dict:
    rows = table.rows(method=method)
    return {
        "x": table[axis][rows],
        "y": table[column][rows],
        "method": [method] * rows.size,
        "erases": [f"{erases:.3g}" for erases in table["erases_per_update"][rows]],
        "time": [table.columns["time_per_update_s"].cell(row) for row in rows],
    }
