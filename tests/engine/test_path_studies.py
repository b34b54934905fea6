"""The questions about the path: cleaning by theory, and what adds up below a database."""

import re

import numpy as np
import pytest

from pagecost import studies
from pagecost.errors import ModelError


@pytest.mark.parametrize("reads", ["whole", "live"])
def test_uniform_overwrites_are_cleaned_at_the_cost_of_theory(reads):
    """docs/models/filesystem.md#cleaning; 4 %: 256 segments are not infinitely many."""
    study = studies.find("segment_cleaning")
    inputs = study.Inputs(
        workload="uniform", kept_apart="together", reads=reads, selections=("timestamp", "greedy"), segment_blocks=32
    )
    result = study.compute(inputs)
    theory = result.tables["theory"]
    for row in range(len(theory)):
        level, name = theory["utilisation"][row], theory["selection"][row]
        if level >= 0.5:  # below, so little lives in what is cleaned that it is of chance
            (found,) = np.unique(result["write_cost"][result.rows(selection=name, utilisation=level)])
            assert found == pytest.approx(theory["write_cost"][row], rel=0.04)
    u, cost = (result[name][result.rows(chosen=True)] for name in ("cleaned_utilisation", "write_cost"))
    assert cost == pytest.approx((2 if reads == "whole" else 1 + u) / (1 - u), rel=0.01)


@pytest.mark.parametrize("reads", ["whole", "live"])
@pytest.mark.parametrize("workload", ["sequential", "uniform"])
@pytest.mark.parametrize("level", [0.2, 0.5, 0.75])
def test_the_formula_that_is_said_gives_what_stands_behind_it_and_what_was_counted(workload, level, reads):
    """Segments that hold nothing are not read; the formula, reckoned as it is printed, says so."""
    study = studies.find("segment_cleaning")
    inputs = study.Inputs(workload=workload, kept_apart="together", reads=reads, utilisation=level)
    result = study.compute(inputs)
    said = study.explain(inputs, result)
    for line, row in zip(said, result.rows(chosen=True), strict=False):
        known = {name: float(value) for name, value in re.findall(r"\b([ue]) = ([\d.]+)", line)}
        formula, shown = re.search(r"([(\d][^;:=]*1 - u\)) = ([\d.]+)\.$", line).groups()
        assert eval(formula, known) == pytest.approx(float(shown), abs=0.02)
        assert float(shown) == pytest.approx(result["write_cost"][row], rel=0.01)
    moved_nothing = "cleaning moves no block" in study.describe(inputs, result)
    assert moved_nothing == (workload == "sequential")


def test_hot_and_cold_kept_apart_by_benefit_over_cost_stay_above_the_bound_and_below_greedy():
    study = studies.find("segment_cleaning")
    result = study.compute(study.inputs())
    theory = result.tables["theory"]
    rows = result.rows(chosen=True)
    cost = dict(zip(result["selection"][rows], result["write_cost"][rows], strict=True))
    (bound,) = np.unique(theory["write_cost"][theory.rows(selection="cost-benefit", utilisation=0.75)])
    assert bound < cost["cost-benefit"] < 0.75 * cost["greedy"] < 0.75 * cost["timestamp"]
    for name in cost:
        shares = result.tables["segments"]["segments"][result.rows_in("segments", selection=name)]
        assert shares.sum() == pytest.approx(1)


def test_what_is_programmed_adds_up_and_only_in_place_the_device_copies():
    study = studies.find("file_system_writes")
    result = study.compute(study.inputs())
    terms = sum(result[name] for name in ("data", "metadata", "log", "cleaning", "device"))
    assert result["programmed"] == pytest.approx(terms)
    physical = result["physical_per_logical"]
    assert physical * result["device_amplification"] == pytest.approx(result["programmed"], rel=1e-6)
    in_place = result["system"] == "in-place"
    assert (result["data"][in_place] == 1).all()
    assert (result["metadata"][in_place] == 1 / 16).all()  # the inode, 16 pages a sync
    assert (result["device"][in_place] > 0.2).all()
    assert (result["device"][~in_place] < 0.02).all()
    zones = result.rows(system="zones", trim="on")
    assert result["device_amplification"][zones] == 1
    assert result["wear_variation"][result.rows(system="log")].max() < 0.2 * result["wear_variation"][in_place].min()


def test_a_system_that_cannot_hold_so_much_is_left_out_with_its_reason():
    study = studies.find("file_system_writes")
    result = study.compute(study.Inputs(filled=0.9, systems=("in-place", "log"), trims=("off",)))
    assert result["system"].tolist() == ["in-place"]
    assert "in a log (nilfs2): 25951 pages of 1 blocks need" in result.notes[-1]
    with pytest.raises(ModelError, match=r"need .* segments with their metadata"):
        study.compute(study.Inputs(filled=0.9, systems=("log",), trims=("off",)))


@pytest.mark.parametrize("system", ["in-place", "log"])
def test_metadata_that_memory_has_no_room_for_are_read(system):
    study = studies.find("file_system_writes")
    read = {}
    for blocks in (1, 4, 4096):
        result = study.compute(study.Inputs(systems=(system,), trims=("off",), cached_blocks=blocks))
        read[blocks] = float(result["metadata_read"][0])
    assert read[4096] == 0
    assert read[1] > read[4] > 0


def test_a_run_that_is_short_for_its_transactions_says_so():
    """By Little's law what ended accounts for less of the users' time than there was, and the means lack slow ones."""
    study = studies.find("whole_path")
    said, missing = {}, {}
    for seconds in (5.0, 240.0):
        asked = {"devices": ("hgst-7k1000-750gb",), "file_systems": ("in-place",), "seconds": seconds}
        inputs = study.inputs(asked)
        result = study.compute(inputs)
        missing[seconds] = 1 - result["tpm"][0] / 60 * result["response_s"][0] / inputs.users
        said[seconds] = [note for note in result.notes if "had not ended with the run" in note]
    assert missing[5.0] > 0.3 > 0.05 > missing[240.0]
    assert len(said[5.0]) == 1
    assert f"{missing[5.0]:.0%}" in said[5.0][0]
    assert not said[240.0]


def test_what_is_not_known_or_was_not_done_is_said_and_no_number():
    """The chips have no power, and on one of them a scheduler ends no transaction in time."""
    said = []
    for name, asked in (
        ("ssd_or_disks", {"disk": "nand-mlc", "counts": (1, 8)}),
        ("ssd_or_disks", {"ssd": "nand-3d-qlc", "counts": (1, 8)}),
        ("io_schedulers", {"devices": ("nand-3d-qlc",)}),
    ):
        study = studies.find(name)
        inputs = study.inputs(asked)
        said += study.explain(inputs, study.compute(inputs))
    assert not [line for line in said if "nan" in line.lower().split() or "inf" in line.split()]
    assert any("not every power is known" in line for line in said)


def test_oldest_first_lies_below_its_theory_where_segments_are_live_as_a_whole_and_a_note_says_so():
    study = studies.find("segment_cleaning")
    asked = {"selections": ("timestamp",), "workload": "uniform", "kept_apart": "together", "utilisation": 0.88}
    result = study.compute(study.inputs(asked | {"segment_blocks": 8}))
    law = np.unique(result.tables["theory"]["write_cost"][result.rows_in("theory", utilisation=0.88)])
    above = law / result["write_cost"][result.rows(chosen=True)]
    assert above == pytest.approx([1.2], abs=0.05)
    assert any("live as a whole" in note and "by a fifth" in note for note in result.notes)
