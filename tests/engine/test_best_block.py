"""The best block size: three rules, Algorithm 1 line by line as the thesis walks through it, and the adviser."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost import studies
from pagecost.devices import PATTERNS, algorithm_1, best_block
from pagecost.devices.best_block import ALGORITHM_1, CRITERIA, KIB
from pagecost.errors import ModelError
from pagecost.studies.devices import best_block_size
from pagecost.studies.devices.best_block_size import AGREES, DIFFERS, NO_BASELINE

STUDY = studies.find("best_block_size")
# Fernando 2011, §4.1, scenarios 1 to 8: the lines that the text walks through, and the size in KB
SCENARIOS = [
    ("hard disk", "sequential read", [1, 2, 3], 64),
    ("hard disk", "random read", [1, 2, 4, 5], 1024),
    ("hard disk", "sequential write", [1, 2, 4, 6, 7], 4),
    ("hard disk", "random write", [1, 2, 4, 6, 8, 9], 256),
    ("flash drive", "sequential read", [1, 11, 12, 13], 64),
    ("flash drive", "random read", [1, 11, 12, 13], 64),
    ("flash drive", "sequential write", [1, 11, 12, 14, 15], 16),
    ("flash drive", "random write", [1, 11, 12, 14, 16, 17], 1024),
    *(("solid state disk", pattern, [1, 11, 19, 20], 1024) for pattern in PATTERNS),
]


@pytest.mark.parametrize(("device", "pattern", "lines", "block_kib"), SCENARIOS)
def test_the_eight_scenarios_run_the_lines_that_the_thesis_walks_through(device, pattern, lines, block_kib):
    steps = algorithm_1.steps(device, pattern)
    assert [step.line for step in steps] == lines
    assert steps[-1].block_kib == block_kib
    assert [step.outcome for step in steps[:-1]].count(True) == (1 if device == "solid state disk" else 2)
    assert steps[-2].outcome is True


@pytest.mark.parametrize("device", ALGORITHM_1)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_step_says_what_its_line_of_the_listing_says(device, pattern):
    listing = algorithm_1.listing()
    assert len(listing) == 21
    for step in algorithm_1.steps(device, pattern):
        assert step.text in listing[step.line - 1]
    assert algorithm_1.steps(device, pattern)[-1].block_kib * KIB == best_block.algorithm_1(device, pattern)


def test_the_listing_opens_and_closes_every_condition():
    listing = [line.strip() for line in algorithm_1.listing()]
    assert listing[0] == "if storageDevice == HDD"
    assert [number for number, line in enumerate(listing, start=1) if line == "end if"] == [10, 18, 21]


def test_a_query_stands_for_a_pattern():
    assert best_block.pattern_of("whole table") == "sequential read"
    assert best_block.pattern_of("selective WHERE") == "random read"
    assert best_block.pattern_of("random write") == "random write"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: algorithm_1.steps("floppy", "random read"), "unknown device class of Algorithm 1 'floppy'"),
        (lambda: algorithm_1.steps("hard disk", "zigzag"), "unknown access pattern 'zigzag'"),
        (lambda: best_block.pattern_of("a join"), "unknown query or access pattern 'a join'; known: whole table"),
        (lambda: best_block.best("nicest", [1], [1.0]), "unknown criterion 'nicest'"),
        (lambda: best_block.best("iops", [1, 2], [np.nan, np.nan]), "no throughput is known"),
        (lambda: STUDY.inputs({"criterion": "nicest"}), "best_block_size: criterion: unknown criterion 'nicest'"),
        (lambda: STUDY.inputs({"within": 1.5}), "within should be less than 1; got 1.5"),
        (lambda: STUDY.inputs({"detail": "a join"}), "unknown query or access pattern 'a join'"),
        (lambda: STUDY.inputs({"devices": ("ocz-vertex-ex",)}), "too little is known"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, sentence):
    with pytest.raises(ModelError, match=sentence):
        call()


@given(
    fixed_s=st.floats(1e-6, 1e-1),
    rate=st.floats(1e5, 1e10),
    share=st.floats(0.5, 0.999),
    count=st.integers(2, 14),
)
def test_with_a_cost_per_request_the_rules_are_ordered_and_the_near_best_follows_from_the_line(
    fixed_s, rate, share, count
):
    """t = a + B / r: throughput rises with B, requests fall; B / (a r + B) >= s · best gives the smallest B."""
    sizes = np.array([512 << k for k in range(count)])
    throughput = sizes / (fixed_s + sizes / rate)
    chosen = {name: best_block.best(name, sizes, throughput, share) for name in CRITERIA}
    assert chosen["iops"] <= chosen["near_best"] <= chosen["throughput"]
    assert chosen["near_best"] == sizes[throughput >= share * throughput[-1]][0]
    below = sizes[sizes < chosen["near_best"]]
    assert (below / (fixed_s + below / rate) < share * throughput[-1]).all()


def test_of_equal_sizes_throughput_takes_the_smallest_and_requests_the_largest():
    sizes = np.array([512, 1024, 2048, 4096])
    assert best_block.best("throughput", sizes, np.full(4, 7e7)) == 512
    assert best_block.best("iops", sizes, sizes * 3000.0) == 4096
    assert best_block.best("iops", sizes, np.array([np.nan, 5.0, 1.0, 1.0])) == 1024


def test_the_adviser_compares_every_cell_with_algorithm_1_and_agrees_as_the_ledger_says():
    inputs = STUDY.inputs(preset="thesis plan: its five devices and block sizes")
    result = STUDY.compute(inputs)
    assert len(result) == 20
    named = np.isin(result["device"], ["fernando-hard-disk", "fernando-flash-drive", "fernando-ssd"])
    assert (
        result["verdict"][named] == AGREES
    ).sum() == 7  # as the claims F33.rule: the SSD's reads since its overhead counts
    assert set(result["verdict"]) == {AGREES, DIFFERS}
    for i in range(len(result)):
        agrees = result["block_bytes"][i] == result["algorithm_1_bytes"][i]
        assert (result["verdict"][i] == AGREES) == agrees
        assert 0 < result["algorithm_1_share"][i] <= 1
    assert np.array_equal(result["block_bytes"], result["near_best_bytes"])


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_choice_is_the_column_of_the_criterion_and_its_numbers_are_the_models(criterion):
    inputs = STUDY.inputs({"criterion": criterion})
    result = STUDY.compute(inputs)
    assert np.array_equal(result["block_bytes"], result[f"{criterion}_bytes"])
    assert result["throughput_bytes_per_s"] == pytest.approx(result["block_bytes"] * result["iops"])
    assert result["device_s"] == pytest.approx(1 / result["iops"])


def test_a_where_that_needs_one_page_is_served_best_by_blocks_of_a_page():
    result = STUDY.compute(STUDY.inputs({"useful_bytes": 4096, "criterion": "throughput"}))
    random = np.isin(result["pattern"], ["random read"])
    assert set(result["block_bytes"][random]) == {4096}
    whole = STUDY.compute(STUDY.inputs({"criterion": "throughput"}))
    sequential = result["pattern"] == "sequential read"
    assert np.array_equal(result["block_bytes"][sequential], whole["block_bytes"][sequential])


def test_a_measured_device_is_advised_without_a_baseline_and_only_within_its_measured_sizes(tmp_path):
    jobs = [
        {"jobname": size, "groupid": at, "job options": {"rw": "randread", "bs": size}, "read": {"iops": iops}}
        for at, (size, iops) in enumerate((("8k", 100.0), ("16k", 80.0)))
    ]
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"fio version": "fio-3.33", "jobs": jobs}))
    result = STUDY.compute(STUDY.inputs({"devices": ("wd400bb",), "fio_file": str(path)}))
    (row,) = result.rows(device="mine")
    assert result["pattern"][row] == "random read"
    assert result["block_bytes"][row] == 16384
    assert result["verdict"][row] == NO_BASELINE


def test_a_fio_result_at_other_sizes_is_not_advised(tmp_path):
    jobs = [
        {"jobname": size, "groupid": at, "job options": {"rw": "randread", "bs": size}, "read": {"iops": iops}}
        for at, (size, iops) in enumerate((("2m", 50.0), ("8m", 13.0)))
    ]
    path = tmp_path / "large.json"
    path.write_text(json.dumps({"fio version": "fio-3.33", "jobs": jobs}))
    inputs = STUDY.inputs({"devices": ("wd400bb",), "fio_file": str(path)})
    assert STUDY.compute(inputs).rows(device="large").size == 0, "nothing is claimed outside the measured sizes"
    drawn = best_block_size.drawn_curves(inputs)["large"]
    assert drawn.block_bytes.tolist() == [2 * 1024 * KIB, 8 * 1024 * KIB], "drawn where measured"


def test_a_measured_device_alone_is_advised_and_without_any_of_its_sizes_the_answer_is_empty():
    alone = STUDY.inputs({"devices": ("fio-virtual-disk",)})
    assert set(STUDY.compute(alone)["verdict"]) == {NO_BASELINE}
    none = STUDY.inputs({"devices": ("fio-virtual-disk",), "block_sizes_bytes": (512,)})
    result = STUDY.compute(none)
    assert len(result) == 0
    assert STUDY.explain(none, result) == ["Of none of the devices two block sizes are known with random reads."]


def test_the_reasons_name_the_term_that_algorithm_1_pays():
    result = STUDY.compute(STUDY.inputs(preset="thesis plan: its five devices and block sizes"))
    (row,) = result.rows(device="fernando-hard-disk", pattern="random write")
    assert "256 KiB of Algorithm 1 gives only 73%" in result["reason"][row]
    assert "most of it rotational latency" in result["reason"][row]
    lines = STUDY.explain(STUDY.inputs(), STUDY.compute(STUDY.inputs()))
    assert any("runs lines 1, 11, 12, 13" in line for line in lines)
