"""A hash table from 64-bit keys to places in an array of keys; several tables lie in one array, each with its bounds.

Linear probing with deletion by shifting back (Knuth, vol. 3, §6.4, algorithm R), so that no tombstones pile up.
"""

import numpy as np

from pagecost._jit import lean_part

EMPTY = -1
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_32 = np.uint64(32)


@lean_part
def _home(key, mask):
    """The place where the search for a key begins, in a table of mask + 1 places."""
    return np.int64((np.uint64(key) * _SPREAD) >> _32) & mask


@lean_part
def find(table, first, mask, keys, key):
    """Place of the key in `keys`, or EMPTY. table: int64, mask + 1 (a power of two) entries from `first` on."""
    at = _home(key, mask)
    place = table[first + at]
    while place != EMPTY:
        if keys[place] == key:
            return place
        at = (at + 1) & mask
        place = table[first + at]
    return EMPTY


@lean_part
def enter(table, first, mask, keys, place):
    """Enter keys[place], which must not be in the table."""
    at = _home(keys[place], mask)
    while table[first + at] != EMPTY:
        at = (at + 1) & mask
    table[first + at] = place


@lean_part
def strike(table, first, mask, keys, place):
    """Take keys[place], which must be in the table, out of it."""
    at = _home(keys[place], mask)
    while table[first + at] != place:
        at = (at + 1) & mask
    hole = at
    while True:
        at = (at + 1) & mask
        other = table[first + at]
        if other == EMPTY:
            break
        if ((at - _home(keys[other], mask)) & mask) >= ((at - hole) & mask):
            table[first + hole] = other
            hole = at
    table[first + hole] = EMPTY
