"""A run of an SSD that calls itself steady is: caches turned over, collection at its pace, the rate in its interval."""

import dataclasses
import functools
from dataclasses import replace

import numpy as np
import pytest

from helpers.chips import SMALL_CHIP
from pagecost import catalogue
from pagecost.answers.ssd_runs import Load, measured, prepared, requests_of, ssd_of
from pagecost.devices.ftl import theory as ftl_theory
from pagecost.devices.ssd import Session, Ssd, half_widths, run_until_steady, theory
from pagecost.errors import ModelError
from pagecost.intervals import mean_and_half_width
from pagecost.remembering import held_bytes

CHIP = replace(SMALL_CHIP, pages_per_block=64)
CACHED = 4096  # units


def small(**changes) -> Ssd:
    fields = {"name": "small", "chip": CHIP, "channels": 2, "dies_per_channel": 2, "blocks": 64, "spare": 0.3}
    return Ssd(**{**fields, "channel_bytes_per_s": 40e6, **changes})


@functools.cache
def p3700() -> Ssd:
    return ssd_of(catalogue.device("intel-dc-p3700-800gb"))


@pytest.mark.parametrize("cached", [64, CACHED, 4 * CACHED])
def test_a_write_cache_does_not_make_a_steady_rate_faster_than_the_flash_however_large_it_is(cached):
    """Most or all of 20 000 requests would fit into it; the rate is that of dies which all program all the time."""
    ssd = small(write_cache_bytes=cached * 4096, channel_bytes_per_s=np.inf)
    found = measured(ssd, Load(depth=32))
    assert found.steady
    most = ssd.dies / theory.write_s(ssd, found.write_amplification)
    assert found.iops == pytest.approx(most, rel=0.1 if cached == 64 else 0.02)
    assert found.iops < most * (1 + found.half_width)


def test_a_run_that_a_write_cache_swallows_says_so():
    """The cap ends it too early: it does not pass for steady."""
    ssd = small(write_cache_bytes=64 * CACHED * 4096)
    session = Session(ssd, 32)
    session.precondition()
    made = run_until_steady(session, requests_of(ssd, Load(depth=32)), most=20_000)
    assert not made.steady
    assert "Not steady: ± " in made.sentence()
    assert "the write cache swallowed" in made.sentence()


def test_a_run_that_is_cut_short_says_how_well_its_rate_is_known():
    ssd = small()
    session = Session(ssd, 1)
    session.precondition()
    made = run_until_steady(session, requests_of(ssd, Load(read_share=0.5)), within=0.001, most=1000)
    assert not made.steady
    assert made.half_width > 0.001
    assert "0.1% was wanted" in made.sentence()


def test_intervals_of_quantiles_hold_the_quantile_as_often_as_they_say():
    """300 times ten batches of exponential times: -ln(1 - p) lies in 95 % of the intervals."""
    exact = {"mean": 1.0, "p50": np.log(2), "p95": np.log(20), "p99": np.log(100)}
    random, inside = np.random.default_rng(5), dict.fromkeys(exact, 0)
    for _ in range(300):
        batches = random.exponential(1.0, (10, 5000))
        found = half_widths(batches)
        values = {"mean": batches.mean(axis=1).mean()}
        values |= {
            name: np.quantile(batches, share, axis=1, method="inverted_cdf").mean()
            for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
        }
        for name, value in values.items():
            inside[name] += abs(value - exact[name]) <= found[name] * value
    assert all(0.91 * 300 <= count <= 0.985 * 300 for count in inside.values()), inside


@pytest.mark.parametrize("wanted", [0.2, 0.03])
def test_a_run_is_as_long_as_the_interval_of_its_quantiles_needs(wanted):
    """Reads that find a collection before them have a long tail: they need more than the rate."""
    found = measured(small(), Load(read_share=0.5, depth=4, quantiles_within=wanted))
    plain = measured(small(), Load(read_share=0.5, depth=4))
    assert found.steady
    assert found.half_widths.keys() == {False, True}
    assert all(width <= wanted for of in found.half_widths.values() for width in of.values())
    assert (found.requests > plain.requests) == (wanted == 0.03)
    assert plain.half_widths == {}


def test_a_quantile_that_is_not_known_as_well_as_wanted_is_named():
    session = Session(small(), 4)
    session.precondition()
    draw = requests_of(session.ssd, Load(read_share=0.5, depth=4))
    made = run_until_steady(session, draw, within=0.5, most=4000, quantiles_within=1e-6)
    assert not made.steady
    assert "p99 of the writes is known to ± " in made.sentence()


def test_an_unsteady_flash_is_not_called_steady():
    session = Session(small())
    session.precondition()
    session.steadiness = dataclasses.replace(session.steadiness, spread=0.5)
    made = run_until_steady(session, requests_of(session.ssd, Load()), most=40_000)
    assert "the flash was not before the run" in made.sentence()


def test_half_reads_on_a_cached_drive_are_as_fast_as_a_run_of_a_million_requests():
    """The P3700, 32 outstanding: 162 841 requests/s and a median of 174 µs after a million requests (the golden run).

    With 20 000 requests its cache of 16 MiB had swallowed the writes: 230 154 and 21.7 µs, faster than 70 % reads.
    """
    rates = {share: measured(p3700(), Load(depth=32, read_share=share)) for share in (1.0, 0.7, 0.5, 0.0)}
    assert all(found.steady for found in rates.values())
    half = rates[0.5]
    assert half.iops == pytest.approx(162_841, rel=0.02 + half.half_width)
    assert half.latencies_s[None]["p50"] == pytest.approx(174e-6, rel=0.05)
    assert rates[1.0].iops > rates[0.7].iops > half.iops > rates[0.0].iops
    # reads and writes are served side by side: a little above one after the other, but far from 1.46 times
    harmonic = theory.mixed_rate(rates[1.0].iops, rates[0.0].iops, 0.5)
    assert 1 < half.iops / harmonic < 1.2


@pytest.mark.parametrize("read_share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("depth", [1, 32])
def test_rate_and_mean_response_of_a_steady_run_are_tied_by_littles_law(read_share, depth):
    """1 %: those outstanding at the ends of the measured part."""
    found = measured(small(write_cache_bytes=1 << 20), Load(depth=depth, read_share=read_share))
    assert found.iops * found.latencies_s[None]["mean"] == pytest.approx(depth, rel=0.01)


def test_the_interval_of_a_steady_run_covers_a_run_thirty_times_as_long():
    """Of 95 % intervals of 12 seeds at most 2 may miss (probability of more: 2 %)."""
    ssd = small()
    session = prepared(ssd, "steady", "random", 4096, 1.0, 1).on_a_copy(8)
    golden = session.serve(*requests_of(ssd, Load(depth=8, seed=99))(1_000_000)).iops
    found = [measured(ssd, Load(depth=8, seed=seed)) for seed in range(1, 13)]
    assert sum(abs(one.iops - golden) > one.half_width * one.iops for one in found) <= 2


def test_the_wider_the_interval_the_fewer_requests_are_served():
    found = [measured(small(), Load(depth=8, read_share=0.9, within=within)) for within in (0.05, 0.02, 0.01)]
    assert all(one.steady for one in found)
    assert all(one.half_width <= within for one, within in zip(found, (0.05, 0.02, 0.01), strict=True))
    assert found[0].requests <= found[1].requests < found[2].requests


@pytest.mark.parametrize(
    ("changes", "expected"), [({}, 1.0), ({"paced": True}, 1.0)], ids=["at once", "little by little"]
)
def test_the_write_amplification_of_a_steady_run_is_that_of_theory(changes, expected):
    ssd = small(**changes)
    for read_share in (0.0, 0.9):
        found = measured(ssd, Load(read_share=read_share))
        assert found.write_amplification / ftl_theory.greedy_finite(ssd.geometry) == pytest.approx(expected, rel=0.03)


def test_requests_that_fall_on_a_tenth_of_the_device_are_measured_on_flash_that_is_used_to_them():
    """300 000 writes more, thirty times the tenth, change neither the rate nor what is copied; 3 %: two intervals."""
    ssd, load = small(), Load(span_share=0.1)
    found = measured(ssd, load)
    assert found.steady
    later = prepared(ssd, "steady", "random", 4096, 0.1, 1).on_a_copy(1)
    draw = requests_of(ssd, load)
    later.serve(*draw(300_000))
    run = later.serve(*draw(50_000))
    assert run.iops == pytest.approx(found.iops, rel=0.03)
    assert run.write_amplification == pytest.approx(found.write_amplification, rel=0.03)


def test_a_fresh_device_is_measured_before_it_collects_and_is_not_called_steady():
    found = measured(small(), Load(state="fresh"))
    assert found.write_amplification == 1
    assert not found.steady
    assert found.sentence.startswith("Fresh: ± ")


def test_a_fresh_device_that_has_no_room_for_an_interval_says_so():
    found = measured(small(), Load(state="fresh", depth=256, request_bytes=65_536))
    assert found.iops > 0
    assert np.isnan(found.half_width)
    assert "too few for an interval" in found.sentence


def test_a_prepared_device_counts_its_dies_among_what_is_remembered():
    ssd = small()
    assert held_bytes(prepared(ssd, "steady", "random", 4096, 1.0, 1)) > 4 * ssd.geometry.physical_pages * ssd.dies


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (lambda: Load(read_share=1.5), r"the share of reads must be in 0\.\.1; got 1.5"),
        (lambda: Load(span_share=0), "at most 1 device; got 0"),
        (lambda: Load(state="old"), "unknown state of an SSD 'old'"),
        (lambda: Load(pattern="zigzag"), "unknown pattern 'zigzag'"),
        (lambda: measured(small(), Load(within=0)), "a share between 0 and 1; got 0"),
        (
            lambda: run_until_steady(Session(small()), np.zeros, most=10),
            "with 1 outstanding needs at least 40 requests; got 10",
        ),
    ],
)
def test_a_load_that_makes_no_sense_is_refused_in_a_sentence(made, sentence):
    with pytest.raises(ModelError, match=sentence):
        made()


def test_values_that_differ_by_rounding_only_have_no_interval_and_others_have_students():
    rates = np.array([19_800.0, 19_800.000000000004, 19_800.0])
    assert mean_and_half_width(rates) == (19_800.0, 0.0)
    mean, half_width = mean_and_half_width([1.0, 2.0, 3.0])
    assert (mean, half_width) == pytest.approx((2.0, 4.303 / 3**0.5))
