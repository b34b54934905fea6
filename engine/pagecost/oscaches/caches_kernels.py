"""Page requests of one file through every cache between a database and its device (Schmidt 2009, section 4).

All caches are LRU lists over the blocks of the volume in one array; block `b` in layer `l` is slot l x blocks + b.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import general_part, lean_kernel, lean_part
from pagecost.lists_kernels import new_lists, oldest, push, renew, ring, unlink

BUFFER, PAGE, INODE, MAPPING, BLOCK, DEVICE = range(6)
LAYERS = 6
DATA, METADATA = 0, 1
# what the device does, columns of Counts.device
RANDOM_READ, NEXT_READ, CACHED_READ, RANDOM_WRITE, NEXT_WRITE, CACHED_WRITE = range(6)
DEVICE_WORK = 6
BEHIND, WAITED = 0, 1
PREFETCHED, PREFETCH_USED, MARKED = range(3)  # places in Counts.ahead; MARKED: windows begun by a mark
START, SIZE, LEFT = range(3)  # the window of read-ahead: LEFT pages are still to come when the next one is begun
PREVIOUS, HEAD, NOW, LOGGED, ABSORBED = range(5)  # places in Stack.at
LOG_BLOCK, LOG_WRITE, LOG_CAUSE = range(3)  # rows of Stack.log
FIRST_BLOCK, SYNCHRONOUS, ASYNCHRONOUS, LARGEST, BYPASS, SYNC, EXCLUSIVE, FORCE, WRITE_BACK, AHEAD, EXPIRES = range(11)
OPTIONS = 11
DIRECT = 12  # blocks of a file that its inode names itself


class File(NamedTuple):
    """Where the blocks of a file lie. address: int64[pages]; page: int64[blocks], -1 for metadata.

    chain: int64[chunks, 3], the indirect blocks to the chunk of `pointers` pages behind the direct ones, -1: none.
    """

    address: np.ndarray
    page: np.ndarray
    chain: np.ndarray
    pointers: int


class Stack(NamedTuple):
    """The caches and what goes on in them. limit, used: int64[6], blocks of each layer."""

    links: np.ndarray  # uint32, lists over slots
    held: np.ndarray  # uint8[6 x blocks]
    limit: np.ndarray
    used: np.ndarray
    dirty: np.ndarray  # uint8[2, blocks]: in the buffer, in the page cache
    mark: np.ndarray  # uint8[blocks]: asks for the next window when it is read
    fresh: np.ndarray  # uint8[blocks]: read ahead, not asked for yet
    window: np.ndarray  # int64[3]
    at: np.ndarray  # int64[5]
    queue: np.ndarray  # uint32[blocks + 1, 2]: a list of the changed pages of the page cache, by when they were changed
    queued: np.ndarray  # int64[blocks]: request in which the page came into the queue
    hits: np.ndarray  # int64[6, 2]: by layer and kind
    asked: np.ndarray  # int64[6, 2]
    device: np.ndarray  # int64[2, 6]: behind or waited for, by work
    ahead: np.ndarray  # int64[3]
    log: np.ndarray  # int64[3, n]: what went to the device: block, write flag, request (from 0); n = 0: nobody asks


def new_stack(blocks: int, limits, log: int = 0) -> Stack:
    """Empty caches over a volume of so many blocks. log: how many requests to the device can be noted in a call."""
    return Stack(
        links=new_lists(LAYERS * blocks, LAYERS),
        held=np.zeros(LAYERS * blocks, np.uint8),
        limit=np.array(limits, np.int64),
        used=np.zeros(LAYERS, np.int64),
        dirty=np.zeros((2, blocks), np.uint8),
        mark=np.zeros(blocks, np.uint8),
        fresh=np.zeros(blocks, np.uint8),
        window=np.zeros(3, np.int64),
        at=np.array([-1, -1, 0, 0, 0], np.int64),
        queue=new_lists(blocks, 1),
        queued=np.zeros(blocks, np.int64),
        hits=np.zeros((LAYERS, 2), np.int64),
        asked=np.zeros((LAYERS, 2), np.int64),
        device=np.zeros((2, DEVICE_WORK), np.int64),
        ahead=np.zeros(3, np.int64),
        log=np.zeros((3, log), np.int64),
    )


@lean_part
def slot_of(stack, layer, block):
    """The slot of a block of the volume in a layer."""
    return np.uint32(layer * stack.mark.size + block)


@lean_part
def holds(stack, layer, block):
    """Whether a layer holds the block."""
    return stack.held[slot_of(stack, layer, block)] > 0


@lean_part
def look(stack, layer, block, kind):
    """Whether a layer answers; if so the block is its newest."""
    stack.asked[layer, kind] += 1
    if stack.held[slot_of(stack, layer, block)] == 0:
        return False
    stack.hits[layer, kind] += 1
    renew(stack.links, ring(stack.links, LAYERS, layer), slot_of(stack, layer, block))
    return True


@lean_part
def enter(stack, layer, block):
    """Make a block the newest of a layer; the block that had to leave, or -1."""
    if stack.limit[layer] == 0:
        return np.int64(-1)
    slot, closing = slot_of(stack, layer, block), ring(stack.links, LAYERS, layer)
    if stack.held[slot] > 0:
        renew(stack.links, closing, slot)
        return np.int64(-1)
    stack.held[slot] = 1
    push(stack.links, closing, slot)
    stack.used[layer] += 1
    if stack.used[layer] <= stack.limit[layer]:
        return np.int64(-1)
    leaving = oldest(stack.links, closing)
    unlink(stack.links, leaving)
    stack.held[leaving] = 0
    stack.used[layer] -= 1
    return np.int64(leaving) - layer * stack.mark.size


@general_part
def drop(stack, layer, block):
    """A layer forgets the block, if it holds it."""
    slot = slot_of(stack, layer, block)
    if stack.held[slot] > 0:
        stack.held[slot] = 0
        unlink(stack.links, slot)
        stack.used[layer] -= 1


@lean_part
def note(stack, block, write):
    """Put a request to the device into the log, where there is one."""
    if stack.log.shape[1] > 0:
        at = stack.at[LOGGED]
        stack.log[LOG_BLOCK, at], stack.log[LOG_WRITE, at], stack.log[LOG_CAUSE, at] = block, write, stack.at[NOW] - 1
        stack.at[LOGGED] = at + 1


@general_part
def device_read(stack, options, block, kind, waits):
    """Read a block from the device, which reads on into its own cache."""
    if look(stack, DEVICE, block, kind):
        stack.device[waits, CACHED_READ] += 1
        return
    stack.device[waits, NEXT_READ if block == stack.at[HEAD] else RANDOM_READ] += 1
    note(stack, block, 0)
    stack.at[HEAD] = block + 1
    if stack.limit[DEVICE] > 0:
        for near in range(block, min(block + options[AHEAD] + 1, stack.mark.size)):
            enter(stack, DEVICE, near)


@general_part
def device_write(stack, options, block, waits):
    """Write a block; a device that writes back is done when its cache holds it, and the arm follows."""
    enter(stack, DEVICE, block)
    if options[WRITE_BACK] > 0 and stack.limit[DEVICE] > 0:
        stack.device[waits, CACHED_WRITE] += 1
        waits = np.int64(BEHIND)
    stack.device[waits, NEXT_WRITE if block == stack.at[HEAD] else RANDOM_WRITE] += 1
    note(stack, block, 1)
    stack.at[HEAD] = block + 1


@general_part
def block_read(stack, options, block, kind, waits):
    """Read a block through the kernel's cache of blocks, past which direct I/O goes."""
    if kind == DATA and options[BYPASS] > 0:
        device_read(stack, options, block, kind, waits)
    elif not look(stack, BLOCK, block, kind):
        device_read(stack, options, block, kind, waits)
        enter(stack, BLOCK, block)


@general_part
def translate(stack, options, file, page, waits):
    """Find the block of a page of the file: its inode (block 0 of the volume), and up to three indirect blocks."""
    if not look(stack, INODE, 0, METADATA):
        block_read(stack, options, 0, METADATA, waits)
        enter(stack, INODE, 0)
    if page >= DIRECT:
        chunk = (page - DIRECT) // file.pointers
        for step in range(3):
            block = file.chain[chunk, step]
            if block >= 0 and not look(stack, MAPPING, block, METADATA):
                block_read(stack, options, block, METADATA, waits)
                enter(stack, MAPPING, block)


@general_part
def fetch(stack, options, file, page, waits):
    """Read a page of the file below the page cache, and what it takes to find it; waits: BEHIND or WAITED."""
    translate(stack, options, file, page, waits)
    block_read(stack, options, file.address[page], DATA, waits)


@general_part
def write_out(stack, options, block, waits):
    """A changed page of the page cache goes to the device."""
    if stack.dirty[1, block] > 0:
        unlink(stack.queue, block)
    stack.dirty[1, block] = 0
    if options[BYPASS] == 0:
        enter(stack, BLOCK, block)
    stack.at[HEAD] = -1
    device_write(stack, options, block, waits)


@lean_part
def into_page_cache(stack, options, block):
    """A block enters the page cache; the one that leaves for it is written if it is dirty."""
    leaving = enter(stack, PAGE, block)
    if leaving >= 0:
        stack.mark[leaving] = 0
        stack.fresh[leaving] = 0
        if stack.dirty[1, leaving] > 0:
            write_out(stack, options, leaving, BEHIND)


@lean_part
def next_size(size, largest):
    """Windows grow fourfold while they are small, then twofold, up to the largest."""
    return min(4 * size if size < largest // 16 else 2 * size, largest)


@general_part
def next_window(stack, options, file, page, marked):
    """Decide on read-ahead for a page that is missing (or marked); sets the window. False: read the page alone.

    The rules of Linux since 2.6.23, for requests of one page.
    """
    window, largest = stack.window, options[LARGEST]
    expected = page == window[START] + window[SIZE] or page == window[START] + window[SIZE] - window[LEFT]
    if largest == 0 or (not marked and page == 0 and options[FIRST_BLOCK] == 0):
        return False
    if page > 0 and window[SIZE] > 0 and expected and (marked or options[SYNCHRONOUS] > 0):
        window[START] += window[SIZE]
        window[SIZE] = next_size(window[SIZE], largest)
        window[LEFT] = window[SIZE]
        return True
    if marked:  # another reader has moved the window: go on behind what is there
        hole = page + 1
        while hole < file.address.size and hole - page <= largest and holds(stack, PAGE, file.address[hole]):
            hole += 1
        if hole - page > largest:
            return False
        window[START] = hole
        window[SIZE] = next_size(hole - page + 1, largest)
        window[LEFT] = window[SIZE]
        return True
    gap = page - stack.at[PREVIOUS]
    if gap < 0 or gap > 1 or (page > 0 and options[SYNCHRONOUS] == 0):
        return False
    window[START] = page
    window[SIZE] = 4 if largest >= 32 else (2 if largest >= 4 else largest)
    window[LEFT] = window[SIZE] - 1 if window[SIZE] > 1 else window[SIZE]
    return True


@general_part
def read_window(stack, options, file, asked, waits):
    """Read what is missing of the window, and mark the page that asks for the next one. asked: is not read ahead."""
    start, size = stack.window[START], stack.window[SIZE]
    stack.at[HEAD] = -1  # the platter has turned since the last request
    for page in range(start, min(start + size, file.address.size)):
        block = file.address[page]
        if holds(stack, PAGE, block):
            continue
        fetch(stack, options, file, page, waits)
        into_page_cache(stack, options, block)
        if page != asked:
            stack.fresh[block] = 1
            stack.ahead[PREFETCHED] += 1
        stack.mark[block] = 1 if options[ASYNCHRONOUS] > 0 and page == start + size - stack.window[LEFT] else 0


@lean_part
def os_read(stack, options, file, page):
    """The database asks the operating system for a page."""
    block = file.address[page]
    stack.at[HEAD] = -1
    if stack.limit[PAGE] == 0 or options[BYPASS] > 0:
        fetch(stack, options, file, page, WAITED)
    elif look(stack, PAGE, block, DATA):
        if stack.fresh[block] > 0:
            stack.fresh[block] = 0
            stack.ahead[PREFETCH_USED] += 1
        if stack.mark[block] > 0:
            stack.mark[block] = 0
            if next_window(stack, options, file, page, True):
                stack.ahead[MARKED] += 1
                read_window(stack, options, file, page, BEHIND)
    else:
        if next_window(stack, options, file, page, False):
            read_window(stack, options, file, page, WAITED)
        if not holds(stack, PAGE, block):
            fetch(stack, options, file, page, WAITED)
            into_page_cache(stack, options, block)
    stack.at[PREVIOUS] = page
    if options[EXCLUSIVE] > 0 and stack.dirty[1, block] == 0:
        drop(stack, PAGE, block)
        drop(stack, BLOCK, block)
        stack.mark[block] = 0


@lean_part
def os_write(stack, options, file, page):
    """The database writes a page: at once, or only into the page cache if the system does not heed its wish."""
    block = file.address[page]
    translate(stack, options, file, page, WAITED)
    cached = stack.limit[PAGE] > 0 and options[BYPASS] == 0
    if cached:
        into_page_cache(stack, options, block)
    if options[SYNC] > 0 or not cached:
        write_out(stack, options, block, WAITED)
    elif stack.dirty[1, block] == 0:
        stack.dirty[1, block] = 1
        stack.queued[block] = stack.at[NOW]
        push(stack.queue, stack.mark.size, block)


@lean_part
def expire(stack, options):
    """Write back pages that were changed long ago."""
    block = oldest(stack.queue, stack.mark.size)
    while block < stack.mark.size and stack.at[NOW] - stack.queued[block] >= options[EXPIRES]:
        write_out(stack, options, np.int64(block), BEHIND)
        block = oldest(stack.queue, stack.mark.size)


@lean_kernel
def replay(pages, writes, file, options, stack):
    """Page requests of the database, in order. The log, if there is one, must hold all that goes to the device."""
    stack.at[LOGGED] = 0
    for i in range(pages.size):
        page = pages[i]
        block = file.address[page]
        stack.at[NOW] += 1
        expire(stack, options)
        if not look(stack, BUFFER, block, DATA):
            os_read(stack, options, file, page)
            leaving = enter(stack, BUFFER, block)
            if leaving >= 0:
                if stack.dirty[0, leaving] > 0:
                    stack.dirty[0, leaving] = 0
                    os_write(stack, options, file, file.page[leaving])
                elif options[EXCLUSIVE] > 0 and options[BYPASS] == 0 and stack.limit[PAGE] > 0:
                    into_page_cache(stack, options, leaving)
        if writes[i] > 0:
            if options[FORCE] > 0:
                os_write(stack, options, file, page)
            else:
                stack.dirty[0, block] = 1


@lean_kernel
def serve(pages, writes, file, options, stack):
    """Page requests straight to the operating system, in order: what the database's own buffer left over.

    The log starts anew; it must hold all that these requests may send to the device.
    """
    stack.at[LOGGED] = 0
    for i in range(pages.size):
        stack.at[NOW] += 1
        expire(stack, options)
        if writes[i] > 0:
            if options[SYNC] == 0 and options[BYPASS] == 0:
                stack.at[ABSORBED] += stack.dirty[1, file.address[pages[i]]]
            os_write(stack, options, file, pages[i])
        else:
            os_read(stack, options, file, pages[i])
