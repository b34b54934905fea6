"""Units: the one conversion from published units to SI and bytes, and short texts for people.

Binary and decimal are told apart by symbol: `KiB MiB GiB TiB` are powers of 1024 (pages, blocks, caches, memories),
`kB MB GB TB PB` powers of 1000 (drive capacities, rates). A year has 365 days.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from pagecost.errors import known, require

TEXT = "text"  # the unit of a parameter that is words, not a number

_YEAR_S = 365 * 86400.0


class Unit(NamedTuple):
    """What a unit measures, and its size in SI as times / over, both exact."""

    dimension: str
    times: float
    over: float = 1.0

    @property
    def si(self) -> float:
        """One of this unit in SI."""
        return self.times / self.over


UNITS: dict[str, Unit] = {
    "1": Unit("number", 1.0),
    "s": Unit("time", 1.0),
    "ms": Unit("time", 1.0, 1e3),
    "us": Unit("time", 1.0, 1e6),
    "µs": Unit("time", 1.0, 1e6),
    "ns": Unit("time", 1.0, 1e9),
    "min": Unit("time", 60.0),
    "h": Unit("time", 3600.0),
    "day": Unit("time", 86400.0),
    "year": Unit("time", _YEAR_S),
    "B": Unit("bytes", 1.0),
    "kB": Unit("bytes", 1e3),
    "MB": Unit("bytes", 1e6),
    "GB": Unit("bytes", 1e9),
    "TB": Unit("bytes", 1e12),
    "PB": Unit("bytes", 1e15),
    "KiB": Unit("bytes", 2.0**10),
    "MiB": Unit("bytes", 2.0**20),
    "GiB": Unit("bytes", 2.0**30),
    "TiB": Unit("bytes", 2.0**40),
    "B/s": Unit("rate", 1.0),
    "kB/s": Unit("rate", 1e3),
    "MB/s": Unit("rate", 1e6),
    "GB/s": Unit("rate", 1e9),
    "Mbit/s": Unit("rate", 1e6, 8.0),
    "TB/year": Unit("rate", 1e12, _YEAR_S),
    "Hz": Unit("frequency", 1.0),
    "1/s": Unit("frequency", 1.0),
    "rpm": Unit("frequency", 1.0, 60.0),
    "W": Unit("power", 1.0),
    "mW": Unit("power", 1.0, 1e3),
    "J": Unit("energy", 1.0),
    "mJ": Unit("energy", 1.0, 1e3),
    "uJ": Unit("energy", 1.0, 1e6),
    "µJ": Unit("energy", 1.0, 1e6),
    "kWh": Unit("energy", 3.6e6),
    "m": Unit("length", 1.0),
    "cm": Unit("length", 1.0, 1e2),
    "µm": Unit("length", 1.0, 1e6),
    "in": Unit("length", 254.0, 1e4),
    "1/in": Unit("per length", 1e4, 254.0),
    "ft2": Unit("area", 0.3048**2),
    "1/J": Unit("per energy", 1.0),
    "USD": Unit("money", 1.0),
    "USD/GB": Unit("money per bytes", 1.0, 1e9),
    "USD/kWh": Unit("money per energy", 1.0, 3.6e6),
    "USD s": Unit("money per rate", 1.0),
    "1/s/GB": Unit("rate per bytes", 1.0, 1e9),
}
"""Every unit that a number of a dataset, a column or a fact may have."""


def to_si(value: float, unit: str) -> float:
    """`value` in `unit` as SI (seconds, bytes, bytes/s, Hz, W, J, m). ModelError if the unit is not in `UNITS`."""
    _, times, over = UNITS[known("unit", unit, UNITS)]
    return _times(value, times, over)


def from_si(value: float, unit: str) -> float:
    """An SI value in `unit`: the inverse of `to_si`. ModelError if the unit is not in `UNITS`."""
    _, times, over = UNITS[known("unit", unit, UNITS)]
    return _times(value, over, times)


def dimension(unit: str) -> str:
    """What `unit` measures: time, bytes, rate, frequency, power, … ModelError if the unit is not in `UNITS`."""
    return UNITS[known("unit", unit, UNITS)].dimension


def format_bytes(count: float) -> str:
    """Bytes in words: binary where that is round (4 KiB, 1.5 MiB), else decimal (80 GB). count [B] >= 0."""
    require(count >= 0, f"a number of bytes must not be negative; got {count}")
    for symbol in ("TiB", "GiB", "MiB", "KiB"):
        scaled = count / UNITS[symbol].si
        if scaled >= 1:
            if float(f"{scaled:.3g}") == scaled:  # 160 kB is 156.25 KiB, which three digits cannot say
                return f"{_three_digits(scaled)} {symbol}"
            break
    return _scaled(count, ("PB", "TB", "GB", "MB", "kB", "B"))


def format_seconds(seconds: float) -> str:
    """A duration in words, three digits: 250 µs, 12.4 ms, 1.5 s, 5.47 years. seconds [s], any sign."""
    if abs(seconds) < 120:
        return _scaled(seconds, ("s", "ms", "µs", "ns"))
    text = _scaled(seconds, ("year", "day", "h", "min"))
    return f"{text}s" if text.endswith(("year", "day")) and not text.startswith("1 ") else text


def format_si(value: float, unit: str) -> str:
    """An SI value in words, three digits and a fitting prefix: 250 MB/s, 9.4 µJ, 60 mW, 35 000 1/s.

    unit: one of B, s, B/s, J, W, which are scaled; with any other the number is written out.
    """
    if unit == "B":
        return format_bytes(value)
    if unit == "s":
        return format_seconds(value)
    if unit in _STEPS:
        return _scaled(value, _STEPS[unit])
    number = _three_digits(value)
    return number if unit in ("", "1") else f"{number} {_SPOKEN.get(unit, unit)}"


# The end of a name says what it measures, in which unit. Longest first; any other name is a plain number.
SUFFIXES = {
    "_bytes_per_s": "B/s",
    "_bytes": "B",
    "_iops": "1/s",
    "_hz": "1/s",
    "_usd": "USD",
    "_s": "s",
    "_w": "W",
    "_j": "J",
    "_m": "m",
}


def unit_of(name: str) -> str:
    """The SI unit that the end of a name says: "B" for page_bytes, "s" for time_s, "1" where it says none."""
    return next((unit for suffix, unit in SUFFIXES.items() if name.endswith(suffix)), "1")


def known_unit(unit: str) -> str:
    """`unit`, if it is one of `UNITS` or `TEXT`; else a ModelError that lists them."""
    return known("unit", unit, (*UNITS, TEXT))


def format_cell(value, unit: str) -> str:
    """A value of a table as every face shows it: three digits and a fitting prefix, whole counts whole, – for unknown.

    value: a number, a truth, a text, or None or nan where it is not known. unit: of `UNITS`, in which the value is
    given, or `TEXT`. Raises ModelError for another unit.
    """
    if value is None or value != value:
        return "–"
    if unit == TEXT:
        return str(value)
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞"
    value, what = float(value), dimension(unit)
    if what == "time":
        return format_seconds(value if unit == "s" else to_si(value, unit))
    if what == "money":
        return _money(value)
    if unit in ("1", "1/s") and value == int(value) and abs(value) < 1e15:
        whole = f"{int(value):,}".replace(",", THIN)
        return whole if unit == "1" else f"{whole} 1/s"
    if unit == "1" and abs(value) < 1e15:
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}".replace(",", THIN)
    return format_si(value, unit)


def _money(dollars: float) -> str:
    """Dollars as people write them: 271 210 $, 4.99 $, 0.0031 $."""
    if abs(dollars) >= 100:
        return f"{dollars:,.0f} $".replace(",", THIN)
    return f"{dollars:.2f} $" if abs(dollars) >= 1 else f"{dollars:.3g} $"


THIN = "\N{NARROW NO-BREAK SPACE}"
_SPOKEN = {"USD/GB": "$/GB", "USD/kWh": "$/kWh", "USD s": "$ per 1/s"}
_STEPS = {"B/s": ("GB/s", "MB/s", "kB/s", "B/s"), "J": ("J", "mJ", "µJ"), "W": ("W", "mW")}


def _times(value: float, times: float, over: float) -> float:
    """value · times / over in decimal, rounded once: 8.2 ms is 0.0082 s, not 0.008199999999999999 s."""
    return float(Decimal(str(float(value))) * Decimal(times) / Decimal(over))


def _scaled(value: float, symbols: Sequence[str]) -> str:
    """`value` [SI] in the largest of `symbols` (falling) in which it is at least 1 after rounding to three digits."""
    if value == 0:
        base = next(symbol for symbol in symbols if UNITS[symbol].si == min(1.0, UNITS[symbols[0]].si))
        return f"0 {base}"
    for symbol in symbols:
        scaled = float(f"{value / UNITS[symbol].si:.3g}")
        if abs(scaled) >= 1:
            break
    return f"{_three_digits(scaled)} {symbol}"


def _three_digits(value: float) -> str:
    """Three significant digits, no exponent where it can be avoided, thousands set apart by a narrow space."""
    rounded = float(f"{value:.3g}")
    if rounded == 0 or 1e-4 <= abs(rounded) < 1e15:
        return f"{rounded:,.10f}".rstrip("0").rstrip(".").replace(",", THIN)
    return f"{rounded:.3g}"
