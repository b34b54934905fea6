"""Lesson 10, drawn: response time by load."""

import dataclasses
import random
from functools import lru_cache

from pagecost.transactions import debit_credit, rahm, theory
from pagecost_app.exercises.exercise import Axis
from pagecost_app.exercises.kinds import Curve

LOADS = (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)  # of what the log can take


def _draw_log(dice: random.Random) -> dict:
    return {"disk_ms": dice.randrange(50, 151) / 10, "disks": dice.randrange(1, 4)}


def _limit_hz(disk_ms: float, disks: int) -> float:
    return disks * 1e3 / disk_ms


@lru_cache(maxsize=512)
def _responses_ms(disk_ms: float, disks: int) -> tuple[float, ...]:
    """Mean response time [ms] at `LOADS`; nothing but the log is a bottleneck."""
    unit = dataclasses.replace(rahm.log_disk(disks, 4 * disks), read_s=disk_ms / 1e3, write_s=disk_ms / 1e3)
    system = rahm.system(log_unit=unit)
    rates = (part * _limit_hz(disk_ms, disks) for part in LOADS)
    return tuple(1e3 * theory.estimate(system, debit_credit(), rate).response_s for rate in rates)


EXERCISES = (
    Curve(
        "response-by-load",
        "The log is on {disks} disk(s) of {disk_ms} ms for a write, and nothing else is short. Draw the mean response "
        "time of a transaction by the arrival rate, up to 95 % of what the log can take, before you see it.",
        draw=_draw_log,
        x=lambda disk_ms, disks: Axis(
            "arrivals",
            "1/s",
            0.0,
            _limit_hz(disk_ms, disks),
            positions=tuple(round(part * _limit_hz(disk_ms, disks), 1) for part in LOADS),
        ),
        y=lambda disk_ms, disks: Axis("response time", "ms", 0.0, 30 * disk_ms),
        course=_responses_ms,
        mistakes=(
            (
                lambda disk_ms, disks: _responses_ms(disk_ms, disks)[::-1],
                "it goes the other way: the more arrive, the longer the queue.",
            ),
        ),
        hints=("At half of the load, how often does a write find the disk busy? And at 95 %?",),
        why="The queue grows like 1 / (1 − utilisation): long nothing, then a wall.",
        steps=lambda disk_ms, disks: [
            f"The log can take {disks} · 1000 / {disk_ms} = {_limit_hz(disk_ms, disks):.4g} writes per second.",
            *(
                f"At {100 * part:.0f} % of that: {ms:.4g} ms."
                for part, ms in zip(LOADS, _responses_ms(disk_ms, disks), strict=True)
            ),
        ],
    ),
)
