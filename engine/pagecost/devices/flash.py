"""Flash memory below a block map: page reads, page programs, block erases, and the merge of an overwritten block."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pagecost.catalogue import NEEDS
from pagecost.devices.service import ServiceTime, block_sizes, is_random, is_write
from pagecost.errors import require

TRANSFER_LIMITS = ("interface_bytes_per_s", "usable_interface_bytes_per_s", "transfer_bytes_per_s")


@dataclass(frozen=True, kw_only=True, slots=True)
class Flash:
    """Flash that is written in place through a block map, as in memory cards and sticks.

    page_bytes are read or programmed at once; an erase block has pages_per_block pages; `channels` chips work in
    lockstep, so that a stripe of `channels` erase blocks is erased and merged together. transfer_bytes_per_s: rate
    of the interface, infinite if it never limits. overhead_read_s and overhead_write_s are charged to every request.
    """

    name: str
    page_bytes: float
    pages_per_block: float
    page_read_s: float
    page_program_s: float
    block_erase_s: float
    channels: float = 1
    transfer_bytes_per_s: float = np.inf
    overhead_read_s: float = 0.0
    overhead_write_s: float = 0.0

    def __post_init__(self):
        for field in (*map(str, NEEDS["flash"]), "channels", "transfer_bytes_per_s"):
            require(getattr(self, field) > 0, f"{self.name}: {field} must be positive; got {getattr(self, field)}")
        for field in ("overhead_read_s", "overhead_write_s"):
            value = getattr(self, field)
            require(value >= 0, f"{self.name}: {field} must not be negative; got {value}")

    @classmethod
    def of(cls, device) -> "Flash":
        """From a catalogue device."""
        overhead = device.get("overhead_s", 0.0)
        needed: dict[str, Any] = {str(field): device.value(field) for field in NEEDS["flash"]}
        return cls(
            name=device.id,
            **needed,
            channels=device.get("channels", 1),
            transfer_bytes_per_s=min(device.get(name, np.inf) for name in TRANSFER_LIMITS),
            overhead_read_s=device.get("overhead_read_s", overhead),
            overhead_write_s=device.get("overhead_write_s", overhead),
        )

    @property
    def stripe_pages(self) -> float:
        """Pages that are erased together."""
        return self.pages_per_block * self.channels

    def service(self, pattern: str, block_bytes, span_bytes: float | None = None) -> ServiceTime:
        """Mean service time of one request of each block size [bytes], shape as `block_bytes`.

        Reads cost page reads. A sequential write programs pages into erased blocks and carries its share of the
        erases. A random write overwrites part of a block: the other pages are copied (read and programmed) with it
        to an erased block (Schmidt 2009, §3): one page costs (b - 1) reads + b programs + 1 erase. The place on the
        device does not matter; span_bytes is ignored. Raises ModelError for sizes below 1.
        """
        sizes = block_sizes(block_bytes)
        zero = np.zeros_like(sizes)
        pages = np.ceil(sizes / self.page_bytes)
        rounds = np.ceil(pages / self.channels)
        transfer = sizes / self.transfer_bytes_per_s
        if not is_write(pattern):
            return ServiceTime(
                {
                    "overhead_s": zero + self.overhead_read_s,
                    "page_read_s": rounds * self.page_read_s,
                    "transfer_s": transfer,
                }
            )
        erased, copied = pages / self.stripe_pages, zero
        if is_random(pattern):
            erased = np.ceil(erased)
            copied = erased * self.stripe_pages - pages
        return ServiceTime(
            {
                "overhead_s": zero + self.overhead_write_s,
                "page_program_s": rounds * self.page_program_s,
                "block_erase_s": erased * self.block_erase_s,
                "copy_s": copied / self.channels * (self.page_read_s + self.page_program_s),
                "transfer_s": transfer,
            }
        )
