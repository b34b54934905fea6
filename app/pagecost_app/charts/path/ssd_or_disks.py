"""The charts of the study `ssd_or_disks`: the SSD beside so many disks, in transactions and for a joule."""

import numpy as np
from bokeh.models import NumeralTickFormatter

from pagecost import oltp
from pagecost.studies.path.ssd_or_disks import COUNTS, Inputs
from pagecost.studies.path.whole_path import short_name
from pagecost.units import format_cell, format_seconds
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.dots import Dots
from pagecost_app.charts.marks import chosen_line
from pagecost_app.charts.series import LegendStrip, SeriesFigure
from pagecost_app.charts.stacked import StackedBars

TOOLTIPS = [
    ("mix", "@name"),
    ("disks", "@x"),
    ("SSD over disks", "@y{0.00}"),
    ("transactions per second", "@tps"),
    ("power", "@watts"),
]


WORTH = {
    "iops_per_gb": ("What does a GB do?", "requests per second for each GB"),
    "usd_per_tps": ("What does a transaction cost?", "dollars for a transaction per second"),
    "power_w": ("What does it draw?", "power of the devices"),
}
PLACES = ("first", "second", "third", "fourth")  # of mixes, of which there are no more, in the order asked for


class Chart(StudyChart[Inputs]):
    """A line per mix over the number of disks; where it crosses 1, the SSD replaces so many."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip(f"{self.name}.legend")
        options = {"x_axis_type": "log", "y_axis_type": "log", "height": 380}
        self.lead = SeriesFigure(
            f"{self.name}.lead",
            "How many times the transactions of so many disks does one SSD do?",
            "disks",
            "transactions, SSD over disks",
            TOOLTIPS,
            **options,
        )
        self.joules = SeriesFigure(
            f"{self.name}.joules",
            "And for a joule?",
            "disks",
            "transactions per joule, SSD over disks",
            TOOLTIPS,
            **options,
        )
        for made in (self.lead, self.joules):
            style.ticks_at(made.figure.xaxis[0], {count: str(count) for count in COUNTS})
            made.figure.yaxis.formatter = style.prefixed("")
            self.muted.append(chosen_line(made, "width", location=1.0))
        self.parts = StackedBars(
            f"{self.name}.parts", "What does a response consist of?", "mean response time", "s", oltp.TERMS
        )
        self.worth = {
            column: Dots(f"{self.name}.{column}", title, label, "W", dict.fromkeys(PLACES, ""))
            for column, (title, label) in WORTH.items()
        }
        for column in ("iops_per_gb", "usd_per_tps"):
            self.worth[column].figure.xaxis.formatter = NumeralTickFormatter(format="0.[0000]a")
        self.place(self.legend, (self.lead, self.joules), tuple(self.worth.values()), self.parts)

    def update(self, inputs: Inputs, result) -> None:
        called = [inputs.mix_titles()[mix] for mix in inputs.chosen_mixes]
        self.legend.show(called)
        lines = [_line(result, mix) for mix in inputs.chosen_mixes]
        self.lead.show_all({**line, "y": line["lead"]} for line in lines)
        self.joules.show_all({**line, "y": line["joules"]} for line in lines)
        storages = list(dict.fromkeys(_storage(result, row) for row in range(len(result))))
        for column, drawn in self.worth.items():
            drawn.call(called)
            drawn.show(storages, *_worth(result, column, storages, inputs.chosen_mixes))
        bars = [_bar(result, row) for row in range(len(result))]
        style.change(self.parts.figure, height=150 + 30 * len(bars))
        self.parts.show(bars, {term: result[term] for term in oltp.TERMS}, format_seconds)


def _storage(result, row: int) -> str:
    return f"{int(result['count'][row])} × {short_name(result.cell('device', row))}"


def _bar(result, row: int) -> str:
    return f"{result.cell('mix', row)}, {_storage(result, row)}"


def _worth(result, column: str, storages: list[str], mixes: tuple[str, ...]):
    """What `Dots.show` takes of a column: values by place of the mix, no statuses, and how a value is written."""
    values = {place: np.full(len(storages), np.nan) for place in PLACES}
    if column not in result.columns:  # where no price is known
        return values, [""] * len(storages), str
    for row in range(len(result)):
        place = PLACES[mixes.index(str(result["mix"][row]))]
        values[place][storages.index(_storage(result, row))] = result[column][row]
    return values, [""] * len(storages), lambda value: format_cell(value, result.columns[column].unit)


def _line(result, mix: str) -> dict:
    rows = result.rows(role="disks", mix=mix)
    return {
        "x": result["count"][rows],
        "y": result["lead"][rows],
        "lead": result["lead"][rows],
        "joules": result["lead_per_j"][rows],
        "name": [result.cell("mix", row) for row in rows],
        "tps": [result.cell("tps", row) for row in rows],
        "watts": [result.cell("power_w", row) for row in rows],
    }
