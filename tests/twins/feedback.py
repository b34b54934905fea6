"""Slow, readable twin of the waits at one queue to which customers come back: its equations as arrays."""

import numpy as np


def waits_s(rate, mean, second, follows) -> np.ndarray:
    """Mean wait [s] before each kind of burst; arguments as for `feedback_waits_s`, shapes (k,) and (k, k)."""
    size, fresh = rate.size, rate - rate @ follows
    # every mean is a row: its part without the unknown waits, then its coefficient of each of them
    constant, unknown = np.eye(1, size + 1)[0], np.eye(size, size + 1, 1)
    arrival = mean @ (rate[:, None] * unknown) + (rate * second).sum() / 2 * constant
    found = rate[:, None] * unknown + (rate * mean)[:, None] * constant  # in the queue or in service
    # Of all who come to a kind, from outside and from the kinds before: what they wait for, and who was ahead of them
    # or came meanwhile, at their next burst
    waits, behind = np.empty((size, size + 1)), np.zeros((size, size, size + 1))
    for at in range(size):
        before = np.tensordot(follows[:at, at], behind[:at], 1)
        waits[at] = fresh[at] * arrival + mean @ before
        came = waits[at] + rate[at] * mean[at] * constant
        behind[at] = follows.T @ (fresh[at] * found + before) + fresh[:, None] * came
    equations = waits / rate[:, None]
    return np.linalg.solve(np.eye(size) - equations[:, 1:], equations[:, 0])


def without_length(mean, follows) -> np.ndarray:
    """The shares, shape (k, k), once a burst that takes no time is left out: straight to what comes after it."""
    follows = follows.copy()
    for at in np.flatnonzero(mean == 0):
        follows += np.outer(follows[:, at], follows[at])
        follows[:, at] = follows[at] = 0.0
    return follows
