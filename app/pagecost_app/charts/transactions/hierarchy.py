"""A storage hierarchy as a picture: what there is, who lives where, how busy it is and what it answers."""

from typing import Any

import numpy as np
from bokeh.core.properties import value
from bokeh.models import ColumnDataSource, HoverTool, Range1d, SaveTool
from bokeh.models.annotations import LabelSet
from bokeh.plotting import figure

from pagecost.studies.transactions.transaction_configurations import BOXES, UNITS_TABLE, Inputs, drawn
from pagecost.studies.transactions.transaction_system import overloaded
from pagecost.transactions.plans import NVEM_CACHES
from pagecost.units import format_cell, grouped
from pagecost_app.charts import style

WIDTH, ROW = 100.0, 30.0  # of the picture's own units
MARGIN, GAP, HEIGHT = 1.0, 2.5, 22.0
TITLES = {
    "database": "disks",
    "buffered": "disks behind a write buffer",
    "volatile": "disks behind a volatile cache",
    "nonvolatile": "disks behind a non-volatile cache",
    "ssd": "SSD",
    "log": "log's disks",
}
UNIT_OF = {
    "disk": "database",
    "NVEM write buffer": "database",
    **dict.fromkeys(NVEM_CACHES, "database"),
    "disk cache write buffer": "buffered",
    "volatile cache": "volatile",
    "non-volatile cache": "nonvolatile",
    "ssd": "ssd",
}
"""Home of a partition -> the disk unit it lies on."""


class Hierarchy:
    """`figure` is the picture; `show` draws the chosen row of a result of the study; `recolour` follows the ground."""

    def __init__(self, name: str):
        self.figure = figure(
            title="",
            height=430,
            sizing_mode="stretch_width",
            tools="",
            x_range=Range1d(start=0, end=WIDTH),
            y_range=Range1d(start=-4, end=4 * ROW - 2),
            name=name,
        )
        self.figure.add_tools(SaveTool(filename=name))
        style.keep_words_whole(self.figure)
        self.figure.toolbar.logo = None
        self.figure.toolbar.autohide = True
        self.figure.axis.visible = False
        self.figure.grid.visible = False
        self.wires: Any = self.figure.multi_line(
            "xs", "ys", line_width="wide", source=ColumnDataSource({"xs": [], "ys": [], "wide": []})
        )
        empty: dict[str, list] = {"left": [], "right": [], "top": [], "bottom": []}
        self.boxes: Any = self.figure.quad(source=ColumnDataSource(empty, name=f"{name}.boxes"), line_width=1.5)
        self.busy: Any = self.figure.quad(source=ColumnDataSource(empty, name=f"{name}.busy"), line_alpha=0)
        self.frames: Any = self.figure.quad(source=ColumnDataSource(empty), fill_alpha=0, line_width=1)
        self.labels = []
        for place, bold in (("head", "bold"), ("who", "normal"), ("what", "normal")):
            labels = LabelSet(
                x="x",
                y=f"{place}_y",
                text=place,
                text_align="center",
                text_baseline="middle",
                text_font=value(style.FONT),
                text_font_style=bold,
                source=self.boxes.data_source,
            )
            self.labels.append(labels)
            self.figure.add_layout(labels)
        self.figure.add_tools(HoverTool(renderers=[self.boxes], tooltips=[("", "@head"), ("", "@who"), ("", "@what")]))
        self.recolour(False)

    def show(self, inputs: Inputs, result) -> None:
        """Draw the chosen configuration; of one that does not keep up no numbers are known."""
        place, name = drawn(inputs)
        title = f"Configuration {place}: {name}"
        for station in overloaded(result, place=place).values():
            title += f" (saturated: the {station} cannot keep up)"
        style.change(self.figure.title, text=title)
        self._draw(_boxes(inputs, inputs.configurations[place - 1], _numbers(result, place)))

    def _draw(self, boxes: list[dict]) -> None:
        left, right, bottom = (np.array([box[key] for box in boxes], float) for key in ("left", "right", "bottom"))
        middle = (left + right) / 2
        top = bottom + HEIGHT
        self.boxes.data_source.data = {
            "left": left,
            "right": right,
            "top": top,
            "bottom": bottom,
            "x": middle,
            "head_y": top - 4.0,
            "who_y": top - 10.0,
            "what_y": top - 15.5,
            "head": [box["head"] for box in boxes],
            "who": [box["who"] for box in boxes],
            "what": [box["what"] for box in boxes],
        }
        share = np.clip(np.nan_to_num([box["busy"] for box in boxes]), 0, 1)
        inner, outer = left + 0.6, right - 0.6
        bars = {"left": inner, "right": inner + share * (outer - inner), "bottom": bottom + 1, "top": bottom + 3.5}
        self.busy.data_source.data = bars
        known = np.isfinite([box["busy"] for box in boxes])
        frames = {"left": inner, "right": outer, "bottom": bottom + 1, "top": bottom + 3.5}
        self.frames.data_source.data = {key: column[known] for key, column in frames.items()}
        wires = [box for box in boxes if box["wire"] is not None]
        self.wires.data_source.data = {
            "xs": [[(box["left"] + box["right"]) / 2] * 2 for box in wires],
            "ys": [[box["bottom"] + HEIGHT, box["bottom"] + ROW] for box in wires],
            "wide": [box["wire"] for box in wires],
        }

    def recolour(self, dark: bool) -> None:
        shade, colours = style.shades(dark), style.colours(dark)
        self.boxes.glyph.update(fill_color=shade["panel"], line_color=shade["muted"])
        self.busy.glyph.fill_color = colours[0]
        self.frames.glyph.line_color = shade["muted"]
        self.wires.glyph.line_color = shade["muted"]
        for labels, ink in zip(self.labels, ("ink", "ink", "muted"), strict=True):
            labels.text_color = shade[ink]


def _numbers(result, place: int):
    """of(column, unit = none): a number of the configuration, or of one of its disk units; nan where not known."""
    rows = result.rows(place=place)

    def of(column: str, unit: str | None = None) -> float:
        if unit is None:
            return float(result[column][rows[0]]) if rows.size else np.nan
        found = result.rows_in(UNITS_TABLE, place=place, unit=BOXES[unit])
        return float(result.tables[UNITS_TABLE][column][found[0]]) if found.size else np.nan

    return of


def _boxes(inputs: Inputs, name: str, of) -> list[dict]:
    """Every box: head, who lives there, what it does, its busy share (nan: none), and how thick its wire is."""
    plan, places = inputs.plan(name), inputs.places(name)
    whole = {"left": MARGIN, "right": WIDTH - MARGIN}
    mips = inputs.processors * inputs.instructions_per_s / 1e6
    boxes = [
        {
            **whole,
            "bottom": 3 * ROW,
            "head": f"{inputs.processors} processors, {format_cell(mips, '1')} MIPS in all",
            "who": _rate(of("throughput_hz")),
            "what": _busy(of("cpu")),
            "busy": of("cpu"),
            "wire": None,
        },
        {
            **whole,
            "bottom": 2 * ROW,
            "head": f"main memory: buffer of {grouped(plan.buffer_pages)} pages",
            "who": _living(places, "main memory"),
            "what": f"answers {_share(of('main_hits'))} of the references",
            "busy": np.nan,
            "wire": 4.0,
        },
    ]
    used = [key for key in BOXES if key in {UNIT_OF.get(home) for part, home in places.items() if part != "log"}]
    if plan.log != "nvem":
        used.append("log")
    kept = []
    if plan.nvem_cached():
        kept.append(f"page cache of {plan.nvem_cached()}: {_share(of('nvem_hits'))} of the references")
    if plan.nvem_buffered():
        kept.append(f"write buffer of {plan.nvem_buffered()} pages")
    living = _living(places, "nvem")
    if kept or living:
        kept.append(_busy(of("nvem_busy")))
        boxes.append(
            {
                **{"left": MARGIN, "right": WIDTH - MARGIN, "bottom": ROW},
                **{"head": "NVEM", "who": living, "what": "; ".join(kept), "busy": of("nvem_busy"), "wire": 3.0},
            }
        )
    width = (WIDTH - 2 * MARGIN - GAP * (len(used) - 1)) / max(len(used), 1)
    for number, key in enumerate(used):
        boxes.append(_unit(of, places, plan, key) | {"left": MARGIN + number * (width + GAP)})
        boxes[-1]["right"] = boxes[-1]["left"] + width
        boxes[-1]["bottom"] = 0.0 if kept or living else ROW
    return boxes


def _unit(of, places: dict, plan, key: str) -> dict:
    if key == "log":
        who = "log"
        ways = {"disk cache write buffer": ", through a write buffer in their cache", "ssd": " on an SSD"}
        head = {"ssd": "SSD of the log"}.get(plan.log, TITLES[key] + ways.get(plan.log, ""))
    else:
        who = ", ".join(part for part, home in places.items() if part != "log" and UNIT_OF.get(home) == key)
        head = TITLES[key]
    ios, busy = of("ios", key), of("disk_busy", key)
    what = [] if np.isnan(ios) else [f"{ios:.2f} I/Os per transaction"]
    if key in ("volatile", "nonvolatile"):
        what.append(f"cache of {grouped(plan.cache_pages)} answers {_share(of('cache_hits'))}")
    pure = key == "ssd" or (key == "log" and plan.log == "ssd")
    if pure and not busy > 0:  # no disk behind it
        busy = of("controller_busy", key)
    what.append(_busy(busy))
    return {"head": head, "who": who, "what": "; ".join(what), "busy": busy, "wire": 1 + 2 * np.nan_to_num(ios)}


def _living(places: dict, home: str) -> str:
    return ", ".join(part for part, place in places.items() if place == home)


def _rate(hz: float) -> str:
    return "no transactions yet" if np.isnan(hz) else f"{grouped(hz)} transactions per second"


def _share(ratio: float) -> str:
    return "–" if np.isnan(ratio) else f"{ratio:.1%}"


def _busy(ratio: float) -> str:
    return "busy –" if np.isnan(ratio) else f"{ratio:.1%} busy"
