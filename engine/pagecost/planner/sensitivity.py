"""What would change the decision: each input at its ends, Sobol's total indices, and draws of all inputs at once."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from pagecost import catalogue, devices
from pagecost.economics import hierarchy
from pagecost.planner.front import cheapest, goal_of, limits, met
from pagecost.planner.numbers import Numbers
from pagecost.planner.screening import Screened, screen
from pagecost.planner.space import Groups, Space
from pagecost.planner.visits import Visits
from pagecost.system import System

DRAWS = 512  # of all inputs at once; a power of two, as Sobol's points want
TOTALS = 64  # base points of the total indices
RATES = ("random_read_iops", "random_write_iops")
TIMES = (*RATES, "qd1_read_s", "qd1_write_s", "access_s", "average_seek_s")
"""Parameters of a device whose interval says how far its times may be off."""


Changed = Callable[[Mapping[str, Any], float], dict[str, Any]]


@dataclass(frozen=True)
class Input:
    """Something that may be other than it is said: its ends, and the numbers that a factor of it changes.

    base: its value; low, high: factors of it. changed: of numbers by name.
    """

    name: str
    title: str
    unit: str
    base: float
    low: float
    high: float
    changed: Changed


def inputs_of(system: System, n: Numbers) -> tuple[Input, ...]:
    """What may be off: load, volume, processor time, energy, each price and each device's times.

    By the interval that the catalogue has, else by the candidates' `uncertainty`.
    """
    doubt = system.candidates.uncertainty
    ends = (1 - doubt, 1 + doubt)

    def scaled(field: str) -> Changed:
        return lambda numbers, factor: {field: numbers[field] * factor}

    found = [
        Input("rate_hz", "transactions per second", "1/s", n.rate_hz, *ends, scaled("rate_hz")),
        Input("volume_bytes", "volume", "B", n.volume_bytes, *ends, scaled("volume_bytes")),
        Input("transaction_s", "processor time", "s", n.transaction_s, *ends, scaled("transaction_s")),
        Input("price_per_kwh", "price of energy", "USD/kWh", n.price_per_kwh, *ends, scaled("price_per_kwh")),
    ]
    if n.memory_byte_usd:
        base = n.memory_byte_usd * 1e9
        found.append(Input("memory_usd", "main memory, a GB", "USD", base, *ends, scaled("memory_byte_usd")))
    for at, name in enumerate(n.devices):
        title = devices.title_of(name)
        price = n.price_usd[at] if np.isfinite(n.price_usd[at]) else n.byte_usd[at] * 1e9
        if np.isfinite(price):
            own = None if name in system.economics.price_usd_per_device else _price_ends(name)
            unit = "USD" if np.isfinite(n.price_usd[at]) else "USD/GB"
            found.append(Input(f"price:{name}", f"price of {title}", unit, price, *(own or ends), _price(at)))
        base = 1 / (n.read_s[at] / n.at_once[at])
        found.append(Input(f"speed:{name}", f"speed of {title}", "1/s", base, *(_speed(name) or ends), _faster(at)))
    return tuple(each for each in found if each.base > 0 and each.low < each.high)


def _price_ends(name: str) -> tuple[float, float] | None:
    """Factors of the middle of a price that is a range."""
    device = catalogue.devices().get(name)
    if device is None or not device.dollar_prices:
        return None
    price = hierarchy.newest_price(device)
    if price.low is None or price.high is None or price.low == price.high:
        return None
    middle = hierarchy.amount(price, "middle")
    return price.low / middle, price.high / middle


def _speed(name: str) -> tuple[float, float] | None:
    """Factors of a device's speed: the lowest and the highest that the catalogue's ranges of its times leave open.

    Each range is that about its own value (about its middle, where it has none); of a time the speed is the inverse.
    """
    device = catalogue.devices().get(name)
    if device is None:
        return None
    ends = [1.0]
    for known in TIMES:
        each = device.parameters.get(known)
        if each is None or each.low is None or each.high is None:
            continue
        value = (each.low + each.high) / 2 if each.value is None else float(each.value)
        ends += [end / value if known in RATES else value / end for end in (each.low, each.high)]
    return (min(ends), max(ends)) if min(ends) < max(ends) else None


def _price(at: int) -> Changed:
    return lambda numbers, factor: {name: _at(numbers[name], at, factor) for name in ("price_usd", "byte_usd")}


def _faster(at: int) -> Changed:
    """All of its times: pages a second at depth, and a request alone alike, as a note of the plan says."""
    names = ("read_s", "write_s", "read_delay_s", "write_delay_s", "log_s", "log_delay_s", "turn_s", "spared_s")
    return lambda numbers, factor: {name: _at(numbers[name], at, 1 / factor) for name in names}


def _at(values: np.ndarray, at: int, factor: float) -> np.ndarray:
    changed = values.copy()
    changed[at] *= factor
    return changed


def tiled(space: Space, numbers: Sequence[Numbers]) -> tuple[Space, Numbers]:
    """The same plans under each of these numbers, one after the other: one space, one Numbers with arrays."""
    times, width, groups = len(numbers), len(space.devices), space.groups
    shift = np.repeat(np.arange(times), space.size)

    def moved(values: np.ndarray, by: int) -> np.ndarray:
        tile = np.tile(values, times)
        return np.where(tile >= 0, tile + shift * by, tile)

    made = Space(
        space.devices * times,
        Groups(
            np.concatenate([groups.device + width * number for number in range(times)]),
            np.tile(groups.count, times),
            np.tile(groups.level, times),
        ),
        space.memories,
        moved(space.database, groups.device.size),
        moved(space.log, groups.device.size),
        moved(space.hot, groups.device.size),
        moved(space.write_buffer, width),
        np.tile(space.memory, times),
    )
    joined: dict[str, Any] = {"devices": made.devices}
    for field in fields(Numbers):
        values = [getattr(each, field.name) for each in numbers]
        if isinstance(values[0], np.ndarray):
            joined[field.name] = np.concatenate(values)
        elif isinstance(values[0], float):
            joined[field.name] = np.repeat(np.array(values), space.size)
    return made, replace(numbers[0], **joined)


class Judged(NamedTuple):
    """Plans under several numbers, float64[numbers, plans], and the place of the plan that is chosen, -1 where none.

    made: all that the formulas say of them, numbers after numbers, each array of numbers × plans.
    """

    cost_usd: np.ndarray
    chosen: np.ndarray
    made: Screened

    def rows(self, values: np.ndarray) -> np.ndarray:
        """An array of `made` as float64[numbers, plans]."""
        return np.asarray(values).reshape(self.cost_usd.shape)


@dataclass(frozen=True)
class Judge:
    """How plans are judged: those of `space`, each formula's percentile times the plan's `correction` by simulation.

    eligible: bool[plans], which of them can be chosen: beside simulated plans, one that is only promised by formula
    would win for want of a test.
    """

    system: System
    space: Space
    visits: Visits
    correction: np.ndarray
    eligible: np.ndarray

    def judged(self, numbers: Sequence[Numbers]) -> Judged:
        """All plans under each of these numbers."""
        space, joined = tiled(self.space, numbers)
        made = screen(space, joined, self.visits, self.system.targets.percentile, goal_of(self.system))
        shape = (len(numbers), self.space.size)
        corrected = made.percentile_s * np.tile(self.correction, len(numbers))
        corrected_made = _with_percentile(made, corrected)
        feasible = met(limits(self.system, joined, corrected_made)).reshape(shape) & self.eligible
        cost, percentile = made.cost_usd.reshape(shape), corrected.reshape(shape)
        chosen = np.array([_chosen(cost[row], percentile[row], feasible[row]) for row in range(shape[0])])
        return Judged(cost, chosen, made)


def _with_percentile(made: Screened, percentile_s: np.ndarray) -> Screened:
    return replace(made, percentile_s=percentile_s)


def _chosen(cost: np.ndarray, percentile_s: np.ndarray, feasible: np.ndarray) -> int:
    found = cheapest(cost, percentile_s, feasible)
    return -1 if found is None else found


def drawn(inputs: Sequence[Input], draws: int, seed: int) -> np.ndarray:
    """float64[draws, inputs]: factors within the inputs' intervals, evenly (a Latin hypercube, McKay et al. 1979).

    One factor out of each of `draws` equal parts of an interval, in random order; by the input's name, so that what is
    drawn of it, and a figure's interval, are the same whatever else may be chosen.
    """
    found = np.empty((draws, len(inputs)))
    for column, each in enumerate(inputs):
        random = np.random.default_rng((seed, 61, zlib.crc32(each.name.encode())))
        unit = (random.permutation(draws) + random.random(draws)) / draws
        found[:, column] = each.low + (each.high - each.low) * unit
    return found


def moved(n: Numbers, inputs: Sequence[Input], factors: np.ndarray) -> Numbers:
    """The numbers with each input times its factor."""
    values = {field.name: getattr(n, field.name) for field in fields(Numbers)}
    for each, factor in zip(inputs, factors.tolist(), strict=True):
        values |= each.changed(values, factor)
    return Numbers(**values)


def total_effects(judge: Judge, n: Numbers, inputs: Sequence[Input], pair: tuple[int, int], seed: int) -> np.ndarray:
    """Sobol's total index of each input for the gap in cost between two plans, float64[inputs]; nan where none varies.

    By `scipy.stats.sobol_indices` (Saltelli 2010's estimator).
    """
    from scipy import stats  # late: it takes about a second and 48 MB, and every command imports this file

    two = list(pair)
    only = replace(judge, space=judge.space.chosen(two), correction=judge.correction[two], eligible=judge.eligible[two])

    def gap(factors: np.ndarray) -> np.ndarray:
        cost = only.judged([moved(n, inputs, row) for row in factors.T]).cost_usd
        return (cost[:, 1] - cost[:, 0])[None, :]

    if len(inputs) < 2:  # of one alone all that varies comes from it; SciPy asks for two
        varies = [np.ptp(gap(np.array([[each.low, each.high]]))) > 0 for each in inputs]
        return np.where(varies, 1.0, np.nan)
    spread = [stats.uniform(loc=each.low, scale=each.high - each.low) for each in inputs]
    found = stats.sobol_indices(func=gap, n=TOTALS, dists=spread, rng=np.random.default_rng((seed, 67)))
    return np.asarray(found.total_order, float).reshape(-1)
