"""Prefix sums of counters against NumPy's, through every depth of the tree; and the curve that rests on them."""

import numpy as np
import pytest

from pagecost.buffer import References, lru_curve, replay
from pagecost.buffer.sums_kernels import add, before, new_sums
from pagecost.workload import zipf_pages


@pytest.mark.parametrize("size", [1, 2, 63, 64, 65, 4095, 4096, 4097, 300_000])
def test_the_sum_before_a_counter_is_that_of_all_in_front_of_it(size):
    random = np.random.default_rng(size)
    sums, counters = new_sums(size), np.zeros(size, np.int64)
    edges = [place for place in (0, 1, 63, 64, 65, 4095, 4096, 4097, size - 1) if place < size]
    for place in [*edges, *random.integers(0, size, 200)]:
        change = np.int32(random.integers(-1, 513))
        add(sums, place, change)
        counters[place] += change
    expected = np.cumsum(counters) - counters
    for place in [*edges, *random.integers(0, size, 200)]:
        assert before(sums, place) == expected[place]


def test_the_curve_is_exact_where_the_tree_has_two_levels():
    """60 000 pages take 236 lines, above 64 nodes; the trace is long enough to run out of times once."""
    pages = zipf_pages(400_000, 60_000, 0.5, seed=3)
    made = References.of(pages, np.random.default_rng(4).random(pages.size) < 0.3)
    curve = lru_curve(made)
    for frames in (1, 100, 3000, 20_000, 50_000):
        run = replay(made, frames, "lru")
        assert (curve.misses[frames - 1], curve.write_backs[frames - 1]) == (run.misses, run.write_backs)
