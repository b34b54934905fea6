"""The two studies of translation layers, and the record of `pagecost ssd`."""

import json
import time

import numpy as np
import pytest

from pagecost.errors import ModelError
from pagecost.studies.flash import translation_layers, write_amplification
from pagecost.units import grouped
from pagecost_app import ssd_command


def answer(study, **values):
    inputs = study.inputs(values)
    return inputs, study.compute(inputs)


def test_simulated_write_amplification_stands_beside_theory():
    _, result = answer(write_amplification.STUDY, policies=("fifo", "greedy", "d-choices", "random"), choices=3)
    known = np.isfinite(result["theory"])
    assert known.all()
    assert result["write_amplification"] == pytest.approx(result["theory"], rel=0.025)
    assert (result["half_width"] < 0.03 * result["write_amplification"]).all()
    assert result["steady"].all()
    for policy in ("fifo", "greedy", "d-choices", "random"):
        curve = result["write_amplification"][result.rows(policy=policy, chosen=False)]
        assert (np.diff(curve) < 0).all()  # more spare space, fewer copies


def test_the_explained_terms_add_up():
    inputs, result = answer(write_amplification.STUDY, spare=0.15)
    lines = write_amplification.STUDY.explain(inputs, result)
    assert len(lines) == len(inputs.policies)
    for row, line in zip(result.rows(chosen=True), lines, strict=True):
        host, copied = result["host_pages"][row], result["copied_pages"][row]
        assert (host + copied) / host == pytest.approx(result["write_amplification"][row], rel=1e-3)
        assert f"({grouped(host)} host pages + {grouped(copied)} copies)" in line
        assert f"theory {result['theory'][row]:.3f}" in line


def test_theory_is_left_out_where_none_is_known():
    _, result = answer(write_amplification.STUDY, policies=("greedy", "cost-benefit", "fifo"), workload="hot-cold")
    known = {policy: np.isfinite(result["theory"][result.rows(policy=policy)]).all() for policy in result["policy"]}
    assert known == {"greedy": False, "cost-benefit": False, "fifo": True}


@pytest.mark.timed
def test_the_default_answer_is_quick_after_the_first_time():
    answer(write_amplification.STUDY)
    started = time.perf_counter()
    answer(write_amplification.STUDY, seed=2)  # nothing of it is kept
    assert time.perf_counter() - started < 3  # 0.6 s on 2 free cores


def test_an_answer_grows_and_can_be_cancelled():
    study = write_amplification.STUDY
    inputs = study.inputs({"seed": 3})
    seen = []
    whole = study.compute(inputs, lambda share, growing: seen.append((share, len(growing()))))
    assert seen[0] == (0.0, len(whole))  # theory, before anything is simulated
    assert [size for _, size in seen[1:]] == sorted(size for _, size in seen[1:])
    assert seen[-1][0] == 1
    assert seen[-1][1] == len(whole)

    def cancel(share, partial):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        study.compute(study.inputs({"seed": 4}), cancel)


def test_five_layers_pay_differently_for_the_same_stream():
    inputs, result = answer(translation_layers.STUDY)
    amplification = dict(zip(result["layer"], result["write_amplification"], strict=True))
    assert amplification["page"] < amplification["fast"] < amplification["bast"] < amplification["block"]
    assert amplification["page"] < amplification["dftl"]
    memory = dict(zip(result["layer"], result["map_bytes"], strict=True))
    assert memory["block"] < memory["bast"] == memory["fast"] < memory["page"]
    terms = sum(result[term] for term in translation_layers.TERMS)
    assert terms == pytest.approx(result["write_amplification"])
    assert len(translation_layers.STUDY.explain(inputs, result)) == 5


def test_a_sequential_stream_costs_a_hybrid_layer_nothing_extra():
    _, result = answer(translation_layers.STUDY, workload="sequential", layers=("page", "bast", "fast"))
    assert result["write_amplification"] == pytest.approx(np.ones(3), abs=1e-9)
    assert (result["switch_merges"][1:] > 0).all()


@pytest.mark.parametrize(
    ("study", "values", "sentence"),
    [
        (write_amplification.STUDY, {"spare": 0}, "spare should be greater than or equal to 0.03; got 0"),
        (write_amplification.STUDY, {"policies": ("lru",)}, "policies: unknown victim policy 'lru'; known: "),
        (write_amplification.STUDY, {"workload": "x"}, "unknown workload 'x'"),
        (write_amplification.STUDY, {"frontiers": "x"}, "unknown frontiers 'x'"),
        (write_amplification.STUDY, {"blocks": 64}, "64 blocks leave the collector 3.2 spare ones; it needs 6"),
        (translation_layers.STUDY, {"layers": ("x",)}, "unknown translation layer 'x'"),
        (translation_layers.STUDY, {"layers": ("page", "page")}, "named twice"),
        (translation_layers.STUDY, {"blocks": 64, "spare": 0.05}, "leave each layer 3.2 spare ones; it needs 6"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(study, values, sentence):
    with pytest.raises(ModelError, match=sentence):
        study.inputs(values)


def test_the_ssd_record_is_complete_and_adds_up():
    settings = {"blocks": "256", "spare": "0.15", "writes": "200000", "seed": "7"}
    record = json.loads(json.dumps(ssd_command.simulate(settings)))
    assert record["host_pages"] == 200_000
    assert record["programmed_pages"] == record["host_pages"] + record["copied_pages"]
    assert record["write_amplification"] == record["programmed_pages"] / record["host_pages"]
    assert record["write_amplification"] == pytest.approx(3.494, rel=0.02)
    assert record["steady"] is True
    assert record["seconds"] > 0
    assert 0 < record["write_amplification_half_width"] < 0.01 * record["write_amplification"]
    assert record["timed"]["steady"] is True
    assert record["throughput"]["iops_half_width"] <= 0.02 * record["throughput"]["iops"]
    again = ssd_command.simulate(settings)
    assert all(again[name] == record[name] for name in record if name != "seconds")


def test_the_ssd_command_says_when_its_run_was_too_short_to_last():
    """The write cache of the drive swallows 20 000 requests; a count that is asked for does not hide it."""
    settings = {"writes": "10000", "depth": "32", "read_share": "0.5", "requests": "20000"}
    timed = ssd_command.simulate(settings, "intel-dc-p3700-800gb")["timed"]
    assert timed["steady"] is False
    assert "Not steady: ± " in timed["steadiness"]


def test_the_timed_run_of_the_ssd_command_pays_for_the_load_that_was_asked_for():
    """It is written by that load before: hot and cold, and what is trimmed, have their own write amplification."""
    common = {"blocks": "512", "spare": "0.15", "writes": "300000", "channels": "1"}
    for load in ({"workload": "hot-cold", "hot_share": "0.1", "hot_writes": "0.9"}, {"trimmed": "0.3"}):
        record = ssd_command.simulate(common | load)
        assert record["timed"]["write_amplification"] == pytest.approx(record["write_amplification"], rel=0.03)


def test_every_setting_of_the_ssd_command_is_listed_with_its_meaning():
    listed = {row["setting"]: row for row in ssd_command.listed()}
    assert {"blocks", "pages_per_block", "spare", "policy", "workload", "writes", "seed"} <= listed.keys()
    assert listed["blocks"]["default"] == "1024"
    assert all(row["meaning"] for row in listed.values())
    spelled = ssd_command.simulate(
        {"policy": "d-choices:choices=10", "blocks": "256", "spare": "0.15", "writes": "50000"}
    )
    assert spelled["policy"] == "d-choices:choices=10"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"spare": "1.5"}, "between 0 and 1 .* got 1.5"),
        ({"spare": "much"}, "spare: 'much' is no number"),
        ({"blocks": "2.5"}, "blocks must be a whole number; got '2.5'"),
        ({"size": "1"}, "unknown setting 'size'; known: blocks"),
        ({"policy": "lru"}, "unknown victim policy 'lru'"),
        ({"workload": "x"}, "unknown workload 'x'"),
        ({"writes": "0"}, "writes must be at least one per round"),
        ({"seed": "-1"}, "seed must not be negative; got -1"),
        ({"frontiers": "x"}, "unknown frontiers 'x'"),
        ({"blocks": "8"}, "page: .* the device has 8"),
    ],
)
def test_what_ssd_refuses_is_said_in_a_sentence(settings, sentence):
    with pytest.raises(ModelError, match=sentence):
        ssd_command.simulate(settings)
