"""How a learner stands with one variant of an exercise, computed again from the answers alone."""

from collections.abc import Iterable
from typing import NamedTuple

from pagecost_app.exercises.exercise import Exercise


class Standing(NamedTuple):
    """status: passed, failed or todo; message: what is said to the last answer. tries: attempts that count; left: how
    many there are still; closed: whether the worked solution may be shown and another seed is due; score: points."""

    status: str
    message: str
    tries: int
    left: int
    closed: bool
    score: float


def standing(exercise: Exercise, seed, answers: Iterable) -> Standing:
    """Where these answers, in the order in which they were given, have led.

    The same answer again costs no attempt, nor does one that cannot be graded; what comes after the variant was closed
    is not looked at. The points are those of the attempt that passed.
    """
    status, message = "todo", ""
    tried: list = []
    for answer in answers:
        if answer in tried:
            continue
        status, message = exercise.grade(seed, answer)
        if status == "todo":
            continue
        tried.append(answer)
        if status == "passed" or len(tried) >= exercise.attempts:
            break
    closed = bool(tried) and (status == "passed" or len(tried) >= exercise.attempts)
    score = exercise.score(len(tried)) if status == "passed" else 0.0
    if status == "todo" and tried:
        status = "failed"
    return Standing(status, message, len(tried), exercise.attempts - len(tried), closed, score)
