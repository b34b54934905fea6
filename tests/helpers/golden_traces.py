"""Two traces whose counts are known for every policy: one by hand, one from a generator that all can repeat."""

import numpy as np

TRACE_A = ["1r", "2w", "3r", "1r", "4r", "2r", "5w", "1w", "3r", "2w", "6r", "4r", "1r", "5r", "2r", "3w"]


def trace_a():
    return np.array([int(text[:-1]) for text in TRACE_A]), np.array([text[-1] == "w" for text in TRACE_A])


def trace_b():
    """20 000 references of a linear congruential generator (docs/models/buffer.md#check-values)."""
    x, pages, writes = 42, [], []
    for _ in range(20_000):
        x = (1103515245 * x + 12345) % 2**31
        a = x >> 16
        x = (1103515245 * x + 12345) % 2**31
        b = x >> 16
        pages.append(200 * a**3 // 32768**3)
        writes.append(10 * b < 4 * 32768)
    return np.array(pages), np.array(writes)
