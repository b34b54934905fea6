"""Years of a drive under the whole path: the stream of writes against loop and slow twin, and what must add up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import catalogue, oltp
from pagecost.answers import path_loads, path_runs, path_wear
from pagecost.answers.ssd_runs import ssd_of
from pagecost.buffer import replay
from pagecost.devices.ftl.lifetime import YEAR_S
from pagecost.errors import ModelError
from pagecost.studies.path import path_lifetime, whole_path
from pagecost.studies.path.path_answers import case_of

SMALL = {"warehouses": 2, "users": 8, "page_cache_bytes": 2**26, "seconds": 3.0, "runs": 1}


def slow_checkpoints(page, write, leaving, checkpoints, kept):
    """What checkpoints and leaving pages write, reference by reference: [(reference, "checkpoint" | "leaves", page)].

    leaving: reference -> the pages that leave for it and were changed since they came. A checkpoint leaves pages alone
    whose last change is not kept.
    """
    waiting, made = {}, []  # page -> whether its last change is kept
    for reference in range(len(page) + 1):
        if reference in checkpoints:
            taken = sorted(each for each in waiting if waiting[each])
            made += [(reference, "checkpoint", each) for each in taken]
            waiting = {each: False for each in waiting if each not in taken}
        if reference == len(page):
            break
        for each in leaving.get(reference, ()):
            if waiting.pop(each, None) is not None:
                made.append((reference, "leaves", each))
        if write[reference]:
            waiting[int(page[reference])] = bool(kept[reference])
    return made


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(2, 9), st.sampled_from([1.0, 0.8]))
def test_checkpoints_take_what_waits_and_leave_the_rest_to_who_needs_the_room(seed, every, frames, share):
    random = np.random.default_rng(seed)
    page, write = random.integers(0, 15, 120), random.random(120) < 0.5
    made = replay(page, frames, "lru", write, keep_written=True, each=True)
    left_at = np.repeat(np.arange(page.size), np.diff(made.write_backs_before, prepend=0))
    checkpoints = np.arange(every, page.size + 1, every)
    kept = random.random(120) < share
    saved, still = path_wear.checkpointed(page, write, left_at, made.written.astype(np.int64), checkpoints, kept)
    found = [(int(at), "checkpoint", int(each)) for at, each in saved]
    found += [(int(at), "leaves", int(each)) for at, each in zip(left_at[still], made.written[still], strict=True)]
    leaving = {}
    for at, each in zip(left_at.tolist(), made.written.tolist(), strict=True):
        leaving.setdefault(at, []).append(each)
    assert sorted(found) == sorted(slow_checkpoints(page, write, leaving, set(checkpoints.tolist()), kept))


@pytest.mark.parametrize(
    ("layout", "database", "checkpoint_s", "strategy"),
    [
        ("in-place", "mysql", 0.0, "NOFORCE"),
        ("log-structured", "commercial", 1.0, "NOFORCE"),
        ("none", "mysql", 0.0, "NOFORCE"),
        ("in-place", "commercial", 0.0, "FORCE"),
    ],
)
def test_the_stream_writes_what_the_loop_writes(layout, database, checkpoint_s, strategy):
    """2 % of the database's bytes: the loop's buffer meets its users' references in another order, and 10 s are short.
    Below, the stream cleans a log that is a tenth full at most, which the loop's short run does not. Forced: up to a
    tenth more, because a user's commit in the loop also writes what others have changed on its pages by then, which
    they need not write again."""
    inputs = path_lifetime.STUDY.inputs(
        SMALL
        | {"file_systems": (layout,), "devices": ("intel-x25-e",), "databases": (database,), "other_share": 0.0}
        | {"checkpoints_s": (checkpoint_s,), "buffers_bytes": (2.0**23,), "seconds": 10.0}
        | {"strategy": strategy}
    )
    (point,) = path_lifetime.points_of(inputs)
    run = path_runs.measured(case_of(inputs, point, 0, 10.0))
    below = path_lifetime.below_of(inputs, point, 0, run)
    verbs = path_wear.stream(below, oltp.tpcc(below.load, transactions=path_wear.TRANSACTIONS, seed=below.seed))
    written = run.moved_bytes["database", "write"] / run.transactions
    ratio = verbs.asked_bytes.sum() / path_wear.TRANSACTIONS / written
    assert 0.98 < ratio < (1.1 if strategy == "FORCE" else 1.02)
    factor, of_loop = path_wear.wear_below(below).file_system, whole_path.write_factor(run)
    assert 0.98 * of_loop < factor < (1.12 if layout == "log-structured" else 1.02) * of_loop


@pytest.mark.parametrize(
    ("load", "within"),
    [
        ({"load": "debit-credit", "branches": 4}, 0.03),
        ({"load": "tpox", "tpox_bytes": 1e7, "tpox_mix": "writers"}, 0.03),
        ({"load": "trace", "trace": "postgresql-order-entry"}, 0.1),
    ],
    ids=["debit-credit", "tpox", "trace"],
)
def test_the_stream_of_any_load_writes_what_the_loop_writes(load, within):
    """As small as the stream has it, so that nothing is scaled. A trace is in another order where several replay it."""
    inputs = path_lifetime.STUDY.inputs(
        SMALL | {"file_systems": ("in-place",), "devices": ("intel-x25-e",), "other_share": 0.0, "seconds": 10.0} | load
    )
    (point,) = path_lifetime.points_of(inputs)
    run = path_runs.measured(case_of(inputs, point, 0, 10.0))
    below = path_lifetime.below_of(inputs, point, 0, run)
    made = path_wear.changing(below)
    written = run.moved_bytes["database", "write"] / run.transactions
    assert path_wear.stream(below, made).asked_bytes.sum() / made.transactions == pytest.approx(written, rel=within)


@pytest.mark.parametrize(
    ("load", "usual"),
    [
        ({"warehouses": 30}, "SCALED_WAREHOUSES"),
        ({"load": "debit-credit", "branches": 50}, "SCALED_BRANCHES"),
    ],
    ids=["tpc-c", "debit-credit"],
)
def test_a_part_of_the_data_is_worn_as_twice_that_part(load, usual, monkeypatch):
    """Bytes given to the device per byte of the database, to 6 %: until 0.3.0 two of thirty warehouses stood for all,
    with a checkpoint as seldom as for all, and a log was given two thirds of what it is."""
    made, most = [], getattr(path_loads, usual)
    for times in (1, 2):
        monkeypatch.setattr(path_loads, usual, times * most)
        inputs = path_lifetime.STUDY.inputs(
            {"file_systems": ("log-structured",), "devices": ("intel-x25-e",), "seconds": 3.0, "runs": 1} | load
        )
        (point,) = path_lifetime.points_of(inputs)
        run = path_runs.measured(case_of(inputs, point, 0, inputs.seconds))
        made.append(path_wear.wear_below(path_lifetime.below_of(inputs, point, 0, run)))
    assert made[0].file_system == pytest.approx(made[1].file_system, rel=0.06)


@pytest.fixture(scope="module")
def answer():
    """Two file systems on two SSDs, a disk, and an SSD of which no chips are known."""
    inputs = path_lifetime.STUDY.inputs(
        SMALL
        | {"devices": ("mtron-pro-7500", "intel-x25-e", "hgst-7k1000-750gb", "intel-x25-m-g1"), "other_share": 0.9}
    )
    return inputs, path_lifetime.compute(inputs)


def test_each_layer_follows_from_the_one_above_it(answer):
    _, result = answer
    above = result["asked_bytes_per_s"]
    for layer in ("database", "file_system", "flash"):
        below = result[f"{'device' if layer == 'file_system' else layer}_bytes_per_s"]
        assert below == pytest.approx(above * result[f"{layer}_factor"], rel=1e-9, nan_ok=True)
        above = below


def test_years_are_rated_bytes_over_what_the_device_is_given(answer):
    _, result = answer
    rated = {"mtron-pro-7500": 2.555e15, "intel-x25-e": 2e15}  # wang2011 Table 5
    for row in range(len(result)):
        device, years = str(result["device"][row]), result["lifetime_s"][row] / YEAR_S
        if device not in rated:
            assert np.isnan(years)
            continue
        assert years == pytest.approx(rated[device] / result["device_bytes_per_s"][row] / (365 * 86400), rel=1e-9)
        assert result["lifetime_low_s"][row] < result["lifetime_s"][row] < result["lifetime_high_s"][row]
    said = " ".join(result.notes)
    assert "not worn by writes" in said
    assert path_runs.drives()["intel-x25-m-g1"] in said
    assert "left blank" in said


def test_cells_stand_what_is_erased(answer):
    """A page map erases full blocks alone; BAST may erase a log block that is not full."""
    _, result = answer
    worn, programmed = result["worn_factor"], result["flash_factor"]
    for name, layer in (("mtron-pro-7500", "bast"), ("intel-x25-e", "page")):
        of, device = result["device"] == name, catalogue.device(name)
        assert ssd_of(device).layer == layer
        assert (worn[of] >= programmed[of]).all() if layer == "bast" else (worn[of] == programmed[of]).all()
        cycles = device.get("program_erase_cycles", np.nan)
        cells_bytes = device.value("capacity_bytes") * cycles / (1 - ssd_of(device).spare)
        erased_bytes_per_s = result["device_bytes_per_s"][of] * worn[of]
        assert result["cells_lifetime_s"][of] == pytest.approx(cells_bytes / erased_bytes_per_s, nan_ok=True)


def test_merging_logs_double_what_a_page_map_leaves_as_it_is(answer):
    """One warehouse on a device with room: every block of the database has a log block in BAST, which is merged when it
    is full, so that each page is programmed twice; a page map finds blocks that hold nothing any more."""
    _, result = answer
    in_place = result["file_system"] == "in-place"
    factor = dict(zip(result["device"][in_place], result["flash_factor"][in_place], strict=True))
    assert factor["mtron-pro-7500"] == pytest.approx(2, rel=0.02)
    assert factor["intel-x25-e"] == pytest.approx(1, abs=0.01)
    assert np.isnan(factor["hgst-7k1000-750gb"])


def test_less_room_makes_a_log_clean_more():
    inputs = path_lifetime.STUDY.inputs(SMALL)
    (point,) = [one for one in path_lifetime.points_of(inputs) if one.device == "intel-x25-e"][1:]
    run = path_runs.measured(case_of(inputs, point, 0, inputs.seconds))
    factors = []
    for share in (0.0, 0.985):
        roomy = inputs.model_copy(update={"other_share": share})
        factors.append(path_wear.wear_below(path_lifetime.below_of(roomy, point, 0, run)).file_system)
    assert factors[1] > 1.1 * factors[0]


def test_a_database_that_does_not_fit_beside_other_data_is_one_sentence():
    asked = SMALL | {"warehouses": 30, "devices": ("mtron-pro-7500",), "other_share": 0.97}
    with pytest.raises(ModelError, match=r"need \d+% of it, and other data leave 3%"):
        path_lifetime.compute(path_lifetime.STUDY.inputs(asked))


def test_a_log_that_cannot_be_cleaned_is_left_out_and_named_while_the_rest_answers(monkeypatch):
    monkeypatch.setattr(path_runs, "ROOM_BYTES", 2**28)
    asked = SMALL | {"devices": ("intel-x25-e",), "seconds": 30.0, "warehouses": 3, "seed": 5, "users": 30}
    result = whole_path.compute(whole_path.STUDY.inputs(asked))
    assert list(result["file_system"]) == ["in-place"]
    assert result.notes[0].startswith(
        "Left out: commercial, Intel X25-E 64 GB, log-structured. LogStructured: cleaning cannot free a segment;"
    )
    with pytest.raises(ModelError, match=r"^LogStructured: cleaning cannot free a segment"):
        whole_path.compute(whole_path.STUDY.inputs(asked | {"file_systems": ("log-structured",)}))


def test_a_load_that_changes_nothing_is_one_sentence():
    with pytest.raises(ModelError, match="mix order-status=100 changes nothing and wears nothing out"):
        path_lifetime.STUDY.inputs({"mix": "order-status=100"})
    queries = path_lifetime.STUDY.inputs(SMALL | {"load": "tpox", "tpox_bytes": 1e7, "tpox_mix": "queries"})
    with pytest.raises(
        ModelError, match="TPoX: what changes nothing wears nothing out; choose transactions that write"
    ):
        path_lifetime.compute(queries)


def test_too_many_systems_are_one_sentence():
    with pytest.raises(ModelError, match="a grid may have 64 systems; got 81"):
        path_lifetime.STUDY.inputs(
            {
                "file_systems": ("in-place", "log-structured", "none"),
                "devices": ("mtron-pro-7500", "intel-x25-e", "wd800aajs"),
                "databases": ("commercial", "mysql", "own"),
                "checkpoints_s": (0.0, 1.0, 10.0),
            }
        )


@pytest.mark.parametrize(
    "more", [{}, {"strategy": "FORCE"}, {"checkpoints_s": (1.0,)}], ids=["noforce", "force", "checkpoints"]
)
def test_a_log_of_its_own_is_no_wear_of_the_data_and_has_its_own(more):
    """What the database has written beside its pages is what the log's device was given, to the byte."""
    small = SMALL | {"file_systems": ("in-place",), "devices": ("intel-x25-e",), "other_share": 0.0} | more
    inputs = path_lifetime.STUDY.inputs(small | {"log_device": "intel-x25-m-g2-80gb"})
    (point,) = path_lifetime.points_of(inputs)
    run = path_runs.measured(case_of(inputs, point, 0, inputs.seconds))
    page_bytes = inputs.load_of(point.mix, inputs.profile(point.database).page_bytes).page_bytes
    log_bytes = sum(run.written_bytes[name] for name in run.devices(of_log=True))
    pages_bytes = path_lifetime.counted_pages(run) * page_bytes
    assert run.moved_bytes["database", "write"] == pytest.approx(pages_bytes + log_bytes, rel=0.01)
    below = path_lifetime.below_of(inputs, point, 0, run)
    made = path_wear.changing(below)
    assert path_wear.stream(below, made).page.max() < made.pages
    assert path_wear.stream(below, made).asked_bytes.sum() / made.transactions == pytest.approx(
        pages_bytes / run.transactions, rel=0.1
    )
    result = path_lifetime.compute(inputs)
    assert result["log_bytes_per_s"][0] == pytest.approx(log_bytes / run.seconds)
    assert result["log_lifetime_s"][0] == pytest.approx(7.5e12 / result["log_bytes_per_s"][0])
    together = path_lifetime.compute(path_lifetime.STUDY.inputs(small))
    assert "log_bytes_per_s" not in together.columns
    assert result["database_factor"][0] < together["database_factor"][0]
    assert "to its own devices" in path_lifetime.explain(inputs, result)[0]


@pytest.mark.parametrize(
    "short",
    [{"users": 1, "think_s": 3600.0, "warehouses": 30}, {"users": 1, "think_s": 3600.0, "log_device": "intel-x25-e"}],
    ids=["nothing", "nor a log of its own"],
)
def test_a_run_that_wrote_nothing_leaves_years_blank_and_says_so(short):
    """Nothing over nothing is no life: not none, nor one for ever, and no share of what a layer passes on."""
    asked = SMALL | {"file_systems": ("in-place",), "devices": ("intel-x25-e",), "seconds": 1.0} | short
    inputs = path_lifetime.STUDY.inputs(asked)
    result = path_lifetime.compute(inputs)
    assert result["asked_bytes_per_s"][0] == result["device_bytes_per_s"][0] == 0
    assert np.isnan(result["lifetime_s"][0])
    assert any(note.startswith("A run wrote nothing within 1 s") for note in result.notes)
    assert path_lifetime.describe(inputs, result).startswith("A run wrote nothing")
    (line,) = path_lifetime.explain(inputs, result)
    assert "the database wrote nothing within the time" in line
    assert "nan" not in line


def test_a_run_without_an_ended_transaction_has_a_life_whose_interval_is_not_known():
    asked = SMALL | {"file_systems": ("in-place",), "devices": ("intel-x25-e",), "io_s": 1.0, "users": 30}
    result = path_lifetime.compute(path_lifetime.STUDY.inputs(asked))
    assert result["tpm"][0] == 0 < result["lifetime_s"][0]
    assert np.isnan([result["lifetime_low_s"][0], result["lifetime_high_s"][0]]).all()
