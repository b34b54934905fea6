"""Answers that are kept: to the last digit, by name, and side by side."""

import json

import pytest

from pagecost import studies
from pagecost.errors import ModelError
from pagecost_app.workspace import answers, comparison, folders, settings
from pagecost_app.workspace.answers import Answer, Answers, Recent
from pagecost_app.workspace.settings import Setting
from pagecost_app.workspace.workspace import Workspace


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A workspace with kept answers."""
    monkeypatch.setenv(folders.PLACE, str(tmp_path / "state"))
    workspace, kept = Workspace(lambda said: None, clock=iter(range(0, 10**6, 10)).__next__), Answers()
    workspace.add(kept)
    yield workspace, kept
    workspace.close()


def answer_of(name, **values):
    study = studies.find(name)
    inputs = study.inputs(values)
    return Answer.of(study, None, inputs, study.compute(inputs), "It is so.")


def test_a_kept_answer_comes_back_to_the_last_digit():
    for name in ("block_size", "five_minute_rule", "total_cost"):
        kept = answer_of(name)
        text = json.dumps(kept.record(), allow_nan=False)
        again = answers.of_record(json.loads(text))
        assert json.dumps(again.record()) == text
        for table in kept.result.tables:
            assert again.result.csv(table) == kept.result.csv(table)
            assert [c.values.dtype for c in again.result.tables[table].columns.values()] == [
                c.values.dtype for c in kept.result.tables[table].columns.values()
            ]
        assert {key: fact.cell for key, fact in again.result.facts.items()} == {
            key: fact.cell for key, fact in kept.result.facts.items()
        }
        assert again.setting == kept.setting


def test_answers_are_kept_renamed_removed_and_undone(made):
    workspace, kept = made
    one = answer_of("five_minute_rule")
    kept.keep(one)
    kept.keep(one)
    assert [each.name for each in kept.kept] == ["defaults", "defaults (2)"]
    kept.rename(1, "  mine\n")
    assert str(workspace.undoes) == "Renamed an answer: defaults (2) → mine"
    kept.remove(0)
    assert str(workspace.undoes) == "Removed: defaults"
    workspace.undo()
    assert [each.name for each in kept.kept] == ["defaults", "mine"]
    with pytest.raises(ModelError, match="needs a name"):
        kept.rename(0, " ")
    for _ in range(answers.MOST - 2):
        kept.keep(one)
    with pytest.raises(ModelError, match="answers are kept already"):
        kept.keep(one)


@pytest.mark.parametrize("broken", [None, [], {}, {"study": "gone"}, {"study": "block_size", "tables": {"main": 3}}])
def test_a_kept_answer_that_is_none_is_said(broken):
    kept = Answers()
    good = answer_of("five_minute_rule").record()
    with pytest.raises(ModelError, match="a kept answer cannot be shown"):
        kept.restore([broken, good])
    assert len(kept.kept) == 1


def test_recent_answers_are_bounded_and_the_same_stands_once():
    recent = Recent()
    for number in range(40):
        recent.note(Setting("buffer_size", None, {"frames": 64 + number % 35}), f"{number}")
    assert len(recent.state()) == answers.MOST_RECENT
    assert recent.state()[0]["headline"] == "39"
    again = Recent()
    again.restore([*recent.state(), 3, {"study": "gone"}])
    assert again.state() == recent.state()
    again.restore("nothing")
    assert again.state() == []


def test_answers_stand_side_by_side_with_what_differs_first():
    one = answer_of("block_size")
    devices = settings.of_preset(studies.find("block_size"), None)["devices"]
    other = answer_of("block_size", devices=devices[:2], span_bytes=41e6)
    comparison.check([one, other])
    lines = comparison.inputs([one, other])
    assert [line.differs for line in lines] == sorted((line.differs for line in lines), reverse=True)
    assert {line.title for line in lines if line.differs} == {
        studies.find("block_size").Inputs.model_fields[name].title for name in ("devices", "span_bytes")
    }
    for table, offered in comparison.columns([one, other]).items():
        assert one.result.tables[table][next(iter(offered))].dtype.kind == "f"  # a measured one is offered first
    numbers = comparison.numbers([one, other], "main", "iops")
    assert len(numbers.lines) == len(one.result.main)
    alone = [line for line in numbers.lines if line.cells[1] == comparison.ABSENT]
    assert 0 < len(alone) < len(numbers.lines)
    with pytest.raises(ModelError, match="answers to one question"):
        comparison.check([one, answer_of("five_minute_rule")])
    with pytest.raises(ModelError, match="1 to 8"):
        comparison.check([one] * 9)


def test_what_was_asked_for_stands_in_one_line_though_it_is_another_size_in_each():
    answers = [answer_of("block_size", block_sizes_bytes=(4096, 65536)), answer_of("buffer_size", frames=300)]
    assert comparison.numbers(answers[:1], "main", "iops").asked == ()  # all of its rows are what was asked for
    sizes = [answers[1], answer_of("buffer_size", frames=1000)]
    found = comparison.numbers(sizes, "main", "hit_ratio")
    assert {line.title.partition(", ")[2] for line in found.asked} == {"the chosen size"}
    for line in found.asked:
        policy = line.title.partition(", ")[0]
        for cell, answer in zip(line.cells, sizes, strict=True):
            main = answer.result.tables["main"]
            rows = [row for row in main.rows(chosen=True) if main.columns["policy"].cell(row) == policy]
            assert [main.columns["hit_ratio"].cell(row) for row in rows] == [cell]


def test_every_table_has_rows_that_are_told_apart():
    for name in ("block_size", "five_minute_rule", "total_cost", "disk_access_time"):
        kept = answer_of(name)
        for table, offered in comparison.columns([kept]).items():
            numbers = comparison.numbers([kept], table, next(iter(offered)))
            assert len({line.title for line in numbers.lines}) == len(kept.result.tables[table])
