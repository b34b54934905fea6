"""Lesson 5: what a slow tail does to queries, and a burst past the fast part of the flash."""

import random

from pagecost.devices.ftl.slc_cache import SlcCache
from pagecost_app.exercises.kinds import Number

LESSON = "ssd_in_time"

MB, GB = 10**6, 10**9


def _draw_tail(dice: random.Random) -> dict:
    return {
        "reads": dice.randint(20, 60),
        "permille": dice.choice((10, 15, 20, 30, 50)),
        "slow_ms": dice.randint(5, 25),
    }


def _touched(reads: int, permille: float, **_) -> float:
    """Share [%] of the queries that meet at least one slow read."""
    return 100 * (1 - (1 - permille / 1000) ** reads)


def _draw_burst(dice: random.Random) -> dict:
    return {
        "cache_gb": dice.choice((12, 24, 48, 76)),
        "burst_gb": dice.choice((200, 250, 300, 400)),
        "fast_mb_s": dice.choice((1200, 1500, 1800, 2400)),
        "slow_mb_s": dice.choice((80, 100, 150, 300)),
    }


def _burst(cache_gb: float, burst_gb: float, fast_mb_s: float, slow_mb_s: float) -> float:
    """Mean rate [MB/s] of one burst on an empty cache."""
    drive = SlcCache(
        cache_bytes=cache_gb * GB,
        fast_bytes_per_s=fast_mb_s * MB,
        slow_bytes_per_s=slow_mb_s * MB,
        fold_bytes_per_s=slow_mb_s * MB,
    )
    return burst_gb * GB / drive.burst_s(burst_gb * GB) / MB


EXERCISES = (
    Number(
        "unlucky-queries",
        "{permille} of 1000 random reads take {slow_ms} ms, because their die is collecting; all others take 0.1 ms. A "
        "query reads {reads} pages here and there, independently of each other. Which share of the queries meets at "
        "least one slow read?",
        "%",
        draw=_draw_tail,
        reference=_touched,
        tolerance=0.015,
        steps=lambda reads, permille, **_: (
            f"One read is fast with probability {1 - permille / 1000:g}.",
            f"All {reads} are fast with probability {1 - permille / 1000:g}^{reads} = "
            f"{(1 - permille / 1000) ** reads:.4f}.",
            f"The others meet a slow one: {_touched(reads, permille):.4g} % of the queries.",
        ),
        hints=(
            "How likely is it that all reads of a query are fast?",
            "1 − (1 − p)ⁿ.",
        ),
        mistakes=(
            (
                lambda permille, **_: permille / 10,
                "that is the share of the reads; a query has many chances to be unlucky.",
            ),
            (
                lambda reads, permille, **_: reads * permille / 10,
                "that counts a query twice that meets two; it is the mean number of slow reads of a query, in percent.",
            ),
        ),
    ),
    Number(
        "past-the-cache",
        "A QLC drive writes {fast_mb_s} MB/s as long as its empty cache of {cache_gb} GB has room, then {slow_mb_s} "
        "MB/s. You copy {burst_gb} GB without a pause. At which mean rate?",
        "MB/s",
        draw=_draw_burst,
        reference=_burst,
        steps=lambda cache_gb, burst_gb, fast_mb_s, slow_mb_s: (
            f"Into the cache: {cache_gb} GB / {fast_mb_s} MB/s = {1000 * cache_gb / fast_mb_s:.1f} s.",
            f"Past it: {burst_gb - cache_gb} GB / {slow_mb_s} MB/s = {1000 * (burst_gb - cache_gb) / slow_mb_s:.0f} s.",
            f"{burst_gb} GB in the sum of both: {_burst(cache_gb, burst_gb, fast_mb_s, slow_mb_s):.4g} MB/s.",
        ),
        hints=(
            "How long does each of the two parts take?",
            "All bytes over the sum of both times.",
        ),
        mistakes=(
            (
                lambda fast_mb_s, slow_mb_s, **_: (fast_mb_s + slow_mb_s) / 2,
                "that is the mean of two rates, as if both lasted equally long.",
            ),
            (
                lambda cache_gb, burst_gb, fast_mb_s, slow_mb_s: (
                    (cache_gb * fast_mb_s + (burst_gb - cache_gb) * slow_mb_s) / burst_gb
                ),
                "that averages rates over bytes; times add up, and the slow part takes nearly all of it.",
            ),
            (lambda fast_mb_s, **_: fast_mb_s, "that is the rate as long as the cache has room."),
        ),
    ),
)
