"""What a lesson draws of energy and money: power over time, and where a dollar goes, as SVG in the page's colours.

The class `walk-figure` says to whoever looks for charts that a figure has no canvas.
"""

import html
import math
import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pagecost import catalogue, devices
from pagecost.devices import energy, title_of
from pagecost.devices.energy import Course
from pagecost.economics import power_of
from pagecost.errors import require
from pagecost.studies import Result
from pagecost.studies.economics.total_cost import MADE_OF
from pagecost.studies.study import Table
from pagecost.units import format_cell, format_seconds, format_si, format_years
from pagecost_app.charts import style
from pagecost_app.charts.economics.total_cost import TERMS

WIDTH, LEFT, RIGHT = 720, 62, 8
ROW, HEAD, FOOT = 118, 22, 38  # of a device: its area; above it its name, below it what it came to
AXIS = 26
LEAST_WIDE = 0.6  # what works for a moment only must still be seen
NOTE, GAP, NAME = 58, 34, 20  # height of a dollar, what stands below it, its name above it
USUAL, RATE_HZ = ("consumer-disk-2009", "consumer-ssd-2009"), 20.0
REQUESTS, SHOWN, SEED = 4000, 24, 1  # that the numbers rest on; that the picture shows, about; of the arrivals
LETTER = 6.6  # width of one, about


def _ink(colour: str) -> str:
    """Black or white, whichever is read better on a colour."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#15191e" if 0.299 * red + 0.587 * green + 0.114 * blue > 130 else "#ffffff"


DARK = ':is([data-jp-theme-light="false"], [data-theme="dark"])'
FIGURE = 'role="figure" tabindex="0" class="walk-figure pagecost-energy"'  # it scrolls, so that keys must reach it
CSS = (
    ".pagecost-energy { max-width: 760px; overflow-x: auto; }"
    ".pagecost-energy { color: var(--ink, var(--jp-ui-font-color1, currentColor)); }"
    ".pagecost-energy svg { display: block; width: 100%; min-width: 680px; height: auto; }"
    ".pagecost-energy svg { font: 12px system-ui, sans-serif; }"
    ".pagecost-energy text { fill: currentColor; font-variant-numeric: tabular-nums; }"
    ".pagecost-energy .name { font-weight: 600; }"
    ".pagecost-energy .grid { stroke: currentColor; opacity: .2; fill: none; }"
    ".pagecost-energy .idle { fill: #E69F00; } .pagecost-energy .load { fill: #0072B2; }"
    ".pagecost-energy .mean { stroke: currentColor; stroke-width: 1.5; stroke-dasharray: 6 4; fill: none; }"
    ".pagecost-energy .part { stroke: var(--ground, var(--jp-layout-color0, #fff)); stroke-width: 1.5; }"
    f"{DARK} .pagecost-energy .load {{ fill: #56B4E9; }}"
) + "".join(
    f"{ground} .c{slot} {{ fill: {colour}; }} {ground} .c{slot} + text {{ fill: {_ink(colour)}; }}"
    for dark, ground in ((False, ".pagecost-energy"), (True, f"{DARK} .pagecost-energy"))
    for slot, colour in enumerate(style.stack_colours(dark))
)


class Powered(NamedTuple):
    """A device and its power over time."""

    title: str
    course: Course

    @property
    def said(self) -> str:
        """What it came to, in a line."""
        course, requests = self.course, len(self.course.starts_s)
        return (
            f"{_percent(course.busy)} of the time at work: {format_si(course.mean_w, 'W')} on average, "
            f"{format_si((course.active_j + course.idle_j) / requests, 'J')} a request, "
            f"{format_si(course.idle_j / requests, 'J')} of it while nothing was to be done"
        )


def powered(name: str, rate_hz: float, seed: int = SEED) -> Powered:
    """A device under rate_hz random reads of 4 KiB a second at random times (Poisson).

    Raises ModelError for a rate that is no number above 0, and where the device cannot keep up.
    """
    is_rate = isinstance(rate_hz, int | float) and not isinstance(rate_hz, bool) and 0 < rate_hz < math.inf
    require(is_rate, f"requests a second must be a number above 0; got {rate_hz!r}")
    device = catalogue.device(name)
    power, service_s = power_of(device), float(devices.model_of(device).service("random read", energy.FOUR_KIB).total_s)
    require(
        rate_hz * service_s < 1,
        f"{title_of(name)} does {1 / service_s:.0f} random reads a second, and {rate_hz:g} are asked for",
    )
    dice, now_s, arrivals_s = random.Random(seed), 0.0, []
    for _ in range(REQUESTS):
        now_s += dice.expovariate(rate_hz)
        arrivals_s.append(now_s)
    return Powered(title_of(name), energy.course(power.idle_w, power.active_w, arrivals_s, service_s))


def power_drawing(devices: Sequence[Powered], window_s: float) -> str:
    """Power over the first seconds of each device, all on one scale: areas are energy."""
    most_w = max(each.course.active_w for each in devices)
    height = len(devices) * (HEAD + ROW + FOOT) + AXIS
    rows = "".join(_power_row(each, place, window_s, most_w) for place, each in enumerate(devices))
    words = html.escape("Power over time. " + " ".join(f"{each.title}: {each.said}." for each in devices), quote=True)
    return (
        f'<div {FIGURE} aria-label="{words}"><style>{CSS}</style>'
        f'<svg viewBox="0 0 {WIDTH} {height}" aria-hidden="true">{_legend()}{rows}'
        f"{_time_axis(height - AXIS - 4, window_s)}</svg></div>"
    )


def _legend() -> str:
    parts = [("load", "at work"), ("idle", "idle")]
    squares = "".join(
        f'<rect class="{name}" x="{WIDTH - 210 + 76 * at}" y="5" width="12" height="12"/>'
        f'<text x="{WIDTH - 194 + 76 * at}" y="15">{text}</text>'
        for at, (name, text) in enumerate(parts)
    )
    return f'{squares}<path class="mean" d="M{WIDTH - 76} 11h22"/><text x="{WIDTH - 48}" y="15">mean</text>'


def _power_row(device: Powered, place: int, window_s: float, most_w: float) -> str:
    course = device.course
    top = place * (HEAD + ROW + FOOT) + HEAD
    floor = top + ROW

    def tall(watts: float) -> float:
        return (ROW - 6) * watts / most_w

    wide = (WIDTH - LEFT - RIGHT) / window_s
    parts = [_bar("idle", LEFT, WIDTH - LEFT - RIGHT, floor, tall(course.idle_w))]
    shown = course.starts_s < window_s
    for start, end in _joined(course.starts_s[shown], course.ends_s[shown]):
        across = LEFT + wide * start
        width = max(wide * (min(end, window_s) - start), LEAST_WIDE)
        parts.append(_bar("load", across, width, floor, tall(course.active_w)))
    mean = floor - tall(course.mean_w)
    parts.append(f'<path class="mean" d="M{LEFT} {mean:.1f}H{WIDTH - RIGHT}"/>')
    for watts in (0.0, most_w / 2, most_w):
        at = floor - tall(watts)
        parts.append(f'<path class="grid" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{format_si(watts, "W")}</text>')
    states = f"{format_si(course.active_w, 'W')} at work, {format_si(course.idle_w, 'W')} idle"
    return (
        f'<text x="{LEFT}" y="{top - 8}"><tspan class="name">{html.escape(device.title)}</tspan> · {states}</text>'
        f'{"".join(parts)}<text x="{LEFT}" y="{floor + 18}">{html.escape(device.said)}</text>'
    )


def _joined(starts_s, ends_s) -> list[tuple[float, float]]:
    """Requests that follow each other without a pause are one piece of work."""
    found: list[tuple[float, float]] = []
    for start, end in zip(starts_s.tolist(), ends_s.tolist(), strict=True):
        if found and start <= found[-1][1] * (1 + 1e-12):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _bar(name: str, left: float, width: float, floor: float, height: float) -> str:
    return f'<rect class="{name}" x="{left:.2f}" y="{floor - height:.2f}" width="{width:.2f}" height="{height:.2f}"/>'


def _time_axis(top: float, window_s: float) -> str:
    ticks = []
    for part in range(5):
        across, at_s = LEFT + (WIDTH - LEFT - RIGHT) * part / 4, window_s * part / 4
        anchor = ("start", "middle", "middle", "middle", "end")[part]
        said = format_seconds(at_s) if part else "0 s"
        ticks.append(f'<text x="{across:.1f}" y="{top + 14}" text-anchor="{anchor}">{said}</text>')
    return "".join(ticks)


class Cut(NamedTuple):
    """What a dollar of a system's cost is spent on. parts: label -> amount, none negative; total: as it is written."""

    title: str
    parts: Mapping[str, float]
    total: str

    @property
    def cents(self) -> dict[str, float]:
        """Label -> cents of the dollar, of what is paid at all."""
        whole = sum(self.parts.values())
        return {label: 100 * amount / whole for label, amount in self.parts.items() if amount > 0}

    @property
    def said(self) -> str:
        """The dollar in words, the largest part first."""
        parts = sorted(self.cents.items(), key=lambda part: -part[1])
        return ", ".join(f"{_cents(cents)} for {label}" for label, cents in parts)


def dollar_drawing(dollars: Sequence[Cut], labels: Sequence[str]) -> str:
    """A banknote for each system, cut into what its dollar pays for. labels: of all parts, each with a colour."""
    if not dollars:
        words = "What these systems cost is not known: of none are both price and power known."
        return f'<div {FIGURE} aria-label="{words}"><style>{CSS}</style><p>{words}</p></div>'
    height = len(dollars) * (NAME + NOTE + GAP)
    rows = "".join(_dollar(each, place, labels) for place, each in enumerate(dollars))
    words = html.escape(" ".join(f"A dollar of {each.title}: {each.said}." for each in dollars), quote=True)
    return (
        f'<div {FIGURE} aria-label="{words}"><style>{CSS}</style>'
        f'<svg viewBox="0 0 {WIDTH} {height}" aria-hidden="true">{rows}</svg></div>'
    )


PARTS = list(TERMS.values())
"""What a dollar of `total_cost` pays for, as its chart names it."""


def cuts(inputs, result: Result) -> tuple[Cut, ...]:
    """The dollars of an answer of `total_cost`, without those of systems that cost nothing that is known."""
    made = result.tables.get(MADE_OF)
    found = (_cut(inputs, result, made, row) for row in range(len(made))) if made else ()
    return tuple(cut for cut in found if sum(cut.parts.values()) > 0)


def _cut(inputs, result: Result, made: Table, row: int) -> Cut:
    """The dollar of a row of the table that says what the costs are made of."""
    (system,) = result.rows(device=made["device"][row])
    total = format_cell(float(made["total"][row]), inputs.money.code)
    return Cut(
        f"{result['count'][system]:.0f} × {made.columns['device'].cell(row)}",
        {label: float(made[part][row]) for part, label in TERMS.items()},
        f"{total} in {format_years(inputs.years)}",
    )


def _dollar(cut: Cut, number: int, labels: Sequence[str]) -> str:
    top = number * (NAME + NOTE + GAP) + NAME
    parts, left = [], 0.0
    for label in labels:
        cents = cut.cents.get(label, 0.0)
        if not cents:
            continue
        wide, middle = (WIDTH - 2) * cents / 100, 1 + left + (WIDTH - 2) * cents / 200
        told = f"{label}, {_cents(cents)}"
        shown = next((text for text in (told, _cents(cents)) if wide >= LETTER * len(text) + 12), "")
        place = f'x="{1 + left:.1f}" y="{top}" width="{wide:.1f}" height="{NOTE}"'
        parts.append(
            f'<rect class="part c{labels.index(label)}" {place}/>'
            f'<text x="{middle:.1f}" y="{top + NOTE / 2 + 4}" text-anchor="middle">{shown}</text>'
        )
        left += wide
    return (
        f'<text x="1" y="{top - 6}"><tspan class="name">{html.escape(cut.title)}</tspan> · {html.escape(cut.total)}'
        f'</text>{"".join(parts)}<text x="1" y="{top + NOTE + 17}">{html.escape(cut.said)}</text>'
    )


def _cents(cents: float) -> str:
    return f"{cents:.2g} ¢" if cents < 10 else f"{cents:.3g} ¢"


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.4g} %"
