"""A disk with zones comes back from its measurements: large reads last longer inside, and differ by as much."""

import math
from dataclasses import replace

import numpy as np
import pytest

from pagecost.calibration import calibrate, gather, zones
from pagecost.calibration.disk import _seconds, _spreads
from pagecost.calibration.jobs import PLANS
from pagecost.devices import Measured, MeasuredPoint
from twins.zoned_reads import cylinders_and_rates, in_order_s, times_s

CAPACITY, READS, NOISE = 73.4e9, 200_000, 0.003
CHEETAH = {
    "overhead_s": 2e-4,
    "rotation_hz": 250.0,
    "track_to_track_seek_read_s": 0.2e-3,
    "average_seek_read_s": 3.5e-3,
    "full_stroke_seek_read_s": 7.4e-3,
    "outer_media_bytes_per_s": 125e6,
    "inner_media_bytes_per_s": 73e6,
}


def asked(job, iops=1.0, spread_s=math.nan) -> MeasuredPoint:
    """What fio would report of a job on the whole disk."""
    return MeasuredPoint(
        job=job.name,
        pattern="random read" if job.pattern == "randread" else "sequential read",
        block_bytes=job.block_bytes,
        iops=iops,
        bytes_per_s=iops * job.block_bytes,
        span_bytes=CAPACITY * job.span_share,
        start_bytes=CAPACITY * job.start_share,
        spread_s=spread_s,
    )


def reads_alone():
    return [job for job in PLANS["disk"].jobs if job.pattern in ("read", "randread") and job.depth == 1]


def drawn_s(job, values, random) -> np.ndarray:
    start, span = CAPACITY * job.start_share, CAPACITY * job.span_share
    return times_s(values, CAPACITY, job.block_bytes, start, span, READS, random)


@pytest.mark.parametrize("inner", [125e6, 73e6, 40e6])
def test_mean_and_spread_of_random_reads_are_those_of_drawn_reads(inner):
    """Within 0.5 %: so near is the drawing."""
    values, random = CHEETAH | {"inner_media_bytes_per_s": inner}, np.random.default_rng(1)
    jobs = [job for job in reads_alone() if job.pattern == "randread" and not job.held_out]
    jobs += [replace(jobs[0], block_bytes=1 << 20, span_share=1 / 4, start_share=3 / 4)]
    for job in jobs:
        each = gather([Measured("known", (asked(job),))]).all
        times = drawn_s(job, values, random)
        assert _seconds(values, CAPACITY, each)[0] == pytest.approx(times.mean(), rel=0.005)
        assert _spreads(values, CAPACITY, each)[0] == pytest.approx(times.std(), rel=0.005), job


@pytest.mark.parametrize("inner", [125e6, 73e6, 40e6])
def test_reads_in_order_pass_the_bytes_of_every_zone(inner):
    values = CHEETAH | {"inner_media_bytes_per_s": inner}
    for job in (job for job in reads_alone() if job.pattern == "read"):
        each = gather([Measured("known", (asked(job),))]).all
        start, span = CAPACITY * job.start_share, CAPACITY * job.span_share
        slow = in_order_s(values, CAPACITY, job.block_bytes, start, span)
        assert _seconds(values, CAPACITY, each)[0] == pytest.approx(slow, rel=1e-6)


@pytest.mark.parametrize("inner", [125e6, 73e6, 40e6])
def test_places_of_bytes_are_those_that_counting_finds(inner):
    values, places = CHEETAH | {"inner_media_bytes_per_s": inner}, np.linspace(0, 1, 257)
    found = zones.Zones(125e6, inner)
    at, rates = cylinders_and_rates(values, places)
    assert found.cylinders(places) == pytest.approx(at, abs=1e-8)
    assert found.rates(places) == pytest.approx(rates, rel=1e-8)


def test_a_job_that_ended_early_says_the_rate_of_what_it_came_past():
    """A minute in order from the beginning of a disk is read outside, whatever size the job was given."""
    job = next(job for job in reads_alone() if job.pattern == "read" and job.block_bytes == 1 << 20)
    short = replace(asked(job), reached_bytes=CAPACITY / 16)
    whole, part = (gather([Measured("known", (one,))]).all for one in (asked(job), short))
    assert _seconds(CHEETAH, CAPACITY, whole)[0] == pytest.approx(in_order_s(CHEETAH, CAPACITY, 1 << 20, 0, CAPACITY))
    slow = in_order_s(CHEETAH, CAPACITY, 1 << 20, 0, CAPACITY / 16)
    assert _seconds(CHEETAH, CAPACITY, part)[0] == pytest.approx(slow, rel=1e-6)


def found_on(values) -> object:
    """The fit to three runs of drawn reads, a rate 0.3 % from run to run."""
    random = np.random.default_rng(2)
    runs = []
    for _ in range(3):
        points = []
        for job in reads_alone():
            scale = math.exp(NOISE * random.standard_normal())
            if job.pattern == "randread":
                times = drawn_s(job, values, random)
                points.append(asked(job, scale / times.mean(), float(times.std())))
            else:
                start, span = CAPACITY * job.start_share, CAPACITY * job.span_share
                points.append(asked(job, scale / in_order_s(values, CAPACITY, job.block_bytes, start, span)))
        runs.append(Measured("drawn", tuple(points)))
    return calibrate(runs, kind="disk")


def test_a_disk_with_zones_keeps_its_seek_curve():
    made = found_on(CHEETAH)
    for found in made.found:
        assert found.is_determined, found.sentence
        assert found.value == pytest.approx(CHEETAH[found.unknown.name], rel=0.05)
    assert made.miss < 2 * NOISE
    held = [each for each in made.compared if each.observation.held_out]
    assert held
    assert all(each.within for each in held)
    assert not any("no seek curve" in note for note in made.notes)


def test_a_disk_without_a_seek_curve_says_what_that_means():
    """Reads over all of the disk only: the mean seek shows, its curve does not."""
    made = found_on(CHEETAH)
    whole = [each.points[0] for each in made.observations.all if each.span_bytes == CAPACITY]
    bare = calibrate([Measured("whole", tuple(whole)), Measured("whole", tuple(whole))], kind="disk")
    (told,) = [note for note in bare.notes if "no seek curve" in note]
    assert told.startswith("Without track_to_track_seek_read_s")
    assert "those over a part of it are really faster" in told
