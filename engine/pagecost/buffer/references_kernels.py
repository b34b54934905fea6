"""Page ids of any size to dense page numbers, in order of first appearance."""

import numpy as np

from pagecost._jit import kernel, part

EMPTY = np.uint32(0xFFFFFFFF)


@part
def place(page_id, mask):
    return np.int64((np.uint64(page_id) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & mask


@kernel
def factorise(ids, table, found, distinct, dense, start):
    """Number ids[start:] into dense[start:]; found[:distinct] are the ids known so far.

    table: uint32[2^k], EMPTY or an index into found. Returns (distinct, position); position < ids.size means
    that the table is half full and the caller must give a larger one (emptied; it is refilled here).
    """
    mask = table.size - 1
    for number in range(distinct):
        slot = place(found[number], mask)
        while table[slot] != EMPTY:
            slot = (slot + 1) & mask
        table[slot] = number
    room = min(table.size // 2, found.size)
    for i in range(start, ids.size):
        slot = place(ids[i], mask)
        while table[slot] != EMPTY and found[table[slot]] != ids[i]:
            slot = (slot + 1) & mask
        if table[slot] == EMPTY:
            if distinct == room:
                return distinct, i
            found[distinct] = ids[i]
            table[slot] = distinct
            distinct += 1
        dense[i] = table[slot]
    return distinct, ids.size
