"""BAST: overwrites go, in the order they come, to a log block that belongs to one data block (Kim et al. 2002)."""

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
from pagecost.lists_kernels import new_lists, oldest, push, push_oldest, renew, unlink


class Logs(NamedTuple):
    """The log blocks. Of `by_age` the oldest slot is given out next: a free one, as long as there is any."""

    block: np.ndarray  # uint32[slots]: physical block
    of: np.ndarray  # uint32[slots]: logical block it belongs to, or NOWHERE
    in_order: np.ndarray  # uint8[slots]: 1 while page k of the log holds offset k
    slot: np.ndarray  # uint32[logical blocks]: slot of its log block, or NOWHERE
    by_age: np.ndarray  # uint32[slots + 1, 2]: a list of all slots, free ones first, then by the age of their logs


def new_logs(slots: int, logical_blocks: int) -> Logs:
    """No log block in use."""
    by_age = new_lists(slots, 1)
    for slot in range(slots):
        push(by_age, slots, slot)
    return Logs(
        block=np.full(slots, NOWHERE, np.uint32),
        of=np.full(slots, NOWHERE, np.uint32),
        in_order=np.zeros(slots, np.uint8),
        slot=np.full(logical_blocks, NOWHERE, np.uint32),
        by_age=by_age,
    )


@lean_part
def merge(nand, logs, slot):
    """A log block and its data block become one; the slot is free then, and given out next."""
    scalars = nand.scalars
    logical_block = logs.of[slot]
    log = logs.block[slot]
    logs.of[slot] = NOWHERE
    logs.slot[logical_block] = NOWHERE
    unlink(logs.by_age, slot)
    push_oldest(logs.by_age, logs.of.size, slot)
    if logs.in_order[slot]:
        scalars[SWITCHES if nand.written[log] == pages_of(nand, logical_block) else PARTIALS] += 1
        complete(nand, logical_block, log, NOWHERE)
        replace_data(nand, logical_block, log)
    else:
        rebuild(nand, logical_block, NOWHERE)
        erase(nand, log)


@lean_part
def new_log(nand, logs, logical_block):
    """Give the logical block a log block; the oldest one of all is merged if none is free."""
    slot = oldest(logs.by_age, logs.of.size)
    if logs.of[slot] != NOWHERE:
        merge(nand, logs, slot)
    renew(logs.by_age, logs.of.size, slot)
    logs.of[slot] = logical_block
    logs.block[slot] = take_free(nand)
    logs.in_order[slot] = 1
    logs.slot[logical_block] = slot
    return slot


@lean_part
def write(nand, logs, page):
    """A page goes in place if it is the next of its data block, else to the log block of its data block."""
    pages = np.uint32(nand.scalars[PAGES_PER_BLOCK])
    logical_block = page // pages
    offset = page % pages
    slot = logs.slot[logical_block]
    if slot != NOWHERE and nand.written[logs.block[slot]] == pages:
        merge(nand, logs, slot)
        slot = NOWHERE
    if slot == NOWHERE:
        if append_in_place(nand, logical_block, offset, page):
            return
        slot = new_log(nand, logs, logical_block)
    log = logs.block[slot]
    logs.in_order[slot] &= nand.written[log] == offset
    program(nand, log, nand.written[log], page)
    if nand.written[log] == pages_of(nand, logical_block) and logs.in_order[slot]:
        merge(nand, logs, slot)


@lean_kernel
def serve(requests, blame, nand, logs):
    """Serve requests; arguments as of `serve_requests`."""
    serve_requests(requests, blame, nand, logs, write)
