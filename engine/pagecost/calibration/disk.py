"""A hard disk from reads at random over parts of it and in order: the terms of `devices.hard_disk`, with zones.

The mean time of a random read over a part says the seek curve, the spread of that time the turn (a uniform wait has a
standard deviation of T/√12, to which seek and zones add), reads in order the media rate, small ones in order the
overhead, deep queues the ordering.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pagecost import catalogue
from pagecost.calibration import zones
from pagecost.calibration.least_squares import Fit, Unknown, fit
from pagecost.calibration.observations import Observation, Observations
from pagecost.devices.disk import SECTOR_BYTES, Disk, Session
from pagecost.errors import require

UNKNOWNS = (
    Unknown("overhead_s", "s", 1e-6, 5e-3, "of every command"),
    Unknown("rotation_hz", "1/s", 30.0, 400.0, "turns per second"),
    Unknown("track_to_track_seek_read_s", "s", 1e-5, 1e-2, "shortest seek"),
    Unknown("average_seek_read_s", "s", 1e-4, 5e-2, "mean seek over the whole span"),
    Unknown("full_stroke_seek_read_s", "s", 1e-4, 1e-1, "longest seek"),
    Unknown("outer_media_bytes_per_s", "B/s", 1e5, 1e9, "media rate where the span begins"),
    Unknown("inner_media_bytes_per_s", "B/s", 1e5, 1e9, "media rate where the span ends"),
)
SETTLE = Unknown("write_settle_s", "s", 1e-6, 1e-2, "by which a write's seek is longer")
SCHEDULER, DEPTHS = "sptf", (1, 2, 4, 8, 16, 32, 64, 128, 256)
SERVED = 3000  # requests of a simulated run
CURVE = ("track_to_track_seek_read_s", "full_stroke_seek_read_s")  # beside the mean seek: Lee's curve needs both
ROUNDING = 0.02  # of a drawn rate of so many: what is nearer than that counts as equal
SPEEDS_RPM = (4200, 5400, 5900, 7200, 10_000, 15_000)


@dataclass(frozen=True, eq=False)
class DiskFit:
    """A hard disk that explains its measurements. capacity_bytes: the span over which the seek curve is spanned.

    queue_depths: how many requests the drive orders by positioning time, as the deep measurements have it: those that
    they do not rule out, best first; empty without any.
    """

    fit: Fit
    capacity_bytes: float
    used: tuple[Observation, ...]
    queue_depths: tuple[int, ...]
    notes: tuple[str, ...]

    kind = "disk"

    def rates(self, observations: Sequence[Observation]) -> np.ndarray:
        """Requests per second that the best fit predicts, shape (observations,): deep queues by simulation."""
        found = np.exp(self._log_rates(self.fit.logs, observations))
        for at, each in enumerate(observations):
            if self.orders(each):
                found[at] = self.simulated_rate(each, min(self.queue_depths[0], each.depth))
        return found

    def rate_interval(self, observations: Sequence[Observation]) -> tuple[np.ndarray, np.ndarray]:
        """Low and high ends of their 95 % intervals, from what the unknowns leave open; deep queues in proportion."""
        low, high = self.fit.interval(lambda logs: self._log_rates(logs, observations))
        best = self._log_rates(self.fit.logs, observations)
        rates = self.rates(observations)
        return rates * np.exp(low - best), rates * np.exp(high - best)

    def _log_rates(self, logs: np.ndarray, observations: Sequence[Observation]) -> np.ndarray:
        """By closed form, as if all were at depth 1."""
        return -np.log(_seconds(_values(self.fit.unknowns, logs), self.capacity_bytes, observations))

    def response_s(self, observation: Observation) -> np.ndarray:
        """Response times [s] of the simulated disk; empty for what is not simulated."""
        if observation.is_write or not observation.is_random:
            return np.empty(0)
        depth = min(observation.depth, self.queue_depths[0]) if self.queue_depths else 1
        return (
            simulated(self.disk(), observation, self.capacity_bytes, depth)[1]
            if depth == observation.depth
            else np.empty(0)
        )

    def describes(self, observation: Observation) -> bool:
        """Whether the closed form says anything of such requests."""
        if observation.is_write and (SETTLE not in self.fit.unknowns or not observation.is_random):
            return False
        return observation.depth == 1 or self.orders(observation)

    def orders(self, observation: Observation) -> bool:
        """Whether it is a deep queue of random reads, which the simulator predicts."""
        deep = observation.depth > 1 and observation.is_random and not observation.is_write
        return deep and bool(self.queue_depths)

    def simulated_rate(self, observation: Observation, depth: int) -> float:
        """Reads per second of the simulated disk, `depth` of them ordered by positioning time."""
        return simulated(self.disk(), observation, self.capacity_bytes, depth)[0]

    def disk(self) -> Disk:
        """The best fit as the simulator takes it, one surface for all."""
        return as_disk(self.fit.values, self.capacity_bytes)


def as_disk(values: dict[str, float], capacity_bytes: float) -> Disk:
    """A disk of the event-driven model with these times."""
    names = [each.name for each in UNKNOWNS]
    known = {name: values[name] for name in names} | {"capacity_bytes": capacity_bytes, "average_seek_write_s": 0.0}
    known["inner_media_bytes_per_s"] = min(known["inner_media_bytes_per_s"], known["outer_media_bytes_per_s"])
    known["average_seek_write_s"] = known["average_seek_read_s"] + values.get("write_settle_s", 0.0)
    parameters = {
        name: catalogue.Parameter("fitted", name, value, None, None, "", "", "", "fitted", "", "", "")
        for name, value in known.items()
    }
    return Disk.of(catalogue.Device("fitted", "fitted", "hard disk", "hard_disk", None, "", parameters, ()))


def simulated(disk: Disk, observation: Observation, capacity_bytes: float, depth: int) -> tuple[float, np.ndarray]:
    """(reads per second, their response times [s]) of random reads of an observation's size and span."""
    sectors = max(int(observation.block_bytes) // SECTOR_BYTES, 1)
    places = max(int(_span(observation, capacity_bytes)) // SECTOR_BYTES // sectors - 1, 1)
    first = int(observation.start_bytes) // SECTOR_BYTES // sectors
    places = max(min(places, disk.geometry.sectors // sectors - 1 - first), 1)
    lbn = (first + np.random.default_rng(7).integers(0, places, SERVED)) * sectors
    run = Session(disk, SCHEDULER if depth > 1 else "fcfs", depth).serve(lbn, sectors, last=False)
    return run.throughput, run.response_s


def fit_disk(observations: Observations, capacity_bytes: float | None = None) -> DiskFit:
    """The hard disk that explains random reads at depth 1 and reads in order best.

    capacity_bytes: of the drive, where the file is a known part of it; None: the longest span stands for all of it.
    Raises ModelError where there are too few.
    """
    unsaid = {each.points[0].job: None for each in observations.all if each.points[0].part_unsaid}
    require(
        not unsaid,
        f"the size or offset of {', '.join(map(repr, unsaid))} is a share of a file whose size the results do not say, "
        "so no seek curve follows; give sizes and offsets in bytes, or filesize",
    )
    spans = [each.span_bytes for each in observations.all if math.isfinite(each.span_bytes)]
    require(
        capacity_bytes is not None or bool(spans),
        "a disk's seek curve runs over a span, which these files do not say; give the capacity of the drive",
    )
    capacity = float(capacity_bytes or max(spans))
    require(
        not spans or capacity >= max(spans),
        f"a capacity of {capacity:g} bytes is less than the span of {max(spans, default=0):g} bytes that was measured",
    )
    single = [each for each in observations.fitted if each.depth == 1]
    reads = [each for each in single if not each.is_write]
    random = [each for each in reads if each.is_random]
    writes = [each for each in single if each.is_random and each.is_write]
    require(bool(random), "a hard disk is fitted to random reads, one at a time, of which the files hold none")
    notes = []
    if writes and _mechanical(writes, random):
        unknowns: tuple[Unknown, ...] = (*UNKNOWNS, SETTLE)
    else:
        if writes:
            notes.append("Random writes are faster than random reads: a write cache answers them, the arm does not.")
        unknowns, writes = UNKNOWNS, []
    used = [*reads, *writes]
    spread = [each for each in random if math.isfinite(each.spread_s) and each.spread_s > 0]
    if not spread:
        notes.append(
            "The files do not say how much the time of a request varies, which tells the turn from the overhead."
        )
    measured = np.array([math.log(each.iops) for each in used] + [math.log(each.spread_s) for each in spread])
    weights = np.array([len(each.logs) for each in (*used, *spread)], float)

    def predict(logs: np.ndarray) -> np.ndarray:
        if logs.ndim > 1:
            return np.stack([predict(each) for each in logs])
        values = _values(unknowns, logs)
        rates = -np.log(_seconds(values, capacity, used))
        return np.concatenate([rates, np.log(_spreads(values, capacity, spread))])

    made = fit(unknowns, predict, measured, _starts(reads, random, unknowns), weights=weights, noise=observations.noise)
    rpm = 60 * made.values["rotation_hz"]
    nearest = min(SPEEDS_RPM, key=lambda speed: abs(math.log(speed / rpm)))
    notes.append(f"{rpm:.0f} turns a minute; the nearest speed that is made is {nearest}.")
    if capacity_bytes is None:
        notes.append("The capacity of the drive is not known: its seeks are those over the measured span.")
    deep = [each for each in observations.fitted if each.depth > 1 and each.is_random and not each.is_write]
    found = DiskFit(made, capacity, tuple(used), (), tuple(notes))
    depths = _queue_depths(found, deep)
    if depths:
        also = f" ({', '.join(map(str, depths[1:]))} fit as well)" if len(depths) > 1 else ""
        notes.append(f"Deep queues are those of a drive that orders {depths[0]} requests by positioning time{also}.")
    return DiskFit(made, capacity, tuple(used), depths, tuple(notes))


def _mechanical(writes: Sequence[Observation], reads: Sequence[Observation]) -> bool:
    """Whether random writes wait for the arm as reads of their size do."""
    alike = {each.block_bytes: each.iops for each in reads}
    return all(each.iops <= 1.05 * alike.get(each.block_bytes, math.inf) for each in writes)


def _values(unknowns: Sequence[Unknown], logs: np.ndarray) -> dict[str, float]:
    return {each.name: float(value) for each, value in zip(unknowns, np.exp(logs), strict=True)}


def _span(observation: Observation, capacity_bytes: float) -> float:
    span = observation.span_bytes
    return min(span, capacity_bytes) if math.isfinite(span) else capacity_bytes


def _zones(values: dict[str, float]) -> zones.Zones:
    return zones.Zones(values["outer_media_bytes_per_s"], values["inner_media_bytes_per_s"])


def _curve(values: dict[str, float]) -> zones.Curve:
    """The fit may pass through seeks that do not rise: they are ordered here."""
    shortest = values["track_to_track_seek_read_s"]
    average = max(values["average_seek_read_s"], shortest)
    return zones.Curve.of(shortest, average, max(values["full_stroke_seek_read_s"], average))


def _parts(capacity_bytes: float, observations: Sequence[Observation]) -> tuple[np.ndarray, np.ndarray]:
    """Where the parts that observations fall on begin, and how long they are: shares of all bytes."""
    starts = np.array([each.start_bytes for each in observations])
    spans = np.array([min(_span(each, capacity_bytes), each.reached_bytes) for each in observations])
    return starts / capacity_bytes, spans / capacity_bytes


def _sizes(observations: Sequence[Observation]) -> np.ndarray:
    return np.array([each.block_bytes for each in observations])


def _seconds(values: dict[str, float], capacity_bytes: float, observations: Sequence[Observation]) -> np.ndarray:
    """Mean time of one request of each observation [s].

    A drive that reads ahead hides the shorter of command and media (`disk.theory.sequential_read`).
    """
    seconds = np.zeros(len(observations))
    random = np.array([each.is_random for each in observations], bool)
    apart = [each for each in observations if each.is_random], [each for each in observations if not each.is_random]
    if apart[0]:
        reads = zones.random_reads(_zones(values), _curve(values), *_parts(capacity_bytes, apart[0]))
        settle = np.array([values.get("write_settle_s", 0.0) * each.is_write for each in apart[0]])
        transfer = _sizes(apart[0]) * (reads.byte_s @ zones.WEIGHTS)
        seconds[random] = values["overhead_s"] + reads.seek_s + settle + 0.5 / values["rotation_hz"] + transfer
    if apart[1]:
        in_order = _sizes(apart[1]) * zones.byte_s(_zones(values), *_parts(capacity_bytes, apart[1]))
        seconds[~random] = np.maximum(values["overhead_s"], in_order)
    return seconds


def _spreads(values: dict[str, float], capacity_bytes: float, observations: Sequence[Observation]) -> np.ndarray:
    """Standard deviation of the time of a random read [s]: of the wait for the platter, the seek and the transfer.

    A read in the inner zones lasts longer, and at either end of the part the arm comes from farther away.
    """
    if not observations:
        return np.empty(0)
    reads = zones.random_reads(_zones(values), _curve(values), *_parts(capacity_bytes, observations))
    transfer = _sizes(observations)[:, None] * reads.byte_s
    apart = transfer - (transfer @ zones.WEIGHTS)[:, None]
    along = (apart * (apart + 2 * reads.seek_to_s)) @ zones.WEIGHTS
    return np.sqrt(1 / values["rotation_hz"] ** 2 / 12 + reads.seek_variance + along)


def _starts(reads, random, unknowns) -> list[list[float]]:
    slowest = max(1 / each.iops for each in random)
    quickest = min(1 / each.iops for each in random)
    fastest = max(each.iops * each.block_bytes for each in reads)
    starts = []
    for rpm in (5400, 7200, 15_000):
        turn_s = 60 / rpm
        first = max(quickest - turn_s / 2, 0.3e-3)
        average = max(slowest - turn_s / 2, 2 * first)
        start = [2e-4, 1 / turn_s, first / 2, average, 1.8 * average, 1.1 * fastest, 0.8 * fastest]
        starts.append(start + [5e-4] * (len(unknowns) - len(start)))
    return starts


def _queue_depths(found: DiskFit, deep: Sequence[Observation]) -> tuple[int, ...]:
    """How many requests the drive itself orders: the depths whose simulation the deep queues do not rule out."""
    if not deep:
        return ()
    loss = {}
    for depth in DEPTHS:
        if depth > max(each.depth for each in deep):
            break
        logs = [found.simulated_rate(each, min(depth, each.depth)) for each in deep]
        loss[depth] = sum(math.log(each.iops / rate) ** 2 for each, rate in zip(deep, logs, strict=True))
    best = min(loss, key=lambda depth: loss[depth])
    allowed = loss[best] + 3.84 * max(found.fit.noise, ROUNDING) ** 2  # 95 % of chi-squared of one unknown
    return (best, *(depth for depth in loss if depth != best and loss[depth] <= allowed))
