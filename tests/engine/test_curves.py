"""Whole LRU curves: equal to brute force at every size; samples and Che's formula near them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.golden_traces import trace_b
from pagecost.buffer import (
    References,
    Sampler,
    che_misses,
    curves,
    lru_curve,
    mean_block_run,
    replay,
    sampled_lru_curve,
)
from pagecost.errors import ModelError
from pagecost.workload import zipf_pages

references = st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=300)


@settings(deadline=None, max_examples=60)
@given(trace=references, share=st.floats(0, 0.9))
def test_the_curve_equals_a_replay_at_every_size(trace, share):
    pages, writes = (np.array(column) for column in zip(*trace, strict=True))
    warm_up = int(share * pages.size)
    curve = lru_curve(pages, writes, warm_up=warm_up)
    runs = [replay(pages, int(frames), "lru", writes, warm_up=warm_up) for frames in curve.frames]
    assert curve.misses.tolist() == [run.misses for run in runs]
    assert curve.write_backs.tolist() == [run.write_backs for run in runs]


@settings(deadline=None, max_examples=200)
@given(trace=references, share=st.floats(0, 0.9))
def test_two_halves_side_by_side_give_the_curve_of_one_pass(trace, share):
    made = References.of(*(np.array(column) for column in zip(*trace, strict=True)))
    warm_up = int(share * made.size)
    whole, parted = lru_curve(made, warm_up=warm_up), parted_curve(made, warm_up=warm_up)
    assert parted.misses.tolist() == whole.misses.tolist()
    assert parted.write_backs.tolist() == whole.write_backs.tolist()


def parted_curve(made, **settings):
    """In two threads, of however few references."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(curves, "PARTED", 1)
        patch.setattr(curves, "processors", lambda: 2)
        patch.setattr(curves, "CHUNK", 7)
        return lru_curve(made, **settings)


def test_two_halves_of_a_long_trace_give_the_curve_of_one_pass():
    """Where times run out in both halves, lines fill up and pages come that only one half knows."""
    random = np.random.default_rng(5)
    pages = np.append(zipf_pages(60_000, 5000, 0.8, seed=3), 3000 + zipf_pages(60_000, 5000, 0.8, seed=4))
    made = References.of(pages, random.random(pages.size) < 0.2)
    whole, parted = lru_curve(made), parted_curve(made)
    assert (parted.misses == whole.misses).all()
    assert (parted.write_backs == whole.write_backs).all()


def test_both_halves_end_when_the_curve_is_cancelled():
    made = References.of(zipf_pages(20_000, 500, seed=3))
    shares = []

    def cancel(done, total):
        shares.append(done / total)
        if len(shares) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parted_curve(made, progress=cancel)
    assert shares == sorted(shares)
    shares = [0.0] * 5
    parted_curve(made, progress=cancel)
    assert shares[-1] == 1.0


def test_the_curve_holds_where_the_times_run_out_many_times():
    pages, writes = trace_b()  # 20 000 references, some 4 000 times
    curve = lru_curve(pages, writes)
    for frames in (1, 2, 20, 50, 63, 64, 65, 128, 199, 200):
        run = replay(pages, frames, "lru", writes)
        assert (curve.misses[frames - 1], curve.write_backs[frames - 1]) == (run.misses, run.write_backs)


def test_misses_never_rise_with_the_size_and_end_at_one_for_each_page():
    pages, writes = trace_b()
    curve = lru_curve(pages, writes)
    assert (np.diff(curve.misses) <= 0).all()
    assert curve.misses[-1] == 200
    assert curve.write_backs[-1] == 0
    assert curve.at([10**6]).misses == 200


def test_a_sample_lies_within_its_error_bars_of_the_truth():
    pages = zipf_pages(400_000, 40_000, 0.8, seed=3)
    writes = np.random.default_rng(4).random(pages.size) < 0.3
    made = References.of(pages, writes)
    sizes = np.array([500, 2000, 8000, 20_000])
    exact, sampled = lru_curve(made).at(sizes), sampled_lru_curve(made, share=0.2).at(sizes)
    for name in ("misses", "write_backs"):
        off = np.abs(getattr(exact, name) - getattr(sampled, name))
        assert (off <= getattr(sampled, f"{name}_half_width") + 0.01 * pages.size).all(), name


@pytest.mark.parametrize("skew", [0.5, 0.8, 1.0])
def test_the_error_bars_of_a_sample_hold_from_its_first_size_on(skew):
    """At 95 % one interval in twenty may miss; of 60 draws (30 seeds, two sizes) at most 7 in 99 of 100 tests.

    Below the first size, where one sampled page stands for more than the buffer holds, nothing is said.
    """
    made = References.of(zipf_pages(200_000, 20_000, skew, seed=1))
    exact, outside = lru_curve(made), 0
    for seed in range(1, 31):
        sampled = sampled_lru_curve(made, share=0.05, seed=seed)
        assert 0.8 * 4 / 0.05 < sampled.frames[0] < 1.5 * 4 / 0.05
        sizes = sampled.frames[0] * np.array([1, 30])
        off = np.abs(sampled.at(sizes).misses - exact.at(sizes).misses)
        outside += int((off > sampled.at(sizes).misses_half_width).sum())
    assert outside <= 7
    with pytest.raises(ModelError, match=rf"begins at {sampled.frames[0]} frames: it says nothing of 30"):
        sampled.at([30])


@pytest.mark.parametrize("warm_up", [0, 30_000])
def test_a_sample_never_writes_back_more_than_was_written_or_missed(warm_up):
    """Of pages that are used as unevenly as these, one hot page in a sample made twice as many as there were writes."""
    pages = zipf_pages(60_000, 10_000, 1.2, seed=35)
    made = References.of(pages, np.random.default_rng(1).random(pages.size) < 0.3)
    written = made.writes[warm_up:].sum()
    exact, off = lru_curve(made, warm_up=warm_up), []
    for seed in range(1, 31):
        sampled = sampled_lru_curve(made, share=0.02, seed=seed, warm_up=warm_up)
        assert (sampled.write_backs <= written + (sampled.frames if warm_up else 0)).all()
        assert (sampled.write_backs <= sampled.misses).all()
        off.append(sampled.write_backs[0] / exact.at(sampled.frames[0]).write_backs[0] - 1)
    assert np.sqrt(np.mean(np.square(off))) < 0.6  # were 0.83 and 0.77 before


def test_a_sample_of_a_trace_in_pieces_is_the_sample_of_the_trace():
    """Only the number of distinct pages, which a stream does not know, scales them differently."""
    pages = zipf_pages(200_000, 20_000, 0.8, seed=3) * 7 - 3
    writes = np.random.default_rng(4).random(pages.size) < 0.3
    sampler = Sampler(0.2)
    for start in range(0, 50_000, 7000):
        sampler.add(pages[start : min(start + 7000, 50_000)], writes[start : min(start + 7000, 50_000)])
    sampler.end_warm_up()
    for start in range(50_000, pages.size, 9999):
        sampler.add(pages[start : start + 9999], writes[start : start + 9999])
    made = References.of(pages, writes)
    streamed, held = sampler.curve(made.distinct), sampled_lru_curve(made, share=0.2, warm_up=50_000)
    for name in ("frames", "misses", "write_backs", "misses_half_width", "write_backs_half_width"):
        assert np.array_equal(getattr(streamed, name), getattr(held, name)), name
    assert streamed.references == 150_000
    assert sampler.pages() == pytest.approx(made.distinct, rel=0.05)  # 4000 sampled pages: 1.6 % is one deviation
    blind = sampler.curve()
    assert blind.at([2000]).misses == pytest.approx(held.at([2000]).misses, rel=0.1)


@pytest.mark.parametrize("most", [1, 2, 5000])
def test_a_sample_of_everything_is_the_exact_curve_without_error_bars(most):
    pages = zipf_pages(100_000, 5000, 0.8, seed=3) % most
    writes = np.random.default_rng(4).random(pages.size) < 0.3
    exact, whole = lru_curve(pages, writes, warm_up=30_000), Sampler(1.0)
    whole.add(pages[:30_000], writes[:30_000])
    whole.end_warm_up()
    for start in range(30_000, 100_000, 9999):
        whole.add(pages[start : start + 9999], writes[start : start + 9999])
    for sampled in (sampled_lru_curve(References.of(pages, writes), share=1.0, warm_up=30_000), whole.curve()):
        for name in ("frames", "misses", "write_backs", "misses_half_width", "write_backs_half_width", "references"):
            assert np.array_equal(getattr(sampled, name), getattr(exact, name)), name


def test_no_curve_counts_a_warm_up():
    pages = zipf_pages(200_000, 5000, 0.8, seed=3)
    sizes = np.array([100, 1000, 6000])
    exact = lru_curve(pages, warm_up=150_000).at(sizes)
    assert che_misses(pages, sizes, warm_up=150_000) == pytest.approx(exact.misses, rel=0.03, abs=1)


def test_ches_approximation_lies_near_lru_on_independent_references():
    """docs/models/buffer.md#ches-formula has 6584 and 10 264 hits from the true probabilities."""
    pages, _ = trace_b()
    hits = pages.size - che_misses(pages, [20, 50])
    assert hits == pytest.approx([6568, 10209], rel=0.015)  # here the trace's own frequencies, which fit it closer


def test_what_a_curve_refuses_is_said_in_a_sentence():
    for wrong, sentence in [
        (lambda: lru_curve([]), "reference string is empty"),
        (lambda: lru_curve([1, 2], warm_up=2), r"\(0..1\); got 2"),
        (lambda: sampled_lru_curve([1, 2], share=0.0), "above 0 and at most 1; got 0"),
        (lambda: sampled_lru_curve([1, 2], share=1e-9), "is empty; a larger share"),
        (lambda: lru_curve([1, 2]).at([0]), "at least one frame; got 0"),
    ]:
        with pytest.raises(ModelError, match=sentence):
            wrong()


def test_the_cheapest_policy_changes_with_the_price_of_a_write():
    from pagecost.studies import find
    from pagecost.studies.buffer.policy_cost import cheapest

    study = find("policy_cost")
    result = study.compute(study.inputs())
    assert cheapest(result, 0.25) == "arc"
    assert cheapest(result) == "cflru"
    row = result.rows(policy="lru", chosen=True)[0]
    by_hand = result["misses"][row] + result["write_backs"][row] * 35_000 / 3300
    assert result["cost"][row] == pytest.approx(by_hand / 527_100)


def test_a_run_to_one_block_is_counted_by_its_length():
    assert mean_block_run([0, 1, 63, 64, 0], 64) == 5 / 3
    assert np.isnan(mean_block_run([], 64))
    with pytest.raises(ModelError, match="at least one page; got 0"):
        mean_block_run([1], 0)
