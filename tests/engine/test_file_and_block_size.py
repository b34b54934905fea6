"""File size × block size: the mechanisms by hand, and what cannot be concluded from a hidden pattern."""

import numpy as np
import pytest

from pagecost import devices, studies
from pagecost.errors import ModelError
from pagecost.studies.devices.file_and_block_size import BLOCKS, FILES, MIB, PATTERNS, best_blocks, mean_request_s

STUDY = studies.find("file_and_block_size")
QUIET = {"noise": 0.0, "cache_bytes": 0}


def test_without_scatter_and_cache_the_pure_patterns_are_the_devices_own():
    inputs = STUDY.inputs(QUIET)
    result = STUDY.compute(inputs)
    disk, blocks = devices.load(inputs.device), np.array(BLOCKS)
    for pattern in ("sequential", "random"):
        rows = result.rows(pattern=pattern, file_bytes=64 * MIB)
        expected = blocks / disk.service(f"{pattern} read", blocks, 64 * MIB).total_s
        for name in ("throughput_bytes_per_s", "low_bytes_per_s", "high_bytes_per_s"):
            assert result[name][rows] == pytest.approx(expected)


def test_a_mixture_is_the_mean_of_its_requests():
    """The guesses are uniform in 0..m: the median run has half the largest share."""
    inputs = STUDY.inputs({**QUIET, "most_random": 0.5, "replications": 5000})
    sequential_s, random_s = (times[FILES.index(inputs.file_bytes)] for times in mean_request_s(inputs))
    rows = STUDY.compute(inputs).rows(pattern="hidden", file_bytes=inputs.file_bytes)
    rate = STUDY.compute(inputs)["throughput_bytes_per_s"][rows]
    assert rate == pytest.approx(np.array(BLOCKS) / (0.25 * random_s + 0.75 * sequential_s), rel=0.03)  # 5000 guesses


def test_the_cache_holds_a_file_read_in_order_whole_or_not_at_all_and_one_read_at_random_in_part():
    inputs = STUDY.inputs({"cache_bytes": 64 * MIB, "cache_bytes_per_s": 1e9, "hit_s": 1e-6})
    sequential_s, random_s = mean_request_s(inputs)
    bare_sequential_s, bare_random_s = mean_request_s(STUDY.inputs({"cache_bytes": 0}))
    hit_s = 1e-6 + np.array(BLOCKS) / 1e9
    for at, file_bytes in enumerate(FILES):
        if file_bytes <= 64 * MIB:
            assert sequential_s[at] == pytest.approx(hit_s)
            assert random_s[at] == pytest.approx(hit_s)
        else:
            held = 64 * MIB / file_bytes
            assert sequential_s[at] == pytest.approx(bare_sequential_s[at])
            assert random_s[at] == pytest.approx(held * hit_s + (1 - held) * bare_random_s[at])


def test_writes_go_through_the_cache():
    written = [mean_request_s(STUDY.inputs({"operation": "write", "cache_bytes": size}))[0] for size in (0, 512 * MIB)]
    assert np.array_equal(*written)


def test_a_small_partition_shortens_the_stroke():
    """The thesis' 41 MB partition against the whole disk: random requests seek over it, sequential ones do not care."""
    small, whole = (
        mean_request_s(STUDY.inputs({**QUIET, "place": "scattered", "partition_bytes": size})) for size in (41e6, 4e10)
    )
    fits = np.array(FILES) <= 41e6
    assert np.array_equal(small[0][fits], whole[0][fits])
    disk = devices.load("fernando-hard-disk")
    saved = disk.mean_seek_s(4e10) - disk.mean_seek_s(41e6)
    assert saved > 5e-3
    assert whole[1][fits] - small[1][fits] == pytest.approx(saved)
    assert np.isnan(small[1][~fits]).all()


def test_a_file_that_does_not_fit_into_the_partition_is_left_out_and_said():
    inputs = STUDY.inputs({"partition_bytes": 41e6, "file_bytes": 512 * MIB})
    result = STUDY.compute(inputs)
    assert np.isnan(result["throughput_bytes_per_s"][result.rows(file_bytes=512 * MIB)]).all()
    assert best_blocks(result, "hidden")["file_bytes"].max() <= 41e6
    assert STUDY.explain(inputs, result) == ["A file of 512 MiB does not fit into the partition."]
    assert any("cannot have run on the 41 MB partition" in note for note in result.notes)


def test_in_the_cache_chance_names_the_best_block_and_without_scatter_it_is_the_largest():
    scattered = best_blocks(STUDY.compute(STUDY.inputs()), "sequential")
    cached = scattered["file_bytes"] <= 64 * MIB
    assert (scattered["high"][cached] >= 4 * scattered["low"][cached]).all(), "8 of 10 runs differ by 2 steps or more"
    quiet = best_blocks(STUDY.compute(STUDY.inputs({"noise": 0.0})), "sequential")
    assert set(quiet["low"]) == {BLOCKS[-1]}


def test_the_larger_the_random_share_the_surer_the_largest_block_whatever_the_file():
    """So a trend over the file size says something of the cache and the tool, not of the device."""
    for most in (0.05, 0.25, 1.0):
        result = STUDY.compute(STUDY.inputs({"cache_bytes": 0, "most_random": most}))
        largest = result.rows(pattern="hidden", block_bytes=BLOCKS[-1])
        assert np.ptp(result["wins"][largest]) < 0.25  # 200 runs: 3.5 % of standard deviation each
    assert result["wins"][largest].min() > 0.8
    assert set(best_blocks(result, "random")["low"]) == {BLOCKS[-1]}


def test_shares_of_runs_add_up_and_the_band_holds_the_median():
    result = STUDY.compute(STUDY.inputs())
    for pattern in PATTERNS:
        for file_bytes in FILES:
            assert result["wins"][result.rows(pattern=pattern, file_bytes=file_bytes)].sum() == pytest.approx(1)
        found = best_blocks(result, pattern)
        assert (found["low"] <= found["median"]).all()
        assert (found["median"] <= found["high"]).all()
    low, middle, high = (result[f"{name}_bytes_per_s"] for name in ("low", "throughput", "high"))
    assert (low <= middle).all()
    assert (middle <= high).all()


def test_another_seed_gives_other_runs():
    assert STUDY.compute(STUDY.inputs({"seed": 2})).csv() != STUDY.compute(STUDY.inputs()).csv()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"device": "floppy"}, "unknown device 'floppy'"),
        ({"operation": "trim"}, "unknown operation 'trim'"),
        ({"place": "on tape"}, "unknown place of a file 'on tape'"),
        ({"file_bytes": 512}, "greater than or equal to 1048576; got 512"),
        ({"most_random": 2}, "less than or equal to 1; got 2"),
        ({"replications": 1}, "greater than or equal to 10; got 1"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(values, sentence):
    with pytest.raises(ModelError, match=sentence):
        STUDY.inputs(values)
