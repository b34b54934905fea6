"""Confidence intervals of means: the quantiles by the density of Student's t, and what the intervals cover."""

import math

import numpy as np
import pytest

from pagecost.intervals import batch_interval, half_width, mean_and_half_width, student_95


def within(t: float, degrees: int) -> float:
    """Share of Student's distribution between -t and t, by its density (the trapezoid rule)."""
    x = np.linspace(0, t, 200_001)
    log_factor = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - 0.5 * math.log(degrees * math.pi)
    density = np.exp(log_factor - (degrees + 1) / 2 * np.log1p(x**2 / degrees))
    return float(2 * np.trapezoid(density, x))


@pytest.mark.parametrize("degrees", [*range(1, 10), 19])
def test_tabled_quantiles_hold_95_percent(degrees):
    assert within(student_95(degrees), degrees) == pytest.approx(0.95, abs=1e-4)  # three decimals of t


@pytest.mark.parametrize("degrees", [10, 12, 18, 20, 50, 1000])
def test_further_quantiles_hold_nearly_so_many(degrees):
    assert within(student_95(degrees), degrees) == pytest.approx(0.95, abs=0.002)


def test_half_widths_along_an_axis_are_those_of_its_rows():
    values = np.random.default_rng(1).normal(size=(5, 4))
    assert half_width(values) == pytest.approx([half_width(column) for column in values.T])
    assert half_width(values, axis=1) == pytest.approx([half_width(row) for row in values])


def test_values_that_differ_by_rounding_are_one_value():
    assert mean_and_half_width([0.3, 0.1 + 0.2, 0.3])[1] == 0
    assert mean_and_half_width([1.0, 2.0, 3.0]) == pytest.approx((2.0, 4.303 / 3**0.5))


def test_an_interval_of_batches_covers_the_mean_of_independent_numbers():
    random = np.random.default_rng(2)
    covered = 0
    for _ in range(400):
        mean, half = batch_interval(random.exponential(size=2000))
        covered += abs(mean - 1) <= half
    assert 0.92 <= covered / 400 <= 0.98  # 95 % ± three standard deviations of a share of 400
    assert np.isnan(batch_interval(np.ones(19))).all()
