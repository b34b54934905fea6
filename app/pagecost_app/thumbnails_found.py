"""Draws the small pictures of questions: `python -m pagecost_app.thumbnails_found [STUDY…]` writes `thumbnails.json`.

Each study's chart is made, told the answer to the defaults, and its first figure that shows something is drawn as bare
SVG.
"""

import json
import math
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from bokeh.models import FactorRange, LogScale, Plot
from bokeh.models.renderers import GlyphRenderer

from pagecost import studies
from pagecost_app.charts import CHARTS, style
from pagecost_app.thumbnails import FILE, GREY, HEIGHT, WIDTH, listed

PAD = 5  # of the picture, in its units
RICH = 3  # shapes that make a picture; where no figure has as many, the richest is taken
MOST_POINTS = 60  # of a line
MOST_MARKS = 150  # of a figure
COLOURS = (*style.LIGHT_COLOURS, *style.MORE_LIGHT)

Points = list[tuple[float, float]]
Shape = tuple[str, str, Points]
"""("line" | "dots" | "bar" | "area", class of its colour, its points in the units of the axes; of a bar two corners)"""


def drawn(name: str) -> str:
    """The picture of a study, as SVG inside a box of WIDTH × HEIGHT; "" where its chart has no figure that can be."""
    study = studies.find(name)
    inputs = study.inputs()
    chart = CHARTS[name]()
    chart.update(inputs, study.compute(inputs))
    pictures = [_picture(figure) for figure in _figures(chart.root) if _is_shown(figure)]
    rich = (picture for picture in pictures if picture.count("<path") >= RICH)
    return next(rich, max(pictures, key=len, default=""))


def _figures(layout: Any) -> Iterator[Plot]:
    """The figures of a layout in the order in which they are read."""
    if isinstance(layout, Plot):
        yield layout
    for child in getattr(layout, "children", ()):
        yield from _figures(child[0] if isinstance(child, tuple) else child)


def _is_shown(figure: Plot) -> bool:
    return figure.visible and not (figure.name or "").endswith("legend")


def _picture(figure: Plot) -> str:
    return _svg(list(_shapes(figure)), isinstance(figure.x_scale, LogScale), isinstance(figure.y_scale, LogScale))


def _shapes(figure: Plot) -> Iterator[Shape]:
    """What a figure draws, the first of it on top of the rest in a picture of few pixels."""
    factors = [_factors(each) for each in (figure.x_range, figure.y_range)]
    for renderer in figure.renderers:
        if isinstance(renderer, GlyphRenderer) and renderer.visible:
            glyph = renderer.glyph
            yield from _of_glyph(type(glyph).__name__, glyph, dict(getattr(renderer.data_source, "data", {})), factors)


def _of_glyph(kind: str, glyph: Any, data: dict, factors: Sequence[dict]) -> Iterator[Shape]:
    def values(name: str, axis: int) -> list[float]:
        return _numbers(_column(getattr(glyph, name), data), factors[axis])

    if kind in ("Line", "Step"):
        yield "line", _class(glyph.line_color, 0), _zip(values("x", 0), values("y", 1))
    elif kind == "Scatter":
        points = _zip(values("x", 0), values("y", 1))
        for number, point in enumerate(points):
            yield "dots", _class(_each(glyph.fill_color, data, number), number), [point]
    elif kind == "Segment":
        ends = zip(_zip(values("x0", 0), values("y0", 1)), _zip(values("x1", 0), values("y1", 1)), strict=True)
        for number, (one, other) in enumerate(ends):
            yield "line", _class(_each(glyph.line_color, data, number), number), [one, other]
    elif kind == "VArea":
        x = values("x", 0)
        yield (
            "area",
            _class(glyph.fill_color, 0),
            [
                *_zip(x, values("y1", 1)),
                *reversed(_zip(x, values("y2", 1))),
            ],
        )
    elif kind in ("HBar", "VBar", "Quad"):
        for number, corners in enumerate(_corners(kind, glyph, values)):
            yield "bar", _class(_each(glyph.fill_color, data, number), number), corners


def _corners(kind: str, glyph: Any, values) -> Iterator[Points]:
    if kind == "HBar":
        half = (glyph.height if isinstance(glyph.height, (int, float)) else 0.8) / 2
        for left, right, y in zip(values("left", 0), values("right", 0), values("y", 1), strict=False):
            yield [(left, y - half), (right, y + half)]
    elif kind == "VBar":
        half = (glyph.width if isinstance(glyph.width, (int, float)) else 0.8) / 2
        for x, bottom, top in zip(values("x", 0), values("bottom", 1), values("top", 1), strict=False):
            yield [(x - half, bottom), (x + half, top)]
    else:
        sides = (values("left", 0), values("bottom", 1), values("right", 0), values("top", 1))
        for left, bottom, right, top in zip(*sides, strict=False):
            yield [(left, bottom), (right, top)]


def _column(spec: Any, data: dict) -> list:
    """The values of a property of a glyph: a column, what a stack adds up, or one value for all."""
    size = max((len(column) for column in data.values()), default=0)
    name = getattr(spec, "field", None) or (spec.get("field") if isinstance(spec, dict) else spec)
    stack = getattr(spec, "expr", None) or (spec.get("expr") if isinstance(spec, dict) else None)
    if stack is not None:
        parts = [np.asarray(data[each], float) for each in stack.fields]
        return np.sum(parts, axis=0).tolist() if parts else [0.0] * size
    if isinstance(name, str) and name in data:
        return list(data[name])
    value = getattr(spec, "value", None) if not isinstance(spec, (int, float)) else spec
    return [0.0 if value is None else value] * size


def _each(spec: Any, data: dict, number: int) -> str | None:
    name = spec.get("field") if isinstance(spec, dict) else getattr(spec, "field", spec)
    column = data.get(name) if isinstance(name, str) else None
    return column[number] if column is not None and number < len(column) else spec if isinstance(spec, str) else None


def _factors(a_range: Any) -> dict:
    return {each: at for at, each in enumerate(a_range.factors)} if isinstance(a_range, FactorRange) else {}


def _numbers(column: list, factors: dict) -> list[float]:
    found = []
    for value in column:
        try:
            if not factors:
                found.append(float(value))
                continue
            name, offset = value, 0.0
            if isinstance(value, (tuple, list)) and value not in factors and tuple(value) not in factors:
                name, offset = value[0] if len(value) == 2 else tuple(value[:-1]), float(value[-1])
            found.append(factors[tuple(name) if isinstance(name, list) else name] + offset)
        except (TypeError, ValueError, KeyError):
            found.append(math.nan)
    return found


def _zip(x: list[float], y: list[float]) -> Points:
    return list(zip(x, y, strict=False))


def _class(colour: Any, number: int) -> str:
    text = getattr(colour, "value", colour)
    text = text.get("value") if isinstance(text, dict) else text
    return f"c{COLOURS.index(text)}" if text in COLOURS else GREY


def _svg(shapes: list[Shape], log_x: bool, log_y: bool) -> str:
    def scaled(points: Points) -> Points:
        return [(_log(x) if log_x else x, _log(y) if log_y else y) for x, y in points]

    shapes = [(kind, colour, scaled(points)) for kind, colour, points in shapes]
    shapes = [
        (kind, colour, [point for point in points if all(map(math.isfinite, point))]) for kind, colour, points in shapes
    ]
    shapes = [shape for shape in shapes if (_has_area(shape[2]) if shape[0] == "bar" else shape[2])]
    if any(kind == "line" and len(points) > 2 for kind, _, points in shapes):  # on which marks would be blots
        shapes = [shape for shape in shapes if shape[0] != "dots"]
    if not shapes:
        return ""
    corners = [point for _, _, points in shapes for point in points]
    (left, right), (bottom, top) = ((min(side), max(side)) for side in zip(*corners, strict=True))

    def place(point: Point) -> str:
        x = PAD + (WIDTH - 2 * PAD) * ((point[0] - left) / (right - left) if right > left else 0.5)
        y = HEIGHT - PAD - (HEIGHT - 2 * PAD) * ((point[1] - bottom) / (top - bottom) if top > bottom else 0.5)
        return f"{x:.0f} {y:.0f}"

    return "".join(_element(kind, colour, points, place) for kind, colour, points in shapes[:MOST_MARKS])


def _has_area(points: Points) -> bool:
    return len(points) == 2 and points[0][0] != points[1][0] and points[0][1] != points[1][1]


Point = tuple[float, float]


def _element(kind: str, colour: str, points: Points, place) -> str:
    if kind == "bar":
        (x0, y0), (x1, y1) = (tuple(map(float, place(point).split())) for point in points)
        width, height = max(abs(x1 - x0), 0.8), max(abs(y1 - y0), 0.8)
        return f'<path class="{colour} f" d="M{min(x0, x1):g} {min(y0, y1):g}h{width:g}v{height:g}h-{width:g}z"/>'
    if kind == "dots":
        return f'<path class="{colour} d" d="M{place(points[0])}h0"/>'
    thinned = points[:: max(1, len(points) // MOST_POINTS)] if kind == "line" else points
    path = "L".join(dict.fromkeys(map(place, thinned)))
    return f'<path class="{colour} {"l" if kind == "line" else "a"}" d="M{path}{"" if kind == "line" else "z"}"/>'


def _log(value: float) -> float:
    return math.log10(value) if value > 0 else math.nan


def found(anew: Sequence[str]) -> dict[str, str]:
    """What the file should say: the pictures of these studies, and of the others as they are there."""
    kept = listed() if FILE.exists() else {}
    return {name: drawn(name) if name in anew or name not in kept else kept[name] for name in studies.STUDIES}


if __name__ == "__main__":
    FILE.write_text(json.dumps(found(sys.argv[1:] or list(studies.STUDIES)), indent=1) + "\n", encoding="utf-8")
