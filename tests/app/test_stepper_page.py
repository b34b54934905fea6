"""The stepper's faces without a browser: inputs are set, buttons pressed, and what is said is looked at."""

import numpy as np
import pytest
from bokeh.document import Document
from bokeh.events import ButtonClick

from helpers.walking_pages import models_of
from pagecost.answers import page_costs
from pagecost.buffer import POLICIES, References, replay
from pagecost.errors import ModelError
from pagecost.system import Economics
from pagecost_app import pages
from pagecost_app.notebook import step
from pagecost_app.pages.stepper_page import OWN, StepperPage
from pagecost_app.walks import GOLDEN, LONGEST, Walk, picture, sentence, strings, text_of
from pagecost_app.walks.buffer_code import code_of
from pagecost_app.walks.face import SPEEDS
from pagecost_app.walks.lines import lit
from pagecost_app.walks.page_bill import bill


@pytest.fixture
def model():
    """model(name) -> the stepper's model of that name, in a fresh document."""
    with models_of(StepperPage) as found:
        yield found


def test_the_stepper_is_a_question_of_the_page_buffer():
    document = Document()
    document.add_next_tick_callback = lambda callback: None  # the answers of other questions are not waited for
    pages.build(document)
    document.get_model_by_name("address").value = "buffer/stepper"
    document.get_model_by_name("stepper.play").active = True
    document.get_model_by_name("theme").active = 1
    assert document.get_model_by_name("stepper.picture").text == picture(Walk())
    document.session_destroyed_callbacks.copy().pop()(None)
    assert document.session_callbacks == []


def press(button):
    button._trigger_event(ButtonClick(button))


def test_buttons_slider_and_ends(model):
    at = model("position")
    assert "The buffer is empty. The first reference will read page 1." in model("words").text
    press(model("back"))
    assert at.value == 0
    press(model("step"))
    assert at.value == 1
    at.value = 7
    assert "Page 3 leaves, clean" in model("words").text
    assert "nobody has used it for the longest time" in model("words").text
    press(model("back"))
    assert "Reference 6 reads page 2: a hit." in model("words").text
    press(model("last"))
    assert at.value == at.end == 16
    press(model("step"))
    assert at.value == 16
    assert "<b>4 (25%)</b> hits" in model("picture").text  # the golden numbers of LRU on this string
    assert "<b>3</b> write-backs" in model("picture").text
    press(model("first"))
    assert at.value == 0


def test_a_policys_parameters_are_offered_and_a_wrong_one_is_said(model):
    assert model("parameter.window") is None
    model("policy").value = "cflru"
    window = model("parameter.window")
    assert window.value == "0.5"
    assert "0 to 1" in window.title
    model("position").value = 16
    before = model("picture").text
    window.value = "0"  # then it is LRU
    assert model("picture").text != before
    assert "<b>4 (25%)</b> hits" in model("picture").text
    assert "CFLRU (window 0)" in model("heading").text
    for wrong, said in (("2", "window must be 0..1; got 2"), ("wide", "must be a number; got &#x27;wide&#x27;")):
        window.value = wrong
        assert model("message").visible
        assert said in model("message").text
        assert "CFLRU (window 0)" in model("heading").text
    model("policy").value = "lru"
    assert model("parameter.window") is None
    assert not model("message").visible


@pytest.mark.parametrize("name", [name for name, policy in POLICIES.items() if policy.parameters])
def test_the_parameters_of_every_policy_walk(model, name):
    model("policy").value = name
    for parameter in POLICIES[name].parameters:
        # the heading names what is not the default, which may be the least
        other = parameter.least if parameter.least != parameter.default else parameter.most
        model(f"parameter.{parameter.name}").value = f"{other:g}"
        assert not model("message").visible, parameter.name
        assert f"{parameter.name} {other:g}" in model("heading").text


def test_another_policy_keeps_the_place_and_another_string_as_far_as_it_goes(model):
    model("position").value = 9
    model("policy").value = "cflru"
    assert model("position").value == 9
    assert "least recently used clean page of the window" in model("words").text
    model("text").value = "1r, 2W 3"
    assert (model("position").value, model("position").end) == (3, 3)
    assert model("trace").value == OWN
    model("trace").value = "loop"
    assert model("text").value == text_of("loop")
    assert model("trace").value == "loop"


@pytest.mark.parametrize("text", ["", "1r 2x", "1.5r", "1r " * (LONGEST + 1), "99999999999999999999r", "١r"])
def test_bad_input_is_said_and_the_walk_stays(model, text):
    model("position").value = 7
    before = model("picture").text
    model("text").value = text
    assert model("message").visible
    assert 'role="alert"' in model("message").text
    assert (model("picture").text, model("position").value) == (before, 7)
    model("text").value = GOLDEN
    assert not model("message").visible


def test_play_goes_on_by_itself_stops_at_the_end_and_starts_again(model):
    play, at = model("play"), model("position")
    document = play.document
    at.value = 14
    play.active = True
    assert play.label == "Pause"
    (ticking,) = document.session_callbacks
    assert ticking.period == SPEEDS["normal"]
    model("speed").value = "fast"
    (ticking,) = document.session_callbacks
    assert ticking.period == SPEEDS["fast"]
    ticking.callback()
    assert (at.value, play.active) == (15, True)
    ticking.callback()
    assert (at.value, play.active, play.label) == (16, False, "Play")
    assert document.session_callbacks == []
    play.active = True
    assert at.value == 0


@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_drawn_and_said_is_the_replay(policy):
    walk = Walk(policy, GOLDEN, 4)
    for position in range(walk.size + 1):
        walk.go(position)
        drawn, said = picture(walk), sentence(walk)
        residents = [entry for entries in walk.step.lists.values() for entry in entries]
        gone = sum(dirty for _, dirty in walk.step.victims)
        assert drawn.count('aria-label="dirty"') == sum(entry.dirty for entry in residents) + gone
        assert drawn.count('<li class="free"') == 4 - len(residents)
        assert drawn.count('class="ghost') == sum(map(len, walk.step.ghosts.values()))
        assert drawn.count('aria-current="step"') == (position > 0)
        assert all(f" {page}" in said for page, _ in walk.step.victims)
        assert ("Why: " in said) == bool(walk.step.victims)
    run = replay(References.of_text(GOLDEN), 4, policy)
    assert f"<b>{run.misses}</b> misses" in drawn
    assert sum(walk.hits) == run.hits


def test_every_offered_string_can_be_walked():
    for name in strings():
        walk = Walk("arc", text_of(name), 8)
        walk.go(walk.size)
        assert f"after {walk.size} of" in repr(step("arc", text_of(name), 8).go(10**6))
    with pytest.raises(ModelError, match="unknown reference string 'nowhere'"):
        text_of("nowhere")


def test_a_typed_string_is_read_as_it_is_written():
    typed = References.of_text("  7w,-3 7R\n12W ")
    assert typed.ids[typed.pages].tolist() == [7, -3, 7, 12]
    assert np.flatnonzero(typed.writes).tolist() == [0, 3]
    with pytest.raises(ModelError, match=r"reference 2 must be a whole page id .* got '2x'"):
        References.of_text("1r 2x")


def test_the_notebooks_stepper_moves_by_button_number_and_cell_and_says_what_is_wrong():
    stepper = step("lru", GOLDEN, frames=4).go(7)
    assert stepper.position.value == 7
    assert "Page 3 leaves" in stepper._words.value
    assert picture(stepper.walk) in stepper._picture.value
    first, back, forward, last = stepper.children[3].children[:4]
    back.click()
    assert stepper.walk.step.position == stepper.position.value == 6
    last.click()
    assert stepper.position.value == 16
    forward.click()
    assert stepper.position.value == 16
    first.click()
    assert stepper.position.value == 0
    stepper.position.value = 9
    stepper.policy.value = "cflru"
    assert "clean page of the window" in repr(stepper)
    before = stepper._picture.value
    stepper.references.value = "1r zwei"
    assert "reference 2 must be a whole page id" in stepper._message.value
    assert stepper._picture.value == before
    stepper.references.value = "1r 2w"
    assert stepper._message.value == ""
    assert stepper.position.value == stepper.position.max == 2
    with pytest.raises(ModelError, match=r"1\.\.64 frames; got 65"):
        step(frames=65)
    assert step("cflru:window=0.25").policy.value == "cflru:window=0.25"


MIXED = " ".join(f"{(7 * at * at + at // 5) % 11}{'w' if at % 3 == 0 else 'r'}" for at in range(120))


@pytest.mark.parametrize("policy", POLICIES)
def test_every_reference_lights_the_lines_that_ran(policy):
    code, ran = code_of(policy), set()
    for text, frames in ((GOLDEN, 4), (MIXED, 3), (MIXED, 6)):
        walk = Walk(policy, text, frames)
        assert walk.facts() == set()
        for position in range(1, walk.size + 1):
            walk.go(position)
            lines = [line for line, when in code if lit(when, walk.facts())]
            step, ran = walk.step, ran | set(lines)
            assert ("  if p is in a frame:  # a hit" in lines) == step.hit
            assert ("    if no frame is free, a victim leaves:" in lines) == bool(step.victims)
            assert ("      dirty: write it to the device" in lines) == any(dirty for _, dirty in step.victims)
            why = [line for line in lines if line.strip().startswith("v: ")]
            assert why == ([f"      v: {step.reason}"] if step.victims else [])
            assert picture(walk).count('aria-current="true"') == len(lines)
    assert {"    read p into the free frame", "    if no frame is free, a victim leaves:"} <= ran


def test_a_policy_in_lock_step_stands_where_the_other_does_and_differences_are_marked():
    walk = Walk("lru", GOLDEN, 4, "cflru", "intel-x25-m-g2-80gb")
    walk.go(walk.size)
    assert walk.other.position == walk.size
    runs = [replay(References.of_text(GOLDEN), 4, name) for name in ("lru", "cflru")]
    for one, run in zip((walk, walk.other), runs, strict=True):
        paid = one.spent(walk.size)
        for place, cost in enumerate(paid):
            assert cost == pytest.approx(run.cost(one.bill.read[place], one.bill.write[place]), rel=1e-12)
    differing = [position for position in range(walk.size) if walk.hits[position] != walk.other.hits[position]]
    assert picture(walk).count("miss ≠ hit") + picture(walk).count("hit ≠ miss") == len(differing)
    assert "Difference:" in picture(walk)
    assert "Difference:" not in picture(Walk())


def test_money_is_the_price_for_the_time_and_the_energy():
    paid = bill("intel-x25-m-g2-80gb")
    price, joules = page_costs.price_usd(paid.device), page_costs.page_energies(paid.device, 4096)
    economics = Economics()
    expected = price * paid.write[0] / economics.horizon_s + joules[1] / 3.6e6 * economics.price_usd_per_kwh
    assert paid.write[2] == pytest.approx(expected, rel=1e-12)
    assert paid.write[:2] == (page_costs.of_pages(paid.device, 4096).busy.write_s, joules[1])
    with pytest.raises(ModelError, match="unknown device with known times of a page 'tape'"):
        step(device="tape")


@pytest.mark.parametrize("policy", POLICIES)
def test_question_mode_asks_what_the_policy_will_do(policy):
    walk = Walk(policy, GOLDEN, 4)
    walk.ask_first(True)
    asked = 0
    while walk.position < walk.size:
        before = walk.position
        walk.go(walk.size)
        assert walk.position == before
        coming, question = walk.steps[before + 1], walk.question
        if "hit or a miss" in question.text:
            assert [question.options[at] for at in question.right] == ["a hit" if coming.hit else "a miss"]
        elif "leaves?" in question.text:
            gone = {f"page {page}" for page, _ in coming.victims} or {"none of them"}
            assert {question.options[at] for at in question.right} == gone
        walk.answer(min(question.right))
        asked += 1
    assert (walk.right, walk.answered) == (asked, asked)
    assert "That was the last one" in picture(walk)


def test_the_page_asks_draws_a_string_and_takes_what_is_pressed(model):
    model("beside").value = "fifo"
    assert "Difference:" in model("picture").text
    model("device").value = "samsung-970-pro-1tb"
    assert "970" in model("picture").text
    press(model("random"))
    assert "seed 1" in model("random").label
    assert model("text").value == Walk().random_text(1)
    assert model("trace").value == OWN
    model("wish").value = "1 go 5"
    assert model("position").value == 5
    model("ask").active = True
    model("position").value = 20
    assert model("position").value == 5
    model("play").active = True
    model("play").document.session_callbacks[0].callback()
    assert not model("play").active
    for number in range(3):
        model("wish").value = f"{number} answer 0"
    assert model("position").value > 5
    model("ask").active = False
    model("position").value = 20
    assert model("position").value == 20


def test_the_notebooks_stepper_has_scrubber_lock_step_and_a_seeded_string():
    stepper = step("lru", GOLDEN, frames=4, beside="min")
    stepper._slider.value = 7
    assert stepper.walk.position == stepper.position.value == 7
    stepper.random.click()
    assert stepper.references.value == stepper.walk.random_text(1)
    stepper.asks.value = True
    stepper.position.value = 24
    assert stepper.position.value == stepper._slider.value == 7
    stepper._wish.value = "5 answer 0"
    assert stepper.walk.answered == 1
    stepper.asks.value = False
    stepper.position.value = 24
    assert stepper.position.value == 24
