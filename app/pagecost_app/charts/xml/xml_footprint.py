"""The charts of the study `xml_footprint`: stored bytes by cause, for each mapping and kind of document."""

from bokeh.models import NumeralTickFormatter

from pagecost.studies.finding import Finding, cells, compared, percent
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

    def describe(self, inputs: Inputs, result) -> Finding:
        stored = compared(
            result,
            result.rows(kind=result["kind"][0]),
            "share",
            cells(result, "mapping"),
            several="Of {size} of XML {least} stores {low} of the text's bytes, {most} {high}. ",
            one="Of {size} of XML {most} stores {high} of the text's bytes. ",
            none="Nothing was stored. ",
            show=percent,
            size=format_bytes(result["plain_bytes"][0]),
        )
        return Finding(stored, _lossless(inputs, result))


def _lossless(inputs: Inputs, result) -> str:
    """What the comparison of what came back with what was given says, in a sentence."""
    answers = dict.fromkeys(result["lossless"].tolist())
    if list(answers) == ["yes"]:
        dropped = " but for dropped blanks" if inputs.whitespace == "drop" else ""
        return f"Lossless: rebuilt from the pages of each mapping, its canonical form is the same{dropped}."
    if "no" in answers:
        lost = [result.cell("mapping", row) for row in result.rows(lossless="no")]
        return f"NOT lossless: what comes back from {', '.join(dict.fromkeys(lost))} has another canonical form."
    return "Whether it comes back was not compared: it is too large, or has no canonical form."


def _show(bars: StackedBars, result, rows, names: list[str]) -> None:
    shares = {cause: result[cause][rows] / result["plain_bytes"][rows] for cause in CAUSES}
    bars.show(names, shares, lambda value: f"{value:.1%}")
