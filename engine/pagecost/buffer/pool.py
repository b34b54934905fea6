"""Replay a reference string through a buffer pool of a given size under a replacement policy."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pagecost.buffer.policies import POLICIES
from pagecost.buffer.references import References
from pagecost.buffer.replay_kernels import READ_HITS, WRITE_BACKS, WRITE_HITS, Case, new_frames
from pagecost.errors import known, require

CHUNK = 4_000_000  # references between two progress reports: some tens of milliseconds


@dataclass(frozen=True)
class Replay:
    """What a buffer of `frames` frames did. Counts are references; `dirty_left` are pages still to be written."""

    policy: str
    frames: int
    references: int
    read_hits: int
    write_hits: int
    write_backs: int
    dirty_left: int

    @property
    def hits(self) -> int:
        return self.read_hits + self.write_hits

    @property
    def misses(self) -> int:
        return self.references - self.hits

    @property
    def hit_ratio(self) -> float:
        """Hits per reference, 0..1."""
        return self.hits / self.references


def replay(
    pages,
    frames: int,
    policy: str = "lru",
    writes=None,
    *,
    warm_up: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Replay:
    """Replay `pages` through `frames` buffer frames.

    pages: `References`, or page ids (any 64-bit integers, shape (n,)). frames: 1 or more; more than the distinct
    pages is allowed. policy: a name of `POLICIES`. writes: flags, shape (n,); None means that all are reads.
    warm_up: the first references that fill the buffer but are not counted. progress(done, total) is called
    between chunks and may raise to cancel.
    Raises ModelError for an unknown policy, an empty string, frames < 1 or a warm-up that leaves nothing to count.
    """
    references = pages if isinstance(pages, References) else References.of(pages, writes)
    rule = POLICIES[known("replacement policy", policy, POLICIES)]
    require(frames >= 1, f"a buffer needs at least one frame; got {frames}")
    require(
        0 <= warm_up < references.size,
        f"warm_up must leave references to count (0..{references.size - 1}); got {warm_up}",
    )
    pool = new_frames(references.distinct, min(frames, references.distinct))
    state = rule.start(Case(pool, references.pages, references.ids))
    for at, end in _chunks(warm_up, references.size):
        rule.replay(references.pages[at:end], references.writes[at:end], at, pool, state)
        if end == warm_up:
            pool.counts[READ_HITS:] = 0
        progress(end, references.size)
    return Replay(
        policy=policy,
        frames=int(frames),
        references=references.size - warm_up,
        read_hits=int(pool.counts[READ_HITS]),
        write_hits=int(pool.counts[WRITE_HITS]),
        write_backs=int(pool.counts[WRITE_BACKS]),
        dirty_left=int(np.count_nonzero(pool.dirty)),
    )


def _chunks(warm_up: int, size: int):
    for first, last in ((0, warm_up), (warm_up, size)):
        for at in range(first, last, CHUNK):
            yield at, min(at + CHUNK, last)
