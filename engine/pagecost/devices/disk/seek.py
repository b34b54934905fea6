"""Seek curves: time of the arm over the distance in cylinders. A curve maps distances to seconds, 0 to 0.

Lee's curve through three data-sheet points, the two-part curve of Ruemmler and Wilkes, and what is left when less is
known. Where data-sheet points admit no rising curve of a kind, `fitted` falls back and says so; nothing is clamped.
"""

from dataclasses import dataclass

import numpy as np

from pagecost.errors import require

ROUNDING = 1e-12  # of a time: by so much a curve that is level falls through rounding of sums of times as long
LARGEST_STEP = 0.01  # a two-part curve may jump by so much of its value where its parts meet: rounded constants do


@dataclass(frozen=True)
class Lee:
    """a √(d - 1) + b (d - 1) + c for d >= 1 (Lee and Katz 1993; as in DiskSim's manual). a, b, c [s]."""

    a: float
    b: float
    c: float
    title = "Lee's curve"

    def __call__(self, distance) -> np.ndarray:
        """Seek times [s], shape as `distance` [cylinders] >= 0."""
        distance = np.asarray(distance, float)
        beyond = np.maximum(distance - 1, 0)
        return np.where(distance < 1, 0.0, self.a * np.sqrt(beyond) + self.b * beyond + self.c)

    def rises(self, cylinders: int) -> bool:
        """Whether a longer seek never takes less time: the slope at both ends, between them it changes evenly."""
        root, linear = self.a * np.sqrt(cylinders), self.b * cylinders
        least = -ROUNDING * self.c
        return bool(root >= least and root / 2 + linear >= least)

    @classmethod
    def through(cls, track_to_track_s: float, average_s: float, full_stroke_s: float, cylinders: int) -> "Lee":
        """The curve whose mean over random pairs, shortest and longest seek are the data sheet's."""
        low, average, high = track_to_track_s, average_s, full_stroke_s
        a = (-10 * low + 15 * average - 5 * high) / (3 * np.sqrt(cylinders))
        b = (7 * low - 15 * average + 8 * high) / (3 * cylinders)
        return cls(float(a), float(b), low)


@dataclass(frozen=True)
class TwoPart:
    """a + b √d for d < boundary, c + e d beyond (Ruemmler and Wilkes 1994). a, b, c, e [s], boundary [cylinders]."""

    a: float
    b: float
    c: float
    e: float
    boundary: float
    title = "two-part curve"

    def __post_init__(self):
        near, far = self.a + self.b * np.sqrt(self.boundary), self.c + self.e * self.boundary
        require(
            abs(near - far) <= LARGEST_STEP * max(near, far),
            f"a two-part seek curve must be continuous at its boundary of {self.boundary:g} cylinders; "
            f"its parts give {near * 1e3:.3f} and {far * 1e3:.3f} ms",
        )

    def __call__(self, distance) -> np.ndarray:
        """Seek times [s], shape as `distance` [cylinders] >= 0."""
        distance = np.asarray(distance, float)
        times = np.where(distance < self.boundary, self.a + self.b * np.sqrt(distance), self.c + self.e * distance)
        return np.where(distance < 1, 0.0, times)

    def rises(self, cylinders: int) -> bool:
        """Whether both parts rise; a step down of rounded constants at the boundary is let pass."""
        least = -ROUNDING * max(self.a, self.c)
        return bool(self.b * np.sqrt(self.boundary) >= least and self.e * cylinders >= least)

    @classmethod
    def through(cls, track_to_track_s: float, average_s: float, full_stroke_s: float, cylinders: int) -> "TwoPart":
        """A root up to a third of the cylinders and a line beyond that meet there, with the data sheet's three points.

        With x the share of the cylinders, the mean over random pairs weighs a seek by 2 (1 - x): 5/9 of the weight
        falls on the root, whose mean of √x is 0.20528, 4/9 on the line.
        """
        third = 1 / 3
        root = 4 / 3 * third**1.5 - 4 / 5 * third**2.5  # integral of 2 (1 - x) √x from 0 to 1/3
        slope = 1.5 * (20 / 81 - 4 / 9 * third)  # of 2 (1 - x) (x - 1/3) · 3/2 from 1/3 to 1
        start = track_to_track_s
        one = cylinders**-0.5  # √x of a single cylinder, where the curve starts
        left = average_s - 5 / 9 * start - start * (4 / 9 - slope) - full_stroke_s * slope
        b = left / (root - 5 / 9 * one + (third**0.5 - one) * (4 / 9 - slope))
        e = (full_stroke_s - start - b * (third**0.5 - one)) / (cylinders * (1 - third))
        c = full_stroke_s - e * cylinders
        return cls(float(start - b * one), float(b * one), float(c), float(e), cylinders / 3)


@dataclass(frozen=True)
class Root:
    """Only track-to-track and average are known: a root through both. first_s + b √(d - 1), d >= 1."""

    first_s: float
    b: float
    title = "square root through track-to-track and average"

    def __call__(self, distance) -> np.ndarray:
        """Seek times [s], shape as `distance` [cylinders] >= 0."""
        distance = np.asarray(distance, float)
        return np.where(distance < 1, 0.0, self.first_s + self.b * np.sqrt(np.maximum(distance - 1, 0)))

    def rises(self, cylinders: int) -> bool:
        """Whether a longer seek never takes less time."""
        return self.b >= 0


@dataclass(frozen=True)
class Constant:
    """Only the average is known: every seek takes it, but nothing to the neighbouring cylinder."""

    average_s: float
    title = "the average for every distance"

    def __call__(self, distance) -> np.ndarray:
        """Seek times [s], shape as `distance` [cylinders] >= 0."""
        return np.where(np.asarray(distance) < 2, 0.0, self.average_s)

    def rises(self, cylinders: int) -> bool:
        """Whether a longer seek never takes less time."""
        return True


@dataclass(frozen=True)
class Table:
    """Published or measured times of some distances, lines between them; beyond the last point its line goes on.

    distances: cylinders, rising from 1. times_s: as many [s], above 0. A single point holds for every distance. Raises
    ModelError for a table that is none.
    """

    distances: tuple[float, ...]
    times_s: tuple[float, ...]
    title = "table of distances and times"

    def __post_init__(self):
        object.__setattr__(self, "distances", tuple(map(float, self.distances)))
        object.__setattr__(self, "times_s", tuple(map(float, self.times_s)))
        require(
            len(self.distances) == len(self.times_s) >= 1,
            f"a seek table needs a time for each distance; got {len(self.distances)} and {len(self.times_s)}",
        )
        require(self.distances[0] == 1, f"a seek table begins with one cylinder; got {self.distances[0]:g}")
        require(bool((np.diff(self.distances) > 0).all()), "the distances of a seek table must rise")
        require(self.times_s[0] > 0, f"seek times must be above 0; got {self.times_s[0]:g} s")

    def __call__(self, distance) -> np.ndarray:
        """Seek times [s], shape as `distance` [cylinders] >= 0."""
        distance = np.asarray(distance, float)
        times = np.interp(distance, self.distances, self.times_s)
        if len(self.distances) > 1:
            (near, far), (short, long) = self.distances[-2:], self.times_s[-2:]
            times = np.where(distance > far, long + (distance - far) * (long - short) / (far - near), times)
        return np.where(distance < 1, 0.0, times)

    def rises(self, cylinders: int) -> bool:
        """Whether a longer seek never takes less time."""
        return bool((np.diff(self.times_s) >= 0).all())


Curve = Lee | TwoPart | Root | Constant | Table

PUBLISHED: dict[str, Curve] = {"hp-97560": TwoPart(3.24e-3, 0.400e-3, 8.00e-3, 0.008e-3, 383)}
"""Curves that were published as such: the HP 97560 of Ruemmler and Wilkes 1994."""


def fitted(
    cylinders: int, average_s: float, track_to_track_s: float | None = None, full_stroke_s: float | None = None
) -> tuple[Curve, str]:
    """The curve [s] through what a data sheet states, and a sentence on any assumption ("" if none was needed).

    average_s: mean over random pairs of `cylinders` cylinders, without command overhead. Raises
    ModelError for points that do not rise or that no rising curve of the kinds here goes through.
    """
    require(cylinders >= 2, f"a seek curve needs at least two cylinders; got {cylinders}")
    require(average_s > 0, f"the average seek must be positive; got {average_s}")
    known = {"track-to-track": track_to_track_s, "average": average_s, "full stroke": full_stroke_s}
    points = {name: time for name, time in known.items() if time is not None}
    times = list(points.values())
    require(
        times == sorted(times) and times[0] >= 0,
        f"seek times must rise from {' to '.join(points)}; got {', '.join(f'{1e3 * t:g}' for t in times)} ms",
    )
    if track_to_track_s is None:
        return (
            Constant(average_s),
            "only the average seek is known; every seek takes it, but for neighbours: order saves rotation only",
        )
    if full_stroke_s is None:
        b = (average_s - track_to_track_s) * 15 / 8 / np.sqrt(cylinders)  # E √x = 8/15
        return Root(track_to_track_s, float(b)), "the full stroke is not known: a square root through the other two"
    curve = Lee.through(track_to_track_s, average_s, full_stroke_s, cylinders)
    if curve.rises(cylinders):
        return curve, ""
    fallback = TwoPart.through(track_to_track_s, average_s, full_stroke_s, cylinders)
    require(
        fallback.rises(cylinders),
        f"no rising seek curve goes through {', '.join(f'{1e3 * t:g}' for t in times)} ms over {cylinders} cylinders",
    )
    return fallback, "Lee's curve would fall towards long distances; a root and a line that meet at a third instead"


def mean_seek_s(curve: Curve, cylinders: int) -> float:
    """Mean [s] over two independent random cylinders, no seek included: the data sheet's average."""
    distance = np.arange(1, cylinders)
    return float(2 * np.sum((cylinders - distance) * curve(distance)) / cylinders**2)
