"""A reference string: the pages that a database touches, in order, and which touches are writes."""

import re
from dataclasses import dataclass

import numpy as np

from pagecost.errors import require
from pagecost.numbering import dense_numbers

WORD = re.compile(r"-?[0-9]{1,19}[rwRW]?", re.ASCII)


@dataclass(frozen=True, eq=False)
class References:
    """Page references made ready for replay: `pages[i]` is a dense number 0 .. distinct - 1, `ids` the id behind it.

    pages: uint32, shape (n,). writes: uint8, shape (n,), 1 where the page is changed. ids: int64, shape (distinct,).
    """

    pages: np.ndarray
    writes: np.ndarray
    ids: np.ndarray

    @classmethod
    def of(cls, pages, writes=None) -> "References":
        """Make ready page ids (integers from -2^63 to 2^63 - 1, shape (n,)) and optional write flags of the same shape.

        Flags are truth values, or 0 and 1. Raises ModelError when `pages` is not one-dimensional, not integer or empty,
        for flags that are none, or when the shapes differ.
        """
        ids = page_ids(pages)
        require(ids.size > 0, "the reference string is empty; a replay needs at least one page reference")
        flags = np.zeros(ids.size, np.uint8) if writes is None else write_flags(writes, ids.size)
        dense, found = dense_numbers(ids)
        return cls(dense, flags, found)

    @classmethod
    def of_text(cls, text: str) -> "References":
        """Make ready a reference string as people write it: `1r 2w 3`, ids with r or w; without a letter it is a read.

        Blanks or commas stand between references. Raises ModelError for an empty text, or for the first word that is
        no reference.
        """
        words = text.replace(",", " ").split()
        require(bool(words), "the reference string is empty; write page ids with r or w, such as 1r 2w 3r")
        for at, word in enumerate(words, start=1):
            fits = WORD.fullmatch(word) and -(1 << 63) <= int(word.rstrip("rwRW")) < 1 << 63
            require(
                bool(fits),
                f"reference {at} must be a whole page id of 64 bits with r (read) or w (write); got {word[:40]!r}",
            )
        ids = np.array([int(word.rstrip("rwRW")) for word in words], np.int64)
        return cls.of(ids, np.array([word[-1] in "wW" for word in words]))

    @property
    def size(self) -> int:
        """Number of references."""
        return self.pages.size

    @property
    def distinct(self) -> int:
        """Number of distinct pages."""
        return self.ids.size


def page_ids(pages) -> np.ndarray:
    """Page ids as an array of integers, shape (n,), not copied. Raises ModelError for what is none."""
    ids = np.asarray(pages)
    require(ids.ndim == 1, f"a reference string has one dimension; got shape {ids.shape}")
    if ids.size == 0:
        return ids.astype(np.int64)  # a list without entries has no type of its own
    require(ids.dtype.kind in "iu", f"page ids must be integers; got {ids.dtype}")
    require(
        ids.dtype != np.uint64 or ids.max() < 1 << 63,
        f"page ids must fit into 63 bits; got {ids.max()}",
    )
    return ids


def write_flags(writes, size: int) -> np.ndarray:
    """Flags of `size` references as uint8, 1 for a write. writes: truth values, or 0 and 1. ModelError for others."""
    flags = np.asarray(writes)
    require(flags.shape == (size,), f"writes must have one flag per reference ({size}); got shape {flags.shape}")
    if flags.dtype != bool and size:
        given = "texts" if flags.dtype.kind in "US" else flags.dtype
        require(flags.dtype.kind in "iu", f"writes must be flags, true or 1 for a write; got {given}")
        low, high = flags.min(), flags.max()
        require(low >= 0 and high <= 1, f"writes must be flags, true or 1 for a write; got {low if low < 0 else high}")
    return np.ascontiguousarray(flags, bool).view(np.uint8)
