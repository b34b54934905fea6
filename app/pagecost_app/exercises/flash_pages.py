"""The exercises of lesson 4: pages and erase blocks, merges, endurance, energy, and what the papers got wrong."""

import random
from collections.abc import Callable

import numpy as np

from pagecost import catalogue, devices
from pagecost.devices import Flash, best_block, energy, ftl
from pagecost_app.exercises.exercise import Exercise

KIB = 1024
THESIS_SIZES = tuple(size * KIB for size in (4, 16, 64, 256, 1024))


def _overwrite_over_read() -> float:
    chip = devices.load("samsung-4gb-flash-chip")
    return float(chip.service("random write", 4 * KIB).total_s / chip.service("random read", 4 * KIB).total_s)


def _draw_copies(dice: random.Random) -> dict:
    return {
        "pages": dice.choice((32, 64, 128)),
        "written": dice.choice((2, 4, 8)),
        "read_us": dice.choice((25, 50, 75)),
        "program_us": dice.choice((200, 300, 600)),
        "erase_ms": dice.choice((1.5, 2.0, 3.0)),
    }


def _merge(pages, written, read_us, program_us, erase_ms) -> dict[str, float]:
    """The terms [s] of overwriting some pages of one block."""
    chip = Flash(
        name="the chip of the exercise",
        page_bytes=4 * KIB,
        pages_per_block=pages,
        page_read_s=read_us / 1e6,
        page_program_s=program_us / 1e6,
        block_erase_s=erase_ms / 1e3,
    )
    return {name: float(time) for name, time in chip.service("random write", written * 4 * KIB).terms.items()}


def _copied_share(**numbers) -> float:
    terms = _merge(**numbers)
    return 100 * terms["copy_s"] / sum(terms.values())


def _draw_life(dice: random.Random) -> dict:
    return {
        "capacity_gb": dice.choice((32, 64, 120, 256)),
        "cycles": dice.choice((3000, 5000, 10_000)),
        "daily_gb": dice.choice((50, 80, 200)),
        "amplification": dice.choice((1.5, 2.5, 3.2)),
    }


def _life(written_for: Callable[[float], float] = lambda amplification: amplification) -> Callable[..., float]:
    """Years of life as someone sees it who takes another write amplification than the given one."""

    def years(capacity_gb, cycles, daily_gb, amplification) -> float:
        total = ftl.lifetime.total_bytes_written(capacity_gb * 1e9, cycles, written_for(amplification))
        return ftl.lifetime.years(total, daily_gb * 1e9 / ftl.lifetime.DAY_S)

    return years


def _draw_share(dice: random.Random) -> dict:
    return {"block_kb": dice.choice((16, 32, 64, 128)), "share_us": dice.choice((499.2, 250.0, 320.0, 15616.0))}


def _draw_printed(dice: random.Random) -> dict:
    return {"erase": dice.choice((3.5, 2.0, 1.5, 3.0)), "program_us": dice.choice((200, 250, 300, 900))}


def _draw_load(dice: random.Random) -> dict:
    return {"reads": dice.choice((2000, 5000, 9000)), "writes": dice.choice((500, 1000, 3000))}


def _energy(*operations: str, chip: str = "nand-lee-chang-2005") -> Callable[..., float]:
    """The energy [mJ] of a load; each write also pays for the named operations."""

    def total(reads, writes) -> float:
        of = {name: energy.of_chip(catalogue.device(chip), name).value for name in energy.OPERATIONS}
        return 1e3 * (reads * of["read"] + writes * sum(of[name] for name in operations))

    return total


def _draw_idle(dice: random.Random) -> dict:
    return {
        "idle_w": dice.choice((5.0, 6.0, 10.0)),
        "load_w": dice.choice((12.5, 15.0, 18.0)),
        "iops": dice.choice((100, 125, 200)),
        "busy_percent": dice.choice((2, 5, 10)),
    }


def _request_mj(idle_w, load_w, iops, busy_percent) -> float:
    return 1e3 * float(energy.request_j(idle_w, load_w, 1 / iops, busy_percent / 100))


def _draw_curve(dice: random.Random) -> dict:
    return {"fixed_us": dice.choice((40, 60, 100, 200, 300, 500)), "rate_mb_s": dice.choice((20, 24, 30))}


def _best_kib(criterion: str) -> Callable[..., float]:
    """The block size [KiB] that a rule chooses from the five sizes of the thesis."""

    def size(fixed_us, rate_mb_s) -> float:
        sizes = np.array(THESIS_SIZES, float)
        throughput = sizes / (fixed_us / 1e6 + sizes / (rate_mb_s * 1e6))
        return best_block.best(criterion, sizes, throughput) / KIB

    return size


EXERCISES = (
    Exercise(
        "overwrite-or-read",
        "On a flash chip of 2008 a page of 4 KiB is read in 25 µs and programmed in 200 µs. One page of a full erase "
        "block of 64 pages is overwritten in place. How many times as long as reading it does that take?",
        "1",
        draw=lambda dice: {},
        reference=_overwrite_over_read,
        within=1.6,
        hints=("Which of the 64 pages have to be read, which programmed, and what has to be erased?",),
        surprise="Programming a page takes 8 times as long as reading it, but the other 63 pages come along: each is "
        "read and programmed, and the block is erased.",
    ),
    Exercise(
        "copied-share",
        "An erase block of {pages} pages is full. Its chip reads a page in {read_us} µs, programs one in {program_us} "
        "µs and erases a block in {erase_ms} ms. One request overwrites {written} neighbouring pages of it, and the "
        "block is merged at once. Which share of the time goes into copying the other pages?",
        "%",
        draw=_draw_copies,
        reference=_copied_share,
        tolerance=0.002,
        hints=(
            "A copied page is read and programmed; the new pages are only programmed.",
            "(b − k)(read + program) over that plus k programs plus one erase.",
        ),
        mistakes=(
            (
                lambda pages, written, **_: 100 * (pages - written) / pages,
                "that is the share of the pages; a copied page is also read, and the erase takes time.",
            ),
            (
                lambda pages, written, read_us, program_us, erase_ms: (
                    100 * (pages - written) * program_us / (pages * program_us + 1e3 * erase_ms)
                ),
                "the other pages must be read before they can be programmed again.",
            ),
            (
                lambda pages, written, read_us, program_us, erase_ms: (
                    100
                    * (pages - written)
                    * (read_us + program_us)
                    / ((pages - written) * (read_us + program_us) + written * program_us)
                ),
                "the erase of the block is missing in the whole.",
            ),
        ),
    ),
    Exercise(
        "endurance",
        "A drive of {capacity_gb} GB has cells for {cycles} program/erase cycles, worn evenly. The host writes "
        "{daily_gb} GB a day, and the flash programs {amplification} pages for each page of the host. After how many "
        "years are the cycles used up?",
        "year",
        draw=_draw_life,
        reference=_life(),
        hints=(
            "All cells together can be programmed with capacity × cycles bytes.",
            "Not all of them are the host's: divide by the write amplification. A year has 365 days.",
        ),
        mistakes=(
            (_life(lambda amplification: 1.0), "that is without write amplification: the copies wear the cells, too."),
            (
                _life(lambda amplification: 1 / amplification),
                "write amplification shortens the life; you multiplied by it.",
            ),
            (lambda **numbers: 365 * _life()(**numbers), "those are days."),
        ),
    ),
    Exercise(
        "erase-share",
        "Find the flaw: a table prints {share_us} µs for an erase *per 4 KB*. Someone puts it into a simulator as the "
        "time to erase a block of {block_kb} KB. How long must the erase of the whole block be?",
        "ms",
        draw=_draw_share,
        reference=lambda block_kb, share_us: share_us * block_kb / 4 / 1e3,
        hints=("How many times 4 KB does the block hold?",),
        mistakes=(
            (lambda block_kb, share_us: share_us / 1e3, "that is the share of 4 KB, the number printed."),
            (
                lambda block_kb, share_us: share_us * block_kb / 1e3,
                "the share is for 4 KB, not for 1 KB.",
            ),
        ),
    ),
    Exercise(
        "erase-printed",
        "Find the flaw: a text says that erasing a block takes up to {erase} µs, programming a page {program_us} µs, "
        "and that an erase is slower by an order of magnitude. Its author meant milliseconds. How many times as "
        "long as a program is the erase then?",
        "1",
        draw=_draw_printed,
        reference=lambda erase, program_us: erase * 1e3 / program_us,
        hints=("1 ms = 1000 µs. Bring both into one unit.",),
        mistakes=(
            (
                lambda erase, program_us: erase / program_us,
                "as printed the erase would be faster than the program. That is the flaw.",
            ),
            (lambda erase, program_us: program_us / (erase * 1e3), "the other way round: how long is the erase?"),
        ),
    ),
    Exercise(
        "chip-energy",
        "On the NAND of Table 2.1, {reads} pages of 4 KB are read and {writes} are written, each into a place that is "
        "erased for it. How much energy do the chips need?",
        "mJ",
        draw=_draw_load,
        reference=_energy("program", "erase share"),
        tolerance=0.004,
        hints=(
            "Table 2.1 per 4 KB: 9.4 µJ to read, 59.6 µJ to write, 16.5 µJ for the share of an erase.",
            "Each write pays for its program and for its share of an erase.",
        ),
        mistakes=(
            (_energy("program"), "the erase is missing; its share of a block belongs to each write."),
            (
                _energy("program", "erase share", chip="nor-lee-chang-2005"),
                "those are the numbers of NOR; NAND is asked for.",
            ),
        ),
    ),
    Exercise(
        "idle-energy",
        "A disk draws {idle_w} W when idle and {load_w} W under load, and answers {iops} random requests a second when "
        "it has nothing else to do. It is busy for {busy_percent} % of the day. How much energy does each request "
        "cost, with its share of the idle time?",
        "mJ",
        draw=_draw_idle,
        reference=_request_mj,
        hints=(
            "In one second: how many requests, how long under load, how long idle?",
            "(load × busy + idle × (1 − busy)) / (requests a second × busy).",
        ),
        mistakes=(
            (
                lambda idle_w, load_w, iops, busy_percent: 1e3 * load_w / iops,
                "that is a disk that is always busy: most of the day it idles, and that is paid by few requests.",
            ),
            (
                lambda idle_w, load_w, iops, busy_percent: (
                    1e3 * (load_w * busy_percent + idle_w * (100 - busy_percent)) / 100 / iops
                ),
                "the power is right, but a disk that is hardly busy answers fewer requests a second.",
            ),
        ),
    ),
    Exercise(
        "near-best",
        "A device needs {fixed_us} µs for each request and moves {rate_mb_s} MB/s besides. Of the block sizes 4, 16, "
        "64, 256 and 1024 KiB, which is the smallest within 5 % of the best throughput?",
        "KiB",
        draw=_draw_curve,
        reference=_best_kib("near_best"),
        hints=(
            "throughput = block / (fixed + block / rate), for each of the five sizes.",
            "The best of the five is 1024 KiB. Which smaller ones reach 95 % of it?",
        ),
        mistakes=(
            (_best_kib("throughput"), "that is the best; a smaller one comes near enough."),
            (_best_kib("iops"), "that gives most requests a second, but far fewer bytes."),
        ),
    ),
)
