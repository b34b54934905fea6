"""Exercises that check themselves: `ask`, `predict`, `check` and `hint` of a lesson.

An exercise asks with numbers that a seed chooses, computes its own reference from the engine (no answer stands in a
notebook), and knows what typical wrong answers mean. A check never raises, so "Run all" survives an unsolved lesson;
its result is true when passed.
"""

import html
from difflib import get_close_matches

from pagecost_app.exercises import (
    buffer_management,
    flash_layers,
    flash_pages,
    hard_disk,
    ledger,
    page_access,
    transactions,
    xml_experiment,
    xml_storage,
)
from pagecost_app.exercises.exercise import Exercise, compare, grade, in_unit, is_open, written

LESSONS = (
    *(page_access, hard_disk, flash_layers, flash_pages, buffer_management),
    *(xml_storage, transactions, xml_experiment, ledger),
)
EXERCISES: dict[str, Exercise] = {exercise.id: exercise for lesson in LESSONS for exercise in lesson.EXERCISES}
"""Every exercise by its id."""

MIME = "application/vnd.pagecost.check+json"
MARKS = {
    "passed": ("✔ Passed", "#0072B2"),
    "failed": ("✘ Not yet", "#D55E00"),
    "todo": ("✎ To do", "#767676"),
    "noted": ("✎ Noted", "#767676"),
    "asked": ("Question", "#767676"),
    "hint": ("Hint", "#767676"),
}


class Said:
    """What is said to the learner: text, HTML with role=status, and a record for whoever grades. True when passed."""

    def __init__(self, id: str, status: str, message: str, points: int = 0, seed: int = 1):
        self.id, self.status, self.message, self.points, self.seed = id, status, message, points, seed

    def __bool__(self):
        return self.status == "passed"

    def __repr__(self):
        return f"{MARKS[self.status][0]}: {self.message}"

    def _repr_mimebundle_(self, **options):
        mark, colour = MARKS[self.status]
        record = {"id": self.id, "seed": self.seed, "status": self.status, "points": self.points}
        return {
            "text/plain": repr(self),
            "text/html": f'<div role="status" style="border-left:4px solid {colour};padding:.3em .8em">'
            f"<b>{mark}</b>: {html.escape(self.message)}</div>",
            MIME: record | {"score": self.points if self else 0},
        }


def ask(id: str, seed: int = 1) -> Said:
    """The question. Another seed gives other numbers."""
    return _guarded(id, seed, lambda exercise: ("asked", exercise.asked(seed)))


def predict(id: str, answer, seed: int = 1) -> Said:
    """Commit to an answer before exploring. `check(id)` compares it later."""

    def note(exercise):
        number, complaint = in_unit(answer, exercise.unit)
        if number is None:
            return "todo" if is_open(answer) else "failed", complaint
        _PREDICTIONS[id, seed] = number
        return "noted", f"you predict {written(number, exercise.unit)}. Explore, then compare."

    return _guarded(id, seed, note)


def check(id: str, answer=None, seed: int = 1) -> Said:
    """Whether the answer is right: a number in the unit asked for, or a text with a unit such as "12 ms" or "5 %".

    Without an answer, the prediction made before is compared with what the engine says.
    """
    if answer is None and (id, seed) in _PREDICTIONS:
        return _guarded(id, seed, lambda exercise: compare(exercise, seed, _PREDICTIONS[id, seed]))
    return _guarded(id, seed, lambda exercise: grade(exercise, seed, answer))


def hint(id: str, number: int = 1) -> Said:
    """The first hint, or a later one."""

    def pick(exercise):
        count = len(exercise.hints)
        if not count:
            return "hint", "there is none for this one."
        shown = min(max(int(number), 1), count)
        more = f' (hint("{id}", {shown + 1}) says more)' if shown < count else ""
        return "hint", exercise.hints[shown - 1] + more

    return _guarded(id, 1, pick)


def _guarded(id, seed, answer) -> Said:
    """The answer of an exercise, whatever happens."""
    exercise = EXERCISES.get(id) if isinstance(id, str) else None
    if exercise is None:
        near = get_close_matches(str(id), EXERCISES, 1)
        return Said(
            str(id), "failed", f"there is no exercise {id!r}" + (f"; did you mean {near[0]!r}?" if near else ".")
        )
    try:
        status, message = answer(exercise)
    except Exception as error:
        status, message = "failed", f"the check itself went wrong ({type(error).__name__}: {error})."
    return Said(id, status, message, exercise.points, seed)


_PREDICTIONS: dict[tuple[str, int], float] = {}
