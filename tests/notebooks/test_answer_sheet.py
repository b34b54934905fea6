"""The answer sheet believes nothing: what is damaged, too large or changed by hand is said in a sentence."""

import json

import numpy as np
import pytest

from pagecost.errors import ModelError
from pagecost_app.exercises import kept, sheet
from pagecost_app.exercises.sheet import Sheet


@pytest.fixture(autouse=True)
def own_sheet(tmp_path, monkeypatch):
    """A sheet for each test."""
    monkeypatch.setenv("PAGECOST_SHEET", str(tmp_path / "answers.json"))
    return tmp_path / "answers.json"


def check(id, answer, seed=1):
    """Answer an exercise; what is wrong with keeping it."""
    kept.keep("attempts", id, seed, answer)
    return kept.problem()


def changed(path, **values):
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | values))


def test_what_is_answered_is_on_the_sheet_and_nothing_about_right_or_wrong(own_sheet):
    check("random-read", "12 ms", seed=3)
    check("random-read", np.float64(13.5), seed=3)
    check("random-read", np.int64(14), seed=3)
    kept.keep("predictions", "random-or-sequential", 1, 10)
    record = json.loads(own_sheet.read_text())
    assert [(each["exercise"], each["seed"], each["answer"]) for each in record["attempts"]] == [
        ("random-read", 3, "12 ms"),
        ("random-read", 3, 13.5),
        ("random-read", 3, 14),
    ]
    assert [each["answer"] for each in record["predictions"]] == [10]
    assert set(record["attempts"][0]) == {"exercise", "seed", "answer", "time"}
    assert not sheet.read(own_sheet).edited


def test_a_learner_alone_has_a_sheet_in_the_folder_of_states(tmp_path, monkeypatch):
    monkeypatch.delenv("PAGECOST_SHEET")
    monkeypatch.setenv("PAGECOST_STATE", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    check("random-read", 12.0)
    assert sheet.read(tmp_path / "state" / "answers.json").answers("random-read", 1) == [12.0]
    sheet.write(tmp_path / "answers.json", Sheet(seed=77))
    check("random-read", 13.0, 77)
    assert sheet.read(tmp_path / "answers.json").answers("random-read", 77) == [13.0], "the one beside the notebook"


def test_what_is_changed_by_hand_is_known(own_sheet):
    check("random-read", 12.0)
    changed(own_sheet, status="passed")
    assert sheet.read(own_sheet).edited
    check("random-read", 13.0)
    assert sheet.read(own_sheet).answers("random-read", 1) == [12.0, 13.0]
    assert sheet.read(own_sheet).edited, "an honest answer later does not make it honest"


ATTEMPT = {"exercise": "random-read", "seed": 1, "answer": 1, "time": ""}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"attempts": [ATTEMPT] * (sheet.MOST_ENTRIES + 1)}, "attempts: List should have at most"),
        ({"attempts": "all right"}, "attempts: Input should be a valid list"),
        ({"attempts": [ATTEMPT | {"answer": [[[[[[1]]]]]]}]}, "attempts.0.answer"),
        ({"attempts": [ATTEMPT | {"answer": list(range(3000))}]}, "attempts.0.answer"),
        ({"attempts": [ATTEMPT | {"answer": "9" * 30_000}]}, "attempts.0.answer"),
        ({"attempts": [ATTEMPT | {"seed": "1"}]}, "attempts.0.seed"),
        ({"attempts": [ATTEMPT | {"seed": -1}]}, "attempts.0.seed"),
        ({"attempts": [ATTEMPT | {"seed": 10**400}]}, "attempts.0.seed"),
        ({"attempts": [7]}, "attempts.0"),
        ({"student": ["me"]}, "student"),
        ({"seed": None}, "seed"),
        ({"kind": "something else"}, "no answer sheet of pagecost"),
        ({"version": 99}, "version 1 is read; this one says 99"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_does_not_fit_is_a_sentence(own_sheet, values, said):
    sheet.write(own_sheet, Sheet())
    changed(own_sheet, **values)
    with pytest.raises(ModelError, match=r"^.{1,600}$") as refused:
        sheet.read(own_sheet)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[" * 100_000,
        '{"kind": NaN}',
        "\xff\xfe",
        '{"seed": ' + "9" * 5000 + "}",
        "7",
        "null",
        " " * (sheet.MOST_BYTES + 1),
    ],
    ids=["empty", "cut", "deep", "nan", "binary", "digits", "number", "null", "huge"],
)
def test_a_file_that_is_no_sheet_is_a_sentence_and_is_left_alone(own_sheet, text):
    own_sheet.write_bytes(text.encode("latin1"))
    with pytest.raises(ModelError, match=r"^.{1,600}$"):
        sheet.read(own_sheet)
    said = check("random-read", 12.0)
    assert "not kept" in said
    assert own_sheet.read_bytes() == text.encode("latin1")


def test_a_full_sheet_is_said_and_the_check_goes_on(own_sheet):
    entries = [sheet.Entry.model_validate(ATTEMPT | {"answer": number}) for number in range(sheet.MOST_ENTRIES)]
    sheet.write(own_sheet, Sheet(attempts=entries))
    said = check("random-read", -5.0)
    assert "full" in said
    assert "full" not in check("random-read", 0), "what stands there already is no more"


def test_two_sessions_lose_nothing_of_each_other(own_sheet):
    check("random-read", 1.0)
    other = sheet.read(own_sheet).with_entry("attempts", "overwrite", 1, 2.0)
    sheet.write(own_sheet, other)
    check("random-read", 3.0)
    assert [entry.answer for entry in kept.sheet().attempts] == [1.0, 2.0, 3.0]
