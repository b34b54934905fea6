"""The answers of a class for its instructor: every exercise that was handed out, worked with each student's numbers."""

from collections.abc import Callable, Mapping

from pagecost.errors import require
from pagecost_app.course.roster import Key
from pagecost_app.exercises import EXERCISES, own
from pagecost_app.exercises.exercise import Exercise


def exercises_of(key: Key) -> Mapping[str, Exercise]:
    """The exercises that were handed out and that there still are, by id, the instructor's own among them."""
    every = {**own.parse(key.own), **EXERCISES} if key.own else EXERCISES
    return {id: every[id] for id in key.exercises if id in every}


def text(key: Key, progress: Callable[[float, None], None] = lambda share, _: None) -> str:
    """In Markdown, student by student: the question as it was asked, the steps, and the answer.

    Raises ModelError where the lesson was handed out to nobody.
    """
    require(bool(key.handed), f"the key of lesson {key.lesson} names no student: nothing was handed out with it")
    asked = exercises_of(key)
    parts = [f"# Answers: {key.lesson}, {key.course}\n"]
    for number, handed in enumerate(key.handed):
        progress(number / len(key.handed), None)
        student, seed = handed.student, key.seed(handed.student)
        whose = f"{student.name} ({student.id})" if student.id else student.name
        parts.append(f"## {whose}\n\nFolder `{handed.folder}`, seed {seed}.\n")
        parts += [_worked(exercise, seed) for exercise in asked.values()]
    return "\n".join(parts)


def _worked(exercise: Exercise, seed: int) -> str:
    """One exercise. What it says is indented, so that no sign in it is taken for Markdown."""
    lines = "\n".join((exercise.asked(seed), "", *exercise.worked(seed))).splitlines()
    shown = "\n".join(f"    {line}".rstrip() for line in lines)
    return f"### {exercise.id}\n\n{shown}\n"
