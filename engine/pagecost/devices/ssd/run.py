"""What came of requests to an SSD: how long each took and why, and what the flash did for it."""

import math
from dataclasses import dataclass

import numpy as np

from pagecost.devices.ftl import Counts
from pagecost.devices.ssd.model import Ssd
from pagecost.errors import require

TERMS = {
    "queue_s": "waiting for a place in the queue",
    "interface_wait_s": "waiting for the host interface",
    "interface_s": "command and transfer to the host",
    "overhead_s": "controller overhead",
    "cache_wait_s": "waiting for room in the write cache",
    "die_wait_s": "waiting for the die",
    "collection_s": "collection in the way",
    "channel_wait_s": "waiting for the channel",
    "transfer_s": "commands and transfer over the channel",
    "array_s": "array: page read or program",
}
"""The terms of a response time, in the order of the columns of `Run.sums`. Of a request over several dies: the last.

What a write cache answers, reads or writes, has none of those from `die_wait_s` on."""

PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}
EXACT = 1e-6  # relative tolerance of laws that hold exactly: rounding of a sum of many times
BINS_PER_DECADE = 20
BIN_EDGES_S = 10.0 ** np.arange(-6, 1 + 0.5 / BINS_PER_DECADE, 1 / BINS_PER_DECADE)
"""Edges of the histogram's bins [s], 1 µs to 10 s."""


@dataclass(frozen=True, eq=False)
class Run:
    """Requests in the order in which they were finished.

    response_s: float64[n], from arrival to finish; write: bool[n]; number: int64[n], the place in the stream that was
    served. sums: float64[2, 10], of the `TERMS` of reads and of writes. area_s: integral of the requests in the device
    over time; aged_s: how long those still in it had been there, less what others had waited before this part of a
    run. busy_s: seconds of work of all dies, all channels and the interface. counts: of the translation layers.
    work: operations of the arrays, planned: host page reads, host units, copied units, page reads for them, erases.
    read_hits: reads that the write cache answered.
    """

    ssd: Ssd
    request_bytes: int
    response_s: np.ndarray
    write: np.ndarray
    number: np.ndarray
    sums: np.ndarray
    elapsed_s: float
    area_s: float
    aged_s: float
    busy_s: tuple[float, float, float]
    counts: Counts
    work: np.ndarray
    read_hits: int = 0

    @property
    def size(self) -> int:
        """Number of requests finished."""
        return self.response_s.size

    @property
    def iops(self) -> float:
        """Requests per second."""
        return self.size / self.elapsed_s if self.elapsed_s > 0 else math.nan

    @property
    def throughput_bytes_per_s(self) -> float:
        """Bytes of requests that were done per second."""
        return self.iops * self.request_bytes

    @property
    def write_amplification(self) -> float:
        """Programmed units per host unit, as they took time; nan without writes.

        Where collection is paced a copy counts with the write that pays for it, not when a block happens to be due.
        """
        return 1 + float(self.work[2] / self.work[1]) if self.work[1] else math.nan

    @property
    def terms_s(self) -> dict[str, float]:
        """Mean of every term over all requests [s]; they add up to the mean response."""
        return dict(zip(TERMS, (self.sums.sum(axis=0) / max(self.size, 1)).tolist(), strict=True))

    def terms_of(self, *, write: bool) -> dict[str, float]:
        """Mean of every term over the reads or the writes [s]."""
        count = max(int(np.count_nonzero(self.write == write)), 1)
        return dict(zip(TERMS, (self.sums[int(write)] / count).tolist(), strict=True))

    def of(self, write: bool | None = None) -> np.ndarray:
        """Response times [s] of the reads, of the writes, or of all."""
        return self.response_s if write is None else self.response_s[self.write == write]

    def percentile_s(self, share: float, write: bool | None = None) -> float:
        """The response time [s] that `share` (0..1) of the requests do not exceed: an order statistic, no estimate."""
        require(0 <= share <= 1, f"a percentile's share must be in 0..1; got {share}")
        times = self.of(write)
        return float(np.quantile(times, share, method="inverted_cdf")) if times.size else math.nan

    def latencies_s(self, write: bool | None = None) -> dict[str, float]:
        """mean, p50, p95, p99 and p999 of the response time [s]; nan where there is no such request."""
        times = self.of(write)
        mean = float(times.mean()) if times.size else math.nan
        return {"mean": mean, **{name: self.percentile_s(share, write) for name, share in PERCENTILES.items()}}

    def histogram(self, write: bool | None = None) -> np.ndarray:
        """Requests by response time, int64, one per bin of `BIN_EDGES_S`, the first and the last one open."""
        return np.histogram(np.clip(self.of(write), BIN_EDGES_S[0], BIN_EDGES_S[-1]), BIN_EDGES_S)[0]

    @property
    def utilisation(self) -> dict[str, float]:
        """Share of the time that the dies, the channels and the interface were busy, 0..1, means over all of a kind."""
        of = (self.ssd.dies, self.ssd.channels // self.ssd.lockstep, 1)
        names = ("die", "channel", "interface")
        return {name: busy / (self.elapsed_s * n) for name, busy, n in zip(names, self.busy_s, of, strict=True)}

    @property
    def energy_j(self) -> dict[str, float]:
        """Energy of the chips by operation [J]; nan where the chip's is not known. Idle power is not in it."""
        reads, units, copies, scans, erases = self.work.tolist()
        chip, chips = self.ssd.chip, self.ssd.planes * self.ssd.lockstep
        programmed = 1 / self.ssd.batch * chips * chip.program_j
        return {
            "read": reads * chips * chip.read_j,
            "program": units * programmed,
            "copy": scans * chips * chip.read_j + copies * programmed,
            "erase": erases * chips * chip.erase_j,
        }

    def check(self) -> None:
        """Raise ModelError unless Little's law holds and the terms add up: N T = Σ R, Σ terms = Σ R."""
        responses = float(self.response_s.sum())
        in_device = responses - float(self.sums[:, 0].sum()) + self.aged_s
        for law, left, right in (
            ("Little's law", self.area_s, in_device),
            ("the sum of the terms", float(self.sums.sum()), responses),
        ):
            require(
                abs(left - right) <= EXACT * max(abs(left), abs(right), self.elapsed_s, 1e-12),
                f"{self.ssd.name}: {law} does not hold in this run: {left!r} against {right!r} s",
            )


def joined(parts: list[Run]) -> Run:
    """The parts of one session as one run."""
    require(len(parts) > 0, "a run needs at least one request")
    first = parts[0]
    dies_s, channels_s, interface_s = (float(sum(each)) for each in zip(*(p.busy_s for p in parts), strict=True))
    whole = Run(
        ssd=first.ssd,
        request_bytes=first.request_bytes,
        response_s=np.concatenate([part.response_s for part in parts]),
        write=np.concatenate([part.write for part in parts]),
        number=np.concatenate([part.number for part in parts]),
        sums=np.sum([part.sums for part in parts], axis=0),
        elapsed_s=sum(part.elapsed_s for part in parts),
        area_s=sum(part.area_s for part in parts),
        aged_s=sum(part.aged_s for part in parts),
        busy_s=(dies_s, channels_s, interface_s),
        counts=sum((part.counts for part in parts), Counts()),
        work=np.sum([part.work for part in parts], axis=0),
        read_hits=sum(part.read_hits for part in parts),
    )
    whole.check()
    return whole
