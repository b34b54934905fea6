"""Pages that picks at random read through an LRU buffer which several files share.

Mackert and Lohman (Index scans using a finite LRU buffer, TODS 14(3), 1989) for one file: no page is read twice until
the buffer is full, and from then on a pick reads unless its page is among those of the last picks that fill the buffer.
Files whose picks alternate fill one buffer together. PostgreSQL's planner has their closed approximation,
min(T, 2 T x / (2 T + x)), which is up to 16 % above the expected distinct pages of x picks, used here.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pagecost.errors import require

HALVINGS = 60  # of the share of the picks that fills the buffer


class Picked(NamedTuple):
    """A file of which pages are picked. distinct: picks -> expected pages, of which no more than `picks` are asked."""

    picks: float
    distinct: Callable[[float], float]


def of_keys(pages: float, keys: float, picks: float) -> float:
    """Expected distinct pages of `picks` different ones of so many keys, spread over pages in their order.

    Yao's, with (1 - picks / keys) for each factor, so that a page may hold any mean number of keys.
    """
    most = min(pages, keys)
    left = 1 - min(picks / keys, 1)
    return most * (1 - left ** (keys / most))


def pages_read(files: Sequence[Picked], frames: float) -> list[float]:
    """Expected pages that each file is read of, in a buffer of so many frames (> 0) for all; picks are spread evenly.

    Raises ModelError for frames that are none.
    """
    require(frames > 0, f"a buffer must have a frame; got {frames:g}")
    filled = _share_that_fills(files, frames)
    found = []
    for picks, distinct in files:
        first = filled * picks
        missed = distinct(first + 1) - distinct(first)  # the chance that one more pick is of a page not among these
        found.append(min(distinct(first) + (picks - first) * missed, picks))
    return found


def _share_that_fills(files: Sequence[Picked], frames: float) -> float:
    """The share of the picks after which the buffer is full; 1 where it never is."""

    def held(share: float) -> float:
        return sum(distinct(share * picks) for picks, distinct in files)

    if held(1.0) <= frames:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if held(middle) < frames else (low, middle)
    return low
