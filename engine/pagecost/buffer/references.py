"""A reference string: the pages that a database touches, in order, and which touches are writes."""

from dataclasses import dataclass

import numpy as np

from pagecost.buffer import references_kernels
from pagecost.errors import require

FIRST_TABLE = 1 << 17  # slots of the first hash table: 0.5 MB, fits in a second-level cache


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
        """Make ready page ids (any 64-bit integers, shape (n,)) and optional write flags of the same shape.

        Raises ModelError when `pages` is not one-dimensional, not integer or empty, or when the shapes differ.
        """
        ids = np.asarray(pages)
        require(ids.ndim == 1, f"a reference string has one dimension; got shape {ids.shape}")
        require(ids.size > 0, "the reference string is empty; a replay needs at least one page reference")
        require(ids.dtype.kind in "iu", f"page ids must be integers; got {ids.dtype}")
        require(
            ids.dtype != np.uint64 or ids.max() < 1 << 63,
            f"page ids must fit into 63 bits; got {ids.max()}",
        )
        ids = np.ascontiguousarray(ids, np.int64)
        dense, found = _factorise(ids)
        return cls(dense, _write_flags(writes, ids.size), found)

    @property
    def size(self) -> int:
        """Number of references."""
        return self.pages.size

    @property
    def distinct(self) -> int:
        """Number of distinct pages."""
        return self.ids.size


def _write_flags(writes, size: int) -> np.ndarray:
    if writes is None:
        return np.zeros(size, np.uint8)
    flags = np.ascontiguousarray(np.asarray(writes) != 0).view(np.uint8)
    require(flags.shape == (size,), f"writes must have one flag per reference ({size}); got shape {flags.shape}")
    return flags


def _factorise(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    dense = np.empty(ids.size, np.uint32)
    found = np.empty(FIRST_TABLE // 2, np.int64)
    distinct = position = 0
    while True:
        table = np.full(2 * found.size, references_kernels.EMPTY, np.uint32)
        distinct, position = references_kernels.factorise(ids, table, found, distinct, dense, position)
        if position == ids.size:
            return dense, found[:distinct].copy()
        found = np.concatenate([found, np.empty(3 * found.size, np.int64)])
