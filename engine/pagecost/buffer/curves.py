"""Whole curves: misses and write-backs of LRU at every buffer size from one pass, sampled ones, and Che's formula."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pagecost.buffer import stack_kernels
from pagecost.buffer.references import References
from pagecost.errors import require

CHUNK = 1 << 20
GROUPS = 4  # independent samples, whose spread gives the error bars
STUDENT_95 = 3.182  # two-sided 95 %, GROUPS - 1 degrees of freedom


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
        """The curve at the given sizes; above the largest one nothing changes. Raises ModelError below the first."""
        frames = np.atleast_1d(np.asarray(frames, np.int64))
        require(frames.min() >= 1, f"a buffer needs at least one frame; got {frames.min()}")
        place = np.clip(np.searchsorted(self.frames, frames, side="right") - 1, 0, None)
        columns = (self.misses, self.write_backs, self.misses_half_width, self.write_backs_half_width)
        return Curve(frames, *(column[place] for column in columns), self.references)


def lru_curve(
    pages, writes=None, *, warm_up: int = 0, progress: Callable[[int, int], None] = lambda done, total: None
) -> Curve:
    """Exact misses and write-backs of LRU at every size from 1 frame to as many as pages.

    pages, writes, warm_up and progress as in `replay`. Stack distances of Mattson et al. 1970; a write makes a page
    dirty at all sizes, and a size writes it back when the page is found deeper than that size.
    """
    references = pages if isinstance(pages, References) else References.of(pages, writes)
    require(
        0 <= warm_up < references.size,
        f"warm_up must leave references to count (0..{references.size - 1}); got {warm_up}",
    )
    stack = stack_kernels.new_stack(references.distinct)
    misses = write_backs = 0
    if warm_up:
        _run(stack, references, 0, warm_up, progress)
        misses, write_backs = _counts(stack, references.distinct)
    _run(stack, references, warm_up, references.size, progress)
    now_misses, now_write_backs = _counts(stack, references.distinct)
    none = np.zeros(references.distinct)
    frames = np.arange(1, references.distinct + 1)
    counted = references.size - warm_up
    return Curve(frames, now_misses - misses, now_write_backs - write_backs, none, none, counted)


def _run(stack, references: References, start: int, end: int, progress) -> None:
    for at in range(start, end, CHUNK):
        until = min(at + CHUNK, end)
        stack_kernels.replay(references.pages[at:until], references.writes[at:until], stack)
        progress(until, references.size)


def _counts(stack, distinct: int) -> tuple[np.ndarray, np.ndarray]:
    """(misses, write-backs) so far at sizes 1 .. distinct."""
    total = stack.hits_at.sum()
    misses = total - np.cumsum(stack.hits_at[1 : distinct + 1])
    writes_from = stack.writes_from.copy()
    stack_kernels.finish(stack, writes_from, np.zeros(distinct + 2, np.int64))
    return misses, np.cumsum(writes_from)[1 : distinct + 1]


def sampled_lru_curve(pages, writes=None, *, share: float = 0.01, seed: int = 1) -> Curve:
    """LRU curves estimated from a share of the pages, 0 < share <= 1 (SHARDS: Waldspurger et al. 2015).

    A page is in the sample by its hash, so all its references are; distances are scaled by the share, and the sample's
    surplus or lack of references is taken off or put on the first size, as its authors advise. The error bars come from
    four samples with a quarter of the share each. Raises ModelError where a sample has no page.
    """
    require(0 < share <= 1, f"the sampled share must be above 0 and at most 1; got {share}")
    references = pages if isinstance(pages, References) else References.of(pages, writes)
    each = share / GROUPS
    sampled = [_one_sample(references, each, seed, group) for group in range(GROUPS)]
    frames = np.unique(np.concatenate([curve.frames for curve in sampled]))
    misses = np.array([curve.at(frames).misses for curve in sampled])
    write_backs = np.array([curve.at(frames).write_backs for curve in sampled])
    half = STUDENT_95 / np.sqrt(GROUPS)
    return Curve(
        frames,
        misses.mean(axis=0),
        write_backs.mean(axis=0),
        half * misses.std(axis=0, ddof=1),
        half * write_backs.std(axis=0, ddof=1),
        references.size,
    )


def _one_sample(references: References, share: float, seed: int, group: int) -> Curve:
    chosen = np.zeros(references.distinct, np.uint8)
    limit = np.uint64(min(int(share * 2**64), 2**64 - 1))
    stack_kernels.choose(references.distinct, np.uint64(GROUPS * seed + group), limit, chosen)
    kept = int(chosen.sum())
    require(
        kept > 0,
        f"a sample of {share:.3%} of {references.distinct} pages is empty; a larger share is needed",
    )
    number = np.cumsum(chosen, dtype=np.uint32) - np.uint32(1)
    size = int(2 * share * references.size) + 1024
    while True:
        sampled, sampled_writes = np.empty(size, np.uint32), np.empty(size, np.uint8)
        size = stack_kernels.sample(references.pages, references.writes, chosen, number, sampled, sampled_writes)
        if size <= sampled.size:
            break
    made = References(sampled[:size], sampled_writes[:size], np.arange(kept))
    curve = lru_curve(made)
    lack = references.size * kept / references.distinct - size
    scale = references.distinct / kept
    # a sampled distance d stands for sizes around d x scale; the lacking references are hits at the smallest sizes
    frames = np.append(1, np.maximum(np.round((curve.frames) * scale), 2).astype(np.int64))
    misses = np.append(size, curve.misses) * (references.size / max(size + lack, 1))
    write_backs = np.append(curve.write_backs[0], curve.write_backs) * scale
    none = np.zeros(frames.size)
    return Curve(frames, np.minimum(misses, references.size), write_backs, none, none, references.size)


def che_misses(pages, frames, writes=None) -> np.ndarray:
    """Misses of LRU if every reference were drawn anew with the trace's page frequencies (Che, Tung and Wang 2002).

    frames: sizes, shape (n,). Cold misses included: a page's first reference always misses. float64, shape (n,).
    """
    references = pages if isinstance(pages, References) else References.of(pages, writes)
    counts, times = np.unique(np.bincount(references.pages), return_counts=True)
    rates = counts / references.size
    ages = np.geomspace(0.1, 50 * references.size, 400)
    present = 1 - np.exp(-np.outer(ages, rates))
    held = present @ times
    hits = present @ (times * rates)
    wanted = np.asarray(frames, float)
    hit_ratio = np.where(wanted >= references.distinct, 1.0, np.interp(wanted, held, hits))
    return np.maximum((1 - hit_ratio) * references.size, references.distinct)
