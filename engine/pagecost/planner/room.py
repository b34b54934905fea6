"""What each group of a plan holds, and over which part of its devices that lies."""

import math
from typing import NamedTuple

import numpy as np

from pagecost.planner.numbers import PARTS, Numbers

Bytes = float | np.ndarray


class Held(NamedTuple):
    """Bytes of data by role, of one plan or of each: without copies and parities."""

    database: Bytes
    hot: Bytes
    log: Bytes


def held(n: Numbers, hot_apart: bool | np.ndarray, log_apart: bool | np.ndarray) -> Held:
    """hot_apart, log_apart: whether these have devices of their own; else they lie with the database."""
    hot, log = np.where(hot_apart, n.hot_bytes, 0.0), np.where(log_apart, n.log_kept_bytes, 0.0)
    return Held(n.volume_bytes - hot + n.log_kept_bytes - log, hot, log)


def pages_lie_over(n: Numbers, holds: Held) -> Held:
    """Bytes of data among which the pages of the load lie: what is held, and of the database all of them at least."""
    return holds._replace(database=np.maximum(holds.database, n.load_bytes))


def device_bytes(data_bytes: Bytes, count: Bytes, usable: Bytes) -> Bytes:
    """Bytes of each of so many devices that data take. usable: share of the devices that holds data, the rest are
    copies and parities."""
    return data_bytes / np.maximum(usable, 1e-9) / count


class PageTimes(NamedTuple):
    """Of a page at random, without a wait [s]; variation: squared coefficient of variation."""

    read_s: np.ndarray
    write_s: np.ndarray
    variation: np.ndarray


# The largest of 0 to 3 normal times, in deviations above their mean: 1/√π of two, 3/(2√π) of three (order statistics)
_LATEST = np.array([0.0, 0.0, 1 / math.sqrt(math.pi), 1.5 / math.sqrt(math.pi)])


def later_s(
    mean_s: float | np.ndarray, squared_variation: float | np.ndarray, together: float | np.ndarray
) -> np.ndarray:
    """What so many requests at a time, one on each of as many devices, take beyond the mean of one [s].

    Who asked waits for the last. mean_s, squared_variation: of one, all of one shape, as is what comes out. together:
    0..3, of 1 and less nothing; the copies and parities of a level of RAID are no more.
    """
    return mean_s * np.sqrt(squared_variation) * _LATEST[np.asarray(together, int)]


def page_times(n: Numbers, device: int | np.ndarray, used_bytes: Bytes) -> PageTimes:
    """On a device of which so many bytes are in use: the arm of a disk has less way to go over a part of it.

    device: a place among n's, or one for each plan; inf bytes are all of it. Between the parts of `PARTS` linear in the
    fourth root: within 2 % of the exact moments of disks whose seek curve is known.
    """
    with np.errstate(invalid="ignore"):
        part = np.fmin(used_bytes / n.capacity_bytes[device], 1.0)  # 1 where the capacity is not known, or has no end
    place = part**0.25 * (PARTS.size - 1)
    below = np.minimum(place.astype(int), PARTS.size - 2)
    rest = place - below

    def between(table: np.ndarray) -> np.ndarray:
        return table[device, below] * (1 - rest) + table[device, below + 1] * rest

    spared_s = between(n.spared_s)
    return PageTimes(n.read_s[device] - spared_s, n.write_s[device] - spared_s, between(n.variation))
