"""Keys of the element index: name and label."""

import numpy as np

from pagecost._jit import lean_kernel


@lean_kernel
def entry_keys(names, label_end, labels, order, key_end, keys):
    """Two bytes of name (highest first) and the label, for each element in `order`."""
    at = 0
    key_end[0] = 0
    for place in range(order.size):
        i = order[place]
        keys[at], keys[at + 1] = np.uint8(names[i] >> 8), np.uint8(names[i] & 255)
        at += 2
        for j in range(label_end[i], label_end[i + 1]):
            keys[at] = labels[j]
            at += 1
        key_end[place + 1] = at
