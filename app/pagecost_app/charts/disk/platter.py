"""A disk from above during one access: the head before and after, the sector's way to it, and what each part cost."""

from typing import Any

import numpy as np
from bokeh.core.properties import value
from bokeh.layouts import row
from bokeh.models import ColumnDataSource, Range1d
from bokeh.models.annotations import Legend, LegendItem
from bokeh.plotting import figure

from pagecost.devices.disk import TERMS
from pagecost.studies.disk.disk_access_time import SERVICE, Access
from pagecost.units import format_seconds
from pagecost_app.charts import style

RING = 1.08  # radius at which the path around the platter begins
STEP, ROOM = 0.09, 0.4  # how far the path moves out in a turn, and in all
POINTS_PER_TURN = 120
EDGE = 1.52
BEFORE, AFTER, SECTOR = "head before", "head after", "the sector, when the command came"
MARKERS = {BEFORE: "circle", AFTER: "triangle", SECTOR: "square"}
SIDE = 340
PATH_ORDER = ("overhead_s", "seek_s", "switch_s", "rotation_s", "transfer_s")  # in time


class Platter:
    """The picture: `show` draws an access in place, `root` is the layout."""

    def __init__(self, name: str):
        self.figure = figure(
            name=name,
            title="",
            frame_width=SIDE,
            frame_height=SIDE,
            x_range=Range1d(start=-EDGE, end=EDGE),
            y_range=Range1d(start=-EDGE, end=EDGE),
            tools="",
            toolbar_location=None,
        )
        style.keep_words_whole(self.figure)
        self.figure.axis.visible = False
        self.figure.grid.visible = False
        self.zones = self.figure.annular_wedge(
            x=0,
            y=0,
            inner_radius="inner",
            outer_radius="outer",
            start_angle=0,
            end_angle=2 * np.pi,
            fill_alpha="alpha",
            line_width=0.5,
            source=ColumnDataSource({"inner": [], "outer": [], "alpha": []}, name=f"{name}.zones"),
        )
        self.tracks = self.figure.circle(
            x=0,
            y=0,
            radius="radius",
            fill_color=None,
            line_dash="dotted",
            source=ColumnDataSource({"radius": []}, name=f"{name}.tracks"),
        )
        arm = ColumnDataSource({"x0": [], "y0": [], "x1": [], "y1": []}, name=f"{name}.arm")
        self.arm = self.figure.segment("x0", "y0", "x1", "y1", line_width=5, line_cap="round", source=arm)
        self.paths: dict[str, Any] = {
            term: self.figure.multi_line(
                "x", "y", line_width=7, source=ColumnDataSource({"x": [], "y": []}, name=f"{name}.{term}")
            )
            for term in PATH_ORDER
        }
        self.marks: dict[str, Any] = {}  # of renderers Bokeh's types do not know what they hold
        for word, marker in MARKERS.items():
            source = ColumnDataSource({"x": [], "y": []}, name=f"{name}.{word}")
            self.marks[word] = self.figure.scatter("x", "y", size=13, marker=marker, line_width=2, source=source)
        self.items = {word: LegendItem(label=value(word), renderers=[mark]) for word, mark in self.marks.items()}
        self.items |= {
            term: LegendItem(label=value(TERMS[term]), renderers=[path]) for term, path in self.paths.items()
        }
        self.legend = Legend(items=list(self.items.values()), location="left", padding=4, spacing=6)  # type: ignore[arg-type]  # Bokeh takes pixels
        self.figure.add_layout(self.legend, "below")  # beside it there is no room on a phone
        self.root = row(self.figure)
        self.recolour(False)

    def show(self, access: Access, pattern: str, number: int) -> None:
        """Draw one access; the platter turns to the left, the head stands on the right."""
        total = format_seconds(sum(access.terms.values()))
        title = (
            f"Access {number} of “{pattern}” on {access.disk}: {total}; one turn takes {format_seconds(access.turn_s)}"
        )
        style.change(self.figure.title, text=title)
        for term in PATH_ORDER:
            style.change(self.items[term], label=value(f"{TERMS[term]} {format_seconds(access.terms[term])}"))
        rings = np.array(access.zones)
        _replace(
            self.zones,
            {"inner": rings[1:], "outer": rings[:-1], "alpha": np.where(np.arange(rings.size - 1) % 2, 0.45, 0.85)},
        )
        _replace(self.tracks, {"radius": np.unique([access.before, access.after])})
        _replace(self.arm, {"x0": [EDGE], "y0": [0.0], "x1": [min(access.before, access.after)], "y1": [0.0]})
        wait_s = sum(access.terms[term] for term in PATH_ORDER if term != "transfer_s")
        at_s = 0.0
        for term in PATH_ORDER:
            until_s = at_s + access.terms[term]
            _replace(self.paths[term], _path(access, at_s, until_s, wait_s) if until_s > at_s else {"x": [], "y": []})
            at_s = until_s
        angle = -2 * np.pi * wait_s / access.turn_s
        marks = {BEFORE: (access.before, 0.0), AFTER: (access.after, 0.0), SECTOR: (access.after, angle)}
        if access.held:
            del marks[SECTOR]
        for word, mark in self.marks.items():
            radius, turned = marks.get(word, (np.nan, 0.0))
            _replace(mark, {"x": [radius * np.cos(turned)], "y": [radius * np.sin(turned)]})
        shown = {*marks, *(term for term in PATH_ORDER if access.terms[term] > 0)}
        for word, item in self.items.items():
            style.change(item, visible=word in shown)

    def recolour(self, dark: bool) -> None:
        shade = style.shades(dark)
        style.change(self.zones.glyph, fill_color=shade["faint"], line_color=shade["ground"])
        style.change(self.tracks.glyph, line_color=shade["muted"])
        style.change(self.arm.glyph, line_color=shade["muted"])
        for mark in self.marks.values():
            style.change(mark.glyph, line_color=shade["ink"], fill_color=shade["ground"])
        colours = dict(zip(SERVICE, style.stack_colours(dark), strict=False))
        for term, path in self.paths.items():
            style.change(path.glyph, line_color=colours[term])


def _path(access: Access, from_s: float, to_s: float, wait_s: float) -> dict:
    """The way of the sector between two times after the command, on a spiral around the platter."""
    count = max(2, int(np.ceil((to_s - from_s) / access.turn_s * POINTS_PER_TURN)))
    turns = np.linspace(from_s, to_s, count) / access.turn_s
    step = min(STEP, ROOM * access.turn_s / sum(access.terms.values()))
    angle, radius = 2 * np.pi * (turns - wait_s / access.turn_s), RING + step * turns
    return {"x": [radius * np.cos(angle)], "y": [radius * np.sin(angle)]}


def _replace(renderer, columns: dict) -> None:
    renderer.data_source.data = columns
