"""DFTL: a page map that lies in flash, with the entries in use cached in RAM (Gupta, Kim, Urgaonkar 2009).

A translation page is number `host pages + t` of the page-mapped device. New ones go to blocks of their own (as they
die young, such a block is soon empty); what the collector finds alive there is copied like data.
An entry that changes is dirty until its translation page is written; one write takes all dirty entries of the page
along. When a collection moves data, cached entries become dirty, and the translation pages of the others are written.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.ftl import page_map_kernels as page_map
from pagecost.devices.ftl.blame_kernels import ERASES_DUE, PROGRAMS_DUE, READS_DUE
from pagecost.devices.ftl.page_map_kernels import (
    COPIED,
    ERASES,
    FREE_BLOCKS,
    HOST,
    HOST_AT,
    HOST_READS,
    MAP_AT,
    MISSING_READS,
    NOWHERE,
    PAGE_BITS,
    READ,
    RESERVE,
    SHIFT,
    TRIMMED,
    Hooks,
    close,
    make_room,
    open_block,
    relocate,
)
from pagecost.devices.ftl.victims import greedy_kernels as greedy
from pagecost.lists_kernels import new_lists, oldest, push, ring, unlink

USED, ENTRIES_PER_PAGE, FIRST, WAITING, MAP_READS, MAP_PROGRAMS, STUCK = range(7)


class Cache(NamedTuple):
    """Cached map entries in a least-recently-used list, and the translation pages that wait to be written."""

    slot: np.ndarray  # uint32[host pages]: place in the cache, or NOWHERE
    page: np.ndarray  # uint32[slots]: logical page of the entry
    dirty: np.ndarray  # uint8[slots]
    links: np.ndarray  # one list of slots, by recency of use
    dirty_in: np.ndarray  # uint32[translation pages]: dirty cached entries
    waits: np.ndarray  # uint8[translation pages]: 1 while queued
    queue: np.ndarray  # uint32[translation pages]: ring of those to be written
    scalars: np.ndarray  # int64[7]


class State(NamedTuple):
    victims: greedy.State
    cache: Cache


def new_cache(host_pages: int, slots: int, entries_per_page: int) -> Cache:
    """An empty cache of `slots` entries."""
    translation_pages = -(-host_pages // entries_per_page)
    return Cache(
        slot=np.full(host_pages, NOWHERE, np.uint32),
        page=np.zeros(slots, np.uint32),
        dirty=np.zeros(slots, np.uint8),
        links=new_lists(slots, 1),
        dirty_in=np.zeros(translation_pages, np.uint32),
        waits=np.zeros(translation_pages, np.uint8),
        queue=np.zeros(translation_pages, np.uint32),
        scalars=np.array([0, entries_per_page, 0, 0, 0, 0, 0], np.int64),
    )


@lean_part
def victim(state, flash, now):
    return greedy.victim(state.victims, flash, now)


@lean_part
def on_close(state, block, valid, now):
    greedy.on_close(state.victims, block, valid, now)


@lean_part
def remove(state, block, valid):
    greedy.remove(state.victims, block, valid)


@lean_part
def on_dead(state, block, valid, now):
    greedy.on_dead(state.victims, block, valid, now)


@lean_part
def enqueue(cache, translation_page):
    """Put a translation page that has to be written back behind the others, once."""
    scalars = cache.scalars
    if not cache.waits[translation_page]:
        cache.waits[translation_page] = 1
        cache.queue[(scalars[FIRST] + scalars[WAITING]) % cache.queue.size] = translation_page
        scalars[WAITING] += 1


@lean_part
def make_dirty(cache, slot):
    """The mapping in a slot differs from the flash from now on."""
    if not cache.dirty[slot]:
        cache.dirty[slot] = 1
        cache.dirty_in[np.int64(cache.page[slot]) // cache.scalars[ENTRIES_PER_PAGE]] += np.uint32(1)


@lean_part
def on_moved(state, flash, block):
    """Data pages have a new place: their entries change."""
    cache = state.cache
    first = np.int64(block) << flash.scalars[SHIFT]
    for at in range(first, first + flash.scalars[page_map.PAGES_PER_BLOCK]):
        page = flash.owner[at]
        if page < cache.slot.size:
            if cache.slot[page] != NOWHERE:
                make_dirty(cache, cache.slot[page])
            else:
                enqueue(cache, np.int64(page) // cache.scalars[ENTRIES_PER_PAGE])


HOOKS = Hooks(victim, on_close, remove, on_dead, on_moved)


@lean_part
def put(flash, state, page):
    """Write one page, of data or of the map, at its frontier."""
    scalars = flash.scalars
    frontier = HOST_AT if page < state.cache.slot.size else MAP_AT
    if scalars[frontier] == scalars[frontier + 1]:
        if frontier == HOST_AT:
            make_room(flash, state, HOOKS)
        else:
            close(flash, state, HOOKS, MAP_AT)
            while scalars[FREE_BLOCKS] <= scalars[RESERVE]:
                relocate(flash, state, HOOKS, victim(state, flash, scalars[HOST]))
            open_block(flash, MAP_AT)
    kill(flash, state, page)
    at = scalars[frontier]
    flash.owner[at] = page
    flash.mapped[page] = np.uint32(at)
    scalars[frontier] = at + 1


@lean_part
def kill(flash, state, page):
    """The newest version of a page dies. Returns whether there was one."""
    old = flash.mapped[page]
    if old == NOWHERE:
        return False
    block = old >> np.uint32(flash.scalars[SHIFT])
    flash.mapped[page] = NOWHERE
    flash.owner[old] = np.uint32(flash.mapped.size - 1)
    flash.valid[block] -= np.uint32(1)
    on_dead(state, block, flash.valid[block], flash.scalars[HOST])
    return True


@lean_part
def stored(flash, cache, translation_page):
    """Whether a translation page has ever been written: 0 or 1 reads."""
    return np.int64(flash.mapped[cache.slot.size + translation_page] != NOWHERE)


@lean_part
def write_map(flash, state):
    """Write the translation pages that wait; collections on the way may queue more."""
    cache = state.cache
    scalars = cache.scalars
    rounds = 0
    while scalars[WAITING] > 0 and not scalars[STUCK]:
        translation_page = np.int64(cache.queue[scalars[FIRST]])
        scalars[FIRST] = (scalars[FIRST] + 1) % cache.queue.size
        scalars[WAITING] -= 1
        cache.waits[translation_page] = 0
        scalars[MAP_READS] += stored(flash, cache, translation_page)
        first = translation_page * scalars[ENTRIES_PER_PAGE]
        page = first
        while cache.dirty_in[translation_page] > 0 and page < cache.slot.size:
            slot = cache.slot[page]
            if slot != NOWHERE and cache.dirty[slot]:
                cache.dirty[slot] = 0
                cache.dirty_in[translation_page] -= np.uint32(1)
            page += 1
        put(flash, state, np.uint32(cache.slot.size + translation_page))
        scalars[MAP_PROGRAMS] += 1
        rounds += 1
        scalars[STUCK] = rounds > 64 * cache.queue.size + 4096


@lean_part
def look_up(flash, state, page):
    """Bring the map entry of a page into the cache. Returns its slot."""
    cache = state.cache
    scalars = cache.scalars
    slot = cache.slot[page]
    if slot != NOWHERE:
        unlink(cache.links, slot)
        push(cache.links, ring(cache.links, 1, 0), slot)
        return slot
    if scalars[USED] < cache.page.size:
        slot = np.uint32(scalars[USED])
        scalars[USED] += 1
    else:
        slot = oldest(cache.links, ring(cache.links, 1, 0))
        leaving = cache.page[slot]
        if cache.dirty[slot]:
            enqueue(cache, np.int64(leaving) // scalars[ENTRIES_PER_PAGE])
            write_map(flash, state)  # takes all dirty entries of that page along, this one among them
        unlink(cache.links, slot)
        cache.slot[leaving] = NOWHERE
        if cache.dirty[slot]:  # a collection on the way moved its page once more
            cache.dirty[slot] = 0
            cache.dirty_in[np.int64(leaving) // scalars[ENTRIES_PER_PAGE]] -= np.uint32(1)
            enqueue(cache, np.int64(leaving) // scalars[ENTRIES_PER_PAGE])
    scalars[MAP_READS] += stored(flash, cache, np.int64(page) // scalars[ENTRIES_PER_PAGE])
    cache.slot[page] = slot
    cache.page[slot] = page
    cache.dirty[slot] = 0
    push(cache.links, ring(cache.links, 1, 0), slot)
    return slot


@lean_kernel
def serve(requests, blame, flash, state):
    """Serve requests (page numbers, TRIM or READ added); blame: see `blame_kernels`."""
    scalars = flash.scalars
    cache = state.cache
    for i in range(requests.size):
        request = requests[i]
        page = request & PAGE_BITS
        copied, erased = scalars[COPIED], scalars[ERASES]
        map_programs, map_reads = cache.scalars[MAP_PROGRAMS], cache.scalars[MAP_READS]
        slot = look_up(flash, state, page)
        if request >= READ:
            scalars[HOST_READS] += 1
            scalars[MISSING_READS] += flash.mapped[page] == NOWHERE
        elif request > PAGE_BITS:
            scalars[TRIMMED] += kill(flash, state, page)
            make_dirty(cache, slot)
        else:
            put(flash, state, np.uint32(page))
            scalars[HOST] += 1
            make_dirty(cache, slot)
        write_map(flash, state)
        copied = scalars[COPIED] - copied
        blame[PROGRAMS_DUE, i] = copied + cache.scalars[MAP_PROGRAMS] - map_programs
        blame[READS_DUE, i] = copied + cache.scalars[MAP_READS] - map_reads
        blame[ERASES_DUE, i] = scalars[ERASES] - erased
        if cache.scalars[STUCK]:
            return
