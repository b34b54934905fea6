"""The charts of the study `index_or_scan`: both plans over the share of the rows, break-even over the queue depth."""

from pagecost.studies.operators.index_or_scan import Inputs
from pagecost.studies.operators.operator_fields import depth_text
from pagecost.units import format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.dots import Dots
from pagecost_app.charts.marks import chosen_line
from pagecost_app.charts.series import LegendStrip, SeriesFigure

TICKS = {1e-5: "0.001 %", 1e-4: "0.01 %", 1e-3: "0.1 %", 1e-2: "1 %", 1e-1: "10 %", 1.0: "all"}
RATIOS: dict[float, str] = {10.0**power: f"{10**power} ×" if power else "equal" for power in range(7)}
RATIOS |= {10.0**-power: f"1/{10**power}" for power in range(1, 8)}
KINDS = {"index": "index scan", "scan": "table scan"}
CURVE_TIPS = [("", "@device"), ("rows", "@share"), ("index scan", "@index"), ("table scan", "@scan")]
DEPTH_TIPS = [("", "@device"), ("outstanding", "@x"), ("break-even", "@share of the rows")]


class Chart(StudyChart[Inputs]):
    """A line per device of index scan over table scan, one of its break-even over the depth, and both plans as bars."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("index_or_scan.legend")
        axes = {"x_axis_type": "log", "y_axis_type": "log", "height": 360}
        self.curve = SeriesFigure(
            "index_or_scan.curve", "Below the line the index is faster", "", "", CURVE_TIPS, **axes
        )
        self.depths = SeriesFigure(
            "index_or_scan.depths", "How does the queue depth move the break-even?", "", "", DEPTH_TIPS, **axes
        )
        self.even = chosen_line(self.curve, "width", location=1.0, line_dash="dashed", line_alpha=1)
        self.chosen = chosen_line(self.curve)
        self.muted += [self.even, self.chosen]
        style.ticks_at(self.curve.figure.yaxis[0], dict(sorted(RATIOS.items())))
        self.plans = Dots("index_or_scan.plans", "", "time of the plan", "s", KINDS)
        self.place(self.legend, (self.curve, self.depths), self.plans)

    def update(self, inputs: Inputs, result) -> None:
        names = result.columns["device"].names
        self.legend.show([names[device] for device in inputs.devices])
        style.name_axes(self.curve.figure, result.columns["selectivity"], result.columns["times_scan"])
        style.ticks_at(self.curve.figure.xaxis[0], TICKS)
        self.curve.show_all(_curve(result, device) for device in inputs.devices)
        self.chosen.location = inputs.selectivity
        self.chosen.visible = inputs.selectivity > 0
        self.depths.show_all(_over_depth(result, device) for device in inputs.devices)
        if depths := result.tables.get("depths"):
            style.name_axes(self.depths.figure, depths.columns["depth"], depths.columns["selectivity"])
        style.ticks_at(self.depths.figure.yaxis[0], TICKS)
        title = f"Which plan is faster for {_percent(inputs.selectivity)} of the rows, {depth_text(inputs.depth)}?"
        style.change(self.plans.figure.title, text=title)
        ends = result.tables["break_even"]
        times = {"index": ends["index_s"] + ends["rows_s"], "scan": ends["scan_s"]}
        self.plans.show(ends.columns["device"].cells(), times, [""] * len(ends), format_seconds)


def _curve(result, device: str) -> dict:
    rows = result.rows(device=device)
    rows = rows[result["selectivity"][rows] > 0]  # as an axis of powers can show
    words = {"device": "device", "index": "index_s", "scan": "scan_s"}
    return {
        "x": result["selectivity"][rows],
        "y": result["times_scan"][rows],
        "share": [_percent(share) for share in result["selectivity"][rows]],
        **{word: [result.cell(column, row) for row in rows] for word, column in words.items()},
    }


def _over_depth(result, device: str) -> dict:
    rows = result.rows_in("depths", device=device)
    if not rows.size:
        return {"x": [], "y": [], "device": [], "share": []}
    table = result.tables["depths"]
    rows = rows[table["selectivity"][rows] > 0]
    return {
        "x": table["depth"][rows],
        "y": table["selectivity"][rows],
        "device": [table.columns["device"].cell(row) for row in rows],
        "share": [_percent(share) for share in table["selectivity"][rows]],
    }


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
