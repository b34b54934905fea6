"""A measured device: what a benchmark found at each request size and queue depth, interpolated between the sizes."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from pagecost.devices.service import PATTERNS, ServiceTime, block_sizes
from pagecost.errors import known


@dataclass(frozen=True, kw_only=True)
class MeasuredPoint:
    """What a benchmark found of one kind of request, summed over the jobs that ran side by side.

    pattern: of `PATTERNS`. block_bytes: size of a request, their mean where sizes_mixed. depth: requests outstanding,
    of all jobs that ran at the same time. latency_s: mean time of a request at this depth, nan where the file does not
    say it. percentiles: (percent, s), rising; of several jobs the largest, which that of all does not exceed.
    read_share: reads among all requests of that time. beside: other kinds of requests ran at the same time, so the
    rates are those within a mixture. limited: the benchmark itself held the rate down. spread_s: standard deviation of
    the time of a request; bins: (s, count), rising, all requests by their time; span_bytes from start_bytes on: the
    part of the file that they fell on; reached_bytes: how many of them requests in order came past. nan and empty where
    the file does not say it.
    part_unsaid: that part is a share of something whose size the file does not say.
    """

    job: str
    pattern: str
    block_bytes: float
    iops: float
    bytes_per_s: float
    depth: int = 1
    jobs: int = 1
    latency_s: float = float("nan")
    percentiles: tuple[tuple[float, float], ...] = ()
    sizes_mixed: bool = False
    read_share: float = 1.0
    beside: bool = False
    limited: bool = False
    spread_s: float = float("nan")
    bins: tuple[tuple[float, int], ...] = ()
    span_bytes: float = float("nan")
    start_bytes: float = 0.0
    reached_bytes: float = float("nan")
    part_unsaid: bool = False

    @property
    def is_ability(self) -> bool:
        """Whether the rate is what the device can do with requests of one pattern."""
        return not (self.beside or self.limited)

    def percentile_s(self, percent: float) -> float:
        """The percentile of the time of a request [s], nan where it was not recorded. percent: 0..100."""
        return next((time for share, time in self.percentiles if abs(share - percent) < 1e-6), float("nan"))

    def quantiles_s(self, shares: np.ndarray) -> np.ndarray:
        """Times [s] that shares (0..1) of the requests do not exceed, from the bins, else between the percentiles.

        nan beyond the first and the last percentile, and where nothing of the kind was recorded.
        """
        if self.bins:
            times, counts = np.array(self.bins, float).T
            return times[np.searchsorted(np.cumsum(counts) / counts.sum(), shares).clip(0, times.size - 1)]
        if not self.percentiles:
            return np.full(np.shape(shares), np.nan)
        percent, times = np.array(self.percentiles, float).T
        return np.interp(shares, percent / 100, times, left=np.nan, right=np.nan)


@dataclass(frozen=True)
class Measured:
    """A device by its measured points; equal to another with the same points. remarks: what a reader must know."""

    name: str
    points: tuple[MeasuredPoint, ...]
    remarks: tuple[str, ...] = ()

    @property
    def usable(self) -> tuple[MeasuredPoint, ...]:
        """The points that say what the device can do; those of one request size, unless there are none."""
        able = tuple(point for point in self.points if point.is_ability)
        return tuple(point for point in able if not point.sizes_mixed) or able

    @property
    def depth(self) -> float:
        """The queue depth at which most was measured, of several the largest; nan where nothing can be used."""
        found = Counter(depth for _, _, depth in {(p.pattern, p.block_bytes, p.depth) for p in self.usable})
        return float(max(found, key=lambda depth: (found[depth], depth), default=np.nan))

    def parts(self) -> dict[str, "Measured"]:
        """The usable points of one depth and one kind of size, by what tells them apart, empty if nothing must.

        A point of mixed sizes is never joined with one of a single size.
        """
        able = [point for point in self.points if point.is_ability]
        kinds = sorted({(point.sizes_mixed, point.depth) for point in able})
        found = {}
        for mixed, depth in kinds:
            words = ["mixed sizes"] * mixed + [f"depth {depth}"] * (len({depth for _, depth in kinds}) > 1)
            chosen = tuple(point for point in able if (point.sizes_mixed, point.depth) == (mixed, depth))
            found[", ".join(words)] = replace(self, points=chosen)
        return found

    def curve(self, pattern: str, depth: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(block_bytes rising, device time [s], mean latency [s]) of the usable points of a pattern and depth.

        What was measured again counts with the mean of its rates. Empty arrays where nothing was measured.
        """
        known("access pattern", pattern, PATTERNS)
        chosen = [point for point in self.usable if (point.pattern, point.depth) == (pattern, depth)]
        sizes = sorted({point.block_bytes for point in chosen})
        same = [[point for point in chosen if point.block_bytes == size] for size in sizes]
        request_s = [1 / np.mean([point.iops for point in points]) for points in same]
        latency_s = [np.mean([point.latency_s for point in points]) for points in same]
        return np.array(sizes, float), np.array(request_s), np.array(latency_s)

    def service(self, pattern: str, block_bytes, span_bytes: float | None = None) -> ServiceTime:
        """Device time of each block size [bytes] at `depth`, 1 / measured requests per second; shape as `block_bytes`.

        latency_s is the measured mean at depth 1. Between two measured sizes the logarithms are interpolated; outside
        the measured range, and of what was not measured, nothing is claimed (nan).
        """
        sizes, depth = block_sizes(block_bytes), self.depth
        measured, request_s, _ = self.curve(pattern, depth)
        alone, _, latency_s = self.curve(pattern, 1)
        terms = {"measured_s": _between(sizes, measured, request_s)}
        return ServiceTime(terms, depth, _between(sizes, alone, latency_s))


def _between(sizes: np.ndarray, measured: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Times [s] at `sizes`: as measured where measured, interpolated between, nan outside."""
    if not measured.size:
        return np.full_like(sizes, np.nan)
    between = np.exp(np.interp(np.log(sizes), np.log(measured), np.log(times), left=np.nan, right=np.nan))
    exact = np.searchsorted(measured, sizes).clip(0, measured.size - 1)
    return np.where(measured[exact] == sizes, times[exact], between)


def summed(points: Iterable[MeasuredPoint]) -> MeasuredPoint:
    """Points of one pattern that were measured at the same time as one: rates and depths added, latencies by share."""
    points = list(points)
    iops, bytes_per_s = sum(point.iops for point in points), sum(point.bytes_per_s for point in points)
    recorded = [dict(point.percentiles) for point in points]
    latency_s = sum(point.iops * point.latency_s for point in points) / iops
    squares = sum(point.iops * (point.spread_s**2 + (point.latency_s - latency_s) ** 2) for point in points)
    bins: Counter = Counter()
    for point in points:
        bins.update(dict(point.bins))
    shared = sorted(set.intersection(*map(set, recorded)))
    return replace(
        points[0],
        iops=iops,
        bytes_per_s=bytes_per_s,
        depth=sum(point.depth for point in points),
        jobs=sum(point.jobs for point in points),
        latency_s=latency_s,
        spread_s=(squares / iops) ** 0.5,
        bins=tuple(sorted(bins.items())) if all(point.bins for point in points) else (),
        percentiles=tuple((percent, max(each[percent] for each in recorded)) for percent in shared),
        limited=any(point.limited for point in points),
        block_bytes=bytes_per_s / iops if points[0].sizes_mixed else points[0].block_bytes,
    )
