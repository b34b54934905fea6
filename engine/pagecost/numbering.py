"""Dense page numbers 0, 1, 2, … for page ids of any size, in order of first appearance."""

import numpy as np

from pagecost import numbering_kernels

FIRST_TABLE = 1 << 17  # slots of the first hash table: 0.5 MB, fits in a second-level cache
NARROW = 4  # ids that span at most so many values per reference are numbered by a table instead of a hash
WIDTHS = (np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.uint32))  # ids that a kernel reads as they are


class Numbering:
    """Numbers that grow with the ids shown: for traces that come in pieces. `distinct` ids are known so far."""

    def __init__(self):
        self.distinct = 0
        self._found = np.empty(FIRST_TABLE // 2, np.int64)
        self._table = np.full(FIRST_TABLE, numbering_kernels.EMPTY, np.uint32)

    @property
    def ids(self) -> np.ndarray:
        """The id behind each number, int64, shape (distinct,)."""
        return self._found[: self.distinct].copy()

    def number(self, ids: np.ndarray) -> np.ndarray:
        """The numbers of `ids` (int64, shape (n,)) as uint32, shape (n,); ids not seen before get the next ones."""
        dense = np.empty(ids.size, np.uint32)
        position = 0
        while True:
            self.distinct, position = numbering_kernels.factorise(
                ids, self._table, self._found, self.distinct, dense, position
            )
            if position == ids.size:
                return dense
            self._found = np.concatenate([self._found, np.empty(3 * self._found.size, np.int64)])
            self._table = np.full(2 * self._found.size, numbering_kernels.EMPTY, np.uint32)
            numbering_kernels.refill(self._found, self.distinct, self._table)


def dense_numbers(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(numbers uint32, shape (n,); ids int64, shape (distinct,)) of a whole trace of `ids`, not empty.

    ids: any integers that fit into 63 bits and a sign. They are read where they lie: a copy of a long trace would take
    as long as numbering it.
    """
    low, high = int(ids.min()), int(ids.max())
    if high - low >= NARROW * ids.size:
        numbering = Numbering()
        return numbering.number(_kernel_array(ids, WIDTHS[:1])), numbering.ids
    ids = _kernel_array(ids, WIDTHS)
    dense = np.empty(ids.size, np.uint32)
    number_of = np.full(high - low + 1, numbering_kernels.EMPTY, np.uint32)
    found = np.empty(numbering_kernels.factorise_narrow(ids, low, number_of, dense), np.int64)
    numbering_kernels.invert(low, number_of, found)
    return dense, found


def _kernel_array(ids: np.ndarray, widths) -> np.ndarray:
    """`ids` as a kernel takes them; a copy only where their type is none of `widths`, or they cannot be written to."""
    return np.require(ids, ids.dtype if ids.dtype in widths else np.int64, ("C", "W"))
