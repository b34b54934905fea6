"""LRU curves from a sample of the pages (SHARDS: Waldspurger et al. 2015), for traces of any length, with error bars.

A page is in the sample by the hash of its id, so all its references are; the stack distances within the sample are
scaled. Four disjoint samples with a quarter of the share each give the error bars; all pages need none. One sampled
page stands for 4 / share pages: of buffers with fewer frames a sample says nothing, and its curve begins there.
"""

import numpy as np

from pagecost.buffer import stack_kernels
from pagecost.buffer.curves import Curve, lru_curve
from pagecost.buffer.references import References, page_ids, write_flags
from pagecost.errors import require
from pagecost.intervals import half_width

GROUPS = 4  # independent samples, whose spread gives the error bars
AT_ONCE = 1 << 16  # references that are looked at before those that are kept are copied
SALT = 0x9E3779B97F4A7C15  # times the seed


class Sampler:
    """Keeps the sampled references of a trace that comes in pieces; memory grows with the sample only.

    share: of the pages, 0 < share <= 1. The first pieces until `end_warm_up` fill the buffer and are not counted.
    """

    def __init__(self, share: float, seed: int = 1):
        require(0 < share <= 1, f"the sampled share must be above 0 and at most 1; got {share}")
        self.share = share
        limit = min(int(share * 2**64), 2**64 - GROUPS) // GROUPS  # hashes of one group
        self._ranges = np.uint64(SALT * seed % 2**64), np.uint64(limit), np.uint64(GROUPS)
        self._kept: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self._uncounted = 0  # entries of `_kept` that belong to the warm-up
        self.references = self.warm_up = 0
        self._writes = self._writes_before = 0  # of all references, and of the warm-up

    def add(self, ids, writes) -> None:
        """Look at the next references: page ids and write flags as `References.of` takes them; there may be none.

        Raises ModelError as it does.
        """
        ids = np.ascontiguousarray(page_ids(ids), np.int64)
        flags = write_flags(writes, ids.size)
        for at in range(0, ids.size, AT_ONCE):
            part = ids[at : at + AT_ONCE]
            found = np.empty(part.size, np.int64), np.empty(part.size, np.uint8), np.empty(part.size, np.uint8)
            count = stack_kernels.pick(part, flags[at : at + AT_ONCE], *self._ranges, *found)
            picked, written, group = (column[:count].copy() for column in found)
            self._keep(picked, written != 0, group, part.size)
        self._writes += int(np.count_nonzero(flags))

    def add_references(self, references: References, start: int, end: int) -> None:
        """The same of references start .. end - 1 of what is in memory already, faster."""
        group = self._groups(references.ids)
        pages, writes = references.pages[start:end], references.writes[start:end]
        size = int(1.5 * self.share * pages.size) + 1024
        while True:
            sampled, flags = np.empty(size, np.uint32), np.empty(size, np.uint8)
            size = stack_kernels.sample(pages, writes, group, sampled, flags)
            if size <= sampled.size:
                break
        sampled = sampled[:size]
        self._keep(references.ids[sampled], flags[:size] != 0, group[sampled], pages.size)
        self._writes += int(np.count_nonzero(writes))

    def end_warm_up(self) -> None:
        """All that came until now is not counted."""
        self.warm_up, self._uncounted, self._writes_before = self.references, len(self._kept), self._writes

    @property
    def is_enough(self) -> bool:
        """Whether each of the samples has a counted reference, so that there is a curve."""
        found = np.zeros(GROUPS + 1, np.int64)
        for *_, groups in self._kept[self._uncounted :]:
            found += np.bincount(groups, minlength=GROUPS + 1)
        return bool((found[1:] > 0).all())

    def pages(self) -> float:
        """How many distinct pages the trace has, estimated from the sample."""
        found = np.unique(np.concatenate([ids for ids, *_ in self._kept])) if self._kept else np.empty(0)
        return found.size / self.share

    def curve(self, distinct: int | None = None) -> Curve:
        """The curve of what came so far. distinct: the trace's distinct pages, where they are known.

        It begins at the least size that all four samples tell of. A sample of all pages is no estimate: exact, without
        error bars, from 1 frame on. Raises ModelError where a sample has no reference.
        """
        counted = self.references - self.warm_up
        if self.share == 1 and counted:
            ids, writes, _ = (np.concatenate(column) for column in zip(*self._kept, strict=True))
            return lru_curve(ids, writes, warm_up=self.warm_up)
        curves = [self._one(group, counted, distinct) for group in range(1, GROUPS + 1)]
        frames = np.unique(np.concatenate([curve.frames for curve in curves]))
        frames = frames[frames >= max(curve.frames[0] for curve in curves)]
        misses = np.array([curve.at(frames).misses for curve in curves])
        write_backs = np.array([curve.at(frames).write_backs for curve in curves])
        return Curve(
            frames,
            misses.mean(axis=0),
            write_backs.mean(axis=0),
            half_width(misses),
            half_width(write_backs),
            counted,
        )

    def _groups(self, ids: np.ndarray) -> np.ndarray:
        group = np.empty(ids.size, np.uint8)
        stack_kernels.choose(ids, *self._ranges, group)
        return group

    def _keep(self, ids, writes, group, seen: int) -> None:
        self.references += seen
        if ids.size:
            self._kept.append((ids, writes, group))

    def _one(self, group: int, counted: int, distinct: int | None) -> Curve:
        own = [(ids[groups == group], writes[groups == group]) for ids, writes, groups in self._kept]
        warm_up = sum(ids.size for ids, _ in own[: self._uncounted])
        size = sum(ids.size for ids, _ in own) - warm_up
        each = self.share / GROUPS
        of = f"{distinct} pages" if distinct else "the pages"
        require(size > 0, f"a sample of {each:.3%} of {of} is empty; a larger share is needed")
        made = References.of(*(np.concatenate(column) for column in zip(*own, strict=True)))
        curve = lru_curve(made, warm_up=warm_up)
        # a sampled page stands for `scale` pages, so do its distances and its misses; how often the sample's pages are
        # used says little, for one hot page more or less in it changes that (the correction of SHARDS-adj)
        scale = distinct / made.distinct if distinct else 1 / each
        frames = np.round(curve.frames * scale).astype(np.int64)
        misses = np.minimum(curve.misses * scale, counted)
        # what is written back was written since, or was dirty in a frame before
        written = self._writes - self._writes_before + np.minimum(frames, self._writes_before)
        write_backs = np.minimum(curve.write_backs * scale, written)
        none = np.zeros(frames.size)
        return Curve(frames, misses, write_backs, none, none, counted)


def sampled_lru_curve(pages, writes=None, *, share: float = 0.01, seed: int = 1, warm_up: int = 0) -> Curve:
    """LRU curves estimated from a share of the pages, 0 < share <= 1, of references that are in memory.

    pages, writes and warm_up as in `replay`. The curve begins at about 4 / share frames, as that of `Sampler`. Raises
    ModelError where a sample has no page.
    """
    sampler = Sampler(share, seed)
    references = pages if isinstance(pages, References) else References.of(pages, writes)
    require(
        0 <= warm_up < references.size,
        f"warm_up must leave references to count (0..{references.size - 1}); got {warm_up}",
    )
    if warm_up:
        sampler.add_references(references, 0, warm_up)
        sampler.end_warm_up()
    sampler.add_references(references, warm_up, references.size)
    return sampler.curve(references.distinct)
