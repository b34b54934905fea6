"""An instructor's own exercises: a TOML file is asked, graded and explained; what is wrong in it is named."""

import json
import math
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.errors import ModelError
from pagecost_app import exercises
from pagecost_app.exercises import own, sheet
from pagecost_app.exercises.formula import Formula
from pagecost_app.exercises.misconceptions import for_all
from pagecost_app.notebook import exercise

GOOD = """
[[exercise]]
id = "my-seek"
question = "A disk seeks {seek_ms} ms and turns {rpm:.0f} times a minute. How long until the head is there?"
unit = "ms"
answer = "seek_ms + 30_000 / rpm"
hints = ["Half a turn at {rpm:.0f} turns a minute, in {{ms}}."]
solution = ["Half a turn takes 30 000 / {rpm} ms."]

[exercise.draw]
seek_ms = [3.5, 4.7, 8.9]
rpm = { from = 4200, to = 15000, step = 300 }

[[exercise.mistake]]
answer = "seek_ms + 60_000 / rpm"
say = "that is a whole turn at {rpm:.0f}"
"""


def test_it_is_asked_with_its_numbers_and_knows_its_mistakes():
    made = own.parse(GOOD)["my-seek"]
    assert len({made.asked(seed) for seed in range(200)}) > 50
    for seed in range(5):
        numbers = made.numbers(seed)
        assert made.judge(seed, numbers["seek_ms"] + 30_000 / numbers["rpm"]).status == "passed"
        judged = made.judge(seed, numbers["seek_ms"] + 60_000 / numbers["rpm"])
        say = "that is a whole turn at {rpm:.0f}"
        assert judged == ("failed", say.format(**numbers), say)
        assert made.hinted(seed) == (f"Half a turn at {numbers['rpm']:.0f} turns a minute, in {{ms}}.",)
    assert for_all(say) == "that is a whole turn at …"
    assert for_all("{{a}} of {b}") == "{a} of …"
    assert made.worked(1)[0].startswith("Half a turn takes 30 000 /")


def test_it_is_handed_out_answered_and_graded(run, tmp_path, monkeypatch):
    monkeypatch.delenv("PAGECOST_SHEET", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.toml").write_text(GOOD, "utf8")
    (tmp_path / "names.csv").write_text("name\nAda\n")
    code, _, error = run("hand-out", "2", "--class", "names.csv", "--out", "out", "--exercises", "my.toml")
    assert code == 0, error
    (folder,) = (tmp_path / "out").iterdir()
    os.chdir(folder)
    seed = sheet.read(folder / "answers.json").seed
    panel = exercise("my-seek")
    panel._hinted()
    assert "turns a minute, in {ms}" in panel._feedback.value
    assert "{rpm" not in panel._feedback.value + exercises.hint("my-seek").message
    assert panel.answer(str(exercises.every()["my-seek"].key(seed)))
    (folder / "exercises.toml").write_text(GOOD.replace("30_000", "1"))  # the key has the instructor's
    os.chdir(tmp_path)
    code, out, _ = run("grade", "out", "--format", "json")
    assert code == 0
    assert json.loads(out)["grades"][0]["my-seek"] == 1
    (tmp_path / "my.toml").write_text(GOOD.replace("my-seek", "random-read"), "utf8")
    code, _, error = run("hand-out", "2", "--class", "names.csv", "--out", "other", "--exercises", "my.toml")
    assert code == 2
    assert "a lesson has an exercise of this id" in error


def test_a_file_beside_the_notebook_that_is_damaged_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exercises.toml").write_text("[[exercise]")
    assert "this is no TOML" in exercises.check("my-seek", 1).message
    with pytest.raises(ModelError, match="this is no TOML"):
        exercise("my-seek")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[[exercise]]", "[[exercise]", "line 2"),
        ('id = "my-seek"', 'id = "My Seek"', "exercise 1: id: String"),
        ('id = "my-seek"', "", "exercise 1: id: Field required"),
        ('unit = "ms"', 'unit = "fortnight"', "my-seek: unit: 'fortnight' is none of"),
        ('unit = "ms"', "unit = 7", "my-seek: unit: must be a valid string"),
        ('unit = "ms"', 'unit = "ms"\ncolour = "red"', "my-seek: colour: Extra inputs"),
        ("{seek_ms} ms", "{seek} ms", "question: {seek} is not drawn; the names that are: rpm, seek_ms"),
        ("{seek_ms} ms", "{seek_ms.__class__} ms", "is not drawn"),
        ("{seek_ms} ms", "{seek_ms!r} ms", "is not drawn"),
        ("{seek_ms} ms", "{seek_ms:{rpm}} ms", "is not drawn"),
        ("{seek_ms} ms", "{seek_ms:zz} ms", "question: "),
        ("{seek_ms} ms", "{seek_ms ms", "a brace itself"),
        ("{rpm} ms", "{} ms", "solution: {} is not drawn"),
        ("at {rpm:.0f} turns a minute, in", "at {turns} turns a minute, in", "my-seek: hints: {turns} is not drawn"),
        ("whole turn at {rpm:.0f}", "turn at {whole}", "my-seek: mistake.1.say: {whole} is not drawn"),
        ('"seek_ms + 30_000 / rpm"', '"seek_ms +"', "my-seek: answer: 'seek_ms +' is no formula"),
        ('"seek_ms + 30_000 / rpm"', '"seek"', "answer: 'seek' is not drawn"),
        ('"seek_ms + 30_000 / rpm"', "\"__import__('os').getpid()\"", "is not understood"),
        ('"seek_ms + 30_000 / rpm"', '"9**9**9**9"', "gives no number"),
        ('"seek_ms + 30_000 / rpm"', '"1 / (rpm - rpm)"', "gives no number"),
        ('"seek_ms + 30_000 / rpm"', '"sqrt(-rpm)"', "gives no number"),
        ('"seek_ms + 30_000 / rpm"', '"(-rpm) ** 0.5"', "gives no number"),
        ('"seek_ms + 60_000 / rpm"', '"rpm.x"', "mistake.1.answer: 'rpm.x' is not understood"),
        ('"seek_ms + 60_000 / rpm"', '"seek_ms + 30_000 / rpm"', "400 draws gave no numbers"),
        ("[3.5, 4.7, 8.9]", "[]", "my-seek: draw.seek_ms: List should have at least 1 item"),
        ("[3.5, 4.7, 8.9]", '["a"]', "my-seek: draw.seek_ms.1: must be a number from -1e+15 to 1e+15"),
        ("[3.5, 4.7, 8.9]", "[3, nan]", "my-seek: draw.seek_ms.2: must be a number"),
        ("[3.5, 4.7, 8.9]", "[1e300]", "my-seek: draw.seek_ms.1: must be a number"),
        ("seek_ms = [", "seek-ms = [", "draw.seek-ms: a name has letters"),
        ("to = 15000", "to = 1", "draw.rpm: to (1) lies below from (4200)"),
        ("[3.5, 4.7, 8.9]", "[true]", "my-seek: draw.seek_ms.1: must be a number"),
        ("[3.5, 4.7, 8.9]", "3", "my-seek: draw.seek_ms: must be a valid list"),
        ("step = 300", "step = 0", "my-seek: draw.rpm.step: must be greater than 0"),
        ("step = 300", "step = '5'", "my-seek: draw.rpm.step: must be a number"),
        ("from = 4200", "from = inf", "my-seek: draw.rpm.from: must be a number"),
        (", step = 300", "", "my-seek: draw.rpm.step: Field required"),
        ("step = 300", "step = 300, steps = 3", "my-seek: draw.rpm.steps: Extra inputs"),
        ("step = 300", "step = 0.0001", "at most 1000 are drawn"),
        ('hints = ["Half', 'tolerance = 7.0\nhints = ["Half', "my-seek: tolerance: must be less than or equal to 0.5"),
        ('hints = ["Half', 'attempts = 1\nhints = ["Half', "my-seek: attempts: must be greater than or equal to 2"),
    ],
)
def test_what_is_wrong_is_named(old, new, said):
    assert old in GOOD
    with pytest.raises(ModelError) as refused:
        own.parse(GOOD.replace(old, new))
    assert str(refused.value).startswith("exercises exercises.toml: ")
    assert said in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize("field", ["answer", "mistake"])
@pytest.mark.parametrize(
    "wholes", ["[3.5]", "{ from = 1, to = 1000, step = 1 }"]
)  # all combinations, or a part of them
def test_no_number_that_can_be_drawn_is_one_with_which_a_formula_has_no_value(field, wholes):
    old = "30_000 / rpm" if field == "answer" else "60_000 / rpm"
    text = GOOD.replace("[3.5, 4.7, 8.9]", wholes)
    assert own.parse(text)
    with pytest.raises(ModelError, match=r"my-seek: .*gives no number.*4200"):
        own.parse(text.replace(old, old.replace("rpm", "(rpm - 4200)")))


def test_twice_the_same_id_and_files_that_are_none(tmp_path):
    with pytest.raises(ModelError, match="two exercises have this id"):
        own.parse(GOOD + GOOD)
    path = tmp_path / "x.toml"
    for data, said in ((b"\xff\xff", "not UTF-8"), (b"#" * 300_000, "at most 200 kB")):
        path.write_bytes(data)
        with pytest.raises(ModelError, match=said):
            own.text_of(path)
    with pytest.raises(ModelError, match="cannot be read"):
        own.text_of(tmp_path)
    for text in ("a = " + "[" * 50_000, "", "x = 1"):
        with pytest.raises(ModelError, match=r"^exercises exercises.toml: "):
            own.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        *("lambda: 1", "[1]", "{}", "'a'", "True", "a if 1 else 2", "a < 1", "(a := 1)", "a.real", "a[0]", "f'{a}'"),
        *("max()", "max(*a)", "max(a, key=a)", "open(a)", "__import__", "a; a", "a\na", "1j", "(" * 400, "a" * 501),
        *("~a", "a @ a", "a << 2", "not a", "await a", "...", "None", "\0"),
    ],
)
def test_a_formula_is_arithmetic_and_nothing_else(text):
    with pytest.raises(ModelError):
        Formula(text, {"a"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("min(a)", "min() takes 2 numbers or more; this one has 1"),
        ("max()", "max() takes 2 numbers or more; this one has 0"),
        ("sqrt(a, 2)", "sqrt() takes 1 number; this one has 2"),
        ("round(a, 2, 3)", "round() takes 1 or 2 numbers; this one has 3"),
        (
            "round(a, 0.5)",
            "'round(a, 0.5)' gives no number (round() takes a whole number of digits, not 0.5) for a = 7",
        ),
    ],
)
def test_a_function_with_too_few_or_too_many_numbers_is_a_sentence(text, said):
    with pytest.raises(ModelError) as refused:
        Formula(text, {"a"}).of({"a": 7.0})
    assert str(refused.value) == said


def test_a_formula_computes_what_it_says():
    values = {"a": 7.0, "b": 2.0}
    wanted = {"a + b * 2": 11, "-(a - b) ** 2": -25, "a // b + a % b": 4, "ceil(a / b)": 4, "max(a, b, 9)": 9}
    for text, number in (
        wanted | {"sqrt(b * 8) + log2(8)": 7, "min(a, b)": 2, "round(a / 3)": 2, "round(a / 9, b)": 0.78}
    ).items():
        assert Formula(text, set(values)).of(values) == pytest.approx(number), text


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab0129.+-*/%()[], ^exp", max_size=40))
def test_whatever_is_written_gives_a_number_or_a_sentence(text):
    try:
        found = Formula(text, {"a", "b"}).of({"a": 3.0, "b": 0.0})
    except ModelError:
        return
    assert math.isfinite(found)
