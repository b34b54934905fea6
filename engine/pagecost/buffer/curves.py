"""Whole curves: misses and write-backs of LRU at every buffer size from one pass, and Che's formula."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from pagecost import cancellation
from pagecost._processors import processors
from pagecost.buffer import stack_kernels
from pagecost.buffer.frames import whole_frames
from pagecost.buffer.references import References
from pagecost.errors import require

CHUNK = 1 << 20
PARTED = 1 << 20  # references from which two threads pay: each needs a stack of its own


@dataclass(frozen=True, eq=False)
class Curve:
    """LRU at many buffer sizes. All arrays have shape (n,), by rising `frames`.

    misses and write_backs are references (estimates are not whole numbers); the half widths are of the 95 % confidence
    interval, 0 for an exact curve. references: how many were counted.
    """

    frames: np.ndarray
    misses: np.ndarray
    write_backs: np.ndarray
    misses_half_width: np.ndarray
    write_backs_half_width: np.ndarray
    references: int

    def cost(self, read: float, write: float) -> np.ndarray:
        """Misses x read + write-backs x write at each size."""
        return self.misses * read + self.write_backs * write

    def at(self, frames) -> "Curve":
        """The curve at the given sizes; above the largest one nothing changes.

        Raises ModelError below the first, and for sizes that are not whole.
        """
        frames = np.array([whole_frames(size) for size in np.atleast_1d(np.asarray(frames, object))], np.int64)
        require(
            frames.min() >= self.frames[0],
            f"this curve begins at {self.frames[0]} frames: it says nothing of {frames.min()}",
        )
        place = np.searchsorted(self.frames, frames, side="right") - 1
        columns = (self.misses, self.write_backs, self.misses_half_width, self.write_backs_half_width)
        misses, write_backs, misses_half_width, write_backs_half_width = (column[place] for column in columns)
        return Curve(frames, misses, write_backs, misses_half_width, write_backs_half_width, self.references)


def lru_curve(
    pages, writes=None, *, warm_up: int = 0, progress: Callable[[int, int], None] = lambda done, total: None
) -> Curve:
    """Exact misses and write-backs of LRU at every size from 1 frame to as many as pages.

    pages, writes, warm_up and progress as in `replay`. Stack distances of Mattson et al. 1970; a write makes a page
    dirty at all sizes, and a size writes it back when the page is found deeper than that size.
    """
    references = pages if isinstance(pages, References) else References.of(pages, writes)
    _require_counted(references, warm_up)
    stacks = [stack_kernels.new_stack(references.distinct)]
    misses = write_backs = np.zeros(1, np.int64)  # nothing is left out
    if warm_up:
        _run(stacks[0], references, 0, warm_up, lambda done: progress(done, references.size))
        misses, write_backs = _counts(stacks)
    if references.size - warm_up >= PARTED and processors() > 1:
        stacks.append(_run_parted(stacks[0], references, warm_up, progress))
    else:
        _run(stacks[0], references, warm_up, references.size, lambda done: progress(done, references.size))
    now_misses, now_write_backs = _counts(stacks)
    none = np.zeros(references.distinct)
    frames = np.arange(1, references.distinct + 1)
    counted = references.size - warm_up
    return Curve(frames, now_misses - misses, now_write_backs - write_backs, none, none, counted)


def _require_counted(references: References, warm_up: int) -> None:
    require(
        0 <= warm_up < references.size,
        f"warm_up must leave references to count (0..{references.size - 1}); got {warm_up}",
    )


def _run(stack, references: References, start: int, end: int, progress: Callable[[int], None]) -> None:
    for at in range(start, end, CHUNK):
        until = min(at + CHUNK, end)
        stack_kernels.replay(references.pages[at:until], references.writes[at:until], stack)
        progress(until)
        cancellation.point()


def _run_parted(stack, references: References, start: int, progress: Callable[[int, int], None]):
    """Look at the rest of a trace in two threads, one half each; the stack of the later half."""
    middle = (start + references.size) // 2
    later = stack_kernels.new_stack(references.distinct, continues=True)
    given_up = threading.Event()

    def go_on(done: int) -> None:
        if given_up.is_set():
            raise InterruptedError

    with ThreadPoolExecutor(1, "curve") as beside:
        coming = beside.submit(_run, later, references, middle, references.size, go_on)
        try:
            _run(stack, references, start, middle, lambda done: progress(2 * done - start, references.size))
        except BaseException:
            given_up.set()
            raise
        coming.result()
    stack_kernels.join(stack, later)
    progress(references.size, references.size)
    return later


def _counts(stacks: list) -> tuple[np.ndarray, np.ndarray]:
    """(misses, write-backs) so far at sizes 1 .. distinct; stacks: of the parts of the trace, the earliest first."""
    references, writes_from = sum(stack.counts for stack in stacks).T.copy()
    distinct = references.size - 2
    misses = references.sum() - np.cumsum(references[1 : distinct + 1])
    newer = 0
    for stack in reversed(stacks):
        stack_kernels.finish(stack, newer, writes_from, np.zeros(distinct + 2, np.int64))
        newer += int(stack.scalars[stack_kernels.LIVING])
    return misses, np.cumsum(writes_from)[1 : distinct + 1]


def che_misses(pages, frames, writes=None, *, warm_up: int = 0) -> np.ndarray:
    """Misses of LRU if every reference were drawn anew with the trace's page frequencies (Che, Tung and Wang 2002).

    frames: sizes, shape (n,). A page's first reference always misses; of the first `warm_up` references nothing is
    counted, but their pages are in the buffer. float64, shape (n,). Raises ModelError for less than one frame and a
    warm-up that leaves nothing to count.
    """
    references = pages if isinstance(pages, References) else References.of(pages, writes)
    wanted = np.asarray(frames, float)
    require(bool((wanted >= 1).all()), f"a buffer needs at least one frame; got {wanted.min()}")
    _require_counted(references, warm_up)
    counts, times = np.unique(np.bincount(references.pages), return_counts=True)
    rates = counts / references.size
    ages = np.geomspace(0.1, 50 * references.size, 400)
    present = 1 - np.exp(-np.outer(ages, rates))
    held = present @ times
    hits = present @ (times * rates)
    hit_ratio = np.where(wanted >= references.distinct, 1.0, np.interp(wanted, held, hits))
    known = int(references.pages[:warm_up].max()) + 1 if warm_up else 0  # pages are numbered as they first appear
    return np.maximum((1 - hit_ratio) * (references.size - warm_up), references.distinct - known)
