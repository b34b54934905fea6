"""The exercises of lesson 12: OLTP on flash and file systems."""

import random
from collections.abc import Iterator
from functools import lru_cache

from pagecost import studies
from pagecost.answers.file_systems import Cleaned, Cleaning, cleaning
from pagecost.devices import ftl
from pagecost.devices.ftl import theory
from pagecost.economics.wear import Endurance
from pagecost.units import UNITS
from pagecost_app.exercises.exercise import Axis, Field, Option
from pagecost_app.exercises.kinds import Condition, Configuration, Curve, Flaw, Number

BLOCK_BYTES, MB, TB, KB = 4096, 1e6, 1e12, 1e3
FULL = (0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85)  # live shares of the volume where the curve is asked for
SELECTIONS = {"timestamp": "the oldest", "greedy": "the one with fewest live blocks", "cost-benefit": "cost-benefit"}
KEPT = {"together": "behind new pages", "apart": "in segments of their own"}
SEGMENTS, SEGMENT_BLOCKS = 128, 32
ROOM = 1.15  # what is asked for, over what the best setting needs


@lru_cache(maxsize=1)
def _transactions() -> tuple[float, float]:
    """Transactions a minute (in a log, in place) on the slowest writer of the three SSDs."""
    study = studies.find("whole_path")
    found = study.compute(study.inputs({"devices": ("mtron-pro-7500",), "seconds": 10.0}))
    (log,), (in_place,) = found.rows(file_system="log-structured"), found.rows(file_system="in-place")
    return float(found["tpm"][log]), float(found["tpm"][in_place])


def _log_over_in_place() -> float:
    log, in_place = _transactions()
    return log / in_place


def _log_steps() -> Iterator[str]:
    log, in_place = _transactions()
    yield f"In place {in_place:.0f} transactions a minute, nearly all of the time spent on random writes of pages."
    yield f"In a log {log:.0f}, and the processors are the limit: {log:.0f} / {in_place:.0f} = {log / in_place:.4g}."


def _draw_segments(dice: random.Random) -> dict:
    return {"blocks": dice.randrange(32, 513)}


def _moved(blocks: int) -> list[float]:
    """Blocks moved per block of new data at `FULL`: a segment is read whole, 2 / (1 - u) (Rosenblum 1992, 3.4)."""
    return [2 * theory.greedy(full, blocks) for full in FULL]


def _moved_at_the_mean(blocks: int) -> list[float]:
    """As if the cleaned segments were as full as the volume is."""
    return [2 / (1 - full) for full in FULL]


def _moved_of_what_lives(blocks: int) -> list[float]:
    """As if only the live blocks of a cleaned segment were read: (1 + u) / (1 - u)."""
    return [moved - 1 for moved in _moved(blocks)]


def _moved_steps(blocks: int) -> Iterator[str]:
    yield "A segment is read whole, u of it is rewritten, 1 − u is new: (1 + u + 1 − u) / (1 − u) = 2 / (1 − u) blocks."
    for full in (0.5, 0.8):
        u = 1 - 1 / theory.greedy(full, blocks)
        yield (
            f"Of a volume that is {full:.0%} full the emptiest segment has u = {u:.2f} only, for it has lost pages for "
            f"longest: 2 / (1 − u) = {2 / (1 - u):.2f}."
        )


def _draw_drive(dice: random.Random) -> dict:
    return {
        "random_writes": dice.randrange(300, 5000, 50),
        "rate_mb_s": dice.choice((80, 100, 120, 150, 170, 200, 250, 400)),
        "blocks": dice.choice((1.5, 2, 2.5, 3, 3.5, 4)),
    }


def _fullest(random_writes: float, rate_mb_s: float, blocks: float, moves: float = 2.0) -> float:
    """How full [%] cleaned segments may be until a log writes no more pages a second than random writes do."""
    return 100 * (1 - moves * blocks * random_writes * BLOCK_BYTES / (rate_mb_s * MB))


def _fullest_steps(random_writes: float, rate_mb_s: float, blocks: float) -> Iterator[str]:
    in_a_row = rate_mb_s * MB / BLOCK_BYTES
    yield f"In a row the drive moves {rate_mb_s} MB/s / 4096 B = {in_a_row:.0f} blocks a second."
    yield (
        f"A page costs {blocks:g} blocks, and each of these 2 / (1 − u) with its cleaning; in place there are "
        f"{random_writes} pages a second: 1 − u = 2 · {blocks:g} · {random_writes} / {in_a_row:.0f} = "
        f"{2 * blocks * random_writes / in_a_row:.4f}."
    )
    yield f"u is {_fullest(random_writes, rate_mb_s, blocks):.4g} %."


def _draw_cleaner(dice: random.Random) -> dict:
    database = dice.randrange(20, 400)
    return {
        "hot": dice.randrange(5, 11),
        "writes": dice.randrange(88, 96),
        "database": database,
        "most": round(database / dice.choice((0.7, 0.72, 0.74))),
    }


def _cleaned(selection: str, kept: str, volume: float, *, hot: int, writes: int, database: int) -> Cleaned:
    """The cost of cleaning, on a volume that is scaled down."""
    load = ftl.Workload(kind="hot-cold", hot_share=hot / 100, hot_writes=writes / 100)
    full, streams = round(database / volume, 3), 2 if kept == "apart" else 1
    return cleaning(Cleaning(selection, full, load, False, streams, True, SEGMENTS, SEGMENT_BLOCKS, 1))


def _cost(found: Cleaned) -> float:
    """Blocks moved per block of new data."""
    return float(1 + found.read + found.rewritten)


def _limit(hot: int, writes: int, database: int, most: int) -> float:
    """What is asked for: somewhat more than the best setting needs."""
    best = _cleaned("cost-benefit", "apart", most, hot=hot, writes=writes, database=database)
    return round(ROOM * _cost(best), 1)


def _run_cleaner(answer: dict, hot: int, writes: int, database: int, most: int) -> dict:
    found = _cleaned(answer["selection"], answer["kept"], answer["volume"], hot=hot, writes=writes, database=database)
    return {
        "volume": answer["volume"],
        "cost": _cost(found),
        "full": 100 * found.u,
        "limit": _limit(hot, writes, database, most),
    }


def _cleaner_fields(database: int, most: int, **_) -> tuple[Field, ...]:
    return (
        Field("selection", "choice", "Cleaned first", options=tuple(Option(*each) for each in SELECTIONS.items())),
        Field("kept", "choice", "Cleaned pages go", options=tuple(Option(*each) for each in KEPT.items())),
        Field("volume", "number", "Volume", "GB"),
    )


def _cleaner_steps(hot: int, writes: int, database: int, most: int) -> Iterator[str]:
    yield f"Every gigabyte helps: the largest volume allowed, {most} GB, is {100 * database / most:.0f} % full."
    for selection in SELECTIONS:
        costs = [_cost(_cleaned(selection, kept, most, hot=hot, writes=writes, database=database)) for kept in KEPT]
        yield f"{SELECTIONS[selection]}: {costs[0]:.2f} blocks moved, {costs[1]:.2f} with cleaned pages apart."
    yield "Cost-benefit leaves a segment alone that is about to lose its hot pages, and takes old cold ones early."


def _draw_years(dice: random.Random) -> dict:
    return {
        "rated_tb": dice.randrange(200, 3000, 50),
        "per_minute": dice.randrange(5000, 30_000, 500),
        "handed_kb": dice.randrange(15, 60),
        "factor": dice.choice((1.8, 2.1, 2.4, 2.7, 3.1, 3.5)),
        "hours": dice.choice((6, 8, 10, 12, 16)),
    }


def _years(rated_tb: float, per_minute: float, handed_kb: float, factor: float, hours: float) -> float:
    """Years until the drive has been written what it is rated for."""
    rate = per_minute / 60 * handed_kb * KB * factor * hours / 24
    return Endurance(rated_tb * TB, "").worn_s(rate) / UNITS["year"].si


def _years_steps(rated_tb: float, per_minute: float, handed_kb: float, factor: float, hours: float) -> Iterator[str]:
    handed = per_minute / 60 * handed_kb / 1e3
    yield f"Handed over: {per_minute} / 60 s · {handed_kb} kB = {handed:.4g} MB/s."
    yield f"Written to the drive: {handed:.4g} · {factor} = {handed * factor:.4g} MB/s while it works,"
    day_gb = handed * factor * hours * 3.6
    yield f"and in {hours} h a day {handed * factor:.4g} MB/s · {hours * 3600} s = {day_gb:.4g} GB."
    years = _years(rated_tb, per_minute, handed_kb, factor, hours)
    yield f"{rated_tb} TB / {day_gb / 1e3:.4g} TB are {rated_tb * 1e3 / day_gb:.4g} days, {years:.4g} years."


EXERCISES = (
    Number(
        "log-on-a-slow-writer",
        "30 users run TPC-C on an SSD that writes 4 KiB pages 130 times a second at random, and 120 MB/s in a row "
        "(the Mtron PRO 7500 of 2008). How many times as many transactions does it do on a log-structured file system "
        "as on one that writes in place? The cleaner sleeps, as in the paper.",
        "1",
        reference=_log_over_in_place,
        within=2.0,
        steps=_log_steps,
        hints=(
            "How many pages a second can the drive take in the one case, how many in the other?",
            "A log writes several blocks for each page; and when the drive is no longer in the way, something else is.",
        ),
        surprise="A random page costs this drive 7.7 ms, a block in a row 34 µs: 200 times less. The log writes more "
        "than three blocks for each page and then the processors are busy, so that a part of that is left.",
    ),
    Curve(
        "cleaning-over-fill",
        "A log in segments of {blocks} blocks is overwritten at random, every page as often as any other. The cleaner "
        "takes the segment with the fewest live blocks, reads it whole, whatever lives in it, and writes the live ones "
        "again. How many blocks does it all move for a block of new data, reads and the new block itself included, by "
        "the live share of the volume?",
        draw=_draw_segments,
        x=lambda blocks: Axis("live share of the volume", "", 0.0, 1.0, positions=FULL),
        y=lambda blocks: Axis("blocks moved for a new one", "", 0.0, 14.0),
        course=_moved,
        steps=_moved_steps,
        hints=(
            "Of a segment that is u full 1 is read, u is rewritten, and 1 − u is room for new data.",
            "The segment that is cleaned is emptier than the mean of all, for it is chosen.",
        ),
        mistakes=(
            (
                _moved_at_the_mean,
                "that takes the cleaned segment to be as full as the volume; the emptiest of all is emptier than that.",
            ),
            (
                _moved_of_what_lives,
                "that reads only what lives in a segment; this cleaner reads it whole.",
            ),
            (
                lambda blocks: [2.0 + full for full in FULL],
                "that copies what lives once; but for one free block several segments may have to be cleaned.",
            ),
        ),
        why="The cost is a matter of the segment that is cleaned, not of the volume; near the end it grows without "
        "bound.",
    ),
    Number(
        "how-full-may-a-segment-be",
        "A drive does {random_writes} random writes of 4 KiB per second, and moves {rate_mb_s} MB/s in a row, reading "
        "or writing. A log writes {blocks:g} blocks for each page of the database, its nodes included, and a block "
        "costs 2 / (1 − u) with its cleaning (segments are read whole). At which live share u of the cleaned segments "
        "does the log take in just as many pages a second as the drive does in place?",
        "%",
        draw=_draw_drive,
        usable=lambda **numbers: 15 < _fullest(**numbers) < 90,
        reference=_fullest,
        tolerance=0.015,
        steps=_fullest_steps,
        hints=(
            "How many blocks a second does the drive move in a row, and how many of them does one page need?",
            "rate / 4096 B = random writes · blocks · 2 / (1 − u).",
        ),
        mistakes=(
            (
                lambda **numbers: _fullest(**numbers, moves=1.0),
                "the cleaner also reads: a segment is read whole for the part of it that becomes free.",
            ),
            (
                lambda blocks, **numbers: _fullest(blocks=1.0, **numbers),
                "that log writes no nodes: each page brings some blocks of metadata with it.",
            ),
            (
                lambda **numbers: 100 - _fullest(**numbers),
                "that is what must be free of a cleaned segment, 1 − u; asked is what may live in it.",
            ),
        ),
        why="Where random writes are slow, a log can afford nearly full segments; where they are fast, it soon loses.",
    ),
    Configuration(
        "clean-for-less",
        "A database of {database} GB lies in a log. {hot} % of its pages get {writes} % of the writes. Set up the "
        "cleaner so that a block of new data costs at most {limit} blocks moved (segments are read whole), on a volume "
        "of at most {most} GB.",
        draw=_draw_cleaner,
        show=lambda numbers: {"limit": _limit(**numbers)},
        fields=_cleaner_fields,
        run=_run_cleaner,
        conditions=(
            Condition(
                lambda known: known["volume"] <= known["most"],
                "that works with money: {volume:g} GB, and at most {most} GB are there. What else can be changed?",
                wrong=lambda most, **_: {"selection": "cost-benefit", "kept": "apart", "volume": 1.5 * most},
            ),
            Condition(
                lambda known: known["cost"] <= known["limit"],
                "{cost:.2f} blocks are moved for a new one, {limit} are allowed: the segments that are cleaned are "
                "{full:.0f} % full.",
                wrong=lambda most, **_: {"selection": "greedy", "kept": "together", "volume": most},
            ),
        ),
        example=lambda most, **_: {"selection": "cost-benefit", "kept": "apart", "volume": most},
        points=2,
        hints=(
            "Use all the room there is. Then: which segment should wait, although it is nearly empty?",
            "Cold pages that were cleaned stay. Where do they do least harm?",
        ),
        why="Segments of cold pages stay nearly full and are rarely cleaned, those of hot pages are nearly empty when "
        "they are.",
        steps=_cleaner_steps,
    ),
    Number(
        "years-under-a-log",
        "A drive may be written {rated_tb} TB. A system does {per_minute} transactions a minute for {hours} hours a "
        "day; each hands {handed_kb} kB to the file system, which writes {factor} bytes to the drive for each of "
        "them. After how many years is the drive used up?",
        "year",
        draw=_draw_years,
        reference=_years,
        steps=_years_steps,
        hints=(
            "How many bytes does the drive get in a day? Mind minutes and hours.",
            "TB / (transactions per second · kB · factor · share of the day).",
        ),
        mistakes=(
            (
                lambda factor, **numbers: _years(factor=1.0, **numbers),
                "that is what the database hands over; the file system writes more than that.",
            ),
            (
                lambda hours, **numbers: _years(hours=24, **numbers),
                "that system never rests, as a benchmark; this one works for some hours a day.",
            ),
            (
                lambda per_minute, **numbers: _years(per_minute=60 * per_minute, **numbers),
                "the transactions are those of a minute, not of a second.",
            ),
        ),
        why="So the same drive lives a fraction of its time on another file system, and a multiple of it in an office.",
    ),
    Flaw(
        "flaws-about-flash",
        among=("X23", "X25", "X28", "X29", "X30", "X31"),
        points=2,
        hints=(
            "Compute the last number of each from the others.",
            "Rates, years and shares: is a power of ten, or of two, in it?",
        ),
        why="The ledger keeps both numbers of such a place, and never the mean of them.",
    ),
)
