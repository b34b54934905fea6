"""Replay a reference string through a buffer pool of a given size under a replacement policy."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from pagecost import cancellation
from pagecost.buffer import policies
from pagecost.buffer.frames import whole_frames
from pagecost.buffer.policy import Case
from pagecost.buffer.references import References
from pagecost.buffer.replay_kernels import ABSENT, READ_HITS, WRITE_BACKS, WRITE_HITS, Frames, new_frames
from pagecost.errors import require
from pagecost.requests import sealed

CHUNK = 1 << 22  # references between two progress reports: some tens of milliseconds


@dataclass(frozen=True)
class Replay:
    """What a buffer of `frames` frames did. Counts are references; `dirty_left` are pages still to be written.

    written: the ids of the pages written back, in order, int64, shape (write_backs,); None unless asked for.
    hit: bool, shape (references,), aligned with the references that were counted: whether each found its page.
    write_backs_before: int64, shape (references,): how many of `written` had left when that reference was answered,
    those that made room for it included. Both None unless asked for; all three cannot be written to.
    """

    policy: str
    frames: int
    references: int
    read_hits: int
    write_hits: int
    write_backs: int
    dirty_left: int
    written: np.ndarray | None = field(default=None, compare=False, repr=False)
    hit: np.ndarray | None = field(default=None, compare=False, repr=False)
    write_backs_before: np.ndarray | None = field(default=None, compare=False, repr=False)

    @property
    def hits(self) -> int:
        """References that found their page in the buffer."""
        return self.read_hits + self.write_hits

    @property
    def misses(self) -> int:
        """References that had to read their page."""
        return self.references - self.hits

    @property
    def hit_ratio(self) -> float:
        """Hits per reference, 0..1."""
        return self.hits / self.references

    def cost(self, read: float, write: float) -> float:
        """Misses x read + write-backs x write, in whatever unit one page read and one page write are given."""
        return self.misses * read + self.write_backs * write


def replay(
    pages,
    frames: int,
    policy: str = "lru",
    writes=None,
    *,
    warm_up: int = 0,
    keep_written: bool = False,
    each: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Replay:
    """Replay `pages` through `frames` buffer frames.

    pages: `References`, or page ids (integers from -2^63 to 2^63 - 1, shape (n,)). frames: 1 or more; more than the
    distinct pages is allowed. policy: a name of `POLICIES`, with parameters as in `cflru:window=0.25`. writes: truth
    values, or 0 and 1, shape (n,); None means that all are reads. warm_up: the first references that fill the buffer
    but are not counted.
    keep_written: also return the page ids of the write-backs, in order. each: also return which references hit, and
    how many write-backs had been made by then. progress(done, total) is called between chunks and may raise to cancel.
    Raises ModelError for an unknown policy or parameter, an empty string, frames that are not whole or less than 1, or
    a warm-up that leaves nothing to count.
    """
    references = pages if isinstance(pages, References) else References.of(pages, writes)
    require(
        0 <= warm_up < references.size,
        f"warm_up must leave references to count (0..{references.size - 1}); got {warm_up}",
    )
    pool = Pool(references, frames, policy, keep_written=keep_written, each=each)
    counted = references.size - warm_up
    written = []
    hit, before = (np.empty(counted if each else 0, kind) for kind in (bool, np.int64))
    for at, end in _chunks(warm_up, references.size):
        write_backs = pool.counts[WRITE_BACKS]
        pool.advance(at, end)
        if keep_written and end > warm_up:
            written.append(references.ids[pool.frames.log[: pool.counts[WRITE_BACKS] - write_backs]])
        if each and end > warm_up:
            noted, part = pool.frames.each[: end - at], slice(at - warm_up, end - warm_up)
            hit[part], before[part] = noted & 1, write_backs + (noted >> 1)
        if end == warm_up:
            pool.counts[READ_HITS:] = 0
        progress(end, references.size)
        cancellation.point()
    return replace(
        pool.found(policy, frames, counted),
        written=sealed(np.concatenate(written)) if keep_written else None,
        hit=sealed(hit) if each else None,
        write_backs_before=sealed(before) if each else None,
    )


def mean_block_run(written, block_pages: int) -> float:
    """Mean number of write-backs in a row that go to one block of `block_pages` pages; nan where nothing is written.

    written: page ids in the order of writing, shape (n,). A device with few log or open blocks likes long runs.
    """
    require(block_pages >= 1, f"a block has at least one page; got {block_pages}")
    blocks = np.asarray(written) // block_pages
    return blocks.size / (1 + np.count_nonzero(np.diff(blocks))) if blocks.size else float("nan")


class Pool:
    """A buffer pool under a policy, empty at first. `frames` and `state` are the arrays that the kernels work on.

    Frames that the trace has no page for are left out beyond `spare` of them in all: they change no count, but the
    shares of its frames that a policy shows. Raises ModelError for an unknown policy or parameter, or frames that are
    not whole or less than 1.
    """

    def __init__(
        self,
        references: References,
        frames: int,
        policy: str,
        *,
        keep_written: bool = False,
        each: bool = False,
        spare: int = 0,
    ):
        self.rule, options = policies.find(policy)
        self.references = references
        size = min(whole_frames(frames), max(references.distinct, spare))
        # a chunk may write back all that was dirty before it and all that became dirty in it
        most = min(CHUNK, references.size) + size if keep_written else 1
        noted = min(CHUNK, references.size) if each else 1
        self.frames: Frames = new_frames(references.distinct, size, *(1 << (n - 1).bit_length() for n in (most, noted)))
        self.state = self.rule.start(
            Case(frames=self.frames, pages=references.pages, ids=references.ids, options=options)
        )

    @property
    def counts(self) -> np.ndarray:
        """USED, READ_HITS, WRITE_HITS and WRITE_BACKS so far."""
        return self.frames.counts

    def advance(self, at: int, end: int) -> None:
        """Replay the references at .. end - 1; `at` is where the last call ended, and end - at at most CHUNK."""
        self.reference(self.references.pages[at:end], self.references.writes[at:end], at)

    def reference(self, pages: np.ndarray, writes: np.ndarray, at: int) -> None:
        """Replay the next references, of dense numbers that `grow` made room for; `at`: how many came before them."""
        self.rule.replay(pages, writes, at, self.frames, self.state)

    def grow(self, pages: int) -> None:
        """Make room for page numbers up to pages - 1, twice as many as before or more.

        The array stays the same one, for some policies hold it too.
        """
        frame_of = self.frames.frame_of
        known = frame_of.size
        if pages > known:
            frame_of.resize(max(pages, 2 * known), refcheck=False)
            frame_of[known:] = ABSENT

    def found(self, policy: str, frames: int, references: int) -> Replay:
        """What was counted, of a buffer that was asked for in these words."""
        return Replay(
            policy=policy,
            frames=int(frames),
            references=references,
            read_hits=int(self.counts[READ_HITS]),
            write_hits=int(self.counts[WRITE_HITS]),
            write_backs=int(self.counts[WRITE_BACKS]),
            dirty_left=int(np.count_nonzero(self.frames.dirty)),
        )


def _chunks(warm_up: int, size: int):
    for first, last in ((0, warm_up), (warm_up, size)):
        for at in range(first, last, CHUNK):
            yield at, min(at + CHUNK, last)
