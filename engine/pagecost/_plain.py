"""The compiler's intrinsics as plain Python: for kernels that are interpreted, and where all are compiled ahead."""

import numpy as np


def leading_zeros(word):
    """Zero bits above the highest one of a word of 64."""
    return 64 - int(word).bit_length()


def trailing_zeros(word):
    """Zero bits below the lowest one."""
    return (int(word) & -int(word)).bit_length() - 1


def prefetch(array, row):
    """Nothing: there is no cache to ask."""


def eight_bytes(data, at):
    """data[at] .. data[at + 7] of bytes in a row as one word, the first byte lowest."""
    return np.uint64(int.from_bytes(data[at : at + 8].tobytes(), "little"))
