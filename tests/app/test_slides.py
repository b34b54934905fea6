"""The slides of a lesson: every idea, question and answer once, and nothing that only a reader needs."""

import html
import json
import re

import pytest

from helpers.slides_lesson import lesson_file
from pagecost.errors import ModelError
from pagecost_app import notebook
from pagecost_app.course import lessons
from pagecost_app.exercises import COMPARE, EXERCISES
from pagecost_app.exercises.misconceptions import misconceptions
from pagecost_app.slides import slides, slides_page

EVERY = lessons.lessons()
NO_PANELS = {"answer", "claimed", "exercise", "reasons"}
DRAWING = [name for name in notebook.__all__ if name[0].islower() and name not in NO_PANELS]


@pytest.fixture
def no_charts(monkeypatch):
    """Charts take minutes, and are tested where they are drawn."""
    monkeypatch.setattr(slides, "DRAWN", dict.fromkeys(slides.DRAWN, _stand_in))


def _stand_in(call, heading):
    return slides.Slide(f"{call.name} {call.said}", "<p>a picture</p>", "chart")


@pytest.mark.usefixtures("no_charts")
@pytest.mark.parametrize("lesson", EVERY, ids=lambda lesson: lesson.name)
def test_a_lessons_slides_have_its_goals_every_exercise_every_study_and_every_answer(lesson):
    made = slides.of(lesson)
    assert [each.kind for each in made[:2]] == ["title", "goals"]
    assert made[1].body.count("<li>") == len(lesson.goals)
    bodies = "".join(each.body for each in made)
    questions = [each for each in made if each.kind == "question"]
    asked = [each.notes[0].removeprefix("Exercise ").rstrip(".") for each in questions]
    assert sorted(asked) == sorted(set(lesson.exercises))
    charts = [each.title.partition(" ")[0] for each in made if each.kind == "chart"]
    shown = [cell.source for cell in lesson.cells if cell.kind == "code" and not cell.is_for_instructors]
    panels = re.compile(rf"^(?:\w+ = )?(?:lab\.)?({'|'.join(DRAWING)})\(", re.MULTILINE)
    assert charts == [name for source in shown for name in panels.findall(source)]
    of_plans = [
        source for source in shown if re.search(r"^(depths|unknowns|machine|funnel|grounds)\(", source, re.MULTILINE)
    ]
    assert sum(each.kind == "picture" for each in made) == len(of_plans)
    folded = sum(cell.source.count("<details>") for cell in lesson.cells if cell.kind == "markdown")
    assert bodies.count("<details>") >= folded
    assert bodies.count("<details>") == bodies.count("</details>")
    for each in made:
        words = re.sub(
            r"<style>.*?</style>|<details>.*?</details>|<math.*?</math>|<[^>]+>", "", each.body, flags=re.DOTALL
        )
        assert each.title
        assert each.kind in ("title", "numbers", "question") or len(words) < 2.2 * slides.MOST_LETTERS, each.title


@pytest.fixture
def lesson(tmp_path):
    """One of everything, quickly answered."""

    return lessons.read(lesson_file(tmp_path))


def test_each_cell_becomes_what_a_hall_needs_of_it(lesson):
    made = slides.of(lesson)
    kinds = ["title", "goals", "text", "chart", "question", "numbers", "walk"]
    assert [each.kind for each in made] == kinds
    by_kind = dict(zip(kinds, made, strict=True))
    assert "5 to 10 minutes" in by_kind["title"].body
    assert "<li>say <em>it</em></li>" in by_kind["goals"].body
    assert "It costs $5." in by_kind["text"].body
    assert by_kind["text"].notes == ["Not so. Indeed."]
    assert by_kind["chart"].chart is not None
    assert by_kind["question"].body.count("<details>") == 1
    assert EXERCISES["victims"].worked(2)[-1] in by_kind["question"].body
    assert len(by_kind["question"].notes) == 1 + len(EXERCISES["victims"].hints) + len(
        misconceptions(EXERCISES["victims"])
    )
    assert "one &lt;number&gt;" in by_kind["numbers"].body
    assert by_kind["walk"].body.count("stage-of press") == 3
    assert not any("Replace the dots" in each.body for each in made)


def panel(tmp_path, source):
    """The one slide that a cell makes."""
    file = lesson_file(tmp_path)
    written = json.loads(file.read_text("utf8"))
    written["cells"] = [written["cells"][0], {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}]
    file.write_text(json.dumps(written), "utf8")
    return slides.of(lessons.read(file))[-1]


@pytest.mark.parametrize(
    ("source", "presses", "said"),
    [
        ("step('lru', '1r 2r 3r', frames=2, beside='fifo')", 3, "FIFO"),
        ("step_ftl('page', 'w0 w1')", None, "page"),
        ("step_ftl('fast', 'w0 w1', beside='page')", 2, "page"),
        ("step_disk('sstf', '98 183 37w', start=53)", None, "98"),
        ("step_join('sort-merge join')", None, "seek"),
        ("CASE = {'load': '1r | 2w'}\nit = walk_path(**CASE)\nit.go(2)\nit", None, "commit"),
    ],
)
def test_a_stepper_is_stepped_through_on_its_slide(tmp_path, source, presses, said):
    made = panel(tmp_path, source)
    assert made.kind == "walk"
    count = made.body.count('<div class="stage-of press">')
    assert 0 < count <= slides.MOST_PRESSES
    assert presses is None or count == presses
    assert said in made.body
    assert not re.search(r"\b0\b| of \d", made.title), f"{made.title}: the place moves on, the title does not"


@pytest.mark.usefixtures("no_charts")
def test_no_slide_points_at_a_panels_button_or_above():
    """What stands above in a lesson is on another slide, and a slide has no panel to press a button of."""
    for lesson in EVERY:
        for made in slides.of(lesson):
            assert COMPARE not in made.body, f"{lesson.name}, {made.title}: {made.body[:200]}"


def test_a_picture_is_drawn_on_its_slide_and_what_cannot_be_known_is_named(tmp_path):
    assert panel(tmp_path, "kept_or_read('2018 flash')").kind == "picture"
    assert "<svg" in panel(tmp_path, "label_tree(3, inserts=(0,))").body
    for source in ("explore('miss_curve', system=shop)", "step(mine)", "label_tree(99)"):
        made = panel(tmp_path, source)
        assert made.kind == "elsewhere"
        assert f"This moves in the notebook: <code>{html.escape(source)}</code>" in made.body


def test_the_page_loads_nothing_and_is_written_by_the_command(lesson, run, tmp_path):
    code, out, _ = run("slides", str(lesson.path), "--out", str(tmp_path / "mine.html"))
    assert (code, out) == (0, f"wrote {tmp_path / 'mine.html'}\n")
    page = (tmp_path / "mine.html").read_text("utf8")
    assert not re.search(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=", page)
    assert page.count('<section class="slide') == len(slides.of(lesson))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("99",), "there is no lesson 99; there are "),
        (("buffers",), "unknown lesson 'buffers'"),
        (("6", "--out", "a.txt"), "slides: it is written as .html; got 'a.txt'"),
        (("6", "--out", "/nowhere/a.html"), "slides /nowhere/a.html: there is no folder /nowhere"),
        ((), "missing argument 'LESSON'"),
    ],
)
def test_bad_input_is_one_sentence(run, arguments, sentence):
    code, out, err = run("slides", *arguments)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_a_lesson_that_asks_a_study_wrongly_is_said(lesson):
    wrong = lesson.path.read_text("utf8").replace("label_length", "label_lenght")
    lesson.path.write_text(wrong, "utf8")
    with pytest.raises(ModelError, match="unknown study 'label_lenght'"):
        slides_page.page(lessons.read(lesson.path))


def test_every_exercise_that_grades_knows_wrong_ideas():
    with_ideas = [id for id, exercise in EXERCISES.items() if misconceptions(exercise)]
    assert len(with_ideas) > 0.8 * len(EXERCISES)
