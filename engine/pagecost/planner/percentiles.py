"""How response times are distributed: by formula, a gamma distribution for each type of transaction, all mixed."""

from typing import NamedTuple

import numpy as np

from pagecost import cancellation

Array = np.ndarray
HALVINGS = 24  # of the interval that a percentile lies in: to a ten-millionth of it
LEAST_SHAPE = 1e-12  # of Wilson and Hilferty's cube, where all responses are the same


class OfTypes(NamedTuple):
    """Response times by type of transaction. share: float64[types], of the transactions. mean_s, deviation_s:
    float64[types, plans]."""

    names: tuple[str, ...]
    share: Array
    mean_s: Array
    deviation_s: Array


def percentile_of(mean_s: Array, deviation_s: Array, percentile: float) -> Array:
    """Of a gamma distribution with this mean and deviation (Wilson and Hilferty 1931), close above 50 %.

    A sum of services and waits is close to it: of one exponential stage and of many constant ones it is exact.
    """
    from scipy.special import ndtri  # late: every command imports this file, few come here

    shape = (deviation_s / mean_s) ** 2 / 9
    return mean_s * np.maximum(1 - shape + ndtri(percentile / 100) * np.sqrt(shape), 0) ** 3


def percentile_of_types(of: OfTypes, percentile: float) -> Array:
    """Of a mixture of gamma distributions, one for each type: float64[plans].

    It lies between the percentiles of the fastest and the slowest type and is found by halving, on the cube roots, in
    which each distribution is a normal one.
    """
    from scipy.special import ndtr  # late, likewise

    ends = percentile_of(of.mean_s, of.deviation_s, percentile)
    low, high = np.cbrt(ends.min(axis=0)), np.cbrt(ends.max(axis=0))
    if len(of.names) == 1:
        return ends[0]
    shape = np.maximum((of.deviation_s / of.mean_s) ** 2 / 9, LEAST_SHAPE)
    per_root = 1 / (np.cbrt(of.mean_s) * np.sqrt(shape))
    offset = (1 - shape) / np.sqrt(shape)
    for _ in range(HALVINGS):
        cancellation.point()
        middle = (low + high) / 2
        enough = of.share @ ndtr(middle * per_root - offset) >= percentile / 100
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high**3
