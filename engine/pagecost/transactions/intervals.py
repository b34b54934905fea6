"""Confidence intervals of means of correlated numbers: batch means (Law, Simulation Modeling and Analysis, §9.5)."""

import numpy as np

BATCHES = 20
STUDENT = 2.093  # 97.5 % point of Student's t with 19 degrees of freedom


def batch_interval(values: np.ndarray) -> tuple[float, float]:
    """(mean, half width of the 95 % interval) from the means of 20 batches; (nan, nan) of fewer than 20 values."""
    size = values.size // BATCHES
    if size == 0:
        return float("nan"), float("nan")
    means = values[values.size - size * BATCHES :].reshape(BATCHES, size).mean(axis=1)
    return float(means.mean()), float(STUDENT * means.std(ddof=1) / BATCHES**0.5)
