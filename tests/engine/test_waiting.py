"""Waits for one server as distributions: Crommelin's of M/D/1, the roots of E_k/M/1, two classes, a recursion."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.errors import ModelError
from pagecost.transactions.waiting import Grid, at_random, placed, renewals, residual

ONE = np.array([1.0])
GRID = Grid(0.01)
BIAS = 3e-4  # of a share: density times half a cell, squared away where it does not jump
TIMES = (0.25, 0.75, 1.5, 3.0, 6.0)


def crommelin(time: float, load: float) -> float:
    """Share of waits in M/D/1 of at most a time, services of 1 (Erlang 1909, Crommelin 1932)."""
    terms = range(math.floor(time) + 1)
    return (1 - load) * sum((load * (k - time)) ** k / math.factorial(k) * math.exp(-load * (k - time)) for k in terms)


@pytest.mark.parametrize("load", [0.01, 0.1, 0.5, 0.8])
def test_waits_for_constant_services_are_erlangs(load):
    by_residuals = GRID.within(at_random(load, GRID.transform(residual(GRID, ONE, ONE))))
    by_walk = GRID.within(renewals(GRID, placed(GRID, ONE, ONE), 1 / load, 1.0))
    for time in TIMES:
        assert by_residuals(time) == pytest.approx(crommelin(time, load), abs=BIAS)
        assert by_walk(time) == pytest.approx(crommelin(time, load), abs=BIAS)


@pytest.mark.parametrize("load", [0.05, 0.5, 0.8])
@pytest.mark.parametrize("stages", [1, 2, 8, 50])
def test_waits_with_regular_arrivals_are_those_of_the_root(load, stages):
    """E_k/M/1 (Kleinrock, Queueing Systems 1, 6.4): P(W > t) = σ exp(-(1 - σ) t), σ = A*(1 - σ)."""
    root = 0.5
    for _ in range(2000):
        root = (stages * load / (stages * load + 1 - root)) ** stages
    grid = Grid(0.01)
    service = np.diff(1 - np.exp(-(grid.times_s + grid.step_s / 2)), prepend=0.0)
    waits = grid.within(renewals(grid, service, 1 / load, 1 / stages))
    for time in TIMES:
        assert waits(time) == pytest.approx(1 - root * math.exp(-(1 - root) * time), abs=1e-3)  # services in cells


def test_waits_of_nearly_clockwork_arrivals_are_none():
    waits = GRID.within(renewals(GRID, placed(GRID, ONE, ONE), 1.25, 1e-4))
    assert waits(0.05) > 0.999


@settings(max_examples=25, deadline=None)  # a recursion of 100 000 customers
@given(load=st.floats(0.05, 0.85), variation=st.floats(0.05, 1.5))
def test_waits_are_what_the_recursion_of_lindley_gives(load, variation):
    random = np.random.default_rng(5)
    services = random.choice([0.5, 1.5], 100_000)
    apart = random.gamma(1 / variation, variation / load, services.size)
    walk = np.concatenate([[0.0], np.cumsum(services - apart)[:-1]])
    recursion = walk - np.minimum.accumulate(walk)
    waits = GRID.within(renewals(GRID, placed(GRID, np.array([0.5, 1.5]), np.array([0.5, 0.5])), 1 / load, variation))
    for time in TIMES:
        found = np.mean(recursion <= time)
        correlated = 1 + load / (1 - load) ** 2  # customers in a row wait alike
        assert waits(time) == pytest.approx(found, abs=0.003 + 5 * math.sqrt(0.25 * correlated / services.size))


@given(times=st.lists(st.floats(0.02, 20.0), min_size=1, max_size=8))
def test_masses_have_the_means_that_they_stand_for(times):
    times_s = np.array(times)
    chances = np.full(times_s.size, 1 / times_s.size)
    at = GRID.times_s
    assert (placed(GRID, times_s, chances) * at).sum() == pytest.approx(times_s.mean())
    left = residual(GRID, times_s, chances)
    assert left.sum() == pytest.approx(1.0)
    mean_s = (times_s**2).mean() / (2 * times_s.mean())
    assert (left * at).sum() == pytest.approx(mean_s, abs=GRID.step_s)


def test_a_sum_beyond_the_grid_has_room():
    grid = Grid(1.0, 16)
    twelve = grid.transform(placed(grid, np.array([12.0]), ONE))
    assert grid.within(twelve)(11.0) == pytest.approx(0.0, abs=1e-12)
    assert grid.within(twelve)(13.0) == pytest.approx(1.0)
    assert grid.within(twelve * twelve)(15.0) == pytest.approx(0.0, abs=1e-12)
    assert grid.within(twelve)(-1e-9) == 0.0


def test_a_full_server_is_refused():
    with pytest.raises(ModelError, match="the load of a server must be 0 <= load < 1; got 1"):
        at_random(1.0, GRID.transform(residual(GRID, ONE, ONE)))
    with pytest.raises(ModelError, match=r"services must take less than the 0\.9 s between them"):
        renewals(GRID, placed(GRID, ONE, ONE), 0.9, 1.0)
    with pytest.raises(ModelError, match="the variation of times must be above 0; got 0"):
        renewals(GRID, placed(GRID, ONE, ONE), 2.0, 0.0)
