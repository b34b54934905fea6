"""What the parts of an SSD do at once: `dies_in_time("intel-x25-e", depths=(1, 8))`, a row for each of them."""

from collections.abc import Sequence

from pagecost import catalogue
from pagecost.answers.ssd_runs import ssd_of
from pagecost.devices import title_of
from pagecost.devices.ssd.told import CELLS, CHANNEL, INTERFACE, Told, reads
from pagecost.errors import require
from pagecost.planner.words import percent
from pagecost.units import format_bytes, format_seconds
from pagecost_app.pictures.drawing import WIDTH, Picture, box, line, text

LEFT, RIGHT, ROW, BAR, HEAD, BELOW = 110, 16, 20, 13, 40, 34  # pixels
MOST_DIES, MOST_PANELS = 24, 3
KIND = {INTERFACE: "box", CELLS: "one", CHANNEL: "two"}


def dies_in_time(device: str = "intel-x25-e", depths: Sequence[int] = (1, 8), requests: int = 16) -> Picture:
    """The same random reads with so many outstanding at all times: host interface and dies over one axis of time.

    Raises ModelError for an SSD whose chips are not known or that has more dies than a picture, and as `reads` does.
    """
    asked = tuple(depths) if isinstance(depths, Sequence) and not isinstance(depths, str) else (depths,)
    for what, number in (("requests", requests), *(("a queue depth", depth) for depth in asked)):
        whole = isinstance(number, int) and not isinstance(number, bool)
        require(whole, f"{what} must be a whole number; got {number!r}")
    require(1 <= len(asked) <= MOST_PANELS, f"1..{MOST_PANELS} queue depths can be drawn; got {len(asked)}")
    ssd = ssd_of(catalogue.device(device))
    require(ssd.dies <= MOST_DIES, f"{ssd.name}: {ssd.dies} dies are too many to be drawn; at most {MOST_DIES}")
    found = [reads(ssd, depth, requests) for depth in asked]
    longest_s = max(told.end_s for told in found)
    drawn, said, top = [], [], 0.0
    for depth, told in zip(asked, found, strict=True):
        drawn += _panel(told, depth, ssd.dies, top, longest_s)
        top += HEAD + ROW * (ssd.dies + 1) + BELOW
        interface, cells = percent(told.busy_share(INTERFACE)), percent(told.busy_share(CELLS, ssd.dies))
        said.append(
            f"With {depth} outstanding they take {format_seconds(told.end_s)}: the host interface is busy for "
            f"{interface} of it, a die's cells for {cells}."
        )
    words = f"{requests} random reads of {format_bytes(ssd.unit_bytes)} on {title_of(device)}. {' '.join(said)}"
    return Picture("".join(drawn), top, words)


def _panel(told: Told, depth: int, dies: int, top: float, longest_s: float) -> list[str]:
    scale = (WIDTH - LEFT - RIGHT) / longest_s
    rows = {die: top + HEAD + ROW * (die + 1) for die in range(-1, dies)}
    end = LEFT + told.end_s * scale
    drawn = [text(0, top + 18, f"{depth} outstanding", "b"), *_legend(top + 18)]
    for die, y in rows.items():
        drawn += [
            text(0, y + 11, INTERFACE if die < 0 else f"die {die}", "m"),
            line(LEFT, y + BAR, end, y + BAR, "faint"),
        ]
    drawn += [
        box(LEFT + span.start_s * scale, rows[span.die], (span.end_s - span.start_s) * scale, BAR, KIND[span.what])
        for span in told.spans
    ]
    foot = rows[dies - 1] + ROW
    return [*drawn, line(end, top + HEAD, end, foot, "arrow"), text(end, foot + 14, format_seconds(told.end_s), "b e")]


def _legend(y: float) -> list[str]:
    """What the boxes are, to the right of a panel's name."""
    drawn, x = [], 250.0
    for what, kind in KIND.items():
        told = {CELLS: "cells are read", CHANNEL: "over the channel", INTERFACE: "over the host interface"}[what]
        drawn += [box(x, y - 11, 16, BAR, kind), text(x + 22, y, told, "m")]
        x += 180
    return drawn
