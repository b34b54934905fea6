"""The numbers of an answer: one of its tables, as people read them, to sort, and as text to be saved."""

from collections.abc import Callable

from bokeh.models import ColumnDataSource, CustomJS
from bokeh.models.widgets import DataTable, Div, HTMLTemplateFormatter, Select, StringEditor, TableColumn

from pagecost import units
from pagecost.studies import Column, Result, Study
from pagecost_app.charts import style
from pagecost_app.pages.explained import WINDOW, head_html
from pagecost_app.pages.look import TABLE, sheet

LETTER_WIDTH, NARROWEST, HEAD_WIDTH = 7, 70, 46  # pixels; of a head beside its words
TABLE_HEIGHT, HEAD_HEIGHT, ROW_HEIGHT = 240, 36, 25
MOST_LETTERS = 46  # of a cell that widens its column
SHOWN = "{} as shown"  # field of a column's cells as people read them; the bare values stand beside them, to sort by
CELL = '<%- obj["{}"] %>'  # obj: the row, as the template's own function calls it
CSV_UNITS = "<span style='color:var(--muted)'>CSV: in SI units and dollars</span>"
REDRAW_TABLE = "table.view.change.emit()"  # Bokeh does so by itself only when its number of rows changes


class NumbersTable:
    """`table` shows the table of a result that is chosen in `choice`; `csv` holds its text.

    latest(): the newest result, None before the first.
    """

    def __init__(self, study: Study, latest: Callable[[], Result | None]):
        self._study, self._latest, name = study, latest, study.name
        self.shown_units = units.Shown()
        self.csv_units = Div(name=f"{name}.csv_units", text=CSV_UNITS, visible=False, align="center")
        self.csv = ColumnDataSource({"text": [""]}, name=f"{name}.csv")
        self.choice = Select(name=f"{name}.tables", visible=False, width=240, stylesheets=[sheet()], title="Table")
        self.choice.on_change("value", lambda attr, old, new: self.fill(self._latest()))
        self._editor = StringEditor()  # nobody edits, but each column would make one of its own
        self.numbers = ColumnDataSource({}, name=f"{name}.result")
        self.table = DataTable(
            name=f"{name}.table",
            source=self.numbers,
            columns=[],
            height=TABLE_HEIGHT,
            sizing_mode="stretch_width",
            index_position=None,
            autosize_mode="none",
            stylesheets=[sheet(TABLE + WINDOW)],
        )
        self.numbers.js_on_change("data", CustomJS(args={"table": self.table}, code=REDRAW_TABLE))

    def show_units(self, shown: units.Shown) -> None:
        """Write cells in these units from now on. The CSV has its own, which is said where a person chose others."""
        if shown.usd_per_euro != self.shown_units.usd_per_euro:
            self.table.columns = []  # their heads say the currency
        self.shown_units = shown
        style.change(self.csv_units, visible=shown != units.Shown())

    def fill(self, result: Result | None) -> None:
        """Write the chosen table, unless a newer answer has come."""
        if result is None or result is not self._latest():
            return
        with units.shown_in(self.shown_units):
            self._fill(result)

    def _fill(self, result: Result) -> None:
        names = list(result.tables)
        style.change(self.choice, options=names, visible=len(names) > 1)
        if self.choice.value not in names:
            self.choice.value = names[0]  # which fills it
            return
        chosen = result.tables[self.choice.value]
        self.csv.data = {"text": [chosen.csv()]}
        cells = {name: column.cells() for name, column in chosen.columns.items()}
        widths = {name: _width(column.label, cells[name]) for name, column in chosen.columns.items()}
        before = {item.field: item.width for item in self.table.columns}
        if list(before) != list(widths) or any(widths[name] > before[name] for name in widths):
            self.table.columns = [self._column(name, column, widths[name]) for name, column in chosen.columns.items()]
        style.change(self.table, height=min(TABLE_HEIGHT, HEAD_HEIGHT + ROW_HEIGHT * (len(chosen) + 1)))
        self.numbers.data = chosen.arrays() | {SHOWN.format(name): said for name, said in cells.items()}

    def _column(self, name: str, described: Column, width: int) -> TableColumn:
        template = HTMLTemplateFormatter(template=CELL.format(SHOWN.format(name)))
        head = head_html(self._study, name, described)
        return TableColumn(field=name, title=head, formatter=template, editor=self._editor, width=width)


def _width(label: str, cells: list[str]) -> int:
    """Pixels that a column needs for its head and its longest cell; no text makes it wider than is read at a glance."""
    letters = max(len(label), min(max(map(len, cells), default=0), MOST_LETTERS))
    return max(NARROWEST, HEAD_WIDTH + LETTER_WIDTH * letters)
