"""The event calendar: a binary heap of (time, order of entry, payload); equal times leave in the order of entry."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part

PAYLOAD_BITS = 20  # an order of entry and a payload share one 64-bit word, so that ties compare one number


class Calendar(NamedTuple):
    """Scalars that change live in `count`: entries in use, entries ever made."""

    time_s: np.ndarray  # float64[capacity]
    entry: np.ndarray  # int64[capacity]: order of entry << PAYLOAD_BITS | payload
    count: np.ndarray  # int64[2]


def new_calendar(capacity: int) -> Calendar:
    """An empty calendar for at most `capacity` pending events; payloads are 0 .. 2^20 - 1."""
    return Calendar(np.zeros(capacity), np.zeros(capacity, np.int64), np.zeros(2, np.int64))


@lean_part
def push(calendar, time_s, payload):
    """Enter an event. The newest entry never passes one of the same time."""
    times, entries, count = calendar
    at = count[0]
    count[0] = at + 1
    count[1] += 1
    entry = (count[1] << PAYLOAD_BITS) | payload
    while at > 0:
        up = (at - 1) >> 1
        if times[up] <= time_s:
            break
        times[at] = times[up]
        entries[at] = entries[up]
        at = up
    times[at] = time_s
    entries[at] = entry


@lean_part
def pop(calendar):
    """Take the earliest event out: (time, payload). The calendar must not be empty."""
    times, entries, count = calendar
    size = count[0] - 1
    count[0] = size
    first_s = times[0]
    payload = entries[0] & ((1 << PAYLOAD_BITS) - 1)
    time_s = times[size]
    entry = entries[size]
    at = 0
    child = 1
    while child < size:
        right = child + 1
        if right < size and (
            times[right] < times[child] or (times[right] == times[child] and entries[right] < entries[child])
        ):
            child = right
        if time_s < times[child] or (time_s == times[child] and entry < entries[child]):
            break
        times[at] = times[child]
        entries[at] = entries[child]
        at = child
        child = 2 * at + 1
    times[at] = time_s
    entries[at] = entry
    return first_s, payload
