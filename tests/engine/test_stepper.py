"""The stepper: any walk ends in the state of a fresh replay, and what it shows is what the kernel did."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.golden_traces import trace_a
from pagecost.buffer import POLICIES, Stepper, replay
from pagecost.errors import ModelError

references = st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=60)


def arrays(trace):
    return tuple(np.array(column) for column in zip(*trace, strict=True))


@pytest.mark.parametrize("policy", POLICIES)
@settings(deadline=None, max_examples=15)
@given(trace=references, frames=st.integers(1, 8), walk=st.lists(st.integers(0, 60), min_size=1, max_size=6))
def test_any_walk_ends_in_the_state_of_a_fresh_replay(policy, trace, frames, walk):
    pages, writes = arrays(trace)
    walked = Stepper(pages, frames, policy, writes)
    for stop in walk:
        walked.jump(min(stop, walked.size))
        walked.back()
        walked.forward()
    fresh = Stepper(pages, frames, policy, writes)
    fresh.jump(walked.position)
    assert walked.state_hash() == fresh.state_hash()
    assert walked.step.lists == fresh.step.lists
    assert walked.step.victims == fresh.step.victims


@pytest.mark.parametrize("policy", POLICIES)
def test_the_lists_hold_the_resident_pages_and_the_victims_are_those_of_the_replay(policy):
    pages, writes = trace_a()
    walk, resident, written = Stepper(pages, 4, policy, writes), set(), []
    for page, write in zip(pages.tolist(), writes.tolist(), strict=True):
        step = walk.forward()
        assert step.hit == (page in resident)
        gone = {victim for victim, _ in step.victims}
        assert gone <= resident
        assert bool(step.reason) == bool(gone)
        resident -= gone
        if policy != "bplru" or write:  # it gives no frame to what is only read
            resident |= {page}
        listed = [entry.page for entries in step.lists.values() for entry in entries]
        assert sorted(listed) == sorted(resident)
        assert len(listed) <= 4
        written += [victim for victim, dirty in step.victims if dirty]
        assert not {ghost for ghosts in step.ghosts.values() for ghost in ghosts} & resident
    run = replay(pages, 4, policy, writes, keep_written=True)
    assert (step.hits, step.misses, step.write_backs) == (run.hits, run.misses, run.write_backs)
    assert written == run.written.tolist()


@pytest.mark.parametrize("policy", POLICIES)
def test_a_walk_in_plain_python_is_the_walk_of_the_machine_code(policy):
    dice = np.random.default_rng(7)
    pages, writes = dice.zipf(1.3, 150) % 30, dice.random(150) < 0.4
    plain, compiled = (Stepper(pages, 6, policy, writes, plain=how) for how in (True, False))
    for _ in range(plain.size):
        assert plain.forward() == compiled.forward()
    assert plain.state_hash() == compiled.state_hash()
    assert plain.jump(40) == compiled.jump(40)
    assert plain.state_hash() == compiled.state_hash()


def test_cflru_says_why_a_page_leaves():
    pages, writes = trace_a()
    walk = Stepper(pages, 4, "cflru", writes)
    step = walk.jump(7)
    assert (step.page, step.write, step.hit) == (5, True, False)
    assert step.victims == ((3, False),)
    assert "least recently used clean page of the window" in step.reason


def test_a_walk_shows_the_shares_of_all_its_frames_though_the_trace_has_fewer_pages():
    pages, writes = [1, 2, 1, 3, 2, 1], [True, False] * 3
    shown = {policy: Stepper(pages, 100, policy, writes).jump(6).values for policy in POLICIES}
    assert shown["fd-buffer"]["frames for dirty pages"] == 50
    assert shown["multi-buffer"]["frames: never updated"] == 25
    assert shown["2q"]["Kin"] == 25
    assert shown["ad-lru"]["cold pages kept"] == 10
    for policy in POLICIES:
        walk, run = Stepper(pages, 100, policy, writes).jump(6), replay(pages, 100, policy, writes)
        assert (walk.hits, walk.write_backs) == (run.hits, run.write_backs)
    assert Stepper(pages, 10**9, "2q").jump(6).hits == 3  # of so many frames, those of a walk at most


def page_of(entries):
    return [entry.page for entry in entries]


def why_arc(before, step):
    once, target = len(before.lists["T1, seen once"]), step.values["target p of T1"]
    in_b2 = step.page in before.ghosts["B2, left T2"]
    return once > target or (
        once == target > 0 and in_b2
    ), "T1 is over its target, or at it and B2 remembered the new page"


def why_lru_wsr(before, step):
    victim = step.victims[0]
    return before.lists["recency"][-1].page == victim[0] and not victim[1], "it is clean and the least recently used"


def why_fd_buffer(before, step):
    dirty, clean = len(before.lists["dirty pool"]), len(before.lists["clean pool"])
    over = dirty > before.values["frames for dirty pages"] or clean == 0
    return over, "the dirty pool is over its share, or the clean one is empty"


def why_w_tinylfu(before, step):
    alone = not before.lists["protected"] and not before.lists["probation"]
    return alone, "it left the window, and there is no other list with a page"


WHY = {"arc": why_arc, "lru-wsr": why_lru_wsr, "fd-buffer": why_fd_buffer, "w-tinylfu": why_w_tinylfu}


@pytest.mark.parametrize("policy", WHY)
def test_a_reason_is_given_where_it_holds_and_only_there(policy):
    """Until 0.3.0 LRU-WSR spoke of older dirty pages where there were none, and the others of shares not reached."""
    dice = np.random.default_rng(1)
    for share in (0, 0.2, 0.5, 0.9, 1):
        pages, writes = (dice.random(80) ** 2 * 14).astype(int), dice.random(80) < share
        for frames in (1, 2, 3, 4, 6):
            walk = Stepper(pages, frames, policy, writes, plain=True)
            for _ in pages:
                before, step = walk.step, walk.forward()
                if step.victims and "fills the whole buffer" not in step.reason:
                    holds, said = WHY[policy](before, step)
                    assert step.reason.startswith(said) == holds


def test_the_ends_of_a_walk_hold_and_wrong_places_are_refused():
    walk = Stepper(np.array([1, 2, 1]), 2)
    assert walk.back().position == 0
    assert walk.jump(3).hits == 1
    assert walk.forward().position == 3
    with pytest.raises(ModelError, match=r"positions 0..3; got 4"):
        walk.jump(4)
    with pytest.raises(ModelError, match="at most 100000 references; got 100001"):
        Stepper(np.zeros(100_001, int), 2)
