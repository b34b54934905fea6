"""The stepper of the path without a browser: inputs are set, wishes made, and what is said and drawn is looked at."""

import re
from html import unescape

import pytest
from bokeh.events import ButtonClick

from helpers.walking_pages import models_of
from pagecost.errors import ModelError
from pagecost.walk import DEVICES, FILE_SYSTEMS, events
from pagecost_app import pages
from pagecost_app.notebook import walk_path
from pagecost_app.pages.path_stepper_page import TYPED, PathStepperPage
from pagecost_app.walks import PathWalk, path_code, path_picture, path_sentence, why_sentence
from pagecost_app.walks.lines import lit


@pytest.fixture
def model():
    """model(name) -> the stepper's model of that name, in a fresh document."""
    with models_of(PathStepperPage) as found:
        yield found


def test_the_path_is_a_question_of_its_own_page():
    assert "path" in pages.PAGES["Path"]


def test_buttons_numbers_and_wishes_move_it(model):
    at = model("position")
    assert "Nothing has happened yet" in model("words").text
    model("step")._trigger_event(ButtonClick(model("step")))
    assert "Transaction 1 (Debit-Credit) begins." in model("words").text
    model("wish").value = "1 next"
    assert "Transaction 2 (Debit-Credit) begins." in model("words").text
    model("wish").value = "2 previous"
    assert (at.value, model("number").value) == (1, 1)
    model("number").value = 100
    assert at.value == 100
    model("erase")._trigger_event(ButtonClick(model("erase")))
    erased = at.value
    assert "erases its block" in model("words").text
    assert "path-why" not in model("picture").text
    model("wish").value = "3 why"
    assert "Die" in model("picture").text
    told = unescape(re.search(r'class="path-why">(.*?)</p>', model("picture").text)[1])
    assert told.startswith("Die ")
    for part in (
        "had to collect erase block",
        "the file system wrote",
        "reference ",
        ", in transaction ",
        "Of its 8 pages",
    ):
        assert part in told
    chain = re.findall(r'data-event="(\d+)"', model("picture").text.split("what it cost")[0])
    assert int(chain[0]) == erased
    model("wish").value = f"4 {chain[1]}"
    assert "collects erase block" in model("words").text
    model("wish").value = f"5 {chain[-1]}"
    assert "begins." in model("words").text
    assert at.value == int(chain[-1])
    before = at.value
    for nonsense in ("", "²", "-3", "99999999999999", "why me not"):
        model("wish").value = nonsense
    assert at.value == before


def test_every_system_is_walked_and_another_one_keeps_the_place(model):
    model("position").value = 200
    for file_system in FILE_SYSTEMS:
        for device in DEVICES:
            model("file_system").value, model("device").value = file_system, device
            assert model("position").value == 200
            alone = PathWalk(file_system=file_system, device=device)
            alone.go(200)
            assert model("picture").text == path_picture(alone)
            assert ("<svg" in model("picture").text) == (device == "disk")


@pytest.mark.parametrize("text", ["", "1r 2x", "9" * 5000, "1r " * 1400, " ".join(f"{page}w" for page in range(60))])
def test_bad_input_is_said_and_the_walk_stays(model, text):
    model("text").value = "1r 2w | 3w 4r"
    assert model("load").value == TYPED
    model("position").value = 5
    before = model("picture").text
    model("text").value = text
    assert model("message").visible
    assert 'role="alert"' in model("message").text
    assert model("picture").text == before
    model("load").value = "tpc-c"
    assert not model("message").visible


@pytest.mark.parametrize("file_system", FILE_SYSTEMS)
@pytest.mark.parametrize("device", DEVICES)
def test_every_event_has_a_sentence_and_a_cause_in_words(file_system, device):
    walk = PathWalk(load="tpc-c", transactions=12, file_system=file_system, device=device)
    kinds = set()
    for position in range(1, walk.size + 1):
        walk.go(position)
        kinds.add(walk.walker.event.kind)
        said, why = path_sentence(walk), why_sentence(walk)
        assert said.endswith(".")
        assert "transaction " in why
    assert events.EVICT in kinds
    assert (events.FLASH_PROGRAM in kinds) == (device == "flash")


def test_what_is_drawn_is_the_state_of_the_models():
    walk = PathWalk(transactions=30)
    for position in range(0, walk.size + 1, 97):
        walk.go(position)
        system, drawn = walk.walker.system, path_picture(walk)
        dirty = sum(system.buffer.picture()[1].values()) + sum(changed for _, changed, _ in system.cache.pages())
        assert drawn.count('aria-label="dirty"') == dirty
        live = sum(int((die.whereabouts()[1] >= 0).sum()) for die in system.flash.dies)
        placed = [system.content_of(block) for block in range(system.blocks)]
        pages_placed = [number for kind, number in placed if kind == "page"]
        data = sum(number < system.pages for number in pages_placed)
        assert drawn.count('<i class="page') == live + data
        assert f"{system.account[:, 3].sum():,.0f}</td>" in drawn


def test_the_notebooks_path_moves_by_button_key_and_cell_and_says_what_is_wrong():
    path = walk_path(load="tpc-c", transactions=20, file_system="log-structured").go(50)
    assert path.position.value == 50
    first, _, _, last, *_ = path.children[3].children
    buttons = {button.description: button for button in path.children[3].children if hasattr(button, "click")}
    buttons["Next transaction"].click()
    assert "begins." in repr(path)
    buttons["Next erase"].click()
    assert "erases its block" in repr(path)
    path.why.value = True
    assert "had to collect" in path._picture.value
    before = path._picture.value
    path.load.value = "1r zwei"
    assert "reference 2 must be a whole page id" in path._message.value
    assert path._picture.value == before
    path.load.value = "1r 2w"
    assert path._message.value == ""
    last.click()
    assert path.position.value == path.position.max == path.walk.size
    first.click()
    assert path.position.value == 0
    with pytest.raises(ModelError, match=r"1\.\.24 frames; got 65"):
        walk_path(frames=65)
    assert walk_path(policy="cflru:window=0.25").controls["policy"].value == "cflru:window=0.25"


@pytest.mark.parametrize(("file_system", "device"), [("log-structured", "flash"), ("in place", "disk")])
def test_question_mode_asks_what_the_buffer_has_and_which_block_is_collected(file_system, device):
    walk = PathWalk(load="tpc-c", transactions=8, file_system=file_system, device=device)
    walk.ask_first(True)
    asked = set()
    while walk.position < walk.size:
        before = walk.position
        walk.go(walk.size)
        if (question := walk.question) is None:
            continue
        coming = walk.walker.system.events[walk.position]
        asked.add(coming.kind)
        (right,) = question.right
        if coming.kind == events.FLASH_COLLECT:
            assert question.options[right] == f"block {coming.number}"
        else:
            assert question.options[right].startswith("yes" if coming.kind == events.HIT else "no")
        assert "Say it first" in path_picture(walk)
        walk.answer(right)
        assert walk.position > before
    assert walk.right == walk.answered > 0
    assert asked == {events.HIT, events.MISS} | ({events.FLASH_COLLECT} if device == "flash" else set())


def test_each_event_lights_the_lines_that_ran_and_each_line_runs_somewhere():
    ran, lines = set(), set()
    for file_system in FILE_SYSTEMS:
        for device in DEVICES:
            walk = PathWalk(load="tpc-c", file_system=file_system, device=device)
            code = path_code.code_of(walk.setup)
            lines |= {text for text, _ in code}
            for event in set(walk.walker.system.events):
                lights = {text for text, when in code if lit(when, path_code.facts_of(event))}
                assert lights, f"{file_system}, {device}: {path_code.NAMES[event.kind]}"
                ran |= lights
    assert ran == lines


def test_the_lines_of_the_picture_are_those_of_the_last_event(model):
    model("wish").value = "1 next"
    assert re.findall(r'aria-current="true"[^>]*>([^<]*)', model("picture").text) == ["for each transaction:"]
    model("erase")._trigger_event(ButtonClick(model("erase")))
    lines = re.findall(r'<li class="lit"[^>]*>([^<]*)', model("picture").text)
    assert lines == ["flash, under a page map:", "erase it"]


def test_a_second_policy_goes_in_lock_step_and_costs_what_it_costs_alone(model):
    model("beside").value = "cflru"
    walk = PathWalk(beside="cflru")
    alone = PathWalk(policy="cflru")
    for place in (0, 1, 150, 151, walk.size, 40):
        walk.go(place)
        assert int(walk.other.system.at[0]) == walk.references
        assert walk.other.position == 0 or walk.other.event.kind != events.TRANSACTION
    walk.go(walk.size)
    alone.go(alone.size)
    assert walk.other.state_hash() == alone.walker.state_hash()
    model("position").value = walk.size
    assert model("picture").text == path_picture(walk)
    assert "beside it: CFLRU" in model("picture").text
    lesson = walk_path(beside="cflru").go(walk.size)
    assert path_picture(walk) in lesson._picture.value
    model("beside").value = "none"
    assert "beside it" not in model("picture").text


def test_a_random_load_is_drawn_by_a_seed_that_is_shown(model):
    model("random")._trigger_event(ButtonClick(model("random")))
    assert model("load").value == TYPED
    assert "(seed 1)" in model("random").label
    first = model("text").value
    assert first.count("|") == 15
    assert first == PathWalk().random_text(1) != PathWalk().random_text(2)
    assert not model("message").visible
    lesson = walk_path()
    lesson.random.click()
    assert lesson.walk.setup.load == lesson.load.value == first
