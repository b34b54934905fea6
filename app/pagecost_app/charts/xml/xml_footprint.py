"""The charts of the study `xml_footprint`: stored bytes by cause, for each mapping and kind of document."""

from bokeh.layouts import column
from bokeh.models import ColumnDataSource, NumeralTickFormatter, Span

from pagecost.studies.xml.xml_footprint import Inputs
from pagecost.units import format_bytes
from pagecost.xmlstore import CAUSES, MAPPINGS
from pagecost_app.charts import style
from pagecost_app.charts.stacked import StackedBars

X_LABEL = "stored bytes, share of the text (line: as large as the text)"


class Chart:
    """`root` is the layout, `result` the whole table, `update` draws an answer, `recolour` follows light or dark."""

    def __init__(self):
        self.result = ColumnDataSource({}, name="xml_footprint.result")
        self.bars = StackedBars("xml_footprint.bars", "", X_LABEL, "", CAUSES, height=290)
        self.kinds = StackedBars("xml_footprint.kinds", "By kind of document", X_LABEL, "", CAUSES, height=430)
        self.lines = []
        for bars in (self.bars, self.kinds):
            bars.figure.xaxis.formatter = NumeralTickFormatter(format="0 %")
            line = Span(location=1, dimension="height", line_width=2, line_dash="dashed", line_alpha=0.6)
            bars.figure.add_layout(line)
            self.lines.append(line)
        self.root = column(self.bars.figure, self.kinds.figure, sizing_mode="stretch_width")
        self.recolour(False)

    def update(self, inputs: Inputs, result) -> None:
        """Draw the answer to `inputs`."""
        self.result.data = result.arrays()
        first = result["kind"][0]
        rows = result.rows(kind=first)
        title = f"Where do {format_bytes(result['plain_bytes'][0])} of XML go? ({first})"
        style.change(self.bars.figure.title, text=title)
        _show(self.bars, result, rows, [_title(name) for name in result["mapping"][rows]])
        others = [row for row in range(len(result)) if result["kind"][row] != first]
        style.change(self.kinds.figure, visible=bool(others))
        _show(self.kinds, result, others, [f"{result['kind'][row]}, {result['mapping'][row]}" for row in others])

    def describe(self, inputs: Inputs, result) -> str:
        """The chart in words, for whoever cannot see it and as an answer to its question."""
        words = []
        for row in result.rows(kind=result["kind"][0]):
            largest = max(CAUSES, key=lambda cause: result[cause][row])
            words.append(
                f"{_title(result['mapping'][row])} {result['share'][row]:.0%} of the text, most of it "
                f"{CAUSES[largest]} ({result[largest][row] / result['plain_bytes'][row]:.0%})"
            )
        size = format_bytes(result["plain_bytes"][0])
        return f"Stored size of {size} of XML: {'; '.join(words)}. {_lossless(inputs, result)}"

    def recolour(self, dark: bool) -> None:
        for line in self.lines:
            line.line_color = style.shades(dark)["muted"]
        self.bars.recolour(dark)
        self.kinds.recolour(dark)


def _lossless(inputs: Inputs, result) -> str:
    """What the comparison of what came back with what was given says, in a sentence."""
    answers = dict.fromkeys(result["lossless"].tolist())
    if list(answers) == ["yes"]:
        dropped = " but for the blanks that were dropped" if inputs.whitespace == "drop" else ""
        return (
            f"Lossless: rebuilt from the pages of each mapping, it has the canonical form of what was given{dropped}."
        )
    if "no" in answers:
        lost = [name for name, said in zip(result["mapping"], result["lossless"], strict=True) if said == "no"]
        return f"NOT lossless: what comes back from {', '.join(dict.fromkeys(lost))} has another canonical form."
    return "Whether it comes back was not compared: it is too large, or has no canonical form."


def _title(mapping: str) -> str:
    return f"{mapping}: {MAPPINGS[mapping].title}"


def _show(bars: StackedBars, result, rows, names: list[str]) -> None:
    shares = {cause: result[cause][rows] / result["plain_bytes"][rows] for cause in CAUSES}
    bars.show(names, shares, lambda value: f"{value:.1%}")
