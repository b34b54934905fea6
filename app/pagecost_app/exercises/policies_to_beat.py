"""Exercises of lesson 6 in which the learner writes a policy in ten lines: it beats LRU, and then the fence."""

import random
from collections.abc import Iterator
from functools import lru_cache

from pagecost.buffer import DEMAND, References, cost_bounds, replay
from pagecost.buffer.policies import title_of
from pagecost_app.exercises.kinds import Condition, Configuration
from pagecost_app.exercises.kinds.policy import EXAMPLE, own_replayed, policy_field, replayed

LESSON = "buffer_management"
CANDIDATES = ("p.used", "-p.used", "p.uses", "-p.loaded", "(p.dirty, p.used)", "(p.dirty, -p.used)", "p.number")
LOAD = 600  # references
FEW = 1.1  # times MIN's misses


def _code(rule: str) -> str:
    """The policy that lets the page go which is least by a rule."""
    return f"def victim(pages):\n    return min(pages, key=lambda p: {rule})"


def _loop(pages: int, every: int) -> list[tuple[int, bool]]:
    """The load as (page, whether it is written)."""
    return [(at % pages, at % every == 0) for at in range(LOAD)]


def _references(pages: int, every: int) -> References:
    load = _loop(pages, every)
    return References.of([page for page, _ in load], [write for _, write in load])


def _draw_load(dice: random.Random) -> dict:
    frames = dice.randrange(8, 25)
    return {"frames": frames, "pages": frames + dice.randrange(1, 7), "every": dice.randrange(3, 9)}


def _compared(own: dict[str, int], frames: int, pages: int, every: int) -> dict:
    """What a policy and LRU miss and write back; a write costs two reads."""
    lru = replay(_references(pages, every), frames, "lru")
    return {"own": own["misses"] + 2 * own["write_backs"], "lru": lru.cost(1.0, 2.0), "misses": own["misses"]}


def _beaten(answer: dict, frames: int, pages: int, every: int) -> dict:
    return _compared(replayed(answer["policy"], _loop(pages, every), frames), frames, pages, every)


@lru_cache(maxsize=512)
def _better(frames: int, pages: int, every: int) -> str:
    """The first of some simple rules that costs three quarters of LRU, found by running them."""
    load = _loop(pages, every)
    for rule in CANDIDATES:
        found = _compared(own_replayed(_code(rule), load, frames), frames, pages, every)
        if found["own"] <= 0.75 * found["lru"]:
            return _code(rule)
    return ""


def _draw_fence(dice: random.Random) -> dict:
    """The loop is a whole number of `every`, so that it is always the same pages that are written.

    They fit into the buffer with room to spare, and a write is dear: a policy that keeps them in place has something to
    gain, and none of the project's does it in a loop.
    """
    every = dice.randrange(2, 6)
    pages = every * dice.randrange(-(-12 // every), 25 // every + 1)
    return {
        "frames": pages - dice.randrange(1, 5),
        "pages": pages,
        "every": every,
        "price": dice.randrange(5, 16),
    }


@lru_cache(maxsize=512)
def _fence(frames: int, pages: int, every: int, price: int) -> dict:
    """The two ends of the fence, and who stands at the upper one."""
    references = _references(pages, every)
    runs = [replay(references, frames, name) for name in DEMAND]
    bounds = cost_bounds(references, runs, 1.0, float(price))
    fewest = next(run for run in runs if run.policy == "min")
    return {
        **{"lower": bounds.lower, "upper": bounds.upper, "by": title_of(bounds.by.policy)},
        **{"by_misses": bounds.by.misses, "by_writes": bounds.by.write_backs, "min_misses": fewest.misses},
        **{"known": len(DEMAND), "min_cost": fewest.cost(1.0, float(price))},
    }


def _at_the_fence(answer: dict, frames: int, pages: int, every: int, price: int) -> dict:
    own = replayed(answer["policy"], _loop(pages, every), frames)
    return {**_fence(frames, pages, every, price), **own, "own": own["misses"] + price * own["write_backs"]}


def _behind(known) -> bool:
    """Whether the learner's policy costs less than all that there are here."""
    return known["own"] < known["upper"]


def _fence_steps(frames: int, pages: int, every: int, price: int) -> Iterator[str]:
    fence = _fence(frames, pages, every, price)
    yield (
        f"The cheapest of {fence['known']} policies is {fence['by']}: {fence['by_misses']} misses + {price} · "
        f"{fence['by_writes']} write-backs = {fence['upper']:g} reads. That is the fence; MIN misses "
        f"{fence['min_misses']} times and costs {fence['min_cost']:g}, and nothing costs less than {fence['lower']:g}."
    )
    yield (
        f"It is always the same {pages // every} pages that are written. Kept in place they are never written back, "
        f"and {frames - pages // every} frames are left for the {pages - pages // every} clean ones."
    )
    own = own_replayed(_code("(p.dirty, -p.used)"), _loop(pages, every), frames)
    yield (
        "So a clean page leaves, and of the clean ones the one used last, which the loop wants last: "
        f"{own['misses']} misses + {price} · {own['write_backs']} write-backs = "
        f"{own['misses'] + price * own['write_backs']} reads."
    )


EXERCISES = (
    Configuration(
        "beat-lru",
        "A program goes round {pages} pages, one after the other, and writes every {every}th reference; the buffer has "
        "{frames} frames. Write a policy that costs at most three quarters of what LRU costs (a write costs two "
        "reads).",
        draw=_draw_load,
        usable=lambda **numbers: bool(_better(**numbers)),
        fields=lambda **numbers: (policy_field(),),
        run=_beaten,
        conditions=(
            Condition(
                lambda known: known["own"] <= 0.75 * known["lru"],
                "it costs {own:g} reads ({misses} misses), LRU {lru:g}: three quarters of that are wanted.",
                wrong=lambda **numbers: EXAMPLE,
            ),
        ),
        example=_better,
        points=3,
        hints=("In a loop the page that was used longest ago is the very next one to be wanted.",),
        why="In a loop the page used last is wanted last.",
        steps=lambda frames, pages, every: (
            f"LRU throws away what the loop wants next: all {LOAD} references miss.",
            f"Whoever keeps a part of the loop in place hits it once a round: up to {frames - 1} of {pages} pages.",
        ),
    ),
    Configuration(
        "beat-the-fence",
        "A program goes round {pages} pages, one after the other, {load} references in all, and writes the first of "
        "every {every} pages; the buffer has {frames} frames, empty at first, and a write costs {price} reads. Write a "
        "policy that costs less than every policy here, MIN among them: one beyond the upper end of the fence.",
        draw=_draw_fence,
        show=lambda numbers: {"load": LOAD},
        fields=lambda **numbers: (policy_field(),),
        run=_at_the_fence,
        conditions=(
            Condition(
                lambda known: _behind(known) or known["misses"] > FEW * known["min_misses"],
                "it misses {misses} times, MIN {min_misses}; but it writes {write_backs} pages back, each for {price} "
                "reads. Together {own:g}, and the fence stands at {upper:g}: misses are not all that is paid.",
                wrong=lambda **numbers: _code("-p.used"),
            ),
            Condition(
                lambda known: _behind(known) or known["write_backs"] > known["by_writes"],
                "it writes only {write_backs} pages back; but it misses {misses} times, MIN {min_misses}. Together "
                "{own:g}, and the fence stands at {upper:g}: which of the clean pages is wanted last?",
                wrong=lambda **numbers: _code("(p.dirty, p.used)"),
            ),
            Condition(
                _behind,
                "{misses} misses and {write_backs} write-backs cost {own:g} reads. The cheapest of {known} policies, "
                "{by}, costs {upper:g}: that is the fence.",
                wrong=lambda **numbers: EXAMPLE,
            ),
        ),
        example=lambda **numbers: _code("(p.dirty, -p.used)"),
        points=3,
        hints=(
            "Which pages are written in every round? What would it cost to let one of them go?",
            "MIN lets the page go that is wanted last. In a loop you know which one that is.",
        ),
        why="It keeps in place what is written, and of the rest lets go what is wanted last. MIN asks only the second.",
        steps=_fence_steps,
    ),
)
