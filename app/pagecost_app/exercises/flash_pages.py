"""The exercises of lesson 3: pages and erase blocks, merges, endurance, energy, and what the papers got wrong."""

import random
from collections.abc import Callable, Iterator

import numpy as np

from pagecost import catalogue
from pagecost.devices import Flash, best_block, energy, ftl
from pagecost_app.exercises.kinds import EXACT, Flaw, Number, Order

KIB = 1024
THESIS_SIZES = tuple(size * KIB for size in (4, 16, 64, 256, 1024))


CHIP = {"pages": 64, "read_us": 25, "program_us": 200, "erase_ms": 1.5}  # Samsung's of 2008, as Wang prints it


def _draw_chip(dice: random.Random) -> dict:
    return {
        "pages": dice.choice((32, 64, 128, 256)),
        "read_us": dice.randrange(20, 80, 5),
        "program_us": dice.randrange(200, 800, 20),
        "erase_ms": dice.randrange(10, 40) / 10,
    }


def _overwrite_us(**numbers) -> float:
    return 1e6 * sum(_merge(**numbers, written=1).values())


def _overwrite_steps(pages, read_us, program_us, erase_ms) -> Iterator[str]:
    whole = (pages - 1) * (read_us + program_us) + program_us + 1e3 * erase_ms
    yield f"The {pages - 1} other pages come along: {pages - 1} · ({read_us} + {program_us}) µs."
    yield f"The page itself is programmed, {program_us} µs, and the block erased, {erase_ms} ms: {whole:.6g} µs in all."
    yield f"A read takes {read_us} µs: {whole:.6g} / {read_us} = {whole / read_us:.4g}."


def _draw_copies(dice: random.Random) -> dict:
    return {
        "pages": dice.choice((32, 64, 128)),
        "written": dice.randrange(2, 9),
        "read_us": dice.randrange(25, 80, 5),
        "program_us": dice.randrange(200, 601, 20),
        "erase_ms": dice.randrange(15, 31) / 10,
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
        "capacity_gb": dice.choice((32, 64, 120, 256, 480)),
        "cycles": dice.randrange(3000, 10_001, 500),
        "daily_gb": dice.randrange(50, 201, 10),
        "amplification": dice.randrange(15, 40) / 10,
    }


def _life(written_for: Callable[[float], float] = lambda amplification: amplification) -> Callable[..., float]:
    """Years of life as someone sees it who takes another write amplification than the given one."""

    def years(capacity_gb, cycles, daily_gb, amplification) -> float:
        total = ftl.lifetime.total_bytes_written(capacity_gb * 1e9, cycles, written_for(amplification))
        return ftl.lifetime.years(total, daily_gb * 1e9 / ftl.lifetime.DAY_S)

    return years


def _draw_share(dice: random.Random) -> dict:
    return {"block_kb": dice.choice((16, 32, 64, 128)), "share_us": dice.randrange(2000, 6000) / 10}


def _draw_printed(dice: random.Random) -> dict:
    # an order of magnitude apart, as the text says
    return {"erase": dice.randrange(25, 46) / 10, "program_us": dice.randrange(200, 301, 10)}


def _draw_load(dice: random.Random) -> dict:
    return {"reads": dice.randrange(1000, 10_000, 100), "writes": dice.randrange(500, 4000, 100)}


NAND = "nand-lee-chang-2005"


def _energy(*operations: str, chip: str = NAND) -> Callable[..., float]:
    """The energy [mJ] of a load; each write also pays for the named operations."""

    def total(reads, writes) -> float:
        of = {name: energy.of_chip(catalogue.device(chip), name).value for name in energy.OPERATIONS}
        return 1e3 * (reads * of["read"] + writes * sum(of[name] for name in operations))

    return total


def _draw_idle(dice: random.Random) -> dict:
    return {
        "idle_w": dice.randrange(50, 101) / 10,
        "load_w": dice.randrange(120, 181) / 10,
        "iops": dice.randrange(80, 201, 5),
        "busy_percent": dice.randrange(2, 16),
    }


def _request_mj(idle_w, load_w, iops, busy_percent) -> float:
    return 1e3 * float(energy.request_j(idle_w, load_w, 1 / iops, busy_percent / 100))


def _draw_curve(dice: random.Random) -> dict:
    return {"fixed_us": dice.randrange(40, 600, 10), "rate_mb_s": dice.randrange(16, 61)}


def _best_kib(criterion: str) -> Callable[..., float]:
    """The block size [KiB] that a rule chooses from the five sizes of the thesis."""

    def size(fixed_us, rate_mb_s) -> float:
        sizes = np.array(THESIS_SIZES, float)
        throughput = sizes / (fixed_us / 1e6 + sizes / (rate_mb_s * 1e6))
        return best_block.best(criterion, sizes, throughput) / KIB

    return size


def _copied_steps(pages, written, read_us, program_us, erase_ms) -> Iterator[str]:
    copied, programmed = (pages - written) * (read_us + program_us) / 1e3, written * program_us / 1e3
    whole = copied + programmed + erase_ms
    yield f"Copied: ({pages} − {written}) · ({read_us} + {program_us}) µs = {copied:.5g} ms."
    yield f"The new pages: {written} · {program_us} µs = {programmed:g} ms. The erase: {erase_ms} ms."
    yield f"{copied:.5g} / ({copied:.5g} + {programmed:g} + {erase_ms}) = {100 * copied / whole:.4g} %."


def _years_steps(capacity_gb, cycles, daily_gb, amplification) -> Iterator[str]:
    flash = capacity_gb * cycles
    yield f"The cells can be programmed with {capacity_gb} GB · {cycles} = {flash} GB."
    yield (
        f"{daily_gb} GB a day from the host are {daily_gb} · {amplification} = {daily_gb * amplification:g} GB of "
        "programming."
    )
    days = flash / (daily_gb * amplification)
    yield f"{flash} / {daily_gb * amplification:g} = {days:.5g} days; over 365 that is {days / 365:.4g} years."


def _share_steps(block_kb, share_us) -> Iterator[str]:
    yield f"The block holds {block_kb} / 4 = {block_kb / 4:g} times 4 KB."
    yield f"{block_kb / 4:g} · {share_us:g} µs = {share_us * block_kb / 4e3:.4g} ms."


def _slip_steps(erase, program_us) -> Iterator[str]:
    yield f"{erase} ms are {erase * 1e3:g} µs."
    yield (
        f"{erase * 1e3:g} µs / {program_us} µs = {erase * 1e3 / program_us:.4g}: an order of magnitude, as the text "
        "says."
    )


def _energy_steps(reads, writes) -> Iterator[str]:
    of = {name: 1e6 * energy.of_chip(catalogue.device(NAND), name).value for name in energy.OPERATIONS}
    each = of["program"] + of["erase share"]
    whole = (reads * of["read"] + writes * each) / 1e3
    yield f"Reading: {reads} · {of['read']:.4g} µJ = {reads * of['read'] / 1e3:.4g} mJ."
    yield f"Writing: {writes} · ({of['program']:.4g} + {of['erase share']:.4g}) µJ = {writes * each / 1e3:.4g} mJ."
    yield f"Together {whole:.4g} mJ."


def _idle_steps(idle_w, load_w, iops, busy_percent) -> Iterator[str]:
    mean = (load_w * busy_percent + idle_w * (100 - busy_percent)) / 100
    done = iops * busy_percent / 100
    yield f"On average it draws {load_w} · {busy_percent} % + {idle_w} · {100 - busy_percent} % = {mean:.4g} W."
    yield f"It answers {iops} · {busy_percent} % = {done:.4g} requests a second."
    yield f"{mean:.4g} W / {done:.4g} per second = {1e3 * mean / done:.4g} mJ."


def _near_steps(fixed_us, rate_mb_s) -> Iterator[str]:
    rates = {kib: kib * KIB / (fixed_us + kib * KIB / rate_mb_s) for kib in (size // KIB for size in THESIS_SIZES)}
    listed = ", ".join(f"{kib} KiB: {rate:.4g}" for kib, rate in rates.items())
    best = max(rates.values())
    yield f"Throughput [MB/s] = block / (fixed + block / rate): {listed}."
    yield (
        f"95 % of the best are {0.95 * best:.4g}; {min(k for k, rate in rates.items() if rate >= 0.95 * best)} KiB "
        "reach it first."
    )


OPERATIONS = {
    "read": "a page is read",
    "program": "a page is programmed into an erased block",
    "erase": "a block is erased",
    "whole": "a whole block is overwritten, all its pages in a row",
    "one": "one page of a full block is overwritten in place",
}


def _operations_ms(pages, read_us, program_us, erase_ms) -> dict[str, float]:
    """What each of `OPERATIONS` takes [ms]."""
    chip = {"pages": pages, "read_us": read_us, "program_us": program_us, "erase_ms": erase_ms}
    return {
        "read": read_us / 1e3,
        "program": program_us / 1e3,
        "erase": erase_ms,
        "whole": 1e3 * sum(_merge(**chip, written=pages).values()),
        "one": _overwrite_us(**chip) / 1e3,
    }


def _believed(name: str, others: float) -> Callable[..., dict[str, float]]:
    """As if one of them took so many times as long as an overwritten page."""

    def times(**chip) -> dict[str, float]:
        known = _operations_ms(**chip)
        return known | {name: others * known["one"]}

    return times


def _operations_steps(pages, read_us, program_us, erase_ms) -> Iterator[str]:
    for name, time_ms in _operations_ms(pages, read_us, program_us, erase_ms).items():
        yield f"{OPERATIONS[name]}: {time_ms:.4g} ms"
    yield "A whole block need not be read: nothing of it is kept. So it takes less than one page of it."


EXERCISES = (
    Order(
        "chip-operations",
        "A flash chip reads a page in {read_us} µs, programs one in {program_us} µs and erases a block of {pages} "
        "pages in {erase_ms} ms. Which takes how long?",
        draw=_draw_chip,
        items=lambda **_: OPERATIONS,
        sizes=_operations_ms,
        first="the shortest first",
        unit="ms",
        mistakes=(
            (
                _believed("whole", 2.0),
                "of a block that is overwritten as a whole nothing must be kept; for one page all others are carried "
                "along.",
            ),
            (
                _believed("erase", 2.0),
                "an erase is the slowest of the three operations, but it is one; a block has dozens of programs.",
            ),
        ),
        hints=("Which of the two overwrites has to read pages first?",),
        why="The less is overwritten, the more must be carried along.",
        steps=_operations_steps,
    ),
    Flaw(
        "flash-flaw",
        among=("X2", "X5", "X6", "X29", "X30"),
        hints=("Take one statement after the other: what follows from all but its last number?",),
    ),
    Number(
        "overwrite-or-read",
        "On a flash chip a page of 4 KiB is read in {read_us} µs and programmed in {program_us} µs, a block is "
        "erased in {erase_ms} ms. One page of a full erase block of {pages} pages is overwritten in place. How many "
        "times as long as reading it does that take?",
        "1",
        draw=_draw_chip,
        lesson_case=CHIP,
        reference=lambda **numbers: _overwrite_us(**numbers) / numbers["read_us"],
        steps=_overwrite_steps,
        why="All pages of the block come along.",
        within=1.6,
        hints=("Which of the pages have to be read, which programmed, and what has to be erased?",),
        surprise="Programming a page takes a few times as long as reading it, but all other pages of the block come "
        "along: each is read and programmed, and the block is erased.",
    ),
    Number(
        "copied-share",
        "An erase block of {pages} pages is full. Its chip reads a page in {read_us} µs, programs one in {program_us} "
        "µs and erases a block in {erase_ms} ms. One request overwrites {written} neighbouring pages of it, and the "
        "block is merged at once. Which share of the time goes into copying the other pages?",
        "%",
        draw=_draw_copies,
        reference=_copied_share,
        steps=_copied_steps,
        why="Copying is most of it, but neither the new pages nor the erase are free.",
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
    Number(
        "endurance",
        "A drive of {capacity_gb} GB has cells for {cycles} program/erase cycles, worn evenly. The host writes "
        "{daily_gb} GB a day, and the flash programs {amplification} pages for each page of the host. After how many "
        "years are the cycles used up?",
        "year",
        draw=_draw_life,
        reference=_life(),
        steps=_years_steps,
        why="What wears the cells is what the flash programs, not what the host writes.",
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
    Number(
        "erase-share",
        "Find the flaw: a table prints {share_us:g} µs for an erase “per 4 KB”. Someone puts it into a simulator as "
        "the time to erase a block of {block_kb} KB. How long must the erase of the whole block be?",
        "ms",
        draw=_draw_share,
        reference=lambda block_kb, share_us: share_us * block_kb / 4 / 1e3,
        steps=_share_steps,
        why="A share belongs to each 4 KB of the block, and a block is erased as a whole.",
        hints=("How many times 4 KB does the block hold?",),
        mistakes=(
            (lambda block_kb, share_us: share_us / 1e3, "that is the share of 4 KB, the number printed."),
            (
                lambda block_kb, share_us: share_us * block_kb / 1e3,
                "the share is for 4 KB, not for 1 KB.",
            ),
        ),
    ),
    Number(
        "erase-printed",
        "Find the flaw: a text says that erasing a block takes up to {erase} µs, programming a page {program_us} µs, "
        "and that an erase is slower by an order of magnitude. Its author meant milliseconds. How many times as "
        "long as a program is the erase then?",
        "1",
        draw=_draw_printed,
        reference=lambda erase, program_us: erase * 1e3 / program_us,
        steps=_slip_steps,
        why="With milliseconds the number and the words agree.",
        hints=("1 ms = 1000 µs. Bring both into one unit.",),
        mistakes=(
            (
                lambda erase, program_us: erase / program_us,
                "as printed the erase would be faster than the program. That is the flaw.",
            ),
            (lambda erase, program_us: program_us / (erase * 1e3), "the other way round: how long is the erase?"),
        ),
    ),
    Number(
        "chip-energy",
        "On the NAND of Table 2.1, {reads} pages of 4 KB are read and {writes} are written, each into a place that is "
        "erased for it. How much energy do the chips need?",
        "mJ",
        draw=_draw_load,
        reference=_energy("program", "erase share"),
        steps=_energy_steps,
        why="A write pays for its program and for its share of an erase.",
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
    Number(
        "idle-energy",
        "A disk draws {idle_w} W when idle and {load_w} W under load, and answers {iops} random requests a second when "
        "it has nothing else to do. It is busy for {busy_percent} % of the day. How much energy does each request "
        "cost, with its share of the idle time?",
        "mJ",
        draw=_draw_idle,
        reference=_request_mj,
        steps=_idle_steps,
        why="The idle hours are paid for too, by the few requests that there are.",
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
    Number(
        "near-best",
        "A device needs {fixed_us} µs for each request and moves {rate_mb_s} MB/s besides. Of the block sizes 4, 16, "
        "64, 256 and 1024 KiB, which is the smallest within 5 % of the best throughput?",
        "KiB",
        draw=_draw_curve,
        reference=_best_kib("near_best"),
        tolerance=EXACT,
        attempts=2,  # of five sizes
        steps=_near_steps,
        why="Throughput flattens: beyond some size a larger block hardly gains.",
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
