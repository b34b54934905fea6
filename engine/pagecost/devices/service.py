"""The time of a request, for the four access patterns: what the device works for it, and how long it takes alone.

The two are one number only where a device serves one request at a time. A drive that works on many at once finishes
500 000 a second and still needs 70 µs for each.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from pagecost.errors import known, require

PATTERNS = ("sequential read", "random read", "sequential write", "random write")
"""The four patterns of Fernando 2011, §3.1, each 100 % pure."""

TERMS = {
    "overhead_s": "command overhead",
    "seek_s": "seek",
    "rotation_s": "rotational latency",
    "page_read_s": "page reads",
    "page_program_s": "page programs",
    "block_erase_s": "block erases",
    "copy_s": "copies of a merge",
    "access_s": "access",
    "transfer_s": "transfer",
    "measured_s": "not split",
}
"""Every term a device model may charge, in the order in which they are drawn."""


_AS_BUSY = np.array(np.nan)  # in the place of a latency that is not given


@dataclass(frozen=True)
class ServiceTime:
    """Times of requests: `terms[name]` are arrays [s] of one shape that add up to the device time of a request.

    depth: how many requests are outstanding while the device does so much, nan where that is not known. latency_s:
    what one request takes when no other is outstanding, nan where not known; without it (depth 1) the device time.
    """

    terms: dict[str, np.ndarray]
    depth: float = 1.0
    latency_s: np.ndarray = field(default_factory=lambda: _AS_BUSY)

    def __post_init__(self):
        if self.latency_s is _AS_BUSY:
            unknown = np.nan if self.depth != 1 else 0.0
            object.__setattr__(self, "latency_s", self.total_s + unknown)

    @property
    def total_s(self) -> np.ndarray:
        """Device time of a request, the sum of the terms: 1 / throughput at `depth`, shape of each term."""
        return np.sum(list(self.terms.values()), axis=0)


class Model(Protocol):
    """What every model of a device can be asked."""

    @property
    def name(self) -> str:
        """Id of the device or name of the measurement."""

    def service(self, pattern: str, block_bytes, span_bytes: float | None = None) -> ServiceTime:
        """Times of one request of each block size [bytes], shape as `block_bytes`; a key of `PATTERNS`."""


def is_random(pattern: str) -> bool:
    """Whether requests of the pattern start at random places. Raises ModelError for an unknown pattern."""
    return known("access pattern", pattern, PATTERNS).startswith("random")


def is_write(pattern: str) -> bool:
    """Whether requests of the pattern write. Raises ModelError for an unknown pattern."""
    return known("access pattern", pattern, PATTERNS).endswith("write")


def block_sizes(block_bytes) -> np.ndarray:
    """Block sizes as a float array [bytes]; raises ModelError unless all are at least 1."""
    sizes = np.asarray(block_bytes, float)
    require(bool((sizes >= 1).all()), f"a block size must be at least 1 byte; got {sizes.min(initial=1):.0f}")
    return sizes
