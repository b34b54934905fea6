"""Units: the one conversion from published units to SI and bytes, and short texts for people.

Binary and decimal are told apart by symbol: `KiB MiB GiB TiB` are powers of 1024 (pages, blocks, caches, memories),
`kB MB GB TB PB` powers of 1000 (drive capacities, rates). A year has 365 days.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from pagecost.errors import known, present, require

TEXT = "text"  # the unit of a parameter that is words, not a number

DAY_S = 86400.0
YEAR_S = 365 * DAY_S


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
    "day": Unit("time", DAY_S),
    "year": Unit("time", YEAR_S),
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
    "TB/year": Unit("rate", 1e12, YEAR_S),
    "Hz": Unit("frequency", 1.0),
    "kHz": Unit("frequency", 1e3),
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
    "kg": Unit("mass", 1.0),
    "kg/kWh": Unit("mass per energy", 1.0, 3.6e6),
    "1/s/GB": Unit("rate per bytes", 1.0, 1e9),
    "%": Unit("number", 1.0, 1e2),
}
"""Every unit that a number of a dataset, a column or a fact may have, but for the code of a currency."""


class Shown(NamedTuple):
    """In which units a person wants numbers shown. time: "ms", "µs" or "" for what fits; bytes: "GB" (powers of 1000),
    "GiB" (of 1024) or "" for what is rounder; usd_per_euro: dollars for one euro, 0 to leave dollars as they are."""

    time: str = ""
    bytes: str = ""
    usd_per_euro: float = 0.0


_AS_FITS = Shown()
_shown: ContextVar[Shown] = ContextVar("shown", default=_AS_FITS)


@contextmanager
def shown_in(choice: Shown) -> Iterator[None]:
    """Write numbers in these units while it lasts, in this thread. Inside everything stays SI."""
    before = _shown.set(choice)
    try:
        yield
    finally:
        _shown.reset(before)


class Money(NamedTuple):
    """The currency that amounts are shown in: its sign, its name in the plural, and how many dollars one of it is."""

    sign: str
    words: str
    usd_per_unit: float

    def of_usd(self, dollars):
        """Dollars, a number or an array, in this currency."""
        return dollars / self.usd_per_unit

    def cell(self, amount: float) -> str:
        """An amount of this currency as people write it: 271 210 $, 4.99 €."""
        return _amount(amount, self.sign)


def money() -> Money:
    """The currency that a person wants amounts of dollars in."""
    euro = _shown.get().usd_per_euro
    return Money("€", "euros", euro) if euro else Money("$", "dollars", 1.0)


def usd(amount: float | None) -> str:
    """Dollars in the currency that a person wants, with the digits that they have: 30 000 $, 0.35 $; – for None."""
    if amount is None:
        return format_cell(None, "USD")
    shown = money().of_usd(amount)
    text = f"{shown:,g}".replace(",", THIN)
    if "e" in text:
        text = grouped(shown) if abs(shown) >= 1000 else _written_out(shown)
    return f"{text} {money().sign}"


def is_currency(unit: str) -> bool:
    """Whether a text may be the code of a currency (ISO 4217): three capital letters."""
    return re.fullmatch("[A-Z]{3}", unit) is not None


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


_NUMBER = re.compile(r"([+-]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d{1,5})?)\s*(\D*)", re.ASCII)
_THOUSANDS = {"k": 1, "m": 2, "g": 3, "t": 4}  # k of bytes is 1024, as in page sizes and fio; of anything else 1000
_OFTEN_SMALL = ("time", "power", "energy")  # of which people write thousandths (and minutes) rather than millions
_EXAMPLE = "1000, 1k, 1e3 or 1_000"
SPELT = {"days": "day", "years": "year", "yrs": "year", "hours": "h", "minutes": "min", "sec": "s", "msec": "ms"}
"""Units as people spell them, and their symbols."""
_EXAMPLES = {
    "bytes": "4096, 4k, 4KiB or 4GB",
    "time": "0.25, 250ms or 2h",
    "rate": "250e6, 250MB/s or 2GB/s",
    "frequency": "1500, 1.5k or 7200rpm",
}


def quantity(text: str, unit: str = "1", what: str = "a value") -> float | int:
    """A number as people write it, in `unit`: `4k`, `4KiB`, `4GB`, `1e3`, `1_000`, `250 ms`, `70%`.

    unit: of `UNITS`; any other is a thing that is counted, such as "pages". An int where it is whole. A letter k, m, g
    or t alone means powers of 1024 of bytes and of 1000 of anything else. Capital letters do as well as small ones, but
    for M (mega) and m (milli) where both can be meant: m alone is refused of times, powers, energies and frequencies,
    M alone of all but the last. what: names the value in an error. Raises ModelError, one sentence, for a text that is
    no number, for an unknown unit or one that measures something else, and for a number that is too large.
    """
    own = UNITS.get(unit, UNITS["1"])
    measured = "number" if own.dimension == "number" else f"number of {own.dimension}"
    refusal = f"{what}: {text!r} is no {measured}; write it like {_EXAMPLES.get(own.dimension, _EXAMPLE)}"
    match = present(_NUMBER.fullmatch(text.strip().replace(THIN, "")), refusal)
    symbol = match[2].strip().replace("\u03bc", "\u00b5")  # the Greek letter for the sign of a millionth
    ambiguous = own.dimension == "bytes" and symbol.lower() == "kb" and symbol != "kB"
    require(not ambiguous, f"{what}: {text!r} may be thousands or 1024s of bytes; write kB or KiB")
    value = Decimal(match[1].replace("_", ""))
    unclear = symbol.lower() == "m" and own.dimension in _OFTEN_SMALL
    unclear = unclear or (symbol == "m" and own.dimension == "frequency")
    require(not unclear, f"{what}: {text!r} may be a thousandth or a million; write the unit in full, or e6")
    if symbol.lower() in _THOUSANDS and own.dimension != "length":
        value *= (1024 if own.dimension == "bytes" else 1000) ** _THOUSANDS[symbol.lower()]
    elif symbol == "%" and own.dimension == "number":
        value /= 100
    elif symbol:
        same = {name: each for name, each in UNITS.items() if each.dimension == own.dimension}
        names = {name.lower(): name for name in same} | SPELT
        meant = symbol if symbol in same else names.get(symbol.lower(), "")
        named = present(same.get(meant), refusal)
        mega = symbol[0] == "M" and meant[0] == "m" and meant[1:] in same
        require(not mega, f"{what}: {text!r} begins with M for a million, m is for a thousandth; write {meant}")
        value = value * Decimal(named.times) * Decimal(own.over) / (Decimal(named.over) * Decimal(own.times))
    require(abs(value) < Decimal("1e300"), f"{what}: {text!r} is too large")
    require(own.dimension != "bytes" or value >= 0, f"{what}: {text!r} is negative; bytes are counted from 0")
    return int(value) if abs(value) < Decimal("1e40") and value == int(value) else float(value)


def format_bytes(count: float, decimal: bool = False) -> str:
    """Bytes in words: binary where that is round (4 KiB, 1.5 MiB), else decimal (80 GB). count [B] >= 0.

    decimal: although it is round, for beside it stand others that are not (see `decimal_bytes`).
    """
    require(count >= 0, f"a number of bytes must not be negative; got {count}")
    binary = _shown.get().bytes == "GiB" if _shown.get().bytes else _is_round(count) and not decimal
    return _scaled(count, (*_BINARY, "B") if binary else ("PB", "TB", "GB", "MB", "kB", "B"))


def _is_round(count: float) -> bool:
    """Whether three digits say a number of bytes in binary: 160 kB is 156.25 KiB, which they cannot."""
    scaled = next((count / UNITS[symbol].si for symbol in _BINARY if count >= UNITS[symbol].si), math.nan)
    return float(f"{scaled:.3g}") == scaled


def decimal_bytes(counts: Iterable[float]) -> bool:
    """Whether numbers of bytes [B] that stand beside each other are all shown decimal: half of them are not round.

    Those below 1 KiB, and what is not known, have no say.
    """
    large = [count for count in counts if 1024 <= count < math.inf]
    return 2 * sum(map(_is_round, large)) <= len(large)


def bytes_alike(counts: Iterable[float]) -> Callable[[float], str]:
    """`format_bytes` for numbers of bytes [B] that stand beside each other, in one system of units."""
    return partial(format_bytes, decimal=decimal_bytes(counts))


def format_years(years: float) -> str:
    """How long is planned for, as it was said: 1 year, 5 years, 0.5 years. years: at least 0."""
    return f"{years:g} year{'s' * (years != 1)}"


def format_seconds(seconds: float) -> str:
    """A duration in words, three digits: 250 µs, 12.4 ms, 1.5 s, 5.47 years. seconds [s], any sign."""
    wanted = _shown.get().time
    if wanted and abs(seconds) < 120:
        return f"{_three_digits(from_si(seconds, wanted))} {wanted}"
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
    "_kg": "kg",
    "_s": "s",
    "_w": "W",
    "_j": "J",
    "_m": "m",
}


def unit_of(name: str) -> str:
    """The SI unit that the end of a name says: "B" for page_bytes, "s" for time_s, "1" where it says none.

    Of what is said per another unit, such as usd_per_iops, only bytes and plain numbers per second have one here.
    """
    found = next(((suffix, unit) for suffix, unit in SUFFIXES.items() if f"_{name}".endswith(suffix)), ("", "1"))
    over, _, below = name.rpartition("_per_")
    if not over or "_" in below or found[1] == "B/s":
        return found[1]
    return "1/s" if below == "s" and unit_of(over) == "1" else "1"


def known_unit(unit: str) -> str:
    """`unit`, if it is one of `UNITS`, `TEXT` or a currency; else a ModelError that lists them."""
    return unit if is_currency(unit) else known("unit", unit, (*UNITS, TEXT))


def format_cell(value, unit: str, decimal: bool = False) -> str:
    """A value of a table as every face shows it: three digits and a fitting prefix, whole counts whole, – for unknown.

    value: a number, a truth, a text, or None or nan where it is not known. unit: of `UNITS`, in which the value is
    given, a currency, or `TEXT`. decimal: as of `format_bytes`. Raises ModelError for another unit.
    """
    if value is None or value != value:
        return _not_finite(math.nan)
    if unit == TEXT:
        return str(value)
    if isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b":  # NumPy's own
        return "yes" if value else "no"
    if not math.isfinite(value):
        return _not_finite(value)
    value, what = float(value), "money" if is_currency(unit) else dimension(unit)
    if what == "time":
        return format_seconds(value if unit == "s" else to_si(value, unit))
    if unit == "B":
        return format_bytes(value, decimal)
    if what == "money":
        return money().cell(money().of_usd(value)) if unit == "USD" else _amount(value, unit)
    if what.startswith("money per"):
        return f"{_three_digits(money().of_usd(value))} {spoken(unit)}"
    if unit in ("1", "1/s") and value == int(value) and abs(value) < 1e15:
        whole = grouped(int(value))
        return whole if unit == "1" else f"{whole} 1/s"
    if unit == "1" and abs(value) < 1e15:
        return _written_out(float(f"{value:.4g}")) if abs(value) < 1000 else grouped(value)
    return format_si(value, unit)


def spoken(unit: str) -> str:
    """A unit as people read it: dollars, and what is per dollar, in the currency that they want, else as it is."""
    return ({"USD": "$"} | _SPOKEN).get(unit, unit).replace("$", money().sign)


def in_wanted(value: float, unit: str) -> float:
    """A value in the unit that `spoken` names: dollars in the currency that a person wants, any other as it is."""
    return money().of_usd(value) if unit in UNITS and dimension(unit).startswith("money") else value


def _not_finite(value: float) -> str:
    """What is not known, or without end, in words."""
    if math.isnan(value):
        return "–"
    return "∞" if value > 0 else "-∞"


def grouped(count: float) -> str:
    """A whole number as people read it, thousands set apart by a narrow space: 10 000."""
    return f"{count:,.0f}".replace(",", THIN)


def so_many(count: float, one: str, many: str = "") -> str:
    """So many things with their noun, and what else goes by number: 1 line, 10 000 lines, 1 page is, 2 pages are.

    one, many: the words behind 1 and behind any other number; without many the plural of one is with an s.
    """
    return f"{grouped(count)} {one if count == 1 else many or one + 's'}"


def _amount(amount: float, sign: str) -> str:
    """An amount as people write it: 271 210 $, 4.99 EUR, 0.0031 $."""
    if abs(amount) >= 100:
        return f"{grouped(amount)} {sign}"
    if abs(amount) >= 1:
        return f"{amount:.2f} {sign}"
    return f"{_written_out(float(f'{amount:.3g}'))} {sign}"


THIN = "\N{NARROW NO-BREAK SPACE}"
_SPOKEN = {"USD/GB": "$/GB", "USD/kWh": "$/kWh", "USD s": "$ per 1/s"}
_BINARY = ("TiB", "GiB", "MiB", "KiB")
_STEPS = {"B/s": ("GB/s", "MB/s", "kB/s", "B/s"), "J": ("J", "mJ", "µJ"), "W": ("W", "mW")}


def _times(value: float, times: float, over: float) -> float:
    """value · times / over in decimal, rounded once: 8.2 ms is 0.0082 s, not 0.008199999999999999 s."""
    return float(Decimal(str(float(value))) * Decimal(times) / Decimal(over))


def _scaled(value: float, symbols: Sequence[str]) -> str:
    """`value` [SI] in the largest of `symbols` (falling) in which it is at least 1 after rounding to three digits.

    What is no finite number has no unit, as in `format_cell`.
    """
    if not math.isfinite(value):
        return _not_finite(value)
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
        return _written_out(rounded)
    return f"{rounded:.3g}"


def _written_out(rounded: float) -> str:
    """What is rounded already, without an exponent, down to what nobody pays."""
    if 0 < abs(rounded) < 1e-12:
        return f"{rounded:.3g}"
    places = 10 if abs(rounded) >= 1e-4 else 15
    return f"{rounded:,.{places}f}".rstrip("0").rstrip(".").replace(",", THIN)
