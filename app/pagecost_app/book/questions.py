"""The exercises of a lesson on its page: a question with its numbers, hints, and a worked solution on a press."""

import base64
from html import escape

from pagecost.errors import known, require
from pagecost_app.book.calls import Shown
from pagecost_app.book.lesson_page import Page
from pagecost_app.exercises import EXERCISES
from pagecost_app.exercises.exercise import Exercise, Field

SEEDS = (1, 2, 3)  # the first is shown, the others are folded


def question(page: Page, call: Shown) -> str:
    """`ask("id")` and `exercise("id")`. Raises ModelError for an exercise that there is not."""
    require(not call.unread, f"{page.lesson.name}: the book reads only literals as arguments; got {call.said}")
    exercise = EXERCISES[known(f"exercise of lesson {page.lesson.number}", str(call.given[0]), EXERCISES)]
    first, *others = (_variant(exercise, seed) for seed in SEEDS)
    hints = "".join(f"<details><summary>Hint</summary><p>{escape(hint)}</p></details>" for hint in exercise.hints)
    more = "".join(f"<details><summary>Other numbers</summary>{other}</details>" for other in dict.fromkeys(others))
    kept = "" if others[0] == first else more
    title = "Say it first" if exercise.prediction else "Question"
    return f'<section class="question" aria-label="{title}"><p><b>{title}</b></p>{first}{hints}{kept}</section>'


def nothing(page: Page, call: Shown) -> str:
    """What only the notebook can do: it keeps and judges answers."""
    return ""


def _variant(exercise: Exercise, seed: int) -> str:
    asked = "".join(f"<p>{escape(line)}</p>" for line in exercise.asked(seed).splitlines())
    options = "".join(_options(part) for part in exercise.form(seed) if part.options)
    steps = "".join(f"<p>{escape(line)}</p>" for line in exercise.worked(seed))
    hidden = base64.b64encode(steps.encode("utf8")).decode("ascii")
    solution = f'<details><summary>Worked solution</summary><div data-told="{hidden}"></div></details>'
    return f"{asked}{options}{solution}"


def _options(part: Field) -> str:
    rows = "".join(f"<li><b>{escape(each.value)}</b> {escape(each.text)}</li>" for each in part.options)
    return f"<p>{escape(part.label)}</p><ul>{rows}</ul>"
