"""The slides of a lesson: one idea each, in the order in which the lesson has them.

What a lesson's panels ask for is answered here: a chart is the study's own, a walk is stepped through, a question has
its worked solution behind a press. What only a reader of the notebook needs (instructions above a panel, code, cells
for instructors) is left out or goes to the speaker's notes.
"""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from bokeh.models import LayoutDOM

from pagecost import studies
from pagecost_app.book import calls, drawn, steps
from pagecost_app.book.calls import Shown
from pagecost_app.book.lesson_page import drawn_of
from pagecost_app.charts import CHARTS
from pagecost_app.course import prose
from pagecost_app.course.lessons import CHECKED, Cell, Lesson
from pagecost_app.exercises import EXERCISES
from pagecost_app.exercises.exercise import Field
from pagecost_app.exercises.misconceptions import misconceptions

HEADING = re.compile(r"^(#{1,4}) (.+)$", re.MULTILINE)
MOST_LETTERS = 850  # of a slide's text: what a hall can read
ASKED = {"ask", "exercise"}
MOST_PRESSES = 24  # of a walk in a hall
PLACE = re.compile(r"(, victims by .*)?: .*|, after .*")  # of a walk's title, where it stands: each step has another
PANELS = ASKED | {"predict", "check", "hint", "worked"}
Progress = Callable[[float], None]


@dataclass
class Slide:
    """One slide. body: HTML; every element of class `press`, and every closed `details`, waits for a press of its own.

    chart: drawn where the body has its `CHART`. notes: sentences for whoever speaks.
    """

    title: str
    body: str
    kind: str = "text"
    chart: LayoutDOM | None = None
    notes: list[str] = field(default_factory=list)


CHART = "<!-- chart -->"


def of(lesson: Lesson, progress: Progress = lambda share: None) -> list[Slide]:
    """The slides of a lesson. Raises ModelError for a study that a lesson asks wrongly."""
    made = [_title(lesson)]
    if lesson.goals:
        goals = "".join(f"<li>{prose.line(goal)}</li>" for goal in lesson.goals)
        made.append(Slide("After it you can", f"<ul>{goals}</ul>", "goals"))
    heading, seen = lesson.title, set[str]()
    known: Mapping[str, Any] = {}
    for number, cell in enumerate(lesson.cells[1:], start=1):
        progress(number / len(lesson.cells))
        if cell.kind == "markdown":
            asks = _is_instruction(lesson.cells[number + 1 :])
            source = prose.without_buttons(cell.source)
            texts = _texts(_without_instruction(source) if asks else source, heading)
            heading = _last_heading(source, heading)
            made += texts
        elif not cell.is_for_instructors:
            made += _of_code(cell, heading, seen, known)
        known = calls.known_after(cell, known)
    return [each for each in made if each.body]


def _title(lesson: Lesson) -> Slide:
    first = lesson.cells[0].source
    words = HEADING.sub("", first).partition("*Time:")[0].partition("**After it you can**")[0]
    least, most = lesson.minutes
    time = f"{least} minutes" if least == most else f"{least} to {most} minutes"
    number = f"lesson {lesson.number}, " if lesson.number else ""
    body = f"{prose.html(words)}<p class=muted>{number}{time}</p>"
    return Slide(lesson.title, body, "title", notes=[f"Planned for {time}."])


def _is_instruction(after: Iterable[Cell]) -> bool:
    """Whether the text is followed by nothing but a question's panel: then it says how to fill it in."""
    following = next(iter(after), None)
    if following is None or calls.shown(following, DRAWN.keys()):
        return False
    return bool({call.name for call in following.calls} & PANELS)


def _without_instruction(source: str) -> str:
    """A text before a panel, without what says how to fill that in: all of it, or what follows the last answer."""
    kept, answer, _ = source.rpartition("</details>")
    return kept + answer


def _last_heading(source: str, before: str) -> str:
    found = list(HEADING.finditer(source))
    return found[-1][2].strip() if found else before


def _texts(source: str, heading: str) -> list[Slide]:
    """Slides of a cell of text: one for each heading, and more where one would be too full."""
    found = []
    starts = [0, *(match.start() for match in HEADING.finditer(source)), len(source)]
    for start, end in itertools.pairwise(starts):
        part = source[start:end].strip()
        match = HEADING.match(part)
        if match:
            heading, part = match[2].strip(), part[match.end() :].strip()
        found += [Slide(heading, prose.html(piece), notes=_answers(piece)) for piece in _pieces(part)]
    return found


def _pieces(text: str) -> list[str]:
    """The text, cut between paragraphs where a slide would be too full; a folded answer stays with its question."""
    pieces, size = [""], 0
    for block in re.split(r"\n\s*\n(?=\S)", _answers_as_one(text)):
        letters = len(re.sub(r"<details>.*?</details>", "", block, flags=re.DOTALL))
        is_answer = block.lstrip().startswith("<details>")
        if size and size + letters > MOST_LETTERS and not is_answer:
            pieces.append("")
            size = 0
        pieces[-1] += f"{block}\n\n"
        size += letters
    return [piece.replace(JOINED, "\n\n").strip() for piece in pieces if piece.strip()]


JOINED = "\u2029"  # between the paragraphs of a folded answer, while a text is cut into pieces


def _answers_as_one(text: str) -> str:
    return re.sub(r"<details>.*?</details>", lambda match: re.sub(r"\n\s*\n", JOINED, match[0]), text, flags=re.DOTALL)


def _answers(text: str) -> list[str]:
    """The folded answers of a text, in a line each."""
    found = re.findall(r"<details>\s*<summary>.*?</summary>(.*?)</details>", text, flags=re.DOTALL)
    return [prose.plain(answer) for answer in found]


def _of_code(cell: Cell, heading: str, seen: set[str], known: Mapping[str, Any]) -> list[Slide]:
    made = [DRAWN[call.name](call, heading) for call in calls.shown(cell, DRAWN.keys(), known)]
    for call in cell.calls:
        id = call.arguments[0] if call.name in ASKED and call.arguments else None
        if id in EXERCISES and id not in seen:
            seen.add(id)
            made.append(_question(id, call.keywords.get("seed", 1)))
    if not made and (picture := drawn_of(cell)):
        made.append(_picture(picture, heading))
    elif CHECKED in cell.tags:
        printed = "".join("".join(output.get("text", ())) for output in cell.outputs)
        made += [Slide(heading, f"<pre>{escape(piece)}</pre>", "numbers") for piece in _screens(printed)]
    return made


LINES, LETTERS = 16, 84  # of printed numbers on a slide, and in a line


def _screens(printed: str) -> list[str]:
    """What was printed, on at most two slides; the end of more stands below the beginning."""
    lines = printed.rstrip().splitlines()
    screens: list[list[str]] = [[]]
    room = LINES
    for line in lines:
        rows = max(math.ceil(len(line) / LETTERS), 1)
        if rows > room and screens[-1]:
            screens.append([])
            room = LINES
        screens[-1].append(line)
        room -= rows
    if len(screens) > 2:
        first = screens[0][: LINES - 6]
        screens = [[*first, f"… {len(lines) - len(first) - 1} more lines stand in the lesson …", lines[-1]]]
    return ["\n".join(screen) for screen in screens]


def _chart(call: Shown, heading: str) -> Slide:
    """The study's chart as the lesson starts it, and what it says."""
    if call.unread or "system" in call.named:
        return _elsewhere(call, heading)
    study = studies.find(str(call.given[0]))
    values = {name: value for name, value in call.named.items() if name != "preset"}
    preset = call.named.get("preset") or (call.given[1] if len(call.given) > 1 else None)
    inputs = study.inputs(values, preset)
    result = study.compute(inputs)
    chart = CHARTS[study.name]()
    chart.update(inputs, result)
    said = study.describe(inputs, result)
    body = f'<div class=drawn role=img aria-label="{escape(said)}">{CHART}</div><p class=said>{escape(said)}</p>'
    notes = [*study.explain(inputs, result), *result.notes]
    return Slide(study.title, body, "chart", chart.root, [str(note) for note in notes])


def _walk(call: Shown, heading: str) -> Slide:
    """The walk, one step a press, from where the lesson begins it."""
    found = steps.walk_of(call)
    if found is None:
        return _elsewhere(call, heading)
    made, walk = found
    last = min(walk.size, call.place + MOST_PRESSES)
    stages = [f"<style>{made.css}</style>"]
    for position in range(call.place, last + 1):
        walk.go(position)
        _, sentence, picture = made.shown(walk)
        press = " press" if position > call.place else ""
        stages.append(f'<div class="stage-of{press}"><p class=said>{escape(sentence)}</p>{picture}</div>')
    walk.go(0)
    title, _, _ = made.shown(walk)
    notes = ["One press is one step."]
    if last < walk.size:
        notes.append(f"Steps {call.place} to {last} of {walk.size}; the notebook walks on.")
    return Slide(PLACE.sub("", title), "".join(stages), "walk", notes=notes)


def _drawing(call: Shown, heading: str) -> Slide:
    """A picture, as the lesson's call draws it."""
    made = drawn.drawing(call)
    return _elsewhere(call, heading) if made is None else _picture(made, heading)


def _picture(made: str, heading: str) -> Slide:
    return Slide(heading, f'<div class="picture">{made}</div>', "picture")


def _elsewhere(call: Shown, heading: str) -> Slide:
    return Slide(heading, f"<p>This moves in the notebook: <code>{escape(call.said)}</code>.</p>", "elsewhere")


def _options(part: Field) -> str:
    rows = "".join(f"<li><b>{escape(each.value)}</b> {escape(each.text)}</li>" for each in part.options)
    return f"<p>{escape(part.label)}</p><ol class=options>{rows}</ol>"


def _question(id: str, seed) -> Slide:
    exercise = EXERCISES[id]
    options = "".join(_options(part) for part in exercise.form(seed) if part.options)
    asked = "".join(f"<p>{escape(line)}</p>" for line in exercise.asked(seed).splitlines())
    steps = "".join(f"<p>{escape(line)}</p>" for line in exercise.worked(seed))
    answer = f"<details><summary>Answer</summary>{steps}</details>"
    notes = [f"Exercise {id}.", *(f"Hint: {hint}" for hint in exercise.hinted(seed))]
    notes += [f"A wrong idea: {each}" for each in misconceptions(exercise)]
    title = "Say it first" if exercise.prediction else "Question"
    return Slide(title, f"<div class=asked>{asked}</div>{options}{answer}", "question", notes=notes)


DRAWN: Mapping[str, Callable[[Shown, str], Slide]] = {
    "explore": _chart,
    **dict.fromkeys(steps.STEPPERS, _walk),
    **dict.fromkeys(drawn.PICTURES, _drawing),
}
"""What draws a panel of a lesson under a heading, by the name of its call: all that the book draws."""
