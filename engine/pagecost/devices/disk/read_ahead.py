"""A disk with a read-ahead buffer: sequential readers get the media rate, whatever the size of their requests."""

from dataclasses import dataclass

import numpy as np

from pagecost.devices.disk import read_ahead_kernels as kernels
from pagecost.devices.disk.geometry import SECTOR_BYTES
from pagecost.devices.disk.running import Session
from pagecost.errors import require


@dataclass
class BufferedSession(Session):
    """A `Session` in order of arrival, with segments of read-ahead.

    segments, segment_bytes: the buffer; least recently used segments make room. interface_bytes_per_s: a request that
    is held completely takes the overhead and this transfer only; one that the head is just reading towards waits for
    it without a seek. After a read the head reads on until the segment is full or another request calls it away; a
    write drops what it overlaps. Waits for a head that reads ahead count as rotation, over ends of tracks as well.

    Left out: a write cache, partial hits in segments that are no longer read into, reordering.
    """

    segments: int = 8
    segment_bytes: int = 1 << 20
    interface_bytes_per_s: float = 100e6

    def __post_init__(self):
        super().__post_init__()
        require(self.scheduler == "fcfs", f"read-ahead is modelled in order of arrival only; got {self.scheduler!r}")
        require(self.segments >= 1, f"a buffer needs at least one segment; got {self.segments}")
        size = self.segment_bytes // SECTOR_BYTES
        require(size >= 1, f"a segment must hold at least one sector; got {self.segment_bytes} bytes")
        require(self.interface_bytes_per_s > 0, f"interface rate must be positive; got {self.interface_bytes_per_s}")
        self._buffer = kernels.Buffer(
            segment=np.zeros((3, self.segments), np.int64),
            ahead=np.array([-1, 0, 0]),
            since=np.zeros(1),
            size=size,
            bus_s=SECTOR_BYTES / self.interface_bytes_per_s,
        )

    @property
    def hits(self) -> int:
        """Requests so far that the buffer held completely."""
        return int(self._buffer.ahead[kernels.HITS])

    def _finish(self, stream, number, table) -> int:
        sectors = self.disk.geometry.sectors
        return kernels.serve(self.disk.mechanics(), sectors, self._queue, stream, number, table, self._buffer)
