"""FAST: log blocks shared by all data blocks, and one log block for a sequential stream (Lee et al. 2007)."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.ftl.nand_kernels import (
    NOWHERE,
    PAGES_PER_BLOCK,
    PARTIALS,
    SWITCHES,
    append_in_place,
    complete,
    erase,
    pages_of,
    program,
    rebuild,
    replace_data,
    serve_requests,
    take_free,
)

SEQUENTIAL, SEQUENTIAL_OF, OLDEST, USED = range(4)


class Logs(NamedTuple):
    """The log blocks. shared: a ring, the oldest first, the last one being filled."""

    shared: np.ndarray  # uint32[slots]: physical blocks of the random log
    scalars: np.ndarray  # int64[4]: block and logical block of the sequential log (or -1); place and number of shared


def new_logs(log_blocks: int) -> Logs:
    """No log block in use; one of `log_blocks` will be the sequential one."""
    return Logs(np.full(log_blocks - 1, NOWHERE, np.uint32), np.array([-1, -1, 0, 0], np.int64))


@lean_part
def close_sequential(nand, logs):
    """The sequential log block becomes the data block, completed with what it lacks."""
    log = logs.scalars[SEQUENTIAL]
    if log < 0:
        return
    logical_block = logs.scalars[SEQUENTIAL_OF]
    logs.scalars[SEQUENTIAL] = -1
    logs.scalars[SEQUENTIAL_OF] = -1
    full = nand.written[log] == pages_of(nand, logical_block)
    nand.scalars[SWITCHES if full else PARTIALS] += 1
    complete(nand, logical_block, np.uint32(log), NOWHERE)
    replace_data(nand, logical_block, np.uint32(log))


@lean_part
def reclaim(nand, logs):
    """Empty the oldest shared log block: a full merge for every logical block that has a live page in it."""
    pages = nand.scalars[PAGES_PER_BLOCK]
    log = logs.shared[logs.scalars[OLDEST]]
    logs.scalars[OLDEST] = (logs.scalars[OLDEST] + 1) % logs.shared.size
    logs.scalars[USED] -= 1
    for at in range(np.int64(log) * pages, (np.int64(log) + 1) * pages):
        page = nand.owner[at]
        if page != NOWHERE:
            logical_block = np.int64(page) // pages
            rebuild(nand, logical_block, NOWHERE)
            if logs.scalars[SEQUENTIAL_OF] == logical_block:  # its pages have moved, too
                erase(nand, np.uint32(logs.scalars[SEQUENTIAL]))
                logs.scalars[SEQUENTIAL] = -1
                logs.scalars[SEQUENTIAL_OF] = -1
    erase(nand, log)


@lean_part
def shared_log(nand, logs):
    """The shared log block with room for a page."""
    scalars = logs.scalars
    if scalars[USED] > 0:
        log = logs.shared[(scalars[OLDEST] + scalars[USED] - 1) % logs.shared.size]
        if nand.written[log] < nand.scalars[PAGES_PER_BLOCK]:
            return log
    if scalars[USED] == logs.shared.size:
        reclaim(nand, logs)
    log = take_free(nand)
    logs.shared[(scalars[OLDEST] + scalars[USED]) % logs.shared.size] = log
    scalars[USED] += 1
    return log


@lean_part
def write(nand, logs, page):
    """A page goes in place if it is the next of its data block, else to the sequential log or to a shared one."""
    pages = np.uint32(nand.scalars[PAGES_PER_BLOCK])
    logical_block = np.int64(page // pages)
    offset = page % pages
    streaming = logs.scalars[SEQUENTIAL_OF] == logical_block
    if not streaming and append_in_place(nand, logical_block, offset, page):
        return
    if offset == 0:
        close_sequential(nand, logs)
        logs.scalars[SEQUENTIAL] = take_free(nand)
        logs.scalars[SEQUENTIAL_OF] = logical_block
        streaming = True
    if streaming and nand.written[logs.scalars[SEQUENTIAL]] == offset:
        log = np.uint32(logs.scalars[SEQUENTIAL])
        program(nand, log, offset, page)
        if nand.written[log] == pages_of(nand, logical_block):
            close_sequential(nand, logs)
    else:
        log = shared_log(nand, logs)
        program(nand, log, nand.written[log], page)


@lean_kernel
def serve(requests, blame, nand, logs):
    """Serve requests; arguments as of `serve_requests`."""
    serve_requests(requests, blame, nand, logs, write)
