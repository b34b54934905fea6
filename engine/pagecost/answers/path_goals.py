"""How many transactions a second a whole path answers within a goal, and the least of it that is enough for a rate.

Transactions come at random times (Poisson) and go the whole way: connection, processors, locks, buffer, log, page
cache, file system, scheduler, devices. Whatever is told here is told of several runs with other random numbers.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pagecost import oltp
from pagecost.answers import path_loads, path_runs
from pagecost.answers.response_goals import Within, least_that_holds
from pagecost.intervals import mean_and_half_width
from pagecost.remembering import remembered

WARM_UP = 0.25  # of the transactions that are measured, before them
AT_ONCE_HZ = 1e9  # all come at once: a path then does what it can
IDLE = 0.01  # of what a path can do: hardly two transactions meet
CLOSE = 0.01  # a percentile that is so close to the goal is at it
WIDTH = 1.01  # of the bracket that a knee is left in
FILLING_REFERENCES = 8_000_000  # of pages, with which write caches are filled at most: some 150 MB of arrays
PASSES = 4  # over the write caches: what is written over, or back at once, fills none
FILLINGS = 40  # parts of that, after each of which a look is taken
FULL, STILL = 0.98, 0.02  # of the write caches; where less of what comes stays, they grow no more
AT_ALL = 1e-9  # of the goal: what takes less, where all is in the buffer, takes no time
MOST_RUNS = 10  # on the way to a knee
SHOWN = (0.05, 0.3, 0.6, 0.85, 1.15)  # of a knee, where a curve shows it
LEAST_FRAMES = 64
STEPS = 2**0.5  # from a buffer to the next larger one that is tried


@dataclass(frozen=True, kw_only=True)
class Path:
    """A path and what is asked of it, by value. setup: at rest, its users are the connections. fill: transactions that
    fill the caches before, without time. measured: of a run, after a quarter as many that warm up."""

    setup: oltp.Setup
    load: path_loads.AnyLoad
    fill: int = path_runs.FILL
    measured: int = 4_000

    def loaded(self, seed: int, more: int = 0) -> oltp.Load:
        """Its transactions: as many as a run needs, one for each connection that runs ahead, and so many more."""
        all_of_them = self.fill + self.measured + round(WARM_UP * self.measured) + self.setup.users + 1
        all_of_them += more + FILLINGS if more else 0
        return path_loads.loaded(self.load, all_of_them, seed)

    def cached_share(self, seed: int) -> float:
        """Bytes that a transaction changes over those that all write caches hold; 0 where there are none."""
        log = self.setup.log and self.setup.log.storage
        cached_bytes = sum(each.count * each.write_cache_bytes for each in (self.setup.storage, log) if each)
        load = self.loaded(seed)
        changed_bytes = load.page_bytes * max(float(load.write.sum()), 1.0) / load.transactions
        return changed_bytes / cached_bytes if cached_bytes else 0.0

    def filling(self, seed: int) -> int:
        """Transactions that fill the write caches, several times over; 0 where there are none."""
        share, load = self.cached_share(seed), self.loaded(seed)
        most = FILLING_REFERENCES * load.transactions / max(load.page.size, 1)
        return math.ceil(min(PASSES / share, most)) if share else 0

    def with_drives(self, count: int) -> "Path":
        """The same on so many drives side by side."""
        return replace(self, setup=replace(self.setup, storage=replace(self.setup.storage, count=count)))

    def with_frames(self, frames: int) -> "Path":
        """The same with a buffer of so many frames."""
        return replace(self, setup=replace(self.setup, buffer=replace(self.setup.buffer, frames=frames)))


class Ran(NamedTuple):
    """What a run found. percentile_s: of the response times [s]. busy: of a drive, the mean. written_bytes_per_s: to
    all drives. log_busy, log_written_bytes_per_s: of what the log has for itself, nan and 0 where that is nothing.
    busiest: the station with the least room left, and the share of the time that it works. mostly: the longest term of
    a mean response in words, and how long [s]. filling: write caches still had room and took more than was written
    back, so that a longer run may do less. filled: share of the buffer's frames that held a page, as of a run."""

    percentile_s: float
    mean_s: float
    tps: float
    busy: float
    written_bytes_per_s: float
    log_busy: float
    log_written_bytes_per_s: float
    busiest: tuple[str, float]
    mostly: tuple[str, float]
    filling: bool = False
    filled: float = 1.0


@remembered
def ran(path: Path, share: float, rate_hz: float, seed: int) -> Ran:
    """One run at a rate [1/s]. Raises ModelError where the parts of the path do not fit."""
    setup = replace(path.setup, rate_hz=rate_hz)
    more = path.filling(seed) if rate_hz == AT_ONCE_HZ else 0  # what waits for nobody fills no cache
    simulation = oltp.Simulation(setup, path.loaded(seed, more), fill=path.fill, seed=seed)
    simulation.carry_on(transactions=round(WARM_UP * path.measured))
    filling = _fill_caches(simulation, more, path.cached_share(seed) if more else 0.0)
    simulation.measure_from_here()
    simulation.carry_on(transactions=path.measured)
    made = simulation.result()
    return Ran(
        percentile_s=float(np.quantile(simulation.responses_s, share, method="inverted_cdf")),
        mean_s=made.response_s,
        tps=made.tps,
        busy=made.busy(),
        written_bytes_per_s=_written(made, made.devices()),
        log_busy=made.busy(of_log=True),
        log_written_bytes_per_s=_written(made, made.devices(of_log=True)),
        busiest=max(made.utilisation.items(), key=lambda station: station[1]),
        mostly=max(
            ((oltp.OPEN_TERMS[term], time_s) for term, time_s in made.composition.items()), key=lambda of: of[1]
        ),
        filling=filling,
        filled=made.filled,
    )


def _fill_caches(simulation: oltp.Simulation, transactions: int, share: float) -> bool:
    """Go on until the write caches are full or as much is written back as comes; False. True: so many transactions were
    too few for it. share: of the caches, that one changes."""
    part = max(1, math.ceil(transactions / FILLINGS))
    for _ in range(0, transactions, part):
        before = simulation.cached_share
        simulation.carry_on(transactions=part)
        if simulation.cached_share >= FULL or abs(simulation.cached_share - before) < STILL * share * part:
            return False
    return transactions > 0


def _written(made: oltp.OltpRun, names: Sequence[str]) -> float:
    return sum(made.written_bytes[name] for name in names) / made.seconds


def at_once(path: Path, seed: int) -> Ran:
    """What a path does when all come at once: its `tps` is what it can do for ever."""
    return ran(path, 0.5, AT_ONCE_HZ, seed)


class Point(NamedTuple):
    """A rate [1/s], and the percentile [s] of one run at it."""

    rate_hz: float
    percentile_s: float


class Found(NamedTuple):
    """A knee with one seed: rate_hz, 0 where even transactions that never meet take longer; alone_s: their percentile;
    capacity_hz: what the path can do; points: what was simulated on the way, by rate."""

    rate_hz: float
    alone_s: float
    capacity_hz: float
    points: tuple[Point, ...]


@remembered
def knee_with(path: Path, goal: Within, seed: int) -> Found:
    """The largest rate whose percentile is within the goal, for one seed.

    One over the percentile falls nearly straight to zero as a queue fills up, so that a line between the two bounds
    (regula falsi, Illinois: Dowell and Jarratt 1971) finds where it meets the goal in a few runs.
    """
    most_hz = at_once(path, seed).tps

    def beyond(rate_hz: float) -> float:
        """Above 0 where the goal holds, -1 where nothing is ever answered."""
        made = ran(path, goal.share, rate_hz, seed)
        points.append(Point(rate_hz, made.percentile_s))
        return goal.within_s / max(made.percentile_s, AT_ALL * goal.within_s) - 1

    points: list[Point] = []
    low, high = IDLE * most_hz, most_hz
    left, right = beyond(low), -1.0
    alone_s = points[0].percentile_s
    if left < 0:
        return Found(0.0, alone_s, most_hz, tuple(points))
    side = 0
    while len(points) < MOST_RUNS and high / low > WIDTH:
        rate_hz = low + (high - low) * left / (left - right)
        found = beyond(rate_hz)
        if abs(found) <= CLOSE:
            return Found(rate_hz, alone_s, most_hz, tuple(sorted(points)))
        if found > 0:
            low, left = rate_hz, found
            right, side = (right / 2 if side == 1 else right), 1
        else:
            high, right = rate_hz, found
            left, side = (left / 2 if side == -1 else left), -1
    return Found(low, alone_s, most_hz, tuple(sorted(points)))


def way_to(path: Path, goal: Within, found: Found, seed: int) -> Found:
    """A knee with further points, so that a curve shows how a path gets there and a little beyond."""
    rates = [part * found.rate_hz for part in SHOWN if part * found.rate_hz < found.capacity_hz]
    more = [Point(rate_hz, ran(path, goal.share, rate_hz, seed).percentile_s) for rate_hz in rates if rate_hz]
    return found._replace(points=tuple(sorted({*found.points, *more})))


class Knee(NamedTuple):
    """The knees of several seeds together: rate_hz, their mean, with its 95 % interval; alone_s, capacity_hz: means."""

    low_hz: float
    rate_hz: float
    high_hz: float
    alone_s: float
    capacity_hz: float


def knee_of(found: Sequence[Found]) -> Knee:
    """What two or more seeds say together (Student's t over them); the interval ends at what a path can do."""
    rate_hz, half_hz = mean_and_half_width([each.rate_hz for each in found])
    most_hz = float(np.mean([each.capacity_hz for each in found]))
    alone_s = float(np.mean([each.alone_s for each in found]))
    return Knee(max(rate_hz - half_hz, 0.0), rate_hz, max(min(rate_hz + half_hz, most_hz), rate_hz), alone_s, most_hz)


class Least(NamedTuple):
    """The least number with which a goal holds with every seed, and the least with which it holds with any."""

    every: int
    any: int


def holds(path: Path, goal: Within, rate_hz: float, seed: int) -> bool:
    """Whether the percentile of a run at a rate is within the goal."""
    return ran(path, goal.share, rate_hz, seed).percentile_s <= goal.within_s


def least_drives(path: Path, goal: Within, rate_hz: float, seeds: Sequence[int]) -> Least | None:
    """The least number of drives side by side, as they are joined; None where not even the most there can be are
    enough."""
    return _least(path.with_drives, path.setup.storage.counts, goal, rate_hz, seeds)


def least_frames(path: Path, goal: Within, rate_hz: float, seeds: Sequence[int]) -> Least | None:
    """The least of `sizes` of the buffer; None where not even the largest is enough."""
    return _least(path.with_frames, sizes(path, seeds[0]), goal, rate_hz, seeds)


def _least(
    path_of: Callable[[int], Path], numbers: Sequence[int], goal: Within, rate_hz: float, seeds: Sequence[int]
) -> Least | None:
    """What cannot be done for ever does not hold, however short the run."""

    def able(at: int) -> bool:
        return at_once(path_of(numbers[at]), seeds[0]).tps >= rate_hz

    def each(at: int):
        return (holds(path_of(numbers[at]), goal, rate_hz, seed) for seed in seeds)

    def enough(at: int) -> bool:
        return able(at) and all(each(at))

    low, high = 0, 0  # twice as far up at a time, for what is enough is mostly near the lower end
    while high < len(numbers) - 1 and not enough(high):
        low, high = high + 1, min(2 * high + 1, len(numbers) - 1)
    every = least_that_holds(enough, low, high)
    if every is None:
        return None
    some = every
    while some > 0 and able(some - 1) and any(each(some - 1)):
        some -= 1
    return Least(numbers[every], numbers[some])


def sizes(path: Path, seed: int) -> tuple[int, ...]:
    """Sizes of the buffer that are tried [frames], smallest first: from a frame for each connection to what is full
    when the clock starts, for one that is not yet full has no page to write before it reads."""
    least, most = max(LEAST_FRAMES, path.setup.users), filled(path, seed)
    found, size = [], float(least)
    while round(size) < most:
        found.append(round(size))
        size *= STEPS
    return (*found, max(most, least))


@remembered
def filled(path: Path, seed: int) -> int:
    """Frames that the transactions before the clock starts can fill: the distinct pages that they touch."""
    load = path.loaded(seed)
    return int(np.unique(load.page[: load.first[path.fill]]).size)
