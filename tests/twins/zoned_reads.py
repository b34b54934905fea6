"""A slow, readable twin of random reads on a disk with zones: every read drawn, one after the other.

Written from docs/models/calibration.md#the-fit: the arm goes from the place of the read before to the next along Lee's
curve, the platter is anywhere, and the media rate falls evenly from the first byte to the last.
"""

import numpy as np


def times_s(values, capacity, block_bytes, start, span, reads, random):
    """Time of each of so many random reads over `span` bytes from `start` on [s]."""
    low, average, high = (values[f"{name}_seek_read_s"] for name in ("track_to_track", "average", "full_stroke"))
    root, linear = (-10 * low + 15 * average - 5 * high) / 3, (7 * low - 15 * average + 8 * high) / 3
    places = (start + span * random.random(reads + 1)) / capacity
    far = np.abs(np.diff(places))
    seek = low + root * np.sqrt(far) + linear * far
    wait = random.random(reads) / values["rotation_hz"]
    outer, inner = values["outer_media_bytes_per_s"], values["inner_media_bytes_per_s"]
    transfer = block_bytes / (outer + (inner - outer) * places[1:])
    return values["overhead_s"] + seek + wait + transfer
