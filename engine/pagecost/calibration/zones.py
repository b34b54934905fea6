"""Reads at random over part of a disk whose tracks are recorded with one density: how far the arm goes, how fast bytes
pass.

A track is as long as its radius says, so the media rate falls evenly from cylinder to cylinder and a cylinder outside
holds more bytes than one inside. The first share p of all bytes ends where that rate is
r = √(outer² − (outer² − inner²) p), and fills p (outer + inner) / (outer + r) of all cylinders.
"""

from typing import NamedTuple

import numpy as np

from pagecost.devices.disk.seek import Lee

NODES, WEIGHTS = (np.polynomial.legendre.leggauss(16) + np.array([[1.0], [0.0]])) / 2  # of an integral over 0..1


class Curve(NamedTuple):
    """Lee's seek curve: shortest_s + root_s √x + linear_s x of a distance of x of all cylinders."""

    shortest_s: float
    root_s: float
    linear_s: float

    @classmethod
    def of(cls, shortest_s: float, average_s: float, longest_s: float) -> "Curve":
        """Through the mean over uniformly random pairs of cylinders and both ends."""
        of_stroke = Lee.through(shortest_s, average_s, longest_s, 1)
        return cls(of_stroke.c, of_stroke.a, of_stroke.b)

    def __call__(self, distance: np.ndarray) -> np.ndarray:
        """Seek [s] over distances of 0..1, none shorter than the shortest: a fit passes through curves that dip."""
        return self.shortest_s + np.maximum(self.root_s * np.sqrt(distance) + self.linear_s * distance, 0.0)


class Zones(NamedTuple):
    """Media rates where a disk begins and where it ends [B/s]."""

    outer_bytes_per_s: float
    inner_bytes_per_s: float

    def rates(self, places: np.ndarray) -> np.ndarray:
        """Media rate [B/s] behind shares 0..1 of all bytes."""
        outer, inner = self
        return np.sqrt(outer**2 - (outer**2 - inner**2) * places)

    def cylinders(self, places: np.ndarray) -> np.ndarray:
        """Share of all cylinders that hold the first shares 0..1 of all bytes."""
        outer, inner = self
        return places * (outer + inner) / (outer + self.rates(places))


class Reads(NamedTuple):
    """Random reads of one byte over parts of a disk. seek_s, seek_variance: mean [s] and variance [s²], shape (parts,).
    seek_to_s, byte_s: mean seek to each of `NODES` of a part and the time of a byte there [s], shape (parts, 16)."""

    seek_s: np.ndarray
    seek_variance: np.ndarray
    seek_to_s: np.ndarray
    byte_s: np.ndarray


def random_reads(zones: Zones, curve: Curve, starts: np.ndarray, spans: np.ndarray) -> Reads:
    """Of places that are equally likely byte by byte. starts, spans: of parts, as shares 0..1 of all bytes.

    The distance from the place before is integrated on either side apart and in the square root of the way to it, in
    which the seek has no corner.
    """
    at, near = NODES[:, None], NODES**2
    before, behind = at * (1 - near), at + (1 - at) * near
    share = 2 * NODES * WEIGHTS
    within = np.concatenate([before, behind], axis=1)
    likely = np.concatenate([at * share, (1 - at) * share], axis=1)

    def place(of_part: np.ndarray) -> np.ndarray:
        whole = starts.reshape(-1, *(1,) * of_part.ndim) + spans.reshape(-1, *(1,) * of_part.ndim) * of_part
        return np.minimum(whole, 1.0)

    ends = place(NODES)
    seeks = curve(np.abs(zones.cylinders(place(within)) - zones.cylinders(ends)[:, :, None]))
    seek_to = (likely * seeks).sum(axis=2)
    mean = seek_to @ WEIGHTS
    variance = ((likely * seeks**2).sum(axis=2) @ WEIGHTS) - mean**2
    return Reads(mean, np.maximum(variance, 0.0), seek_to, 1 / zones.rates(ends))


def byte_s(zones: Zones, starts: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """Mean time of a byte over parts that are read in order [s], shape as starts: from end to end of each."""
    first, last = (zones.rates(np.minimum(place, 1.0)) for place in (starts, starts + spans))
    return 2 / (first + last)
