"""Lesson 15, set: the fewest drives with which 99 of 100 transactions are answered in time on the whole path."""

import random
from collections.abc import Iterator, Mapping
from functools import lru_cache

from pagecost.answers import path_goals
from pagecost.devices import title_of
from pagecost.studies.plan import path_goal
from pagecost.units import format_seconds
from pagecost_app.exercises.exercise import Field, Option
from pagecost_app.exercises.kinds import Condition, Configuration

LESSON = "capstone"

DRIVES = {  # transactions a second that one does with the least buffer, and goals [ms]
    "wd800aajs": (120, (75, 80, 90, 100, 120, 150, 180, 200)),
    "cheetah-15k5": (560, (24, 25, 30, 35, 40, 45, 50, 60)),
    "hgst-7k1000-750gb": (150, (35, 40, 50, 60, 70, 80, 100, 120)),
    "intel-x25-e": (13_000, (2, 2.5, 3, 3.5, 4, 4.5, 5)),
}
FRAMES, COUNTS = (256, 1024, 4096), range(1, 17)
SHORT = {"pages": 20_000, "fill": 12_000, "measured": 2500, "seeds": 2, "share": 0.99}
"""What makes the question's runs short, in the exercise and in the lesson's exploration of it."""


def _asked(drive: str, frames: int, rate: int, within_ms: float, **_) -> path_goal.Inputs:
    goal = {"devices": (drive,), "rate_hz": rate, "within_s": within_ms / 1e3}
    return path_goal.STUDY.inputs(SHORT | goal | {"frames": frames})


@lru_cache(maxsize=4096)
def _least(drive: str, frames: int, rate: int, within_ms: float) -> int | None:
    """The least number of drives with which the goal holds with both seeds; None where none of `COUNTS` is enough."""
    asked = _asked(drive, frames, rate, within_ms)
    found = path_goals.least_drives(asked.path(drive), asked.goal, asked.rate_hz, asked.all_seeds)
    return found.every if found and found.every in COUNTS else None


def _best(**numbers) -> tuple[int, int]:
    """(drives, frames): the fewest with any of the buffers; (0, 0) where none is enough."""
    found = [(least, frames) for frames in FRAMES if (least := _least(frames=frames, **numbers))]
    return min(found, default=(0, 0))


def _draw(dice: random.Random) -> dict:
    drive = dice.choice(tuple(DRIVES))
    alone, goals = DRIVES[drive]
    return {"drive": drive, "rate": round(alone * dice.randrange(25, 61) / 10), "within_ms": dice.choice(goals)}


def _usable(**numbers) -> bool:
    """Whether there are fewer drives and more, and a larger buffer saves some."""
    small = _least(frames=FRAMES[0], **numbers)
    return small is not None and 3 <= _best(**numbers)[0] < small


def _fields(**_) -> tuple[Field, ...]:
    return (
        Field("count", "choice", "How many drives", options=tuple(Option(str(n), str(n)) for n in COUNTS)),
        Field("frames", "choice", "Buffer", options=tuple(Option(str(n), f"{n} frames") for n in FRAMES)),
    )


def _told(count: int, frames: int, **numbers) -> tuple[float, float, float]:
    """(transactions a second that the path can do, its 99 % [s], its mean [s]), of the worse of both seeds."""
    asked = _asked(frames=frames, **numbers)
    path = asked.path(numbers["drive"]).with_drives(count)
    runs = [path_goals.ran(path, asked.share, asked.rate_hz, seed) for seed in asked.all_seeds]
    able = path_goals.at_once(path, asked.all_seeds[0]).tps
    return able, max(run.percentile_s for run in runs), max(run.mean_s for run in runs)


def _holds(count: int, frames: int, **numbers) -> bool:
    able, late_s, _ = _told(count, frames, **numbers)
    return able >= numbers["rate"] and late_s <= numbers["within_ms"] / 1e3


def _run(answer: Mapping[str, str], **numbers) -> dict:
    """What was set, run with both seeds; and whether less would do."""
    count, frames = int(answer["count"]), int(answer["frames"])
    able, late_s, mean_s = _told(count, frames, **numbers)
    return {
        "count": count,
        "able": able,
        "late_s": late_s,
        "late": format_seconds(late_s),
        "mean_s": mean_s,
        "mean": format_seconds(mean_s),
        "one_less": count > 1 and _holds(count - 1, frames, **numbers),
        "best": _best(**numbers)[0],
    }


def _in_time(known: Mapping) -> bool:
    return known["late_s"] <= known["within_ms"] / 1e3


def _answer(count: int | None, frames: int) -> dict[str, str] | None:
    return {"count": str(count), "frames": str(frames)} if count in COUNTS else None


def _too_few(**numbers) -> dict[str, str] | None:
    able = _told(1, FRAMES[0], **numbers)[0]
    return _answer(1, FRAMES[0]) if able < numbers["rate"] else None


def _mean_only(**numbers) -> dict[str, str] | None:
    """A path that keeps up, and is in time on average."""
    frames = FRAMES[-1]
    for count in range((_least(frames=frames, **numbers) or 1) - 1, 0, -1):
        able, late_s, mean_s = _told(count, frames, **numbers)
        if able >= numbers["rate"] and mean_s <= numbers["within_ms"] / 1e3 < late_s:
            return _answer(count, frames)
    return None


def _crowded(**numbers) -> dict[str, str] | None:
    """A path that keeps up, and is too slow on average, too."""
    for count in COUNTS:
        able, _, mean_s = _told(count, FRAMES[0], **numbers)
        if able >= numbers["rate"]:
            return _answer(count, FRAMES[0]) if mean_s > numbers["within_ms"] / 1e3 else None
    return None


def _one_more(**numbers) -> dict[str, str] | None:
    count, frames = _best(**numbers)
    return _answer(count + 1, frames) if _holds(count + 1, frames, **numbers) else None


def _small_buffer(**numbers) -> dict[str, str] | None:
    return _answer(_least(frames=FRAMES[0], **numbers), FRAMES[0])


def _example(**numbers) -> dict[str, str] | None:
    return _answer(*_best(**numbers))


def _steps(**numbers) -> Iterator[str]:
    for frames in FRAMES:
        least = _least(frames=frames, **numbers)
        if least is None:
            yield f"With {frames} frames not even {COUNTS[-1]} are enough."
            continue
        able, late_s, mean_s = _told(least, frames, **numbers)
        yield (
            f"With {frames} frames {least} are: they can do {able:.0f} a second, 99 % take {format_seconds(late_s)} at "
            f"{numbers['rate']}, on average {format_seconds(mean_s)}."
        )
    count, frames = _best(**numbers)
    able, late_s, _ = _told(count - 1, frames, **numbers)
    yield f"With {count - 1} and {frames} frames: they can do {able:.0f}, and 99 % take {format_seconds(late_s)}."


EXERCISES = (
    Configuration(
        "fewest-drives",
        "Requests for single pages (70 % reads, Zipf over 20 000 pages) come at random times, {rate} a second, and go "
        "the whole way. Set how many {title} and which buffer answer 99 % of them within {within_ms:g} ms, with as few "
        "drives as there can be. It is run as path_goal runs it, with two seeds; both must hold.",
        draw=_draw,
        usable=_usable,
        show=lambda numbers: {"title": title_of(numbers["drive"])},
        fields=_fields,
        run=_run,
        conditions=(
            Condition(
                lambda known: known["able"] >= known["rate"],
                "{count} of them do {able:.0f} a second when all come at once, and {rate} come: the queue grows for "
                "ever.",
                wrong=_too_few,
            ),
            Condition(
                lambda known: _in_time(known) or known["mean_s"] > known["within_ms"] / 1e3,
                "on average it takes {mean}, which is in time; 99 % take {late}. A goal of 99 % is about those who "
                "wait behind others, and a mean does not know them.",
                wrong=_mean_only,
            ),
            Condition(
                _in_time,
                "they can do {able:.0f} a second, more than the {rate} that come, and yet 99 % take {late}: near to "
                "what they can do, a queue is long.",
                wrong=_crowded,
            ),
            Condition(
                lambda known: not known["one_less"],
                "99 % take {late}: it holds. So it does with one drive less.",
                wrong=_one_more,
            ),
            Condition(
                lambda known: known["count"] <= known["best"],
                "99 % take {late}, and with this buffer one less is too few. What is found in memory asks no drive: is "
                "there a buffer with which fewer are enough?",
                wrong=_small_buffer,
            ),
        ),
        example=_example,
        points=2,
        hints=(
            "First the drives that keep up at all, then room for the queue.",
            "Which buffer leaves the drives the least to do?",
            "Go down by one drive until it no longer holds.",
        ),
        why="Keeping up is not enough: a tail wants drives that rest part of the time, and a buffer makes them rest.",
        steps=_steps,
    ),
)
