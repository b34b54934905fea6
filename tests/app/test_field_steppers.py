"""The steppers of translation layers and disk arms without a browser: every input is moved, bad ones are tried."""

import pytest
from bokeh.events import ButtonClick

from helpers.walking_pages import models_of
from pagecost.devices.disk import SCHEDULERS
from pagecost.devices.ftl import LAYERS, VICTIMS, told
from pagecost.errors import ModelError
from pagecost_app.notebook import step_disk, step_ftl, step_join
from pagecost_app.pages.field_stepper_page import PAGES
from pagecost_app.walks import KINDS
from pagecost_app.walks.disk_code import code_of as disk_code_of
from pagecost_app.walks.disk_walk import PHASES, DiskWalk
from pagecost_app.walks.ftl_code import code_of as ftl_code_of
from pagecost_app.walks.ftl_walk import ERASES, HOST, PROGRAMMED, FtlWalk
from pagecost_app.walks.layers_picture import layers_picture
from pagecost_app.walks.lines import lit

LONG = " ".join(f"w{page}" for page in [0, 5, 0, 9, 1, 13, 0, 2, 5, 3, 0, 1, 2, 3, 4, 8, 12] * 4) + " w0-15 t3 r3 r5"


@pytest.fixture(params=["ftl-stepper", "disk-stepper"])
def model(request):
    """model(name) -> the page's model of that name, in a fresh document."""
    with models_of(PAGES[request.param]) as found:
        found.kind = PAGES[request.param].kind
        yield found


def press(button):
    button._trigger_event(ButtonClick(button))


def test_it_opens_walks_draws_a_string_and_asks(model):
    at = model("position")
    assert at.value == 0
    assert model("picture").text.count("<h3>") > 3
    press(model("next"))
    press(model("next"))
    there = at.value
    assert there > 1
    press(model("previous"))
    assert at.value < there
    press(model("random"))
    drawn = model("requests").value
    assert "seed 1" in model("random").label
    press(model("random"))
    assert "seed 2" in model("random").label
    assert model("requests").value != drawn
    assert not model("message").visible
    at.value = at.end
    model("wish").value = "1 go 1"
    assert at.value == 1
    model("wish").value = "2 nonsense"
    assert at.value == 1
    at.value = 0
    model("ask").active = True
    at.value = 5  # not before the question is answered
    assert "Say it first" in model("picture").text
    stopped = at.value
    assert stopped < 5
    assert "data-wish=&quot;answer" not in model("picture").text
    model("wish").value = "3 answer 0"
    assert at.value > stopped
    assert "of 1 right" in model("picture").text
    model("play").active = True
    for _ in range(20):
        callbacks = model("play").document.session_callbacks
        if not callbacks:
            break
        callbacks[0].callback()
    assert not model("play").active  # it waits for an answer
    model("ask").active = False
    at.value = at.end
    assert at.value == at.end


@pytest.mark.parametrize("text", ["", "zwei", "w", "5x", "w99999", "w1-", "-1", "w0-15 " * 40, "١"])
def test_bad_requests_are_said_and_the_walk_stays(model, text):
    model("position").value = 3
    before = model("picture").text
    model("requests").value = text
    assert model("message").visible
    assert 'role="alert"' in model("message").text
    assert model("picture").text == before


@pytest.mark.parametrize("number", [None, float("nan"), 2.5, -1, 10**9])
def test_a_bad_number_is_said_and_the_walk_stays(model, number):
    before = model("picture").text
    name = "pages" if model.kind.name == "ftl" else "sectors"
    model(name).value = number
    assert model("message").visible
    assert model("picture").text == before


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("start", ["filled", "empty"])
def test_every_step_of_a_layer_is_drawn_said_and_lights_a_line(layer, start):
    walk = FtlWalk(layer=layer, requests=LONG, start=start)
    code = ftl_code_of(layer, "greedy")
    kind = KINDS["ftl"]
    for position in range(walk.size + 1):
        walk.go(position)
        lines = {number for number, (_, when) in enumerate(code) if lit(when, walk.facts())}
        assert bool(lines) == (position > 0), (kind.sentence(walk), walk.facts())
        drawn = kind.picture(walk)
        assert drawn.count('aria-current="true"') == len(lines)
        assert drawn.count('class="live') >= int((walk.instant.alive & (walk.instant.holds < 16)).sum())
        assert "None" not in kind.sentence(walk)
    assert walk.spent[-1, PROGRAMMED] >= walk.spent[-1, HOST] > 0
    counts, begun = walk.layer.counts(), FtlWalk(layer=layer, requests="r0", start=start)
    assert walk.spent[-1, HOST] == counts.host_pages - begun.layer.counts().host_pages
    before = begun.layer.counts().programmed_pages - begun.spent[-1, PROGRAMMED]
    assert walk.spent[-1, PROGRAMMED] == counts.programmed_pages - before
    assert walk.spent[-1, ERASES] == counts.erases


def test_every_line_of_every_layer_runs_in_some_walk():
    for layer in LAYERS:
        code, ran = ftl_code_of(layer, "greedy"), set()
        for start in ("filled", "empty"):
            walk = FtlWalk(layer=layer, requests=LONG, start=start)
            for position in range(walk.size + 1):
                walk.go(position)
                ran |= {line for line, when in code if lit(when, walk.facts())}
        assert [line for line, _ in code if line not in ran] == [], layer


@pytest.mark.parametrize("policy", VICTIMS)
def test_every_victim_policy_can_be_walked(policy):
    walk = FtlWalk(layer="page", policy=policy, requests=LONG, spare_blocks=3)
    assert told.COLLECT in {one.kind for one in walk.happenings}
    walk.go(walk.size)
    assert KINDS["ftl"].picture(walk)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_step_of_a_scheduler_is_drawn_said_and_lights_a_line(scheduler):
    walk = DiskWalk(scheduler=scheduler, beside="fcfs")
    kind = KINDS["disk"]
    assert walk.size == 8 * len(PHASES)
    for position in range(walk.size + 1):
        walk.go(position)
        lines = [line for line, when in disk_code_of(scheduler) if lit(when, walk.arm.facts(position))]
        assert bool(lines) == (position > 0)
        assert f'aria-label="platter with {len(walk.requests)} requests' in kind.picture(walk)
        assert kind.sentence(walk)
    assert walk.arm.time_s(walk.size) == pytest.approx(walk.arm.run.elapsed_s, rel=1e-12)
    assert f"{walk.arm.run.cylinders_crossed} cylinders crossed" in kind.picture(walk)


def test_question_mode_reveals_nothing_before_the_answer_and_counts():
    walk = DiskWalk(scheduler="sstf")
    walk.ask_first(True)
    walk.go(walk.size)
    assert walk.position == 0
    asked = walk.question
    (right,) = asked.right
    walk.answer(99)
    assert walk.position == 0
    walk.answer(right)
    assert (walk.position, walk.right, walk.answered) == (1, 1, 1)
    walk.go(walk.size)
    assert walk.position == len(PHASES)  # the next choice
    wrong = next(number for number in range(len(walk.question.options)) if number not in walk.question.right)
    walk.answer(wrong)
    assert (walk.right, walk.answered) == (1, 2)
    assert "You said" in walk.feedback
    walk.go(0)
    assert walk.question is None  # it was seen
    walk.go(walk.size)
    assert walk.position == len(PHASES) * 2
    walk.ask_first(False)
    walk.go(walk.size)
    assert walk.position == walk.size


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_requests_of_one_cylinder_are_told_apart_and_equally_near_ones_are_all_right(scheduler):
    walk = DiskWalk(scheduler=scheduler, requests="310 320 370 320 20 320:9", start=0)
    walk.ask_first(True)
    walk.go(walk.size)
    while (asked := walk.question) is not None:
        assert len(set(asked.options)) == len(asked.options)
        taken = walk.arm.served[walk.position // len(PHASES)]
        assert taken.waited.index(taken.number) in asked.right
        same = {at for at, number in enumerate(taken.waited) if number in (1, 3)}
        assert scheduler == "fcfs" or not (same & asked.right) or same <= asked.right
        walk.answer(max(asked.right))
        walk.go(walk.size)
    assert walk.right == walk.answered


@pytest.mark.parametrize("scheduler", ["sstf", "scan", "look", "c-look"])
def test_of_equally_near_requests_the_oldest_is_taken(scheduler):
    walk = DiskWalk(scheduler=scheduler, requests="310 320 370 320 20 320", start=0)
    assert [one.number for one in walk.arm.served if one.number in (1, 3, 5)] == [1, 3, 5]


def test_what_the_head_has_just_passed_on_its_own_cylinder_waits_and_the_code_and_the_question_say_so():
    walk = DiskWalk(scheduler="look", requests="320 320 370", start=320)
    assert [one.cylinder for one in walk.arm.served] == [320, 370, 320]
    walk.go(len(PHASES))
    (asked,) = walk._questions()
    assert "before the end of the last transfer has passed the head" in asked.text
    assert any("just passed" in line for line, _ in disk_code_of("look"))


def test_the_calls_of_a_lesson_take_what_is_possible_and_say_what_is_not():
    stepper = step_ftl("fast", "w0 w1 w0 w5 w9 w13 w5", log_blocks=3).go(9)
    assert "because request" in repr(stepper)
    stepper.random.click()
    assert stepper._message.value == ""
    stepper.fields["requests"].value = "zwei"
    assert "request 1 must be w, r or t" in stepper._message.value
    arm = step_disk("sstf", "98 183 37w 122:5", beside="fcfs", start=53).ask_first()
    arm._wish.value = "1 answer 0"
    assert arm.walk.answered == 1
    arm._slider.value = arm.walk.size
    assert arm._slider.value == arm.walk.position < arm.walk.size
    for call, said in (
        (lambda: step_ftl("fat"), "unknown translation layer 'fat'"),
        (lambda: step_ftl("page", policy="oldest"), "oldest"),
        (lambda: step_ftl("page", start="half"), "half"),
        (lambda: step_ftl("page", pages=3), r"must be 4\.\.128; got 3"),
        (lambda: step_ftl("page", pages=128, pages_per_block=2), r"4\.\.32 blocks"),
        (lambda: step_ftl("bast", spare_blocks=1), "bast: .* blocks"),
        (lambda: step_ftl("page", "w16"), r"pages 0\.\.15; request 1 asks for page 16"),
        (lambda: step_disk("elevator"), "unknown disk scheduler 'elevator'"),
        (lambda: step_disk("sstf", "1962"), r"cylinders 0\.\.1961; request 1 asks for 1962"),
        (lambda: step_disk("sstf", "7:5000"), "exceeds its track"),
        (lambda: step_disk("sstf", start=5000), "cannot stand at 5000"),
        (lambda: step_disk("sstf", disk="tape"), "unknown hard disk 'tape'"),
        (lambda: step_disk("sstf", "1 " * 25), "at most 24 requests; got 25"),
    ):
        with pytest.raises(ModelError, match=said):
            call()


def test_two_layers_beside_each_other_are_the_two_alone_request_by_request():
    string = "w0 w5 w1 w9 w0 w13 r5 w5 w1 w0 w2 w9 w6 w0 w1"
    pair = step_ftl("fast", string, beside="page").walk
    for walk, layer in zip(pair.walks, ("fast", "page"), strict=True):
        alone = step_ftl(layer, string).walk
        assert walk.happenings == alone.happenings
        each = [pair.spent(walk, position) for position in range(1, pair.size + 1)]
        assert [sum(column) for column in zip(*each, strict=True)] == [
            int(alone.spent[-1][column]) for column in (PROGRAMMED, ERASES)
        ]
    for position in range(pair.size + 1):
        pair.go(position)
        for walk in pair.walks:
            done = walk.happenings[: walk.position]
            assert {one.request for one in done} == set(range(position))
            assert "walk-stage" in layers_picture(pair)


def test_two_layers_beside_each_other_ask_who_programs_more():
    pair = step_ftl("block", "w5 w6", beside="page")
    pair.ask_first()
    question = pair.walk.question
    assert question.options[min(question.right)] == "Block map", "it moves the block"
    pair.answer(min(question.right))
    assert pair.walk.right == 1
    assert pair.walk.position == 1
    assert pair.walk.place_of("erase") == 2
    with pytest.raises(ModelError, match="translation layer"):
        step_ftl("page", "w0", beside="nothing known")


@pytest.mark.parametrize(("name", "call"), [("join", step_join), ("layers", lambda: step_ftl(beside="page"))])
def test_what_a_lesson_has_the_app_has_too(name, call):
    with models_of(PAGES[f"{name}-stepper"]) as model:
        at, lesson = model("position"), call()
        for field in KINDS[name].fields:
            model(field.name).value = lesson.walk.values[field.name]
        assert at.end == lesson.walk.size
        for place in (0, 7, at.end):
            at.value = place
            assert model("picture").text == KINDS[name].picture(lesson.go(place).walk)
        at.value = 0
        for wish in KINDS[name].wishes.values():
            press(model(wish))
        assert at.value > 0
        model("ask").active = True
        at.value = 5
        assert "Say it first" in model("picture").text


def test_two_layers_are_given_a_random_string_and_bad_memory_of_a_join_is_said():
    with models_of(PAGES["layers-stepper"]) as model:
        press(model("random"))
        assert "seed 1" in model("random").label
        assert not model("message").visible
    with models_of(PAGES["join-stepper"]) as model:
        before = model("picture").text
        model("memory").value = 2
        assert "pages of memory" in model("message").text
        assert model("picture").text == before
