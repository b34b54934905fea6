"""The whole path as studies: laws on their tables, and what must hold of every answer."""

import numpy as np
import pytest

from pagecost import catalogue, oltp, studies, system
from pagecost.answers import path_loads, path_runs
from pagecost.answers.path_runs import Case, Cleaner
from pagecost.errors import ModelError
from pagecost.oltp.loads import ROLLED_BACK
from pagecost.studies.path import cleaning_interval, ssd_or_disks, whole_path
from pagecost.studies.path.path_answers import case_of
from pagecost.studies.path.path_inputs import Point
from pagecost.workload.tpcc import TpcC

SMALL = {"warehouses": 3, "users": 8, "page_cache_bytes": 2**26, "seconds": 5.0}


@pytest.fixture(scope="module")
def answer():
    """A small grid: three file systems on two drives."""
    inputs = whole_path.STUDY.inputs(
        SMALL | {"devices": ("mtron-pro-7500", "intel-x25-e"), "file_systems": ("in-place", "log-structured", "none")}
    )
    seen = []
    result = whole_path.compute(inputs, lambda share, growing: seen.append((share, growing())))
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


@pytest.mark.parametrize(
    ("changed", "said"),
    [({}, False), ({"checkpoint_s": 2.0}, True), ({"checkpoint_s": 2.0, "strategy": "FORCE"}, False)],
    ids=["without", "with", "forced"],
)
def test_an_answer_with_checkpoints_says_what_the_first_of_them_writes(changed, said):
    alone = {"devices": ("intel-x25-e",), "file_systems": ("none",)}
    result = whole_path.STUDY.compute(whole_path.STUDY.inputs(SMALL | alone | changed))
    assert any(note.startswith("The first checkpoint writes") for note in result.notes) == said


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


def test_a_log_of_its_own_helps_the_disks_and_is_paid_for_on_both_sides():
    values = {"warehouses": 3, "counts": (2,), "mixes": ("new-order",), "seconds": 5.0, "users": 8}
    values |= {"ssd": "intel-x25-m-g2-80gb", "disk": "wd800aajs"}
    log = {"log_device": "intel-x25-m-g2-160gb", "log_count": 2}
    together, apart = (ssd_or_disks.compute(ssd_or_disks.STUDY.inputs(values | more)) for more in ({}, log))
    (disks,) = together.rows(role="disks")
    assert apart["tps"][disks] > 1.1 * together["tps"][disks]
    devices = catalogue.devices()
    for row in range(len(together)):
        assert apart["usd"][row] == together["usd"][row] + 2 * devices["intel-x25-m-g2-160gb"].price_usd
        data_bytes, log_bytes = (
            count * devices[name].value("capacity_bytes")
            for name, count in ((str(apart["device"][row]), apart["count"][row]), ("intel-x25-m-g2-160gb", 2))
        )
        assert apart["iops_per_gb"][row] == pytest.approx(apart["iops"][row] / (data_bytes + log_bytes) * 1e9)
    assert any("The log has 2" in note for note in apart.notes), apart.notes
    assert any("with the log's own devices" in note for note in apart.notes)


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


def test_a_device_that_cannot_hold_the_database_is_left_out_by_name_and_the_others_answer():
    asked = {"devices": ("fernando-memory-stick", "intel-x25-e"), "file_systems": ("none",), "warehouses": 20}
    result = whole_path.compute(whole_path.STUDY.inputs(SMALL | asked | {"seconds": 1.0}))
    assert list(result["device"]) == ["intel-x25-e"]
    (why,) = [note for note in result.notes if note.startswith("Left out")]
    assert "Sony Memory Stick" in why
    assert "larger than its device" in why


# What is set, and what it moves


def test_what_is_not_set_is_as_it_always_was():
    """The same case by value is the same answer: no switch has moved what was asked before there were switches."""
    load = TpcC(warehouses=30, mix="normal", page_bytes=16384)
    asked = Case(
        setup=oltp.Setup(
            users=30,
            processors=oltp.Processors(
                servers=2, transaction_s=tuple((kind, share * 8.7e-3) for kind, share in path_loads.demands(load))
            ),
            buffer=oltp.Buffer(frames=256, write_batch=64),
            page_cache=oltp.PageCache(pages=int(1.9 * 2**30 // 16384)),
            file_system=path_runs.file_system("log-structured", Cleaner()),
            volume_bytes=6 * 2**30 + 1.2 * sum(load.pages_of().values()) * 16384,
            cleaning=False,
            log=oltp.Log(group_size=30, buffer_bytes=2 * 2**20),
            storage=oltp.Storage(drive=path_runs.drive("intel-x25-e"), scheduler="anticipatory"),
        ),
        load=load,
        transaction_s=8.7e-3,
        seconds=20.0,
        fill=20_000,
        seed=1,
    )
    inputs = whole_path.Inputs(devices=("intel-x25-e",), databases=("mysql",), file_systems=("log-structured",))
    assert [case_of(inputs, point, 0, 20.0) for point in whole_path.points_of(inputs)] == [asked]


def _each(name):
    return lambda run: run.counts[name] / run.transactions


def _count(name):
    return lambda run: 1 + run.counts[name]


def _term(name):
    return lambda run: run.composition[name]


def _written_per_transaction(run):
    return sum(run.written_bytes[name] for name in run.devices()) / run.transactions


def _log_written(run):
    return sum(run.written_bytes[name] for name in run.devices(of_log=True)) / run.transactions


FAST = {"devices": ("intel-x25-e",)}
COLD = {"mixes": ("own",), "own_mix": "stock-level=100", "fill": 0, "page_cache_bytes": 2**26}
SWITCHES = {
    # what is set, where, which number grows and at least so many times: from the value that is not asked for, or to it
    "every page of an index is a reference": ({"indexes": "with"}, {}, _each("logical reads"), 2),
    "some are rolled back": ({"aborts": "with"}, FAST, lambda run: 1 + run.by_type.get(ROLLED_BACK, 0.0), 1.1),
    "caches that are cold miss": ({"fill": 0}, {}, _each("page reads"), 1.3),
    "who writes at once waits": ({"page_cache_writes": "through"}, {"page_cache_writes": "back"}, _term("write_s"), 10),
    "pages are read ahead": ({"read_ahead_pages": 32}, COLD | {"read_ahead_pages": 0}, _count("pages read ahead"), 10),
    "checkpoints write": ({"checkpoint_s": 1.0}, {}, _count("checkpoint writes"), 100),
    "alone each commit writes": ({"group_size": 1}, {"users": 30}, _each("log writes"), 1.2),
    "the first of a group waits": ({"group_wait_s": 0.2}, {}, _term("log_s"), 2),
    "a request takes a processor": ({"io_s": 1e-3}, {}, _term("processor_s"), 2),
    "the log has a device": ({"log_device": "cheetah-15k5"}, {}, lambda run: len(run.utilisation), 1.4),
    "two devices carry more": ({"count": 2}, {}, lambda run: run.tps, 1.3),
    "a mirror writes twice": ({"level": "raid-1"}, {"count": 2}, _written_per_transaction, 1.9),
    "a parity is written, too": ({"level": "raid-5"}, {"count": 4}, _written_per_transaction, 1.4),
    "the log has several devices": (
        {"log_count": 3},
        {"log_device": "cheetah-15k5"},
        lambda run: len(run.devices(of_log=True)),
        2.9,
    ),
    "the log is mirrored": ({"log_level": "raid-1"}, {"log_device": "cheetah-15k5", "log_count": 2}, _log_written, 1.9),
    "Debit-Credit reads what it writes": ({"load": "tpc-c"}, {"load": "debit-credit"}, _each("logical reads"), 2),
}


@pytest.mark.parametrize("what", SWITCHES)
def test_each_switch_moves_the_number_that_it_should(what):
    changes, base, number, factor = SWITCHES[what]
    common = {"devices": ("mtron-pro-7500",), "file_systems": ("none",), "seconds": 3.0, "page_cache_bytes": 2**24}
    made = []
    for asked in (SMALL | common | base, SMALL | common | base | changes):
        inputs = whole_path.STUDY.inputs(asked)
        (point,) = whole_path.points_of(inputs)
        made.append(number(path_runs.measured(case_of(inputs, point, 0, inputs.seconds))))
    assert made[1] > factor * made[0]


def test_what_is_set_and_has_no_effect_is_said():
    asked = SMALL | FAST | {"file_systems": ("none",), "seconds": 1.0}
    nothing = whole_path.compute(whole_path.STUDY.inputs(asked))
    assert not any("Without effect" in note for note in nothing.notes)
    ignored = {"buffer_frames": 300, "policy": "arc", "mysql_s": 1e-3, "page_cache_bytes": 0, "read_ahead_pages": 8}
    ignored |= {"log_flush": "later", "group_size": 3, "log_count": 2}
    result = whole_path.compute(whole_path.STUDY.inputs(asked | ignored | {"load": "debit-credit", "indexes": "with"}))
    said = " ".join(note for note in result.notes if note.startswith("Without effect"))
    for title in ("Buffer, Replacement", "Processor, MySQL", "Read ahead", "Group commit", "Warehouses, Indexes"):
        assert title in said
    assert "Devices of the log. The log lies with the data." in said
    own = {"databases": ("own",), "buffer_frames": 300, "policy": "arc"}
    assert not any("Without effect" in note for note in whole_path.compute(whole_path.STUDY.inputs(asked | own)).notes)


def test_another_buffer_of_a_system_is_another_answer():
    mine = system.System().changed({"load.source": "tpc-c", "devices.database.device": "mtron-pro-7500"})
    asked = {"file_systems": ("none",), "devices": ("mtron-pro-7500",), "users": 8, "warehouses": 3, "seconds": 5.0}
    tpm = []
    for frames in (256, 16_384):
        inputs = whole_path.STUDY.inputs(asked, system=mine.changed({"memory.buffer_frames": frames}))
        assert inputs.databases == ("own",)
        tpm += whole_path.compute(inputs)["tpm"].tolist()
    assert tpm[1] > 1.1 * tpm[0]


def test_how_devices_are_joined_is_said():
    asked = SMALL | FAST | {"file_systems": ("none",), "seconds": 1.0, "level": "raid-1"}
    log = {"log_device": "cheetah-15k5", "log_count": 2, "log_level": "raid-5"}
    notes = " ".join(whole_path.compute(whole_path.STUDY.inputs(asked | log)).notes)
    assert "2 devices of each kind are joined in one group" in notes
    assert "RAID-1: mirrored, as few as that needs (asked for: 1)." in notes
    assert "The log has 3 × Seagate Cheetah 15K.5" in notes
    assert "(RAID-5: one parity) for itself" in notes


# The cleaner


def test_a_cleaner_that_never_woke_has_no_loss_and_the_answer_says_so():
    asked = SMALL | FAST | {"seconds": 3.0, "intervals_s": (10.0, 2.0)}
    result = cleaning_interval.compute(cleaning_interval.STUDY.inputs(asked))
    assert result["interval_s"].tolist() == [0.0, 2.0, 10.0]
    assert np.isnan(result["loss"]).tolist() == [False, False, True]
    assert any("too short for the cleaner to wake every 10 s" in note for note in result.notes)
    assert not any(
        "every 10 s" in line for line in cleaning_interval.explain(cleaning_interval.STUDY.inputs(asked), result)
    )


def test_a_cleaner_with_thresholds_stops_when_enough_is_clean():
    asked = SMALL | FAST | {"seconds": 5.0, "intervals_s": (1.0,)}
    freed = [
        cleaning_interval.compute(cleaning_interval.STUDY.inputs(asked | shares))["freed"][1]
        for shares in ({}, {"min_clean": 0.05, "max_clean": 0.05})
    ]
    assert freed[0] > 0 == freed[1]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"intervals_s": (0.0,)}, "must be above 0"),
        ({"intervals_s": (2.0, 2.0)}, "named twice"),
        ({"min_clean": 0.5, "max_clean": 0.1}, "in this order; got 0.5 and 0.1"),
    ],
)
def test_a_cleaner_that_makes_no_sense_is_refused(wrong, why):
    with pytest.raises(ModelError, match=why):
        cleaning_interval.STUDY.inputs(wrong)


def test_a_buffer_that_is_not_full_is_said():
    for frames, said in ((1000, False), (1_000_000, True)):
        values = {"warehouses": 50, "seconds": 1.0, "devices": ("intel-x25-e",), "file_systems": ("in-place",)}
        inputs = whole_path.STUDY.inputs(SMALL | values | {"databases": ("own",), "buffer_frames": frames})
        notes = whole_path.compute(inputs).notes
        assert any("full when the clock began" in note for note in notes) == said, frames


def test_a_run_in_which_no_transaction_ended_has_no_response_time_and_says_so():
    asked = {"devices": ("intel-x25-e",), "file_systems": ("in-place",), "io_s": 1.0, "seconds": 5.0}
    inputs = whole_path.STUDY.inputs(asked)
    result = whole_path.compute(inputs)
    assert result["transactions"][0] == 0
    (line,) = whole_path.explain(inputs, result)
    assert ": no transaction ended within 5 s; the device wrote" in line
    assert "nan" not in line
    assert [note for note in result.notes if note.startswith("A run in which no transaction ended")]
    assert not [note for note in result.notes if "response times are too short" in note]
