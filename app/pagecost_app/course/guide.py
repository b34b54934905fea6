"""What an instructor wants to know of each lesson, told from the lessons and exercises themselves:

    python -m pagecost_app.course.guide lessons.md

Goals, time, what comes before, wrong ideas, the ledger's lines that it rests on, and its exercises as an exam pool.
"""

import argparse
import re
import sys
from pathlib import Path

from pagecost import claims
from pagecost.errors import ModelError
from pagecost.units import so_many
from pagecost_app.course import lessons
from pagecost_app.course.lessons import Lesson
from pagecost_app.exercises import EXERCISES, Exercise
from pagecost_app.exercises.misconceptions import misconceptions

LINE = re.compile(r"\b([FLRSW]\d\d(?:\.\w+)*)\b")


def text() -> str:
    """The guide to all lessons, in Markdown. Raises ModelError where there are no lessons."""
    every = lessons.lessons()
    known = [claim.id for claim in claims.claims()]
    parts = [_of(lesson, every, known) for lesson in every]
    least, most = (sum(lesson.minutes[end] for lesson in every) for end in (0, 1))
    return f"# The lessons, one by one\n\n{len(every)} lessons, {lessons.span(least, most)}.\n\n" + "\n".join(parts)


def rests_on(lesson: Lesson, known: list[str]) -> list[str]:
    """The ledger's lines that its code and text name, each once; a name that several lines begin with stands for all
    of them.
    """
    named = {name for cell in lesson.cells for name in LINE.findall(cell.source)}
    return [id for id in known if any(id == name or id.startswith(f"{name}.") for name in named)]


def _of(lesson: Lesson, every: list[Lesson], known: list[str]) -> str:
    before = [each for each in every if each.number < lesson.number]
    asked = [EXERCISES[id] for id in lesson.exercises if id in EXERCISES]
    ideas = [(exercise.id, idea) for exercise in asked for idea in misconceptions(exercise)]
    papers = rests_on(lesson, known)
    pool = [f"`{each.id}` ({each.kind}, {_worth(each)})" for each in asked]
    return (
        f"## {lesson.number} · {lesson.title}\n\n"
        f"*{lessons.span(*lesson.minutes)}.* "
        + (f"Comes after: {before[-1].title}.\n\n" if before else "Comes first.\n\n")
        + _listed("After it one can", lesson.goals)
        + _listed("Studies", [f"`{name}`" for name in lesson.studies])
        + _listed("Exam pool", pool)
        + _listed("Wrong ideas, and what is said to each", [f"`{id}`: {idea}" for id, idea in ideas])
        + (f"**Lines of the ledger that it names:** {', '.join(papers)}\n" if papers else "")
    )


def _worth(exercise: Exercise) -> str:
    return "a prediction, no points" if exercise.prediction else so_many(exercise.points, "point")


def _listed(title: str, items) -> str:
    return f"**{title}**\n\n" + "".join(f"- {item}\n" for item in items) + "\n" if items else ""


if __name__ == "__main__":
    asked = argparse.ArgumentParser(prog="guide", description="Write what is to be known of each lesson, as Markdown.")
    asked.add_argument("file", nargs="?", type=Path, default=Path("lessons.md"), help="default: lessons.md")
    try:
        asked.parse_args().file.write_text(text(), "utf8")
    except (ModelError, OSError) as error:
        sys.exit(f"guide: {error}")
