"""Page-addressed storage with one mean access time: NVEM, DRAM-SSD, disk caches, and disks given by an average."""

from dataclasses import dataclass

import numpy as np

from pagecost.devices.service import ServiceTime, block_sizes, is_write
from pagecost.errors import require


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """Every page of page_bytes costs access_s, read or written, wherever it lies (Rahm 1992, Tables 2.1 and 4.1)."""

    name: str
    access_s: float
    page_bytes: float = 4096

    def __post_init__(self):
        for field in ("access_s", "page_bytes"):
            require(getattr(self, field) > 0, f"{self.name}: {field} must be positive; got {getattr(self, field)}")

    @classmethod
    def of(cls, device) -> "Memory":
        """From a catalogue device."""
        return cls(name=device.id, access_s=device.value("access_s"), page_bytes=device.get("page_bytes", 4096))

    def service(self, pattern: str, block_bytes, span_bytes: float | None = None) -> ServiceTime:
        """Time of one request of each block size [bytes]: its pages one after the other, shape as `block_bytes`."""
        is_write(pattern)  # refuses an unknown pattern
        return ServiceTime({"access_s": np.ceil(block_sizes(block_bytes) / self.page_bytes) * self.access_s})
