"""Replays of a trace in pieces: the same counts as of the whole trace, in memory that its length does not change."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.answers import replays
from pagecost.buffer import POLICIES, StreamedReplays, Wanted, can_stream, replay
from pagecost.errors import ModelError
from pagecost.requests import Requests
from pagecost.workload import sources, traces

SOME = ("lru", "clock", "2q", "arc", "s3-fifo", "fd-buffer", "w-tinylfu")  # several keep arrays of the buffer
references = st.lists(
    st.tuples(st.integers(0, 40) | st.integers(-(2**63), 2**63 - 1), st.booleans()), min_size=1, max_size=300
)


def streamed(ids, writes, wanted, cuts):
    with StreamedReplays(wanted) as found:
        for part in zip(np.split(ids, cuts), np.split(writes, cuts), strict=True):
            found.add(*part)
        return found.found()


@settings(deadline=None, max_examples=60)
@given(
    trace=references, cuts=st.lists(st.integers(0, 300), max_size=4), frames=st.lists(st.integers(1, 60), min_size=1)
)
def test_pieces_give_the_counts_of_the_whole_trace(trace, cuts, frames):
    ids, writes = (np.array(column) for column in zip(*trace, strict=True))
    wanted = [Wanted(policy, size) for policy in SOME for size in frames[:2]]
    assert streamed(ids, writes, wanted, sorted(cuts)) == [replay(ids, size, policy, writes) for policy, size in wanted]


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_streams_or_says_that_it_cannot(policy):
    """Pages come up to the end, so that the map of pages grows many times while the buffer is full."""
    random = np.random.default_rng(7)
    ids = (random.random(30_000) * np.linspace(50, 5000, 30_000)).astype(np.int64) << 20
    writes = random.random(ids.size) < 0.3
    if can_stream(policy):
        found = streamed(ids, writes, [Wanted(policy, 40)], np.arange(1000, 30_000, 1000))
        assert found == [replay(ids, 40, policy, writes)]
    else:
        with pytest.raises(ModelError, match="must know the whole trace"):
            StreamedReplays([Wanted(policy, 40)])


@pytest.mark.parametrize("wanted", [("dvd", 10), ("lru", 0)])
def test_what_makes_no_sense_is_refused(wanted):
    with pytest.raises(ModelError):
        StreamedReplays([Wanted(*wanted)])


def test_no_reference_is_refused():
    with StreamedReplays([Wanted("lru", 3)]) as found, pytest.raises(ModelError, match="is empty"):
        found.found()


def saved(path, ids, arrival_s):
    ones = np.ones(ids.size)
    made = Requests(arrival_s, (ids % 3 == 0).astype(np.uint8), ids, ones.astype(np.int32), ones.astype(np.int16), 4096)
    traces.save([made], path)
    return sources.named(str(path))


@pytest.mark.parametrize("policies", [("lru",), ("lru", "2q"), ("lru", "min")])
@pytest.mark.parametrize("rising", [True, False])
def test_a_file_is_replayed_as_if_it_were_loaded(tmp_path, policies, rising):
    """Of requests that must be sorted by time, or under a policy that looks ahead, it is loaded."""
    ids = np.random.default_rng(3).integers(0, 500, 20_000)
    arrival_s = np.arange(ids.size, dtype=float)
    if not rising:
        arrival_s[:6000] += 7000.0
    source = saved(tmp_path / "a.csv", ids, arrival_s)
    wanted = [Wanted(policy, size) for policy in policies for size in (10, 100, 1000)]
    found = replays.replayed_once(source, wanted)
    assert found.runs == [replays.replayed(source, *each) for each in wanted]
    assert found.notes == replays.opened(source).notes
    assert any("stood behind later ones" in note for note in found.notes) != rising


def test_memory_does_not_grow_with_the_trace():
    def peak(pieces: int) -> int:
        tracemalloc.start()
        with StreamedReplays([Wanted("lru", 500)]) as found:
            for number in range(pieces):
                found.add(np.random.default_rng(number).integers(0, 2000, 20_000), np.zeros(20_000, bool))
            found.found()
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return highest

    peak(2)
    assert peak(60) < 1.2 * peak(6)


@pytest.mark.parametrize("rising", [True, False])
@pytest.mark.parametrize(("trims", "said"), [(0, None), (1, "1 trim is left out"), (2, "2 trims are left out")])
def test_trims_that_a_replay_leaves_out_are_said_by_every_way_to_replay(tmp_path, trims, said, rising):
    """By hand: 1 and 2 are written, then read pages push them out; a trim of them would have spared both writes."""
    ops = [1, 1, *[2] * trims, 0, 0, 0]
    pages = [1, 2, *range(1, 1 + trims), 3, 4, 5]
    ones = np.ones(len(ops))
    arrival_s = np.arange(ones.size) if rising else np.array([1.0, 0.0, *range(2, ones.size)])
    path = tmp_path / "a.csv"
    made = Requests(
        arrival_s, np.array(ops, np.uint8), np.array(pages), ones.astype(np.int32), ones.astype(np.int16), 4096
    )
    traces.save([made], path)
    source = sources.named(str(path))
    found = replays.replayed_once(source, [Wanted("lru", 2)])
    assert found.runs[0].write_backs == 2
    loaded = replays.opened(source)
    assert loaded.trims == trims
    sampled = replays.curve_of_pieces(source, 1.0)
    for notes in (found.notes, loaded.sentences(), sampled.notes):
        assert [note.split(",")[0] for note in notes if "deletes no page" in note] == ([said] if said else [])
