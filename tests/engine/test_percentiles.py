"""Response-time percentiles by formula: exact ones of M/M/1 and M/M/c, Pollaczek and Khinchine's mean, a run."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.errors import ModelError
from pagecost.transactions import queueing, theory
from pagecost.transactions.percentiles import Kind, Queue


def queue(service_s=1.0, squared_variation=1.0, servers=1) -> Queue:
    return Queue([Kind(1.0, service_s, squared_variation)], servers)


@given(share=st.floats(0.01, 0.9999), load=st.floats(0.01, 0.98), service_s=st.floats(1e-6, 10))
def test_of_one_exponential_server_it_is_the_law(share, load, service_s):
    """M/M/1: the response is exponential with mean s / (1 - load)."""
    found = queue(service_s).percentile_s(share, load / service_s)
    assert found == pytest.approx(-math.log(1 - share) * service_s / (1 - load), rel=1e-9)


def exact_tail(time: float, load: float, servers: int) -> float:
    """M/M/c with a mean service of 1 (Gross and Harris 1998, §2.3), written out and not by our functions."""
    weights = [load**k / math.factorial(k) for k in range(servers)]
    full = load**servers / math.factorial(servers) * servers / (servers - load)
    waits = full / (sum(weights) + full)
    gap = servers - load - 1
    return math.exp(-time) * (1 + waits * (1 - math.exp(-gap * time)) / gap)


@pytest.mark.parametrize(("servers", "load"), [(2, 1.5), (4, 3.2), (16, 12.5), (64, 60.0)])
def test_of_several_exponential_servers_it_is_the_law(servers, load):
    for time in (0.1, 1.0, 3.0, 10.0):
        assert queue(servers=servers).tail(time, load) == pytest.approx(exact_tail(time, load, servers), rel=1e-9)


def test_where_a_wait_and_a_service_have_one_mean_the_tail_is_the_limit():
    near, at = (queue(servers=2).tail(2.0, load) for load in (1.0 + 1e-7, 1.0))
    assert at == pytest.approx(near, rel=1e-5)


@settings(max_examples=15)
@given(load=st.floats(0.05, 0.9), squared_variation=st.floats(0, 1))
def test_its_mean_is_that_of_pollaczek_and_khinchine(load, squared_variation):
    """The mean is the area under the tail."""
    one = queue(squared_variation=squared_variation)
    times = np.linspace(0, 40 / (1 - load), 1001)
    area = np.trapezoid([one.tail(float(time), load) for time in times], times)
    assert area == pytest.approx(1 + load * (1 + squared_variation) / (2 * (1 - load)), rel=0.02)  # the trapezoid


@pytest.mark.parametrize(("servers", "load"), [(1, 0.7), (4, 3.0)])
def test_a_simulated_station_has_these_percentiles(servers, load):
    times = queueing.open_station(load, 1.0, servers=servers, customers=200_000, warm_up=20_000)
    for share in (0.5, 0.9, 0.99):
        found = queue(servers=servers).percentile_s(share, load)
        assert np.quantile(times, share) == pytest.approx(found, rel=0.05)  # correlated: some thousand busy periods


def test_two_kinds_wait_alike_and_each_is_served_in_its_own_time():
    mixed = Queue([Kind(0.7, 1.0, 0.0), Kind(0.3, 3.0, 0.0)])
    assert mixed.service_s == pytest.approx(1.6)
    assert mixed.squared_variation == pytest.approx((0.7 * 1 + 0.3 * 9) / 1.6**2 - 1)
    assert theory.wait_s(0.3, 1.6, 1, mixed.squared_variation) == pytest.approx(0.3 * 3.4 / (2 * (1 - 0.48)))
    assert mixed.percentile_s(0.5, 1e-12) == pytest.approx(1.0)
    assert mixed.percentile_s(0.99, 1e-12) == pytest.approx(3.0)
    reads = mixed.kinds[:1]
    assert mixed.percentile_s(0.99, 1e-12, reads) == pytest.approx(1.0)
    at_once = Queue([Kind(0.7, 1.0, 0.0), Kind(0.3, 3.0, 0.0, 0.1, waits=False)])
    assert at_once.tail(0.2, 0.3) == pytest.approx(0.7), "an answered write takes its delay only"


@given(share=st.floats(0.5, 0.999), goal=st.floats(1.1, 100))
def test_the_rate_within_a_goal_is_where_the_percentile_is_the_goal(share, goal):
    one = queue(squared_variation=0.3)
    rate = one.rate_within_hz(share, goal)
    if rate:
        assert one.percentile_s(share, rate) == pytest.approx(goal, rel=1e-6)
    else:
        assert one.percentile_s(share, 1e-15) >= goal * (1 - 1e-9)
    assert one.percentile_s(share, 1.0) == math.inf


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(ModelError, match="a percentile's share must lie between 0 and 1"):
        queue().percentile_s(share, 0.5)
