"""Flash below a block map: programs in order, erases of whole blocks, and the rebuilding of a data block.

Every program and erase of the block-mapped layers goes through here, where the rules of NAND flash are checked: a page
is programmed once after an erase, the pages of a block in ascending order, and no live page is erased. What breaks a
rule is counted in VIOLATIONS. A physical page is block x pages_per_block + page in block.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part, lean_template
from pagecost.devices.ftl.blame_kernels import ERASES_DUE, PROGRAMS_DUE, READS_DUE

NOWHERE = np.uint32(0xFFFFFFFF)  # no physical page, no block, no logical page
TRIM, READ = np.uint32(1 << 30), np.uint32(1 << 31)
PAGE_BITS = np.uint32((1 << 30) - 1)

FREE_HEAD, FREE_BLOCKS, PAGES_PER_BLOCK = range(3)
HOST, MERGED, PROGRAMMED, ERASES, COPY_READS, TRIMMED, HOST_READS, MISSING_READS = range(3, 11)
SWITCHES, PARTIALS, FULLS, VIOLATIONS = range(11, 15)
SCALARS = 15


class Nand(NamedTuple):
    """The chips and the page-exact whereabouts of all data. `data` is the block map."""

    where: np.ndarray  # uint32[logical]: physical page of the newest version, or NOWHERE
    owner: np.ndarray  # uint32[blocks * pages_per_block]: logical page, NOWHERE if dead or not programmed
    written: np.ndarray  # uint32[blocks]: pages programmed since the last erase
    erases: np.ndarray  # uint32[blocks]
    free: np.ndarray  # uint32[blocks]: ring of free blocks
    data: np.ndarray  # uint32[logical blocks]: the data block, or NOWHERE
    scalars: np.ndarray  # int64[SCALARS]


def new_nand(blocks: int, pages_per_block: int, logical: int) -> Nand:
    """Erased chips."""
    scalars = np.zeros(SCALARS, np.int64)
    scalars[[FREE_BLOCKS, PAGES_PER_BLOCK]] = blocks, pages_per_block
    return Nand(
        where=np.full(logical, NOWHERE, np.uint32),
        owner=np.full(blocks * pages_per_block, NOWHERE, np.uint32),
        written=np.zeros(blocks, np.uint32),
        erases=np.zeros(blocks, np.uint32),
        free=np.arange(blocks, dtype=np.uint32),
        data=np.full(-(-logical // pages_per_block), NOWHERE, np.uint32),
        scalars=scalars,
    )


@lean_part
def so_far(nand):
    """(pages merged, pages read for it, blocks erased) since the beginning, for `put_blame`."""
    return nand.scalars[MERGED], nand.scalars[COPY_READS], nand.scalars[ERASES]


@lean_part
def put_blame(nand, blame, request, before):
    """Blame a request for what happened since `before`."""
    programs, reads, erases = so_far(nand)
    blame[PROGRAMS_DUE, request] = programs - before[0]
    blame[READS_DUE, request] = reads - before[1]
    blame[ERASES_DUE, request] = erases - before[2]


@lean_part
def pages_of(nand, logical_block):
    """Pages of a logical block: the last one may have fewer than a physical block."""
    pages = nand.scalars[PAGES_PER_BLOCK]
    return min(pages, nand.where.size - np.int64(logical_block) * pages)


@lean_part
def take_free(nand):
    """The block that was erased longest ago."""
    scalars = nand.scalars
    head = scalars[FREE_HEAD]
    scalars[FREE_HEAD] = (head + 1) % nand.free.size
    scalars[VIOLATIONS] += scalars[FREE_BLOCKS] < 1
    scalars[FREE_BLOCKS] -= 1
    return nand.free[head]


@lean_part
def erase(nand, block):
    """Erase a block, which goes behind the free ones; a live page in it is a violation."""
    scalars = nand.scalars
    pages = scalars[PAGES_PER_BLOCK]
    for at in range(np.int64(block) * pages, (np.int64(block) + 1) * pages):
        scalars[VIOLATIONS] += nand.owner[at] != NOWHERE
    nand.written[block] = 0
    nand.erases[block] += np.uint32(1)
    scalars[ERASES] += 1
    nand.free[(scalars[FREE_HEAD] + scalars[FREE_BLOCKS]) % nand.free.size] = block
    scalars[FREE_BLOCKS] += 1


@lean_part
def forget(nand, page):
    """The newest version of a logical page dies."""
    if nand.where[page] != NOWHERE:
        nand.owner[nand.where[page]] = NOWHERE
        nand.where[page] = NOWHERE


@lean_part
def program(nand, block, at, page):
    """Program page `at` of a block with a logical page, or with filler if it is NOWHERE."""
    scalars = nand.scalars
    scalars[VIOLATIONS] += nand.written[block] != at or at >= scalars[PAGES_PER_BLOCK]
    nand.written[block] += np.uint32(1)
    scalars[PROGRAMMED] += 1
    if page != NOWHERE:
        forget(nand, page)
        physical = np.uint32(np.int64(block) * scalars[PAGES_PER_BLOCK] + at)
        nand.owner[physical] = page
        nand.where[page] = physical


@lean_part
def end_of(nand, logical_block):
    """One more than the last offset of a logical block that holds data; 0 if none does."""
    pages = nand.scalars[PAGES_PER_BLOCK]
    first = np.int64(logical_block) * pages
    end = min(pages, nand.where.size - first)
    while end > 0 and nand.where[first + end - 1] == NOWHERE:
        end -= 1
    return end


@lean_part
def complete(nand, logical_block, block, host_page):
    """Program the rest of a block with the newest versions of its logical pages, wherever they are.

    Pages that hold no data are filled if one that does follows. host_page: comes from the host, not from a copy.
    """
    scalars = nand.scalars
    first = np.int64(logical_block) * scalars[PAGES_PER_BLOCK]
    end = end_of(nand, logical_block)
    if host_page != NOWHERE:
        end = max(end, np.int64(host_page) - first + 1)
    for offset in range(np.int64(nand.written[block]), end):
        page = np.uint32(first + offset)
        if page == host_page:
            program(nand, block, offset, page)
            continue
        scalars[MERGED] += 1
        if nand.where[page] == NOWHERE:
            program(nand, block, offset, NOWHERE)
        else:
            scalars[COPY_READS] += 1
            program(nand, block, offset, page)


@lean_part
def replace_data(nand, logical_block, block):
    """`block` becomes the data block; the old one is erased."""
    old = nand.data[logical_block]
    nand.data[logical_block] = block
    if old != NOWHERE:
        erase(nand, old)


@lean_part
def rebuild(nand, logical_block, host_page):
    """A full merge: the newest versions of all pages of a logical block move to a new data block."""
    block = take_free(nand)
    complete(nand, logical_block, block, host_page)
    replace_data(nand, logical_block, block)
    nand.scalars[FULLS] += 1


@lean_part
def append_in_place(nand, logical_block, offset, page):
    """Program a page into the data block if it is the next one in order. Returns whether it was."""
    block = nand.data[logical_block]
    if block == NOWHERE:
        if offset != 0:
            return False
        block = take_free(nand)
        nand.data[logical_block] = block
    if nand.written[block] != offset:
        return False
    program(nand, block, offset, page)
    return True


@lean_part
def no_write(nand, request):
    """Serve a trim or a read. Returns whether it was one."""
    if request <= PAGE_BITS:
        return False
    page = request & PAGE_BITS
    found = nand.where[page] != NOWHERE
    if request >= READ:
        nand.scalars[HOST_READS] += 1
        nand.scalars[MISSING_READS] += not found
    else:
        nand.scalars[TRIMMED] += found
        forget(nand, page)
    return True


@lean_template
def serve_requests(requests, blame, nand, logs, write):
    """Serve requests (page numbers, TRIM or READ added) by write(nand, logs, page); blame: see `blame_kernels`."""
    for i in range(requests.size):
        page = requests[i]
        if no_write(nand, page):
            continue
        before = so_far(nand)
        nand.scalars[HOST] += 1
        write(nand, logs, page)
        put_blame(nand, blame, i, before)
