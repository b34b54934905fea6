"""What the buffer does at each reference, known before anything is timed: hits and victims do not depend on times.

The users' references meet in turn, one of each user after the other. In the loop they meet in the order of their times,
which differs a little; those of transactions that come by themselves meet one transaction after the other. Every policy
is taken as it is, without a kernel of its own in the loop.
"""

from typing import NamedTuple

import numpy as np

from pagecost import cancellation
from pagecost.buffer import replay
from pagecost.oltp.loads import Load
from pagecost.oltp.outcomes_kernels import interleave
from pagecost.oltp.setup import Buffer
from pagecost.remembering import shared
from pagecost.requests import sealed


class Outcomes(NamedTuple):
    """hit: uint8[references]. victims: int64[references, 2], from and to in victim: int64, the changed pages that leave
    for each reference and must be written first. order: int64[references], how the references meet."""

    hit: np.ndarray
    victims: np.ndarray
    victim: np.ndarray
    order: np.ndarray

    def changed(self, load: Load, last: int) -> np.ndarray:
        """Which pages stand changed in the buffer when the references below `last` have met: bool[pages].

        Those that were written since they last had to be written to make room.
        """
        before = self.order[self.order < last]
        at = np.arange(before.size)
        written, left = np.full((2, load.pages), -1)
        writes = load.write[before]
        np.maximum.at(written, load.page[before[writes]], at[writes])
        counts = np.where(self.hit[before], 0, self.victims[before, 1] - self.victims[before, 0])
        skipped = self.victims[before, 0] - np.cumsum(counts) + counts
        victims = np.arange(counts.sum()) + np.repeat(skipped, counts)
        np.maximum.at(left, self.victim[victims], np.repeat(at, counts))
        return written > left


@shared(4)
def outcomes(load: Load, users: int, buffer: Buffer) -> Outcomes:
    """The references of the load in a buffer that is empty at first. Raises ModelError as `replay` does."""
    order = np.empty(load.page.size, np.int64)
    interleave(load.first, users, np.zeros((users, 2), np.int64), order)
    made = replay(load.page[order], buffer.frames, buffer.policy, load.write[order], keep_written=True, each=True)
    cancellation.point()
    assert made.hit is not None
    assert made.write_backs_before is not None
    assert made.written is not None
    hit = np.empty(order.size, np.uint8)
    victims = np.empty((order.size, 2), np.int64)
    hit[order] = made.hit
    victims[order, 1] = made.write_backs_before
    victims[order, 0] = np.concatenate([[0], made.write_backs_before[:-1]])
    return Outcomes(sealed(hit), sealed(victims), sealed(made.written.astype(np.int64)), sealed(order))
