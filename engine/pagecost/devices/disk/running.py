"""Requests through a queue and a scheduler to a disk: who waited for what, and how long."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from pagecost import cancellation
from pagecost.devices.disk import queue_kernels as kernels
from pagecost.devices.disk import schedulers
from pagecost.devices.disk.geometry import SECTOR_BYTES
from pagecost.devices.disk.mechanics_kernels import TERMS as TERM_COUNT
from pagecost.devices.disk.model import Disk
from pagecost.errors import require
from pagecost.requests import TRIM, WRITE, Requests

TERMS = {
    "queue_s": "waiting in the queue",
    "overhead_s": "command overhead",
    "seek_s": "seek",
    "rotation_s": "rotational latency",
    "switch_s": "head and track switches",
    "transfer_s": "transfer",
}
"""The terms of a request, in the order of the columns of `Run.table`."""

CHUNK = 100_000  # requests between two progress reports: some 50 ms with a full queue
_KERNEL_ARRAY: tuple[Literal["C"], Literal["W"]] = (
    "C",
    "W",
)  # contiguous and writeable, so that each kernel is compiled for one kind of array
EXACT = 1e-6  # relative tolerance of laws that hold exactly: rounding of a sum of many times


@dataclass(frozen=True, eq=False)
class Run:
    """What happened, in the order in which requests were finished; `in_order` has it in the order of the requests.

    number: int64[n], the place of each request in the stream, counted over the whole session. table: float64[n, 6],
    its `TERMS` [s]. elapsed_s: time from the first moment to the last. area_s: integral of the number of requests in
    the system over time. aged_s: how long those still in the system had been there, less what others had waited before
    this part of a run began. cylinders_crossed: by the arm, in all.
    """

    number: np.ndarray
    table: np.ndarray
    elapsed_s: float
    busy_s: float
    idle_s: float
    area_s: float
    aged_s: float
    cylinders_crossed: int

    @property
    def size(self) -> int:
        """Number of requests finished."""
        return self.number.size

    def in_order(self) -> "Run":
        """The same run with its rows by `number`: of a drained run, row i is what came of request i."""
        rows = np.argsort(self.number, kind="stable")
        return replace(self, number=self.number[rows], table=self.table[rows])

    @property
    def terms(self) -> dict[str, np.ndarray]:
        """`TERMS` -> float64[n] [s]."""
        return {name: self.table[:, column] for column, name in enumerate(TERMS)}

    @property
    def service_s(self) -> np.ndarray:
        """Time the disk spent on each request [s], shape (n,)."""
        return self.table[:, 1:].sum(axis=1)

    @property
    def response_s(self) -> np.ndarray:
        """Time from arrival to finish of each request [s], shape (n,): the sum of its terms."""
        return self.table.sum(axis=1)

    @property
    def throughput(self) -> float:
        """Requests per second."""
        return self.size / self.elapsed_s

    @property
    def utilisation(self) -> float:
        """Share of the time that the disk was busy, 0..1."""
        return self.busy_s / self.elapsed_s

    @property
    def mean_in_system(self) -> float:
        """Mean number of requests in the system, waiting or being served."""
        return self.area_s / self.elapsed_s

    @property
    def cylinders_per_request(self) -> float:
        """Mean distance of the arm per request."""
        return self.cylinders_crossed / self.size

    def percentile(self, share: float) -> float:
        """Response time [s] that `share` (0..1) of the requests do not exceed."""
        require(0 <= share <= 1, f"a percentile's share must be in 0..1; got {share}")
        return float(np.quantile(self.response_s, share))

    def check(self) -> None:
        """Raise ModelError unless Little's law, the utilisation law and the clock agree: N T = Σ R, U = X S."""
        sums = self.table.sum(axis=0)
        responses, service = float(sums.sum()) + self.aged_s, float(sums[1:].sum())
        scale = max(self.elapsed_s, 1e-12)
        for law, left, right in (
            ("Little's law", self.area_s, responses),
            ("the utilisation law", self.busy_s, service),
            ("busy and idle time", self.busy_s + self.idle_s, self.elapsed_s),
        ):
            require(
                abs(left - right) <= EXACT * max(abs(left), abs(right), scale),
                f"{law} does not hold in this run: {left!r} against {right!r} s",
            )


@dataclass
class Session:
    """A run that goes on: `serve` takes the next requests and says what was finished; the arm stays where it was.

    depth: places in the disk's queue; further arrivals wait before it in order. closed: arrivals are ignored, depth
    requests are outstanding until the last ones are served. scheduler: a key of `SCHEDULERS`, with parameters as in
    `deadline:batch=8`.

    A full write-back cache needs no model of its own: its dirty extents are such a queue, closed and deep, which the
    drive empties by positioning time, so its long-run rate is that of "sptf" at that depth. Left out: serpentine
    numbering, merging of neighbours, the wait for a further request of an anticipatory scheduler.
    """

    disk: Disk
    scheduler: str = "fcfs"
    depth: int = 1
    closed: bool = True

    def __post_init__(self):
        self._rule, values = schedulers.find(self.scheduler)
        require(1 <= self.depth <= 65536, f"a queue must have 1..65536 places; got {self.depth}")
        self._queue = kernels.new_queue(self.depth)
        self._memory = kernels.Memory(np.zeros(4, np.int64), np.resize([*values.values(), 0.0], 4).astype(float))
        self._last_arrival_s = 0.0

    def serve(self, lbn, sectors, write=None, arrival_s=None, *, last: bool = True) -> Run:
        """Serve requests: first sector, sectors (an array or one number), write flags, arrivals [s]; shape (n,).

        arrival_s must not fall and is needed in an open run only. last: nothing follows, the queue is emptied, so that
        every request is in the result. False: the run stops while `depth` requests are outstanding, so that its rate
        and its mean queue are those of a queue that is always full. Raises ModelError for requests beyond the disk, of
        no sectors, or arrivals that fall.
        """
        stream, room = self._stream(lbn, sectors, write, arrival_s, last)
        number, table = np.empty(room, np.int64), np.empty((room, TERM_COUNT))
        clock, crossed, age = self._queue.clock.copy(), int(self._queue.counts[kernels.DISTANCE]), self._age_s()
        done = self._finish(stream, number, table)
        passed = self._queue.clock - clock
        run = Run(
            number=number[:done],
            table=table[:done],
            elapsed_s=float(passed[kernels.NOW]),
            busy_s=float(passed[kernels.BUSY]),
            idle_s=float(passed[kernels.IDLE]),
            area_s=float(passed[kernels.AREA]),
            aged_s=self._age_s() - age,
            cylinders_crossed=int(self._queue.counts[kernels.DISTANCE]) - crossed,
        )
        run.check()
        return run

    @property
    def now_s(self) -> float:
        """Time at which the last request was finished [s]."""
        return float(self._queue.clock[kernels.NOW])

    def _finish(self, stream, number, table) -> int:
        return self._rule.serve(self.disk.mechanics(), self._queue, stream, number, table, self._memory)

    def _age_s(self) -> float:
        """How long the requests in the system have been there, together."""
        waiting = self._queue.counts[kernels.WAITING]
        if self.scheduler == "fcfs":  # keeps when each place of its queue was taken
            waiting = self.depth if self.closed else 0
        return float((self._queue.clock[kernels.NOW] - self._queue.when[kernels.ARRIVAL, :waiting]).sum())

    def _stream(self, lbn, sectors, write, arrival_s, last):
        lbn = np.require(lbn, np.int64, _KERNEL_ARRAY)
        require(
            np.shape(sectors) in ((), lbn.shape),
            f"sectors must be one number or as many as lbn, {lbn.shape}; got {np.shape(sectors)}",
        )
        sectors = np.full(lbn.shape, sectors, np.int64)
        write = np.zeros(lbn.size, np.uint8) if write is None else np.array(write, np.uint8)
        require(self.closed or arrival_s is not None, "an open run needs the arrival of every request")
        arrival_s = np.empty(0) if self.closed else np.require(arrival_s, float, _KERNEL_ARRAY)
        require(
            lbn.ndim == 1 and write.shape == lbn.shape and (self.closed or arrival_s.shape == lbn.shape),
            f"lbn, write and arrival_s must have one length; got {lbn.shape}, {write.shape}, {arrival_s.shape}",
        )
        require(sectors.min(initial=1) >= 1, f"a request needs at least one sector; got {sectors.min(initial=1)}")
        require(write.max(initial=0) <= 1, f"write flags must be 0 or 1; got {write.max(initial=0)}")
        self.disk.require_inside(lbn, sectors)
        if arrival_s.size:
            steps = np.diff(arrival_s, prepend=self._last_arrival_s)
            require(bool((steps >= 0).all()), f"{self.disk.name}: arrivals must not fall and not be negative")
            self._last_arrival_s = float(arrival_s[-1])
        room = lbn.size + int(self._queue.counts[kernels.WAITING])
        return kernels.Stream(arrival_s, lbn, sectors, write, bool(self.closed), bool(last)), room


def run(
    disk: Disk,
    requests: Requests,
    scheduler: str = "fcfs",
    *,
    depth: int = 1,
    closed: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Run:
    """Serve `requests` in chunks; trims cost nothing here and are left out. As `Session`.

    progress(done, total) is called between chunks and may raise to cancel. Raises ModelError as `Session.serve`.
    """
    session = Session(disk, scheduler, depth, closed)
    kept = requests.op != TRIM
    lbn, sectors = sectors_of(requests)
    lbn, sectors, write, arrival = lbn[kept], sectors[kept], requests.op[kept] == WRITE, requests.arrival_s[kept]
    disk.require_inside(lbn, sectors)
    parts = []
    for at in range(0, lbn.size, CHUNK):
        end = min(at + CHUNK, lbn.size)
        part = slice(at, end)
        parts.append(session.serve(lbn[part], sectors[part], write[part], arrival[part], last=end == lbn.size))
        progress(end, lbn.size)
        cancellation.point()
    return joined(parts)


def joined(parts: list[Run]) -> Run:
    """The parts of one session as one run."""
    require(len(parts) > 0, "a run needs at least one request")
    sums = ("elapsed_s", "busy_s", "idle_s", "area_s", "aged_s", "cylinders_crossed")
    whole = Run(
        np.concatenate([part.number for part in parts]),
        np.concatenate([part.table for part in parts]),
        **{name: sum(getattr(part, name) for part in parts) for name in sums},
    )
    whole.check()
    return whole


def sectors_of(requests: Requests) -> tuple[np.ndarray, np.ndarray]:
    """(first sector, number of sectors), int64[n]. ModelError unless a page is a whole number of sectors."""
    return requests.in_units(SECTOR_BYTES, "sectors")
