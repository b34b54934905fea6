"""The exercises of lesson 1: what does a page access cost?"""

import random
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from pagecost import devices, studies
from pagecost.devices import Flash, HardDisk
from pagecost.units import format_bytes
from pagecost_app.exercises.exercise import Axis
from pagecost_app.exercises.kinds import Choice, Claim, Curve, Number, Order

KIB = 1024
BLOCKS_KB = (4.0, 20.0, 100.0, 500.0, 2500.0, 12500.0)


def _draw_disk(dice: random.Random) -> dict:
    return {
        "seek_ms": dice.randrange(35, 111) / 10,
        "rpm": dice.choice((4200, 5400, 7200, 10000)),
        "rate_mb_s": dice.randrange(40, 81),
        "block_bytes": dice.choice((256, 384, 512)) * KIB,
    }


def _disk_terms(seek_ms, rpm, rate_mb_s, block_bytes) -> dict[str, float]:
    """The terms [ms] of one random read."""
    disk = HardDisk(
        name="the disk of the exercise",
        capacity_bytes=1e12,
        rotation_hz=rpm / 60,
        media_bytes_per_s=rate_mb_s * 1e6,
        average_seek_read_s=seek_ms / 1e3,
        average_seek_write_s=seek_ms / 1e3,
    )
    return {name: float(time) * 1e3 for name, time in disk.service("random read", block_bytes).terms.items()}


def _disk(left_out: tuple[str, ...] = (), turns: float = 1.0) -> Callable[..., float]:
    """A random read [ms] as someone sees it who leaves terms out, or counts `turns` times the rotational latency."""

    def time(**numbers):
        terms = _disk_terms(**numbers)
        terms["rotation_s"] *= turns
        return sum(value for name, value in terms.items() if name not in left_out)

    return time


def _draw_flash(dice: random.Random) -> dict:
    return {
        "pages": dice.choice((16, 32)),
        "read_us": dice.randrange(50, 101, 5),
        "program_us": dice.randrange(200, 301, 10),
        "erase_ms": dice.randrange(15, 36) / 10,
    }


def _flash_terms(pages, read_us, program_us, erase_ms) -> dict[str, float]:
    """The terms [ms] of overwriting one page."""
    flash = Flash(
        name="the flash of the exercise",
        page_bytes=4 * KIB,
        pages_per_block=pages,
        page_read_s=read_us / 1e6,
        page_program_s=program_us / 1e6,
        block_erase_s=erase_ms / 1e3,
    )
    return {name: float(time) * 1e3 for name, time in flash.service("random write", 4 * KIB).terms.items()}


def _flash(*terms: str) -> Callable[..., float]:
    """The overwriting of a page [ms], all of it or only the named terms."""
    return lambda **numbers: sum(value for name, value in _flash_terms(**numbers).items() if not terms or name in terms)


def _draw_buffer(dice: random.Random) -> dict:
    return {
        "frames": dice.randrange(512, 2049),
        "device": dice.choice(("intel-x25-e", "mtron-pro-7500")),
    }


@lru_cache(maxsize=256)
def _buffer_cell(frames: int, device: str) -> dict[str, float]:
    """The row of LRU at the chosen size."""
    study = studies.find("buffer_size")
    result = study.compute(study.inputs({"frames": frames, "device": device, "policies": ("lru",)}))
    (row,) = result.rows(chosen=True)
    return {name: float(result[name][row]) for name in ("misses", "write_backs", "references", "read_s", "write_s")}


def _share(part: str, *whole: str) -> Callable[..., float]:
    """One column as a share [%] of the sum of some columns."""

    def share(**numbers):
        cell = _buffer_cell(**numbers)
        return 100 * cell[part] / sum(cell[name] for name in whole)

    return share


DISKS = {
    "hgst-7k1000-750gb": "A hard disk of 2007 of 7200 turns a minute",
    "cheetah-15k5": "A server's hard disk of 15 000 turns a minute",
    "wd400bb": "A hard disk of 2002 of 7200 turns a minute",
    "hp-97560": "A hard disk of 1991 of 4002 turns a minute",
    "wd800aajs": "A cheap hard disk of 7200 turns a minute",
}


def _draw_page(dice: random.Random) -> dict:
    return {
        "disk": dice.choice(list(DISKS)),
        "kib": dice.randrange(2, 33) / 2,
        "operation": dice.choice(("read", "write")),
    }


def _page_ms(disk: str, kib: float, operation: str, where: str) -> float:
    return float(_service(disk, kib, operation, where).total_s) * 1e3


def _service(device: str, kib: float, operation: str, where: str) -> devices.ServiceTime:
    return devices.load(device).service(f"{where} {operation}", kib * KIB)


def _random_over_sequential(**numbers) -> float:
    return _page_ms(**numbers, where="random") / _page_ms(**numbers, where="sequential")


def _compared(**numbers) -> Iterator[str]:
    apart, behind = (_page_ms(**numbers, where=where) for where in ("random", "sequential"))
    yield f"At a random place: the arm moves, the platter turns, {numbers['kib']:g} KiB pass the head: {apart:.4g} ms."
    yield f"Behind the page before: only the bits pass the head, {behind:.4g} ms."
    yield f"{apart:.4g} / {behind:.4g} = {apart / behind:.4g}."


def _disk_steps(**numbers) -> Iterator[str]:
    terms = _disk_terms(**numbers)
    half, transfer = terms["rotation_s"], terms["transfer_s"]
    yield f"The arm moves: {numbers['seek_ms']} ms on average."
    yield f"Half a turn: 60 000 ms / {numbers['rpm']} / 2 = {half:.4g} ms."
    yield f"The block passes the head: {numbers['block_bytes']} B / {numbers['rate_mb_s']}·10⁶ B/s = {transfer:.4g} ms."
    yield f"Together {numbers['seek_ms']} + {half:.4g} + {transfer:.4g} = {sum(terms.values()):.4g} ms."


def _flash_steps(pages, read_us, program_us, erase_ms) -> Iterator[str]:
    copy, program = (pages - 1) * (read_us + program_us) / 1e3, program_us / 1e3
    yield (
        f"The {pages - 1} other pages are read and programmed: {pages - 1} · ({read_us} + {program_us}) µs = "
        f"{copy:.4g} ms."
    )
    yield f"The new page is programmed: {program:g} ms. The block is erased: {erase_ms} ms."
    yield f"{copy:.4g} + {program:g} + {erase_ms} = {copy + program + erase_ms:.4g} ms."


def _share_steps(**numbers) -> Iterator[str]:
    cell = _buffer_cell(**numbers)
    read, write = cell["read_s"] * 1e6, cell["write_s"] * 1e6
    yield f"{cell['misses']:.0f} misses read a page each, {cell['write_backs']:.0f} victims were dirty and are written."
    yield f"A reference takes {read:.4g} µs of reading and {write:.4g} µs of writing on average."
    yield f"{write:.4g} / ({read:.4g} + {write:.4g}) = {100 * write / (read + write):.4g} %."


READERS = {
    "rahm-nvem": "NVEM of 1991",
    "rahm-ssd": "an SSD of 1991 (memory with a battery)",
    "intel-x25-e": "a flash SSD of 2008",
    "intel-dc-p3700-800gb": "a flash SSD of 2014",
    "cheetah-15k5": "a disk of 15 000 turns a minute",
    "wd800aajs": "a cheap disk of 7200 turns a minute",
    "hp-97560": "a disk of 1991",
    "samsung-4gb-flash-chip": "a flash chip of 2008",
}


def _draw_readers(dice: random.Random) -> dict:
    return {"names": tuple(dice.sample(list(READERS), 4)), "kib": dice.randrange(4, 17, 2)}


def _reads_alone_ms(names: tuple[str, ...], kib: int) -> dict[str, float]:
    """How long [ms] a random read takes from command to answer, by device, with no other in the device."""
    return {name: float(_service(name, kib, "read", "random").latency_s) * 1e3 for name in names}


def _in_sequence_ms(names: tuple[str, ...], kib: int) -> dict[str, float]:
    return {name: _page_ms(name, kib, "read", "sequential") for name in names}


def _draw_course(dice: random.Random) -> dict:
    return {name: number for name, number in _draw_disk(dice).items() if name != "block_bytes"}


def _course(seek_ms, rpm, rate_mb_s) -> list[float]:
    """Bytes per second [MB/s] of random reads over the block size."""
    times_ms = (sum(_disk_terms(seek_ms, rpm, rate_mb_s, kb * 1e3).values()) for kb in BLOCKS_KB)
    return [kb / time_ms for kb, time_ms in zip(BLOCKS_KB, times_ms, strict=True)]


def _without_transfer(seek_ms, rpm, rate_mb_s) -> list[float]:
    """As if a block cost the arm and the platter only, however large it is."""
    first, *_ = _course(seek_ms, rpm, rate_mb_s)
    return [first * kb / BLOCKS_KB[0] for kb in BLOCKS_KB]


def _course_steps(seek_ms, rpm, rate_mb_s) -> Iterator[str]:
    still = seek_ms + 30e3 / rpm
    yield f"Arm and platter take {seek_ms} + {30e3 / rpm:.3g} = {still:.4g} ms, however large the block is."
    yield f"In that time {still * rate_mb_s:.4g} kB would pass the head: up to there the rate grows with the block."
    yield f"Beyond it the transfer counts most, and no block is read faster than {rate_mb_s} MB/s."


def _draw_rate(dice: random.Random) -> dict:
    return {"iops": dice.randrange(20_000, 600_001, 1000), "depth": dice.choice((16, 32, 64, 128))}


def _rate_shown(numbers: Mapping) -> dict:
    between = 1e6 / numbers["iops"]
    return {"between": f"{between:.3g}", "inside": f"{between * numbers['depth']:.4g}"}


def _rate_steps(iops: int, depth: int) -> Iterator[str]:
    between = 1e6 / iops
    yield f"An answer comes every 1 / {iops} s = {between:.3g} µs."
    yield f"While one read is in the drive, {depth} are answered: {depth} · {between:.3g} = {depth * between:.4g} µs."


EXERCISES = (
    Curve(
        "rate-over-block",
        "A disk has an average seek of {seek_ms} ms, turns {rpm} times a minute, and {rate_mb_s} MB/s pass its head. "
        "Blocks are read at random places. Draw how many MB/s that gives over the size of the block.",
        draw=_draw_course,
        x=lambda **_: Axis("block", "kB", positions=BLOCKS_KB, least=2, most=30000, logarithmic=True),
        y=lambda **_: Axis("rate", "MB/s", least=0.1, most=1000, logarithmic=True),
        course=_course,
        mistakes=((_without_transfer, "it rises for ever in your drawing; the bits must pass the head, too."),),
        words={"straight": "it is no straight line: what is the most that can pass the head?"},
        hints=(
            "How long does a block of 4 kB take, and how long one of 20 kB? Which part of it is transfer?",
            "At the left the rate grows in proportion to the block; at the right it nears that of the bits below the "
            "head.",
        ),
        why="Small blocks are paid by the piece, large ones by the byte.",
        steps=_course_steps,
    ),
    Choice(
        "rate-or-time",
        "A data sheet rates an SSD at {iops} random reads per second, measured with {depth} outstanding at all times. "
        "Which sentence about one read follows from that?",
        draw=_draw_rate,
        show=_rate_shown,
        options=(
            Claim(
                "each of these reads took {inside} µs on average",
                lambda **_: True,
                "",
            ),
            Claim(
                "each of these reads took {between} µs on average",
                lambda **_: False,
                "that is the time between two answers; so many reads were under way at once.",
            ),
            Claim(
                "a read that is alone in the drive takes {between} µs",
                lambda **_: False,
                "nothing was measured alone: the time between two answers is short because many wait.",
            ),
        ),
        reasons=(
            Claim(
                "while one read is in the drive, {depth} are answered",
                lambda **_: True,
                "",
            ),
            Claim(
                "a second, divided by the reads that are done in it, is the time of one read",
                lambda **_: False,
                "that would be so if they were done one after the other.",
            ),
            Claim(
                "who is alone need not share the drive, so it has the whole rate",
                lambda **_: False,
                "one read keeps one die busy; the others have nothing to do then.",
            ),
        ),
        hints=("How many reads are answered between the moment when one read comes and the moment when it leaves?",),
        why="Little's law: outstanding requests = rate · time of each.",
        steps=_rate_steps,
    ),
    Order(
        "devices-by-random-read",
        "Put these in the order of how long one random read of {kib} KiB takes, with nothing else to do "
        "for the device.",
        draw=_draw_readers,
        items=lambda names, kib: {name: READERS[name] for name in names},
        sizes=_reads_alone_ms,
        first="the shortest first",
        unit="ms",
        mistakes=((_in_sequence_ms, "that is the order of sequential reads."),),
        attempts=2,
        hints=(
            "What has an arm, what only turns, and what has neither?",
            "An SSD answers tens of thousands of reads a second because many are in it at once; one read alone still "
            "takes its flash and its controller 60 to 100 µs.",
        ),
        why="First counts whether something must move, then how fast it turns.",
        steps=lambda names, kib: [
            f"{READERS[name]}: {time:.4g} ms" for name, time in _reads_alone_ms(names, kib).items()
        ],
    ),
    Number(
        "random-or-sequential",
        "{which} {operation}s pages of {kib:g} KiB, first at random places, then one after the other. How many times "
        "as long does a random page take as a sequential one?",
        "1",
        draw=_draw_page,
        lesson_case={"disk": "hgst-7k1000-750gb", "kib": 4, "operation": "read"},
        usable=lambda **numbers: _random_over_sequential(**numbers) > 30,
        show=lambda numbers: {"which": DISKS[numbers["disk"]]},
        steps=_compared,
        why="Arm and platter move in milliseconds, the bits of a page pass in a fraction of one.",
        reference=_random_over_sequential,
        within=2.0,
        hints=("Between two sequential pages the arm need not move. How long does it take to move it?",),
        surprise="Most people expect ten or twenty times, whatever the page: the arm and the platter move on a scale "
        "of milliseconds, the bits of one page pass the head in a fraction of one.",
    ),
    Number(
        "random-read",
        "A disk has an average seek of {seek_ms} ms, turns {rpm} times a minute and reads {rate_mb_s} MB/s. "
        "How long does one random read of {block} take on average, without command overhead?",
        "ms",
        draw=_draw_disk,
        show=lambda numbers: {"block": format_bytes(numbers["block_bytes"])},
        reference=_disk(),
        steps=_disk_steps,
        why="The three terms add up, because nothing is read before the arm and the platter are in place.",
        hints=(
            "Three terms: the arm moves, the platter turns, the bits pass the head.",
            "On average the page is half a turn away; a turn takes 60 s / rpm.",
            "MB are 1000 × 1000 bytes, KiB are 1024 bytes.",
        ),
        mistakes=(
            (_disk(turns=2), "that is a whole turn; on average the page is only half a turn away."),
            (_disk(("rotation_s",)), "the platter must also turn until the page is below the head."),
            (_disk(("transfer_s",)), "this block is large: its transfer takes milliseconds, too."),
            (_disk(("seek_s",)), "the reads are random: the arm has to move before each."),
            (_disk(("seek_s", "rotation_s")), "that is a sequential read: only the transfer."),
        ),
    ),
    Number(
        "overwrite",
        "An erase block of flash holds {pages} pages. Reading a page takes {read_us} µs, programming one "
        "{program_us} µs, erasing the block {erase_ms} ms. All its pages are in use. How long does it take to "
        "overwrite one page, if the block is merged at once?",
        "ms",
        draw=_draw_flash,
        tolerance=0.0015,
        reference=_flash(),
        steps=_flash_steps,
        why="A block is erased as a whole, so every other page of it is carried along.",
        hints=(
            "A page cannot be programmed again before its whole block is erased.",
            "The other pages must not get lost: each is read and programmed again.",
            "(b − 1) reads + b programs + 1 erase.",
        ),
        mistakes=(
            (_flash("page_program_s"), "that is a page programmed into an erased block; here the block is full."),
            (
                _flash("page_program_s", "block_erase_s"),
                "erasing takes the whole block: what happens to its other pages?",
            ),
            (
                lambda pages, program_us, erase_ms, **_: pages * program_us / 1e3 + erase_ms,
                "the other pages must be read before they can be programmed again.",
            ),
            (
                lambda pages, read_us, program_us, erase_ms: pages * (read_us + program_us) / 1e3 + erase_ms,
                "nearly: the page that is overwritten need not be read.",
            ),
        ),
    ),
    Number(
        "write-backs",
        "The recording of SQLite is replayed with {frames} frames under LRU on {device}. Which share of the "
        "device's time goes into writing dirty evictions?",
        "%",
        draw=_draw_buffer,
        reference=_share("write_s", "read_s", "write_s"),
        steps=_share_steps,
        why="Write-backs are fewer than misses, but each takes longer than a read here.",
        hints=(
            'explore("buffer_size", frames=…, device="…") and look at "The numbers", or use its table().',
            "Two columns are times per reference, one for reading and one for writing: write / (read + write).",
        ),
        mistakes=(
            (
                _share("write_backs", "misses", "write_backs"),
                "that is the share of the requests; a write takes longer here than a read.",
            ),
            (_share("read_s", "read_s", "write_s"), "that is the share of the reads."),
            (_share("write_backs", "references"), "that compares counts with references; compare times."),
            (
                _share("write_s", "read_s"),
                "that compares writing with reading; the share is of both together.",
            ),
        ),
    ),
)
