"""Waits for one server, first come first served, as whole distributions: exact theory, computed on a grid of times."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pagecost.errors import require

CELLS, MOST_CELLS = 4096, 65_536
LONGEST = 4  # times the longest service, and
WAITS = 25  # times the mean of a wait that there is: so far a grid should reach
CELLS_OF_SERVICE = 4  # that a service should have of it
FULLEST = 0.999  # load of a server: what is fuller is taken as so full
TILT = 8.0  # at most e^-8 is left of what goes around the grid
Within = Callable[[np.ndarray | float], np.ndarray]


class Grid(NamedTuple):
    """Times 0, step_s, 2 step_s, ...: `cells` of them (a power of two). A distribution is the mass at each."""

    step_s: float
    cells: int = CELLS

    @classmethod
    def reaching(cls, reach_s: float, finest_s: float = math.inf) -> "Grid":
        """So far, in `CELLS`, or in more (`MOST_CELLS` at most) where steps shall be as fine as finest_s."""
        cells = CELLS
        while cells < MOST_CELLS and reach_s > finest_s * cells:
            cells *= 2
        return cls(reach_s / cells, cells)

    @property
    def times_s(self) -> np.ndarray:
        """Shape (cells,)."""
        return np.arange(self.cells) * self.step_s

    def transform(self, mass: np.ndarray) -> np.ndarray:
        """So that a product is the distribution of a sum; what goes beyond the grid has as much room again."""
        return np.fft.rfft(mass, 2 * self.cells)

    def within(self, transform: np.ndarray) -> Within:
        """The share of a distribution that takes no longer than times [s], any shape; negative ones: none."""
        ends_s = self.times_s + self.step_s / 2  # the mass at a time stands for half a cell on both its sides
        shares = np.cumsum(np.fft.irfft(transform, 2 * self.cells)[: self.cells])
        return lambda times_s: np.where(np.asarray(times_s) >= 0, np.interp(times_s, ends_s, shares), 0.0)


def placed(grid: Grid, times_s: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """The mass of single times [s], each shared by its two neighbours on the grid so that the mean is kept."""
    places = np.minimum(np.asarray(times_s) / grid.step_s, grid.cells - 1)
    below = np.minimum(places.astype(np.int64), grid.cells - 2)
    mass = np.zeros(grid.cells)
    np.add.at(mass, below, chances * (1 - places + below))
    np.add.at(mass, below + 1, chances * (places - below))
    return mass


def residual(grid: Grid, times_s: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """The mass of what is left of such a time where an arrival at random falls into it: density P(S > t) / E[S]."""
    order = np.argsort(times_s)
    times_s, chances = np.asarray(times_s, float)[order], np.asarray(chances, float)[order]
    ended, ended_s = (np.concatenate([[0.0], np.cumsum(each)]) for each in (chances, chances * times_s))
    at = np.searchsorted(times_s, grid.times_s, side="right")
    within = (ended_s[at] + grid.times_s * (ended[-1] - ended[at])) / ended_s[-1]
    each = np.diff(within, prepend=0.0) / 2  # of a cell between two times, to both
    each[:-1] += each[1:]
    return each


def at_random(load: float, left: np.ndarray) -> np.ndarray:
    """Transform of the wait in M/G/1 (Pollaczek and Khinchine): a geometric number of residual services.

    load: 0 <= load < 1. left: transform of `residual` of the services.
    """
    require(0 <= load < 1, f"the load of a server must be 0 <= load < 1; got {load:g}")
    return (1 - load) / (1 - load * left)


def renewals(grid: Grid, service: np.ndarray, apart_s: float, squared_variation: float) -> np.ndarray:
    """Transform of the wait in GI/G/1 where arrivals are a gamma-distributed time apart.

    service: its mass (`placed`). apart_s: mean time between arrivals, above the mean service. squared_variation: of
    those times, above 0; 1: at random, below: more regular. The maximum of the random walk of services less times
    apart: Spitzer's identity, with the parts of the walk split by their signs in the logarithm of its transform
    (Ackroyd, IEEE Transactions on Communications 28, 1980). Raises ModelError for a server that is full.
    """
    require(squared_variation > 0, f"the variation of times must be above 0; got {squared_variation:g}")
    size = 2 * grid.cells
    apart = _gamma(grid, apart_s, squared_variation)
    require(_mean(apart) > _mean(service), f"services must take less than the {apart_s:g} s between them")
    tilt = TILT / grid.cells
    while _tilted(service, 2 * tilt).sum() * _tilted(apart, -2 * tilt).sum() >= 1:  # from there on the walk grows
        tilt /= 2
    walk = np.fft.rfft(_tilted(service, tilt), size) * np.conj(np.fft.rfft(_tilted(apart, -tilt), size))
    logarithm = np.fft.irfft(np.log(1 - walk), size)
    logarithm[0] = 0.0
    logarithm[size // 2 :] = 0.0
    wait = _tilted(np.fft.irfft(np.exp(-np.fft.rfft(logarithm)), size)[: grid.cells], -tilt)
    return grid.transform(wait / wait.sum())


def _gamma(grid: Grid, mean_s: float, squared_variation: float) -> np.ndarray:
    """The mass of gamma-distributed times as `placed` has single ones; what is beyond the grid stands at its end.

    The part of a time that two neighbours share is linear, so that masses are second differences of E[min(T, t)].
    """
    from scipy.special import gammainc  # late: every command imports this file, few come here

    times_s, shape = np.arange(grid.cells + 1) * grid.step_s, 1 / squared_variation
    scaled = times_s / (mean_s * squared_variation)
    least_s = mean_s * gammainc(shape + 1, scaled) + times_s * (1 - gammainc(shape, scaled))
    longer = np.diff(least_s) / grid.step_s  # on average over a cell: the share that is longer
    mass = -np.diff(longer, prepend=1.0)
    mass[-1] += longer[-1]
    return mass


def _mean(mass: np.ndarray) -> float:
    """In cells."""
    return float((np.arange(mass.size) * mass).sum())


def _tilted(mass: np.ndarray, tilt: float) -> np.ndarray:
    """A mass that counts for more the farther out it lies, so that steps back, far as they may lead, fade."""
    return mass * np.exp(tilt * np.arange(mass.size))
