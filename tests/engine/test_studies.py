"""Studies: inputs are checked in words, answers are complete, columns are labelled, presets work."""

import contextlib
import inspect
import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from pydantic import BaseModel

from helpers.findings import check_numbers
from helpers.remembered import remembering
from pagecost import studies
from pagecost.devices import PATTERNS, TERMS
from pagecost.errors import ModelError
from pagecost.studies import STUDIES, Column, Result, find
from pagecost.studies.fields import Choice, Choices, Steps, kind_of
from pagecost.studies.study import Fact

OF_PYDANTIC = {name for name, what in inspect.getmembers(BaseModel) if isinstance(what, property)}
MOST_EMPTY = 0.1  # of the cells of a table: more means that two tables stand in one
NO_WORDS = re.compile(r"\b(nan|inf|None)\b|(?<![\w–-])-0(\.0+)?(?=[ %,;])|\de[+-]\d\d\b")
QUESTIONS = [(name, preset) for name, study in STUDIES.items() for preset in (None, *study.presets)]


@pytest.mark.long
@pytest.mark.usefixtures("kept_answers")
@pytest.mark.parametrize(("name", "preset"), QUESTIONS)
def test_every_preset_of_every_study_is_answered(name, preset):
    study = find(name)
    inputs = study.inputs(preset=preset)
    result = study.compute(inputs)
    for table in result.tables.values():
        assert len(table) > 0
        assert all(column.label for column in table.columns.values())
        cells = [cell for column in table.plain().values() for cell in column]
        empty = sum(cell is None or cell == "" for cell in cells) / len(cells)
        assert empty <= MOST_EMPTY, f"{empty:.0%} of the cells are empty: a table of its own, or a fact"
    assert json.loads(json.dumps(result.record()))["columns"] == result.plain()
    found, lines = study.describe(inputs, result), study.explain(inputs, result)
    check_numbers(found, result)
    assert lines
    for line in [found, *lines, *result.notes]:
        assert isinstance(line, str)
        assert not NO_WORDS.search(line), line


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("plan_terms", {"transactions_per_s": 1000.0}),  # more than can be done
        ("program_wear", {"runs_per_day": 1e6, "recordings": ("sqlite-wal-full",)}),  # very often
        ("response_goal", {"devices": ("intel-dc-p3700-800gb",), "load": "sqlite-order-entry"}),  # no buffer too small
        ("ssd_queue_depth", {"detail_depth": 1}),  # nothing waits
        ("trace_insight", {"trace": "loop"}),  # every page as often as another
        ("whole_path", {"mixes": ("order-status",), "devices": ("mtron-pro-7500",)}),  # nothing is written
    ],
)
def test_what_has_no_end_or_is_nothing_is_said_in_words(name, values):
    study = find(name)
    inputs = study.inputs(values)
    result = study.compute(inputs)
    for line in [study.describe(inputs, result), *study.explain(inputs, result), *result.notes]:
        assert not NO_WORDS.search(line), line
        assert not re.search(r"no end|\b0 are too few", line), line


@pytest.mark.parametrize("name", STUDIES)
def test_every_input_has_a_title_a_meaning_and_a_way_to_enter_it(name):
    study = find(name)
    for input_name, field in study.Inputs.model_fields.items():
        assert field.title, input_name
        assert field.description, input_name
        kind = kind_of(field)
        default = field.get_default()
        if isinstance(kind, Choice):
            assert default in kind.options()
        elif isinstance(kind, Choices):
            assert set(default) <= set(kind.options())
        elif isinstance(kind, Steps):
            assert list(kind.stops) == sorted(kind.stops)
            labels = [kind.label(stop) for stop in kind.stops]
            assert len(set(labels)) == len(labels), "two stops that read alike"


@pytest.mark.parametrize("name", STUDIES)
def test_inputs_survive_as_text(name):
    """A project file holds them as JSON; the command line gives numbers as text."""
    study = find(name)
    inputs = study.inputs()
    assert study.inputs(json.loads(inputs.model_dump_json())) == inputs


def ends_of(field) -> list:
    """The ends of a number's range, a step beyond an open one, and texts that are nothing."""
    default, found = field.get_default(), []
    for rule in field.metadata:
        for name, beyond in (("ge", 0), ("le", 0), ("gt", 1), ("lt", -1)):
            end = getattr(rule, name, None)
            if end is not None:
                found.append(int(end) + beyond if isinstance(default, int) else end + beyond * max(abs(end), 1) * 1e-9)
    return [*found, "zzz", ""] if isinstance(default, str) else found


@pytest.mark.parametrize("name", STUDIES)
def test_at_the_ends_of_every_range_inputs_are_made_or_refused_in_a_sentence(name):
    """What follows from inputs, such as the system that they describe, is not refused later and in other words."""
    study = find(name)
    derived = [each for each, what in inspect.getmembers(study.Inputs) if isinstance(what, property)]
    for input_name, field in study.Inputs.model_fields.items():
        for value in ends_of(field):
            with contextlib.suppress(ModelError):
                inputs = study.inputs({input_name: value})
                for each in set(derived) - OF_PYDANTIC:
                    getattr(inputs, each)


@pytest.mark.long
@pytest.mark.parametrize("name", STUDIES)
def test_a_study_asked_twice_gives_the_same_numbers(name, answers_folder):
    study = find(name)
    inputs = study.inputs()
    with remembering(answers_folder, reuse=True):  # the test of its presets has asked it once
        once = study.compute(inputs).csv()
    assert study.compute(inputs).csv() == once


@pytest.mark.parametrize(
    ("study", "values", "sentence"),
    [
        ("block_size", {"devices": ()}, "devices .*at least 1"),
        ("storage_plan", {"currency": "zzz"}, "unknown currency 'zzz': write its three capital letters"),
        ("plan_terms", {"currency": "EUR"}, "currency EUR: say how many dollars one of it is"),
        ("plan_terms", {"usd_per_unit": 1.1}, "a dollar is one dollar; got 1.1, so name the currency"),
        ("block_size", {"devices": ("floppy",)}, "devices: unknown device 'floppy'; nearest of "),
        ("block_size", {"devices": ("ocz-vertex-ex",)}, "too little is known"),
        ("block_size", {"devices": ("wd400bb", "wd400bb")}, "named twice"),
        ("block_size", {"block_sizes_bytes": (0,)}, "must be 512..67108864 bytes; got 0"),
        ("block_size", {"detail_block_bytes": 0}, "must be 512..67108864 bytes; got 0"),
        ("block_size", {"detail_pattern": "zigzag"}, "unknown access pattern 'zigzag'"),
        ("block_size", {"span_bytes": -5}, "span_bytes should be greater than 0; got -5"),
        ("block_size", {"span_bytes": math.inf}, "finite"),
        ("block_size", {"span_bytes": "wide"}, "span_bytes: 'wide' is no number of bytes"),
        ("block_size", {"colour": "red"}, "unknown input 'colour'; known: devices"),
        ("buffer_size", {"frames": 0}, "frames should be greater than or equal to 1; got 0"),
        ("buffer_size", {"frames": 1.5}, "got 1.5"),
        ("buffer_size", {"policies": ("lru", "guess")}, "unknown replacement policy 'guess'"),
        ("buffer_size", {"trace": "nonsense"}, "unknown trace 'nonsense'; known: .*debit-credit-1992"),
        ("buffer_size", {"trace": "/nowhere/a.parquet"}, "there is no such file"),
        ("buffer_size", {"device": "floppy"}, "unknown device 'floppy'"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(study, values, sentence):
    with pytest.raises(ModelError, match=sentence) as error:
        find(study).inputs(values)
    assert str(error.value).startswith(f"{study}: ")
    assert "\n" not in str(error.value)


def test_an_unknown_study_lists_the_nearest_ones_and_an_unknown_preset_the_known_ones():
    with pytest.raises(ModelError, match=f"unknown study 'bufer_size'; nearest of {len(STUDIES)}: buffer_size, "):
        find("bufer_size")
    with pytest.raises(ModelError, match="unknown preset 'mine'; known: thesis plan"):
        find("block_size").inputs(preset="mine")


def test_the_thesis_plan_has_100_cells():
    """Fernando 2011, Table 3.1: five devices, five block sizes, four patterns."""
    study = find("block_size")
    inputs = study.inputs(preset="thesis plan: 5 devices × 5 block sizes × 4 patterns")
    result = study.compute(inputs)
    assert len(result) == 100
    assert set(result["pattern"]) == set(PATTERNS)


def test_terms_add_up_to_the_plotted_time_and_throughput_follows():
    study = find("block_size")
    result = study.compute(study.inputs(preset="models beside a measured virtual disk"))
    alone = result.tables["alone"]
    total = sum(alone[term] for term in TERMS if term in alone.columns)
    assert total == pytest.approx(alone["request_s"])
    assert result["throughput_bytes_per_s"] == pytest.approx(result["block_bytes"] * result["iops"])
    assert set(result["origin"]) == {"model", "measured"}


def test_a_wider_span_makes_random_reads_of_a_disk_slower_and_nothing_else():
    study = find("block_size")
    narrow, wide = (study.compute(study.inputs({"devices": ["wd400bb"], "span_bytes": span})) for span in (4e7, 4e10))
    random = np.char.startswith(narrow["pattern"], "random")
    assert (narrow["iops"][random] > wide["iops"][random]).all()
    assert (narrow["iops"][~random] == wide["iops"][~random]).all()


def test_a_fio_result_of_ones_own_stands_beside_the_models():
    from pagecost import catalogue

    path = catalogue.root() / "measurements" / "fio-virtual-disk.json"
    study = find("block_size")
    result = study.compute(study.inputs({"devices": ["wd400bb"], "fio_file": str(path)}))
    assert list(dict.fromkeys(result["device"])) == ["wd400bb", "fio-virtual-disk"]


def test_the_cost_of_a_reference_is_misses_times_read_plus_write_backs_times_write():
    study = find("buffer_size")
    inputs = study.inputs({"device": "intel-x25-e", "frames": 500})
    result = study.compute(inputs)
    row = result.rows(policy="lru", chosen=True)[0]
    by_hand = (result["misses"][row] / 35_000 + result["write_backs"][row] / 3300) / result["references"][row]
    assert result["time_per_reference_s"][row] == pytest.approx(by_hand)


def test_a_growing_answer_ends_in_the_whole_one():
    study = find("buffer_size")
    shares, sizes = [], []

    def progress(share, growing):
        shares.append(share)
        sizes.append(0 if growing is None else len(growing()))  # while the load is read, there is none

    result = study.compute(study.inputs(), progress)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert sizes == sorted(sizes)
    assert sizes[-1] == len(result)


GROWING = {  # studies whose answer grows, small
    "buffer_size": {},
    "device_fill": {"passes": 2},
    "disk_scheduling": {"requests": 500},
    "file_system_writes": {},
    "joins_on_rows": {"outer_rows": 300, "inner_rows": 1000, "memory_pages": 15},
    "miss_curve": {},
    "multi_level_hits": {},
    "policy_cost": {},
    "program_wear": {},
    "read_write_mix": {},
    "segment_cleaning": {},
    "trace_insight": {},
    "translation_layers": {},
    "wear_and_lifetime": {},
    "write_amplification": {},
    "write_buffer": {},
    "write_clustering": {},
}


@pytest.mark.long
@pytest.mark.parametrize("name", GROWING)
def test_a_growing_answer_is_that_of_when_it_was_handed_over_though_it_is_made_later(name):
    study = find(name)
    at_once, handed = [], []

    def progress(share, growing):
        if growing is not None:
            at_once.append(growing().csv())
            handed.append(growing)

    study.compute(study.inputs(GROWING[name]), progress)
    assert len(handed) >= 2
    assert [growing().csv() for growing in handed] == at_once


def test_a_study_can_be_cancelled():
    def cancel(share, partial):
        raise InterruptedError

    study = find("buffer_size")
    with pytest.raises(InterruptedError):
        study.compute(study.inputs(), cancel)


def test_a_buffer_larger_than_the_database_is_answered_with_a_note():
    study = find("buffer_size")
    result = study.compute(study.inputs({"frames": 10**6}))
    assert any("holds all" in note for note in result.notes)


def test_a_device_that_was_not_measured_at_the_page_size_is_refused(tmp_path):
    study, trace = find("buffer_size"), tmp_path / "own.txt"
    trace.write_text("1 r\n2 w\n")
    with pytest.raises(ModelError, match="was not measured with random reads and writes of 512 bytes"):
        study.compute(study.inputs({"trace": str(trace), "device": "fio-virtual-disk", "page_bytes": 512}))


def test_a_result_finds_rows_and_prints_every_digit():
    result = Result.of(
        {
            "who": Column(np.array(["a", "b"]), "text", "who"),
            "time_s": Column(np.array([0.1, np.nan]), "s", "time"),
        }
    )
    assert result.rows(who="b").tolist() == [1]
    assert result.csv() == "who,time_s [s]\na,0.1\nb,\n"
    assert result.plain() == {"who": ["a", "b"], "time_s": [0.1, None]}
    with pytest.raises(ModelError, match="unknown column 'size'; known: who, time_s"):
        result.rows(size=1)


@pytest.mark.long
@pytest.mark.usefixtures("remembered_answers")  # of this process, as far as tests above have asked for them
def test_warming_thoroughly_loads_every_kernel_that_a_study_can_ask_for(tmp_path):
    from pagecost import _jit
    from pagecost.buffer import POLICIES
    from pagecost.devices.disk import SCHEDULERS
    from pagecost.devices.ftl import LAYERS, VICTIMS
    from pagecost.workload.traces import FORMATS

    studies.warm(thoroughly=True)
    before = _jit.compilations() + _jit.loaded()
    buffer, disk = find("buffer_size"), find("disk_scheduling")
    for policy in POLICIES:
        buffer.compute(buffer.inputs({"policies": (policy,), "frames": 77}))
    for scheduler in SCHEDULERS:
        disk.compute(disk.inputs({"schedulers": (scheduler,), "write_share": 0.5, "requests": 200, "depths": (2,)}))
    flash, layers = find("write_amplification"), find("translation_layers")
    flash.compute(flash.inputs({"policies": tuple(VICTIMS), "seed": 3, "spare": 0.2}))
    layers.compute(layers.inputs({"layers": tuple(LAYERS), "seed": 3}))
    insight = find("trace_insight")
    for format in FORMATS.values():
        if format.name != "parquet":
            path = tmp_path / f"own{next(iter(format.endings), '.csv')}"
            path.write_bytes(format.example)
            insight.compute(insight.inputs({"trace": str(path)}))
    xml, transactions = find("xml_footprint"), find("xml_transactions")
    own = tmp_path / "own.xml"
    own.write_text("<a b='c'>text<d/><!-- e --><?f g?></a>")
    xml.compute(xml.inputs({"file": str(own), "whitespace": "keep", "page_bytes": 65536}))
    transactions.compute(transactions.inputs({"write_share": 0.2, "seed": 3}))
    second_level = find("second_level_buffer")
    second_level.compute(second_level.inputs({"seed": 3, "rate_hz": 100.0}))
    assert _jit.compilations() + _jit.loaded() == before


def test_a_fact_is_a_number_nan_where_it_is_not_known_and_never_a_text():
    assert Fact(3, "1", "pages").number == 3
    assert math.isnan(Fact(None, "s", "time").number)
    with pytest.raises(ModelError, match="kind is a text, 'heap', not a number"):
        Fact("heap", "text", "kind").number  # noqa: B018


def test_a_table_that_an_answer_lacks_has_no_rows():
    names = {"name": Column(np.array(["a", "b"]), "text", "name")}
    result = Result.of(names, more={"other": names})
    assert result.rows_in("other", name="b").tolist() == [1]
    assert result.rows_in("third", name="b").tolist() == []


def test_a_study_says_what_of_the_path_it_is_about_and_no_place_is_without_a_question():
    assert {study.place for study in studies.STUDIES.values()} == set(studies.PLACES)
    with pytest.raises(ModelError, match="place on the path"):
        replace(studies.STUDIES["buffer_size"], place="nowhere")
