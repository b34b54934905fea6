"""The charts of the study `xml_footprint`: stored bytes by cause, for each mapping and kind of document."""

from bokeh.models import NumeralTickFormatter

from pagecost.studies.xml.xml_footprint import Inputs
from pagecost.units import format_bytes
from pagecost.xmlstore import CAUSES
from pagecost_app.charts import style
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.marks import chosen_line
from pagecost_app.charts.stacked import StackedBars

X_LABEL = "stored bytes, share of the text (line: as large as the text)"


class Chart(StudyChart[Inputs]):
    """A bar per mapping; below, one per kind of document and mapping."""

    def __init__(self):
        super().__init__()
        self.bars = StackedBars("xml_footprint.bars", "", X_LABEL, "", CAUSES, height=290)
        self.kinds = StackedBars("xml_footprint.kinds", "By kind of document", X_LABEL, "", CAUSES, height=430)
        for bars in (self.bars, self.kinds):
            bars.figure.xaxis.formatter = NumeralTickFormatter(format="0 %")
            self.muted.append(chosen_line(bars, location=1, line_dash="dashed"))
        self.place(self.bars, self.kinds)
        self.recolour(False)

    def update(self, inputs: Inputs, result) -> None:
        first = result["kind"][0]
        rows = result.rows(kind=first)
        title = f"Where do {format_bytes(result['plain_bytes'][0])} of XML go? ({first})"
        style.change(self.bars.figure.title, text=title)
        _show(self.bars, result, rows, [result.cell("mapping", row) for row in rows])
        others = [row for row in range(len(result)) if result["kind"][row] != first]
        style.change(self.kinds.figure, visible=bool(others))
        _show(self.kinds, result, others, [f"{result['kind'][row]}, {result.cell('mapping', row)}" for row in others])


def _show(bars: StackedBars, result, rows, names: list[str]) -> None:
    shares = {cause: result[cause][rows] / result["plain_bytes"][rows] for cause in CAUSES}
    bars.show(names, shares, lambda value: f"{value:.1%}")
