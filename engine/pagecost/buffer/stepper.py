"""Step a replacement policy one reference at a time, forwards, backwards or anywhere: what is where, who leaves why.

The lists are read from the arrays that the policy's kernel works on; going back restores a snapshot and replays.
"""

import hashlib
from dataclasses import dataclass

import numpy as np

from pagecost.buffer.pool import Pool
from pagecost.buffer.references import References
from pagecost.buffer.replay_kernels import READ_HITS, USED, WRITE_BACKS, WRITE_HITS, Frames
from pagecost.errors import require
from pagecost.interpreted import plain_entry

LONGEST = 100_000  # references: a walk for the eye, not a measurement
SNAPSHOTS = 64  # of the whole walk


@dataclass(frozen=True)
class Entry:
    """A page in one of the policy's lists. mark: its bits in words, empty where it has none."""

    page: int
    dirty: bool
    mark: str


@dataclass(frozen=True)
class Step:
    """What one reference did. position counts from 1; 0 is the empty buffer before the first one.

    victims: (page id, was it dirty) of the pages that left, in the order of leaving where they were written.
    """

    position: int
    page: int | None
    write: bool
    hit: bool
    victims: tuple[tuple[int, bool], ...]
    reason: str
    lists: dict[str, list[Entry]]
    ghosts: dict[str, list[int]]
    values: dict[str, float]
    hits: int
    misses: int
    write_backs: int


class Stepper:
    """A walk through a reference string under one policy.

    plain: run the policy as plain Python, which needs no compiling, for walks of some hundred references. Raises
    ModelError for more than 100 000 references, and whatever `replay` raises.
    """

    def __init__(self, pages, frames: int, policy: str = "lru", writes=None, *, plain: bool = False):
        self.references = pages if isinstance(pages, References) else References.of(pages, writes)
        size = self.references.size
        require(size <= LONGEST, f"a walk has at most {LONGEST} references; got {size}")
        self.frames, self.policy = frames, policy
        self._pool = Pool(self.references, frames, policy, keep_written=True, spare=LONGEST)
        self._plain = plain
        if plain:
            self._pool.rule = self._pool.rule._replace(replay=plain_entry(self._pool.rule.replay))
        self._arrays = [array for array in arrays_of((self._pool.frames, self._pool.state)) if array is not self._trace]
        self._every = max(1, size // SNAPSHOTS)
        self._snapshots = {0: self._copy()}
        self.step = self._picture(0, None)

    @property
    def _trace(self) -> np.ndarray:
        """What no policy changes, and no snapshot needs to hold."""
        return self.references.pages

    @property
    def position(self) -> int:
        """References done so far, 0 .. size."""
        return self.step.position

    @property
    def size(self) -> int:
        """References of the whole walk."""
        return self.references.size

    def forward(self) -> Step:
        """The next reference; at the end nothing changes."""
        return self.jump(min(self.position + 1, self.size))

    def back(self) -> Step:
        """One reference back; at the beginning nothing changes."""
        return self.jump(max(self.position - 1, 0))

    def jump(self, position: int) -> Step:
        """The state after `position` references. Raises ModelError outside 0 .. size."""
        require(0 <= position <= self.size, f"the walk has positions 0..{self.size}; got {position}")
        if position == self.position:
            return self.step
        if position == 0:
            self._restore(0)
            self.step = self._picture(0, None)
            return self.step
        at = self.position
        if position - 1 < at:
            at = max(known for known in self._snapshots if known < position)
            self._restore(at)
        while at < position - 1:
            end = at + 1 if self._plain else min((at // self._every + 1) * self._every, position - 1)
            self._pool.advance(at, end)
            at = end
            if at % self._every == 0:
                self._snapshots.setdefault(at, self._copy())
        before = residents(self._pool.frames)
        counts = self._pool.counts.copy()
        self._pool.advance(position - 1, position)
        self.step = self._picture(position, (before, counts))
        return self.step

    def state_hash(self) -> str:
        """Digest of all arrays that the policy works on: equal states, equal digests."""
        digest = hashlib.sha256()
        of_the_last_call = {id(self._pool.frames.log), id(self._pool.frames.each)}  # what it did is no state
        for array in self._arrays:
            if id(array) not in of_the_last_call:
                digest.update(array.tobytes())
        return digest.hexdigest()[:16]

    def _copy(self) -> list[np.ndarray]:
        return [array.copy() for array in self._arrays]

    def _restore(self, position: int) -> None:
        for array, kept in zip(self._arrays, self._snapshots[position], strict=True):
            array[...] = kept

    def _picture(self, position: int, before) -> Step:
        pool, ids = self._pool, self.references.ids
        dirty = residents(self._pool.frames)
        picture = pool.rule.describe(pool.frames, pool.state)
        page, write, hit, reason = None, False, False, ""
        victims: tuple[tuple[int, bool], ...] = ()
        if before is not None:
            resident, counts = before
            now = pool.counts
            dense = int(self.references.pages[position - 1])
            page, write = int(ids[dense]), bool(self.references.writes[position - 1])
            hit = bool(now[READ_HITS] + now[WRITE_HITS] > counts[READ_HITS] + counts[WRITE_HITS])
            written = pool.frames.log[: now[WRITE_BACKS] - counts[WRITE_BACKS]].tolist()
            clean = [gone for gone in resident if gone not in dirty and not resident[gone]]
            victims = tuple((int(ids[gone]), resident[gone]) for gone in [*written, *clean])
            if victims:
                number = int(pool.state.reason[0]) if hasattr(pool.state, "reason") else 0
                reason = pool.rule.reasons[number]
        hits = int(pool.counts[READ_HITS] + pool.counts[WRITE_HITS])
        return Step(
            position=position,
            page=page,
            write=write,
            hit=hit,
            victims=victims,
            reason=reason,
            lists={
                title: [Entry(int(ids[number]), dirty[number], mark) for number, mark in entries]
                for title, entries in picture.lists.items()
            },
            ghosts={title: [int(ids[number]) for number in gone] for title, gone in picture.ghosts.items()},
            values=picture.values,
            hits=hits,
            misses=position - hits,
            write_backs=int(pool.counts[WRITE_BACKS]),
        )


def residents(frames: Frames) -> dict[int, bool]:
    """The pages in the buffer, dense numbers, and whether each is dirty."""
    free = set(frames.free[frames.counts[USED] :].tolist())
    return {
        int(frames.page_in[frame]): bool(frames.dirty[frame])
        for frame in range(frames.page_in.size)
        if frame not in free
    }


def arrays_of(state):
    """All arrays of nested named tuples, each once."""
    seen = set()
    waiting = [state]
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, tuple):
            waiting.extend(item)
        elif id(item) not in seen:
            seen.add(id(item))
            yield item
