"""The charts of the study `read_write_mix`: throughput over the share of reads, beside the harmonic mean."""

from bokeh.models import NumeralTickFormatter

from pagecost.studies.flash.flash_fields import names_of, rate_text
from pagecost.studies.flash.read_write_mix import Inputs
from pagecost.studies.shared_fields import per_second
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.marks import PaleLines, chosen_line
from pagecost_app.charts.series import LegendStrip, SeriesFigure

TOOLTIPS = [
    ("device", "@device"),
    ("reads", "@x{0 %}"),
    ("requests per second", "@rate"),
    ("steady", "@steady"),
    ("harmonic mean", "@harmonic"),
    ("mean read", "@read"),
    ("mean write", "@write"),
    ("collection in a read's way", "@collection"),
]


class Chart(StudyChart[Inputs]):
    """A line per device over the share of reads, and beside it the same over the harmonic mean."""

    def __init__(self):
        super().__init__()
        self.legend = LegendStrip("read_write_mix.legend")
        self.rate = SeriesFigure(
            "read_write_mix.rate",
            "How fast is a mix? (pale: harmonic mean)",
            "",
            "",
            TOOLTIPS,
            y_axis_type="log",
            height=360,
        )
        self.ratio = SeriesFigure(
            "read_write_mix.ratio",
            "Is it below the harmonic mean: a bathtub?",
            "",
            "",
            TOOLTIPS,
            height=360,
        )
        self.ratio.figure.y_range.start = 0
        self.rate.figure.yaxis.formatter = style.prefixed("")
        for panel in (self.rate, self.ratio):
            panel.figure.xaxis.formatter = NumeralTickFormatter(format="0 %")
        self.ratio.figure.x_range = self.rate.figure.x_range
        self.harmonic = PaleLines(self.rate, "read_write_mix.harmonic")
        look = {"line_width": 1, "line_alpha": 1, "line_dash": "dashed"}
        self.muted.append(chosen_line(self.ratio, "width", location=1, **look))
        self.place(self.legend, (self.rate, self.ratio))
        self.coloured.append(self.harmonic)

    def update(self, inputs: Inputs, result) -> None:
        for panel, name in ((self.rate, "iops"), (self.ratio, "over_harmonic")):
            style.name_axes(panel.figure, result.columns["read_share"], result.columns[name])
        self.legend.show(list(names_of(inputs.devices).values()))
        lines = [_line(result, device) for device in inputs.devices]
        self.rate.show_all({**line, "y": line["iops"]} for line in lines)
        self.ratio.show_all({**line, "y": line["over"]} for line in lines)
        self.harmonic.show_all({"x": line["x"], "y": line["mean"]} for line in lines)


def _line(result, device: str) -> dict:
    rows = result.rows(device=device)[::-1]

    def cells(name: str) -> list[str]:
        return [result.cell(name, i) for i in rows]

    return {
        "x": result["read_share"][rows],
        "iops": result["iops"][rows],
        "mean": result["harmonic_iops"][rows],
        "over": result["over_harmonic"][rows],
        "device": cells("device"),
        "rate": [rate_text(result, i) for i in rows],
        "steady": cells("steady"),
        "harmonic": [per_second(rate) for rate in result["harmonic_iops"][rows]],
        "read": cells("read_mean_s"),
        "write": cells("write_mean_s"),
        "collection": cells("collection_s"),
    }
