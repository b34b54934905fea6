"""The picture in which a curve is drawn before it is seen: SVG, in the colours of the page that shows it.

A press on it sets the value of the nearest place: the page's script reads `data-places`, where each place lies, and
`data-scale`, what the upper and lower edge stand for.
"""

import html
import json
import math

from pagecost.units import UNITS, format_cell
from pagecost_app.exercises.exercise import Axis
from pagecost_app.exercises.kinds.number import written

WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 84, 16, 14, 46
TICKS = 5
SHORT = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def drawing(label: str, x: Axis, y: Axis, own: list[float], key: list[float] | None = None) -> str:
    """The axes, the learner's points, and the engine's curve (`key`) where it is shown."""
    places = [_across(x, at) for at in x.positions]
    lines = [_grid(x, y, places), _curve(places, [_down(y, value) for value in own], "own")]
    said = ", ".join(f"{_cell(value, y)} at {_cell(at, x)}" for at, value in zip(x.positions, own, strict=True))
    legend = _legend(0, "own", "yours")
    if key is not None:
        lines.append(_curve(places, [_down(y, value) for value in key], "key"))
        legend += _legend(1, "key", "the model's")
        said += "; the model's: " + ", ".join(_cell(value, y) for value in key)
    words = html.escape(f"{label}. Yours: {said}.", quote=True)
    scale = json.dumps([TOP, HEIGHT - BOTTOM, y.least, y.most, y.logarithmic])
    return (
        f'<svg class="pagecost-drawing" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{words}" '
        f"data-places='{json.dumps([round(place, 1) for place in places])}' data-scale='{scale}'>"
        f"{''.join(lines)}{legend}</svg>"
    )


def titled(axis: Axis) -> str:
    """What lies along an axis, and in which unit."""
    return f"{axis.label} [{axis.unit}]" if axis.unit not in ("", "1") else axis.label


def _grid(x: Axis, y: Axis, places: list[float]) -> str:
    parts = []
    for value in _ticks(y):
        at = _down(y, value)
        parts.append(f'<path class="grid" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{html.escape(_cell(value, y))}</text>')
    for place, value in zip(places, x.positions, strict=True):
        parts.append(f'<path class="grid" d="M{place:.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        text = html.escape(_cell(value, x))
        parts.append(f'<text x="{place:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{text}</text>')
    middle, across, down = (TOP + HEIGHT - BOTTOM) / 2, html.escape(titled(x)), html.escape(titled(y))
    parts.append(f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{across}</text>')
    parts.append(f'<text transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">{down}</text>')
    return "".join(parts)


def _curve(places: list[float], heights: list[float], name: str) -> str:
    points = " ".join(f"{across:.1f},{down:.1f}" for across, down in zip(places, heights, strict=True))
    marks = "".join(
        f'<circle class="{name}" cx="{across:.1f}" cy="{down:.1f}" r="{5 if name == "own" else 3}"/>'
        for across, down in zip(places, heights, strict=True)
    )
    return f'<polyline class="{name}" points="{points}"/>{marks}'


def _legend(number: int, name: str, text: str) -> str:
    left = LEFT + 8 + 90 * number
    line = f'<path class="{name}" d="M{left} {TOP + 8}h18"/>'
    return f'{line}<text x="{left + 24}" y="{TOP + 12}">{html.escape(text)}</text>'


def _across(axis: Axis, value: float) -> float:
    return LEFT + 14 + _share(axis, value) * (WIDTH - LEFT - RIGHT - 28)


def _down(axis: Axis, value: float) -> float:
    """A value beyond an end is drawn at it."""
    return HEIGHT - BOTTOM - min(max(_share(axis, value), 0.0), 1.0) * (HEIGHT - TOP - BOTTOM)


def _share(axis: Axis, value: float) -> float:
    """How far along the axis a value lies, 0 to 1."""
    if axis.logarithmic:
        return math.log(value / axis.least) / math.log(axis.most / axis.least) if value > 0 else 0.0
    return (value - axis.least) / (axis.most - axis.least)


def _ticks(axis: Axis) -> list[float]:
    """Powers of ten where there are some, else even parts of the axis."""
    if axis.logarithmic:
        first, last = math.ceil(math.log10(axis.least) - 1e-9), math.floor(math.log10(axis.most) + 1e-9)
        if last > first:
            return [10.0**power for power in range(first, last + 1)]
    steps = [number / (TICKS - 1) for number in range(TICKS)]
    if axis.logarithmic:
        return [axis.least * (axis.most / axis.least) ** step for step in steps]
    return [axis.least + (axis.most - axis.least) * step for step in steps]


def _cell(value: float, axis: Axis) -> str:
    unit = axis.unit or "1"
    if unit in ("1", "1/s"):  # the axis has the unit
        size, sign = next((each for each in SHORT if abs(value) >= each[0]), (1.0, ""))
        return f"{value / size:.3g} {sign}".rstrip()
    return format_cell(value, unit) if unit in UNITS else written(value, unit)
