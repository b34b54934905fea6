"""How many requests a second a device carries while a percentile of their response times stays within a goal.

Requests come at random times (Poisson) and fall on random pages of the whole device; the device is simulated request by
request. Of an array in stripes each device gets its share of them, and the times are those of one device at that rate.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from pagecost import cancellation, catalogue
from pagecost.answers import disk_runs, ssd_runs
from pagecost.answers.die_queues import DieQueue
from pagecost.answers.service_samples import PAGE_BYTES, require_simulated
from pagecost.devices import disk, ssd
from pagecost.devices.ssd.collecting import Collecting, collecting
from pagecost.errors import require
from pagecost.intervals import mean_and_half_width
from pagecost.remembering import remembered
from pagecost.transactions.percentiles import Kind, OpenQueue, Server

BATCHES = 20
TAIL = 12  # requests of a batch beyond the percentile, at least
LEAST, MOST = 16_000, 128_000  # requests that are measured
FULL, LONGER = 0.1, 8  # a run is longer where less than that share of a device is idle, at most so many times
WARM_UP = 0.25  # of a run, before what is measured
DEPTH = 8192  # places in an SSD's queue
LONGEST_QUEUE = 65_536  # of a disk
WIDTH = 1.03  # of the bracket that the knee is left in
MOST_RUNS = 14
SHOWN = (0.2, 0.4, 0.6, 0.8)  # of the rate that surely holds, where the way to it is simulated, too
FORMULA_LOADS = (0.02, 0.98, 25)  # of what a device can do, from, to, points
IDLE = 0.01  # of what a device can do: nobody is in the way
SEVERAL = 4096  # outstanding where an SSD's largest rate is measured: so many that chance leaves no die without work


@dataclass(frozen=True, kw_only=True)
class Within:
    """share (0 < share < 1) of all are answered within within_s [s]. Raises ModelError for what cannot be a goal."""

    share: float = 0.99
    within_s: float = 2e-3

    def __post_init__(self):
        require(0 < self.share < 1, f"a percentile's share must lie between 0 and 1; got {self.share:g}")
        require(0 < self.within_s < math.inf, f"the goal of a response time must be above 0 s; got {self.within_s:g} s")


@dataclass(frozen=True, kw_only=True)
class Goal(Within):
    """The same of requests to a device, read_share of them reads, 0..1.

    reads_only: of the reads alone, where nobody waits for a write. page_bytes: of a request. Raises ModelError.
    """

    read_share: float = 0.7
    page_bytes: int = PAGE_BYTES
    reads_only: bool = False

    def __post_init__(self):
        super().__post_init__()
        require(0 <= self.read_share <= 1, f"the share of reads must be 0..1; got {self.read_share:g}")
        require(not self.reads_only or self.read_share > 0, "a goal for reads needs reads; got a share of reads of 0")


class Percentile(NamedTuple):
    """A percentile of response times [s] with its 95 % interval (batch means), from so many requests."""

    value_s: float
    low_s: float
    high_s: float
    requests: int


class Point(NamedTuple):
    """One rate [1/s] of one device, and what came out."""

    rate_hz: float
    response: Percentile


@dataclass(frozen=True)
class Knee:
    """What one device carries within a goal.

    low_hz: the largest rate whose whole interval is within the goal; high_hz: the least whose whole interval is
    beyond, or what the device can do at all. rate_hz: the estimate between. All 0 where even a lone request takes
    longer. alone: the percentile of requests that never meet. points: by rate. monotone: whether no point takes
    surely less than one of a smaller rate. formula_hz: what the formula says.
    """

    low_hz: float
    rate_hz: float
    high_hz: float
    capacity_hz: float
    formula_hz: float
    alone: Percentile
    points: tuple[Point, ...]
    monotone: bool


class Served(NamedTuple):
    """A device as the formula takes it: so many equal queues, each of which gets its share of the requests.

    Where a request needs several dies at once, there are as many times fewer.
    """

    queues: float
    queue: OpenQueue
    reads_only: bool

    @property
    def _of(self) -> tuple[Kind, ...]:
        return tuple(self.queue.kinds[:1]) if self.reads_only else ()

    def percentile_s(self, share: float, rate_hz: float) -> float:
        """That of the response times [s] at a rate of the whole device, infinite where it is full."""
        return self.queue.percentile_s(share, rate_hz / self.queues, self._of)

    def rate_within_hz(self, share: float, within_s: float) -> float:
        """The largest rate [1/s] of the whole device within a goal."""
        return self.queues * self.queue.rate_within_hz(share, within_s, self._of)


def served(device: catalogue.Device, goal: Goal) -> Served:
    """A device as queues side by side: a disk's arm (M/G/1), or an SSD's dies (`DieQueue`), each asked by chance.

    What an SSD's collector does is counted on its map, without time. A write cache answers writes at once. Raises
    ModelError for a device that cannot be simulated.
    """
    require_simulated(device.id)
    reads = goal.read_share
    if device.id in disk_runs.disks():
        model = disk.Disk.of(device)
        sectors = goal.page_bytes // disk.SECTOR_BYTES
        services = [
            disk.random_services(model, model.geometry.sectors, sectors, write=write) for write in (False, True)
        ]
        kinds = [
            Kind(share, float(times_s.mean())) for share, times_s in zip((reads, 1 - reads), services, strict=True)
        ]
        return Served(1, Server(kinds, services), goal.reads_only)
    drive = ssd_runs.ssd_of(device)
    die = DieQueue.of(drive, reads, goal.page_bytes, _collecting(drive, goal.page_bytes))
    return Served(drive.dies / die.lanes, die, goal.reads_only)


def formula_curve(device: catalogue.Device, goal: Goal) -> tuple[tuple[float, float], ...]:
    """(rate [1/s], the goal's percentile [s]) by the formula, up to where the device's queues are full."""
    return _formula_curve(device, goal.read_share, goal.page_bytes, goal.reads_only, goal.share)


@remembered
def _formula_curve(
    device: catalogue.Device, read_share: float, page_bytes: int, reads_only: bool, share: float
) -> tuple[tuple[float, float], ...]:
    found = served(device, Goal(share=share, read_share=read_share, page_bytes=page_bytes, reads_only=reads_only))
    rates_hz = np.linspace(*FORMULA_LOADS) * (found.queues * found.queue.capacity_hz)
    curve = []
    for rate_hz in rates_hz:
        cancellation.point()
        curve.append((float(rate_hz), found.percentile_s(share, rate_hz)))
    return tuple(curve)


@remembered
def _collecting(drive: ssd.Ssd, page_bytes: int) -> Collecting:
    return collecting(_steady(drive, page_bytes).on_a_copy(request_bytes=page_bytes), drive)


def _steady(drive: ssd.Ssd, page_bytes: int) -> ssd.Session:
    flash = replace(drive, order="fifo", write_cache_bytes=0)  # neither changes where a write goes
    return ssd_runs.prepared(flash, "steady", "random", page_bytes, 1.0, 1)


@remembered
def capacity_hz(device: catalogue.Device, read_share: float, page_bytes: int, seed: int) -> float:
    """Requests a second that a device can do for ever: an arm without a queue, an SSD with many outstanding."""
    if device.id in disk_runs.disks():
        return served(device, Goal(read_share=read_share, page_bytes=page_bytes)).queue.capacity_hz
    load = ssd_runs.Load(depth=SEVERAL, read_share=read_share, request_bytes=page_bytes, seed=seed)
    made = ssd_runs.measured(ssd_runs.ssd_of(device), load)
    return made.iops


@remembered
def response(device: catalogue.Device, goal: Goal, rate_hz: float, requests: int, seed: int) -> Percentile:
    """The goal's percentile at a rate, from so many measured requests after a quarter as many that warm up."""
    count = round(requests * (1 + WARM_UP))
    random = np.random.default_rng([seed, 59])
    arrival_s = np.cumsum(random.exponential(1 / rate_hz, count))
    write = random.random(count) >= goal.read_share
    run = _of_disk if device.id in disk_runs.disks() else _of_ssd
    response_s, write = run(device, goal, arrival_s, write, random, seed)
    times_s = response_s[count - requests :]
    if goal.reads_only:
        times_s = times_s[~write[count - requests :]]
    return percentile(times_s, goal.share)


def percentile(times_s: np.ndarray, share: float) -> Percentile:
    """The share's percentile of times [s] in their order, with its interval from the batches' own percentiles."""
    batches = times_s[: times_s.size // BATCHES * BATCHES].reshape(BATCHES, -1)
    value_s = float(np.quantile(times_s, share, method="inverted_cdf"))
    if batches.shape[1] * (1 - share) < 1:
        return Percentile(value_s, 0.0, math.inf, times_s.size)
    _, half_s = mean_and_half_width(np.quantile(batches, share, axis=1, method="inverted_cdf"))
    return Percentile(value_s, max(value_s - half_s, 0.0), value_s + half_s, times_s.size)


def _of_disk(device, goal, arrival_s, write, random, seed) -> tuple[np.ndarray, np.ndarray]:
    """Response times [s] in the order of the requests, and which of them are writes."""
    model = disk.Disk.of(device)
    sectors = goal.page_bytes // disk.SECTOR_BYTES
    places = model.geometry.sectors // sectors
    session = disk.Session(model, depth=LONGEST_QUEUE, closed=False)
    run = session.serve(random.integers(0, places, write.size) * sectors, sectors, write, arrival_s)
    return run.in_order().response_s, write


def _of_ssd(device, goal, arrival_s, write, random, seed) -> tuple[np.ndarray, np.ndarray]:
    drive = ssd_runs.ssd_of(device)
    load = ssd_runs.Load(request_bytes=goal.page_bytes, seed=seed)
    session = _steady(drive, goal.page_bytes).on_a_copy(DEPTH, closed=False, request_bytes=goal.page_bytes, ssd=drive)
    run = session.serve(load.places(drive)(write.size), write, arrival_s, last=True)
    order = np.argsort(run.number, kind="stable")
    return run.response_s[order], run.write[order]


def judged(device: catalogue.Device, goal: Goal, rate_hz: float, seed: int) -> tuple[Percentile, bool | None]:
    """The percentile at a rate, and whether the goal surely holds, surely does not, or cannot be told (None).

    Requests are doubled until the interval lies on one side of the goal. What a device cannot do for ever does not
    hold, however short the run.
    """
    most_hz = capacity_hz(device, goal.read_share, goal.page_bytes, 1)
    least = _least(goal)
    if rate_hz < most_hz:  # the fuller a queue, the longer it takes to forget how it began
        least = round(least * min(max(FULL / (1 - rate_hz / most_hz), 1.0), LONGER))
    requests = least
    while True:
        found = response(device, goal, rate_hz, requests, seed)
        if found.low_s > goal.within_s:
            return found, False
        if found.high_s <= goal.within_s:
            return found, rate_hz <= most_hz
        if requests >= max(MOST, least):
            return found, None
        requests *= 2


def _least(goal: Goal) -> int:
    """Requests of a run, so that every batch has some beyond the percentile."""
    of_goal = goal.read_share if goal.reads_only else 1.0
    return max(LEAST, round(BATCHES * TAIL / (1 - goal.share) / of_goal))


@dataclass
class _Search:
    """Two bounds that close in: rates that surely hold, and rates that surely do not."""

    device: catalogue.Device
    goal: Goal
    seed: int
    low: float
    high: float
    points: list[Point] = field(default_factory=list)
    unsure: list[float] = field(default_factory=list)

    def ask(self, rate_hz: float) -> bool | None:
        """Judge a rate, and move the bound that it moves."""
        found, holds = judged(self.device, self.goal, rate_hz, self.seed)
        self.points.append(Point(rate_hz, found))
        if holds:
            self.low = max(self.low, rate_hz)
        elif holds is None:
            self.unsure.append(rate_hz)
        else:
            self.high = min(self.high, rate_hz)
        self.unsure = [rate for rate in self.unsure if self.low < rate < self.high]
        return holds

    def next_hz(self) -> float | None:
        """The rate to ask next; None where both bounds are as close as they need to be."""
        inner = sorted(self.unsure)
        gaps = [(self.low, inner[0]), (inner[-1], self.high)] if inner else [(self.low, self.high)]
        low, high = max(gaps, key=lambda gap: gap[1] / gap[0])
        return math.sqrt(low * high) if high / low > WIDTH else None


@remembered
def knee(device: catalogue.Device, goal: Goal, seed: int = 1) -> Knee:
    """The largest rate of one device within a goal, by bisection over its simulation. Raises ModelError as `served`."""
    formula = served(device, goal)
    guess_hz = formula.rate_within_hz(goal.share, goal.within_s)
    most_hz = capacity_hz(device, goal.read_share, goal.page_bytes, 1)
    idle_hz = IDLE * most_hz
    search = _Search(device, goal, seed, idle_hz, most_hz)
    holds = search.ask(idle_hz)
    alone = search.points[0].response
    if not holds:
        return Knee(0.0, 0.0, idle_hz if holds is None else 0.0, most_hz, guess_hz, alone, tuple(search.points), True)
    if idle_hz * WIDTH < guess_hz < most_hz / WIDTH:
        search.ask(guess_hz)
    while len(search.points) < MOST_RUNS and (rate_hz := search.next_hz()) is not None:
        search.ask(rate_hz)
    for part in SHOWN:
        rate_hz = part * search.low
        if rate_hz > 2 * idle_hz:
            search.points.append(Point(rate_hz, response(device, goal, rate_hz, _least(goal), seed)))
    points = tuple(sorted(search.points))
    within = [point.rate_hz for point in points if point.response.value_s <= goal.within_s and point.rate_hz < most_hz]
    best = min(max(within), search.high)
    return Knee(search.low, max(best, search.low), search.high, most_hz, guess_hz, alone, points, _monotone(points))


def _monotone(points: tuple[Point, ...]) -> bool:
    """Whether no percentile lies surely below that of a smaller rate."""
    low_s = 0.0
    for point in points:
        if point.response.high_s < low_s:
            return False
        low_s = max(low_s, point.response.low_s)
    return True


def devices_for(rate_hz: float, found: Knee) -> tuple[int, int, int]:
    """(devices that surely carry a rate [1/s], by the estimate, at the least) of an array; 0 where no number does."""
    counts = []
    for each_hz in (found.low_hz, found.rate_hz, found.high_hz):
        counts.append(math.ceil(rate_hz / each_hz * (1 - 1e-12)) if each_hz else 0)
    return max(counts[0], 1 if found.low_hz else 0), counts[1], counts[2]


Holds = Callable[[int], bool]


def least_that_holds(holds: Holds, low: int, high: int) -> int | None:
    """The least number in low..high for which something holds that goes on holding; None where not even at high."""
    if not holds(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
