"""The whole path as studies: laws on their tables, and what must hold of every answer."""

import numpy as np
import pytest

from pagecost import oltp, studies
from pagecost.answers import path_runs
from pagecost.answers.path_runs import Cleaner
from pagecost.errors import ModelError
from pagecost.studies.path import cleaning_interval, ssd_or_disks, whole_path
from pagecost.studies.path.path_inputs import Point, case_of

SMALL = {"warehouses": 3, "users": 8, "page_cache_bytes": 2**26, "seconds": 5.0}


@pytest.fixture(scope="module")
def answer():
    """A small grid: three file systems on two drives."""
    inputs = whole_path.STUDY.inputs(
        SMALL | {"devices": ("mtron-pro-7500", "intel-x25-e"), "file_systems": ("in-place", "log-structured", "none")}
    )
    seen = []
    result = whole_path.compute(inputs, lambda share, partial: seen.append((share, partial)))
    return inputs, result, seen


def test_the_terms_of_a_response_add_up_to_it(answer):
    _, result, _ = answer
    terms = np.sum([result[term] for term in oltp.TERMS], axis=0)
    assert terms == pytest.approx(result["response_s"], rel=1e-9)


def test_throughput_follows_from_the_users_and_the_response_time(answer):
    inputs, result, _ = answer
    by_law = 60 * inputs.users / result["response_s"]
    at_the_ends = 2 * inputs.users / result["transactions"]  # each is within a transaction when a run begins and ends
    assert (np.abs(result["tpm"] / by_law - 1) <= at_the_ends).all()


def test_the_answer_grows_system_by_system(answer):
    inputs, result, seen = answer
    shares = [share for share, _ in seen]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert [len(partial) for _, partial in seen] == list(range(1, len(whole_path.points_of(inputs)) + 1))
    assert len(seen[-1][1]) == len(result)


def test_whoever_cancels_gets_no_answer():
    class Cancelled(Exception):
        pass

    def stop(share, partial):
        raise Cancelled

    with pytest.raises(Cancelled):
        whole_path.compute(whole_path.STUDY.inputs(SMALL | {"devices": ("intel-x25-e",), "seed": 3}), stop)


@pytest.mark.parametrize("layout", ["in-place", "log-structured"])
def test_what_the_device_writes_is_data_log_metadata_and_cleaning(layout):
    inputs = whole_path.STUDY.inputs(SMALL | {"seconds": 20.0})
    point = Point(database="commercial", device="intel-x25-e", file_system=layout, cleaner=Cleaner(interval_s=3.0))
    run = path_runs.measured(case_of(inputs, point, 0, 20.0))
    written = run.moved_bytes["device", "write"]
    caused = sum(size for (_, operation), size in run.by_cause.items() if operation == "write")
    assert written == pytest.approx(caused, rel=0.02)  # what is under way at both ends
    cleaned = run.by_cause.get(("cleaning: write", "write"), 0)
    assert (cleaned > 0) == (layout == "log-structured")


def test_without_a_file_system_the_device_does_what_the_database_writes():
    inputs = whole_path.STUDY.inputs(SMALL | {"devices": ("intel-x25-e",), "file_systems": ("none",)})
    result = whole_path.compute(inputs)
    assert result["write_factor"][0] == pytest.approx(1.0, rel=0.02)


def test_cleaning_costs_a_log_whose_device_has_much_to_do():
    inputs = cleaning_interval.STUDY.inputs(SMALL | {"devices": ("mtron-pro-7500",), "commercial_s": 0.0})
    result = cleaning_interval.compute(inputs)
    rows = result.rows(device="mtron-pro-7500")
    assert result["loss"][rows][0] == 0.0
    assert result["cleaned_bytes_per_s"][rows][1] > result["cleaned_bytes_per_s"][rows][2] > 0
    assert result["loss"][rows][1] > 0


def test_one_device_beside_several_shares_out_the_lead():
    inputs = ssd_or_disks.STUDY.inputs(
        {"warehouses": 3, "counts": (1, 4), "mixes": ("order-status",), "seconds": 5.0, "ssd": "intel-x25-e"}
    )
    result = ssd_or_disks.compute(inputs)
    (ssd,) = result.rows(role="ssd")
    for row in result.rows(role="disks"):
        assert result["lead"][row] == pytest.approx(result["tps"][ssd] / result["tps"][row])
    one, four = result["tps"][result.rows(role="disks")]
    assert one < four < 4 * one * 1.05


def test_a_grid_that_is_too_large_is_refused_in_one_sentence():
    with pytest.raises(ModelError, match="may have 64 systems; got 96"):
        studies.find("whole_path").inputs(
            {
                "devices": ("hgst-7k1000-750gb", "mtron-pro-7500", "intel-x25-e", "cheetah-15k5"),
                "databases": ("commercial", "mysql"),
                "mixes": ("normal", "read-intensive", "write-intensive"),
                "buffers_bytes": (0.0, 33554432.0),
            }
        )


def test_a_run_that_is_cut_short_for_want_of_transactions_says_so():
    fast = {"databases": ("own",), "own_s": 1e-4, "processors": 16, "users": 200, "buffer_frames": 65536}
    fast |= {"mixes": ("order-status",), "devices": ("intel-x25-e",), "file_systems": ("in-place",), "warehouses": 3}
    result = whole_path.compute(whole_path.STUDY.inputs(fast | {"seconds": 60.0}))
    assert any("ended before their time" in note for note in result.notes)
    whole = whole_path.compute(whole_path.STUDY.inputs(SMALL | {"devices": ("mtron-pro-7500",)}))
    assert not any("ended before their time" in note for note in whole.notes)


def test_a_typed_mix_stands_beside_those_with_names():
    asked = SMALL | {
        "devices": ("intel-x25-e",),
        "file_systems": ("none",),
        "mixes": ("lee2009", "own"),
        "seconds": 1.0,
    }
    result = whole_path.compute(whole_path.STUDY.inputs(asked))  # the default of one's own is that of Lee
    assert list(result["mix"]) == ["lee2009", "own"]
    assert result["tpm"][0] == result["tpm"][1]
    assert any(note.startswith("Your own mix, in percent: new-order=45,payment=43") for note in result.notes)
    with pytest.raises(ModelError, match="must add up to 100 percent; they add up to 99"):
        whole_path.STUDY.inputs(asked | {"own_mix": "new-order=99"})
