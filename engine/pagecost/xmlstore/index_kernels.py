"""Keys of the indexes over the documents: a head (a name; a path class and a value's begin) and a label."""

import numpy as np

from pagecost._jit import lean_kernel
from pagecost.xmlstore.parse_kernels import ATTRIBUTE_NODE, TEXT_NODE, is_layout

VALUE_BYTES = 30  # of a value that stand in its key
WHOLE, CUT = 0, 1  # the byte behind them, which XML text never holds: whether that is all of the value
HEAD_BYTES = 2 + VALUE_BYTES + 1


@lean_kernel
def value_heads(nodes, size, blob, heads, head_end, rows):
    """Path class (highest byte first), begin of the value and WHOLE or CUT, of each attribute and text; how many.

    A text of blanks with a line break is layout and left out. rows: the nodes' numbers.
    """
    count = 0
    at = 0
    head_end[0] = 0
    for i in range(size):
        kind = nodes.kind[i]
        if kind != ATTRIBUTE_NODE and kind != TEXT_NODE:
            continue
        start, length = nodes.value_at[i], nodes.value_bytes[i]
        if kind == TEXT_NODE and is_layout(blob, start, start + length):
            continue
        path = nodes.path[i]
        heads[at], heads[at + 1] = np.uint8(path >> 8), np.uint8(path & 255)
        at += 2
        kept = min(length, VALUE_BYTES)
        for j in range(kept):
            heads[at + j] = blob[start + j]
        heads[at + kept] = WHOLE if kept == length else CUT
        at += kept + 1
        head_end[count + 1] = at
        rows[count] = i
        count += 1
    return count


@lean_kernel
def sort_columns(heads, head_end, rows, columns):
    """The heads of some rows as numbers of eight bytes each, uint64[5, rows], that sort as the heads do."""
    for place in range(rows.size):
        i = rows[place]
        size = head_end[i + 1] - head_end[i]
        for number in range(columns.shape[0]):
            value = np.uint64(0)
            for j in range(8 * number, 8 * number + 8):
                byte = heads[head_end[i] + j] if j < size else np.uint8(0)
                value = (value << np.uint64(8)) | np.uint64(byte)
            columns[number, place] = value


@lean_kernel
def entry_keys(heads, head_end, labels, label_end, order, key_end, keys):
    """Head and label of each row in `order`, end to end."""
    at = 0
    key_end[0] = 0
    for place in range(order.size):
        i = order[place]
        for j in range(head_end[i], head_end[i + 1]):
            keys[at] = heads[j]
            at += 1
        for j in range(label_end[i], label_end[i + 1]):
            keys[at] = labels[j]
            at += 1
        key_end[place + 1] = at
