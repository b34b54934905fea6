"""What writes that cost more than reads do to the optimum: exact on small cases, between the bounds."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.buffer import cost_bounds, optimal_cost, replay
from pagecost.errors import ModelError

sys.path.insert(0, str(Path(__file__).parent))
from test_replay import trace_a

references = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=25)


def test_trace_a_costs_8_where_min_costs_16():
    """MODELS §4.1: reads cost 1, write-backs 8."""
    pages, writes = trace_a()
    assert optimal_cost(pages, 4, 1, 8, writes) == 8
    assert replay(pages, 4, "min", writes).cost(1, 8) == 16


@settings(deadline=None, max_examples=30)
@given(trace=references, frames=st.integers(1, 4), write=st.sampled_from([0, 0.5, 1, 8]))
def test_the_optimum_lies_between_the_bounds(trace, frames, write):
    pages, writes = (np.array(column) for column in zip(*trace, strict=True))
    bounds, exact = cost_bounds(pages, frames, 1, write, writes), optimal_cost(pages, frames, 1, write, writes)
    assert bounds.lower <= exact <= bounds.upper == bounds.by.cost(1, write)
    if write == 0:
        assert bounds.lower == exact == bounds.upper


def test_a_search_too_large_and_negative_costs_are_refused():
    with pytest.raises(ModelError, match="more than 20000 states"):
        optimal_cost(np.random.default_rng(1).permutation(24).repeat(2), 11, 1, 8)
    with pytest.raises(ModelError, match="must not be negative; got 1, -1"):
        cost_bounds([1, 2], 1, 1, -1)
