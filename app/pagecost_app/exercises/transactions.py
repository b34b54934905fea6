"""The exercises of lesson 7: transactions over an extended storage hierarchy."""

import dataclasses
import random

from pagecost.answers.transaction_runs import simulated
from pagecost.studies.transactions import database_allocation
from pagecost.transactions import Computer, debit_credit, hits, rahm, theory
from pagecost_app.exercises.exercise import Exercise

RATE_HZ = 100.0  # any rate at which nothing is saturated: utilisations grow in proportion


def _write_buffer_gain() -> float:
    """Mean response time on disks over that with a write buffer in the disks' cache, at 500 TPS."""
    inputs = database_allocation.Inputs()
    disk, buffered = (
        simulated(database_allocation.case_of(inputs, name, 500.0)).response_s
        for name in ("disk", "disk cache write buffer")
    )
    return disk / buffered


def _draw_log(dice: random.Random) -> dict:
    return {"disk_ms": dice.choice((4, 5, 8, 10)), "disks": dice.choice((2, 3)), "group": dice.choice((4, 5, 6))}


def _log_limit(disk_ms, disks, group) -> float:
    """Rate [1/s] at which the log disks have no idle moment."""
    unit = rahm.log_disk(disks, 4 * disks)
    unit = dataclasses.replace(unit, read_s=disk_ms / 1e3, write_s=disk_ms / 1e3)
    system = rahm.system(computer=Computer(group_size=group), log_unit=unit)
    return RATE_HZ / theory.estimate(system, debit_credit(), RATE_HZ).utilisation["log disk"]


def _draw_processors(dice: random.Random) -> dict:
    return {
        "processors": dice.choice((2, 4, 8)),
        "mips": dice.choice((25, 50, 100)),
        "io": dice.choice((5000, 10_000, 20_000)),
        "buffer": dice.choice((200, 1000, 2000)),
    }


def _processor_limit(processors, mips, io, buffer, **less) -> float:
    """Rate [1/s] at which the processors have no idle moment, everything on disk; less: what someone forgets."""
    own = {"processors": processors, "instructions_per_s": mips * 1e6, "instructions_io": io, "buffer_pages": buffer}
    system = rahm.system(computer=Computer(**own | less), log_unit=rahm.log_disk(50, 50))
    return RATE_HZ / theory.estimate(system, debit_credit(), RATE_HZ).utilisation["CPU"]


def _page_ios(buffer) -> float:
    found = hits(rahm.system(computer=Computer(buffer_pages=buffer)), debit_credit())
    return sum(found.reads.values()) + sum(found.writes.values())


def _draw_levels(dice: random.Random) -> dict:
    main, second = dice.choice(((200, 300), (500, 500), (1000, 1000)))
    return {"main": main, "second": second, "whole": main + second}


def _main_hits(pages) -> float:
    return 100 * hits(rahm.system(computer=Computer(buffer_pages=pages)), debit_credit()).ratio("main")


def _second_hits(main, second, **_) -> float:
    """Share of all references [%] that an NVEM cache answers under NOFORCE."""
    system = rahm.system("NVEM cache", "nvem", computer=Computer(buffer_pages=main), cache_pages=second)
    return 100 * hits(system, debit_credit()).second_level


EXERCISES = (
    Exercise(
        "small-write-buffer",
        "The database (5 million pages) and the log are on disks: 16.4 ms for a page of the database, 6.4 ms for one "
        "of the log. 500 transactions per second arrive. Main memory answers three of a transaction's four "
        "references. Now the disks' caches get a write buffer of 500 pages that survives a power failure. "
        "How many times as fast do transactions become?",
        "1",
        draw=lambda dice: {},
        reference=_write_buffer_gain,
        within=1.25,
        hints=("How many accesses does one miss cost when main memory is full of changed pages?",),
        surprise="A miss waits twice: the page that must make room was changed and is written first. A write buffer "
        "of 2 MB takes that write and the one to the log, however large the database; the read stays.",
    ),
    Exercise(
        "log-limit",
        "Every transaction writes one page of log: {disk_ms} ms on a log disk, before that 1 ms in one of many "
        "controllers and 0.4 ms on the way. There are {disks} log disks, and group commit lets {group} transactions "
        "share a write. How many transactions per second can the log take at most?",
        "1/s",
        draw=_draw_log,
        reference=_log_limit,
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
    Exercise(
        "processor-limit",
        "A Debit-Credit transaction needs 40 000 instructions to begin, 40 000 for each of its 4 references and "
        "50 000 to end. Database and log are on disks, {io} instructions for each I/O; with {buffer} pages of main "
        "memory there are {ios} I/Os of pages and one of the log per transaction. How many transactions per second "
        "can {processors} processors of {mips} MIPS do at most?",
        "1/s",
        draw=_draw_processors,
        reference=_processor_limit,
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
    Exercise(
        "second-level",
        "NOFORCE. Main memory alone answers {small} % of the references with {main} pages and {large} % with {whole} "
        "pages. Now there are {main} pages of main memory and an NVEM cache of {second} pages behind it. What share "
        "of all references does the NVEM cache answer?",
        "%",
        draw=_draw_levels,
        reference=_second_hits,
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
)
