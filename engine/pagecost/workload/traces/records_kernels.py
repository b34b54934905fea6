"""Records of bytes to columns."""

import numpy as np

from pagecost._jit import eight_bytes, lean_kernel


@lean_kernel
def columns_of(data, record_bytes, arrival_s, page):
    """Time (uint32) and object (uint64, the highest bit dropped) that each record begins with; how many had that bit.

    data: uint8, at least arrival_s.size records of 12 bytes or more.
    """
    long_ids = np.uint64(0)
    for i in range(arrival_s.size):
        at = i * record_bytes
        number = eight_bytes(data, at + 4)
        arrival_s[i] = np.uint32(eight_bytes(data, at))
        page[i] = np.int64(number & np.uint64(0x7FFFFFFFFFFFFFFF))
        long_ids += number >> np.uint64(63)
    return long_ids
