"""What a trace is like: each count against a plain search, each law against a load that is made to obey it."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import studies
from pagecost.errors import ModelError
from pagecost.requests import Requests
from pagecost.studies.buffer.trace_insight import values
from pagecost.workload import LOADS, Insight, Zipf, zipf_pages
from pagecost.workload.insight import interval_limits


def requests(pages, writes=None) -> Requests:
    pages = np.asarray(pages, np.int64)
    op = np.zeros(pages.size, np.uint8) if writes is None else np.asarray(writes, np.uint8)
    ones = np.ones(pages.size, np.int32)
    return Requests(np.arange(pages.size) / 10, op, pages, ones, np.zeros(pages.size, np.int16), 4096)


def profile_of(pages, writes=None, pieces=3):
    insight, whole = Insight(), requests(pages, writes)
    for part in np.array_split(np.arange(whole.size), pieces):
        insight.add(whole.chosen(part))
    return insight.profile()


pages_and_writes = st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=80)


@given(pages_and_writes)
@settings(deadline=None)
def test_counts_are_those_of_a_plain_search(references):
    pages, writes = [page for page, _ in references], [write for _, write in references]
    profile = profile_of(pages, writes)
    assert profile.references == len(pages)
    assert profile.distinct == len(set(pages))
    assert profile.writes == sum(writes)
    assert sorted(profile.popularity()) == sorted(pages.count(page) for page in set(pages))
    last, intervals = {}, []
    for now, page in enumerate(pages):
        intervals += [now - last[page]] if page in last else []
        last[page] = now
    assert profile.intervals.sum() == len(intervals)
    assert profile.interval_sum.sum() == sum(intervals)
    runs = "".join("+" if b == a + 1 else "|" for a, b in itertools.pairwise(pages)).split("|")
    assert profile.runs.sum() == len(runs)
    assert profile.run_pages.sum() == len(pages)
    both = {page for page, write in references if write} & {page for page, write in references if not write}
    assert profile.page_kinds()["read and written"] == len(both)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5), st.integers(0, 2)), min_size=1, max_size=40))
@settings(deadline=None)
def test_the_sequential_share_is_counted_by_request(asked):
    """A request of many pages at a random place is one random request, however many pages it has."""
    page, pages, op = map(np.array, zip(*asked, strict=True))
    whole = Requests(np.zeros(page.size), op, page, pages, np.zeros(page.size, np.int16), 4096)
    insight = Insight()
    for part in np.array_split(np.arange(page.size), 3):
        insight.add(whole.chosen(part))
    moved = [(first, count) for first, count, kind in asked if kind < 2]
    behind = sum(first == before + count for (before, count), (first, _) in itertools.pairwise(moved))
    assert insight.sequential == behind
    if moved:
        assert insight.profile().sequential_share == behind / len(moved)


def test_large_requests_at_random_places_are_not_sequential():
    """0.57 by page, of which most lie within a request; 0.002 by request."""
    random = np.random.default_rng(7)
    page, pages = random.integers(0, 1000, 20_000) * 2, np.full(20_000, 2, np.int32)
    insight = Insight()
    insight.add(Requests(np.zeros(20_000), np.zeros(20_000, np.uint8), page, pages, np.zeros(20_000, np.int16), 4096))
    profile = insight.profile()
    assert profile.sequential_share < 0.003
    assert 1 - profile.runs.sum() / profile.references > 0.5


@given(pages_and_writes)
@settings(deadline=None)
def test_the_footprint_is_the_mean_over_all_windows(references):
    """The law of Xiang et al. 2013, against counting each window. Exact at the limits of the interval buckets."""
    pages = [page for page, _ in references]
    profile = profile_of(pages)
    for window in [limit for limit in interval_limits().tolist() if 1 <= limit <= len(pages)]:
        counted = np.mean([len(set(pages[k : k + window])) for k in range(len(pages) - window + 1)])
        assert profile.footprint([window])[0] == pytest.approx(counted)


def test_the_footprint_between_two_limits_is_close():
    """Between limits, at most an eighth apart, the curve is concave and a chord of it lies just below."""
    pages = zipf_pages(400, 100, seed=2)
    profile = profile_of(pages)
    for window in range(1, 401):
        counted = np.mean([len(set(pages[k : k + window].tolist())) for k in range(400 - window + 1)])
        assert profile.footprint([window])[0] == pytest.approx(counted, rel=0.01)


def test_a_window_larger_than_the_trace_is_refused():
    with pytest.raises(ModelError, match=r"a window holds 1 to 3 references; got 4\.\.4"):
        profile_of([1, 2, 3]).footprint([4])
    with pytest.raises(ModelError, match="no page reference"):
        Insight().profile()


@pytest.mark.parametrize("alpha", [0.0, 0.5, 0.8, 1.0, 1.3])
def test_the_exponent_of_a_zipf_load_is_found(alpha):
    """200 draws a page: a standard error below 0.005. Of equal pages the ranks see only the noise, 1 / √200 = 7 %."""
    fit = profile_of(zipf_pages(400_000, 2000, alpha, seed=5)).zipf()
    assert fit.alpha == pytest.approx(alpha, abs=0.07 if alpha == 0 else 0.02)
    assert fit.distance < 0.03


def test_a_load_that_is_no_zipf_load_fits_badly():
    assert profile_of(LOADS["hot-cold"].requests().page).zipf().distance > 0.1


def test_growth_is_exact_at_every_point_however_often_points_are_thinned():
    pages = zipf_pages(30_000, 5000, 0.7, seed=3)
    growth = profile_of(pages, pages % 3 == 0, pieces=11).growth
    assert 256 <= growth.shape[1] <= 512
    for references, distinct, writes in growth.T[::40].tolist():
        assert distinct == len(set(pages[:references].tolist()))
        assert writes == (pages[:references] % 3 == 0).sum()


def test_a_sequential_loop_has_one_interval_and_one_run():
    result = answer(trace="loop")
    found = values(result)
    assert found["median_interval"] == 20_000
    assert found["sequential_share"] == pytest.approx(1 - 25 / 500_000)
    runs = result.tables["run"]
    assert runs["pages_in_a_row"][-1] == "16384 to 32767"
    assert runs["share"][-1] == 1.0


def answer(progress=studies.no_progress, **values):
    study = studies.find("trace_insight")
    return study.compute(study.inputs(values), progress)


def test_the_views_agree_with_each_other():
    result = answer(trace="postgresql-order-entry")
    found, tables = values(result), result.tables
    assert result["references"][-1] == found["references"] == 345_084
    assert result["distinct_pages"][-1] == found["distinct_pages"] == 5776
    assert found["footprint_bytes"] == 5776 * 8192
    assert tables["window"]["pages"][-1] <= found["distinct_pages"]
    assert tables["rank"]["share"][-1] == pytest.approx(1)
    first_references = found["distinct_pages"] / found["references"]
    assert tables["interval"]["share"][-1] == pytest.approx(1 - first_references)
    assert tables["run"]["share"].sum() == pytest.approx(1)
    assert tables["kind"]["count"][:3].sum() == found["distinct_pages"]


def test_a_file_of_ones_own_is_read_piece_by_piece_and_what_was_not_understood_is_said(tmp_path):
    path = tmp_path / "own.txt"
    pages = Zipf(pages=300).requests(400_000).page
    path.write_text("banana\n" + "".join(f"{page} w\n" for page in pages.tolist()) * 4)
    shares, sizes = [], []

    def progress(share, growing):
        shares.append(share)
        sizes.extend([] if growing is None else [values(growing())["references"]])

    result = answer(progress, trace=str(path))
    assert values(result)["references"] == 1_600_000
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert sizes
    assert sizes == sorted(sizes)
    assert any("1 line was not understood" in note and "'banana'" in note for note in result.notes)

    def cancel(share, partial):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        answer(cancel, trace=str(path))


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"trace": "nonsense"}, "unknown trace 'nonsense'; known: .*, or the path of a trace file"),
        ({"trace": "/nowhere/a.csv"}, "there is no such file"),
        ({"trace": "/"}, "this is a folder"),
        ({"trace_format": "dvd"}, "unknown trace format 'dvd'"),
        ({"page_bytes": 1000}, "multiple of 512"),
    ],
)
def test_a_trace_that_cannot_be_looked_at_is_refused_in_a_sentence(values, sentence):
    with pytest.raises(ModelError, match=sentence):
        studies.find("trace_insight").inputs(values)


def test_a_trace_of_trims_only_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("1 t\n")
    with pytest.raises(ModelError, match="no page reference"):
        answer(trace=str(path))


def test_a_page_referenced_once_is_a_trace_too(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("1 r\n")
    study = studies.find("trace_insight")
    inputs = study.inputs({"trace": str(path)})
    result = study.compute(inputs)
    assert study.explain(inputs, result)
    assert len(result.tables["interval"]) == 0
    assert values(result)["references"] == 1


@pytest.mark.parametrize("pages", [[7], [1, 2], list(range(5000)), list(range(3000)) * 3])
def test_pages_that_are_asked_for_alike_follow_no_zipf_law_but_that_of_exponent_zero(pages):
    insight = Insight()
    insight.add(requests(pages))
    fit = insight.profile().zipf()
    assert fit.alpha == 0
    assert fit.distance < 1e-12
