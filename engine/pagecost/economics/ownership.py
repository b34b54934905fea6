"""What it costs to own devices over the years: bought, powered, replaced, grown and discounted, in closed form.

One code for a slider and for many plans at once: every number of a `Holding` may be an array, one value per plan.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf, nan
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from pagecost.economics.cost import KWH_J
from pagecost.errors import ModelError, require
from pagecost.units import YEAR_S, is_currency

MOST_YEARS = 100.0
MOST_LIVES = 10_000  # of a device one after the other
HOME = "USD"
"""The currency of the catalogue's prices."""
LEAST_RATE, MOST_RATE = 1e-9, 1e9
"""Dollars for one of a currency, beyond any there is."""
EXACT = 1e-12  # rounding, where a number should be whole
KWH_PER_WATT_YEAR = YEAR_S / KWH_J

Numbers: TypeAlias = float | np.ndarray
Amount = TypeVar("Amount", float, np.ndarray)


def currency_code(text: str) -> str:
    """The text, if it can be the code of a currency. Raises ModelError else."""
    require(is_currency(text), f"unknown currency {text!r}: write its three capital letters (ISO 4217), such as EUR")
    return text


@dataclass(frozen=True)
class Currency:
    """code: three capital letters. usd_per_unit: dollars for one of it, 1e-9..1e9, as its user says; no list has it."""

    code: str = HOME
    usd_per_unit: float = 1.0

    def __post_init__(self):
        currency_code(self.code)
        require(
            LEAST_RATE <= self.usd_per_unit <= MOST_RATE,
            f"{self.code}: the dollars for one of it must be {LEAST_RATE:g}..{MOST_RATE:g}; got {self.usd_per_unit:g}",
        )
        require(
            self.code != HOME or self.usd_per_unit == 1,
            f"{HOME}: a dollar is one dollar; got {self.usd_per_unit:g}",
        )

    @classmethod
    def read(cls, text: str) -> "Currency":
        """From "USD", or "EUR=1.08": dollars for one euro. ModelError for an unknown one, or one without its rate."""
        code, _, rate = (part.strip() for part in text.partition("="))
        if code == HOME and not rate:
            return cls()
        currency_code(code)  # what is said of it comes first
        try:
            return cls(code, float(rate))
        except ModelError:
            raise
        except ValueError:
            raise ModelError(
                f"{code}: its rate is not known; write the dollars for one of it, such as {code}=1.08; got {text!r}"
            ) from None

    def of_usd(self, dollars: Amount) -> Amount:
        """Dollars in this currency."""
        return dollars / self.usd_per_unit

    def to_usd(self, amount: Amount) -> Amount:
        """An amount of this currency in dollars."""
        return amount * self.usd_per_unit


@dataclass(frozen=True, kw_only=True)
class Terms:
    """For how long, and at which prices; each may be an array over plans, but the currency.

    horizon_s [s], at most a hundred years. price_per_kwh: of `currency`, as all amounts. power_usage_effectiveness:
    all energy over that of the devices, at least 1. discount_per_year: by what share a later year's money counts less.
    growth_per_year: by what share volume and load are more each year, from its first day on. spare_share: devices
    bought beside those that work, each time. failures_per_year: chance of a device to fail in a year, replaced at its
    price (its wear goes on as before, so what is worn is a bound from above). carbon_kg_per_kwh: None: left out.
    Raises ModelError for values outside their ranges, and for those that are no number.
    """

    horizon_s: Numbers
    price_per_kwh: Numbers
    power_usage_effectiveness: Numbers = 1.0
    discount_per_year: Numbers = 0.0
    growth_per_year: Numbers = 0.0
    spare_share: Numbers = 0.0
    failures_per_year: Numbers = 0.0
    carbon_kg_per_kwh: Numbers | None = None
    currency: Currency = Currency()  # frozen

    def __post_init__(self):
        require(not np.isnan(self.horizon_s).any(), "the horizon must be a number of seconds; got nan")
        _within("the horizon [s]", self.horizon_s, 0, MOST_YEARS * YEAR_S)
        _stated("the price of energy", self.price_per_kwh, 0)
        _stated("PUE, all energy over that of the devices,", self.power_usage_effectiveness, 1)
        _stated("the discount of a year", self.discount_per_year, 0, 10)
        _stated("the growth of a year", self.growth_per_year, -0.99, 10)
        _stated("the share of spare devices", self.spare_share, 0, 10)
        _stated("failures of a device in a year", self.failures_per_year, 0, 1e3)
        if self.carbon_kg_per_kwh is not None:
            _stated("the carbon of a kWh [kg]", self.carbon_kg_per_kwh, 0)


@dataclass(frozen=True)
class Holding:
    """Equal devices; every number may be an array over plans, nan where it is not known.

    count: how many, at the start. price, mean_w, embodied_kg (carbon): of one device. worn_s: when one is worn out by
    the load of the start and bought anew, infinite: never. idle_w: of one device, where mean_w rises above it with the
    load; None: power does not depend on the load. wanted: how many the load of the start would fill, a fraction, at
    most count: growth first fills what is there; None: count. data: how many the data of the start would fill without
    redundancy, a fraction. together: copies of the data, and devices are added so many at a time. parities: devices
    beside the data in each group of `group`, begun ones too. Raises ModelError for values outside their ranges.
    """

    count: Numbers
    price: Numbers
    mean_w: Numbers
    worn_s: Numbers = inf
    embodied_kg: Numbers = nan
    idle_w: Numbers | None = None
    wanted: Numbers | None = None
    data: Numbers = 0.0
    together: Numbers = 1
    parities: Numbers = 0
    group: Numbers = 8

    def __post_init__(self):
        _within("the number of devices", self.count, 0)
        _within("the price of a device", self.price, 0)
        _within("the mean power of a device [W]", self.mean_w, 0)
        _within("the carbon of making a device [kg]", self.embodied_kg, 0)
        _within("devices added at a time", self.together, 1)
        require(
            not np.any(np.asarray(self.worn_s) <= 0),
            f"the time until worn out must be above 0 s; got {np.min(self.worn_s):g}",
        )
        if self.idle_w is not None:
            _within("the idle power of a device [W]", self.idle_w, 0)
        if self.wanted is not None:
            _within("devices that the load fills", self.wanted, 0)
        _within("devices that the data fill", self.data, 0)
        require(
            not np.any(np.asarray(self.group) <= self.parities),
            f"a group has more devices than parities, {np.max(self.parities):g}; got {np.min(self.group):g}",
        )

    def needed(self, load: Numbers) -> np.ndarray:
        """Devices for so many times the load and the data of the start."""
        wanted = np.asarray(self.count if self.wanted is None else np.minimum(self.wanted, self.count), float)
        data = _ceil(np.asarray(self.data) * load)
        parities = self.parities * np.ceil(data / (np.asarray(self.group) - self.parities))
        return np.maximum(_whole(wanted * load, self.together), data * self.together + parities)


@dataclass(frozen=True, eq=False)
class Owned:
    """Money of the horizon in the terms' currency, discounted to its start, each of the plans' shape.

    purchase: devices at the start. growth: those added later. spares: those beside them, whenever bought. worn,
    failed: those bought in place of others. energy. by_year: each of these -> (years, plans). energy_kwh, and
    carbon_kg (of energy and of making every device; nan where either is not known) are not discounted. device_years:
    devices at work, each times the years that it is.
    """

    purchase: np.ndarray
    energy: np.ndarray
    worn: np.ndarray
    failed: np.ndarray
    spares: np.ndarray
    growth: np.ndarray
    total: np.ndarray
    energy_kwh: np.ndarray
    device_years: np.ndarray
    carbon_kg: np.ndarray
    replacements: np.ndarray
    by_year: Mapping[str, np.ndarray]


PARTS = {
    "purchase": "devices",
    "growth": "devices added as it grows",
    "spares": "spare devices",
    "worn": "worn devices bought anew",
    "failed": "failed devices bought anew",
    "energy": "energy",
}
"""What the total is made of."""


class _Year(NamedTuple):
    """A year of a holding. start: in years from the beginning. span: how much of it is before the horizon, 0..1.

    devices: in it. added: at its start. load: over that of the start. used: lives of a device that were used up
    before it. pace: lives used up per year in it.
    """

    start: int
    span: np.ndarray
    devices: np.ndarray
    added: np.ndarray
    load: np.ndarray
    used: np.ndarray
    pace: np.ndarray

    @property
    def used_after(self) -> np.ndarray:
        """Lives of a device that were used up by its end."""
        return self.used + self.pace * self.span


def ownership(held: Holding, terms: Terms) -> Owned:
    """What holdings cost over the terms' horizon. Raises ModelError where a device would be replaced without end.

    Purchases and growth are paid at the start of a year, a worn device on the day, failures and energy as time goes:
    a payment at t years counts (1 + discount)^-t, a flow over (t, t + d) the integral of that. A device's share of
    the load is the same for all; one that is bought later is worn out later.
    """
    later = 1 / (1 + np.asarray(terms.discount_per_year, float))
    shape = _shape(held, terms)
    rows: dict[str, list[np.ndarray]] = {name: [] for name in PARTS}
    energy_kwh, device_years, made, replaced = (np.zeros(shape) for _ in range(4))
    cohorts: list[tuple[np.ndarray, np.ndarray]] = []  # (devices, lives used up when they were bought)
    spare = np.zeros(shape)
    wears = bool(np.isfinite(held.worn_s).any())
    for year in _years(held, terms):
        started = (year.span > 0) | (year.start == 0)
        factor, flow_years = later**year.start, _flow(later, year.start, year.span)
        bought = year.added * held.price * factor
        wanted_spare = np.where(started, np.maximum(spare, _whole(terms.spare_share * year.devices, 1)), spare)
        watts = _watts(held, year)
        failed = terms.failures_per_year * year.devices
        worn = np.zeros(shape)
        if wears:
            if year.added.any():
                cohorts.append((year.added, year.used))
            for devices, begun in cohorts:
                before, times = _lives(year, begun)
                worn = worn + devices * held.price * factor * _paid(later, year, begun + before + 1, times)
                made += devices * times
                replaced += times if begun is cohorts[0][1] else 0
        rows["purchase"].append(bought if year.start == 0 else np.zeros(shape))
        rows["growth"].append(np.zeros(shape) if year.start == 0 else bought)
        rows["spares"].append((wanted_spare - spare) * held.price * factor)
        rows["worn"].append(worn)
        rows["failed"].append(failed * held.price * flow_years)
        each_kwh = watts * terms.power_usage_effectiveness * KWH_PER_WATT_YEAR
        rows["energy"].append(each_kwh * terms.price_per_kwh * flow_years)
        energy_kwh += each_kwh * year.span
        device_years += year.devices * year.span
        made += year.added + wanted_spare - spare + failed * year.span
        spare = wanted_spare
    by_year = {name: _stacked(each, shape) for name, each in rows.items()}
    sums = {name: each.sum(axis=0) for name, each in by_year.items()}
    intensity = nan if terms.carbon_kg_per_kwh is None else terms.carbon_kg_per_kwh
    carbon_kg = energy_kwh * intensity + made * held.embodied_kg
    total = np.sum(list(sums.values()), axis=0)
    return Owned(
        **sums,
        total=total,
        energy_kwh=energy_kwh,
        device_years=device_years,
        carbon_kg=carbon_kg,
        replacements=replaced,
        by_year=by_year,
    )


def worn_out_s(held: Holding, terms: Terms) -> np.ndarray:
    """When writes have worn out a device of the start [s], of the plans' shape; infinite where they never do.

    Load, data and devices grow as in `ownership`, behind the horizon as before it, up to the hundredth year; then they
    stay. So the horizon has no part in it.
    """
    worn_out = np.full(_shape(held, terms), inf)
    for year in _every_year(held, replace(terms, horizon_s=MOST_YEARS * YEAR_S)):
        lives = (year.used < 1) & (year.pace > 0)
        worn_out[lives] = year.start + (1 - year.used[lives]) / year.pace[lives]  # in this year, or later
        if (worn_out <= year.start + 1)[lives].all():
            break
    return worn_out * YEAR_S


def _stacked(rows: list[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """Rows of a shape, or of one that becomes it, as one array."""
    found = np.empty((len(rows), *shape))
    for place, row in enumerate(rows):
        found[place] = row
    return found


def turns_s(held: Holding, terms: Terms, most: int | None = None) -> np.ndarray:
    """The days [s] within the horizon on which a single holding is added to or replaced, rising, at most `most`."""
    found: list[np.ndarray] = []
    begun: list[np.ndarray] = []
    left = MOST_LIVES if most is None else most
    for year in _years(held, terms):
        if year.added > 0:
            begun.append(year.used)
            found.append(np.array([float(year.start)]))
        for each in begun if np.isfinite(held.worn_s) else ():
            before, times = _lives(year, each)
            lives = each + before + np.arange(1, min(int(times), left) + 1)
            left -= lives.size
            found.append(year.start + (lives - year.used) / year.pace)
    days = np.unique(np.concatenate(found)) if found else np.empty(0)
    return days[days > 0] * YEAR_S


def just_after(time_s: Numbers) -> Numbers:
    """A moment [s] after a day of `turns_s`, when what was bought on it is paid."""
    return time_s * (1 + 10 * EXACT)


def discounted_s(time_s: Numbers, discount_per_year: float) -> np.ndarray:
    """Seconds in which a flow of money would pay, at once, what it pays up to a time [s]: (1 - d^t) / ln(1 + r)."""
    return _flow(np.asarray(1 / (1 + discount_per_year)), 0, np.asarray(time_s) / YEAR_S) * YEAR_S


def undiscounted_s(flow_s: Numbers, discount_per_year: float) -> np.ndarray:
    """The inverse of `discounted_s`."""
    if discount_per_year == 0:
        return np.asarray(flow_s)
    rate = np.log1p(discount_per_year)
    return -np.log1p(-rate * np.asarray(flow_s) / YEAR_S) / rate * YEAR_S


def _years(held: Holding, terms: Terms) -> Iterator[_Year]:
    """The years of a holding; ModelError where a device would be replaced without end."""
    for year in _every_year(held, terms):
        if (year.used_after > MOST_LIVES).any():
            raise ModelError(
                f"worn out every {np.min(held.worn_s):.3g} s a device would be replaced more than {MOST_LIVES} times; "
                "take more devices"
            )
        yield year


def _every_year(held: Holding, terms: Terms) -> Iterator[_Year]:
    """The years of a holding, the last one cut at the horizon; where plans end earlier, their later years are empty."""
    shape, horizon = _shape(held, terms), np.asarray(terms.horizon_s, float) / YEAR_S
    first = np.broadcast_to(np.asarray(held.count, float), shape)
    worn_s = np.asarray(held.worn_s, float)
    growth = 1 + np.asarray(terms.growth_per_year, float)
    count, used = np.zeros(shape), np.zeros(shape)
    for start in range(max(1, int(np.ceil(horizon.max() - EXACT)))):
        span = np.broadcast_to(np.minimum(np.maximum(horizon - start, 0), 1), shape)
        load = growth**start
        there = np.maximum(first, held.needed(load)) if start else first
        there = np.where(span > 0, np.maximum(there, count), count) if start else there
        share = np.divide(first * load, there, out=np.zeros(shape), where=there > 0)  # of a device's load of the start
        year = _Year(start, span, there, there - count, load, used, share * YEAR_S / worn_s)
        yield year
        count, used = there, year.used_after


def _lives(year: _Year, begun: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(lives that ended before a year, lives that end in it) of devices bought when so many were used up.

    What is worn out on the last day of all is not replaced, and so counts to the next year, if there is one.
    """
    before, after = (np.maximum(_ceil(used - begun) - 1, 0) for used in (year.used, year.used_after))
    return before, after - before


def _paid(later: np.ndarray, year: _Year, first: np.ndarray, times: np.ndarray) -> np.ndarray:
    """What one payment, made when so many lives are used up and each life after, counts at a year's start in all."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        step = np.where(year.pace > 0, later ** (1 / year.pace), 1.0)
        begin = np.where(times > 0, later ** ((first - year.used) / year.pace), 0.0)
        series = np.where(step < 1, -np.expm1(times * np.log(step)) / -np.expm1(np.log(step)), times)
    return begin * np.where(times > 0, series, 0.0)


def _watts(held: Holding, year: _Year) -> Numbers:
    """Of all devices in a year: idle ones take what they take, and what the load adds grows with it."""
    if held.idle_w is None:
        return year.devices * held.mean_w
    return year.devices * held.idle_w + held.count * (held.mean_w - np.asarray(held.idle_w)) * year.load


def _flow(later: np.ndarray, start: int, span: np.ndarray) -> np.ndarray:
    """Years in which a flow from `start` over `span` years would pay at once what it pays: the integral of d^t."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = -np.log(later)
        return np.where(rate > 0, later**start * -np.expm1(-rate * span) / rate, span)


def _ceil(values: np.ndarray) -> np.ndarray:
    """The next whole number, with room for rounding."""
    return np.ceil(np.asarray(values) * (1 - EXACT))


def _whole(wanted: np.ndarray, together: Numbers) -> np.ndarray:
    """Whole devices, so many at a time."""
    return _ceil(np.asarray(wanted) / together) * together


def _shape(held: Holding, terms: Terms) -> tuple[int, ...]:
    numbers = [value for owner in (held, terms) for value in vars(owner).values() if not isinstance(value, Currency)]
    return np.broadcast_shapes(*(np.shape(value) for value in numbers if value is not None))


def _within(what: str, value: Numbers, least: float, most: float = inf) -> None:
    """Raise ModelError unless all values are finite and least..most; those that are not known (nan) pass."""
    values = np.asarray(value, float)
    wrong = (values < least) | (values > most) | np.isinf(values)
    if not wrong.any():
        return
    limits = f"must be {least:g}..{most:g}" if most < inf else f"must be finite and at least {least:g}"
    raise ModelError(f"{what} {limits}; got {values[wrong].flat[0]:g}")


def _stated(what: str, value: Numbers, least: float, most: float = inf) -> None:
    """The same of what must be known."""
    require(not np.isnan(value).any(), f"{what} must be a number; got nan")
    _within(what, value, least, most)
