"""A page map that tells hot pages from cold ones and keeps them in different blocks.

Heat: how often the pages of an extent were written, halved once every device-full of writes. Hot: at least twice the
mean heat. A page goes to the frontier of its class when the host writes it and when it is copied; HOST_AT is the
frontier of hot pages, GC_AT that of cold ones.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import entry_of, lean_part, template
from pagecost.devices.ftl.blame_kernels import ERASES_DUE, PROGRAMS_DUE, READS_DUE
from pagecost.devices.ftl.page_map_kernels import (
    COPIED,
    ERASES,
    FREE_BLOCKS,
    GC_AT,
    HOST,
    HOST_AT,
    LEAVING,
    NOWHERE,
    PAGE_BITS,
    PAGES_PER_BLOCK,
    RESERVE,
    SHIFT,
    Hooks,
    choose_victim,
    close,
    die,
    erase,
    no_write,
    open_block,
    serve,
)

MOST = np.uint16(0xFFFF)
EXTENT_PAGES, TOTAL, UNTIL_HALVED, HOT_FROM = range(4)


class Heat(NamedTuple):
    writes: np.ndarray  # uint16[extents]: writes of each extent, the older ones halved
    scalars: np.ndarray  # int64[4]: pages per extent; sum of writes; writes until the next halving; hot from so many


def new_heat(logical_pages: int, extent_pages: int) -> Heat:
    """Nothing written yet: everything is cold."""
    extents = -(-logical_pages // extent_pages)
    return Heat(np.zeros(extents, np.uint16), np.array([extent_pages, 0, logical_pages, 2], np.int64))


@lean_part
def note_write(heat, page):
    """Count a write; once every device-full halve all counts."""
    writes, scalars = heat
    extent = page // np.uint32(scalars[EXTENT_PAGES])
    if writes[extent] < MOST:
        writes[extent] += np.uint16(1)
        scalars[TOTAL] += 1
    scalars[UNTIL_HALVED] -= 1
    if scalars[UNTIL_HALVED] == 0:
        total = np.int64(0)
        for at in range(writes.size):
            writes[at] >>= np.uint16(1)
            total += writes[at]
        scalars[TOTAL] = total
        scalars[UNTIL_HALVED] = writes.size * scalars[EXTENT_PAGES]
    scalars[HOT_FROM] = 1 + 2 * scalars[TOTAL] // writes.size


@lean_part
def frontier_of(heat, page):
    """Where a page belongs: HOST_AT if it is hot, GC_AT if it is cold."""
    extent = page // np.uint32(heat.scalars[EXTENT_PAGES])
    return HOST_AT if np.int64(heat.writes[extent]) >= heat.scalars[HOT_FROM] else GC_AT


@template
def relocate_by_heat(flash, state, hooks, heat, victim):
    """Copy the live pages of a closed block to the frontiers of their classes and erase it. Returns the copies."""
    mapped, owner, valid, _, _, _, scalars = flash
    dead = np.uint32(mapped.size - 1)
    copied = np.int64(valid[victim])
    hooks.remove(state, victim, valid[victim])
    flash.status[victim] = LEAVING
    first = np.int64(victim) << scalars[SHIFT]
    for source in range(first, first + scalars[PAGES_PER_BLOCK]):
        page = owner[source]
        if page != dead:
            frontier = frontier_of(heat, page)
            if scalars[frontier] == scalars[frontier + 1]:
                close(flash, state, hooks, frontier)
                open_block(flash, frontier)
            at = scalars[frontier]
            owner[at] = page
            mapped[page] = np.uint32(at)
            scalars[frontier] = at + 1
    scalars[COPIED] += copied
    hooks.on_moved(state, flash, victim)
    erase(flash, victim)
    return copied


@template
def serve_by_heat(requests, blame, flash, state, hooks, heat):
    """`serve` of the page map, with two classes of pages. At least 2 blocks must be in reserve.

    A collection can open a block for each class. It never runs out: it starts with two free blocks, never takes more
    pages than it frees, and the host goes on only when two blocks are free again.
    """
    mapped, owner, _, _, _, _, scalars = flash
    for i in range(requests.size):
        page = requests[i]
        if page > PAGE_BITS:
            no_write(flash, state, hooks, page, scalars[HOST])
            continue
        note_write(heat, page)
        frontier = frontier_of(heat, page)
        if scalars[frontier] == scalars[frontier + 1]:
            copied, erased = np.int64(0), scalars[ERASES]
            close(flash, state, hooks, frontier)
            while scalars[frontier] == scalars[frontier + 1] or scalars[FREE_BLOCKS] < scalars[RESERVE]:
                if scalars[FREE_BLOCKS] > scalars[RESERVE]:
                    close(flash, state, hooks, frontier)
                    open_block(flash, frontier)
                else:
                    copied += relocate_by_heat(flash, state, hooks, heat, choose_victim(flash, state, hooks))
            blame[PROGRAMS_DUE, i] = copied
            blame[READS_DUE, i] = copied
            blame[ERASES_DUE, i] = scalars[ERASES] - erased
        old = mapped[page]  # only now: the collection may have moved it
        if old != NOWHERE:
            die(flash, state, hooks, old, scalars[HOST])
        at = scalars[frontier]
        owner[at] = page
        mapped[page] = np.uint32(at)
        scalars[frontier] = at + 1
        scalars[HOST] += 1


def entries(module: str, hooks: Hooks):
    """The kernels that write under a victim policy of these hooks: one frontier or two, and hot apart from cold.

    module: the policy's own name, `__name__`.
    """

    @entry_of(module)
    def serve_under_policy(requests, blame, flash, state):
        serve(requests, blame, flash, state, hooks)

    @entry_of(module)
    def serve_by_heat_under_policy(requests, blame, flash, state, heat):
        serve_by_heat(requests, blame, flash, state, hooks, heat)

    return serve_under_policy, serve_by_heat_under_policy
