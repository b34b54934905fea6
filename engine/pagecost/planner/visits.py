"""What reaches the devices of a transaction at each size of the caches, for all sizes at once."""

from typing import NamedTuple

import numpy as np

from pagecost.planner import demand
from pagecost.planner.space import Memories
from pagecost.system import FORCE, System

Array = np.ndarray


class Visits(NamedTuple):
    """Pages of a transaction that reach the devices, one entry per size of the caches; by type of transaction with
    their variances, float64[sizes, types]."""

    cold_reads: Array
    hot_reads: Array
    cold_writes: Array
    hot_writes: Array
    reads: Array
    reads_variance: Array
    writes: Array
    writes_variance: Array
    types: demand.Types


def visits_of(of: demand.Asked, system: System, memories: Memories) -> Visits:
    """Counted by replaying the load at each size of the caches.

    The page cache keeps what the buffer keeps and more, so that a read misses both where it misses the larger; writes
    go through it. With FORCE every changed page is written at commit, and none of them later.
    """
    share, policy = system.candidates.hot_share, system.memory.policy
    force = system.log.update_strategy == FORCE
    rows = []
    for frames, cache_bytes in zip(memories.frames.tolist(), memories.cache_bytes.tolist(), strict=True):
        cached = int(cache_bytes // of.page_bytes)
        larger = demand.reads(of, share, "lru", cached) if cached > frames else None
        reads = larger or demand.reads(of, share, policy, frames)
        writes = demand.forced(of, share) if force else demand.writes(of, share, policy, frames)
        rows.append((reads, writes))
    of_reads, of_writes = ([each[at] for each in rows] for at in (0, 1))
    return Visits(
        cold_reads=np.array([each.cold for each in of_reads]),
        hot_reads=np.array([each.hot for each in of_reads]),
        cold_writes=np.array([each.cold for each in of_writes]),
        hot_writes=np.array([each.hot for each in of_writes]),
        reads=np.array([each.of_type for each in of_reads]),
        reads_variance=np.array([each.variance for each in of_reads]),
        writes=np.array([each.of_type for each in of_writes]),
        writes_variance=np.array([each.variance for each in of_writes]),
        types=demand.types(of, share),
    )
