"""Every load in every question about a path in time: by its entry, from a system's file, with what must be said."""

import numpy as np
import pytest

from pagecost import studies, system
from pagecost.answers import path_loads
from pagecost.errors import ModelError
from pagecost.planner import demand
from pagecost.studies.loop_loads import LOADS, TPC_C, TPOX, TRACE
from pagecost.studies.path import whole_path
from pagecost.units import grouped
from pagecost.workload import tpox

PATHS = ("whole_path", "ssd_or_disks", "io_schedulers", "cleaning_interval")
SMALL = {"warehouses": 3, "users": 8, "seconds": 1.0, "fill": 1000, "branches": 10, "tpox_bytes": 1e7}
ONE = {
    "whole_path": {"devices": ("intel-x25-e",), "file_systems": ("none",)},
    "ssd_or_disks": {"ssd": "intel-x25-e", "counts": (1,)},
    "io_schedulers": {"devices": ("intel-x25-e",), "file_systems": ("none",), "schedulers": ("noop", "anticipatory")},
    "cleaning_interval": {"devices": ("intel-x25-e",), "intervals_s": (0.5,)},
}


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("name", PATHS)
def test_every_question_about_a_run_answers_for_every_load(name, load):
    study = studies.find(name)
    result = study.compute(study.inputs(SMALL | ONE[name] | {"load": load}))
    assert (result["tpm"] > 0).all()
    (note,) = [note for note in result.notes if note.startswith("8 users on ")]
    assert LOADS[load].title.removeprefix("a ") in note
    assert study.explain(study.inputs(SMALL | ONE[name] | {"load": load}), result)


@pytest.mark.parametrize("load", LOADS)
def test_the_goal_of_a_path_is_found_for_every_load(load):
    study = studies.find("path_goal")
    asked = {"load": load, "devices": ("intel-x25-e",), "seeds": 2, "measured": 1000, "fill": 1000, "share": 0.9}
    given = {"warehouses": 3, "branches": 10, "tpox_bytes": 1e7, "within_s": 2.0, "rate_hz": 5.0}
    inputs = study.inputs(asked | given)
    result = study.compute(inputs)
    assert result["knee_hz"][0] > 5.0
    assert f"transactions of {LOADS[load].title}" in study.explain(inputs, result)[0]


def test_every_input_of_a_load_is_one_of_a_question():
    fields = {name for each in (*PATHS, "path_goal") for name in studies.find(each).Inputs.model_fields}
    for offered in LOADS.values():
        assert set(offered.inputs) <= fields


def test_inputs_of_other_loads_are_said_to_have_no_effect():
    set_in_vain = {"branches": 20, "tpox_mix": "queries", "trace_references": 4, "mixes": ("lee2009",)}
    inputs = whole_path.STUDY.inputs(SMALL | ONE["whole_path"] | set_in_vain | {"load": TPOX, "own_s": 0.1})
    said = " ".join(whole_path.compute(inputs).notes)
    for part in ("Warehouses, Mixes. The load is TPoX.", "Branches. The load is TPoX.", "References of a transaction."):
        assert part in said
    assert "Processor, your own. TPoX has a processor time of its own." in said
    assert "Mix of TPoX" not in said


def test_think_times_of_a_trace_take_the_place_of_those_that_are_set():
    asked = SMALL | ONE["whole_path"] | {"load": TRACE, "think_s": 2.0, "trace": "postgresql-tpcc"}
    answers = {}
    for think in ("stamped", "given"):
        inputs = whole_path.STUDY.inputs(asked | {"trace_think": think, "seconds": 10.0})
        answers[think] = inputs, whole_path.compute(inputs)
    said = {think: " ".join(result.notes) for think, (_, result) in answers.items()}
    assert "Without effect: Think time. Users think as the times of the trace say." in said["stamped"]
    assert "Without effect: Think time." not in said["given"]
    assert "think times are those of the trace, 3.11 ms on average" in said["stamped"]
    assert f"{grouped(9141)} transactions, each ended by a write of the log, stream 21" in said["stamped"]
    for inputs, result in answers.values():
        by_law = 60 * inputs.users / (inputs.mean_think_s(inputs.think_s) + result["response_s"])
        at_the_ends = 2 * inputs.users / result["transactions"]
        assert (np.abs(result["tpm"] / by_law - 1) <= at_the_ends).all()


def test_a_larger_buffer_holds_more_of_a_trace():
    tpm = []
    for frames in (64, 8192):
        own = {"databases": ("own",), "buffer_frames": frames, "page_bytes": 4096, "page_cache_bytes": 0}
        asked = SMALL | ONE["whole_path"] | own | {"load": TRACE, "devices": ("mtron-pro-7500",), "seconds": 5.0}
        tpm.append(whole_path.compute(whole_path.STUDY.inputs(asked))["tpm"][0])
    assert tpm[1] > 2 * tpm[0]


def test_a_trace_file_of_ones_own_runs_in_the_whole_path(tmp_path):
    path = tmp_path / "mine.csv"
    random = np.random.default_rng(1)
    pages = random.integers(0, 500, 4000).tolist()
    lines = [f"{at * 0.01:.2f},{'w' if at % 3 == 0 else 'r'},{page}" for at, page in enumerate(pages)]
    path.write_text("\n".join(["arrival_s,op,page", *lines]))
    asked = SMALL | ONE["whole_path"] | {"load": TRACE, "trace": str(path), "fill": 100}
    result = whole_path.compute(whole_path.STUDY.inputs(asked))
    assert any("400 transactions, of 10 page references each, which is set and not in" in note for note in result.notes)
    assert any("think times are those of the trace, 9.97 ms" in note for note in result.notes)
    with pytest.raises(ModelError, match="fewer than the 5000 of a transaction"):
        whole_path.compute(whole_path.STUDY.inputs(asked | {"trace_references": 5000}))
    with pytest.raises(ModelError, match="no write of stream 7 marks a commit"):
        whole_path.compute(whole_path.STUDY.inputs(asked | {"trace_log": 7}))
    path.write_text("arrival_s,op,page\n")
    with pytest.raises(ModelError) as refused:
        whole_path.compute(whole_path.STUDY.inputs(asked))
    assert "\n" not in str(refused.value)


# From a system's file


@pytest.mark.parametrize(
    ("source", "load", "trace"),
    [
        ("tpc-c", TPC_C, None),
        ("debit-credit-1992", "debit-credit", None),
        ("tpox", TPOX, None),
        ("sqlite-order-entry", TRACE, "sqlite-order-entry"),
        ("postgresql-tpcc", TRACE, "postgresql-tpcc"),
    ],
)
def test_the_load_of_a_system_is_that_of_the_question(source, load, trace):
    mine = system.System().changed({"load.source": source})
    for name in (*PATHS, "path_goal"):
        found = studies.find(name).of_system(mine)
        assert found.values["load"] == load
        assert found.values.get("trace") == trace
        assert not {"load", "trace"} & found.refused.keys()


def test_a_generated_load_that_no_path_runs_is_refused_with_its_name():
    mine = system.System().changed({"load.source": "zipf"})
    found = studies.find("whole_path").of_system(mine)
    assert "unknown load 'zipf'" in found.refused["load"]
    assert "trace" not in found.values


def test_a_system_of_tpox_is_read_back_and_refused_where_pages_are_asked_for(tmp_path):
    mine = system.System().changed({"load.source": tpox.SOURCE})
    system.write(mine, tmp_path / "mine.toml")
    assert system.read(tmp_path / "mine.toml").load.source == tpox.SOURCE
    assert "tpox" in studies.find("buffer_size").of_system(mine).refused["trace"]
    assert demand.asked(mine).generated == path_loads.Tpox()


# Bad input


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"load": "tpc-h"}, "unknown load 'tpc-h'"),
        ({"load": TPOX, "tpox_mix": "order=99"}, "must add up to 100 percent; they add up to 99"),
        ({"load": TPOX, "tpox_bytes": 1.0}, "tpox_bytes"),
        ({"load": TPOX, "tpox_mapping": "rows"}, "unknown mapping 'rows'"),
        ({"load": TRACE, "trace": "no such trace"}, "unknown trace 'no such trace'"),
        ({"load": TRACE, "trace_references": -1}, "trace_references"),
        ({"load": TRACE, "trace_log": -2}, "trace_log"),
    ],
)
def test_a_load_that_makes_no_sense_is_refused_in_a_sentence(values, sentence):
    with pytest.raises(ModelError, match=sentence) as refused:
        whole_path.STUDY.inputs(values)
    assert "\n" not in str(refused.value)


def test_a_load_of_a_class_that_is_no_kind_has_no_entry():
    assert set(path_loads.KINDS) >= {type(offered.of(_inputs(), "normal", 4096)) for offered in LOADS.values()}


def _inputs():
    return whole_path.STUDY.inputs(SMALL)
