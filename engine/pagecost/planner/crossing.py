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
CLOSE = 2e-3  # of a cost: nobody changes a plan for less
EQUAL = 1e-9  # dollars
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
        changes = _changes(cost[:, theirs] - cost[:, ours], CLOSE * cost[:, ours])
        if not changes:
            continue
        fine = np.linspace(grid[changes[0][0]], grid[changes[0][1]], POINTS)
        finer = _cost(judge, n, fine)
        gap = finer[:, theirs] - finer[:, ours]
        at = _changes(gap, np.full(POINTS, EQUAL))
        if not at:
            continue
        low, high = at[0]
        share = gap[low] / (gap[low] - gap[high])
        at_s = float(fine[low] + share * (fine[high] - fine[low]))
        before, after = (other, chosen) if gap[low] < 0 else (chosen, other)
        then = "the other way round"
        if len(changes) > 1:
            times = "twice" if len(changes) == 2 else f"{len(changes)} times"
            then += f"; within {format_seconds(end_s)} that changes {times}, as devices are bought anew"
        known = f"Up to {format_seconds(at_s)} of use {plans[before].title} is cheaper than {plans[after].title}"
        sentence = f"{known}, then {then}."
        found.append(BreakEven(plans[before].code, plans[after].code, at_s, sentence))
    return tuple(found)


def _cost(judge: Judge, n: Numbers, runtimes_s: np.ndarray) -> np.ndarray:
    """float64[runtimes, plans]."""
    return judge.judged([replace(n, horizon_s=float(each)) for each in runtimes_s]).cost_usd


def _changes(gap: np.ndarray, close: np.ndarray) -> list[tuple[int, int]]:
    """(place before, place after) of each change of sign; what is as close to 0 has none."""
    told = np.flatnonzero(np.abs(gap) >= close)
    changes = np.flatnonzero(np.diff(np.sign(gap[told])))
    return [(int(told[at]), int(told[at + 1])) for at in changes]
