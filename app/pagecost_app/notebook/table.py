"""The numbers of a result as a small table, for people: each cell as every face writes it."""

import base64
import html

from pagecost.errors import known
from pagecost.studies import Result


class Table:
    """Some rows and columns of a result. Shows itself in a notebook; `str()` gives aligned text."""

    def __init__(self, result: Result, columns=(), where=None):
        names = [known("column", name, result.columns) for name in columns] or list(result.columns)
        shown = [result.columns[name] for name in names]
        self.header = [column.label for column in shown]
        self.numeric = [column.unit != "text" for column in shown]
        self.rows = [[column.cell(row) for column in shown] for row in result.rows(**(where or {}))]

    def __repr__(self):
        widths = [max(map(len, cells)) for cells in zip(self.header, *self.rows, strict=True)]
        lines = [self.header, ["-" * width for width in widths], *self.rows]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)

    def _repr_html_(self):
        head = "".join(f'<th scope="col">{html.escape(text)}</th>' for text in self.header)
        body = "".join(f"<tr>{''.join(map(_td, row, self.numeric))}</tr>" for row in self.rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def csv_link(text: str, name: str) -> str:
    """A link that saves a CSV file with this text."""
    data = base64.b64encode(text.encode()).decode()
    return f'<a download="{name}.csv" href="data:text/csv;base64,{data}">Save all rows as CSV</a>'


def _td(cell: str, numeric: bool) -> str:
    side = "right" if numeric else "left"
    return f'<td style="text-align:{side}">{html.escape(cell)}</td>'
