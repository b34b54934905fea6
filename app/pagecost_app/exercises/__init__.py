"""Exercises that check themselves: `ask`, `predict`, `check`, `hint` and `worked` of a lesson.

An exercise asks with numbers that a seed chooses, computes its own reference from the engine (no answer stands in a
notebook), and knows what typical wrong answers mean. A check never raises, so "Run all" survives an unsolved lesson;
its result is true when passed. A variant takes so many attempts; then its worked solution is shown, and another seed
gives other numbers. What is answered is kept on the learner's sheet, which also says the seed where none is asked for.
A file here that offers EXERCISES is a lesson's: that of its name, or of its LESSON.
"""

import html
import importlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches

from pagecost import registry
from pagecost.errors import ModelError, require
from pagecost_app.exercises import kept, own
from pagecost_app.exercises.exercise import Exercise
from pagecost_app.exercises.standing import Standing, standing

__all__ = [
    *("COMPARE", "EXERCISES", "MARKS", "MIME", "Exercise", "Said", "Standing"),
    *("ask", "check", "every", "hint", "own_seed", "predict", "stands", "standing", "worked"),
]


def of_modules(names: Iterable[str]) -> dict[str, Exercise]:
    """The exercises that modules offer as EXERCISES, by id; each knows as its lesson the module, or its LESSON.

    Raises ModelError where two have the same id.
    """
    found: dict[str, Exercise] = {}
    for name in names:
        module = importlib.import_module(name)
        lesson = getattr(module, "LESSON", name.rpartition(".")[2])
        for exercise in getattr(module, "EXERCISES", ()):
            require(exercise.id not in found, f"two exercises have the id {exercise.id!r}, one is in {name}")
            found[exercise.id] = replace(exercise, lesson=lesson)
    return found


EXERCISES: dict[str, Exercise] = of_modules(registry.modules(__name__))
"""Every exercise by its id."""

MIME = "application/vnd.pagecost.check+json"
COMPARE = "Compare with the model"
"""The button of a prediction's panel; lessons name it."""
MARKS = {
    "passed": ("✔ Passed", "#0072B2"),
    "failed": ("✘ Not yet", "#D55E00"),
    "surprised": ("≠ Not as predicted", "#D55E00"),
    "todo": ("✎ To do", "#767676"),
    "noted": ("✎ Noted", "#767676"),
    "asked": ("Question", "#767676"),
    "hint": ("Hint", "#767676"),
    "worked": ("Worked solution", "#767676"),
}


class Said:
    """What is said to the learner: text, HTML with role=status, and a record for whoever grades. True when passed.

    advice: which call to type next, where a panel has a button instead.
    """

    def __init__(
        self, id: str, status: str, message: str, points: int = 0, seed=1, score: float = 0.0, advice: str = ""
    ):
        self.id, self.status, self.message, self.advice = id, status, message, advice
        self.points, self.seed, self.score = points, seed, score

    def __bool__(self):
        return self.status == "passed"

    def __repr__(self):
        return f"{MARKS[self.status][0]}: {self.message} {self.advice}".rstrip()

    def _repr_mimebundle_(self, **options):
        mark, colour = MARKS[self.status]
        lines = html.escape(f"{self.message} {self.advice}".rstrip()).replace("\n", "<br>")
        return {
            "text/plain": repr(self),
            "text/html": f'<div role="status" style="border-left:4px solid {colour};padding:.3em .8em">'
            f"<b>{mark}</b>: {lines}</div>",
            MIME: {"id": self.id, "seed": self.seed, "status": self.status, "points": self.points}
            | {"score": self.score},
        }


def every() -> Mapping[str, Exercise]:
    """The exercises that there are here: those of the lessons, and the instructor's beside the notebook.

    Raises ModelError where the instructor's file is damaged.
    """
    return {**own.beside(), **EXERCISES}


def own_seed(seed=None):
    """The seed asked for, or the one of the learner's sheet."""
    return kept.sheet().seed if seed is None else seed


def stands(exercise: Exercise, seed) -> Standing:
    """How the learner stands with a variant, by what is kept."""
    return standing(exercise, seed, kept.sheet().answers(exercise.id, seed))


def ask(id: str, seed=None) -> Said:
    """The question. Another seed gives other numbers."""
    seed = own_seed(seed)
    return _guarded(id, seed, lambda exercise: ("asked", _with_options(exercise, seed)))


def predict(id: str, answer, seed=None) -> Said:
    """Commit to an answer before exploring. `check(id)` compares it later."""
    seed = own_seed(seed)

    def note(exercise: Exercise):
        judged = exercise.judge(seed, answer)
        if judged.status == "todo":
            return "todo", judged.message
        kept.keep("predictions", id, seed, answer)
        return "noted", "your prediction is kept. Explore, then compare."

    return _guarded(id, seed, note)


def check(id: str, answer=None, seed=None) -> Said:
    """Whether the answer is right: a number in the unit asked for, a text with a unit such as "12 ms", or what the kind
    of exercise wants. Without an answer, the prediction made before is compared with what the engine says.
    """
    seed = own_seed(seed)

    def stand(exercise: Exercise):
        predicted = kept.sheet().predicted(id, seed) if answer is None else []
        given = predicted[-1] if predicted else answer
        before = stands(exercise, seed)
        status, message = exercise.grade(seed, given)
        if status != "todo" and not before.closed:
            kept.keep("attempts", id, seed, given)
        now = stands(exercise, seed)
        advice = ""
        if status == "failed" and exercise.prediction:
            status = "surprised"
        elif status == "failed" and now.closed:
            advice = f'This variant is closed: worked("{id}", seed={seed!r}) explains it; another seed asks anew.'
        elif status == "failed":
            left = f"{now.left} attempt{'' if now.left == 1 else 's'} left."
            advice = left + (f' hint("{id}") helps.' if exercise.hints else "")
        return status, message, now.score if status == "passed" else 0.0, advice

    return _guarded(id, seed, stand)


def hint(id: str, number: int = 1) -> Said:
    """The first hint, or a later one."""

    seed = own_seed()

    def pick(exercise: Exercise):
        count = len(exercise.hints)
        if not count:
            return "hint", "there is none for this one."
        shown = min(max(int(number), 1), count)
        more = f' (hint("{id}", {shown + 1}) says more)' if shown < count else ""
        return "hint", exercise.hinted(seed)[shown - 1] + more

    return _guarded(id, seed, pick)


def worked(id: str, seed=None) -> Said:
    """The worked solution of a variant, once it is solved or its attempts are used up."""
    seed = own_seed(seed)

    def show(exercise: Exercise):
        now = stands(exercise, seed)
        if not now.closed:
            left = f"{now.left} attempt{'' if now.left == 1 else 's'} left"
            return "todo", f"it is shown when the exercise is solved or its attempts are used up; {left}."
        return "worked", "\n".join(exercise.worked(seed))

    return _guarded(id, seed, show)


def _with_options(exercise: Exercise, seed) -> str:
    """The question, how exact a number must be, and what there is to choose from."""
    fields = exercise.form(seed)
    listed = ("\n".join(f"{each.value}: {each.text}" for each in field.options) for field in fields if field.options)
    near = ", ".join(field.near for field in fields if field.near)
    asked = f"{exercise.asked(seed)} ({near[0].upper()}{near[1:]}.)" if near else exercise.asked(seed)
    if len(fields) == 1:
        return "\n".join((asked, *listed))
    return "\n".join((asked, *(f"{field.name}\n{text}" for field, text in zip(fields, listed, strict=False))))


def _guarded(id, seed, answer) -> Said:
    """The answer of an exercise, whatever happens."""
    exercise = EXERCISES.get(id) if isinstance(id, str) else None
    if exercise is None and isinstance(id, str):
        try:
            exercise = own.beside().get(id)
        except ModelError as error:
            return Said(id, "failed", str(error))
    if exercise is None:
        near = get_close_matches(str(id), EXERCISES, 1)
        return Said(
            str(id), "failed", f"there is no exercise {id!r}" + (f"; did you mean {near[0]!r}?" if near else ".")
        )
    try:
        status, message, *more = answer(exercise)
    except Exception as error:
        status, message, more = "failed", f"the check itself went wrong ({type(error).__name__}: {error}).", []
    said = " ".join(filter(None, (message, kept.problem())))
    return Said(id, status, said, exercise.points, seed, *more)
