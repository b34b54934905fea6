"""Response-time percentiles by formula: Crommelin's of constant services, laws of exponential ones, means, a run."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.errors import ModelError
from pagecost.transactions import queueing
from pagecost.transactions.percentiles import Kind, Server
from twins import queues

CELLS = 0.02  # two of the grid that services of 1 and 3 have: a time is shared by its neighbours
EXPONENTIAL = -np.log(1 - (np.arange(4000) + 0.5) / 4000)  # equally likely, with a mean of 1


def constant(service_s=1.0) -> Server:
    return Server([Kind(1.0, service_s)], [np.array([service_s])])


@given(share=st.floats(0.5, 0.99), load=st.floats(0.05, 0.9))
@settings(max_examples=25, deadline=None)
def test_of_exponential_services_it_is_the_law(share, load):
    """M/M/1: the response is exponential with mean 1 / (1 - load). 2 %: 4000 times have no longer one than 9."""
    found = Server([Kind(1.0, 1.0)], [EXPONENTIAL]).percentile_s(share, load)
    assert found == pytest.approx(-math.log(1 - share) / (1 - load), rel=0.02)
    assert queues.longer(found, load, 1.0) == pytest.approx(1 - share, rel=0.1)


@given(load=st.floats(0.05, 0.9))
@settings(max_examples=15, deadline=None)
def test_its_mean_is_that_of_pollaczek_and_khinchine(load):
    """The mean is the area under the tail."""
    one = Server([Kind(0.7, 1.0), Kind(0.3, 4.0, 0.5)], [np.array([1.0]), np.array([2.0, 6.0])])
    assert one.service_s == pytest.approx(1.9)
    rate_hz = load / one.service_s
    second = 0.7 * 1 + 0.3 * (4 + 36) / 2
    tail = one.tail_at(rate_hz)
    times = np.linspace(0, one.percentile_s(1 - 1e-7, rate_hz), 4001)
    area = np.trapezoid([tail(float(time)) for time in times], times)
    assert area == pytest.approx(1.9 + 0.3 * 0.5 + rate_hz * second / (2 * (1 - load)), rel=0.01)


def test_a_simulated_station_has_these_percentiles():
    times = queueing.open_station(0.7, 1.0, servers=1, customers=200_000, warm_up=20_000)
    one = Server([Kind(1.0, 1.0)], [EXPONENTIAL])
    for share in (0.5, 0.9, 0.99):
        assert np.quantile(times, share) == pytest.approx(one.percentile_s(share, 0.7), rel=0.05)  # correlated


def test_two_kinds_wait_alike_and_each_is_served_in_its_own_time():
    mixed = Server([Kind(0.7, 1.0), Kind(0.3, 3.0)], [np.array([1.0]), np.array([3.0])])
    assert mixed.percentile_s(0.5, 1e-12) == pytest.approx(1.0, abs=CELLS)
    assert mixed.percentile_s(0.99, 1e-12) == pytest.approx(3.0, abs=CELLS)
    reads, writes = mixed.kinds[:1], mixed.kinds[1:]
    assert mixed.percentile_s(0.99, 1e-12, reads) == pytest.approx(1.0, abs=CELLS)
    for share in (0.6, 0.9):
        waits = [mixed.percentile_s(share, 0.4, of) - own for of, own in ((reads, 1.0), (writes, 3.0))]
        assert waits[0] == pytest.approx(waits[1], abs=2 * CELLS)


@given(share=st.floats(0.5, 0.999), goal=st.floats(1.1, 100))
@settings(max_examples=20, deadline=None)
def test_the_rate_within_a_goal_is_where_the_percentile_is_the_goal(share, goal):
    one = constant()
    rate = one.rate_within_hz(share, goal)
    assert one.percentile_s(share, rate) <= goal * (1 + 1e-6)
    assert one.percentile_s(share, min(rate * 1.002, 1.0)) >= goal * (1 - 1e-6)
    assert one.percentile_s(share, 1.0) == math.inf
    assert one.tail(5.0, 1.0) == 1.0
    assert one.rate_within_hz(share, 0.9) == 0


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(ModelError, match="a percentile's share must lie between 0 and 1"):
        constant().percentile_s(share, 0.5)
    with pytest.raises(ModelError, match="a time must not be negative; got -1 s"):
        constant().tail(-1.0, 0.5)


def test_a_nearly_full_server_has_the_percentile_of_heavy_traffic_and_an_end():
    """M/D/1 near its limit waits for an exponential time of mean s / (2 (1 - load)) (Kingman 1961)."""
    one = constant()
    assert one.percentile_s(0.99, 0.99) == pytest.approx(math.log(100) / (2 * 0.01), rel=0.03)
    found = [one.percentile_s(0.99, load) for load in (0.9, 0.98, 0.99, 0.999, 0.99999, math.nextafter(1.0, 0.0))]
    assert found == sorted(found)
    assert math.isfinite(found[-1])
    assert one.percentile_s(math.nextafter(1.0, 0.0), 0.9) == math.inf, "beyond what a grid holds"


def test_no_response_is_shorter_than_its_service_however_unequal_services_are():
    """A rare long service, 1000 times the others': at 1 % of load nine of ten find the server idle."""
    kinds = [Kind(0.99, 1e-4), Kind(0.01, 0.1)]
    uneven = Server(kinds, [np.array([1e-4]), np.array([0.1])])
    for share, rate_hz, of in ((0.1, 9.0, ()), (0.9, 9.0, kinds[:1]), (0.9, 0.0, kinds[:1])):
        assert uneven.percentile_s(share, rate_hz, of) == pytest.approx(1e-4, rel=1e-6)
    for share in (0.01, 0.5, 0.9, 0.99, 0.999):
        for rate_hz in (0.0, 1.0, 500.0):
            assert uneven.percentile_s(share, rate_hz, kinds[:1]) >= 1e-4
            assert uneven.percentile_s(share, rate_hz, kinds[1:]) >= 0.1


@given(load=st.floats(0.02, 0.9), share=st.floats(0.5, 0.98))
@settings(max_examples=15, deadline=None)
def test_of_services_in_halves_of_the_load_the_short_ones_wait_as_pollaczek_and_khinchine_say(load, share):
    """Those that find the server idle, 1 - load, take their service alone and no longer."""
    kinds = [Kind(0.9, 0.1), Kind(0.1, 0.9)]
    mixed = Server(kinds, [np.array([0.1]), np.array([0.9])])
    found = mixed.percentile_s(share, load / mixed.service_s, kinds[:1])
    if share < 1 - load:
        assert found == pytest.approx(0.1, rel=1e-6)
    elif share > 1 - load + 0.01:
        assert found > 0.1


@given(share=st.floats(0.5, 0.99))
@settings(max_examples=10, deadline=None)
def test_within_its_own_service_a_share_is_answered_up_to_the_load_of_the_rest(share):
    """M/D/1: who finds the server idle, 1 - load, takes 1 and no longer (Poisson arrivals see time averages)."""
    assert constant().rate_within_hz(share, 1.0) == pytest.approx(1 - share, rel=5e-3)
    delayed = Server([Kind(1.0, 0.3, 0.1)], [np.array([0.3])])
    assert delayed.rate_within_hz(share, 0.1 + 0.3) == pytest.approx((1 - share) / 0.3, rel=5e-3)
