"""PostgreSQL's three settings of a storage device, as a calibrated device gives them, each with its condition.

random_page_cost over seq_page_cost is the time of a page of 8 KiB read at random over that of one read in order; what
comes from a cache costs the device nothing (PostgreSQL's default of 4 stands for 40 with nine of ten cached: manual,
section 20.7.2). effective_io_concurrency is the knee of throughput over depth, N* = X_max · R(1) (Kleinrock 1976): with
fewer outstanding the device idles, with more they only wait.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from pagecost.calibration.calibrated import Calibrated
from pagecost.calibration.disk import DiskFit
from pagecost.calibration.observations import Observation
from pagecost.units import format_bytes, format_seconds

PAGE_BYTES = 8192
READ_AHEAD_BYTES = 128 * 1024  # of Linux: a scan in order reaches the device in such pieces
CACHED = (0.0, 0.5, 0.9)
MOST_CONCURRENCY = 1000  # that PostgreSQL accepts
STILL_GROWS = 1.2  # throughput from half the deepest queue to the deepest: then the knee lies beyond


@dataclass(frozen=True)
class Setting:
    """A setting of PostgreSQL with its 95 % interval, and the condition under which it holds."""

    name: str
    value: float
    low: float
    high: float
    condition: str


def settings(calibrated: Calibrated) -> tuple[tuple[Setting, ...], tuple[str, ...]]:
    """(settings, sentences on what could not be said). None without reads in order and at random."""
    alone = _page_read(calibrated, 1)
    in_order = _in_order(calibrated)
    if alone is None or in_order is None:
        return (), ("PostgreSQL's costs need random reads and reads in order, which the files do not both hold.",)
    page_s = PAGE_BYTES / (in_order.iops * in_order.block_bytes)
    rate, low, high = _rates(calibrated, [alone])
    doubt = _doubt(calibrated, in_order)
    made = [
        Setting(
            "seq_page_cost",
            1.0,
            1.0,
            1.0,
            f"the unit: {format_seconds(page_s)} for a page of 8 KiB in order, in "
            f"requests of {format_bytes(in_order.block_bytes)}, {in_order.depth} outstanding",
        )
    ]
    for cached in CACHED:
        cost, near, far = ((1 - cached) / each / page_s for each in (rate[0], high[0], low[0]))
        made.append(
            Setting(
                "random_page_cost",
                float(cost),
                float(cost * math.exp(-math.hypot(math.log(cost / near), doubt))),
                float(cost * math.exp(math.hypot(math.log(far / cost), doubt))),
                f"{cached:.0%} of the random reads cached, of those in order none, 1 outstanding",
            )
        )
    knee, said = _knee(calibrated, alone)
    return (*made, *knee), said


def _rates(calibrated: Calibrated, observations: list[Observation]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    low, high = calibrated.model.rate_interval(observations)
    return calibrated.model.rates(observations), low, high


def _page_read(calibrated: Calibrated, depth: int) -> Observation | None:
    """A random read of a page with so many outstanding, over the widest part that was measured."""
    reads = [each for each in calibrated.observations.all if each.pattern == "random read"]
    if not reads:
        return None
    widest = max(reads, key=lambda each: each.span_bytes if math.isfinite(each.span_bytes) else 0)
    return replace(widest, block_bytes=float(PAGE_BYTES), depth=depth)


def _in_order(calibrated: Calibrated) -> Observation | None:
    """The reads in order that are most like a scan: alone, of the size of read-ahead or near it."""
    reads = [each for each in calibrated.observations.all if each.pattern == "sequential read"]
    reads = [each for each in reads if each.depth == min(one.depth for one in reads)]
    return min(reads, key=lambda each: abs(math.log(each.block_bytes / READ_AHEAD_BYTES)), default=None)


def _doubt(calibrated: Calibrated, observation: Observation) -> float:
    """Half the 95 % interval of a mean of repetitions, in logarithms; 0 where nothing was repeated."""
    noise = calibrated.observations.noise
    return 1.96 * noise / math.sqrt(len(observation.logs)) if math.isfinite(noise) else 0.0


def _knee(calibrated: Calibrated, alone: Observation) -> tuple[tuple[Setting, ...], tuple[str, ...]]:
    depths = sorted({each.depth for each in calibrated.observations.all if each.pattern == "random read"})
    deepest = depths[-1]
    if deepest < 4:
        return (), (
            "effective_io_concurrency needs random reads with several outstanding, which the files do not hold.",
        )
    if isinstance(calibrated.model, DiskFit) and not calibrated.model.queue_depths:
        return (), ("effective_io_concurrency needs deep queues among the points that are not held out.",)
    deep = [replace(alone, depth=depth) for depth in (deepest // 2, deepest)]
    rate, low, high = _rates(calibrated, [alone, *deep])
    knee = rate[2] / rate[0]
    grows = rate[2] / rate[1] > STILL_GROWS
    doubt = math.hypot(math.log(high[2] / low[2]) / 2, math.log(high[0] / low[0]) / 2)
    value, near, far = (
        float(np.clip(round(each), 1, MOST_CONCURRENCY))
        for each in (knee, knee * math.exp(-doubt), knee * math.exp(doubt))
    )
    condition = f"random pages of 8 KiB, none cached, where the throughput is that of {deepest} outstanding"
    said = (
        (f"Throughput still grows at {deepest} outstanding, so effective_io_concurrency is a lower bound.",)
        if grows
        else ()
    )
    return (Setting("effective_io_concurrency", value, near, far, condition),), said
