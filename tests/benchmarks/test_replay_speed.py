"""The replay kernels as benchmarks: each test run checks their counts, --benchmark-enable also times them."""

import pytest

from pagecost.buffer import POLICIES, References, replay
from pagecost.workload import zipf_pages

# Misses on this trace: of the plain-Python twins, and for MIN of libcachesim's Belady; other policies are only timed
MISSES = {"fifo": 69_018, "clock": 59_022, "lru": 60_869, "min": 35_891}


@pytest.fixture(scope="module")
def references():
    return References.of(zipf_pages(200_000, 20_000, 1.0, seed=1))


@pytest.mark.parametrize("policy", POLICIES)
def test_replay(benchmark, references, policy):
    replay(references, 2000, policy)  # compile first
    run = benchmark(replay, references, 2000, policy)
    assert run.misses == MISSES.get(policy, run.misses)
    assert run.misses >= MISSES["min"]
