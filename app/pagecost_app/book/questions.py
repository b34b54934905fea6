"""The exercises of a lesson on its page: a question with its numbers, hints, and a worked solution on a press.

Numbers and choices are answered and judged there, in the exercise's own words; other kinds need the engine for that.
"""

import base64
import itertools
import json
from html import escape

from pagecost.errors import known, require
from pagecost_app.book import shell
from pagecost_app.book.calls import Shown
from pagecost_app.book.lesson_page import Page
from pagecost_app.exercises import EXERCISES
from pagecost_app.exercises.exercise import Exercise, Field
from pagecost_app.exercises.kinds import typed
from pagecost_app.exercises.kinds.choice import Choice
from pagecost_app.exercises.kinds.number import Number, written

SEEDS = (1, 2, 3)  # the first is shown, the others are folded


def question(page: Page, call: Shown) -> str:
    """`ask("id")` and `exercise("id")`. Raises ModelError for an exercise that there is not."""
    require(not call.unread, f"{page.lesson.name}: the book reads only literals as arguments; got {call.said}")
    exercise = EXERCISES[known(f"exercise of lesson {page.lesson.number}", str(call.given[0]), EXERCISES)]
    page.add(f"const TYPED = {json.dumps(typed.DATA)}\n{shell.read('questions.js')}")
    first, *others = (_variant(page, exercise, seed) for seed in SEEDS)
    same = exercise.asked(SEEDS[0]) == exercise.asked(SEEDS[1])
    hints = "".join(
        f"<details><summary>Hint</summary><p>{escape(hint)}</p></details>" for hint in exercise.hinted(SEEDS[0])
    )
    more = "".join(f"<details><summary>Other numbers</summary>{other}</details>" for other in dict.fromkeys(others))
    kept = "" if same else more
    title = "Say it first" if exercise.prediction else "Question"
    name = page.label(title)
    return f'<section class="question" aria-label="{name}"><p><b>{title}</b></p>{first}{hints}{kept}</section>'


def nothing(page: Page, call: Shown) -> str:
    """What only the notebook can do: it keeps and judges answers."""
    return ""


def _variant(page: Page, exercise: Exercise, seed: int) -> str:
    asked = "".join(f"<p>{escape(line)}</p>" for line in exercise.asked(seed).splitlines())
    steps = "".join(f"<p>{escape(line)}</p>" for line in exercise.worked(seed))
    answered = _form(page, exercise, seed) or "".join(_options(part) for part in exercise.form(seed) if part.options)
    solution = f'<details><summary>Worked solution</summary><div data-told="{_hidden(steps)}"></div></details>'
    return f"{asked}{answered}{solution}"


def _form(page: Page, exercise: Exercise, seed: int) -> str:
    """Where an answer is given and judged in the page; empty for the kinds that need the engine for it."""
    if isinstance(exercise, Choice):
        judged, parts = _choices(exercise, seed), exercise.form(seed)
        name = page.named("answer")
        inside = "".join(_radio(f"{name}-{part.name}", part) for part in parts)
    elif isinstance(exercise, Number):
        judged, (part,) = _number(exercise, seed), exercise.form(seed)
        unit = "" if part.unit == "1" else f" {escape(part.unit)}"
        inside = f'<label>{escape(part.titled)} <input type="text" autocomplete="off">{unit}</label>'
    else:
        return ""
    return (
        f'<form class="answer" data-judged="{_hidden(json.dumps(judged))}">{inside}<button>Check</button>'
        '<p role="status" class="judged"></p></form>'
    )


def _choices(exercise: Choice, seed: int) -> dict:
    """What is said to every answer."""
    parts = exercise.form(seed)
    said = {}
    for values in itertools.product(*([option.value for option in part.options] for part in parts)):
        judged = exercise.judge(seed, dict(zip((part.name for part in parts), values, strict=True)))
        said[" ".join(values)] = [judged.status == "passed", judged.message]
    return {"said": said}


def _number(exercise: Number, seed: int) -> dict:
    """What is right, how near to it is near enough, what may stand behind a number, and what is said to each number
    that a wrong idea gives."""
    key, numbers = exercise.key(seed), exercise.numbers(seed)
    told = typed.reading(exercise.unit, exercise.question)
    told |= {"key": key, "tolerance": exercise.tolerance, "within": exercise.within, "side": exercise.side}
    if exercise.within:
        model = f"The model says {written(key, exercise.unit)}."
        texts = (exercise.text(exercise.why, seed), exercise.text(exercise.surprise, seed))
        return told | {"right": f"{model} {texts[0]}", "wrong": [], "other": f"{model} {texts[1]}"}
    values = [float(wrong(**numbers)) for wrong, _ in exercise.mistakes]
    return told | {
        "right": exercise.judge(seed, key).message,
        "wrong": [[value, exercise.judge(seed, value).message] for value in values],
        "other": "",
    }


def _radio(name: str, part: Field) -> str:
    rows = "".join(
        f'<label><input type="radio" name="{name}" value="{escape(each.value)}" required> {escape(each.text)}</label>'
        for each in part.options
    )
    return f"<fieldset><legend>{escape(part.label)}</legend>{rows}</fieldset>"


def _hidden(text: str) -> str:
    """A text that a search of the page does not find."""
    return base64.b64encode(text.encode("utf8")).decode("ascii")


def _options(part: Field) -> str:
    rows = "".join(f"<li><b>{escape(each.value)}</b> {escape(each.text)}</li>" for each in part.options)
    return f"<p>{escape(part.label)}</p><ul>{rows}</ul>"
