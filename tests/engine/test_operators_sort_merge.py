"""Sort-merge join: a table that memory holds until the join is read once, and nothing of it is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost.answers import join_runs
from pagecost.answers.join_runs import Load
from pagecost.operators import sorting


@pytest.mark.parametrize(
    ("memory", "read", "written"),
    [
        (100, 10 + 20, 0),  # both are sorted in memory
        (30, 10 + 20, 0),
        (29, 10 + 10 + 20, 10),  # S stays, 20 pages beside one run of R and the result
        (22, 10 + 10 + 20, 10),
        (21, 20 + 20 + 10, 20),  # R stays beside two runs of S and the result
        (13, 20 + 20 + 10, 20),
        (12, 2 * (10 + 20), 10 + 20),
    ],
)
def test_a_sort_merge_join_reads_what_memory_holds_once_and_writes_none_of_it(memory, read, written):
    plan = sorting.sort_merge_join(10, 20, memory)
    assert (plan.pages_read, plan.pages_written) == (read, written)
    swapped = sorting.sort_merge_join(20, 10, memory)
    assert (swapped.pages_read, swapped.pages_written) == (read, written)
    if memory >= 30:  # as two sorts whose results are handed on
        sorts = [sorting.external_sort(pages, memory, last_written=False) for pages in (10, 20)]
        assert (plan.pages_read, plan.pages_written) == (sum(s.pages_read for s in sorts), 0)


@pytest.mark.parametrize("cluster", [1, 2, 5])
@pytest.mark.parametrize("memory", [21, 27, 30, 40, 70, 77, 79, 85, 98, 100, 200])
def test_a_sort_merge_join_at_work_asks_for_what_its_plan_says_whatever_stays_in_memory(memory, cluster):
    """R has 25 pages, S 75."""
    load = Load(400, 1200, 64, 1024, share=1.0, memory_pages=memory, cluster_pages=cluster)
    ran = join_runs.ran("sort-merge join", load)
    assert ran.right
    assert ran.found[:2] == pytest.approx((ran.plan.pages_read, ran.plan.pages_written), rel=1e-12)
    assert ran.requests == pytest.approx(ran.plan.runs)


@given(st.integers(1, 60), st.integers(1, 60), st.integers(3, 130), st.integers(1, 5))
def test_what_a_sort_merge_join_keeps_leaves_room_for_all_that_it_reads_beside_it(outer, inner, memory, cluster):
    kept = sorting.kept_in_memory(outer, inner, memory, cluster)
    used = sum(pages for pages, stays in zip((outer, inner), kept, strict=True) if stays)
    assert used <= memory
    if sum(kept) == 1:
        runs = -(-(inner if kept[0] else outer) // memory)
        assert used + (runs + 1) * cluster <= memory
    assert all(kept) == (outer + inner <= memory)
