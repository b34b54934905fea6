"""The page map one operation of the flash at a time, for whoever watches: the same parts, on the same arrays.

After the steps of a write the arrays hold what `page_map_kernels.serve` leaves of it.
"""

import numpy as np

from pagecost._jit import lean_kernel
from pagecost.devices.ftl.page_map_kernels import (
    COPIED,
    FREE_BLOCKS,
    GC_AT,
    HOST,
    HOST_AT,
    HOST_END,
    LEAVING,
    NOWHERE,
    RESERVE,
    choose_victim,
    close,
    die,
    erase,
    no_write,
    open_block,
)
from pagecost.devices.ftl.victims.greedy_kernels import HOOKS

FULL, MAY_OPEN, OPEN, CHOOSE, COPY, ERASE, PROGRAM, OTHER = range(8)


@lean_kernel
def act(flash, state, what, number):
    """One of these steps under the greedy policy; a number where it says one, else 0.

    FULL: whether the host's frontier has no page left; closes it. MAY_OPEN: whether a free block may be taken for it.
    OPEN: take it. CHOOSE: the block to collect, which leaves the lists. COPY: the live page at the physical place
    `number` goes to the frontier; its new place. ERASE: block `number`. PROGRAM: page `number`; its place. OTHER: a
    request with the flag TRIM or READ.
    """
    mapped, owner, scalars = flash.mapped, flash.owner, flash.scalars
    frontier = HOST_AT if scalars[GC_AT] < 0 or what == PROGRAM else GC_AT
    if what == FULL:
        if scalars[HOST_AT] == scalars[HOST_END]:
            close(flash, state, HOOKS, HOST_AT)
            return np.int64(1)
    elif what == MAY_OPEN:
        return np.int64(scalars[FREE_BLOCKS] > scalars[RESERVE])
    elif what == OPEN:
        close(flash, state, HOOKS, HOST_AT)
        open_block(flash, HOST_AT)
    elif what == CHOOSE:
        victim = choose_victim(flash, state, HOOKS)
        HOOKS.remove(state, victim, flash.valid[victim])
        flash.status[victim] = LEAVING
        scalars[COPIED] += np.int64(flash.valid[victim])
        return np.int64(victim)
    elif what == ERASE:
        erase(flash, np.uint32(number))
    elif what == OTHER:
        no_write(flash, state, HOOKS, np.uint32(number), scalars[HOST])
    elif what in (COPY, PROGRAM):
        if scalars[frontier] == scalars[frontier + 1]:
            close(flash, state, HOOKS, frontier)
            open_block(flash, frontier)
        page = owner[number] if what == COPY else np.uint32(number)
        at = scalars[frontier]
        if what == PROGRAM:
            if mapped[page] != NOWHERE:
                die(flash, state, HOOKS, mapped[page], scalars[HOST])
            scalars[HOST] += 1
        owner[at] = page
        mapped[page] = np.uint32(at)
        scalars[frontier] = at + 1
        return at
    return np.int64(0)
