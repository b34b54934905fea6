"""Where a file's blocks lie on an ext2-like volume, and which indirect blocks lead to each of them."""

import numpy as np

from pagecost.errors import require
from pagecost.oscaches.caches_kernels import DIRECT, File

POINTER_BYTES = 4


def contiguous_file(pages: int, block_bytes: int = 4096) -> File:
    """A file of so many pages (1 or more) written once from front to end.

    An inode names 12 blocks itself, then one, two and three levels of indirect blocks of 4-byte pointers follow, each
    allocated just before the first block that it leads to (docs/models/caches.md#mapping-blocks). Block 0 of the volume
    is the inode's. Raises ModelError for a file that three levels do not reach.
    """
    pointers = block_bytes // POINTER_BYTES
    require(pages >= 1, f"a file has at least one page; got {pages}")
    require(pointers >= 2, f"a block must hold two pointers of {POINTER_BYTES} bytes; got {block_bytes} bytes")
    largest = DIRECT + pointers + pointers**2 + pointers**3
    require(pages <= largest, f"three levels of indirect blocks reach {largest} pages; got {pages}")
    page = np.arange(pages)
    chunks = max(0, -(-(pages - DIRECT) // pointers))
    chunk = np.arange(chunks)
    middle = (chunk - 1 - pointers) // pointers  # of the third level
    third = chunk > pointers
    # indirect blocks in front of the first page of each chunk: leaves, the root of the second level, the third's
    before = chunk + 1 + (chunk > 0) + np.where(third, middle + 2, 0)
    first = 1 + DIRECT + chunk * pointers + before  # address of the first page of each chunk; its leaf stands before
    chain = np.full((chunks, 3), -1, np.int64)
    chain[:, 2] = first - 1
    if chunks > 1:
        chain[1 : 1 + pointers, 1] = first[1] - 2
    if third.any():
        start = 1 + pointers
        chain[start:, 0] = first[start] - 3
        chain[start:, 1] = (first - 2)[start + middle[start:] * pointers]
    address = 1 + page
    behind = page >= DIRECT
    of_chunk = (page[behind] - DIRECT) // pointers
    address[behind] = first[of_chunk] + (page[behind] - DIRECT) % pointers
    blocks = int(address[-1]) + 1
    of = np.full(blocks, -1, np.int64)
    of[address] = page
    return File(address=address.astype(np.int64), page=of, chain=chain, pointers=pointers)
