"""Measures of the papers of 2019 to 2026: what a plateau says of spare space, kept-apart sets, the best split of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost.claims import today_measures as measures
from pagecost.devices.ftl import theory
from pagecost.errors import ModelError


@given(share=st.floats(0.02, 1.0), spare=st.floats(0.03, 0.6))
def test_a_plateau_gives_back_the_spare_space_that_it_came_from(share, spare):
    plateau = theory.fifo(share / (share + spare))
    if plateau > 1 + 1e-9:  # with very much spare space nothing is copied, which tells nothing
        assert measures.implied_over_provisioning(share, plateau) == pytest.approx(spare, rel=1e-4)


def test_a_plateau_without_copies_is_refused():
    with pytest.raises(ModelError, match="only an amplification above 1"):
        measures.implied_over_provisioning(1.0, 1.0)


def test_sets_that_take_the_whole_device_are_uniform_writes_to_it():
    whole = measures.set_cache_amplification(1.0, 0.15)
    assert whole == pytest.approx(theory.greedy(1 / 1.15, 256), rel=0.01)
    assert measures.set_cache_amplification(0.3, 0.15, pooled=True) == pytest.approx(whole, rel=1e-6)
    assert measures.set_cache_amplification(0.3, 0.15) < whole


@pytest.mark.parametrize("hot_writes", [0.6, 0.8, 0.95])
def test_no_split_between_two_zones_is_better_than_the_best(hot_writes):
    """Every split is tried, with the formula that takes Lambert's W."""
    pages, writes, fill = np.array([1 - hot_writes, hot_writes]), np.array([hot_writes, 1 - hot_writes]), 0.875
    spare = 1 / fill - 1
    tried = [
        sum(r * theory.fifo(f / (f + part * spare)) for r, f, part in zip(writes, pages, (x, 1 - x), strict=True))
        for x in np.linspace(0.001, 0.999, 999)
    ]
    assert measures.separated_optimum(fill, hot_writes) == pytest.approx(min(tried), rel=1e-4)


def test_pages_of_one_popularity_gain_nothing_by_being_kept_apart():
    even = measures.separated_optimum(0.8, alpha=0.0, pages=10_000)
    assert even == pytest.approx(theory.fifo(0.8), rel=1e-6)
    assert even == pytest.approx(measures.separated_optimum(0.8, alpha=0.0, pages=10_000, mixed=True), rel=1e-6)


def test_more_classes_of_popularity_change_little(monkeypatch):
    few = measures.separated_optimum(0.875, alpha=0.9, pages=100_000)
    monkeypatch.setattr(measures, "ZIPF_CLASSES", 200)
    many = measures.separated_optimum(0.875, alpha=0.9, pages=100_001)
    assert 0 <= few - many < 0.02


def test_a_full_device_gives_back_its_own_plateau_and_a_half_full_one_copies_less():
    full = measures.partly_filled_amplification(100.0, 100.0, 3.0, overhead=1.05)
    assert full == pytest.approx(3.0, rel=0.015)  # the simulated blocks have 256 pages, the plateau's have many
    assert 1.05 <= measures.partly_filled_amplification(50.0, 100.0, 3.0, overhead=1.05) < full / 2
