"""The service time of one request as named terms that add up, for the four access patterns."""

from dataclasses import dataclass

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
    "measured_s": "measured, not split",
}
"""Every term a device model may charge, in the order in which they are drawn."""


@dataclass(frozen=True)
class ServiceTime:
    """Service times of single requests: `terms[name]` are arrays [s] of one shape, `total_s` is their sum."""

    terms: dict[str, np.ndarray]

    @property
    def total_s(self) -> np.ndarray:
        """The sum of the terms, shape of each of them."""
        return np.sum(list(self.terms.values()), axis=0)


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
