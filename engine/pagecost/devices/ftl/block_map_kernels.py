"""Block map: a logical block lies in one physical block, every page at its own offset. An overwrite moves the block."""

import numpy as np

from pagecost._jit import lean_kernel
from pagecost.devices.ftl.nand_kernels import (
    HOST,
    MERGED,
    NOWHERE,
    PAGES_PER_BLOCK,
    no_write,
    program,
    put_blame,
    rebuild,
    so_far,
    take_free,
)


@lean_kernel
def serve(requests, blame, nand):
    """Serve requests (page numbers, TRIM or READ added); blame: see `blame_kernels`."""
    scalars = nand.scalars
    pages = np.uint32(scalars[PAGES_PER_BLOCK])
    for i in range(requests.size):
        page = requests[i]
        if no_write(nand, page):
            continue
        before = so_far(nand)
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
        scalars[HOST] += 1
        put_blame(nand, blame, i, before)
