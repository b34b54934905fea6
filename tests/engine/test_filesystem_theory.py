"""What cleaning costs, against the closed forms that also hold for a flash translation layer."""

import numpy as np
import pytest

from pagecost.devices.ftl import theory
from pagecost.filesystem import OutOfPlace, driving_kernels
from pagecost.filesystem import state_kernels as kernels
from pagecost.filesystem.driving import run

SEGMENTS, SEGMENT_BLOCKS = 240, 64


def overwritten(selection, share, pages_of, writes=150_000, **rest):
    """(volume, its load) after random overwrites in which the first half warms up."""
    layout = OutOfPlace(segment_bytes=SEGMENT_BLOCKS * 4096, selection=selection, min_clean=0, max_clean=0, **rest)
    pages = round(share * SEGMENTS * SEGMENT_BLOCKS)
    fs = layout.state(SEGMENTS * SEGMENT_BLOCKS, pages, 4096)
    random = np.random.default_rng(5)
    for measured in (False, True):
        fs.blocks[:] = 0
        fs.at[[kernels.CLEANED, kernels.CLEANED_LIVE]] = 0
        run(fs, np.full(writes, driving_kernels.WRITE), pages_of(random, pages, writes))
        assert measured or fs.at[kernels.CLEANED] > SEGMENTS  # every segment was cleaned once before
    reserve = fs.setting[kernels.RESERVE] + 0.5  # what is kept clean, and half of the open one
    return fs, pages / ((SEGMENTS - reserve) * SEGMENT_BLOCKS)


def uniform(random, pages, writes):
    return random.integers(0, pages, writes)


def hot_cold(random, pages, writes):
    hot = pages // 10
    return np.where(random.random(writes) < 0.9, random.integers(0, hot, writes), random.integers(hot, pages, writes))


def write_cost(fs):
    new, copied = fs.blocks[kernels.WRITE, [kernels.DATA, kernels.CLEANING_WRITE]]
    return (new + copied) / new


@pytest.mark.parametrize("share", [0.6, 0.8])
@pytest.mark.parametrize("selection", ["timestamp", "greedy"])
def test_uniform_overwrites_cost_what_theory_says(selection, share):
    """3 %: 240 segments are not infinitely many, and one segment is written per flush."""
    fs, rho = overwritten(selection, share, uniform)
    expected = theory.fifo(rho) if selection == "timestamp" else theory.greedy(rho, SEGMENT_BLOCKS)
    assert write_cost(fs) == pytest.approx(expected, rel=0.03)


def test_hot_and_cold_pages_in_one_log_cost_what_the_mixed_theory_says_and_apart_they_cost_less():
    """Rosenblum and Ousterhout 1992, section 3.5: at 75 % the cleaner by costs and benefits beats the greedy one."""
    fs, rho = overwritten("timestamp", 0.75, hot_cold)
    assert write_cost(fs) == pytest.approx(theory.fifo_mixed(rho, (0.1, 0.9), (0.9, 0.1)), rel=0.03)
    greedy, _ = overwritten("greedy", 0.75, hot_cold)
    apart, _ = overwritten("cost-benefit", 0.75, hot_cold, streams=2)
    assert theory.separated(rho, (0.1, 0.9), (0.9, 0.1)) < write_cost(apart) < 0.75 * write_cost(greedy)
    assert write_cost(greedy) < write_cost(fs)


@pytest.mark.parametrize(("selection", "whole"), [("greedy", True), ("timestamp", True), ("timestamp", False)])
def test_cleaning_at_utilisation_u_costs_two_over_one_minus_u_with_its_reads(selection, whole):
    """Rosenblum and Ousterhout 1992, section 3.4; who reads only what lives pays (1 + u) / (1 - u)."""
    fs, _ = overwritten(selection, 0.7, uniform, read_whole_segments=whole)
    u = fs.at[kernels.CLEANED_LIVE] / (fs.at[kernels.CLEANED] * SEGMENT_BLOCKS)
    new = fs.blocks[kernels.WRITE, kernels.DATA]
    moved = fs.blocks[:, [kernels.DATA, kernels.CLEANING_READ, kernels.CLEANING_WRITE]].sum()
    assert moved / new == pytest.approx((2 if whole else 1 + u) / (1 - u), rel=0.005)
    assert write_cost(fs) == pytest.approx(1 / (1 - u), rel=0.005)


def test_cost_benefit_parts_hot_segments_from_cold_ones():
    """The bimodal distribution of section 3.5: cold segments stay nearly full, greedy ones gather in the middle."""

    def shares(selection, **rest):
        fs, _ = overwritten(selection, 0.75, hot_cold, **rest)
        used = fs.segment[kernels.STATE] == kernels.SEGMENT_USED
        return fs.segment[kernels.LIVE, used] / SEGMENT_BLOCKS

    parted, mixed = shares("cost-benefit", streams=2), shares("greedy")
    assert np.mean(parted > 0.9) > np.mean(mixed > 0.9) + 0.15
    assert parted.std() > 1.5 * mixed.std()
