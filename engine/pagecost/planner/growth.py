"""What it takes that load and data grow: a plan has to hold in every year, not only in the first."""

from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from pagecost.economics import YEAR_S
from pagecost.economics.ownership import EXACT
from pagecost.planner.numbers import Numbers

Array = np.ndarray


class Goal(NamedTuple):
    """What has to hold in every year: a percentile of the response time at most [s], and a share of busy time."""

    response_s: float = inf
    busy: float = 1.0


NO_GOAL = Goal()


def last_load(n: Numbers) -> Array:
    """Load and data of the horizon's last year over those of the start."""
    years = np.maximum(np.ceil(np.asarray(n.horizon_s) / YEAR_S * (1 - EXACT)), 1)
    return (1 + np.asarray(n.growth_per_year)) ** (years - 1)


def in_last_year(n: Numbers) -> Numbers:
    """The numbers with that load and data, which have grown and grow no more."""
    grows = ("rate_hz", "volume_bytes", "hot_bytes")
    return replace(n, growth_per_year=0.0, **{name: getattr(n, name) * last_load(n) for name in grows})


def processors_in_last_year(n: Numbers) -> Array:
    """Share of the time that the processors work then: none is added. Above 1 they cannot keep up."""
    return n.rate_hz * last_load(n) * n.transaction_s / n.processors
