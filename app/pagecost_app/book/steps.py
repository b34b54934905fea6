"""Steppers on a page of the book: every step as the engine told it, recorded, with the picture that a notebook has."""

import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Any, NamedTuple
from urllib.parse import urlencode

from pagecost.errors import ModelError
from pagecost.units import grouped
from pagecost_app import walks
from pagecost_app.book import buffer_page, shell
from pagecost_app.book.arguments import FRAMES
from pagecost_app.book.calls import Shown
from pagecost_app.book.explorations import packed
from pagecost_app.book.lesson_page import Page, in_the_notebook
from pagecost_app.walks.kinds import BESIDE, JOIN, KINDS, Kind

SCRIPTS = ("packed.js", "steps.js")
MOST_STEPS, RUN_UP = 240, 5  # of a walk, the notebook walks on; before the place where its lesson begins it
PIECE = re.compile(r"(?=<(?:li|section|h3|p|tr|td|g|rect|text|circle|path|line|pre|code|div)\b)")
OF_THE_PATH = {"Next erase": "erase", "Previous transaction": "previous", "Next transaction": "next"}


class Stepper(NamedTuple):
    """A stepper: what a lesson's call becomes. positional: names of the arguments that need none; live: where its page
    with a model of its own stands, of the walk."""

    walk: Callable[..., Any]
    positional: tuple[str, ...]
    wishes: Mapping[str, str]
    css: str
    shown: Callable[[Any], tuple[str, str, str]]
    live: Callable[[Any], str] = lambda walk: ""


def _live_buffer(walk: walks.Walk) -> str:
    """The policy's live page with this string; empty where that page has not the policy or so many frames."""
    asked = [walk.policy, walk.beside if walk.other else walk.policy]
    pages = [int(page) for page in walk.references.ids]
    if not set(asked) <= set(buffer_page.POLICIES) or walk.frames not in FRAMES or max(pages) >= buffer_page.PAGES:
        return ""
    if asked[0] == asked[1]:
        asked[1] = "lru" if asked[0] != "lru" else "cflru"
    references = (walk.reference(place) for place in range(1, walk.size + 1))
    string = " ".join(f"{page}{'w' if write else ''}" for page, write in references)
    return "buffer.html#" + urlencode({"left": asked[0], "right": asked[1], "frames": walk.frames, "string": string})


def _of_kind(kind: Kind, *positional: str) -> Stepper:
    return Stepper(
        lambda **values: kind.walk(**values),
        positional,
        kind.wishes,
        kind.css,
        lambda walk: (kind.title(walk), kind.sentence(walk), kind.picture(walk)),
    )


STEPPERS = {
    "step": Stepper(
        lambda references=walks.GOLDEN, **values: walks.Walk(text=references, **values),
        ("policy", "references", "frames"),
        {},
        walks.CSS,
        lambda walk: (walks.title(walk), walks.sentence(walk), walks.picture(walk)),
        _live_buffer,
    ),
    "step_ftl": _of_kind(KINDS["ftl"], "layer", "requests"),
    "step_disk": _of_kind(KINDS["disk"], "scheduler", "requests"),
    "step_join": _of_kind(JOIN, "method"),
    "walk_path": Stepper(
        walks.PathWalk,
        (),
        OF_THE_PATH,
        walks.PATH_CSS,
        lambda walk: (walks.path_title(walk), walks.path_sentence(walk), walks.path_picture(walk)),
    ),
}
"""What each call of a stepper becomes."""
LAYERS = _of_kind(BESIDE, "layer", "requests")


def stepper(page: Page, call: Shown) -> str:
    """`step(…)`, `step_ftl(…)`, `step_disk(…)`, `step_join(…)`, `walk_path(…)`."""
    found = walk_of(call)
    if found is None:
        return in_the_notebook(call.said)
    made, walk = found
    for script in SCRIPTS:
        page.add(shell.read(script))
    name = page.named("walk")
    first = max(0, min(call.place - RUN_UP, walk.size - MOST_STEPS))
    last = min(walk.size, first + MOST_STEPS)
    title, sentence, _ = made.shown(walk)
    data = _recorded(walk, made, first, last) | {"start": call.place if first <= call.place <= last else first}
    return (
        f'<section class="walk-through" aria-label="{escape(page.label(title))}" data-walk="{name}">'
        f"<style>{made.css}</style>"
        f'<p class="study"><b>{escape(title)}</b></p>{_buttons(made.wishes, first, last)}'
        f'<p class="finding" role="status">{escape(sentence)}</p>'
        f'<div class="walk-figure" role="figure" aria-label="{escape(title)}" tabindex="0"></div>'
        f'<p class="note muted">{_said(walk, call, first, last)}</p>{_own(made.live(walk))}'
        f"{packed(name, data)}</section>"
    )


def walk_of(call: Shown) -> tuple[Stepper, Any] | None:
    """The walk that a call asks for, at its start; None for one that cannot be read, or asks what is not possible."""
    made = LAYERS if call.name == "step_ftl" and "beside" in call.named else STEPPERS[call.name]
    if call.unread or len(call.given) > len(made.positional):
        return None
    try:
        return made, made.walk(**dict(zip(made.positional, call.given, strict=False)), **call.named)
    except (ModelError, TypeError):
        return None


def _recorded(walk, made: Stepper, first: int, last: int) -> dict[str, Any]:
    """titles, sentences: after each step from `first` to `last`; pictures: as places of `pieces`; wishes: where each
    leads from there."""
    pieces: dict[str, int] = {}
    data: dict[str, Any] = {
        "first": first,
        "titles": [],
        "sentences": [],
        "pictures": [],
        "wishes": {w: [] for w in made.wishes.values()},
    }
    for position in range(first, last + 1):
        walk.go(position)
        title, sentence, picture = made.shown(walk)
        data["titles"].append(title)
        data["sentences"].append(sentence)
        data["pictures"].append([pieces.setdefault(piece, len(pieces)) for piece in PIECE.split(picture)])
        for wish, leads in data["wishes"].items():
            leads.append(walk.place_of(wish))
    return data | {"pieces": list(pieces)}


def _buttons(wishes: Mapping[str, str], first: int, last: int) -> str:
    moves = {"first": "|◀", "back": "◀ Back", "step": "Step ▶", "last": "▶|"}
    spoken = {"first": ' aria-label="To the start"', "last": ' aria-label="To the end"'}
    made = "".join(f'<button data-move="{move}"{spoken.get(move, "")}>{text}</button>' for move, text in moves.items())
    more = "".join(f'<button data-lead="{wish}">{escape(text)}</button>' for text, wish in wishes.items())
    return (
        f'<div class="buttons" role="group" aria-label="Steps">{made}'
        f'<button data-move="play" aria-pressed="false">Play</button>{more}'
        f'<span class="position">{first} of {last}</span></div>'
        f'<input type="range" min="{first}" max="{last}" value="{first}" step="1" aria-label="Steps done">'
    )


def _said(walk, call: Shown, first: int, last: int) -> str:
    told = "Every step is the engine's, recorded for this page."
    if last - first < walk.size:
        which = f"Steps {first} to {last}" if first else f"The first {last}"
        told = f"{which} of {grouped(walk.size)} steps, each the engine's own, recorded for this page."
    return f"{told} The notebook takes other inputs, and asks before each step: <code>{escape(call.said)}</code>."


def _own(address: str) -> str:
    if not address:
        return ""
    return (
        '<details class="own"><summary>With a string of your own, another policy, another device</summary>'
        f'<iframe title="Two policies side by side, on a string of your own" data-src="{escape(address)}"></iframe>'
        "</details>"
    )
