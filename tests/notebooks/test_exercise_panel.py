"""The panel of an exercise: pressed from Python as a hand would, it says, counts, keeps and goes on."""

import pytest

from pagecost.errors import ModelError
from pagecost_app.exercises import EXERCISES, MIME, kept
from pagecost_app.exercises.exercise import Axis, Field
from pagecost_app.exercises.kinds import Choice, Claim, Curve, Order
from pagecost_app.notebook import exercise, exercise_panel
from pagecost_app.notebook.exercise_fields import InputsField

DISK, GUESS = "random-read", "random-or-sequential"


@pytest.fixture(autouse=True)
def own_sheet(tmp_path, monkeypatch):
    """A sheet for each test."""
    monkeypatch.setenv("PAGECOST_SHEET", str(tmp_path / "answers.json"))
    return tmp_path / "answers.json"


def right(id, seed=1):
    return EXERCISES[id].reference(**EXERCISES[id].numbers(seed))


def offered(panel):
    row = panel.children[3].children
    return {each.description for each in row if hasattr(each, "click") and each.layout.display != "none"}


def press(panel, label):
    button = next(each for each in panel.children[3].children if getattr(each, "description", "").startswith(label))
    assert button.layout.display != "none", f"{label} is not offered"
    button.click()


def feedback(panel):
    return panel.children[4].value


def test_a_right_answer_is_said_and_kept_and_then_solution_and_new_numbers_are_offered(own_sheet):
    panel = exercise(DISK)
    assert offered(panel) == {"Answer", "Hint 1 of 3"}
    assert panel.answer(f"{right(DISK)} ms")
    assert 'role="status"' in feedback(panel)
    assert offered(panel) == {"Worked solution", "New numbers"}
    before = repr(panel)
    press(panel, "Worked solution")
    assert f"{right(DISK):.4g} ms" in panel.children[5].value
    press(panel, "New numbers")
    assert repr(panel) != before
    assert offered(panel) == {"Answer", "Hint 1 of 3"}
    assert kept.sheet().answers(DISK, 1) == [f"{right(DISK)} ms"]


def test_attempts_are_counted_over_a_restart_and_end(own_sheet):
    attempts = EXERCISES[DISK].attempts
    for number in range(attempts):
        panel = exercise(DISK)
        assert "Worked solution" not in offered(panel)
        assert not panel.answer(f"{number} W")  # cannot be read: no attempt
        assert not panel.answer(str(1000 + number))
        assert not panel.answer(str(1000 + number))  # the same again: no attempt
    assert offered(panel) == offered(exercise(DISK)) == {"Worked solution", "New numbers"}
    assert len(kept.sheet().attempts) == attempts
    assert offered(exercise(DISK, seed=2)) == {"Answer", "Hint 1 of 3"}


def test_a_prediction_is_kept_before_anything_is_revealed_and_stays():
    panel, second = exercise(GUESS), exercise(GUESS)
    assert offered(panel) == offered(second) == {"Predict", "Hint 1 of 1"}
    panel.answer("10")
    assert offered(panel) >= {"Compare with the model"}
    assert "Compare with the model" in offered(second), "a panel further below knows it too"
    assert "198" not in feedback(panel)
    press(second, "Compare with the model")
    assert "you predicted 10, the model says 198.5" in feedback(second)
    assert "Predict" not in offered(exercise(GUESS))


def test_how_exact_an_answer_must_be_stands_at_its_field():
    field = exercise(DISK, seed=1)._form.fields["number"].root
    assert field.description == "Your answer (within 1 %)"


def test_hints_come_one_by_one():
    panel = exercise(DISK)
    for hint in EXERCISES[DISK].hints:
        press(panel, "Hint")
        assert hint in feedback(panel)


def test_without_widgets_the_question_is_printed_and_an_export_shows_it(monkeypatch):
    panel = exercise(DISK)
    assert repr(panel).startswith(f"Question: {EXERCISES[DISK].asked(1)}")
    shown = []
    monkeypatch.setattr(exercise_panel, "display", lambda data, raw: shown.append(data))
    panel._ipython_display_()
    assert shown[-1][MIME] == {"id": DISK, "seed": 1, "status": "asked"}
    monkeypatch.setenv("PAGECOST_EXPORT", "1")
    panel._ipython_display_()
    assert EXERCISES[DISK].asked(1) in shown[-1]["text/html"]


def test_an_unknown_exercise_is_a_sentence():
    with pytest.raises(ModelError, match="unknown exercise 'random-rea'"):
        exercise("random-rea")


def test_a_damaged_sheet_is_said_and_stays_as_it_is(own_sheet):
    own_sheet.write_text("{")
    panel = exercise(DISK)
    panel.answer("12")
    assert "not kept" in feedback(panel)
    assert "damaged" in feedback(panel)
    assert own_sheet.read_text() == "{"
    own_sheet.unlink()
    panel.answer("13")
    assert kept.sheet().answers(DISK, 1) == ["12", "13"], "what could not be kept is kept later"


DEPTHS = (1, 4, 16)
OF_EACH_KIND = (
    Choice(
        "some-choice",
        "Which is larger?",
        draw=lambda dice: {"one": dice.choice((3, 4, 5))},
        options=(Claim("{one}", lambda one: True, ""), Claim("2", lambda one: False, "that is smaller")),
        reasons=(Claim("so it is", lambda one: True, ""), Claim("why not", lambda one: False, "no reason")),
    ),
    Order(
        "some-order",
        "Sort.",
        items=lambda: {"b": "<b>", "a": "1 %", "c": "three"},
        sizes=lambda: {"a": 1, "b": 2, "c": 3},
    ),
    Curve(
        "some-curve",
        "Draw it.",
        x=lambda: Axis("depth", positions=DEPTHS, least=1, most=16, logarithmic=True),
        y=lambda: Axis("rate", "1/s", least=10, most=1000, logarithmic=True),
        course=lambda: (20, 700, 800),
    ),
)
ANSWERS = {
    "some-choice": ({"choice": "a", "reason": None}, "still to be filled in"),
    "some-order": (["c", "a", "b"], "does not come before"),
    "some-curve": ([500.0, 400.0, 12.0], "the other way"),
}


@pytest.fixture
def made_up(monkeypatch):
    """An exercise of each kind that has a field of its own."""
    for each in OF_EACH_KIND:
        monkeypatch.setitem(EXERCISES, each.id, each)


@pytest.mark.parametrize("id", [each.id for each in OF_EACH_KIND])
def test_each_kind_is_answered_wrongly_and_rightly_and_stands_there_again_later(id, made_up):
    panel = exercise(id)
    if id != "some-order":  # which is in some order from the start
        press(panel, "Answer")
        assert "To do" in feedback(panel)
    wrong, said = ANSWERS[id]
    panel.answer(wrong)
    assert said in feedback(panel)
    assert panel.answer(EXERCISES[id].key(1))
    press(panel, "Worked solution")
    again = exercise(id)
    assert again._form.answer == EXERCISES[id].key(1)
    assert "Passed" in feedback(again)
    inputs = [each for each in inside(again.children[2]) if hasattr(each, "disabled")]
    assert inputs
    assert all(each.disabled for each in inputs)


def inside(widget):
    yield widget
    for child in getattr(widget, "children", ()):
        yield from inside(child)


def test_an_order_is_made_by_buttons_and_markup_in_it_is_text(made_up):
    field = exercise("some-order")._form.fields["order"]
    field._list.value = "c"
    while field.answer[-1] != "c":
        field._moves[1].click()
    field._moves[1].click()  # at its end it stays
    field._list.value = "b"
    while field.answer[0] != "b":
        field._moves[0].click()
    field._moves[0].click()
    assert field.answer == ["b", "a", "c"]
    assert "&lt;b&gt;: place 1 of 3" in field._where.value


def test_a_curve_shows_its_points_in_words_and_the_models_beside_them_afterwards(made_up):
    panel = exercise("some-curve")
    field = panel._form.fields["curve"]
    assert field.answer is None
    field._values[0].value = 500
    assert "500 at 1" in field._picture.value
    assert 'class="key"' not in field._picture.value
    panel.answer([20.0, 700.0, 800.0])
    press(panel, "Worked solution")
    assert 'class="key"' in field._picture.value


def test_inputs_of_a_study_are_set_by_its_own_controls():
    field = InputsField(
        Field("inputs", "inputs", "Set it", study="buffer_size", inputs=("frames", "policies"), start={"frames": 512})
    )
    assert field.answer["frames"] == 512
    field.answer = {"frames": 1000, "policies": ["lru"], "device": "not asked for"}
    assert field.answer == {"frames": 1000, "policies": ("lru",)}
    field.close()


@pytest.mark.parametrize("id", [DISK, *ANSWERS])
def test_a_field_that_is_given_nonsense_keeps_what_it_has(id, made_up):
    panel = exercise(id)
    for nonsense in ({"x": 1}, ["z"], "nonsense", 7, [], {}, [[[]]]):
        panel._form.answer = nonsense
    assert not panel.answer(7)
