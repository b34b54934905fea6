"""Line charts whose series can come and go in place: a fixed number of slots, each with its own look."""

import itertools
from collections.abc import Collection, Iterable, Iterator

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


class SeriesFigure:
    """A figure with up to `style.SLOTS` lines. `show` changes what they draw; nothing is built anew."""

    def __init__(self, name: str, title: str, x_label: str, y_label: str, tooltips, **options):
        self.figure = plain_figure(name, title, x_label, y_label, **options)
        self.slots = [Slot(self.figure, number, f"{name}.{number}") for number in range(style.SLOTS)]
        self.figure.add_tools(HoverTool(tooltips=tooltips, renderers=[slot.points for slot in self.slots]))

    def show(self, number: int, columns: dict) -> None:
        """Draw columns["x"], columns["y"] in a slot; the other columns feed the tooltips. Empty columns hide it."""
        replace(self.slots[number].source, columns)

    def show_all(self, lines: Iterable[dict]) -> None:
        """Draw the first of these lines, as many as there are slots, and hide what else was shown."""
        for number, columns in by_slot(lines):
            self.show(number, columns)

    def recolour(self, dark: bool) -> None:
        for slot, colour in zip(self.slots, style.colours(dark), strict=True):
            slot.recolour(colour)


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
        self.slots = [Slot(self.figure, number, f"{name}.{number}") for number in range(style.SLOTS)]
        for slot in self.slots:
            slot.source.data = {"x": [np.nan], "y": [np.nan]}
        self.legend = Legend(
            items=[],
            location="center_left",
            orientation="horizontal",
            padding=0,  # type: ignore[arg-type]  # Bokeh takes pixels
            spacing=18,
        )
        self.names: list[str] = []
        self.figure.add_layout(self.legend)
        style.keep_legend_whole(self.figure, self.legend, STRIP_HEIGHT)

    def show(self, names: Collection[str]) -> None:
        """Name the first slots; the others disappear."""
        if list(names) == self.names:
            return
        self.names = list(names)
        self.legend.items = [
            LegendItem(label=value(name), renderers=[slot.line, slot.points])
            for name, slot in zip(names, self.slots, strict=False)
        ]

    def recolour(self, dark: bool) -> None:
        for slot, colour in zip(self.slots, style.colours(dark), strict=True):
            slot.recolour(colour)


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
