"""`explore("…")` on a page of the book: the study's chart, and sliders that show answers which were computed before."""

import base64
import gzip
import itertools
import json
import math
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from pagecost import studies
from pagecost.errors import ModelError
from pagecost.studies import Study, StudyInputs
from pagecost.studies.fields import group_of
from pagecost_app import made_with
from pagecost_app.book import axes, between, calls, recording, shell
from pagecost_app.book.axes import Axis, Budget, Computed
from pagecost_app.book.calls import Shown
from pagecost_app.book.lesson_page import Page, in_the_notebook
from pagecost_app.charts import CHARTS

LIBRARY = "bokeh.min.js"  # stands beside the pages
SCRIPTS = ("packed.js", "explorations.js")


class Explorations:
    """What `explore(…)` becomes, within a budget. With no answers: a sentence and the command for them."""

    def __init__(self, budget: Budget):
        self.budget = budget

    def __call__(self, page: Page, call: Shown) -> str:
        asked = asked_of(call)
        if asked is None:
            return in_the_notebook(call.said)
        study, start = asked
        first = axes.computed(study, start.model_dump()) if self.budget.answers else None
        if first is None or first.result is None:
            return in_the_notebook(call.said, made_with.run_line(study, start))
        for script in SCRIPTS:
            page.add(shell.read(script))
        if LIBRARY not in page.beside:
            page.beside.append(LIBRARY)
        return _exploration(page, call, study, start, self.budget)


class Grid(NamedTuple):
    """The answers over all combinations of some inputs. first: the place of the lesson's own; words: of each answer,
    as places in `texts`; idle: inputs that would be moved, but change nothing beside the others."""

    found: list[Axis]
    answers: list[Computed]
    first: int
    states: dict[str, list]
    recorder: recording.Recorder
    texts: dict[str, int]
    words: list[list[int]]
    idle: set[str]


def packed(name: str, data: dict[str, Any]) -> str:
    """Data of a part of the page, which its script unpacks when the part is looked at."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode("utf8")
    told = base64.b64encode(gzip.compress(text, 9, mtime=0)).decode("ascii")
    return f'<script type="text/plain" id="{name}">{told}</script>'


def asked_of(call: Shown) -> tuple[Study, StudyInputs] | None:
    """The study and its inputs; None for what cannot be read without running the lesson."""
    if call.unread or "system" in call.named or not call.given:
        return None
    values = dict(call.named)
    preset = values.pop("preset", None) or (call.given[1] if len(call.given) > 1 else None)
    try:
        study = studies.find(str(call.given[0]))
        return study, study.inputs(values, preset)
    except ModelError:
        return None


def _exploration(page: Page, call: Shown, study: Study, start: StudyInputs, budget: Budget) -> str:
    moved = calls.moved(page.lesson, call.bound) if call.bound else []
    grid = _grid(study, start, moved, budget)
    found, answers, first, states, recorder, texts, words, idle = grid
    shape = [len(axis.values) for axis in found]
    smooth, said_between = _between(found, shape, answers, states, recorder)
    name = page.named("exploration")
    data = {
        "chart": recorder.first,
        "shape": shape,
        "at": [axis.at for axis in found],
        "stops": [between.stops(study, axis) if number == smooth[0] else [] for number, axis in enumerate(found)],
        "smooth": smooth,
        **recording.compact(states, recorder),
        "texts": list(texts),
        "words": words,
    }
    told, why, command = (list(texts)[each] for each in words[first])
    notes = [_computed_words(found, len(answers)), said_between, _held(study, found, idle)]
    controls = "".join(map(_control, itertools.repeat(name), range(len(found)), found))
    back = '<button class="back" disabled>As in the lesson</button>' if found else ""
    panel = f'<div class="moves" role="group" aria-label="Inputs">{controls}{back}</div>' if found else ""
    return (
        f'<section class="exploration" aria-label="{escape(page.label(study.title))}" data-grid="{name}">'
        f'<p class="study"><b>{escape(study.title)}</b></p>{panel}'
        f'<p class="finding" role="status">{escape(told)}</p><div class="refused complaint" role="alert" hidden></div>'
        f'<div class="chart" id="{name}-chart" role="figure" tabindex="0" aria-label="{escape(told)}" '
        f'style="min-height:{_height(recorder)}px"></div>'
        f'<p class="note muted">{escape(" ".join(filter(None, notes)))}</p>'
        f'<details><summary>How was this computed?</summary><div class="why">{why}</div></details>'
        f'<details><summary>The same by command</summary><pre tabindex="0" class="command">{escape(command)}</pre>'
        f"</details>{packed(name, data)}</section>"
    )


def _grid(study: Study, start: StudyInputs, moved: Sequence[str], budget: Budget) -> Grid:
    """The grid of an exploration. An input that changes neither its chart nor what is found is offered to nobody."""
    idle: set[str] = set()
    while True:
        found = axes.chosen(study, start, moved, budget, without=idle)
        combinations = list(itertools.product(*(axis.values for axis in found)))
        names = [axis.name for axis in found]
        answers = [
            axes.computed(study, start.model_dump() | dict(zip(names, each, strict=True))) for each in combinations
        ]
        first = combinations.index(tuple(axis.values[axis.at] for axis in found))
        states, recorder = _recorded(study, answers, first)
        texts: dict[str, int] = {}
        words = [_words(study, each, texts) for each in answers]
        shown = zip(states["light"], words, strict=True)
        seen = [(frozenset(state.items()), told[0]) for state, told in shown]  # notes and command may always differ
        without_effect = axes.idle(found, seen)
        if not without_effect:
            return Grid(found, answers, first, states, recorder, texts, words, idle)
        idle |= without_effect


def _recorded(study: Study, answers: Sequence[Computed], first: int) -> tuple[dict, recording.Recorder]:
    """What the chart shows of each answer; where the study refuses one, what it shows of the first."""
    chart = CHARTS[study.name]()
    start = answers[first]

    def draw(each: Computed):
        shown = each if each.result is not None else start
        return lambda: chart.update(shown.inputs, shown.result)

    draws = [draw(start), *map(draw, answers)]
    for each in (*draws, draws[0]):  # as many lines as any answer needs: what is new later follows no theme
        each()
    recorder = recording.Recorder(chart)
    states = recorder.states(draws)
    return {theme: made[1:] for theme, made in states.items()}, recorder


def _between(found: Sequence[Axis], shape, answers, states, recorder) -> tuple[list, str]:
    """([number of the axis between whose stops is drawn, or -1, and how], what is said of it)."""
    none = [-1, between.LINEAR]
    number = next((n for n, axis in enumerate(found) if axis.is_smooth and len(axis.values) > 2), None)
    if number is None or any(each.result is None for each in answers):
        return none, ""
    axis = found[number]
    missed = between.missed(axis, number, shape, states["light"], recorder.columns)
    if missed.is_small:
        return [number, missed.way], (
            f"Between two stops of “{axis.title}” the chart is drawn from both: a stop that is left out and drawn from "
            f"its neighbours, which are twice as far apart, misses its computed numbers by at most "
            f"{_share(missed.worst)}, half of them by less than {_share(missed.half)}."
        )
    if missed.worst == float("inf"):
        return none, f"Nothing is drawn between two stops of “{axis.title}”: other points are known there."
    return none, (
        f"Nothing is drawn between two stops of “{axis.title}”: a stop drawn from its neighbours would miss its "
        f"computed numbers by up to {_share(missed.worst)}."
    )


def _share(share: float) -> str:
    """Rounded up, for it is said of what stays below it."""
    percent = 100 * share
    digits = 0 if percent >= 10 else 1 if percent >= 1 else 2
    return f"{math.ceil(percent * 10**digits) / 10**digits:.{digits}f} %"


def _computed_words(found: Sequence[Axis], count: int) -> str:
    if not found:
        return "One answer was computed for this page; the notebook moves its inputs."
    what = "the slider" if len(found) == 1 and found[0].is_number else "what is above"
    return f"{count} answers were computed for this page by the engine, one for each setting of {what}."


def _held(study: Study, found: Sequence[Axis], idle: set[str]) -> str:
    moved = {axis.name for axis in found}
    held = [
        str(field.title or name)
        for name, field in study.Inputs.model_fields.items()
        if name not in moved | idle and not group_of(field)
    ]
    return f"Held as in the lesson: {', '.join(held)}; the notebook moves them." if held and found else ""


def _words(study: Study, each: Computed, texts: dict[str, int]) -> list[int]:
    """The places in `texts` of what is found, of why as HTML, and of the command; of a refusal only its sentence."""
    if each.result is None or each.inputs is None:
        return [texts.setdefault(each.refused, len(texts))]
    lines = "".join(f"<li>{escape(line)}</li>" for line in study.explain(each.inputs, each.result))
    known = "".join(f"<li>{escape(note)}</li>" for note in each.result.notes)
    why = f"<ul>{lines}</ul>" + (f"<p>To know before using these numbers:</p><ul>{known}</ul>" if known else "")
    said = (str(study.describe(each.inputs, each.result)), why, made_with.run_line(study, each.inputs))
    return [texts.setdefault(text, len(texts)) for text in said]


def _control(name: str, number: int, axis: Axis) -> str:
    id = f"{name}-{number}"
    label = f'<label for="{id}" title="{escape(axis.help)}">{escape(axis.title)}</label>'
    if not axis.is_number:
        options = "".join(
            f'<option value="{place}"{" selected" if place == axis.at else ""}>{escape(text)}</option>'
            for place, text in enumerate(axis.labels)
        )
        return f'<div>{label}<select id="{id}" data-axis="{number}">{options}</select></div>'
    labels = escape(json.dumps(axis.labels))
    return (
        f'<div>{label}<span class="value" aria-hidden="true">{escape(axis.labels[axis.at])}</span>'
        f'<input type="range" id="{id}" data-axis="{number}" min="0" max="{len(axis.values) - 1}" value="{axis.at}" '
        f'step="1" aria-valuetext="{escape(axis.labels[axis.at])}" data-labels="{labels}"></div>'
    )


def _height(recorder: recording.Recorder) -> int:
    """Pixels that the chart will take, nearly: the text below shall not move when it is drawn."""
    return int(getattr(recorder.chart.root, "height", None) or 420)
