"""Drop-downs that say what the columns of a table mean."""

from collections.abc import Callable

from bokeh.layouts import column, row
from bokeh.models.widgets import Div, Select

from pagecost.errors import ModelError
from pagecost.workload.traces import layouts
from pagecost.workload.traces.layouts import Head, Layout
from pagecost_app.charts import style
from pagecost_app.pages.look import sheet

NONE, RECOGNISED = "", ""
SETTINGS: dict[str, tuple[str, list]] = {
    "unit": ("Unit of offsets", list(layouts.UNITS)),
    "size_unit": ("Unit of sizes", [(RECOGNISED, "as offsets"), *layouts.UNITS]),
    "time_unit": ("Unit of times", [(RECOGNISED, "recognised"), *layouts.TIME_UNITS_NS]),
    "delimiter": ("Columns are separated by", [(RECOGNISED, "recognised"), *layouts.DELIMITERS]),
    "header": ("First line names the columns", [(RECOGNISED, "recognised"), *layouts.HEADERS]),
}
WIDTH = 190  # pixels


class ColumnChoice:
    """`root` is what stands on the page; `text` says what was chosen, as `Layout.of` reads it.

    changed() is called after every change by the user.
    """

    def __init__(self, name: str, changed: Callable[[], None]):
        self._shown = ""  # what is chosen without the user's doing; a held document tells of changes late
        self._words: tuple[tuple[str, tuple[str, ...]], ...] = ()
        self._changed = changed
        self.places = {
            meaning: self._select(f"{name}.{meaning}", f"{meaning}: {words}", [(NONE, "–")])
            for meaning, (_, words) in layouts.COLUMNS.items()
        }
        self.settings = {
            setting: self._select(f"{name}.{setting}", title, options) for setting, (title, options) in SETTINGS.items()
        }
        heading = Div(text="<h2 style='font-size:15px;margin:6px 0 0'>What do the columns mean?</h2>")
        wrapped = {"flex-wrap": "wrap"}
        self.root = column(
            heading,
            row(*self.places.values(), styles=wrapped),
            row(*self.settings.values(), styles=wrapped),
            visible=False,
            sizing_mode="stretch_width",
            name=f"{name}.columns",
            styles={"background": "var(--panel)", "border-radius": "8px", "padding": "4px 12px 10px"},
        )

    @property
    def text(self) -> str:
        """What is chosen; empty where no column is."""
        places = [f"{meaning}={select.value}" for meaning, select in self.places.items() if select.value != NONE]
        settings = [f"{name}={select.value}" for name, select in self.settings.items() if select.value != RECOGNISED]
        words = [f"{name}={'|'.join(given)}" for name, given in self._words if given]
        return ",".join([*places, *settings, *words]) if places else ""

    def show(self, head: Head | None, layout: Layout | None) -> None:
        """Offer the columns of a table, as far as they are known; nothing where there is no table."""
        style.change(self.root, visible=head is not None)
        if head is not None:
            offered = [(NONE, "–"), *((str(number), f"{number}: {head.title(number)}") for number in range(head.width))]
            for meaning, select in self.places.items():
                style.change(select, options=offered, value=_number(head, layout, meaning))
            for name, select in self.settings.items():
                style.change(select, value=getattr(layout, name) if layout else SETTINGS_AT_FIRST.get(name, RECOGNISED))
            self._words = (("reads", layout.reads), ("writes", layout.writes)) if layout else ()
        self._shown = self.text

    def _select(self, name: str, title: str, options: list) -> Select:
        value = options[0][0] if isinstance(options[0], tuple) else options[0]
        select = Select(name=name, title=title, options=options, value=value, width=WIDTH, stylesheets=[sheet()])
        select.on_change("value", lambda attr, old, new: self._chosen())
        return select

    def _chosen(self) -> None:
        if self.text != self._shown:
            self._shown = self.text
            self._changed()


SETTINGS_AT_FIRST = {"unit": "byte"}


def _number(head: Head, layout: Layout | None, meaning: str) -> str:
    place = layout.place(meaning) if layout else None
    if isinstance(place, str):
        try:
            place = layouts.number_of(head, place)
        except ModelError:
            return NONE
    return NONE if place is None or place >= head.width else str(place)
