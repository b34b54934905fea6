"""Block map: a logical block lies in one physical block, every page at its own offset. An overwrite moves the block."""

import numpy as np

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.ftl.nand_kernels import (
    MERGED,
    NOWHERE,
    PAGES_PER_BLOCK,
    program,
    rebuild,
    serve_requests,
    take_free,
)


@lean_part
def write(nand, logs, page):
    """A page goes to its offset if nothing lies there or behind it, else its block is rebuilt; there are no logs."""
    scalars = nand.scalars
    pages = np.uint32(scalars[PAGES_PER_BLOCK])
    logical_block = page // pages
    offset = page % pages
    block = nand.data[logical_block]
    if block == NOWHERE:
        block = take_free(nand)
        nand.data[logical_block] = block
    if nand.written[block] <= offset:
        while nand.written[block] < offset:
            program(nand, block, nand.written[block], NOWHERE)
            scalars[MERGED] += 1
        program(nand, block, offset, page)
    else:
        rebuild(nand, logical_block, page)


@lean_kernel
def serve(requests, blame, nand):
    """Serve requests; arguments as of `serve_requests`."""
    serve_requests(requests, blame, nand, None, write)
