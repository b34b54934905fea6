"""One queue to which customers come back: mean waits when bursts of unequal length follow each other at once.

A transaction that has the processor for a long burst and then asks for a short one finds the queue that grew meanwhile:
its waits are not those of independent arrivals, and the order of its bursts matters. In the mean they obey linear
equations (as in Simon, JACM 31, 1984, for feedback in general): an arrival finds the mean queue; one that comes back
finds those who were ahead of it, each at its next burst, and those who came while it waited and was served.
"""

import numpy as np

from pagecost.errors import ModelError, require
from pagecost.transactions.feedback_kernels import NEGATIVE, NOT_LATER, OVER_ONE, TOO_OFTEN, waits_at_once, wrong_with

RULES = {
    NEGATIVE: "rates must not be negative",
    NOT_LATER: "a burst leads to later kinds only, with shares of 0 and more",
    OVER_ONE: "the shares of what follows a burst must not exceed 1",
    TOO_OFTEN: "bursts follow others more often than they come",
}


def feedback_waits_s(rate_hz, mean_s, second_s2, follows) -> np.ndarray:
    """Mean wait [s] before each kind of burst at a single first-come server, shape (k,); inf where it is full.

    rate_hz: bursts of each kind per second; mean_s, second_s2: first and second moments of their times [s, s²]; shape
    (k,). follows[i, j]: share of the bursts i whose customer asks for a burst j at once, at the end of the queue; every
    kind leads only to later ones. Bursts that follow none arrive as Poisson streams. Exact for that system: Pollaczek
    and Khinchine's formula where nothing follows. Raises ModelError for shares that are none, rates below 0, or bursts
    that follow more often than they come.
    """
    rate, mean, second, follows = (
        np.ascontiguousarray(column, float) for column in (rate_hz, mean_s, second_s2, follows)
    )
    size = rate.size
    fresh = np.empty(size)
    require(follows.shape == (size, size), RULES[NOT_LATER])
    if broken := wrong_with(rate, follows, fresh):
        raise ModelError(RULES[broken] + (f"; got {rate.min()}" if broken == NEGATIVE else ""))
    if (rate * mean).sum() >= 1:
        return np.full(size, np.inf)
    waits, before, behind = np.empty((size, size + 1)), np.empty((size, size + 1)), np.empty((size, size, size + 1))
    waits_at_once(rate, mean, second, follows, fresh, behind, before, waits)
    return np.linalg.solve(np.eye(size) - waits[:, 1:], waits[:, 0])
