"""The stepper through a join: what it shows is what the join at work asks for, and every step is drawn and said."""

import base64
import contextlib
import gzip
import json
import re

import numpy as np
import pytest

from pagecost import operators
from pagecost.answers import join_runs
from pagecost.answers.join_runs import METHODS
from pagecost.errors import ModelError
from pagecost_app.book import build
from pagecost_app.book.calls import Shown
from pagecost_app.book.lesson_page import Page
from pagecost_app.book.markup import Markup
from pagecost_app.course import lessons
from pagecost_app.notebook import step_join
from pagecost_app.walks.join_code import code_of
from pagecost_app.walks.join_walk import DISK, DRIVE, PAGE_BYTES, JoinWalk
from pagecost_app.walks.kinds import JOIN
from pagecost_app.walks.lines import lit

# values under which every line of every join runs: several merges, parts of digests, all and no rows that join, and
# memory for R, for S, and for both
LOADS = (
    {},
    {"memory": 5, "outer": 16, "inner": 40},
    {"memory": 4, "outer": 6, "inner": 20, "percent": 100},
    {"percent": 0, "memory": 20},
    {"memory": 40},
    {"memory": 60},
)


def walks(method):
    for values in LOADS:
        with contextlib.suppress(ModelError):  # too little memory for it
            yield JoinWalk(method=method, **values)


@pytest.mark.parametrize("method", METHODS)
def test_every_request_is_drawn_said_and_lights_a_line(method):
    code = code_of(method)
    assert len(list(walks(method))) >= 2
    for walk in walks(method):
        for position in range(walk.size + 1):
            walk.go(position)
            lines = {number for number, (_, when) in enumerate(code) if lit(when, walk.facts())}
            assert bool(lines) == (position > 0), (JOIN.sentence(walk), walk.facts())
            drawn = JOIN.picture(walk)
            assert drawn.count('aria-current="true"') == len(lines)
            boxes = re.findall(r'<rect class="([rw])( ahead)?"', drawn)
            assert len(boxes) == walk.size
            assert sum(ahead == "" for _, ahead in boxes) == position
            assert sum(kind == "w" for kind, _ in boxes) == np.count_nonzero(~walk.is_read)
            assert "None" not in JOIN.sentence(walk) + drawn


@pytest.mark.parametrize("method", METHODS)
def test_what_is_counted_is_what_the_join_asks_for(method):
    for walk in walks(method):
        walk.go(walk.size)
        ran = join_runs.ran(method, walk.load)
        assert walk.counts() == tuple(ran.found)
        assert walk.size == ran.requests
        assert walk.results == ran.results
        assert ran.right


def test_every_line_that_asks_for_a_page_runs_in_some_walk():
    for method in METHODS:
        code, ran = code_of(method), set()
        for walk in walks(method):
            for position in range(walk.size + 1):
                walk.go(position)
                ran |= {line for line, when in code if lit(when, walk.facts())}
        assert [line for line, when in code if line not in ran and when] == [], method


def test_the_times_are_those_of_the_plans_runs():
    walk = JoinWalk(method="block nested loops", memory=8, outer=16, inner=32)
    for device in (DISK, DRIVE):
        times = operators.on_device(device, PAGE_BYTES)
        expected_s = sum(float(times.run_s(float(pages))) for pages in (6, 32, 6, 32, 4, 32))
        assert walk.spent_s[device][-1] == pytest.approx(expected_s)
        assert (np.diff(walk.spent_s[device]) > 0).all()
    goes_on = JoinWalk(method="DigestJoin, by pages of R", percent=0)  # page after page in one run, R then S behind it
    assert goes_on.counts() == (0, 0, 0)
    goes_on.go(goes_on.size)
    read, written, runs = goes_on.counts()
    assert (read, written, runs) == (48, 0, 2)
    times = operators.on_device(DISK, PAGE_BYTES)
    assert goes_on.spent_s[DISK][-1] == pytest.approx(float(times.run_s(16.0) + times.run_s(32.0)))


@pytest.mark.parametrize("method", METHODS)
def test_memory_is_never_used_twice(method):
    for walk in walks(method):
        assert walk.memory
        for each in walk.memory:
            assert 0 < sum(pages for _, pages in each.parts) <= walk.load.memory_pages, each
        assert {each.phase for each in walk.memory} >= {walk.phases[0]}


def test_phases_follow_each_other_and_buttons_lead_from_one_to_the_next():
    walk = JoinWalk(method="sort-merge join", memory=4, outer=16, inner=40)
    seen = [phase for at, phase in enumerate(walk.phases) if at == 0 or phase != walk.phases[at - 1]]
    assert seen == ["scan", "merge", "join"]
    places = [0]
    while places[-1] < walk.size:
        walk.go(walk.place_of("next"))
        places.append(walk.position)
    assert [walk.phases[at] for at in places[:-1]] == seen
    walk.go(walk.place_of("previous"))
    assert walk.position == places[-2]


def test_it_asks_before_something_else_begins_and_hides_what_comes():
    stepper = step_join("GRACE hash join").ask_first()
    stepper.go(stepper.walk.size)
    asked = stepper.walk.question
    assert asked.text == "What happens next?"
    assert 'class="asking"' in stepper._figure()
    for _ in range(100):
        if stepper.walk.question is None:
            break
        stepper.answer(min(stepper.walk.question.right))
        stepper.go(stepper.walk.size)
    assert stepper.walk.position == stepper.walk.size
    assert stepper.walk.answered == stepper.walk.right > 3


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: step_join("bubble join"), "unknown join 'bubble join'"),
        (lambda: step_join(memory=2), r"pages of memory must be 3\.\.64; got 2"),
        (lambda: step_join("hybrid hash join", memory=3), "needs about 6 pages of memory"),
        (lambda: step_join(percent=101), r"must be 0\.\.100"),
        (lambda: JoinWalk(rows=3), "unknown input of the stepper 'rows'"),
    ],
)
def test_what_is_not_possible_is_said(make, said):
    with pytest.raises(ModelError, match=said):
        make()


def test_a_widget_that_asks_the_impossible_keeps_the_last_walk():
    stepper = step_join("hybrid hash join").go(5)
    before = stepper._figure()
    stepper.fields["memory"].value = 3
    assert 'role="alert"' in stepper._message.value
    assert stepper._figure() == before
    stepper.fields["memory"].value = 12
    assert stepper._message.value == ""
    assert stepper._figure() != before
    assert stepper.walk.load.memory_pages == 12
    assert "hybrid hash join: R has 16 pages" in repr(stepper)


def on_a_page(*given, **named):
    """What a call of the stepper becomes on a lesson's page of the book, and what its script unpacks."""
    asked = lessons.lesson("13")
    page = Page(asked, Markup(asked.name, asked.path.parent, {}))
    shown = build.SHOWS["step_join"](page, Shown("step_join", given, named, "", "step_join(…)"))
    data = re.search(r'<script type="text/plain" id="walk-1">(.*?)</script>', shown)
    return shown, json.loads(gzip.decompress(base64.b64decode(data[1]))) if data else None


def test_the_book_walks_every_request_of_a_join_that_a_lesson_steps_through():
    shown, data = on_a_page("sort-merge join", memory=8)
    walk = JoinWalk(method="sort-merge join", memory=8)
    assert f"0 of {walk.size}" in shown
    assert len(data["pictures"]) == walk.size + 1
    walk.go(walk.size)
    last = "".join(data["pieces"][piece] for piece in data["pictures"][-1])
    assert last == JOIN.picture(walk)
    assert len(re.findall(r'<rect class="[rw]"', last)) == walk.size
    assert "Done: 96 pages read, 48 written" in data["sentences"][-1]
    walk.go(0)
    assert data["wishes"]["next"][0] == walk.place_of("next") > 0


def test_a_join_that_is_not_possible_is_left_to_the_notebook():
    shown, data = on_a_page("GRACE hash join", memory=3)
    assert data is None
    assert "This moves in the notebook" in shown
