"""More exercises of lesson 6: the curve of a buffer, policies by write-backs, and a string on which CFLRU loses."""

import random
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from pagecost.buffer import References, Stepper, lru_curve, replay
from pagecost_app.exercises.exercise import Axis, Field
from pagecost_app.exercises.kinds import Condition, Configuration, Curve, Order

LESSON = "buffer_management"
POLICIES = {"lru": "LRU", "cflru": "CFLRU", "fifo": "FIFO", "min": "MIN, which knows the future"}
PARTS = (0.1, 0.25, 0.5, 0.75, 1.0, 2.0, 3.0, 4.0, 5.0)  # of the hot pages


def _draw_hot(dice: random.Random) -> dict:
    return {"hot": dice.randrange(100, 401), "share": dice.randrange(70, 93)}


@lru_cache(maxsize=512)
def _hit_ratios(hot: int, share: int) -> tuple[float, ...]:
    """LRU's hit ratio at `PARTS` of the hot pages, counted on 20 000 references."""
    dice = np.random.default_rng(hot * 100 + share)
    is_hot = dice.random(20_000) < share / 100
    pages = np.where(is_hot, dice.integers(0, hot, 20_000), hot + dice.integers(0, 20 * hot, 20_000))
    curve = lru_curve(References.of(pages))
    misses = curve.at([round(part * hot) for part in PARTS]).misses
    return tuple(1 - float(missed) / 20_000 for missed in misses)


def _draw_strings(dice: random.Random) -> dict:
    words = (f"{dice.randint(1, 7)}{dice.choice('rrw')}" for _ in range(dice.randrange(24, 41)))
    return {"references": " ".join(words), "policies": tuple(dice.sample(list(POLICIES), 3))}


def _written(references: str, policies, frames: int = 4) -> dict[str, float]:
    known = References.of_text(references)
    return {name: float(replay(known, frames, name).write_backs) for name in policies}


def _missed(references: str, policies) -> dict[str, float]:
    known = References.of_text(references)
    return {name: replay(known, 4, name).misses + place / 10 for place, name in enumerate(sorted(policies))}


def _strings_steps(references: str, policies) -> Iterator[str]:
    """Every dirty victim of every policy, as the stepper names it."""
    for name in policies:
        stepper = Stepper(References.of_text(references), 4, name)
        steps = [stepper.forward() for _ in range(stepper.size)]
        written = [f"{page} (reference {step.position})" for step in steps for page, dirty in step.victims if dirty]
        clean = sum(not dirty for step in steps for _, dirty in step.victims)
        yield (
            f"{POLICIES[name]}: {len(written)} dirty victims, {', '.join(written) or 'none'}; {clean} clean ones cost "
            "nothing."
        )


def _draw_loss(dice: random.Random) -> dict:
    return {"frames": dice.randrange(3, 6), "ratio": dice.randrange(2, 9), "most": dice.randrange(20, 41)}


def _costs(references: str, frames: int, ratio: int) -> dict:
    known = References.of_text(references)
    cost = {name: replay(known, frames, name).cost(1.0, float(ratio)) for name in ("lru", "cflru")}
    return {"length": known.size, **cost}


def _losing(frames: int, ratio: int, most: int) -> str:
    """A string on which CFLRU costs more, found by trying."""
    dice = random.Random(f"{frames} {ratio} {most}")
    while True:
        text = " ".join(f"{dice.randint(1, frames + 2)}{dice.choice('rrrw')}" for _ in range(most))
        found = _costs(text, frames, ratio)
        if found["cflru"] > found["lru"]:
            return text


def _winning(frames: int, **_) -> str:
    """A string on which CFLRU keeps a dirty page that is wanted again, and again."""
    clean = range(2, frames + 2)
    return "1w " + " ".join(f"{page}r" for page in clean) + " 1w " + " ".join(f"{page}r" for page in clean) + " 1w"


def _losing_steps(frames: int, ratio: int, most: int) -> Iterator[str]:
    yield (
        "CFLRU lets a clean page go first, even one that is wanted again soon, and keeps dirty ones that nobody wants."
    )
    yield (
        "So write a page early and never come back to it; then read, again and again, clean pages that just fit "
        "beside it."
    )
    found = _costs(_losing(frames, ratio, most), frames, ratio)
    yield f"A string found by trying costs {found['lru']:g} page reads with LRU and {found['cflru']:g} with CFLRU."


EXERCISES = (
    Curve(
        "hit-ratio-by-buffer",
        "{share} % of the references go to {hot} hot pages, each as often as any other of them, the rest to twenty "
        "times "
        "as many cold ones. Draw LRU's hit ratio by the size of the buffer, before you see it.",
        draw=_draw_hot,
        x=lambda hot, share: Axis(
            "frames", "", 0.0, 5.0 * hot, positions=tuple(float(round(part * hot)) for part in PARTS)
        ),
        y=lambda hot, share: Axis("hit ratio", "", 0.0, 1.0),
        course=_hit_ratios,
        mistakes=(
            (
                lambda hot, share: [1 - hit for hit in _hit_ratios(hot, share)],
                "those are the misses; more frames hit more.",
            ),
            (
                lambda hot, share: [share / 100 if part >= 1 else 0.0 for part in PARTS],
                "that is a loop, of which LRU keeps nothing until all fits; here every hot page that is kept is hit.",
            ),
            (
                lambda hot, share: [part / PARTS[-1] * _hit_ratios(hot, share)[-1] for part in PARTS],
                "that would be so if all pages were equally hot; here the first frames are worth most.",
            ),
        ),
        hints=(
            "What fits first, and how many references go there?",
            "Once all hot pages fit, what does a frame still gain?",
        ),
        why="The hot pages fill it first; beyond them each frame gains the little that one cold page is asked for.",
        steps=lambda hot, share: (
            f"Up to somewhat more than {hot} frames each frame keeps one more hot page: the ratio climbs towards "
            f"{share} %.",
            "Cold pages pass through the list, so LRU needs some more frames than there are hot pages.",
            "Beyond that a frame keeps one of many cold pages, which is asked for rarely: the curve is nearly flat.",
        ),
    ),
    Order(
        "policies-by-write-backs",
        "A buffer of 4 frames, empty at first, and the references {references} (r reads, w writes). Put the policies "
        "in the "
        "order of the pages that they write back.",
        draw=_draw_strings,
        items=lambda references, policies: {name: POLICIES[name] for name in policies},
        sizes=_written,
        first="the fewest write-backs first",
        unit="write-backs",
        mistakes=((_missed, "that is the order of the misses; a clean victim is not written."),),
        attempts=2,
        hints=('step("lru", "…", frames=4) walks through it; only a dirty victim is written.',),
        why="Which victim is dirty decides, not how many there are.",
        steps=_strings_steps,
    ),
    Configuration(
        "cflru-loses",
        "CFLRU spares dirty pages. Write a reference string of at most {most} references on which it costs more than "
        "LRU: "
        "{frames} frames, empty at first, and a page write costs {ratio} page reads.",
        draw=_draw_loss,
        fields=lambda frames, ratio, most: (
            Field("references", "text", "References, r reads and w writes", lines=2, example="1w 2r 3r 1r 4w"),
        ),
        run=lambda answer, frames, ratio, most: _costs(answer["references"], frames, ratio),
        conditions=(
            Condition(
                lambda known: known["length"] <= known["most"],
                "that are {length} references, at most {most} are asked.",
                wrong=lambda most, **_: "1r " * (most + 1),
            ),
            Condition(
                lambda known: known["cflru"] >= known["lru"],
                "here CFLRU wins: in reads it costs {cflru:g}, LRU {lru:g}; it must keep dirty pages for nothing.",
                wrong=_winning,
            ),
            Condition(
                lambda known: known["cflru"] > known["lru"],
                "in reads both cost {lru:g}; one miss more would do.",
                wrong=lambda **_: "1w 2r 1r",
            ),
        ),
        example=_losing,
        points=2,
        hints=("Which page does CFLRU keep that LRU lets go? Make it one that nobody wants.",),
        why="A dirty page that nobody wants holds a frame, and clean ones that are wanted pay for it.",
        steps=_losing_steps,
    ),
)
