"""The studies of SSDs in time: what they answer obeys the laws and the limits that they name."""

import numpy as np
import pytest

from pagecost import catalogue, studies
from pagecost.answers.ssd_runs import ssd_of
from pagecost.devices.ssd import TERMS, theory
from pagecost.errors import ModelError


def answer(study: str, **values):
    chosen = studies.find(study)
    inputs = chosen.inputs(values)
    return inputs, chosen.compute(inputs)


def test_rate_and_response_over_queue_depth_are_tied_by_littles_law_and_bounded_by_the_peak():
    inputs, result = answer("ssd_queue_depth", depths=(1, 8, 64), loads=("reads", "writes steady"))
    rate = result["iops"]
    # those outstanding at the two ends of the measured part: 64 of at least 16 000
    assert rate * result["mean_s"] == pytest.approx(result["depth"], rel=0.01)
    assert result["steady"].all()
    assert (result["half_width"] <= 0.02 * rate).all()
    peak = theory.peak_bytes_per_s(ssd_of(catalogue.device(inputs.device)), 4096, write=False)
    reads = result.rows(load="reads")
    assert (result["throughput_bytes_per_s"][reads] <= peak * 1.001).all()
    assert result["throughput_bytes_per_s"][reads][-1] == pytest.approx(peak, rel=0.001)
    total = np.sum([result[term] for term in TERMS], axis=0)
    assert total == pytest.approx(result["mean_s"])
    assert (np.diff(rate[reads]) > -1e-6 * rate[reads][:-1]).all()


def test_a_mix_one_at_a_time_is_the_harmonic_mean_and_with_many_at_once_less():
    for depth, low, high in ((1, 0.95, 1.05), (32, 0.5, 0.9)):
        _, result = answer("read_write_mix", devices=("intel-x25-e",), depth=depth)
        middle = result["over_harmonic"][result.rows(read_share=0.9)[0]]
        assert low < middle < high


def test_a_steady_mix_on_a_cached_drive_is_slower_the_more_is_written():
    """With 20 000 requests the write cache made 50 % reads faster than 70 %, at 1.46 times the harmonic mean."""
    _, result = answer("read_write_mix", devices=("intel-dc-p3700-800gb",))
    assert result["steady"].all()
    rate = result["iops"]
    assert (np.diff(rate) < 0).all()
    half = result.rows(read_share=0.5)[0]
    assert rate[half] == pytest.approx(162_841, rel=0.03)  # of a run of a million requests
    assert result["over_harmonic"][half] == pytest.approx(1.16, abs=0.04)
    assert (result["over_harmonic"] < 1.4).all()


def test_distributions_rise_to_one_and_pass_through_their_percentiles():
    _, result = answer("response_times")
    distribution = result.tables["distribution"]
    for device in ("mtron-pro-7500", "intel-x25-e", "hgst-7k1000-750gb"):
        for load in ("reads", "writes", "mix"):
            rows = distribution.rows(device=device, load=load)
            share, edge = distribution["share"][rows], distribution["response_s"][rows]
            assert (np.diff(share) >= 0).all()
            assert share[-1] == 1
            for name, least in (("p50_s", 0.5), ("p99_s", 0.99)):
                within = share[np.searchsorted(edge, result[name][result.rows(device=device, load=load)[0]])]
                assert within >= least


def test_more_overhead_is_seen_in_every_read():
    _, before = answer("response_times", devices=("intel-dc-p3700-800gb",))
    drive = catalogue.device("intel-dc-p3700-800gb")
    with catalogue.using(drive.replaced("overhead_s", 50e-6)):
        _, after = answer("response_times", devices=("intel-dc-p3700-800gb",))
    row = before.rows(load="reads")[0]
    assert after["mean_s"][row] - before["mean_s"][row] == pytest.approx(40e-6)


@pytest.mark.parametrize(
    ("study", "values", "sentence"),
    [
        ("ssd_queue_depth", {"device": "ocz-vertex-ex"}, "flash_chip is not known"),
        ("ssd_queue_depth", {"loads": ("rewinds",)}, "unknown load 'rewinds'; known: reads"),
        ("ssd_queue_depth", {"depths": (300,)}, r"a queue depth must be 1\.\.256; got 300"),
        ("read_write_mix", {"devices": ("cheetah-15k5",)}, "unknown SSD 'cheetah-15k5'; known: indilinx"),
        ("response_times", {"devices": ("rahm-ssd",)}, "only mean times are known of it"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_in_a_sentence(study, values, sentence):
    with pytest.raises(ModelError, match=sentence):
        answer(study, **values)


def test_a_request_of_half_a_page_is_refused():
    with pytest.raises(ModelError, match="a request must be 1"):
        answer("ssd_queue_depth", request_bytes=5000)
    with pytest.raises(ModelError, match="a request must be 1"):
        answer("response_times", devices=("intel-x25-e",), request_bytes=5000)
