"""Which plans no other is better than in everything, which meet the targets, and which target a plan breaks most."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagecost.economics import YEAR_S
from pagecost.economics.ownership import Currency
from pagecost.planner.growth import Goal, processors_in_last_year
from pagecost.planner.numbers import Numbers
from pagecost.planner.screening import Screened
from pagecost.system import Economics, System

Array = np.ndarray


class Objective(NamedTuple):
    """Something of which less is better (sign 1) or more (sign -1)."""

    title: str
    unit: str
    sign: int


OBJECTIVES = {
    "cost": Objective("cost", "money", 1),
    "percentile_s": Objective("response time", "s", 1),
    "mean_w": Objective("power", "W", 1),
    "life_s": Objective("life of the devices", "s", -1),
}
"""What plans are compared in."""


DIGITS = 3


def nondominated(values: Array) -> Array:
    """Places of the rows that no other row is at least as good as in every column and better in one; less is better.

    values: float[plans, objectives], no nan. Of equal rows the first stands. In rising order of the first column.
    What is not known is without end here, as `objectives` has it.
    """
    order = np.lexsort(values.T[::-1])
    rows = values[order]
    left = np.arange(rows.shape[0])
    at = 0
    while at < left.size:
        better = (rows[left] < rows[left[at]]).any(axis=1)
        better[: at + 1] = True  # sorted: what stands before is not worse than this one
        left = left[better]
        at += 1
    return order[left]


def significant(values: Array) -> Array:
    """The values with `DIGITS` digits each; what is 0, without end or unknown stays."""
    plain = np.isfinite(values) & (values != 0)
    power = 10.0 ** (DIGITS - 1 - np.floor(np.log10(np.abs(np.where(plain, values, 1.0)))))
    return np.where(plain, np.round(np.where(plain, values, 1.0) * power) / power, values)


def objectives(cost: Array, percentile_s: Array, mean_w: Array, life_s: Array) -> Array:
    """float[plans, objectives] in the order of `OBJECTIVES`, less is better.

    What is not known (nan) of a plan counts as the worst there is, inf: in it the plan is better than none, and no
    worse than another of which it is not known either. Each column is so a total order, and to dominate stays
    transitive. All but the cost to `DIGITS` digits: nobody pays for a response that is a thousandth shorter.
    """
    columns = (cost, significant(percentile_s), significant(mean_w), significant(life_s))
    signed = [each.sign * values for each, values in zip(OBJECTIVES.values(), columns, strict=True)]
    return np.where(np.isnan(signed), np.inf, signed).T


@dataclass(frozen=True)
class Limit:
    """A target: what it is of, at most (or at least) how much, and how much each plan has of it."""

    name: str
    title: str
    unit: str
    limit: float
    values: Array
    at_least: bool = False

    @property
    def excess(self) -> Array:
        """How many times the limit is missed by, per plan; at most 1 where it is met, inf where nothing is known."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = self.limit / self.values if self.at_least else self.values / self.limit
        return np.where(np.isnan(ratio), np.inf, ratio)


def goal_of(system: System) -> Goal:
    """What a plan has to reach in every year."""
    response_s = system.targets.response_s
    return Goal(math.inf if response_s is None else response_s, system.candidates.busy_at_most)


def limits(system: System, numbers: Numbers, screened: Screened) -> tuple[Limit, ...]:
    """Every target that is set, and those that hold in any case: the data must fit, and no part may be too busy."""
    targets = system.targets
    currency = currency_of(system.economics)
    busiest = system.candidates.busy_at_most
    found = [
        Limit("usable", "room for the data", "1", 1.0, screened.usable, at_least=True),
        Limit("busy", "busy share of the busiest part", "1", busiest, screened.busiest),
        Limit("price", "price", "1", 1.0, np.where(np.isnan(screened.cost_usd), np.nan, 1.0)),
    ]
    if targets.growth_per_year:
        last = np.broadcast_to(processors_in_last_year(numbers), screened.percentile_s.shape)
        found.append(Limit("processors", "busy share of the processors in the last year", "1", busiest, last))
    if targets.response_s is not None:
        title = f"response time of {targets.percentile} % of the transactions"
        found.append(Limit("percentile_s", title, "s", targets.response_s, screened.percentile_s))
    if targets.watts is not None:
        found.append(Limit("mean_w", "power", "W", targets.watts, screened.mean_w))
    if targets.budget is not None:
        cost = np.asarray(currency.of_usd(screened.cost_usd))
        found.append(Limit("cost", "cost of all years", system.economics.currency, targets.budget, cost))
    if targets.lifetime_years is not None:
        years = screened.life_s / YEAR_S
        found.append(Limit("life", "life of the devices", "year", targets.lifetime_years, years, at_least=True))
    return tuple(found)


def currency_of(economics: Economics) -> Currency:
    """The currency of answers."""
    return Currency(economics.currency, economics.usd_per_unit)


def met(found: tuple[Limit, ...]) -> Array:
    """Whether each plan meets every limit."""
    return np.all([limit.excess <= 1 for limit in found], axis=0)


def binding(found: tuple[Limit, ...]) -> Array:
    """Place of the limit that each plan misses by most."""
    return np.argmax([limit.excess for limit in found], axis=0)


def cheapest(cost: Array, percentile_s: Array, feasible: Array) -> int | None:
    """The plan of least cost among the feasible ones, of equal ones the fastest; None where there is none."""
    places = np.flatnonzero(feasible)
    if not places.size:
        return None
    order = np.lexsort((percentile_s[places], np.round(cost[places], 6)))
    return int(places[order[0]])


def nearest(found: tuple[Limit, ...]) -> int:
    """The plan that misses its limits by the least: the least largest excess, then the least sum of what is missed."""
    excess = np.stack([np.maximum(limit.excess, 1) for limit in found])
    worst = excess.max(axis=0)
    logs = np.where(np.isfinite(excess), np.log(np.where(np.isfinite(excess), excess, 1)), 1e3).sum(axis=0)
    return int(np.lexsort((logs, worst))[0])
