"""The exercises of lesson 16: what a claim is worth, and where the papers contradict themselves."""

import random
from collections.abc import Callable, Iterator
from functools import lru_cache

from pagecost import catalogue
from pagecost.answers.transaction_runs import estimated
from pagecost.claims import checking
from pagecost.devices import energy
from pagecost.studies.transactions import second_level_buffer
from pagecost.transactions import hits
from pagecost_app.exercises.kinds import Choice, Claim, Flaw, Number

EXPANDED = "ibm-3090-expanded-storage"
DISK = "consumer-disk-2009"


CACHE, NVEM = "non-volatile cache", "NVEM, half size"


def _draw_second(dice: random.Random) -> dict:
    return {
        "buffer": dice.randrange(200, 651, 50),
        "cache": dice.randrange(800, 1601, 100),
        "rate": dice.randrange(100, 501, 100),
    }


@lru_cache(maxsize=1024)
def _second_level(buffer: int, cache: int, rate: int) -> dict[str, tuple[float, float]]:
    """Configuration -> mean response time [ms] by formula, share of all references that its second level answers."""
    inputs = second_level_buffer.Inputs(cache_pages=cache, rate_hz=float(rate))
    found = {}
    for name in (CACHE, NVEM):
        case = second_level_buffer.case_of(inputs, name, buffer)
        found[name] = (
            1e3 * estimated(case).response_s,
            hits(case.system, case.transactions.load(case.system.cached_pages)).second_level,
        )
    return found


def _longer_with_more_hits(**numbers) -> float:
    """How many times as long a transaction takes with the cache that hits more often."""
    found = _second_level(**numbers)
    return found[CACHE][0] / found[NVEM][0]


def _more_hits(**numbers) -> bool:
    found = _second_level(**numbers)
    return found[CACHE][1] > found[NVEM][1]


def _second_steps(**numbers) -> Iterator[str]:
    found = _second_level(**numbers)
    yield f"The disk cache answers {100 * found[CACHE][1]:.3g} % of the references, NVEM {100 * found[NVEM][1]:.3g} %."
    yield "But a hit in NVEM takes 50 µs, not 1.4 ms, and so does every write to the database and to the log."
    yield f"A transaction takes {found[CACHE][0]:.4g} ms with the cache and {found[NVEM][0]:.4g} ms with NVEM."
    yield f"{found[CACHE][0]:.4g} / {found[NVEM][0]:.4g} = {_longer_with_more_hits(**numbers):.4g}."


def _draw_orders(dice: random.Random) -> dict:
    return {
        "expanded_us": catalogue.device(EXPANDED).value("access_s") * 1e6,
        "slow_ms": dice.randrange(100, 401) / 100,
    }


def _draw_watts(dice: random.Random) -> dict:
    device = catalogue.device(DISK)
    idle_w, active_w = device.value("idle_w"), device.value("active_w")
    return {"idle_w": idle_w, "active_w": active_w, "mean_w": dice.randrange(700, 1150) / 100}


def _busy_percent(idle_w, active_w, mean_w) -> float:
    return 100 * energy.busy_share(idle_w, active_w, mean_w)


def _draw_seeds(dice: random.Random) -> dict:
    middle = dice.randrange(530, 730) / 10
    low, high = -dice.randrange(15, 45) / 100, dice.randrange(15, 45) / 100
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
    stated = dice.randrange(70, 160) / 10
    return {"stated": stated, "rival": round(stated - dice.randrange(6, 26) / 10, 1)}


def _tolerance_steps(stated, rival) -> Iterator[str]:
    yield f"The rival lies |{stated} − {rival}| = {abs(stated - rival):.3g} points away."
    yield f"Half of that is {abs(stated - rival) / 2:.3g} points."


def _interval_steps(a, b, c) -> Iterator[str]:
    mean = (a + b + c) / 3
    yield (
        f"The mean is {mean:.5g}; the squared distances from it add up to "
        f"{sum((x - mean) ** 2 for x in (a, b, c)):.4g}."
    )
    yield f"Over n − 1 = 2, and the root of it: s = {_spread(1.0)(a, b, c):.4g}."
    yield f"4.303 · {_spread(1.0)(a, b, c):.4g} / √3 = {_spread(4.303 / 3**0.5)(a, b, c):.4g}."


def _orders_steps(expanded_us, slow_ms) -> Iterator[str]:
    yield f"{slow_ms} ms are {slow_ms * 1e3:g} µs."
    yield f"{slow_ms * 1e3:g} / {expanded_us:g} = {slow_ms * 1e3 / expanded_us:.4g}: not even two orders of magnitude."


def _watts_steps(idle_w, active_w, mean_w) -> Iterator[str]:
    yield (
        f"Above idle there are {mean_w} − {idle_w:g} = {mean_w - idle_w:.4g} W of {active_w:g} − {idle_w:g} = "
        f"{active_w - idle_w:g} W."
    )
    yield f"{mean_w - idle_w:.4g} / {active_w - idle_w:g} = {100 * (mean_w - idle_w) / (active_w - idle_w):.4g} %."


def _slip_steps(erase_ms, program_us) -> Iterator[str]:
    yield f"{erase_ms} ms are {erase_ms * 1e3:g} µs; over {program_us} µs that is {erase_ms * 1e3 / program_us:.4g}."


def _draw_verdict(dice: random.Random) -> dict:
    stated, tolerance = dice.randrange(200, 900) / 10, dice.randrange(10, 60) / 10
    half = round(tolerance * dice.randrange(10, 60) / 100, 1)
    return {
        "stated": stated,
        "tolerance": tolerance,
        "half": half,
        "mean": round(stated + dice.randrange(-90, 91) / 10, 1),
    }


def _outcome(stated, tolerance, half, mean) -> str:
    """What the ledger says of a line: by the interval of the mean and the band around what is stated."""
    farthest, nearest = abs(mean - stated) + half, abs(mean - stated) - half
    return "holds" if farthest <= tolerance else "undecided" if nearest <= tolerance else "fails"


def _clear(stated, tolerance, half, mean) -> bool:
    """Whether no end of the interval is on an edge of the band."""
    off = abs(mean - stated)
    return half > 0 and all(abs(end - tolerance) > 0.06 for end in (off - half, off + half)) and off != 0


def _verdict_steps(stated, tolerance, half, mean) -> Iterator[str]:
    yield f"The band goes from {stated - tolerance:.4g} to {stated + tolerance:.4g} %."
    yield f"The interval goes from {mean - half:.4g} to {mean + half:.4g} %."
    yield f"Of the interval against the band: the line {_outcome(stated, tolerance, half, mean)}."


def _says(outcome: str) -> Callable[..., bool]:
    return lambda **numbers: _outcome(**numbers) == outcome


EXERCISES = (
    Flaw(
        "find-the-flaw",
        points=2,
        hints=("Take one statement after the other: what follows from all but its last number?",),
    ),
    Number(
        "fewer-hits-but-faster",
        "Rahm compares two second levels behind a main memory, here of {buffer} pages at {rate} transactions per "
        "second: "
        "a non-volatile disk cache of {cache} pages, and half as many pages in non-volatile extended memory (NVEM), "
        "which hit less often. How many times as long does a transaction take with the cache that hits more often?",
        "1",
        draw=_draw_second,
        lesson_case={"buffer": 500, "cache": 1000, "rate": 500},
        usable=_more_hits,
        steps=_second_steps,
        why="A hit ratio is not a response time.",
        hints=("What does a hit cost in each, and where do the writes go?",),
        reference=_longer_with_more_hits,
        within=1.2,
        side=True,
        surprise="A hit ratio is not a response time: what a hit costs, and where the writes go, count too.",
    ),
    Number(
        "largest-tolerance",
        "A line says that {stated} % come out, and a simpler explanation gives {rival} %. Which tolerance is the "
        "largest under which the line still says something, if it may be at most half of the way to the rival?",
        "%",
        draw=_draw_rival,
        reference=lambda stated, rival: abs(stated - rival) / 2,
        steps=_tolerance_steps,
        why="Within half of the way an answer is nearer to what the line says than to its rival.",
        hints=("How far is the rival away? Half of that.", "In points of percent, not relative to the value."),
        mistakes=(
            (lambda stated, rival: abs(stated - rival), "so wide a band reaches the rival itself."),
            (lambda stated, rival: stated / 2, "that is half of the value: its rival is zero only if there is none."),
        ),
    ),
    Number(
        "interval-over-seeds",
        "Three seeds gave {a} %, {b} % and {c} %. How far to each side of their mean does the 95 % interval of the "
        "mean reach (Student, two degrees of freedom: 4.303)?",
        "%",
        draw=_draw_seeds,
        reference=_half_width,
        steps=_interval_steps,
        why="Three runs know their own spread badly, and their mean is surer than each.",
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
    Number(
        "flaw-orders-of-magnitude",
        "Find the flaw (Rahm, section 2): expanded storage is called two to three orders of magnitude faster than "
        "SSDs. Its access takes {expanded_us:.0f} µs, the SSD's {slow_ms} ms. How many times as fast is it?",
        "1",
        draw=_draw_orders,
        reference=lambda expanded_us, slow_ms: slow_ms * 1e3 / expanded_us,
        steps=_orders_steps,
        why="Two orders of magnitude would be a hundred.",
        hints=("Both in microseconds, then divide.", "Two orders of magnitude would be a hundred."),
        mistakes=(
            (lambda expanded_us, slow_ms: expanded_us / slow_ms / 1e3, "the other way round."),
            (lambda expanded_us, slow_ms: expanded_us / slow_ms, "one is in ms, the other in µs; and divide by 75."),
        ),
    ),
    Number(
        "flaw-dominating-processor",
        "Find the flaw (Schmidt, section 6): the processor is said to dominate in all scenarios. The disk takes "
        "{idle_w:g} W when idle and {active_w:g} W under load; {mean_w} W are measured. For which share of the time "
        "was it under load, if nothing overlaps?",
        "%",
        draw=_draw_watts,
        reference=_busy_percent,
        steps=_watts_steps,
        why="Only the power above idle tells of load; if that is most of the time, the processor cannot dominate.",
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
    Number(
        "flaw-slip-of-a-unit",
        "Find the flaw (Fernando, section 2.1.2): a block erase is printed as 3.5 µs, and called slower than a write "
        "by an order of magnitude. With {erase_ms} ms, which are meant, and {program_us} µs for programming a page: "
        "how many times as long is an erase as programming?",
        "1",
        draw=lambda dice: {"erase_ms": dice.randrange(20, 41) / 10, "program_us": dice.randrange(200, 351, 5)},
        steps=_slip_steps,
        why="With milliseconds an erase is slower than a write by an order of magnitude, as the text says.",
        reference=lambda erase_ms, program_us: erase_ms * 1e3 / program_us,
        hints=("1 ms is 1000 µs.", "As printed, an erase would be faster than anything else that the chip does."),
        mistakes=(
            (lambda erase_ms, program_us: erase_ms / program_us, "that is the ratio as printed: the unit slipped."),
            (lambda erase_ms, program_us: program_us / erase_ms / 1e3, "the other way round."),
        ),
    ),
    Choice(
        "holds-or-undecided",
        "A line states {stated} %, with a tolerance of {tolerance} points. Several seeds gave a mean of {mean} %, and "
        "its 95 % interval reaches {half} points to each side. What does the ledger say?",
        draw=_draw_verdict,
        usable=_clear,
        options=(
            Claim("holds", _says("holds"), "look at both ends of the interval: not all of it is inside the band."),
            Claim("fails", _says("fails"), "a part of the interval is inside the band."),
            Claim("undecided", _says("undecided"), "the interval does not cross an edge of the band."),
        ),
        reasons=(
            Claim("all of the interval is inside the band", _says("holds"), "one of its ends is outside."),
            Claim("all of the interval is outside the band", _says("fails"), "at least one of its ends is inside."),
            Claim(
                "an edge of the band lies inside the interval", _says("undecided"), "both ends lie on one side of it."
            ),
            Claim("only the mean counts", lambda **numbers: False, "other seeds would give another mean."),
        ),
        hints=("From where to where goes the band, and from where to where the interval?",),
        why="What chance leaves open the ledger leaves open as well.",
        steps=_verdict_steps,
    ),
)
