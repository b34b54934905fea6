"""The charts of the study `disk_arrays`: largest throughput and response time over the number of disks."""

from bokeh.models import FixedTicker

from pagecost.studies.disk.disk_arrays import DISKS, FORMULA, SIMULATED, TITLES, Inputs
from pagecost.units import format_cell
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.marks import PaleLines
from pagecost_app.charts.series import LegendStrip, SeriesFigure, no_data

RATE_TIPS = [("", "@level"), ("disks", "@x"), ("largest throughput", "@said"), ("by formula", "@theory")]
RESPONSE_TIPS = [("", "@level"), ("disks", "@x"), ("mean response", "@said")]


class Chart(StudyChart[Inputs]):
    """One line per level over the number of disks, with a pale one of the formula."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("disk_arrays.legend")
        self.rate = _figure("rate", "How many requests can it take? (pale: formula)", RATE_TIPS)
        self.response = _figure("response", "", RESPONSE_TIPS)
        self.formulas = {
            name: PaleLines(panel, f"disk_arrays.{name}.theory")
            for name, panel in (("rate", self.rate), ("response", self.response))
        }
        self.place(self.legend, (self.rate, self.response))
        self.coloured += self.formulas.values()

    def update(self, inputs: Inputs, result) -> None:
        self.legend.show([TITLES[level] for level in inputs.levels])
        title = f"How long does one take at {format_cell(inputs.requests_per_s, '1')} a second? (pale: formula)"
        style.change(self.response.figure.title, text=title)
        style.label(self.rate.figure.xaxis[0], result.columns["disks"], ticks=False)
        style.label(self.rate.figure.yaxis[0], result.columns["iops"])
        responses = result.tables.get("responses")
        if responses:
            style.label(self.response.figure.xaxis[0], responses.columns["disks"], ticks=False)
            style.label(self.response.figure.yaxis[0], responses.columns["response_s"])
        for number in range(style.SLOTS):
            rate = response = no_data()
            formula = theory = no_data()
            if number < len(inputs.levels):
                level = inputs.levels[number]
                rows = result.rows(level=level)
                rate = _line(result, rows, "iops")
                rate["theory"] = [result.cell("theory_iops", row) for row in rows]
                formula = {"x": result["disks"][rows], "y": result["theory_iops"][rows]}
                if responses:
                    response = _line(responses, responses.rows(level=level, way=SIMULATED), "response_s")
                    rows = responses.rows(level=level, way=FORMULA)
                    theory = {"x": responses["disks"][rows], "y": responses["response_s"][rows]}
            self.rate.show(number, rate)
            self.response.show(number, response)
            self.formulas["rate"].show(number, **formula)
            self.formulas["response"].show(number, **theory)


def _figure(name: str, title: str, tips) -> SeriesFigure:
    made = SeriesFigure(f"disk_arrays.{name}", title, "", "", tips, height=360)
    made.figure.xaxis.ticker = FixedTicker(ticks=list(DISKS))
    made.figure.y_range.start = 0
    return made


def _line(table, rows, name: str) -> dict:
    return {
        "x": table["disks"][rows],
        "y": table[name][rows],
        "level": [table.columns["level"].cell(row) for row in rows],
        "said": [table.columns[name].cell(row) for row in rows],
    }
