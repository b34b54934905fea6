"""Page ids of any size to dense page numbers, in order of first appearance."""

import numpy as np

from pagecost._jit import lean_kernel, lean_part, prefetch

EMPTY = np.uint32(0xFFFFFFFF)
AHEAD, NEAR = 24, 12  # references between asking for an id's place, for the id that stands there, and its turn


@lean_part
def place(page_id, mask):
    """The place where the search for a page id begins, in a table of mask + 1 places."""
    return np.int64((np.uint64(page_id) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & mask


@lean_kernel
def refill(found, distinct, table):
    """Enter found[:distinct] into an empty table (uint32[2^k], EMPTY or an index into found)."""
    mask = table.size - 1
    for number in range(distinct):
        slot = place(found[number], mask)
        while table[slot] != EMPTY:
            slot = (slot + 1) & mask
        table[slot] = number


@lean_kernel
def factorise(ids, table, found, distinct, dense, start):
    """Number ids[start:] into dense[start:]; found[:distinct] are the ids known so far and in the table.

    Returns (distinct, position); position < ids.size means that the table is half full and must grow.
    """
    mask = table.size - 1
    room = min(table.size // 2, found.size)
    for i in range(start, ids.size):
        prefetch(table, place(ids[min(i + AHEAD, ids.size - 1)], mask))
        near = table[place(ids[min(i + NEAR, ids.size - 1)], mask)]
        if near != EMPTY:
            prefetch(found, near)
        page_id = ids[i]
        slot = place(page_id, mask)
        number = table[slot]
        while number != EMPTY and found[number] != page_id:
            slot = (slot + 1) & mask
            number = table[slot]
        if number == EMPTY:
            if distinct == room:
                return distinct, i
            number = np.uint32(distinct)
            found[distinct] = page_id
            table[slot] = number
            distinct += 1
        dense[i] = number
    return distinct, ids.size


@lean_kernel
def factorise_narrow(ids, low, number_of, dense):
    """The same for ids in low .. low + number_of.size - 1, of any integer type, as they are: no copy is made.

    low: int64. number_of is EMPTY everywhere. Returns distinct.
    """
    distinct = np.uint32(0)
    for i in range(ids.size):
        at = np.uint64(np.int64(ids[i]) - low)
        number = number_of[at]
        if number == EMPTY:
            number = distinct
            number_of[at] = number
            distinct += np.uint32(1)
        dense[i] = number
    return distinct


@lean_kernel
def invert(low, number_of, found):
    """found[number] = id, for the table that `factorise_narrow` filled."""
    for at in range(number_of.size):
        if number_of[at] != EMPTY:
            found[number_of[at]] = low + at
