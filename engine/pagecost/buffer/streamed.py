"""Replays of a trace that comes in pieces: several policies and sizes side by side, the pages numbered once."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from pagecost._processors import processors
from pagecost.buffer import policies
from pagecost.buffer.frames import whole_frames
from pagecost.buffer.pool import Pool, Replay
from pagecost.buffer.references import References, page_ids, write_flags
from pagecost.errors import require
from pagecost.numbering import Numbering


class Wanted(NamedTuple):
    """A replay that is asked for: policy and frames as `replay` takes them."""

    policy: str
    frames: int


def can_stream(policy: str) -> bool:
    """Whether a policy needs to know nothing of the references to come. Raises ModelError for an unknown one."""
    return not policies.find(policy)[0].foreknows


class StreamedReplays:
    """Feed references with `add`, then ask for `found`: the same counts as `replay` gives of all of them together.

    Memory: the distinct pages so far (about 28 bytes each, and 4 for each replay) and the buffers, however long the
    trace is. References are held back, in 5 bytes each, until the pages would fill the largest buffer: before, it is
    not known how large it is. Pieces are numbered in one thread while the ones before are replayed in others. Use it
    as a context, which ends those threads. Raises ModelError for an unknown policy or one that must know the whole
    trace, and for frames that are not whole or less than 1.
    """

    def __init__(self, wanted: Sequence[Wanted]):
        for policy, frames in wanted:
            require(can_stream(policy), f"policy {policy} must know the whole trace; it cannot be fed in pieces")
            whole_frames(frames)
        self.references = 0
        self._wanted = list(wanted)
        self._most = max(frames for _, frames in wanted)
        self._numbering = Numbering()
        self._held: list[tuple[np.ndarray, np.ndarray]] = []
        self._pools: list[Pool] = []
        self._replayed = 0
        self._workers = ThreadPoolExecutor(min(len(wanted), processors()), "replay")
        self._coming: list[Future] = []

    def __enter__(self) -> "StreamedReplays":
        return self

    def __exit__(self, *error) -> None:
        self._workers.shutdown()

    @property
    def distinct(self) -> int:
        """Distinct pages so far."""
        return self._numbering.distinct

    def add(self, ids, writes) -> None:
        """The next references: page ids and write flags as `References.of` takes them; there may be none.

        Raises ModelError as it does.
        """
        ids = np.ascontiguousarray(page_ids(ids), np.int64)
        flags = write_flags(writes, ids.size)
        pages = self._numbering.number(ids)
        self.references += pages.size
        self._held.append((pages, flags))
        if self._pools or self.distinct >= self._most:
            self._feed()

    def found(self) -> list[Replay]:
        """What each of the buffers did, in the order in which they were asked for."""
        require(self.references > 0, "the reference string is empty; a replay needs at least one page reference")
        self._feed()
        self._wait()
        asked = zip(self._pools, self._wanted, strict=True)
        return [pool.found(policy, frames, self.references) for pool, (policy, frames) in asked]

    def _feed(self) -> None:
        """Let the buffers work on what is held, once they are done with what came before."""
        if not self._pools:
            known = References(np.empty(0, np.uint32), np.empty(0, np.uint8), self._numbering.ids)
            self._pools = [Pool(known, frames, policy) for policy, frames in self._wanted]
        self._wait()
        held, self._held = self._held, []
        self._coming = [
            self._workers.submit(_replay, pool, held, self._replayed, self.distinct) for pool in self._pools
        ]
        self._replayed += sum(pages.size for pages, _ in held)

    def _wait(self) -> None:
        for each in self._coming:
            each.result()


def _replay(pool: Pool, held: list[tuple[np.ndarray, np.ndarray]], at: int, distinct: int) -> None:
    pool.grow(distinct)
    for pages, writes in held:
        pool.reference(pages, writes, at)
        at += pages.size
