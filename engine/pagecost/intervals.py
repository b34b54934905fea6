"""Confidence intervals of means at 95 %: of independent numbers (Student's t), and of correlated ones by batches."""

import numpy as np

from pagecost.errors import require

BATCHES = 20
ROUNDING = 1e-12  # of a value: sums of floating-point numbers in another order
STUDENT_95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""Two-sided 95 % quantiles of Student's t with 1 to 9 degrees of freedom."""
STUDENT_95_OF_BATCHES = 2.093  # with 19


def student_95(degrees: int) -> float:
    """Two-sided 95 % quantile of Student's t with so many degrees of freedom; within 1 % beyond 9.

    Raises ModelError unless they are a whole number, at least 1.
    """
    require(degrees >= 1 and degrees % 1 == 0, f"degrees of freedom must be a whole number, at least 1; got {degrees}")
    if degrees == BATCHES - 1:
        return STUDENT_95_OF_BATCHES
    return STUDENT_95[int(degrees) - 1] if degrees <= len(STUDENT_95) else 1.96 + 2.5 / degrees


def half_width(values, axis: int = 0) -> np.ndarray:
    """Half widths of the 95 % intervals of means of independent values, n >= 2 of them along `axis`.

    Raises ModelError for fewer: one value says nothing of how far it is from the next.
    """
    values = np.asarray(values, float)
    count = values.shape[axis]
    require(count >= 2, f"an interval needs at least two values; got {count}")
    return student_95(count - 1) * values.std(axis=axis, ddof=1) / count**0.5


def mean_and_half_width(values) -> tuple[float, float]:
    """(mean, half width of the 95 % confidence interval) of independent values, shape (n,), n >= 2 (Student's t).

    Values that differ by rounding only are one value: their half width is 0. Raises ModelError for fewer than two.
    """
    values = np.asarray(values, float)
    require(values.size >= 2, f"an interval needs at least two values; got {values.size}")
    if np.ptp(values) <= ROUNDING * abs(values[0]):
        return float(values[0]), 0.0
    return float(values.mean()), float(half_width(values))


def batch_interval(values: np.ndarray) -> tuple[float, float]:
    """(mean, half width of the 95 % interval) of correlated numbers, from the means of 20 batches in a row.

    (nan, nan) of fewer than 20 values. Law, Simulation Modeling and Analysis, §9.5.
    """
    size = values.size // BATCHES
    if size == 0:
        return float("nan"), float("nan")
    means = values[values.size - size * BATCHES :].reshape(BATCHES, size).mean(axis=1)
    return float(means.mean()), float(half_width(means))
