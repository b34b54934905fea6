"""Lesson 15, set: a plan that holds, answers in time, is not overloaded, and stays within a budget."""

import random
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from math import isfinite

import numpy as np

from pagecost import planner
from pagecost.devices import title_of
from pagecost.planner import Search
from pagecost.planner.figures import title_of as title_of_plan
from pagecost.planner.space import parts_of, place_of
from pagecost.system import System
from pagecost_app.exercises.exercise import Field, Option
from pagecost_app.exercises.kinds import Condition, Configuration

LESSON = "capstone"

DRIVES = ("wd800aajs", "intel-x25-m-g2-80gb", "intel-x25-m-g2-160gb", "intel-dc-p3700-800gb")
COUNTS, LEVELS, FRAMES = (1, 2, 4, 8), ("raid-0", "raid-1"), (512, 1024, 2048, 4096)
TOGETHER = "together"
SLACK = 1.15  # the budget over what the cheapest plan costs
MOST_USD = 2000  # that it costs; above, one large drive does everything and there is nothing to think about


@lru_cache(maxsize=1024)
def _searched(tps: int, target_ms: int, volume_gb: int) -> Search:
    """Every plan that can be set in `plan-that-holds`, by formula."""
    return planner.search(_system(tps, target_ms, volume_gb))


def _system(tps: int, target_ms: int, volume_gb: int) -> System:
    return System().changed(
        {
            "load.source": "postgresql-order-entry",
            "load.transaction_rate_hz": float(tps),
            "load.rate_hz": 69.0 * tps,
            "load.volume_bytes": volume_gb * 1e9,
            "processors.transaction_s": 2e-3,
            "processors.servers": 4,
            "targets.response_s": target_ms / 1e3,
            "candidates.devices": list(DRIVES),
            "candidates.counts": list(COUNTS),
            "candidates.levels": list(LEVELS),
            "candidates.log_counts": [1],
            "candidates.buffers": list(FRAMES),
        }
    )


def _cheapest(tps: int, target_ms: int, volume_gb: int) -> tuple[int | None, float]:
    """(place, cost [USD]) of the cheapest plan that holds; (None, inf) where none does."""
    found = _searched(tps, target_ms, volume_gb)
    if not found.feasible.any():
        return None, float("inf")
    place = min(found.feasible.nonzero()[0], key=lambda at: float(found.screened.cost_usd[at]))
    return int(place), float(found.screened.cost_usd[place])


def _draw_plan(dice: random.Random) -> dict:
    while True:
        asked = {
            "tps": dice.randrange(10, 70, 2),
            "target_ms": dice.choice((15, 20, 25, 30, 40, 60, 90)),
            "volume_gb": dice.choice((20, 60, 75, 120, 150, 220, 300)),
        }
        place, cost = _cheapest(**asked)
        if place is not None and cost < MOST_USD:
            return asked | {"budget": int(10 * -(-cost * SLACK // 10))}


def _plan_fields(**numbers) -> tuple[Field, ...]:
    drives = tuple(Option(name, title_of(name)) for name in DRIVES)
    return (
        Field("drive", "choice", "Drive", options=drives),
        Field("count", "choice", "How many", options=tuple(Option(str(count), str(count)) for count in COUNTS)),
        Field("level", "choice", "Joined as", options=tuple(Option(level, level.upper()) for level in LEVELS)),
        Field(
            "log",
            "choice",
            "Log",
            options=(Option(TOGETHER, "with the rest"), *(Option(name, f"on one {title_of(name)}") for name in DRIVES)),
        ),
        Field("frames", "choice", "Buffer", options=tuple(Option(str(n), f"{n} frames") for n in FRAMES)),
    )


def _code(answer: Mapping[str, str]) -> str:
    log = "" if answer["log"] == TOGETHER else f"/log=1*{answer['log']}:raid-0"
    return f"database={answer['count']}*{answer['drive']}:{answer['level']}{log}/buffer={answer['frames']}"


def _run_plan(answer: Mapping[str, str], tps, target_ms, volume_gb, budget) -> dict:
    """What the planner's formulas say of what was set."""
    code = _code(answer)
    system = planner.candidates_of(code, _system(tps, target_ms, volume_gb))
    levels = tuple(dict.fromkeys((answer["level"], "raid-0")))  # one log device alone is joined to nothing
    system = system.changed({"candidates.levels": list(levels)})
    found = planner.search(system)
    place = place_of(found.space, code)
    screened = found.screened
    part, busy = max(((name, float(shares[place])) for name, shares in screened.busy.items()), key=lambda each: each[1])
    late_s = float(screened.percentile_s[place])
    return {
        "room": 100 * float(screened.usable[place]),
        "part": part,
        "busy": 100 * busy,
        "late_ms": 1e3 * late_s if isfinite(late_s) else float("inf"),
        "cost": float(screened.cost_usd[place]),
    }


def _example_plan(tps, target_ms, volume_gb, budget) -> dict:
    place, _ = _cheapest(tps, target_ms, volume_gb)
    assert place is not None  # no others are drawn
    return _answer_at(place, tps, target_ms, volume_gb)


def _answer_at(place: int, tps: int, target_ms: int, volume_gb: int) -> dict[str, str]:
    parts = parts_of(_searched(tps, target_ms, volume_gb).space.code(place))
    device, count, level = parts.database
    return {
        "drive": device,
        "count": str(count),
        "level": level,
        "log": parts.log[0] if parts.log else TOGETHER,
        "frames": str(parts.buffer_frames),
    }


def _failing(broken: int) -> Callable[..., dict[str, str] | None]:
    """A plan that breaks the constraint of that number (room, busy, late, cost) and none before it; or nothing."""

    def wrong(budget: int, **asked) -> dict[str, str] | None:
        found = _searched(**asked)
        screened = found.screened
        busiest = np.max([*screened.busy.values()], axis=0)
        holds = (
            *(screened.usable >= 1, busiest <= 0.8, 1e3 * screened.percentile_s <= asked["target_ms"]),
            screened.cost_usd <= budget,
        )
        places = np.flatnonzero(np.logical_and.reduce([*holds[:broken], ~holds[broken]]))
        return _answer_at(int(places[0]), **asked) if places.size else None

    return wrong


def _steps_plan(tps, target_ms, volume_gb, budget) -> Iterator[str]:
    found = _searched(tps, target_ms, volume_gb)
    yield f"Of {found.space.size} plans {int(found.feasible.sum())} hold by formula. Of the others"
    place, cost = _cheapest(tps, target_ms, volume_gb)
    assert place is not None  # no others are drawn
    for limit in found.limits:
        missed = int((limit.excess > 1).sum())
        if missed:
            yield f"{missed} miss the {limit.title}."
    yield f"The cheapest that holds costs {cost:.4g} USD: {title_of_plan(found.row(place))}."


EXERCISES = (
    Configuration(
        "plan-that-holds",
        "A shelf of old drives, and the order-entry load recorded under PostgreSQL: {tps} transactions a second, "
        "{volume_gb} GB of data. Set a plan with which 95 % answer within {target_ms} ms, nothing is busy for more "
        "than 80 % of the time, and which costs at most {budget} dollars in 5 years, worn drives bought again. It is "
        "run by the planner's formulas.",
        draw=_draw_plan,
        fields=_plan_fields,
        run=_run_plan,
        conditions=(
            Condition(
                lambda known: known["room"] >= 100,
                "the data do not fit: there is room for {room:.3g} % of them.",
                wrong=_failing(0),
            ),
            Condition(
                lambda known: known["busy"] <= 80,
                "its {part} would be busy {busy:.3g} % of the time.",
                wrong=_failing(1),
            ),
            Condition(
                lambda known: known["late_ms"] <= known["target_ms"],
                "95 % answer within {late_ms:.4g} ms only; {target_ms} ms are asked for. Which term is the longest?",
                wrong=_failing(2),
            ),
            Condition(
                lambda known: known["cost"] <= known["budget"],
                "it holds, and costs {cost:.0f} dollars; what in it does nobody need?",
                wrong=_failing(3),
            ),
        ),
        example=_example_plan,
        points=2,
        hints=(
            "Memory is the cheapest part of these plans: how many frames leave the devices with the least to do?",
            "A disk waits a whole turn for every commit. How many turns has it in a second?",
            "Capacity, then speed, then money: leave out drives until one of the first two breaks.",
        ),
        why="Each constraint cuts off some plans; the cheapest of the rest is the answer, and one of them binds.",
        steps=_steps_plan,
    ),
)
