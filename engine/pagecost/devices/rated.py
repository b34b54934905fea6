"""A device known only by its ratings: IOPS at one block size, and sequential rates."""

from dataclasses import dataclass

import numpy as np

from pagecost.catalogue import NEEDS
from pagecost.devices.service import ServiceTime, block_sizes, is_random, is_write
from pagecost.errors import require


@dataclass(frozen=True, kw_only=True, slots=True)
class Rated:
    """Time per request at the rated queue depth, 1 / throughput; not the latency that one request sees.

    A rating holds for blocks of rated_block_bytes; what is larger moves at the sequential rate, what is smaller
    costs as much as a rated block. Sequential IOPS, where rated, bound small sequential requests.
    """

    name: str
    random_read_iops: float
    random_write_iops: float
    sequential_read_bytes_per_s: float
    sequential_write_bytes_per_s: float
    sequential_read_iops: float | None = None
    sequential_write_iops: float | None = None
    rated_block_bytes: float = 4096

    def __post_init__(self):
        for field in (*NEEDS["rated"], "rated_block_bytes"):
            require(getattr(self, field) > 0, f"{self.name}: {field} must be positive; got {getattr(self, field)}")

    @classmethod
    def of(cls, device) -> "Rated":
        """From a catalogue device; a rating given as a bound counts at its bound."""
        return cls(
            name=device.id,
            **{field: device.value(field) for field in NEEDS["rated"]},
            sequential_read_iops=device.get("sequential_read_iops"),
            sequential_write_iops=device.get("sequential_write_iops"),
            rated_block_bytes=device.get("rated_block_bytes", 4096),
        )

    def service(self, pattern: str, block_bytes, span_bytes: float | None = None) -> ServiceTime:
        """Time per request of each block size [bytes] at the rated queue depth, shape as `block_bytes`.

        Terms: transfer at the sequential rate, and as `access_s` what the IOPS rating adds to it.
        span_bytes is ignored. Raises ModelError for sizes below 1.
        """
        sizes = block_sizes(block_bytes)
        kind = "write" if is_write(pattern) else "read"
        rate = getattr(self, f"sequential_{kind}_bytes_per_s")
        iops = getattr(self, f"{'random' if is_random(pattern) else 'sequential'}_{kind}_iops")
        access = 0.0 if iops is None else max(1 / iops - self.rated_block_bytes / rate, 0.0)
        smallest = np.maximum(sizes, self.rated_block_bytes) if is_random(pattern) else sizes
        return ServiceTime({"access_s": np.zeros_like(sizes) + access, "transfer_s": smallest / rate})
