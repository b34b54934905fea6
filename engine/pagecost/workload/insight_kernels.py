"""One pass over page references: how often, how soon again, how many pages so far, how far in order."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import leading_zeros, lean_kernel, lean_part

SUB = 8  # intervals per doubling
BUCKETS = 61 * SUB  # up to 2^63 - 1
READS, WRITES, DISTINCT, LAST_PAGE, RUN, STRIDE, POINTS, REFERENCES = range(8)  # places in Counters.scalars
MOST_POINTS = 512


class Pages(NamedTuple):
    """Per page, shape (distinct pages,): int64 position (from 1) of the first and last reference, int64 counts."""

    first: np.ndarray
    last: np.ndarray
    reads: np.ndarray
    writes: np.ndarray


class Counters(NamedTuple):
    """Whole-trace counts. intervals, interval_sum: int64[BUCKETS] by distance to the page's last reference.

    runs: int64[64] runs by the power of two of their length; run_pages: the references in them. growth: int64[3,
    MOST_POINTS] references, distinct pages and writes so far. scalars: int64[8].
    """

    intervals: np.ndarray
    interval_sum: np.ndarray
    runs: np.ndarray
    run_pages: np.ndarray
    growth: np.ndarray
    scalars: np.ndarray


@lean_part
def bucket_of(interval):
    """Number of the bucket of an interval >= 1: exact below SUB, then SUB to a doubling."""
    if interval < SUB:
        return np.int64(interval)
    power = 63 - np.int64(leading_zeros(np.uint64(interval)))
    return (power - 2) * SUB + np.int64((interval >> (power - 3)) & (SUB - 1))


@lean_part
def end_run(counters, length):
    """Count a run of `length` pages in a row by its power of two; no pages, no run."""
    if length > 0:
        power = 63 - np.int64(leading_zeros(np.uint64(length)))
        counters.runs[power] += 1
        counters.run_pages[power] += length


@lean_kernel
def count(ids, numbers, writes, pages, counters):
    """Count references: ids int64, numbers uint32 dense and writes uint8, all of shape (n,)."""
    scalars = counters.scalars
    now, distinct, written = scalars[REFERENCES], scalars[DISTINCT], scalars[WRITES]
    previous, run = scalars[LAST_PAGE], scalars[RUN]
    stride, points = scalars[STRIDE], scalars[POINTS]
    growth = counters.growth
    for i in range(ids.size):
        now += 1
        page = numbers[i]
        write = writes[i]
        before = pages.last[page]
        if before == 0:
            pages.first[page] = now
            distinct += 1
        else:
            interval = now - before
            bucket = bucket_of(interval)
            counters.intervals[bucket] += 1
            counters.interval_sum[bucket] += interval
        pages.last[page] = now
        pages.reads[page] += 1 - write
        pages.writes[page] += write
        written += write
        if run > 0 and ids[i] == previous + 1:
            run += 1
        else:
            end_run(counters, run)
            run = 1
        previous = ids[i]
        if now % stride == 0:
            if points == MOST_POINTS:
                points = MOST_POINTS // 2
                stride *= 2
                for k in range(points):
                    for row in range(3):
                        growth[row, k] = growth[row, 2 * k + 1]
            if now % stride == 0:
                growth[0, points] = now
                growth[1, points] = distinct
                growth[2, points] = written
                points += 1
    scalars[REFERENCES] = now
    scalars[DISTINCT] = distinct
    scalars[WRITES] = written
    scalars[LAST_PAGE] = previous
    scalars[RUN] = run
    scalars[STRIDE] = stride
    scalars[POINTS] = points
