"""What was measured, as a fit wants it: one observation per kind of request, with what its repetitions say of noise."""

import fnmatch
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pagecost.calibration.jobs import HELD_OUT
from pagecost.devices import Measured, MeasuredPoint
from pagecost.devices.fio import CACHED, LEFT_OUT
from pagecost.devices.service import is_random, is_write
from pagecost.errors import require
from pagecost.units import format_bytes

MOST_NAMED = 3  # jobs in a sentence


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One kind of request, over all its repetitions. iops: their geometric mean [1/s]. logs: natural logarithm of each.

    points: as measured. held_out: not to be used in a fit.
    """

    pattern: str
    block_bytes: float
    depth: int
    span_bytes: float
    start_bytes: float
    logs: tuple[float, ...]
    points: tuple[MeasuredPoint, ...]
    held_out: bool

    @property
    def iops(self) -> float:
        """Requests per second."""
        return math.exp(float(np.mean(self.logs)))

    @property
    def is_random(self) -> bool:
        """Whether requests start at random places."""
        return is_random(self.pattern)

    @property
    def is_write(self) -> bool:
        """Whether requests write."""
        return is_write(self.pattern)

    @property
    def spread_s(self) -> float:
        """Standard deviation of the time of a request, root mean square over the repetitions; nan if not recorded."""
        return float(np.sqrt(np.mean([point.spread_s**2 for point in self.points])))

    @property
    def reached_bytes(self) -> float:
        """How far requests in order came from start_bytes on, mean of the repetitions; inf if not recorded."""
        recorded = [point.reached_bytes for point in self.points if math.isfinite(point.reached_bytes)]
        return float(np.mean(recorded)) if recorded else math.inf

    @property
    def title(self) -> str:
        """The kind of request in words."""
        size = format_bytes(self.block_bytes)
        words = [f"{self.pattern} {size}, {self.depth} outstanding"]
        if math.isfinite(self.span_bytes):
            words.append(f"over {format_bytes(self.span_bytes)}")
        return " ".join(words)


@dataclass(frozen=True)
class Observations:
    """All of a measurement. noise: standard deviation of the logarithm of one rate over repetitions, nan without any.

    left_out: sentences on what the files hold and a fit cannot use.
    """

    all: tuple[Observation, ...]
    noise: float
    left_out: tuple[str, ...] = ()

    @property
    def fitted(self) -> tuple[Observation, ...]:
        """Those that a fit may use."""
        return tuple(each for each in self.all if not each.held_out)

    @property
    def held_out(self) -> tuple[Observation, ...]:
        """Those that a fit must predict."""
        return tuple(each for each in self.all if each.held_out)


def gather(results: Sequence[Measured], hold_out: Iterable[str] = ()) -> Observations:
    """The observations of several fio results together; what has all in common is a repetition. A run that is given
    twice, the same in every number down to the times of its requests, counts once.

    hold_out: names of jobs (with * and ?) that the fit shall not use, beside those that begin with "held-out". Raises
    ModelError for a name that no job has, and when nothing is left to fit.
    """
    hold_out = tuple(hold_out)
    kinds: dict[tuple, list[MeasuredPoint]] = {}
    left_out: list[str] = []
    runs: set[tuple] = set()
    twice: dict[str, None] = {}
    for result in results:
        left_out += [remark for remark in result.remarks if remark.startswith((LEFT_OUT, CACHED))]
        for point in result.points:
            if point.is_ability and not point.sizes_mixed:
                if (run := _run(point)) in runs:
                    twice[point.job] = None
                    continue
                runs.add(run)
                span = point.span_bytes if math.isfinite(point.span_bytes) else -1.0
                key = (point.pattern, point.block_bytes, point.depth, span, point.start_bytes)
                kinds.setdefault((*key, _is_held_out(point.job, hold_out)), []).append(point)
            else:
                left_out.append(f"{LEFT_OUT}job {point.job!r}, {_why_unfit(point)}.")
    if twice:
        left_out.append(f"{LEFT_OUT}what is given twice, equal in every number, and so no repetition: {_named(twice)}.")
    names = [point.job for result in results for point in result.points]
    for wanted in hold_out:
        there = any(fnmatch.fnmatchcase(name, wanted) for name in names)
        require(
            there, f"no job is called {wanted!r}, which is to be held out; the jobs: {', '.join(dict.fromkeys(names))}"
        )
    found = tuple(
        Observation(
            pattern=pattern,
            block_bytes=block,
            depth=depth,
            span_bytes=span if span >= 0 else math.nan,
            start_bytes=start,
            logs=tuple(math.log(point.iops) for point in points),
            points=tuple(points),
            held_out=held,
        )
        for (pattern, block, depth, span, start, held), points in kinds.items()
    )
    reasons = " ".join(dict.fromkeys(left_out))
    require(
        any(not each.held_out for each in found),
        f"nothing is left to fit: every usable job is held out or left out. {reasons}".rstrip(),
    )
    return Observations(found, _noise(found), tuple(dict.fromkeys(left_out)))


def _run(point: MeasuredPoint) -> tuple:
    """What two runs never have in common: rate and times of the requests. Of one without times, itself."""
    if not math.isfinite(point.latency_s):
        return (id(point),)
    kind = (point.pattern, point.block_bytes, point.depth, point.iops, point.bytes_per_s, point.latency_s)
    return (*kind, repr(point.spread_s), point.percentiles, point.bins)  # a number that is none equals no other


def _why_unfit(point: MeasuredPoint) -> str:
    """Why a fit cannot use a point."""
    reasons = (
        ("of mixed sizes", point.sizes_mixed),
        ("among requests of other kinds", point.beside),
        ("held down by fio itself", point.limited),
    )
    return " and ".join(reason for reason, holds in reasons if holds)


def _named(jobs: Iterable[str]) -> str:
    """Jobs by their names, a few of them."""
    names = [repr(job) for job in jobs]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"job{'s' if len(names) > 1 else ''} {', '.join(names[:MOST_NAMED])}{more}"


def every_held_out(observations: Observations, every: int) -> Observations:
    """The same with every so-many-th of those to fit held out as well, in the order of the files; 0: as it is.

    Raises ModelError for a step below 2, which would leave nothing to fit.
    """
    if every == 0:
        return observations
    require(every >= 2, f"every second point or fewer can be held out; got every {every}")
    turns = iter(range(1, len(observations.all) + 1))
    made = (each if each.held_out else replace(each, held_out=next(turns) % every == 0) for each in observations.all)
    return replace(observations, all=tuple(made))


def _is_held_out(name: str, hold_out: tuple[str, ...]) -> bool:
    return name.startswith(HELD_OUT) or any(fnmatch.fnmatchcase(name, each) for each in hold_out)


def _noise(observations: Iterable[Observation]) -> float:
    """Pooled over all kinds that were measured more than once."""
    several = [np.array(each.logs) for each in observations if len(each.logs) > 1]
    if not several:
        return math.nan
    squares = sum(float(((logs - logs.mean()) ** 2).sum()) for logs in several)
    return math.sqrt(squares / sum(logs.size - 1 for logs in several))
