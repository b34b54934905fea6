"""The exercises of lesson 10: transactions over an extended storage hierarchy."""

import dataclasses
import random
from collections.abc import Iterator
from functools import lru_cache

from pagecost.answers.transaction_runs import estimated
from pagecost.studies.transactions import database_allocation
from pagecost.transactions import Computer, debit_credit, hits, rahm, theory
from pagecost_app.exercises.exercise import Axis
from pagecost_app.exercises.kinds import Choice, Claim, Curve, Number, Order

RATE_HZ = 100.0  # any rate at which nothing is saturated: utilisations grow in proportion


BUFFERED = {"disk cache write buffer": "the disks' caches get", "NVEM write buffer": "NVEM gives the disks"}


def _draw_buffered(dice: random.Random) -> dict:
    return {"rate": dice.randrange(100, 651, 2), "buffer": dice.choice(list(BUFFERED))}


def _response_ms(allocation: str, rate: int) -> float:
    """Mean response time by formula, which the simulation confirms within its interval."""
    return (
        1e3 * estimated(database_allocation.case_of(database_allocation.Inputs(), allocation, float(rate))).response_s
    )


def _write_buffer_gain(rate: int, buffer: str) -> float:
    """Mean response time on disks over that with a write buffer."""
    return _response_ms("disk", rate) / _response_ms(buffer, rate)


def _buffered_steps(rate: int, buffer: str) -> Iterator[str]:
    disk, buffered = _response_ms("disk", rate), _response_ms(buffer, rate)
    yield "A miss reads a page (16.4 ms) and, as main memory is full of changed ones, first writes one (16.4 ms)."
    yield f"With the log's page and the processor a transaction takes {disk:.4g} ms."
    yield f"The write buffer takes both writes at once, the read stays: {buffered:.4g} ms."
    yield f"{disk:.4g} / {buffered:.4g} = {disk / buffered:.4g}."


def _draw_log(dice: random.Random) -> dict:
    return {
        "disk_ms": dice.randrange(40, 101, 2) / 10,
        "disks": dice.randrange(2, 5),
        "group": dice.randrange(4, 9),
    }


@lru_cache(maxsize=2048)
def _log_limit(disk_ms, disks, group) -> float:
    """Rate [1/s] at which the log disks have no idle moment."""
    unit = rahm.log_disk(disks, 4 * disks)
    unit = dataclasses.replace(unit, read_s=disk_ms / 1e3, write_s=disk_ms / 1e3)
    full = Computer(group_size=group, group_wait_s=10.0)  # so long that every group is full, as it is at the limit
    system = rahm.system(computer=full, log_unit=unit)
    return RATE_HZ / theory.estimate(system, debit_credit(), RATE_HZ).utilisation["log disk"]


def _draw_processors(dice: random.Random) -> dict:
    return {
        "processors": dice.randrange(2, 9),
        "mips": dice.randrange(25, 101, 5),
        "io": dice.randrange(5000, 20_001, 1000),
        "buffer": dice.choice((200, 500, 1000, 1500, 2000)),
    }


@lru_cache(maxsize=4096)
def _processor_limit(processors, mips, io, buffer, **less) -> float:
    """Rate [1/s] at which the processors have no idle moment, everything on disk; less: what someone forgets."""
    own = {"processors": processors, "instructions_per_s": mips * 1e6, "instructions_io": io, "buffer_pages": buffer}
    system = rahm.system(computer=Computer(**own | less), log_unit=rahm.log_disk(50, 50))
    return RATE_HZ / theory.estimate(system, debit_credit(), RATE_HZ).utilisation["CPU"]


@lru_cache(maxsize=64)
def _page_ios(buffer) -> float:
    found = hits(rahm.system(computer=Computer(buffer_pages=buffer)), debit_credit())
    return sum(found.reads.values()) + sum(found.writes.values())


def _draw_levels(dice: random.Random) -> dict:
    main, second = dice.randrange(200, 1001, 25), dice.randrange(200, 1001, 25)
    return {"main": main, "second": second, "whole": main + second}


@lru_cache(maxsize=512)
def _main_hits(pages) -> float:
    return 100 * hits(rahm.system(computer=Computer(buffer_pages=pages)), debit_credit()).ratio("main")


def _second_hits(main, second, **_) -> float:
    """Share of all references [%] that an NVEM cache answers under NOFORCE."""
    system = rahm.system("NVEM cache", "nvem", computer=Computer(buffer_pages=main), cache_pages=second)
    return 100 * hits(system, debit_credit()).second_level


def _log_steps(disk_ms, disks, group) -> Iterator[str]:
    yield "Controller and channel serve the next page while a disk writes; only the disk may have no idle moment."
    yield (
        f"A disk does 1000 / {disk_ms} = {1e3 / disk_ms:.4g} writes per second, {disks} disks "
        f"{disks * 1e3 / disk_ms:.4g}."
    )
    yield (
        f"Each write serves {group} transactions: {disks * 1e3 / disk_ms:.4g} · {group} = "
        f"{disks * group * 1e3 / disk_ms:.4g}."
    )


def _processor_steps(processors, mips, io, buffer) -> Iterator[str]:
    ios = _page_ios(buffer) + 1
    each = 250e3 + ios * io
    yield f"40 000 + 4 · 40 000 + 50 000 = 250 000 instructions, and {ios:.2f} I/Os of {io}: {each:.6g} in all."
    yield f"The processors do {processors} · {mips} million = {processors * mips} million per second."
    yield f"{processors * mips} million / {each:.6g} = {processors * mips * 1e6 / each:.4g} transactions per second."


def _level_steps(main, second, whole) -> Iterator[str]:
    small, large = _main_hits(main), _main_hits(whole)
    yield f"Under NOFORCE a page is in one place only, so both hold what {main} + {second} = {whole} pages would hold."
    yield f"Together they answer {large:.4g} %, main memory alone {small:.4g} %."
    yield f"{large:.4g} − {small:.4g} = {large - small:.3g} %; the engine counts the second level's own hits."


OTHERS = ("disk", "disk cache write buffer", "NVEM write buffer", "ssd", "nvem")
BY_SPEED = ("main memory", "nvem", "ssd", "NVEM write buffer", "disk cache write buffer", "disk")


def _draw_homes(dice: random.Random) -> dict:
    return {"rate": dice.randrange(50, 651, 5), "homes": ("main memory", *dice.sample(OTHERS, 3))}


def _by_time(rate: int, homes) -> dict[str, float]:
    """Mean response time [ms] by formula of every home of the database."""
    return {home: _response_ms(home, rate) for home in homes}


def _home_steps(rate: int, homes) -> Iterator[str]:
    waits = {
        "main memory": "no page to wait for, but the log's, 6.4 ms on a disk",
        "nvem": "50 µs for each page and for the log's",
        "ssd": "1.4 ms for each page read, each page written and the log's",
        "NVEM write buffer": "16.4 ms for a page read; what is written, the log's page too, takes 50 µs",
        "disk cache write buffer": "16.4 ms for a page read; what is written, the log's page too, takes 1.4 ms",
        "disk": "16.4 ms for a page read and for a page written, 6.4 ms for the log's",
    }
    yield "A transaction misses 1.1 pages: so many are read and, as all are changed, so many are written first."
    for home, response_ms in _by_time(rate, homes).items():
        yield f"{rahm.DATABASE_ALLOCATIONS[home]}: {waits[home]}. With the processors {response_ms:.4g} ms."


def _draw_behind(dice: random.Random) -> dict:
    return {"main": dice.randrange(200, 2001, 50), "cache": dice.randrange(400, 1601, 50)}


@lru_cache(maxsize=512)
def _behind_percent(main: int, cache: int) -> float:
    """Share of all references [%] that a volatile disk cache answers behind main memory."""
    system = rahm.system("volatile cache", computer=Computer(buffer_pages=main), cache_pages=cache)
    return 100 * hits(system, debit_credit(), transactions=20_000).second_level


def _behind_steps(main: int, cache: int) -> Iterator[str]:
    yield "Each page that is read in passes the cache on its way to main memory: both hold the pages read last."
    if main >= cache:
        yield f"Main memory holds {main} of them, the cache the last {cache}: nothing that main memory has not."
    else:
        yield f"The cache holds {cache} of them, main memory only {main}: the older ones can still be hit."
    yield f"Counted, it answers {_behind_percent(main, cache):.3g} % of all references."


LOADS = (0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)  # of what the log can take


def _draw_rising(dice: random.Random) -> dict:
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
    Number(
        "small-write-buffer",
        "The database (5 million pages) and the log are on disks: 16.4 ms for a page of the database, 6.4 ms for one "
        "of the log. {rate} transactions per second arrive. Main memory answers three of a transaction's four "
        "references. Now {gets} a write buffer of 500 pages that survives a power failure. "
        "How many times as fast do transactions become?",
        "1",
        draw=_draw_buffered,
        lesson_case={"rate": 500, "buffer": "disk cache write buffer"},
        show=lambda numbers: {"gets": BUFFERED[numbers["buffer"]]},
        reference=_write_buffer_gain,
        steps=_buffered_steps,
        why="Of three accesses that a transaction waits for, the buffer takes the two writes.",
        within=1.25,
        hints=("How many accesses does one miss cost when main memory is full of changed pages?",),
        surprise="A miss waits twice: the page that must make room was changed and is written first. A write buffer "
        "of 2 MB takes that write and the one to the log, however large the database; the read stays.",
    ),
    Number(
        "log-limit",
        "Every transaction writes one page of log: {disk_ms} ms on a log disk, before that 1 ms in one of many "
        "controllers and 0.4 ms on the way. There are {disks} log disks, and group commit lets {group} transactions "
        "share a write. How many transactions per second can the log take at most?",
        "1/s",
        draw=_draw_log,
        reference=_log_limit,
        steps=_log_steps,
        why="What has no idle moment first sets the limit, and the group shares its writes.",
        hints=(
            "Which of controller, channel and disk has no idle moment first?",
            "Writes per second of all log disks, times the transactions that one write serves.",
        ),
        mistakes=(
            (
                lambda disk_ms, disks, group: disks * group / (disk_ms + 1.4) * 1e3,
                "that is 1 / response time. Controller and channel already serve the next page while the disk writes.",
            ),
            (lambda **numbers: _log_limit(**numbers | {"group": 1}), "a write serves the whole group."),
            (lambda **numbers: _log_limit(**numbers | {"disks": 1}), "that is one log disk."),
            (
                lambda disk_ms, disks, group: disks / disk_ms * 1e3 / group,
                "the group divides the writes, not the transactions.",
            ),
        ),
    ),
    Number(
        "processor-limit",
        "A Debit-Credit transaction needs 40 000 instructions to begin, 40 000 for each of its 4 references and "
        "50 000 to end. Database and log are on disks, {io} instructions for each I/O; with {buffer} pages of main "
        "memory there are {ios} I/Os of pages and one of the log per transaction. How many transactions per second "
        "can {processors} processors of {mips} MIPS do at most?",
        "1/s",
        draw=_draw_processors,
        reference=_processor_limit,
        steps=_processor_steps,
        why="At the limit all instructions per second go into transactions, I/Os included.",
        show=lambda numbers: {"ios": f"{_page_ios(numbers['buffer']):.2f}"},
        hints=(
            "Instructions of all processors per second, over those of one transaction.",
            "The log's write is an I/O too.",
        ),
        mistakes=(
            (
                lambda **numbers: _processor_limit(**numbers, instructions_io=0),
                "without I/Os; they cost instructions as well.",
            ),
            (
                lambda processors, mips, io, buffer: processors * mips * 1e6 / (130e3 + (1 + _page_ios(buffer)) * io),
                "that counts one reference; there are four.",
            ),
            (
                lambda **numbers: _processor_limit(**numbers | {"processors": 1}),
                "that is one processor.",
            ),
        ),
    ),
    Number(
        "second-level",
        "NOFORCE. Main memory alone answers {small} % of the references with {main} pages and {large} % with {whole} "
        "pages. Now there are {main} pages of main memory and an NVEM cache of {second} pages behind it. What share "
        "of all references does the NVEM cache answer?",
        "%",
        draw=_draw_levels,
        reference=_second_hits,
        steps=_level_steps,
        why="A page is in main memory or behind it, so the two add up.",
        tolerance=0.05,
        show=lambda numbers: {
            "small": f"{_main_hits(numbers['main']):.1f}",
            "large": f"{_main_hits(numbers['whole']):.1f}",
        },
        hints=(
            "Under NOFORCE a page is in main memory or in NVEM, never in both.",
            "So both together hold what one main memory of their common size would hold.",
        ),
        mistakes=(
            (
                lambda whole, **_: _main_hits(whole),
                "that is what both answer together; main memory answers its part first.",
            ),
            (
                lambda main, whole, **_: (_main_hits(whole) - _main_hits(main)) / (1 - _main_hits(main) / 100),
                "that is a share of what main memory misses; the share of all references is wanted.",
            ),
            (
                lambda second, **_: _main_hits(second),
                "so much would a main memory of that size answer if it were alone. Here the pages that are used "
                "most are in front of it.",
            ),
        ),
    ),
    Curve(
        "response-by-load",
        "The log is on {disks} disk(s) of {disk_ms} ms for a write, and nothing else is short. Draw the mean response "
        "time of a transaction by the arrival rate, up to 95 % of what the log can take, before you see it.",
        draw=_draw_rising,
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
            (
                lambda disk_ms, disks: [_responses_ms(disk_ms, disks)[0] * (1 + 3 * load) for load in LOADS],
                "that grows in proportion. A queue is short for long, and without bound where nothing is idle.",
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
    Order(
        "allocations-by-time",
        "Debit-Credit, {rate} transactions per second, four processors, 2000 pages of main memory. Database and log "
        "move together, except that a database in main memory has its log on disks. Put the homes in the order of the "
        "mean response time.",
        draw=_draw_homes,
        items=lambda rate, homes: {home: rahm.DATABASE_ALLOCATIONS[home] for home in homes},
        sizes=_by_time,
        first="the fastest first",
        unit="ms",
        mistakes=(
            (
                lambda rate, homes: {home: float(BY_SPEED.index(home)) for home in homes},
                "that is the order of the memories. A database in main memory still waits for its log, on a disk.",
            ),
        ),
        hints=(
            "For what does a transaction wait in each case: a page to be read, a page to be written, the log?",
            "With the database in main memory only the log is left, and it takes 6.4 ms on a disk.",
        ),
        why="What a transaction waits for decides, and in the end everybody waits for the log.",
        steps=_home_steps,
    ),
    Choice(
        "second-level-worth",
        "Debit-Credit on disks. Behind {main} pages of main memory stands a volatile disk cache of {cache} pages; both "
        "replace by LRU, and the cache keeps each page that is read through it. How many of all references does the "
        "cache answer?",
        draw=_draw_behind,
        usable=lambda main, cache: (
            (main >= cache and _behind_percent(main, cache) < 0.5)
            or (main <= 0.7 * cache and _behind_percent(main, cache) > 1.5)
        ),
        options=(
            Claim(
                "fewer than one in a hundred",
                lambda main, cache: _behind_percent(main, cache) < 1,
                "here the cache is the larger of the two: it has pages that main memory has let go.",
            ),
            Claim(
                "more than one in a hundred",
                lambda main, cache: _behind_percent(main, cache) >= 1,
                "main memory is as large: whatever the cache holds is in front of it, too.",
            ),
        ),
        reasons=(
            Claim(
                "main memory holds all pages that the cache holds",
                lambda main, cache: main >= cache,
                "the cache holds more pages than main memory.",
            ),
            Claim(
                "the cache holds pages that main memory has let go",
                lambda main, cache: main < cache,
                "both keep the pages read last, and main memory keeps more of them.",
            ),
            Claim(
                "the hits of two levels add up, each as if it were alone",
                lambda main, cache: False,
                "what is in both is hit in the first level only.",
            ),
            Claim(
                "a page that was replaced is never asked for again",
                lambda main, cache: False,
                "it is, some time later; the question is whether it is still in the cache then.",
            ),
        ),
        hints=("Which pages does the cache see, and which of them are not in main memory when they are asked for?",),
        why="A second level answers only what the first does not hold.",
        steps=_behind_steps,
    ),
)
