"""The event loop against exact theory: M/M/c, M/D/1, M/G/1, exact MVA, and the coverage of its intervals."""

import numpy as np
import pytest

from pagecost.errors import ModelError
from pagecost.transactions import theory
from pagecost.transactions.calendar_kernels import new_calendar, pop, push
from pagecost.transactions.intervals import batch_interval
from pagecost.transactions.queueing import central_server, open_station


def test_printed_values_of_the_formulas():
    assert theory.erlang_c(4, 3) == pytest.approx(0.50943, abs=5e-6)
    assert theory.erlang_c(2, 1.5) == pytest.approx(0.64286, abs=5e-6)
    assert theory.wait_s(0.8, 1.0) == pytest.approx(4)  # M/M/1: R = 5
    assert theory.wait_s(0.8, 1.0, squared_variation=0) == pytest.approx(2)  # M/D/1: R = 3
    assert theory.wait_s(0.8, 1.0, squared_variation=4) == pytest.approx(10)  # R = 11
    assert theory.wait_s(2, 1.0, 2) == np.inf


def test_mean_value_analysis_of_one_station_is_the_machine_repair_formula():
    """One server, n machines, mean up time z: throughput = mu (1 - p0), p0 from the birth-death chain."""
    machines, up_s, repair_s = 6, 10.0, 2.0
    weight = [1.0]
    for broken in range(machines):
        weight.append(weight[-1] * (machines - broken) * repair_s / up_s)
    exact = (1 - weight[0] / sum(weight)) / repair_s
    assert theory.mean_value_analysis([repair_s], [1], machines, up_s) == pytest.approx(exact, rel=1e-12)
    weight = [1.0]
    for broken in range(machines):  # two repairmen
        weight.append(weight[-1] * (machines - broken) / up_s / (min(broken + 1, 2) / repair_s))
    busy = sum(w * min(n, 2) for n, w in enumerate(weight)) / sum(weight)
    assert theory.mean_value_analysis([repair_s], [2], machines, up_s) == pytest.approx(busy / repair_s, rel=1e-12)


@pytest.mark.parametrize(
    ("servers", "rate", "law", "samples", "variation"),
    [
        (1, 0.8, "exponential", (1.0,), 1.0),
        (4, 3.2, "exponential", (1.0,), 1.0),
        (1, 0.8, "constant", (1.0,), 0.0),
        (1, 0.7, "sampled", (0.2, 0.6, 2.2), 0.7466666667),
    ],
)
def test_an_open_station_agrees_with_its_formula_within_its_interval(servers, rate, law, samples, variation):
    responses = open_station(rate, 1.0, servers=servers, law=law, samples=samples, customers=400_000, seed=5)
    mean, half = batch_interval(responses)
    assert half < 0.06 * mean
    assert abs(mean - 1 - theory.wait_s(rate, 1.0, servers, variation)) < 1.5 * half  # 1.5: 99.5 % instead of 95 %


def test_the_interval_covers_the_truth_in_95_of_100_runs():
    """1000 seeds of M/M/1; the binomial spread of the share is 0.7 points."""
    truth, covered = 2.0, 0
    for seed in range(1000):
        mean, half = batch_interval(open_station(0.5, 1.0, customers=8000, warm_up=500, seed=seed))
        covered += abs(mean - truth) <= half
    assert 930 <= covered <= 970


def test_a_closed_network_agrees_with_exact_mva():
    run = central_server(30, 1.0, [4, 1, 1], [0.02, 0.03, 0.05], [0.4, 0.4], services=600_000)
    visits = 1 / (1 - 0.8)
    demand = [0.02 * visits, 0.03 * 0.4 * visits, 0.05 * 0.4 * visits]
    exact = theory.mean_value_analysis(demand, [4, 1, 1], 30, 1.0)
    assert run.rate_hz == pytest.approx(exact, rel=0.01)  # 120 000 interactions
    assert run.utilisation == pytest.approx([exact * d / s for d, s in zip(demand, [4, 1, 1], strict=True)], rel=0.015)
    assert run.response_s == pytest.approx(30 / run.rate_hz - 1.0, rel=0.02)  # the interactive response time law


def test_the_calendar_gives_events_back_in_order_and_equal_times_in_the_order_of_entry():
    calendar = new_calendar(500)
    times = np.random.default_rng(1).integers(0, 50, 500)
    for payload, time in enumerate(times):
        push(calendar, float(time), payload)
    out = [pop(calendar) for _ in times]
    assert [(time, payload) for time, payload in out] == sorted((float(t), n) for n, t in enumerate(times))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: open_station(1.2, 1.0), "too many for 1 servers"),
        (lambda: open_station(0.0, 1.0), "arrival rate must be positive"),
        (lambda: open_station(1.0, 1.0, servers=0), "at least one server"),
        (lambda: open_station(1.0, 1.0, law="odd"), "unknown distribution 'odd'"),
        (lambda: central_server(2, 1.0, [1, 1], [1, 1], [1.0]), "leave some to go back"),
        (lambda: theory.erlang_c(2, 2.0), "load must be 0 <= load < 2"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, sentence):
    with pytest.raises(ModelError, match=sentence):
        call()
