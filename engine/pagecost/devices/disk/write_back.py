"""A disk with a write-back cache: fast until the cache is full, then as fast as the arm empties it."""

import dataclasses
from dataclasses import dataclass

import numpy as np

from pagecost.devices.disk import queue_kernels
from pagecost.devices.disk import write_back_kernels as kernels
from pagecost.devices.disk.geometry import SECTOR_BYTES
from pagecost.devices.disk.model import Disk
from pagecost.errors import require

EXTENTS = 4096  # pieces that the drive keeps apart at most


@dataclass(frozen=True, eq=False)
class CachedRun:
    """response_s, waited_s: float64[n] [s], the latter for room in the cache or for the arm. elapsed_s: of the host.
    reading_s, writing_s: of the arm. destaged: extents written back, of written_bytes together. joined: writes that
    went into extents that were held. read_hits: reads that the cache held.
    """

    response_s: np.ndarray
    waited_s: np.ndarray
    elapsed_s: float
    reading_s: float
    writing_s: float
    destaged: int
    written_bytes: int
    joined: int
    read_hits: int

    @property
    def throughput(self) -> float:
        """Requests per second."""
        return self.response_s.size / self.elapsed_s


@dataclass
class WriteBackSession:
    """Requests of one host, one at a time, to a disk whose writes are done when the cache holds them.

    limit_bytes: what may be held and not yet written back. interface_bytes_per_s: rate into the cache. pause_s:
    of the host between requests, where no arrivals are given: one number, or one per request in `serve`. Writes that
    touch or overlap become one extent. When the oldest has waited for rest_s, or a write finds no room, the arm begins
    to empty the cache: whenever no read wants it, it writes back the extent that it reaches first (shortest positioning
    time), and does not break off. With rest_s = 0 it begins at once.

    Left out: reading ahead, and reads of which the cache holds a part.
    """

    disk: Disk
    limit_bytes: int = 8 << 20
    interface_bytes_per_s: float = 100e6
    pause_s: float = 0.0
    rest_s: float = 0.0

    def __post_init__(self):
        limit = int(self.limit_bytes) // SECTOR_BYTES
        require(limit >= 1, f"a write cache must hold at least one sector; got {self.limit_bytes} bytes")
        require(self.interface_bytes_per_s > 0, f"interface rate must be positive; got {self.interface_bytes_per_s}")
        for name in ("pause_s", "rest_s"):
            require(getattr(self, name) >= 0, f"{name} must not be negative; got {getattr(self, name)}")
        self._inside = dataclasses.replace(self.disk, overhead_s=0.0).mechanics()
        self._queue = queue_kernels.new_queue(min(limit, EXTENTS))
        self._cache = kernels.Cache(
            free_s=np.zeros(2),
            counts=np.zeros(8, np.int64),
            busy_s=np.zeros(2),
            limit=limit,
            bus_s=SECTOR_BYTES / self.interface_bytes_per_s,
            rest_s=float(self.rest_s),
        )

    @property
    def held_bytes(self) -> int:
        """Bytes that wait to be written back."""
        return int(self._cache.counts[kernels.HELD]) * SECTOR_BYTES

    def serve(self, lbn, sectors, write=None, arrival_s=None, *, pause_s=None) -> CachedRun:
        """Serve requests (first sector, sectors, write flag: all write by default; arrivals [s]: or none), shape (n,).

        pause_s: of the host before each request, shape (n,), in the place of the session's. Raises ModelError for
        requests beyond the disk or larger than the cache, for arrivals that fall and pauses that are negative.
        """
        lbn = np.array(lbn, np.int64)
        sectors = np.full(lbn.shape, sectors, np.int64)
        write = np.ones(lbn.size, np.uint8) if write is None else np.array(write, np.uint8)
        arrival_s = np.empty(0) if arrival_s is None else np.array(arrival_s, float)
        pause_s = np.full(lbn.shape, self.pause_s) if pause_s is None else np.array(pause_s, float)
        require(
            pause_s.shape == lbn.shape and bool((pause_s >= 0).all()),
            f"one pause per request, none negative; got {pause_s.size} for {lbn.size}, the least "
            f"{pause_s.min(initial=0.0):g}",
        )
        require(
            lbn.ndim == 1 and write.shape == lbn.shape and arrival_s.shape in (lbn.shape, (0,)),
            f"lbn, write and arrival_s must have one length; got {lbn.shape}, {write.shape}, {arrival_s.shape}",
        )
        require(sectors.min(initial=1) >= 1, f"a request needs at least one sector; got {sectors.min(initial=1)}")
        largest = sectors[write > 0].max(initial=0)
        require(largest <= self._cache.limit, f"the cache holds {self._cache.limit} sectors; a write has {largest}")
        require(bool((np.diff(arrival_s, prepend=0.0) >= 0).all()), "arrivals must not fall and not be negative")
        self.disk.require_inside(lbn, sectors)
        response_s, waited_s = np.empty(lbn.size), np.empty(lbn.size)
        started_s, busy_s, counts = self.now_s, self._cache.busy_s.copy(), self._cache.counts.copy()
        kernels.serve(
            *(self.disk.mechanics(), self._inside, self._queue, self._cache, arrival_s, pause_s),
            *(lbn, sectors, write, response_s, waited_s),
        )
        passed = self._cache.counts - counts
        reading_s, writing_s = (self._cache.busy_s - busy_s).tolist()
        return CachedRun(
            response_s=response_s,
            waited_s=waited_s,
            elapsed_s=self.now_s - started_s,
            reading_s=reading_s,
            writing_s=writing_s,
            destaged=int(passed[kernels.DESTAGED]),
            written_bytes=int(passed[kernels.WRITTEN]) * SECTOR_BYTES,
            joined=int(passed[kernels.JOINED]),
            read_hits=int(passed[kernels.READ_HITS]),
        )

    def flush(self) -> float:
        """Write back all that is held; returns how long the host waits [s]."""
        started_s = self.now_s
        kernels.flush(self._inside, self._queue, self._cache)
        return self.now_s - started_s

    @property
    def extents(self) -> int:
        """Pieces that wait to be written back."""
        return int(self._queue.counts[queue_kernels.WAITING])

    @property
    def now_s(self) -> float:
        """When the last request was done [s]."""
        return float(self._cache.free_s[kernels.HOST])
