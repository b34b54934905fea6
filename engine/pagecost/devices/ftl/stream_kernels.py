"""Streams of page writes, drawn as fast as a translation layer can take them."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import kernel

SEQUENTIAL, UNIFORM, HOT_COLD, WEIGHTED = range(4)


class Stream(NamedTuple):
    """kind: one of the constants above. The n-th number is a hash of seed + n (SplitMix64), so draws can overlap."""

    kind: np.ndarray  # int64[1]
    pages: np.ndarray  # uint64[2]: number of pages; of them hot
    odds: np.ndarray  # uint64[1]: share of hot writes times 2^32
    at: np.ndarray  # uint64[1]: where the stream stands: the next page (sequential), else the hash counter
    keep: np.ndarray  # uint64[pages or 0]: Walker's alias table, probability to keep the page drawn, times 2^32
    alias: np.ndarray  # uint32[pages or 0]: the page taken otherwise


GOLDEN = np.uint64(0x9E3779B97F4A7C15)
LOW = np.uint64(0xFFFFFFFF)


@kernel
def draw(stream, steps, out):
    """Fill `out` (uint32[n]) with the next n page numbers. steps: uint64, 0 .. n - 1 times GOLDEN."""
    pages = stream.pages[0]
    kind = stream.kind[0]
    if kind == SEQUENTIAL:
        page = stream.at[0]
        for i in range(out.size):
            out[i] = page
            page += np.uint64(1)
            if page == pages:
                page = np.uint64(0)
        stream.at[0] = page
        return
    z = steps[: out.size] + stream.at[0]  # whole arrays: they wrap around, compiled or not
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    stream.at[:] += steps[1:2] * np.uint64(out.size)
    if kind == UNIFORM:
        for i in range(out.size):
            out[i] = ((z[i] >> np.uint64(32)) * pages) >> np.uint64(32)
    elif kind == HOT_COLD:
        hot = stream.pages[1]
        odds = stream.odds[0]
        for i in range(out.size):
            is_hot = (z[i] & LOW) < odds
            first = np.uint64(0) if is_hot else hot
            count = hot if is_hot else pages - hot
            out[i] = first + (((z[i] >> np.uint64(32)) * count) >> np.uint64(32))
    else:
        for i in range(out.size):
            page = ((z[i] >> np.uint64(32)) * pages) >> np.uint64(32)
            out[i] = page if (z[i] & LOW) < stream.keep[page] else stream.alias[page]


@kernel
def alias_table(share, keep, alias):
    """Walker's tables for probabilities `share` (float64[n], sum 1, changed): keep uint64[n], alias uint32[n]."""
    n = share.size
    small = np.empty(n, np.int64)
    large = np.empty(n, np.int64)
    smalls = 0
    larges = 0
    for i in range(n):
        share[i] *= n
        keep[i] = np.uint64(1 << 32)
        alias[i] = i
        if share[i] < 1.0:
            small[smalls] = i
            smalls += 1
        else:
            large[larges] = i
            larges += 1
    while smalls > 0 and larges > 0:
        smalls -= 1
        less = small[smalls]
        more = large[larges - 1]
        keep[less] = np.uint64(share[less] * 4294967296.0)
        alias[less] = more
        share[more] -= 1.0 - share[less]
        if share[more] < 1.0:
            larges -= 1
            small[smalls] = more
            smalls += 1
