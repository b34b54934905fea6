"""Line charts whose series can come and go in place: a fixed number of slots, each with its own look."""

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, FactorRange, HoverTool, SaveTool
from bokeh.models.annotations import Legend, LegendItem
from bokeh.plotting import figure

from pagecost_app.charts import style

TOOLS = "pan,wheel_zoom,box_zoom,reset"
STRIP_HEIGHT = 36  # pixels, of a row
EACH_ITS_OWN = {"left": False}  # a figure makes no room for the long names of one above or below it


def plain_figure(name: str, title: str, x_label: str, y_label: str, height: int = 280, **options):
    """A figure with our tools and nothing in it yet; `name` is that of its saved picture."""
    return _figure(
        name,
        title=title,
        x_axis_label=x_label,
        y_axis_label=y_label,
        tools=TOOLS,
        active_scroll=None,
        height=height,
        **options,
    )


def named_rows(name: str, title: str, height: int, padding: float = 0, **options):
    """A figure with a row for each name in its `y_range`, which stays as it is: nothing to pan or zoom."""
    rows = FactorRange(factors=[], range_padding=padding)
    return _figure(name, title=title, y_range=rows, tools="", height=height, **options)


def _figure(name: str, **options):
    made = figure(sizing_mode="stretch_width", frame_align=EACH_ITS_OWN, **options)  # type: ignore[arg-type]  # a dict will do
    made.toolbar.logo = None
    made.toolbar.autohide = True
    made.add_tools(SaveTool(filename=name))  # without a name the browser would ask for one
    style.keep_words_whole(made)
    style.keep_ticks_apart(made)
    return made


class Slots(Sequence["Slot"]):
    """The lines of a figure, up to `style.SLOTS`, each made when it is first needed: what is not drawn costs memory,
    and the browser time.

    look(number, slot): how those of this figure differ from others.
    """

    def __init__(self, on, name: str, look: Callable[[int, "Slot"], None] = lambda number, slot: None):
        self._on, self._name, self._look, self._dark = on, name, look, False
        self._made: list[Slot] = []

    def __len__(self) -> int:
        return len(self._made)

    def __getitem__(self, number):
        return self._made[number]

    def need(self, slots: int) -> bool:
        """Have at least so many; whether any of them is new."""
        before = len(self._made)
        for number in range(before, min(slots, style.SLOTS)):
            slot = Slot(self._on, number, f"{self._name}.{number}")
            slot.recolour(style.colours(self._dark)[number])
            self._look(number, slot)
            self._made.append(slot)
        return len(self._made) > before

    def recolour(self, dark: bool) -> None:
        self._dark = dark
        for slot, colour in zip(self._made, style.colours(dark), strict=False):
            slot.recolour(colour)


class SeriesFigure:
    """A figure with up to `style.SLOTS` lines. `show` changes what they draw; nothing is built anew.

    look(number, slot): how its lines differ from those of others.
    """

    def __init__(
        self,
        name: str,
        title: str,
        x_label: str,
        y_label: str,
        tooltips,
        *,
        look: Any = lambda number, slot: None,  # of another type, options in a dict would not fit
        **options,
    ):
        self.figure = plain_figure(name, title, x_label, y_label, **options)
        self.slots = Slots(self.figure, name, look)
        self._hover = HoverTool(tooltips=tooltips, renderers=[])
        self.figure.add_tools(self._hover)
        self._need(1)  # Bokeh complains of a figure without any

    def show(self, number: int, columns: dict) -> None:
        """Draw columns["x"], columns["y"] in a slot; the other columns feed the tooltips. Empty columns hide it."""
        if len(columns["x"]):
            self._need(number + 1)
        if number < len(self.slots):
            replace(self.slots[number].source, columns)

    def show_all(self, lines: Iterable[dict]) -> None:
        """Draw the first of these lines, as many as there are slots, and hide what else was shown."""
        for number, columns in by_slot(lines):
            self.show(number, columns)

    def recolour(self, dark: bool) -> None:
        self.slots.recolour(dark)

    def _need(self, slots: int) -> None:
        if self.slots.need(slots):
            self._hover.renderers = [slot.points for slot in self.slots]


class Slot:
    """One line with markers: colour, dash and marker shape differ from every other slot's."""

    def __init__(self, on, number: int, name: str):
        colour = style.LIGHT_COLOURS[number]
        self.source = ColumnDataSource({"x": [], "y": []}, name=name)
        look = {"source": self.source, "line_color": colour}
        self.line = on.line("x", "y", line_width=2, line_dash=style.DASHES[number], **look)
        self.points = on.scatter("x", "y", size=7, marker=style.MARKERS[number], fill_color=colour, **look)

    def recolour(self, colour: str) -> None:
        self.line.glyph.line_color = colour
        self.points.glyph.line_color = colour
        self.points.glyph.fill_color = colour


def without_points(number: int, slot: Slot) -> None:
    """The look of slots that are lines only."""
    slot.points.visible = False


class LegendStrip:
    """One legend for several figures: a strip of its own, so that it stands in every exported picture."""

    def __init__(self, name: str):
        self.figure = figure(
            height=STRIP_HEIGHT,
            sizing_mode="stretch_width",
            frame_align=False,
            toolbar_location=None,
            outline_line_color=None,
            name=name,
        )
        self.figure.axis.visible = False
        self.figure.grid.visible = False
        self.slots = Slots(self.figure, name, _only_for_the_legend)
        self.slots.need(1)
        self.legend = Legend(
            items=[],
            location="center_left",
            orientation="horizontal",
            padding=0,  # type: ignore[arg-type]  # Bokeh takes pixels
            spacing=18,
        )
        self.names: list[str] = []
        self.items: list[LegendItem] = []
        self.figure.add_layout(self.legend)
        self.fit = style.keep_legend_whole(self.figure, self.legend, STRIP_HEIGHT)

    def show(self, names: Collection[str]) -> None:
        """Name the first slots; the others disappear."""
        if list(names) == self.names:
            return
        self.names = list(names)
        self.slots.need(len(names))
        held = len(self.items)
        for slot, name in zip(list(self.slots)[held:], self.names[held:], strict=False):
            item = LegendItem(label=value(name), renderers=[slot.line, slot.points])
            item.js_on_change("visible", self.fit)
            self.items.append(item)
        if len(self.items) > held:  # new items cost a look through the whole document, hidden ones nothing
            self.legend.items = list(self.items)
        for item, name in zip(self.items, self.names, strict=False):
            style.change(item, label=value(name), visible=True)
        for item in self.items[len(names) :]:
            style.change(item, visible=False)

    def recolour(self, dark: bool) -> None:
        self.slots.recolour(dark)


def _only_for_the_legend(number: int, slot: Slot) -> None:
    slot.source.data = {"x": [np.nan], "y": [np.nan]}


def replace(source: ColumnDataSource, columns: dict) -> None:
    """Give a source these columns, and send them only where they differ."""
    if source.data.keys() != columns.keys() or any(
        not np.array_equal(source.data[name], column) for name, column in columns.items()
    ):
        source.data = columns


def by_slot(lines: Iterable[dict]) -> Iterator[tuple[int, dict]]:
    """Every slot with what it draws: the first of these lines, and then nothing."""
    drawn = list(itertools.islice(lines, style.SLOTS))
    return enumerate(drawn + [no_data()] * (style.SLOTS - len(drawn)))


def no_data() -> dict:
    """Columns of a slot that draws nothing."""
    return {"x": [], "y": []}
