"""How long something lives, on an axis: in years, or where nothing drawn lives a year in days or hours."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from pagecost.units import DAY_S, YEAR_S, format_seconds, to_si


class Unit(NamedTuple):
    """What an axis of lives counts: its name in the plural, and one of it [s]."""

    name: str
    seconds: float


UNITS = (Unit("years", YEAR_S), Unit("days", DAY_S), Unit("hours", to_si(1, "h")))


def unit_of(lives_s: Iterable[float]) -> Unit:
    """The largest unit that the longest of these lives [s] reaches.

    Years where all are endless or, as 0 or nan, not known.
    """
    known = [life for life in lives_s if np.isfinite(life) and life > 0]
    longest_s = max(known, default=YEAR_S)
    return next((unit for unit in UNITS if longest_s >= unit.seconds), UNITS[-1])


def span(life_s: float, low_s: float, high_s: float) -> str:
    """A life with what it may be, where that is to be seen: 16.2 (15.9 to 16.5) years. All in seconds."""
    unit = unit_of([life_s])
    life, low, high = (f"{each / unit.seconds:.3g}" for each in (life_s, low_s, high_s))
    return format_seconds(life_s) if low == high else f"{life} ({low} to {high}) {unit.name}"
