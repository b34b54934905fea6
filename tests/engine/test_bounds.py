"""What writes that cost more than reads do to the optimum: exact on small cases, between the bounds."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.golden_traces import trace_a
from pagecost import studies
from pagecost.buffer import DEMAND, POLICIES, References, cost_bounds, fewest_write_backs, optimal_cost, replay
from pagecost.errors import ModelError
from pagecost.studies.buffer.policy_ranking import least_possible
from pagecost.units import THIN
from pagecost.workload import LOADS

references = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=25)


def test_trace_a_costs_8_where_min_costs_16():
    """docs/models/buffer.md#check-values: reads cost 1, write-backs 8."""
    pages, writes = trace_a()
    assert optimal_cost(pages, 4, 1, 8, writes) == 8
    assert replay(pages, 4, "min", writes).cost(1, 8) == 16


@settings(deadline=None, max_examples=30)
@given(trace=references, frames=st.integers(1, 4), write=st.sampled_from([0, 0.5, 1, 8]))
def test_the_optimum_lies_between_the_bounds(trace, frames, write):
    pages, writes = (np.array(column) for column in zip(*trace, strict=True))
    made = References.of(pages, writes)
    runs = [replay(made, frames, name) for name in DEMAND]
    bounds, exact = cost_bounds(made, runs, 1, write), optimal_cost(made, frames, 1, write)
    assert bounds.lower <= exact <= bounds.upper == bounds.by.cost(1, write)
    if write == 0:
        assert bounds.lower == exact == bounds.upper


@settings(deadline=None, max_examples=30)
@given(trace=references, frames=st.integers(1, 4))
def test_no_policy_writes_back_fewer_pages_than_the_bound(trace, frames):
    made = References.of(*(np.array(column) for column in zip(*trace, strict=True)))
    least = fewest_write_backs(made, frames)
    assert least <= optimal_cost(made, frames, 0, 1)
    assert least <= min(replay(made, frames, name).write_backs for name in POLICIES)


def test_a_page_changed_again_and_again_between_others_is_counted_as_often_as_frames_are_too_few():
    """Two pages in turn, one frame, 4 writes: every write makes a page dirty, the last stays."""
    made = References.of([1, 2, 1, 2], [1, 1, 1, 1])
    assert (fewest_write_backs(made, 1), fewest_write_backs(made, 2)) == (3, 0)
    assert fewest_write_backs(References.of([1, 2, 1]), 1) == 0


def test_a_search_too_large_and_negative_costs_are_refused():
    with pytest.raises(ModelError, match="more than 5000 states"):
        optimal_cost(np.random.default_rng(1).permutation(24).repeat(2), 11, 1, 8)
    with pytest.raises(ModelError, match="must not be negative; got 1, -1"):
        cost_bounds(References.of([1, 2]), [replay([1, 2], 1, "min")], 1, -1)


def test_the_ranking_says_what_each_policy_costs_and_fences_in_the_least():
    study = studies.find("policy_ranking")
    inputs = study.inputs({"trace": "scan-polluted", "frames": 2048})
    result = study.compute(inputs)
    assert set(result["policy"]) == set(DEMAND)
    assert list(result["cost"]) == sorted(result["cost"])
    least, reached = least_possible(result)
    assert least <= reached == result["cost"][0]
    row = result.rows(policy="lru")[0]
    run = replay(References.of(*LOADS["scan-polluted"].requests().page_references()), 2048, "lru")
    assert result["cost"][row] == pytest.approx(1000 * run.cost(1, result.facts["ratio"].value) / run.references)
    assert "exact" not in result.facts


def test_a_short_trace_gets_the_least_cost_itself(tmp_path):
    pages, writes = trace_a()
    path = tmp_path / "short.txt"
    path.write_text("\n".join(f"{page} {'rw'[int(changed)]}" for page, changed in zip(pages, writes, strict=True)))
    study = studies.find("policy_ranking")
    result = study.compute(study.inputs({"trace": str(path), "frames": 4}))
    facts = {name: fact.value for name, fact in result.facts.items()}
    ratio = facts["ratio"]
    assert facts["exact"] == pytest.approx(1000 * optimal_cost(pages, 4, 1, ratio, writes) / len(pages))
    assert facts["least"] <= facts["exact"] <= facts["reached"]
    assert any("the least possible cost is" in note for note in result.notes)


def test_the_sum_that_is_shown_is_right():
    study = studies.find("policy_ranking")
    inputs = study.inputs()
    for line in study.explain(inputs, study.compute(inputs)):
        misses, written, ratio, thousands, cost = (
            float(number)
            for number in re.search(
                r"\((\d+) misses \+ (\d+) write-backs × ([\d.]+)\) / ([\d.]+) = ([\d.]+) page", line.replace(THIN, "")
            ).groups()
        )
        assert (misses + written * ratio) / thousands == pytest.approx(cost, rel=1e-3), line  # 4 digits of the ratio
