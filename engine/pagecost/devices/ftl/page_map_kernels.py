"""The page-mapped translation layer: append at a frontier, collect a block when free ones run out.

One loop for every victim policy: the hooks say which block is collected, the template does the rest. A physical page
is `block << shift | page in block`, with 1 << shift >= pages per block, so that no division stands in the loop. Page
numbers below `logical` are the host's; the number `logical` itself stands for a dead page, and `mapped` has a place
for it, so that the copy loop needs no branch.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part, template
from pagecost.devices.ftl.blame_kernels import ERASES_DUE, PROGRAMS_DUE, READS_DUE

NOWHERE = np.uint32(0xFFFFFFFF)  # mapped[page] of a page that holds no data
TRIM, READ = np.uint32(1 << 30), np.uint32(1 << 31)  # flags of a request; none: write
PAGE_BITS = np.uint32((1 << 30) - 1)
FREE, OPEN, CLOSED, LEAVING = np.uint8(0), np.uint8(1), np.uint8(2), np.uint8(3)

# Places in Flash.scalars: frontiers (next physical page, end of its block) of host and collector, the ring of free
# blocks, parameters, counts
HOST_AT, HOST_END, GC_AT, GC_END, FREE_HEAD, FREE_BLOCKS = range(6)
PAGES_PER_BLOCK, SHIFT, RESERVE, WEAR_GAP, NEXT_WEAR_CHECK = range(6, 11)
HOST, COPIED, ERASES, TRIMMED, HOST_READS, MISSING_READS, WEAR_MOVES = range(11, 18)
MAP_AT, MAP_END = range(18, 20)  # a third frontier, for a map that lies in flash
TOUCHED = 20  # no meaning: keeps a read alive
SCALARS = 21
WEAR_CHECK_ERASES = 8  # the least worn block is looked for once in so many erases


class Flash(NamedTuple):
    """The device. Scalars that change live in an array, so that a run can go on where it stopped."""

    mapped: np.ndarray  # uint32[logical + 1]: physical page of a logical page, or NOWHERE
    owner: np.ndarray  # uint32[blocks << shift]: logical page that a physical page holds; `logical`: dead
    valid: np.ndarray  # uint32[blocks]: live pages; of an open block, as if the rest were already written
    status: np.ndarray  # uint8[blocks]: FREE, OPEN, CLOSED, or LEAVING while its pages move
    erases: np.ndarray  # uint32[blocks]
    free: np.ndarray  # uint32[blocks]: ring of free blocks
    scalars: np.ndarray  # int64[SCALARS]


@lean_part
def nothing(state, block, valid, now):
    """The hook of a policy that does not care."""


@lean_part
def nothing_moved(state, flash, block):
    """Nobody keeps another map."""


class Hooks(NamedTuple):
    """What a policy decides. `valid`: live pages of the block; `now`: host pages written so far."""

    victim: Callable  # victim(state, flash, now) -> closed block to collect; it stays listed
    on_close: Callable  # on_close(state, block, valid, now): a block is full and may be collected from now on
    remove: Callable  # remove(state, block, valid): a closed block leaves
    on_dead: Callable = nothing  # on_dead(state, block, valid, now): a page died in an open or closed block
    on_moved: Callable = nothing_moved  # on_moved(state, flash, block): its live pages, still in `owner`, were copied


def new_flash(blocks: int, pages_per_block: int, logical: int, reserve: int, separate: bool, wear_gap: int) -> Flash:
    """An erased device whose collector keeps `reserve` free blocks; `separate`: copies get their own frontier."""
    shift = max(pages_per_block - 1, 1).bit_length()
    scalars = np.zeros(SCALARS, np.int64)
    scalars[[PAGES_PER_BLOCK, SHIFT, RESERVE, WEAR_GAP]] = pages_per_block, shift, reserve, wear_gap
    scalars[FREE_BLOCKS] = blocks
    scalars[GC_AT] = 0 if separate else -1
    scalars[NEXT_WEAR_CHECK] = WEAR_CHECK_ERASES
    return Flash(
        mapped=np.full(logical + 1, NOWHERE, np.uint32),
        owner=np.full(blocks << shift, logical, np.uint32),
        valid=np.zeros(blocks, np.uint32),
        status=np.zeros(blocks, np.uint8),
        erases=np.zeros(blocks, np.uint32),
        free=np.arange(blocks, dtype=np.uint32),
        scalars=scalars,
    )


@lean_part
def open_block(flash, frontier):
    """Take the oldest free block as frontier HOST_AT or GC_AT."""
    scalars = flash.scalars
    head = scalars[FREE_HEAD]
    block = flash.free[head]
    head += 1
    scalars[FREE_HEAD] = 0 if head == flash.free.size else head
    scalars[FREE_BLOCKS] -= 1
    flash.status[block] = OPEN
    flash.valid[block] = scalars[PAGES_PER_BLOCK]
    start = np.int64(block) << scalars[SHIFT]
    scalars[frontier] = start
    scalars[frontier + 1] = start + scalars[PAGES_PER_BLOCK]


@lean_part
def erase(flash, block):
    """Erase a block, which goes behind the free ones."""
    scalars = flash.scalars
    flash.status[block] = FREE
    flash.valid[block] = 0
    flash.erases[block] += np.uint32(1)
    scalars[ERASES] += 1
    tail = scalars[FREE_HEAD] + scalars[FREE_BLOCKS]
    flash.free[tail - flash.free.size if tail >= flash.free.size else tail] = block
    scalars[FREE_BLOCKS] += 1


@template
def close(flash, state, hooks, frontier):
    """Close the full block of a frontier, if it has one."""
    scalars = flash.scalars
    if scalars[frontier + 1] > 0:
        block = (scalars[frontier + 1] - 1) >> scalars[SHIFT]
        if flash.status[block] == OPEN:
            flash.status[block] = CLOSED
            hooks.on_close(state, np.uint32(block), flash.valid[block], scalars[HOST])
        scalars[frontier] = scalars[frontier + 1] = 0  # it may be collected and opened again, by the other frontier


@template
def relocate(flash, state, hooks, victim):
    """Copy the live pages of a closed block to the collector's frontier and erase it. Returns the pages copied."""
    mapped, owner, valid, _, _, _, scalars = flash
    dead = np.uint32(mapped.size - 1)
    frontier = HOST_AT if scalars[GC_AT] < 0 else GC_AT
    left = np.int64(valid[victim])
    copied = left
    hooks.remove(state, victim, valid[victim])
    flash.status[victim] = LEAVING
    source = np.uint64(victim) << np.uint64(scalars[SHIFT])
    entries = np.uint32(0)  # read the map entries before they are written: reads wait side by side (+4 % writes/s)
    for at in range(source, source + np.uint64(scalars[PAGES_PER_BLOCK])):
        entries ^= mapped[owner[at]]
    scalars[TOUCHED] = entries
    while left > 0:
        if scalars[frontier] == scalars[frontier + 1]:
            close(flash, state, hooks, frontier)
            open_block(flash, frontier)
        at = np.uint64(scalars[frontier])
        stop = np.uint64(min(scalars[frontier + 1], scalars[frontier] + left))
        left -= np.int64(stop - at)
        while at < stop:  # a dead page is written over by the next one: no branch
            page = owner[source]
            owner[at] = page
            mapped[page] = np.uint32(at)
            source += np.uint64(1)
            at += np.uint64(page != dead)
        scalars[frontier] = np.int64(at)
    scalars[COPIED] += copied
    hooks.on_moved(state, flash, victim)
    erase(flash, victim)
    return copied


@lean_part
def least_worn(flash):
    """The closed block with the fewest erases, and how many fewer than the most worn block of all."""
    fewest = np.int64(1) << 40
    most = np.int64(0)
    coldest = np.uint32(0)
    for block in range(flash.status.size):
        erases = np.int64(flash.erases[block])
        most = max(most, erases)
        if erases < fewest and flash.status[block] == CLOSED:
            fewest = erases
            coldest = np.uint32(block)
    return coldest, most - fewest


@template
def choose_victim(flash, state, hooks):
    """The policy's victim; with static wear levelling now and then the least worn block, if it lags too far behind."""
    scalars = flash.scalars
    victim = np.uint32(hooks.victim(state, flash, scalars[HOST]))
    if scalars[WEAR_GAP] > 0 and scalars[ERASES] >= scalars[NEXT_WEAR_CHECK]:
        scalars[NEXT_WEAR_CHECK] = scalars[ERASES] + WEAR_CHECK_ERASES
        coldest, gap = least_worn(flash)
        if gap > scalars[WEAR_GAP]:
            victim = coldest
            scalars[WEAR_MOVES] += 1
    return victim


@template
def make_room(flash, state, hooks):
    """Give the host's full frontier a page to write to, collecting while too few blocks are free.

    Returns the pages copied for it: what the host write that stands at the door is to blame for.
    """
    scalars = flash.scalars
    blamed = np.int64(0)
    close(flash, state, hooks, HOST_AT)
    while scalars[HOST_AT] == scalars[HOST_END]:
        if scalars[FREE_BLOCKS] > scalars[RESERVE]:
            close(flash, state, hooks, HOST_AT)
            open_block(flash, HOST_AT)
        else:
            blamed += relocate(flash, state, hooks, choose_victim(flash, state, hooks))
    return blamed


@template
def die(flash, state, hooks, old, now):
    """The page that lies at the physical place `old` dies."""
    block = old >> np.uint32(flash.scalars[SHIFT])
    live = flash.valid[block] - np.uint32(1)
    flash.owner[old] = np.uint32(flash.mapped.size - 1)
    flash.valid[block] = live
    hooks.on_dead(state, block, live, now)


@template
def no_write(flash, state, hooks, request, now):
    """Serve a trim or a read."""
    page = request & PAGE_BITS
    old = flash.mapped[page]
    if request >= READ:
        flash.scalars[HOST_READS] += 1
        flash.scalars[MISSING_READS] += old == NOWHERE
    elif old != NOWHERE:
        flash.mapped[page] = NOWHERE
        die(flash, state, hooks, old, now)
        flash.scalars[TRIMMED] += 1


@template
def serve(requests, blame, flash, state, hooks):
    """Serve requests (page numbers, TRIM or READ added) in order; its blame is set where a collection was needed.

    blame: see `blame_kernels`; a copied page is read once and programmed once.
    """
    mapped, owner, _, _, _, _, scalars = flash
    at = np.uint64(scalars[HOST_AT])
    end = np.uint64(scalars[HOST_END])
    now = scalars[HOST]
    for i in range(requests.size):
        page = requests[i]
        if page > PAGE_BITS:
            no_write(flash, state, hooks, page, now)
            continue
        if at == end:
            scalars[HOST_AT] = np.int64(at)
            scalars[HOST] = now
            erased = scalars[ERASES]
            copied = make_room(flash, state, hooks)
            blame[PROGRAMS_DUE, i] = copied
            blame[READS_DUE, i] = copied
            blame[ERASES_DUE, i] = scalars[ERASES] - erased
            at = np.uint64(scalars[HOST_AT])
            end = np.uint64(scalars[HOST_END])
        old = mapped[page]  # only now: the collection may have moved it
        if old != NOWHERE:
            die(flash, state, hooks, old, now)
        owner[at] = page
        mapped[page] = np.uint32(at)
        at += np.uint64(1)
        now += 1
    scalars[HOST_AT] = np.int64(at)
    scalars[HOST] = now
