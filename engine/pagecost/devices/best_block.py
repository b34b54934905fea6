"""Which block size to choose for a device and an access pattern: the thesis' table, and a rule."""

import numpy as np

from pagecost.devices.service import PATTERNS
from pagecost.errors import known, require

KIB = 1024

# Fernando 2011, Algorithm 1, in the order of PATTERNS: sequential read, random read, sequential write, random write
ALGORITHM_1 = {
    "hard disk": (64 * KIB, 1024 * KIB, 4 * KIB, 256 * KIB),
    "flash drive": (64 * KIB, 64 * KIB, 16 * KIB, 1024 * KIB),
    "solid state disk": (1024 * KIB, 1024 * KIB, 1024 * KIB, 1024 * KIB),
}
NEAR_BEST = 0.95  # a block size whose throughput reaches this share of the best is good enough


def algorithm_1(device_class: str, pattern: str) -> int:
    """Block size [bytes] that Algorithm 1 of Fernando 2011 sets. Raises ModelError for what it does not know."""
    answers = ALGORITHM_1[known("device class of Algorithm 1", device_class, ALGORITHM_1)]
    return answers[PATTERNS.index(known("access pattern", pattern, PATTERNS))]


def smallest_near_best(block_bytes, throughput, share: float = NEAR_BEST) -> int:
    """The smallest block size [bytes] whose throughput reaches `share` of the highest. Arrays of one shape.

    Raises ModelError when nothing was measured (all nan) or share is not in 0..1.
    """
    require(0 < share <= 1, f"share must be in (0, 1]; got {share}")
    throughput = np.asarray(throughput, float)
    require(bool(np.isfinite(throughput).any()), "no throughput is known for any block size")
    good = throughput >= share * np.nanmax(throughput)
    return int(np.asarray(block_bytes)[good].min())
