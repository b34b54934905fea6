"""RAM in front of a translation layer that holds writes back."""

from collections.abc import Iterator

import numpy as np

from pagecost.devices.ftl import write_buffer_kernels
from pagecost.devices.ftl.buffers import WRITE_POLICIES
from pagecost.devices.ftl.geometry import Geometry
from pagecost.errors import known, require

MOST_OUT = 1 << 18  # pages that leave at a time


class WriteBuffer:
    """`absorb` takes page writes and yields what has to be written to the flash instead, in order.

    pages: room, >= 1 and less than the host's pages. policy: a key of `WRITE_POLICIES`. Conservation: what
    left = written - hits - resident + padded_pages. Raises ModelError for a policy or size that is not possible.
    """

    def __init__(self, geometry: Geometry, pages: int, policy: str = "lru"):
        known("write buffer policy", policy, WRITE_POLICIES)
        require(
            1 <= pages < geometry.logical_pages,
            f"a write buffer must hold at least 1 page and less than the device's {geometry.logical_pages}; "
            f"got {pages}",
        )
        self.policy = policy
        self.written = 0
        self._step = max(1, MOST_OUT // geometry.pages_per_block)
        self._absorb = WRITE_POLICIES[policy].absorb
        self._state = WRITE_POLICIES[policy].start(geometry.logical_pages, geometry.pages_per_block)
        self._buffer = write_buffer_kernels.new_buffer(
            pages, geometry.logical_pages, geometry.pages_per_block, self._step * geometry.pages_per_block
        )

    def absorb(self, pages: np.ndarray) -> Iterator[np.ndarray]:
        """Take page writes, uint32, shape (n,). What is yielded is used again: serve it at once."""
        for at in range(0, pages.size, self._step):
            taken = pages[at : at + self._step]
            self.written += taken.size
            self._absorb(taken, self._buffer, self._state)
            yield self._buffer.out[: self._buffer.scalars[write_buffer_kernels.OUT]]

    @property
    def hits(self) -> int:
        """Writes of pages that were in the buffer."""
        return int(self._buffer.scalars[write_buffer_kernels.HITS])

    @property
    def resident(self) -> int:
        """Pages in the buffer."""
        return int(self._buffer.scalars[write_buffer_kernels.USED])

    @property
    def padded_pages(self) -> int:
        """Pages that left without having been in the buffer."""
        return int(self._buffer.scalars[write_buffer_kernels.PADDED])
