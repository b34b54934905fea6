"""The charts of the study `btree_node_size`: utility over cost by the size of a node, and the best size by device."""

from bokeh.models import NumeralTickFormatter

from pagecost.studies.operators.btree_node_size import Inputs
from pagecost.units import format_bytes, format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.dots import Dots
from pagecost_app.charts.series import LegendStrip, SeriesFigure

TIPS = [("", "@device"), ("node", "@size"), ("of the best", "@y{0.0 %}"), ("time of a node", "@cost")]
COST_TIPS = [("", "@device"), ("node", "@size"), ("time of a node", "@cost")]


class Chart(StudyChart[Inputs]):
    """A line per device over the size of a node, of utility over cost and of the cost, and the time of a search."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("btree_node_size.legend")
        self.utility = SeriesFigure(
            "btree_node_size.utility",
            "Which node narrows a search down fastest?",
            "",
            "",
            TIPS,
            x_axis_type="log",
            height=360,
        )
        self.utility.figure.yaxis.formatter = NumeralTickFormatter(format="0 %")
        self.utility.figure.y_range.start = 0
        self.cost = SeriesFigure(
            "btree_node_size.cost",
            "What does a node cost?",
            "",
            "",
            COST_TIPS,
            x_axis_type="log",
            y_axis_type="log",
            height=360,
        )
        self.cost.figure.yaxis.formatter = style.prefixed("s")
        self.search = Dots(
            "btree_node_size.search",
            "How long is the device busy from the root to a leaf, with its best nodes?",
            "device time of the way down",
            "s",
            {"search_s": "way down"},
        )
        self.place(self.legend, (self.utility, self.cost), self.search)

    def update(self, inputs: Inputs, result) -> None:
        names = result.columns["device"].names
        self.legend.show([names[device] for device in inputs.devices])
        for made, column in ((self.utility, "of_best"), (self.cost, "cost_s")):
            style.name_axes(made.figure, result.columns["node_bytes"], result.columns[column])
            style.bytes_ticks(made.figure.xaxis[0], sorted(set(result["node_bytes"].tolist())))
            made.show_all(_line(result, device, column) for device in inputs.devices)
        best = result.tables["best"]
        titles = [
            f"{best.columns['device'].cell(row)}: {format_bytes(best['node_bytes'][row])}, "
            f"{best['levels'][row]:.0f} levels"
            for row in range(len(best))
        ]
        self.search.show(titles, {"search_s": best["search_s"]}, [""] * len(titles), format_seconds)


def _line(result, device: str, column: str) -> dict:
    rows = result.rows(device=device)
    return {
        "x": result["node_bytes"][rows],
        "y": result[column][rows],
        "device": [result.cell("device", row) for row in rows],
        "size": [format_bytes(size) for size in result["node_bytes"][rows]],
        "cost": [result.cell("cost_s", row) for row in rows],
    }
