"""From when on another plan would have been cheaper: costs over every runtime, and where their order changes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pagecost.economics import YEAR_S
from pagecost.economics.ownership import MOST_YEARS
from pagecost.planner.numbers import Numbers
from pagecost.planner.planned import BreakEven, Plan
from pagecost.planner.sensitivity import Judge
from pagecost.units import format_seconds

BEYOND = 3.0  # times the horizon: how far one looks
POINTS = 120  # runtimes; where the order changes between two of them, as many again in between


def break_evens(
    judge: Judge, n: Numbers, pool: Sequence[int], others: Sequence[int], chosen: int, plans: Mapping[int, Plan]
) -> tuple[BreakEven, ...]:
    """When each of the others becomes cheaper than the chosen plan, or the chosen one cheaper than it: the first time.

    pool: the plans of the judge; others, chosen: among them.
    """
    end_s = min(BEYOND * n.horizon_s, MOST_YEARS * YEAR_S)
    grid = np.linspace(end_s / POINTS, end_s, POINTS)
    cost = _cost(judge, n, grid)
    found = []
    for other in others:
        if other == chosen:
            continue
        ours, theirs = (pool.index(place) for place in (chosen, other))
        changes = _changes(cost[:, theirs] - cost[:, ours])
        if not changes.size:
            continue
        first = int(changes[0])
        fine = np.linspace(grid[first], grid[first + 1], POINTS)
        finer = _cost(judge, n, fine)
        gap = finer[:, theirs] - finer[:, ours]
        at = _changes(gap)
        if not at.size:
            continue
        low, high = int(at[0]), int(at[0]) + 1
        share = gap[low] / (gap[low] - gap[high])
        at_s = float(fine[low] + share * (fine[high] - fine[low]))
        before, after = (other, chosen) if gap[low] < 0 else (chosen, other)
        sentence = (
            f"Up to {format_seconds(at_s)} of use {plans[before].title} is cheaper than {plans[after].title}, then "
            "the other way round."
        )
        found.append(BreakEven(plans[before].code, plans[after].code, at_s, sentence))
    return tuple(found)


def _cost(judge: Judge, n: Numbers, runtimes_s: np.ndarray) -> np.ndarray:
    """float64[runtimes, plans]."""
    return judge.judged([replace(n, horizon_s=float(each)) for each in runtimes_s]).cost_usd


def _changes(gap: np.ndarray) -> np.ndarray:
    """Places after which the sign is another."""
    sign = np.sign(np.where(np.abs(gap) < 1e-9, 0, gap))
    return np.flatnonzero(sign[:-1] * sign[1:] < 0)
