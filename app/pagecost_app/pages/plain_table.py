"""A table of numbers as plain HTML, folded: for screen readers, and to be marked and copied.

Bokeh's table makes cells of the rows that are in sight only, and names none of them. The plain one is made in the
browser of what is there already, when it is opened.
"""

from bokeh.models import CustomJS
from bokeh.models.widgets import DataTable, Div

from pagecost_app.pages.look import sheet

MOST_ROWS = 200  # all are in the file behind "Save CSV"

PLAIN = """
:host { color: var(--ink); font-family: var(--font); }
summary { cursor: pointer; font-size: 13px; padding: 4px 0; }
.scrolls { overflow: auto; max-height: 420px; border: 1px solid var(--faint); }
table { border-collapse: collapse; font-size: 12px; }
th, td { padding: 3px 8px; border: 1px solid var(--faint); text-align: left; white-space: nowrap; }
th { background: var(--panel); }
caption { text-align: left; padding: 3px 8px; color: var(--muted); }
"""
WRITE = """
const made = (tag, text, values = {}) => Object.assign(document.createElement(tag), {textContent: text, ...values})
// the head of a column may be HTML: its words, and behind them a button that explains it
const words = (html) => new DOMParser().parseFromString(html, "text/html").body.firstChild?.textContent ?? ""
const write = (table, place) => {
  const {data} = table.source, {columns} = table
  const cells = columns.map(({field}) => data[field + " as shown"] ?? data[field] ?? [])
  const rows = cells[0]?.length ?? 0, shown = Math.min(rows, most)
  const html = made("table", ""), head = made("tr", ""), body = made("tbody", "")
  html.append(made("caption", shown < rows ? `the first ${shown} of ${rows} rows` : `${rows} rows`))
  head.append(...columns.map(({title}) => made("th", words(title), {scope: "col"})))
  const top = made("thead", "")
  top.append(head)
  for (let row = 0; row < shown; row++) {
    const line = made("tr", "")
    line.append(...cells.map((column) => made("td", String(column[row] ?? ""))))
    body.append(line)
  }
  html.append(top, body)
  place.replaceChildren(html)
}
const followed = new WeakSet()
document.addEventListener("click", (event) => {
  const pressed = event.composedPath().find((node) => node.dataset?.plain)
  if (!pressed) return
  const folded = pressed.parentElement, place = folded.querySelector(".scrolls")
  const table = Bokeh.documents[0].get_model_by_name(pressed.dataset.plain)
  if (folded.open || !table) return place.replaceChildren()  // it is being closed
  write(table, place)
  if (!followed.has(place)) table.source.properties.data.change.connect(() => {
    if (folded.open && folded.isConnected) write(table, place)
  })
  followed.add(place)
})
"""


def plain_table(table: DataTable) -> Div:
    """What stands below a table of that name."""
    return Div(
        name=f"{table.name}.plain",
        text=f'<details><summary data-plain="{table.name}">The numbers as a plain table</summary>'
        '<div class="scrolls" tabindex="0" role="region" aria-label="The numbers as a plain table"></div></details>',
        sizing_mode="stretch_width",
        stylesheets=[sheet(PLAIN)],
    )


def plain_tables() -> CustomJS:
    """What a document runs once, when it is ready, so that such tables are written when they are opened."""
    return CustomJS(args={"most": MOST_ROWS}, code=WRITE)
