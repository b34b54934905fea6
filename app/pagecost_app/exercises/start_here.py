"""The exercise of the lesson before the first: start here."""

import random

from pagecost.buffer import References, replay
from pagecost_app.exercises.kinds import EXACT, Number

FRAMES = 3
LENGTH = 16


def _draw_string(dice: random.Random) -> dict:
    pages = dice.randint(4, 7)  # few or many, so that the number of hits is not known beforehand
    return {"references": " ".join(f"{dice.randint(1, pages)}r" for _ in range(LENGTH))}


def _hits(references: str) -> float:
    return float(replay(References.of_text(references), FRAMES, "lru").hits)


def _misses(references: str) -> float:
    return LENGTH - _hits(references)


def _seen_before(references: str) -> float:
    """References to pages that were asked for before: the hits of a buffer in which every page stays."""
    return float(LENGTH - len(set(references.split())))


def _steps(references: str) -> list[str]:
    run: list[str] = []
    lines = []
    for number, reference in enumerate(references.split(), start=1):
        hit = reference in run
        leaves = run[0] if not hit and len(run) == FRAMES else ""
        run = [page for page in run if page not in (reference, leaves)] + [reference]
        lines.append(f"{number}. {reference}: {'a hit' if hit else 'a miss'}{f', {leaves} leaves' if leaves else ''}")
    return lines


EXERCISES = (
    Number(
        "first-hits",
        "A buffer of three frames is empty. These pages are read, one after the other: {references}. When it is full, "
        "the page leaves that was not used for the longest time (LRU). How many of the sixteen references are hits?",
        "1",
        attempts=2,  # the answer is one of few whole numbers
        draw=_draw_string,
        reference=_hits,
        tolerance=EXACT,
        hints=(
            "Copy the pages into the stepper above, with LRU and three frames, and count.",
            "A reference is a hit if its page is in one of the three frames at that moment.",
        ),
        steps=_steps,
        mistakes=(
            (_misses, "those are the misses: the references whose page was not in the buffer."),
            (_seen_before, "that counts every page that was asked for before; some of them had left by then."),
        ),
    ),
)
