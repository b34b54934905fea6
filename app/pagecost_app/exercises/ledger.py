"""The exercises of lesson 9: what a claim is worth, and where the papers contradict themselves."""

import random
from collections.abc import Callable

from pagecost import catalogue
from pagecost.claims import checking
from pagecost.claims.answers import answer
from pagecost.devices import energy
from pagecost_app.exercises.exercise import Exercise

EXPANDED = "ibm-3090-expanded-storage"
DISK = "consumer-disk-2009"


def _longer_with_more_hits() -> float:
    """How many times as long a transaction takes with the cache that hits more often (Rahm, 500 pages in memory)."""
    result = answer("second_level_buffer")
    nvem, disk_cache = (
        result["response_s"][result.rows(configuration=name, buffer_pages=500)[0]]
        for name in ("NVEM, half size", "non-volatile cache")
    )
    return float(disk_cache / nvem)


def _draw_orders(dice: random.Random) -> dict:
    return {
        "expanded_us": catalogue.device(EXPANDED).value("access_s") * 1e6,
        "slow_ms": dice.choice((1.0, 1.2, 1.5, 1.8, 2.0, 2.4, 3.0)),
    }


def _draw_watts(dice: random.Random) -> dict:
    device = catalogue.device(DISK)
    idle_w, active_w = device.value("idle_w"), device.value("active_w")
    return {"idle_w": idle_w, "active_w": active_w, "mean_w": dice.choice((9.66, 8.4, 10.2, 7.9, 9.1, 10.9, 8.9))}


def _busy_percent(idle_w, active_w, mean_w) -> float:
    return 100 * energy.busy_share(idle_w, active_w, mean_w)


def _draw_seeds(dice: random.Random) -> dict:
    middle = dice.choice((53.3, 59.2, 66.4, 72.3))
    low, high = dice.choice(((-0.31, 0.22), (-0.24, 0.35), (-0.42, 0.17), (-0.18, 0.27)))
    return {"a": middle, "b": round(middle + low, 2), "c": round(middle + high, 2)}


def _half_width(a, b, c) -> float:
    low, high = checking.interval([a, b, c])
    return ((high or 0.0) - (low or 0.0)) / 2  # of texts there is none


def _spread(times: float) -> Callable[..., float]:
    """So many sample standard deviations of the three values."""

    def width(a, b, c):
        mean = (a + b + c) / 3
        return times * (sum((value - mean) ** 2 for value in (a, b, c)) / 2) ** 0.5

    return width


def _draw_rival(dice: random.Random) -> dict:
    stated = dice.choice((12.8, 13.0, 14.8, 9.2))
    return {"stated": stated, "rival": round(stated - dice.choice((0.7, 1.1, 1.6, 2.3)), 1)}


EXERCISES = (
    Exercise(
        "fewer-hits-but-faster",
        "Rahm compares two second levels behind a main memory of 500 pages: a non-volatile disk cache of 1000 pages, "
        "and half as many pages in non-volatile extended memory (NVEM), which hit less often. How many times as long "
        "does a transaction take with the cache that hits more often?",
        "1",
        draw=lambda dice: {},
        reference=_longer_with_more_hits,
        within=1.2,
        surprise="A hit ratio is not a response time: what a hit costs, and where the writes go, count too.",
    ),
    Exercise(
        "largest-tolerance",
        "A line says that {stated} % come out, and a simpler explanation gives {rival} %. Which tolerance is the "
        "largest under which the line still says something, if it may be at most half of the way to the rival?",
        "%",
        draw=_draw_rival,
        reference=lambda stated, rival: abs(stated - rival) / 2,
        hints=("How far is the rival away? Half of that.", "In points of percent, not relative to the value."),
        mistakes=(
            (lambda stated, rival: abs(stated - rival), "so wide a band reaches the rival itself."),
            (lambda stated, rival: stated / 2, "that is half of the value: its rival is zero only if there is none."),
        ),
    ),
    Exercise(
        "interval-over-seeds",
        "Three seeds gave {a} %, {b} % and {c} %. How far to each side of their mean does the 95 % interval of the "
        "mean reach (Student, two degrees of freedom: 4.303)?",
        "%",
        draw=_draw_seeds,
        reference=_half_width,
        hints=(
            "Sample standard deviation s first: divide by n − 1 = 2.",
            "4.303 · s / √3",
        ),
        mistakes=(
            (_spread(1.96 / 3**0.5), "1.96 is for many runs; three know their own spread badly: 4.303."),
            (_spread(4.303), "that is where single runs lie; their mean is surer by √3."),
            (_spread(1.0), "that is the standard deviation itself."),
        ),
    ),
    Exercise(
        "flaw-orders-of-magnitude",
        "Find the flaw (Rahm, section 2): expanded storage is called two to three orders of magnitude faster than "
        "SSDs. Its access takes {expanded_us:.0f} µs, the SSD's {slow_ms} ms. How many times as fast is it?",
        "1",
        draw=_draw_orders,
        reference=lambda expanded_us, slow_ms: slow_ms * 1e3 / expanded_us,
        hints=("Both in microseconds, then divide.", "Two orders of magnitude would be a hundred."),
        mistakes=(
            (lambda expanded_us, slow_ms: expanded_us / slow_ms / 1e3, "the other way round."),
            (lambda expanded_us, slow_ms: expanded_us / slow_ms, "one is in ms, the other in µs; and divide by 75."),
        ),
    ),
    Exercise(
        "flaw-dominating-processor",
        "Find the flaw (Schmidt, section 6): the processor is said to dominate in all scenarios. The disk takes "
        "{idle_w:g} W when idle and {active_w:g} W under load; {mean_w} W are measured. For which share of the time "
        "was it under load, if nothing overlaps?",
        "%",
        draw=_draw_watts,
        reference=_busy_percent,
        hints=("mean = idle + share · (active − idle)", "Only what is above idle tells of load."),
        mistakes=(
            (lambda idle_w, active_w, mean_w: 100 * mean_w / active_w, "an idle disk takes power too."),
            (
                lambda idle_w, active_w, mean_w: 100 * (active_w - mean_w) / (active_w - idle_w),
                "that is the idle share.",
            ),
            (
                lambda idle_w, active_w, mean_w: 100 * (mean_w - idle_w) / active_w,
                "divide by what load adds, not by all of the power under load.",
            ),
        ),
    ),
    Exercise(
        "flaw-slip-of-a-unit",
        "Find the flaw (Fernando, section 2.1.2): a block erase is printed as 3.5 µs, and called slower than a write "
        "by an order of magnitude. With {erase_ms} ms, which are meant, and {program_us} µs for programming a page: "
        "how many times as long is an erase?",
        "1",
        draw=lambda dice: {"erase_ms": dice.choice((3.5, 3.0, 2.5)), "program_us": dice.choice((200, 250, 300))},
        reference=lambda erase_ms, program_us: erase_ms * 1e3 / program_us,
        hints=("1 ms is 1000 µs.", "As printed, an erase would be faster than anything else that the chip does."),
        mistakes=(
            (lambda erase_ms, program_us: erase_ms / program_us, "that is the ratio as printed: the unit slipped."),
            (lambda erase_ms, program_us: program_us / erase_ms / 1e3, "the other way round."),
        ),
    ),
)
