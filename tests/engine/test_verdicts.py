"""How a claim is judged: intervals over seeds, rivals, taint, what is kept, what is refused, what would flip it."""

import dataclasses
import dis
import fnmatch
import inspect
import math
import sys

import numpy as np
import pytest

from helpers.ledger_line import RATE, line
from pagecost import catalogue, claims, reads, studies
from pagecost.answers import disk_runs, path_runs
from pagecost.answers.workers import side_by_side
from pagecost.claims import changed, checking, kept, ledger, refused, whole
from pagecost.claims.answers import answer, tpcc_at_chosen_buffer
from pagecost.claims.fitted import Choice, choices, rests_on, unverified
from pagecost.claims.ledger import Claim
from pagecost.claims.measures import MEASURES
from pagecost.errors import ModelError

pytestmark = pytest.mark.long

CELL = {"measure": "value", "study": "disk_arrays", "column": "iops", "where": {}}


def chance(monkeypatch, values) -> Claim:
    """A line whose measure gives one of these values by the seed."""
    monkeypatch.setitem(MEASURES, "drawn", lambda study, set=None: values[(set or {}).get("seed", 1) - 1])
    return line(measure={"measure": "drawn", "study": "disk_arrays"}, used=10.0, tolerance=1.0)


def test_the_interval_of_a_mean_is_students(monkeypatch):
    """Against the simulated share of intervals that hold the true mean: 95 % by definition."""
    draws = np.random.default_rng(1).normal(10.0, 2.0, (4000, 5))
    held = [low <= 10.0 <= high for low, high in (checking.interval(row.tolist()) for row in draws)]
    assert np.mean(held) == pytest.approx(0.95, abs=3 * math.sqrt(0.95 * 0.05 / 4000))


def test_a_text_and_a_single_value_have_no_width():
    assert checking.interval(["a", "b"]) == (None, None)
    assert checking.interval([3.0]) == (3.0, 3.0)
    assert checking.interval([3.0, 3.0]) == (3.0, 3.0)


@pytest.mark.parametrize(
    ("values", "status", "runs"),
    [
        ([10.0] * 8, "holds", 2),  # chance has no part: two runs say so
        ([10.0, 10.01, 9.99, *[0.0] * 5], "holds", 3),
        ([20.0, 20.01, 19.99, *[0.0] * 5], "fails", 3),
        ([10.9, 11.1] * 4, "undecided", 8),  # around the limit of 11
    ],
)
def test_a_verdict_takes_as_many_seeds_as_it_needs(monkeypatch, values, status, runs):
    verdict = checking.check(chance(monkeypatch, values))
    assert (verdict.status, len(verdict.seeds)) == (status, runs)
    assert verdict.measured == pytest.approx(np.mean(values[:runs]))
    assert verdict.low <= verdict.measured <= verdict.high


def test_a_text_that_depends_on_the_seed_is_undecided(monkeypatch):
    drawn = dataclasses.replace(chance(monkeypatch, ["greater", "less"] * 4), used="greater", tolerance=None)
    assert checking.check(drawn).status == "undecided"


@pytest.mark.parametrize(
    ("fields", "informative"),
    [
        ({}, True),  # zero is far away
        ({"tolerance": 17_500.0}, True),  # half the distance to zero
        ({"tolerance": 17_501.0}, False),
        ({"rival": {"swap": {"intel-x25-e": "mtron-pro-7500"}}}, True),  # another drive reads 12 000 a second
        ({"rival": {"swap": {"intel-x25-e": "intel-x25-e"}}}, False),  # the same drive is no other explanation
        ({"rival": {"value": 34_999.0}}, False),
    ],
)
def test_a_prediction_says_something_when_no_rival_meets_it(fields, informative):
    verdict = checking.check(line(**fields))
    assert verdict.status == "holds"
    assert (verdict.informative, verdict.sound) == (informative, informative)


@pytest.mark.parametrize(
    ("wider", "informative"), [({}, True), ({"tolerance": 40.0}, True), ({"tolerance": 60.0}, False)]
)
def test_a_rival_is_told_from_the_line_by_twice_the_tolerance_of_its_kind(wider, informative):
    """100 away: told with a tolerance below 50."""
    verdict = checking.check(line(rival={"value": 34_900.0, "name": "a neighbour", **wider}))
    assert (verdict.status, verdict.informative) == ("holds", informative)


@pytest.mark.parametrize(
    ("drawn", "runs", "passes"),
    [
        ([0.0, 0.0, 0.0], 3, False),
        ([0.0, 10.5, 0.0], 2, True),  # it would have been taken for the stated value with one seed
        ([7.0, 13.0, 0.0], 3, False),
    ],
)
def test_a_rival_runs_with_the_seeds_of_its_line(monkeypatch, drawn, runs, passes):
    asked = []

    def draw(study, set=None, other=False):
        seed = (set or {}).get("seed", 1)
        if not other:
            return (10.0, 10.01, 9.99)[seed - 1]
        asked.append(seed)
        return drawn[seed - 1]

    monkeypatch.setitem(MEASURES, "drawn", draw)
    measure = {"measure": "drawn", "study": "disk_arrays"}
    verdict = checking.check(line(measure=measure, used=10.0, tolerance=1.0, rival={"arguments": {"other": True}}))
    assert (asked, verdict.rivals[0].passes) == ([1, 2, 3][:runs], passes)


def test_a_rival_in_words_passes_if_it_does_with_one_seed(monkeypatch):
    def draw(study, set=None, other=False):
        return "more" if not other or set["seed"] == 2 else "as many"

    monkeypatch.setitem(MEASURES, "drawn", draw)
    words = {"used": "more", "stated": "more", "tolerance": None, "tolerance_reason": ""}
    measure = {"measure": "drawn", "study": "disk_arrays"}
    verdict = checking.check(line(measure=measure, rival={"arguments": {"other": True}}, **words))
    assert (verdict.seeds, verdict.informative) == ((1, 2), False)


def test_a_prediction_that_repeats_another_is_not_counted():
    assert not checking.check(line(repeats="X00")).sound


def test_a_prediction_whose_run_reads_something_fitted_is_conditional_by_itself():
    device, name = "fernando-hard-disk", "outer_media_bytes_per_s"
    value = catalogue.device(device).value(name)
    fitted = line(measure={"measure": "parameter", "device": device, "name": name}, used=value, stated=value)
    verdict = checking.check(fitted)
    assert verdict.kind == "conditional"
    assert verdict.rests_on == (f"device:{device}.{name}",)
    assert not verdict.sound


@pytest.mark.parametrize(
    ("layout", "constant"),
    [
        ("log-structured", "constant:path_runs.SYNCS_PER_CHECKPOINT=1000"),
        ("in-place", "constant:path_runs.TIMES_SYNCED=False"),
    ],
)
def test_who_builds_a_file_system_of_the_path_rests_on_what_was_chosen_for_it(layout, constant):
    with reads.recorded() as names:
        path_runs.file_system(layout, path_runs.Cleaner())
    assert rests_on(names) == (constant,)


def test_bytes_below_ext2_rest_on_how_many_pages_are_synced_together():
    asked = next(claim for claim in claims.claims("wang2011") if claim.id == "W19.in_place")
    with reads.recorded() as names:
        changed.measured(asked)
    assert "input:file_system_writes.sync_every=16" in rests_on(names)


def test_a_choice_marks_one_input_or_one_value_of_it():
    assert rests_on(["input:xml_writes.pages_written=commit"]) == ("input:xml_writes.pages_written=commit",)
    assert rests_on(["input:xml_writes.pages_written=eviction"]) == ()
    assert rests_on(["input:xml_writes.record_s=0.5"]) == ("input:xml_writes.record_s=0.5",)
    assert unverified(["device:wd800aajs.average_seek_read_s"]) == ("device:wd800aajs.average_seek_read_s",)


def test_every_choice_is_about_an_input_or_a_number_that_there_is():
    for choice in choices():
        kind, _, rest = choice.reads.partition(":")
        place, _, name = rest.partition("=")[0].rpartition(".")
        if kind == "device":
            assert name in catalogue.device(place).parameters, choice.reads
        elif kind == "constant":
            homes = [sys.modules[each] for each in sorted(sys.modules) if each.split(".")[-1] == place]
            (stands,) = (getattr(home, name) for home in homes if hasattr(home, name))
            assert "=" not in choice.reads or choice.reads.endswith(f"={stands}"), choice.reads
        else:
            asked = studies.STUDIES.values() if place == "*" else [studies.find(place)]
            assert any(name in study.Inputs.model_fields for study in asked), choice.reads


def test_every_choice_names_lines_that_there_are():
    known = claims.claims()
    for choice in choices():
        for pattern in choice.set_on:
            assert any(fnmatch.fnmatchcase(claim.id, pattern) for claim in known), f"{choice.reads}: {pattern}"


def test_an_input_that_says_it_is_fitted_is_among_the_choices():
    for study in studies.STUDIES.values():
        for name, field in study.Inputs.model_fields.items():
            if "fitted" in (field.description or "").casefold():
                assert rests_on([f"input:{study.name}.{name}={field.get_default()}"]), f"{study.name}.{name}"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"kind": "guess"}, "unknown kind of input:a.b 'guess'"),
        ({"set_on": ()}, "which claims it was fitted to is not said"),
        ({"reason": ""}, "why it is fitted is not said"),
        ({"reads": "weather"}, "begins with one of device:, input:, constant:"),
    ],
)
def test_a_choice_that_says_too_little_is_refused(fields, sentence):
    with pytest.raises(ModelError, match=sentence):
        Choice(**{"reads": "input:a.b", "kind": "fitted", "set_on": ("X",), "reason": "r", **fields})


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"measure": {"measure": "guess"}}, "unknown measure of wang2011.toml, line 7, claim X01, 'guess'"),
        ({"measure": {**CELL, "study": "guess"}}, "unknown study of measure of wang2011.toml, line 7, .* 'guess'"),
        ({"place": "Table 99"}, "unknown place of wang2011.toml, line 7, claim X01, 'Table 99'"),
        ({"anchor": ""}, "wang2011.toml, line 7: claim X01 has no anchor"),
        ({"anchor": "words that never stood there"}, "'words that never stood there' does not stand in wang2011"),
        ({"used": "a", "tolerance": None}, "is called predicted and names no rival"),
        ({"measure": {**RATE, "colour": 1}}, "measure of wang2011.toml, line 7, claim X01, parameter: .*'colour'"),
        ({"measure": {"measure": "parameter", "device": "intel-x25-e"}}, "claim X01, parameter: missing .* 'name'"),
        ({"measure": {**CELL, "preset": "guess"}}, "unknown preset of measure of wang2011.toml, line 7, .* 'guess'"),
        ({"measure": {**CELL, "set": {"colour": 1}}}, "unknown input of measure of wang2011.toml, line 7, .* 'colour'"),
        ({"rival": {"colour": 1}}, "wang2011.toml, line 7: claim X01: its rival has colour; a change is one of"),
        ({"control": {"colour": 1}}, "wang2011.toml, line 7: claim X01: its control has colour; a change is one of"),
        ({"rival": {"arguments": {"colour": 1}}}, "rival of wang2011.toml, line 7, claim X01, parameter: .*'colour'"),
        ({"rival": {"swap": {"intel-x25-e": "guess"}}}, "unknown device of rival of wang2011.toml, line 7, .* 'guess'"),
        ({"control": {"device": "intel-x25-e", "factor": 2}}, "line 7, claim X01, changes a device and lacks"),
        (
            {"control": {"device": "intel-x25-e", "parameter": "colour", "factor": 2}},
            "unknown parameter of control of wang2011.toml, line 7, claim X01, 'colour'",
        ),
    ],
)
def test_a_line_that_asks_for_what_there_is_not_is_refused_with_file_and_line(fields, sentence):
    whole_line = {"anchor": "write performance of", "where": "wang2011.toml, line 7", **fields}
    with pytest.raises(ModelError, match=sentence):
        refused.refuse_wrong([line(**whole_line)])


GAIN = {"measure": "path_gains", "study": "whole_path", "preset": "Wang 2011, mixes", "device": "intel-x25-e"}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"rival": {"set": {"users": 1}}, "control": {"set": {"users": 1}}}, "its rival is its control"),
        ({"rival": {"set": {"users": 1}, "name": "n"}, "control": {"set": {"users": 1}}}, "its rival is its control"),
        ({"rival": {"value": "not more"}}, "its rival is a bare answer"),
        ({"rival": {"set": {}, "name": "the same"}}, "its rival is the line itself"),
        ({"rival": {"arguments": {"layout": "in-place"}}}, r"its rival holds in-place against itself \(layout, over\)"),
        ({"control": {"arguments": {"over": "log-structured"}}}, "its control holds log-structured against itself"),
        (
            {"rival": {"arguments": {"layout": "in-place", "over": "log-structured"}}},
            r"its rival only reverses the line \(layout, over\)",
        ),
    ],
)
def test_a_control_or_rival_that_says_nothing_is_refused(fields, sentence):
    usual = {"rival": {"set": {"think_s": 1.0}}, "control": {"set": {"users": 2}}, **fields}
    asked = line(
        measure=GAIN, used="more", tolerance=None, anchor="write performance of", where="w.toml, line 7", **usual
    )
    with pytest.raises(ModelError, match=f"w.toml, line 7: claim X01: {sentence}"):
        refused.refuse_wrong([asked])


def test_a_rival_is_not_told_from_its_line_by_less_than_the_line():
    told = {"where": "w.toml, line 7", "anchor": "write performance of", "tolerance": 2.0}
    refused.refuse_wrong([line(rival={"value": 0.0, "name": "n", "tolerance": 2.0}, **told)])
    with pytest.raises(ModelError, match=r"claim X01: its rival has a tolerance below that of the line"):
        refused.refuse_wrong([line(rival={"value": 0.0, "name": "n", "tolerance": 1.0}, **told)])


def test_a_rival_under_which_a_constant_is_another_names_one_that_there_is():
    def asked(name: str):
        usual = {"tolerance": None, "anchor": "write performance of", "control": {"set": {"users": 2}}}
        return line(measure=GAIN, used="more", rival={"constants": {name: 10}}, where="w.toml, line 7", **usual)

    refused.refuse_wrong([asked("path_runs.SYNCS_PER_CHECKPOINT")])
    with pytest.raises(ModelError, match=r"constant of rival of w.toml, line 7, claim X01, .*path_runs.SYNC_PER"):
        refused.refuse_wrong([asked("path_runs.SYNC_PER_CHECKPOINT")])


def test_a_constant_guess_with_a_name_is_a_rival():
    guess = {"value": "not more", "name": "never more"}
    asked = line(
        measure=GAIN, used="more", tolerance=None, anchor="write performance of", control={"set": {"users": 2}}
    )
    refused.refuse_wrong([dataclasses.replace(asked, rivals=(guess,))])


ASKING = (answer, tpcc_at_chosen_buffer)


def reaches_answer(measure) -> bool:
    """Whether a measure, or what it calls of the ledger's measures, asks a study."""
    waiting, seen = [measure], []
    while waiting:
        function = waiting.pop()
        seen.append(function)
        named = {each.argval for each in dis.get_instructions(function) if each.opname == "LOAD_GLOBAL"}
        for inner in function.__code__.co_consts:
            if inspect.iscode(inner):
                named |= {each.argval for each in dis.get_instructions(inner) if each.opname == "LOAD_GLOBAL"}
        found = [function.__globals__.get(name) for name in named]
        if any(each is asking for each in found for asking in ASKING):
            return True
        waiting += [
            each for each in found if inspect.isfunction(each) and each not in seen and "claims" in each.__module__
        ]
    return False


def test_a_measure_that_asks_a_study_is_told_which():
    """So that a line has seeds, inputs that flip it, and a button that opens the study."""
    asking = [name for name, measure in MEASURES.items() if inspect.isfunction(measure) and reaches_answer(measure)]
    assert {"value", "path_gain", "clear_gains", "tpcc_gains", "slower_where"} <= set(asking)
    assert [name for name in asking if "study" not in inspect.signature(MEASURES[name]).parameters] == []
    for claim in claims.claims():
        if claim.measure.get("measure") in asking:
            assert claim.study, claim.id


def test_what_is_left_out_does_not_taint():
    assert rests_on(["input:whole_path.commercial_s=0.0"]) == ()
    assert rests_on(["input:whole_path.commercial_s=0.0055"]) == ("input:whole_path.commercial_s=0.0055",)
    assert rests_on(["input:ssd_or_disks.users=1", "input:ssd_or_disks.own_s=0.0"]) == ()


def test_by_the_ratings_a_gain_is_that_of_the_pages_written():
    """Intel X25-E: 3300 writes of 4 KB a second at random, 170 MB/s in sequence."""
    asked = {name: value for name, value in GAIN.items() if name != "measure"}
    assert MEASURES["path_gain"](**asked, by="ratings") == pytest.approx(170e6 / (3300 * 4096))
    with pytest.raises(ModelError, match="unknown way to compare 'guess'"):
        MEASURES["path_gain"](**asked, by="guess")


def test_an_unknown_input_of_a_study_is_refused():
    asked = line(measure={"measure": "value", "study": "disk_arrays", "column": "a", "where": {}, "set": {"colour": 1}})
    with pytest.raises(ModelError, match="unknown input 'colour'"):
        checking.check(asked)


def test_a_record_is_refused_with_its_file_and_line(tmp_path):
    (tmp_path / "rahm1992.toml").write_text(
        '# a comment\n[[claim]]\nid = "X"\nplace = "p"\nstatement = "s"\nstated = "a"\nkind = "guess"\n'
    )
    with pytest.raises(ModelError, match=r"rahm1992.toml, line 3: unknown kind of claim X 'guess'"):
        list(ledger.load(tmp_path))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('# a comment\nid = "X\n', "rahm1992.toml, line 2: this is no TOML: illegal character"),
        ('[[table]]\nid = "T"\nrows = {}\n', "rahm1992.toml, line 2: a table has no columns"),
        (
            '[[table]]\nid = "T"\nrows = { a = 1, b = 2 }\ncolumns = { c = 1 }\ncells = [[1]]\n',
            r"rahm1992.toml, line 2: table T has rows of \[1\] cells; its keys want \[1, 1\]",
        ),
    ],
)
def test_a_slip_of_the_pen_is_one_sentence_with_file_and_line(tmp_path, text, sentence):
    (tmp_path / "rahm1992.toml").write_text(text)
    with pytest.raises(ModelError, match=sentence):
        list(ledger.load(tmp_path))


def test_what_is_read_in_a_thread_of_an_answer_is_recorded():
    with reads.recorded() as names:
        list(side_by_side(lambda name: reads.note([name]), ["input:a.b", "input:c.d"]))
    assert names == {"input:a.b", "input:c.d"}


def test_a_thread_of_an_answer_sees_the_catalogue_that_was_changed():
    corrupted = catalogue.device("intel-x25-e").replaced("random_read_iops", 1.0)
    with catalogue.using(corrupted):
        ((_, seen),) = side_by_side(lambda name: catalogue.device(name).value("random_read_iops"), ["intel-x25-e"])
    assert seen == 1.0


def test_who_lists_the_disks_of_the_catalogue_rests_on_none_of_them():
    disk_runs.disks()
    with reads.recorded() as names:
        assert "fernando-hard-disk" in disk_runs.disks()
    assert names == set()


@pytest.fixture
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setattr(whole, "refuse_wrong", lambda asked: None)  # what it refuses is looked at above
    monkeypatch.setattr(kept, "user_cache", lambda: tmp_path)
    return tmp_path


def test_a_run_that_is_stopped_keeps_what_it_has_and_goes_on_there(own_cache, monkeypatch):
    asked = [claim for claim in claims.claims("wang2011") if claim.measure.get("measure") == "parameter"][:5]
    checks = []

    def counted(claim):
        checks.append(claim.id)
        if len(checks) == 3:
            raise KeyboardInterrupt
        return checking.check(claim)

    monkeypatch.setattr(whole, "check", counted)
    with pytest.raises(KeyboardInterrupt):
        whole.check_these(asked, processes=1)
    found = whole.check_these(asked, processes=1)
    assert checks == [claim.id for claim in asked[:3]] + [claim.id for claim in asked[2:]]
    assert [verdict.claim for verdict in found] == asked
    assert found == whole.check_these(asked, processes=1)
    assert len(checks) == 6  # nothing is computed again


def test_what_was_kept_is_the_verdict_that_was_found(own_cache):
    asked = next(claim for claim in claims.claims("rahm1992") if claim.id == "R31.200.main_memory")
    found = checking.check(asked)
    kept.keep(found)
    assert kept.verdict(asked, kept.kept()) == found


def test_what_a_package_brings_along_is_known_at_once_and_what_is_found_later_counts(own_cache, monkeypatch):
    asked = [claim for claim in claims.claims("rahm1992") if claim.id.startswith("R31.200.")]
    found = [checking.check(claim) for claim in asked]
    monkeypatch.setattr(kept, "_packaged_file", lambda: own_cache / "package" / kept.PACKAGED)
    assert kept.kept() == kept.packaged() == {}
    kept.package(found, own_cache / "package" / kept.PACKAGED)
    monkeypatch.setattr(whole, "check", lambda claim: pytest.fail("it is known"))
    assert whole.check_these(asked) == found
    other = dataclasses.replace(found[0], measured=0.0, status="fails")
    kept.keep(other)
    assert kept.verdict(asked[0], kept.kept()) == other
    assert kept.verdict(asked[1], kept.kept()) == found[1]


def test_a_checkout_brings_no_verdicts_along():
    """Code that changes would go on with verdicts of before."""
    assert not kept._packaged_file().exists()


def test_a_line_that_a_stopped_run_left_unfinished_is_passed_over(own_cache):
    found = checking.check(line())
    kept.keep(found)
    (file,) = (own_cache / "claims").glob("*.jsonl")
    with file.open("a") as open_file:
        open_file.write('{"id": "X02", "verd')
    assert list(kept.kept()) == ["X01"]


def test_several_processes_find_what_one_finds(own_cache):
    asked = [claim for claim in claims.claims("fernando2011") if claim.item in ("F07", "F29", "F33")]
    assert len(asked) > whole.FEW
    alone = [checking.check(claim) for claim in asked]
    said = []
    assert whole.check_these(asked, said.append, processes=2) == alone
    assert said == sorted(said)
    assert said[-1] == 1.0


def test_under_a_corrupted_catalogue_nothing_is_kept_and_nothing_kept_is_told(own_cache):
    asked = [line()]
    assert whole.check_these(asked)[0].status == "holds"
    with catalogue.using(catalogue.device("intel-x25-e").replaced("random_read_iops", 1.0)):
        assert whole.check_these(asked)[0].status == "fails"
    assert whole.check_these(asked)[0].status == "holds"


def test_what_flips_a_verdict_is_found_where_it_flips():
    """A rate of 35 000 with a tolerance of a tenth flips at 0.9 and 1.1 of itself."""
    (flip,) = claims.flips(line(tolerance=3500.0))
    assert flip.name == "device:intel-x25-e.random_read_iops"
    assert 0.9 / 1.07 <= flip.down <= 0.9
    assert 1.1 <= flip.up <= 1.1 * 1.07
    assert flip.nearest == pytest.approx(min(1 / flip.down, flip.up))


def test_a_change_of_no_known_form_is_refused():
    with pytest.raises(ModelError, match="a change is one of"):
        changed.measured(line(), {"colour": 1})


def test_lines_of_one_study_are_checked_by_one_process_and_those_with_most_runs_begin_first():
    groups = whole._groups(claims.claims())
    assert [len({(each.paper, each.study) for each in group}) for group in groups] == [1] * len(groups)
    runs = [sum(checking.FIRST_SEEDS if checking.depends_on_chance(each) else 1 for each in group) for group in groups]
    assert runs == sorted(runs, reverse=True)
    assert runs[0] > len(groups[0]), "its lines depend on chance"
    assert sorted(each.id for group in groups for each in group) == sorted(each.id for each in claims.claims())
