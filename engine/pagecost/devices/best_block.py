"""Which block size to choose for a device and an access pattern: the thesis' table, and three rules."""

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

CRITERIA = {
    "near_best": "smallest near the best",
    "throughput": "most MB/s",
    "iops": "most requests per second",
}
"""What "best" may mean, and its title. Fernando 2011 does not say which one it takes."""

QUERIES = {"whole table": "sequential read", "selective WHERE": "random read"}
"""The access pattern of a kind of query (Fernando 2011, §5.1)."""

# The device class of Algorithm 1 for a class of the catalogue; of the others the thesis says nothing
_CLASSES = {
    "hard disk": "hard disk",
    "removable flash": "flash drive",
    "flash SSD": "solid state disk",
    "3D XPoint SSD": "solid state disk",
}
_EQUAL = 1e-9  # relative: sizes whose rates differ by less are equally good


def algorithm_1(device_class: str, pattern: str) -> int:
    """Block size [bytes] that Algorithm 1 of Fernando 2011 sets. Raises ModelError for what it does not know."""
    answers = ALGORITHM_1[known("device class of Algorithm 1", device_class, ALGORITHM_1)]
    return answers[PATTERNS.index(known("access pattern", pattern, PATTERNS))]


def class_of(catalogue_class: str) -> str:
    """The device class of Algorithm 1 for a class of the catalogue, or empty where the thesis has none."""
    return _CLASSES.get(catalogue_class, "")


def pattern_of(query: str) -> str:
    """The access pattern of a kind of query; a pattern is its own. Raises ModelError for another name."""
    return QUERIES.get(query) or known("query or access pattern", query, (*QUERIES, *PATTERNS))


def smallest_near_best(block_bytes, throughput, share: float = NEAR_BEST) -> int:
    """The smallest block size [bytes] whose throughput reaches `share` of the highest. Arrays of one shape.

    Raises ModelError when nothing was measured (all nan), the shapes differ or share is not in 0..1.
    """
    _require_share(share)
    sizes, throughput = _known(block_bytes, throughput)
    return int(sizes[throughput >= share * np.nanmax(throughput)].min())


def best(criterion: str, block_bytes, throughput, share: float = NEAR_BEST) -> int:
    """The block size [bytes] that a rule of CRITERIA chooses from a curve. Arrays of one shape; nan is not measured.

    throughput: bytes per second. Of sizes with the same throughput the smallest is taken, of sizes with the same
    number of requests the largest. Raises ModelError for an unknown rule, a curve of nan, shapes that differ, or a
    share not in 0..1.
    """
    known("criterion", criterion, CRITERIA)
    _require_share(share)
    if criterion == "near_best":
        return smallest_near_best(block_bytes, throughput, share)
    sizes, throughput = _known(block_bytes, throughput)
    if criterion == "throughput":
        return int(sizes[throughput >= np.nanmax(throughput) * (1 - _EQUAL)].min())
    rate = throughput / sizes
    return int(sizes[rate >= np.nanmax(rate) * (1 - _EQUAL)].max())


def _require_share(share: float) -> None:
    require(0 < share <= 1, f"share must be in (0, 1]; got {share}")


def _known(block_bytes, throughput) -> tuple[np.ndarray, np.ndarray]:
    sizes, throughput = np.asarray(block_bytes), np.asarray(throughput, float)
    require(
        sizes.shape == throughput.shape,
        f"there must be one throughput for every block size; got {throughput.size} for {sizes.size}",
    )
    require(bool(np.isfinite(throughput).any()), "no throughput is known for any block size")
    return sizes, throughput
