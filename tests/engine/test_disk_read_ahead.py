"""The read-ahead buffer. docs/models/disk.md#read-ahead: its laws, and that without hits it changes nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import catalogue
from pagecost.devices.disk import BufferedSession, Disk, Session
from pagecost.errors import ModelError

DISK = Disk.of(catalogue.device("wd400bb"))
MS = 1e-3


def rate(session, lbn, sectors, think_s=0.0) -> float:
    """Bytes per second of one reader that asks again `think_s` after each answer."""
    finished_s = []
    for first in lbn:
        session.serve([first], sectors, None, None if session.closed else [session.now_s + think_s])
        finished_s.append(session.now_s)
    return sectors * 512 * (len(lbn) - 1) / (finished_s[-1] - finished_s[0])


@pytest.mark.parametrize("sectors", [8, 32, 128])
def test_a_sequential_reader_gets_the_media_rate_whatever_the_request_size(sectors):
    """Requests smaller than overhead × rate are bound by the overhead of each."""
    lbn = sectors * np.arange(40_000 // sectors)
    media = catalogue.device("wd400bb").value("outer_media_bytes_per_s")
    with_ahead, without = BufferedSession(DISK), Session(DISK)
    fast = rate(with_ahead, lbn, sectors)
    bound = sectors * 512 / (DISK.overhead_s + sectors * 512 / 100e6)
    assert fast == pytest.approx(min(media, bound), rel=0.06)
    assert fast > 4 * rate(without, lbn, sectors)


def test_a_pause_shorter_than_the_time_of_a_track_costs_nothing():
    sectors, lbn = 64, 64 * np.arange(1500)
    hasty = rate(BufferedSession(DISK, closed=False), lbn, sectors, 0.0)
    slow = rate(BufferedSession(DISK, closed=False), lbn, sectors, 0.2 * MS)
    assert slow == pytest.approx(hasty, rel=0.02)
    lazy = rate(BufferedSession(DISK, closed=False), lbn, sectors, 5 * MS)
    assert lazy == pytest.approx(sectors * 512 / (5 * MS + DISK.overhead_s + sectors * 512 / 100e6), rel=0.02)


def test_without_read_ahead_a_pause_costs_a_turn():
    """Rate s / T, with the transfer itself on top of the turn."""
    slow = rate(Session(DISK, closed=False), 64 * np.arange(200), 64, 1 * MS)
    transfer = 64 / DISK.geometry.zones[0].track_sectors * DISK.turn_s
    assert slow == pytest.approx(64 * 512 / (DISK.turn_s + transfer), rel=0.03)


def test_two_interleaved_readers_with_pauses_need_two_segments():
    """Reads that leave the head time to fill a segment: with one segment each reader throws the other's data away."""
    first, second = 8 * np.arange(400), 40_000_000 + 8 * np.arange(400)
    lbn = np.stack([first, second], axis=1).ravel()
    arrival = 60 * MS * np.arange(lbn.size)
    hits = {}
    for segments in (1, 2):
        session = BufferedSession(DISK, closed=False, segments=segments, segment_bytes=1 << 18)
        session.serve(lbn, 8, None, arrival)
        hits[segments] = session.hits
    assert hits[1] == 0
    assert hits[2] > 0.9 * lbn.size


@pytest.mark.parametrize("pause_s", [0.0, 0.1, 5.05, 1000.0])
def test_a_pause_gives_no_more_than_what_a_segment_holds(pause_s):
    """The head stops where the segment is full: what comes later was read at the media's rate since the pause."""
    sectors, count, segment_bytes = 256, 300, 1 << 18
    buffer = {"segments": 4, "segment_bytes": segment_bytes, "interface_bytes_per_s": 1e9}
    session = BufferedSession(DISK, closed=False, **buffer)
    session.serve(sectors * np.arange(count), sectors, None, np.r_[0.0, np.full(count - 1, pause_s)])
    media_bytes_per_s = DISK.geometry.zones[0].track_sectors * 512 / DISK.turn_s
    read_s = session.now_s - pause_s
    assert read_s >= (sectors * 512 * (count - 1) - segment_bytes) / media_bytes_per_s
    assert read_s <= 1.5 * sectors * 512 * count / media_bytes_per_s, "and the ends of tracks"


def test_a_head_that_stood_still_waits_for_its_sector_to_come_round():
    """A segment of 64 sectors is full and asked for at another angle each time; who wants the next 64 waits."""
    session = BufferedSession(DISK, closed=False, segments=1, segment_bytes=64 * 512, interface_bytes_per_s=1e9)
    session.serve([0], 8, None, [0.0])
    a_track, shares, waits_s = DISK.geometry.zones[0].track_sectors, (0.1, 0.35, 0.6, 0.85), []
    for number, share in enumerate(shares):
        hit_s = (np.floor(session.now_s / DISK.turn_s) + 20 + share) * DISK.turn_s
        session.serve([8 + 128 * number], 64, None, [hit_s])
        session.serve([72 + 128 * number], 64, None, [session.now_s])
        waits_s.append(session.now_s - hit_s - DISK.overhead_s)
    assert min(waits_s) >= 64 * DISK.turn_s / a_track, "they are read after the hit"
    assert max(waits_s) <= (1 + 64 / a_track) * DISK.turn_s
    later = np.array(waits_s) / DISK.turn_s + shares - 128 / a_track * np.arange(4)  # the angle at which they end
    assert (later - later[0] + 0.5) % 1 == pytest.approx(0.5, abs=1e-6)


def test_random_reads_hit_nothing_and_cost_about_the_same():
    """The head has read on a little when it is called away, so single waits differ; the means agree."""
    lbn = np.random.default_rng(1).integers(0, DISK.geometry.sectors // 8, 20_000) * 8
    buffered, plain = BufferedSession(DISK), Session(DISK)
    with_ahead, without = buffered.serve(lbn, 8), plain.serve(lbn, 8)
    assert buffered.hits <= 2
    assert with_ahead.throughput == pytest.approx(without.throughput, rel=0.01)


def test_what_was_written_is_not_read_from_the_buffer():
    session = BufferedSession(DISK)
    session.serve([0], 8)
    session.serve([0], 8)
    assert session.hits == 1
    session.serve([4], 8, [1])
    session.serve([0], 8)
    assert session.hits == 1


def test_a_segment_that_holds_only_the_beginning_does_not_hide_one_that_holds_the_request():
    """Two segments end and begin amid the same sectors; the head was called away from both."""
    session = BufferedSession(DISK, closed=False, segments=4, segment_bytes=200 * 512, interface_bytes_per_s=1e9)
    session.serve([0], 8, None, [0.0])  # reads on to 207
    session.serve([5000, 200], [8, 16], None, [0.2, 0.4])
    session.serve([9000], 8, None, [session.now_s])
    assert session.hits == 0
    found = session.serve([200], 16, None, [0.6])
    assert session.hits == 1
    assert found.service_s == pytest.approx([DISK.overhead_s + 16 * 512 / 1e9])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**20), segments=st.integers(2, 6))
def test_what_any_segment_holds_as_a_whole_is_a_hit(seed, segments):
    """Other than that which is still being filled, and may give up its beginning until the request comes."""
    random = np.random.default_rng(seed)
    session = BufferedSession(DISK, closed=False, segments=segments, segment_bytes=100 * 512)
    for _ in range(200):
        lbn, sectors, hits = int(random.integers(0, 600)), int(random.integers(1, 60)), session.hits
        first, end = np.delete(session._buffer.segment[:2], session._buffer.ahead[0], axis=1).tolist()
        held = any(begin <= lbn and lbn + sectors <= stop for begin, stop in zip(first, end, strict=True))
        session.serve([lbn], sectors, None, [session.now_s + random.exponential(10 * MS)])
        assert session.hits >= hits + held


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**20), count=st.integers(1, 200), is_closed=st.booleans(), segments=st.integers(1, 4))
def test_any_stream_keeps_the_laws_and_runs_in_pieces_as_in_one(seed, count, is_closed, segments):
    random = np.random.default_rng(seed)
    lbn = np.where(random.random(count) < 0.7, random.integers(0, 20_000, count), random.integers(0, 70_000_000, count))
    sectors, write = random.integers(1, 3000, count), random.random(count) < 0.1
    arrival = np.cumsum(random.exponential(8 * MS, count))
    whole = BufferedSession(DISK, closed=is_closed, segments=segments).serve(lbn, sectors, write, arrival)
    assert whole.size == count
    assert (whole.table >= -1e-9).all()
    session, half = BufferedSession(DISK, closed=is_closed, segments=segments), count // 2
    parts = [
        session.serve(lbn[at], sectors[at], write[at], arrival[at], last=at.stop == count)
        for at in (slice(0, half), slice(half, count))
    ]
    assert (np.concatenate([part.table for part in parts]) == whole.table).all()


def test_impossible_buffers_are_refused_in_a_sentence():
    for wrong, sentence in [
        ({"segments": 0}, "at least one segment; got 0"),
        ({"segment_bytes": 100}, "at least one sector; got 100 bytes"),
        ({"interface_bytes_per_s": 0}, "must be positive; got 0"),
        ({"scheduler": "sptf"}, "in order of arrival only; got 'sptf'"),
    ]:
        with pytest.raises(ModelError, match=sentence):
            BufferedSession(DISK, **wrong)
