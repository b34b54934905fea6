"""A slow, readable twin of random reads on a disk with zones: every read drawn, one after the other.

Written from docs/models/calibration.md#the-fit: the arm goes from the cylinder of the read before to the next along
Lee's curve, the platter is anywhere, and the media rate falls evenly from the outermost cylinder to the innermost,
which holds fewer bytes for it.
"""

import numpy as np

CYLINDERS = 100_000


def cylinders_and_rates(values, places):
    """(share of all cylinders, media rate [B/s]) at shares of all bytes, by counting bytes from the outside."""
    outer, inner = values["outer_media_bytes_per_s"], values["inner_media_bytes_per_s"]
    rate = np.linspace(outer, inner, CYLINDERS + 1)  # a track passes in a turn: it holds as much as the rate says
    held = np.concatenate([[0.0], np.cumsum((rate[1:] + rate[:-1]) / 2)])
    at = np.interp(places, held / held[-1], np.arange(CYLINDERS + 1) / CYLINDERS)
    return at, outer + (inner - outer) * at


def times_s(values, capacity, block_bytes, start, span, reads, random):
    """Time of each of so many random reads over `span` bytes from `start` on [s]."""
    low, average, high = (values[f"{name}_seek_read_s"] for name in ("track_to_track", "average", "full_stroke"))
    root, linear = (-10 * low + 15 * average - 5 * high) / 3, (7 * low - 15 * average + 8 * high) / 3
    at, rate = cylinders_and_rates(values, (start + span * random.random(reads + 1)) / capacity)
    far = np.abs(np.diff(at))
    seek = low + root * np.sqrt(far) + linear * far
    wait = random.random(reads) / values["rotation_hz"]
    return values["overhead_s"] + seek + wait + block_bytes / rate[1:]


def in_order_s(values, capacity, block_bytes, start, span, blocks=20_000):
    """Mean time of one read of those that pass a part from end to end [s]."""
    places = (start + span * (np.arange(blocks) + 0.5) / blocks) / capacity
    _, rate = cylinders_and_rates(values, places)
    return max(values["overhead_s"], float(np.mean(block_bytes / rate)))
