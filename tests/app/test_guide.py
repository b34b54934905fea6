"""The instructor's guide is told from lessons and exercises: nothing of them is missing."""

import re

import pytest

from pagecost import claims, studies
from pagecost_app.course import guide, lessons
from pagecost_app.exercises import EXERCISES
from pagecost_app.exercises.misconceptions import misconceptions

EVERY = lessons.lessons()
TOLD = guide.text()


@pytest.mark.parametrize("lesson", EVERY, ids=lambda lesson: lesson.name)
def test_the_guide_has_every_goal_exercise_and_wrong_idea_of_a_lesson(lesson):
    part = TOLD.partition(f"## {lesson.number} · {lesson.title}\n")[2].partition("\n## ")[0]
    assert all(f"- {goal}\n" in part for goal in lesson.goals)
    for id in lesson.exercises:
        graded = "a prediction, no points" if EXERCISES[id].prediction else f"{EXERCISES[id].points} point"
        assert f"- `{id}` ({EXERCISES[id].kind}, {graded}" in part
        assert all(idea in part for idea in misconceptions(EXERCISES[id]))


def test_the_guide_has_no_name_in_braces_and_no_span_without_length():
    outside_code = re.sub(r"`[^`]*`", "", TOLD)
    assert not re.search(r"\{\w", outside_code)
    conditions = [each for exercise in EXERCISES.values() for each in getattr(exercise, "conditions", ())]
    assert any("{" in condition.say for condition in conditions), "then this tells nothing"
    for least, most in re.findall(r"(\d+) to (\d+) minutes", TOLD):
        assert int(least) < int(most)


def test_a_lesson_names_the_studies_that_it_asks_of_a_module_too():
    planned = lessons.lesson("15").studies
    assert {"device_fit", "plan_terms", "storage_plan", "response_goal"} <= set(planned)
    assert all(studies.find(name) for name in planned)


def test_a_lesson_rests_on_lines_that_there_are():
    known = [claim.id for claim in claims.claims()]
    buffer = guide.rests_on(lessons.lesson("buffer_management"), known)
    assert set(buffer) <= set(known)
    assert {"F11.runs", "F16.superior"} <= set(buffer)
    assert not any(name.startswith("R2") for name in buffer)


def test_the_guide_by_hand_has_every_lesson_and_a_rubric_of_20_points_for_every_project():
    text = (lessons.FOLDER.parent / "docs" / "instructor" / "README.md").read_text("utf8")
    rows = text.partition("| lesson | worth an hour")[2].partition("\n\n")[0].splitlines()[2:]
    of = [row.split("|")[1].split() for row in rows]
    told = {number for ends in of for number in range(int(ends[0]), int(ends[-1]) + 1)}
    assert told == {lesson.number for lesson in EVERY if lesson.number}
    projects = text.partition("## Projects")[2].partition("\n## ")[0].split("\n### ")[1:]
    assert len(projects) == 3
    for project in projects:
        points = [int(found) for found in re.findall(r"^\| [a-z ]+ \((\d+)\) \|", project, re.MULTILINE)]
        assert sum(points) == 20


PAPERS = ("fernando2011", "lee2009", "rahm1992", "schmidt2009", "wang2011")  # those that the course is built on


def test_reading_questions_are_on_all_five_papers_and_each_has_its_answer():
    text = (lessons.FOLDER.parent / "docs" / "instructor" / "README.md").read_text("utf8")
    reading = text.partition("## Reading questions")[2]
    for paper in PAPERS:
        assert claims.claims(paper)
        assert f"(`{paper}`)" in reading
    questions = [line for line in reading.splitlines() if line[:1].isdigit()]
    assert len(questions) == reading.count("<details>") == reading.count("</details>")
